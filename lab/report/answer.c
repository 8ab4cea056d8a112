// The first screen: which scheme won, a sentence for each contrast, the contrasts in one plot, and the settings.
#include "lab/report/sections.h"

#include "data/made/builtin.h"
#include "lab/compare/measure.h"
#include "lab/report/page/numbers.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Two columns, beside each other where the screen is wide.
#define LEFT        "<div class=\"columns\"><div>\n"
#define RIGHT       "</div><div>\n"
#define COLUMNS_END "</div></div>\n"
#define OVER_TEXTS  "over the texts " // scripts/check_report.py looks for it

// The variants by their median loss in a setting, from the best on; those that diverged come last, in their order.
static void sort_by_loss(int *order, const Facts *facts, int setting) {
    double losses[VARIANTS_MOST];
    for (int variant = 0; variant < facts->plan->variant_count; variant++) {
        const double loss = report_loss(facts, setting, variant).estimate;
        int at = variant;
        losses[variant] = isnan(loss) ? INFINITY : loss;
        for (; at > 0 && losses[order[at - 1]] > losses[variant]; at--) order[at] = order[at - 1];
        order[at] = variant;
    }
}

static bool diverged(const Facts *facts, int setting, int variant) {
    return isnan(report_loss(facts, setting, variant).mean);
}

// Append a scheme's name to a list, in which "none" alone would read as "nothing".
static void list_name(Text *text, const Variant *variant, bool first) {
    text_print(text, "%s%s%s", first ? "" : ", ", variant->name, variant_is(variant, "none") ? " (no positions)" : "");
}

// Append `first`, then the schemes whose difference from `pivot` has another verdict; if `all`, also those that
// diverged. Returns their number.
static int name_others(Text *text, const Facts *facts, int setting, int pivot, Verdict verdict, bool all,
                       const char *first) {
    const Plan *plan = facts->plan;
    int count = 0;
    for (int v = 0; v < plan->variant_count; v++) {
        if (plan_weights(plan, v) != v || v == plan_weights(plan, pivot) || (!all && diverged(facts, setting, v)) ||
            outcome_difference(facts->outcome, v, pivot, setting, 1).verdict == verdict)
            continue;
        if (count == 0) text_print(text, "%s", first);
        list_name(text, &plan->variants[v], count++ == 0);
        if (diverged(facts, setting, v)) text_print(text, " (diverged)");
    }
    return count;
}

// What "tpp" means, to put after the name of a setting that has it.
static const char *explained(const char *name) {
    return strstr(name, "tpp") ? " (tpp: training tokens per parameter)" : "";
}

// The best scheme in a setting, and how sure that is. `first` is the first setting that the page describes.
static void winner(Page *page, const Facts *facts, int setting, int first) {
    const Plan *plan = facts->plan;
    int order[VARIANTS_MOST], better = 0, exploratory = 0; // of the differences to all others
    const int others = plan_trained(plan) - 1;
    const bool one_seed = facts->outcome->seeds == 1;
    sort_by_loss(order, facts, setting);
    const int best = plan_weights(plan, order[0]);
    const double loss = report_loss(facts, setting, best).estimate;
    if (isnan(loss)) return;
    for (int v = 0; v < plan->variant_count; v++) {
        const Difference d = outcome_difference(facts->outcome, v, best, setting, 1);
        if (plan_weights(plan, v) != v || d.verdict != VERDICT_WORSE) continue;
        better++;
        exploratory += !d.primary;
    }
    if (better < others && !one_seed) text_print(&page->text, "No clear winner. ");
    text_print(&page->text, "Lowest loss%s%s: %s, %.4f nats a token", facts->at[setting],
               setting == first ? explained(facts->at[setting]) : "", plan->variants[best].name, loss);
    if (one_seed) {
        page_lead(page, "; one seed cannot tell how certain that is.");
        return;
    }
    if (better > 0)
        text_print(&page->text, "; by corrected 95%% intervals better than %d of %d others", better, others);
    if (exploratory > 0) text_print(&page->text, " (%d of these tests exploratory: not planned)", exploratory);
    name_others(&page->text, facts, setting, best, VERDICT_WORSE, true, "; not shown to be better than ");
    page_lead(page, ".");
}

// The schemes that are better or worse than the reference in the longest windows, where the order may differ.
static void longest_windows(Page *page, const Facts *facts, int setting) {
    const Plan *plan = facts->plan;
    const int times = 1 << (MULTIPLES - 1), reference = plan->reference;
    for (int better = 1; better >= 0; better--) {
        int count = 0;
        for (const Difference *d = facts->longer; d < facts->longer + facts->longer_count; d++) {
            const bool reversed = d->variant == reference; // the contrast was named as reference - scheme
            if (d->setting != setting || d->times != times || (!reversed && d->other != reference) ||
                d->verdict != (better != reversed ? VERDICT_BETTER : VERDICT_WORSE))
                continue;
            if (count == 0)
                text_print(&page->text,
                           "In windows of %.0f tokens%s, %d times as long as in training, %s than %s (exploratory): ",
                           times * report_context(facts, setting), facts->at[setting], times,
                           better ? "better" : "worse", plan->variants[reference].name);
            list_name(&page->text, &plan->variants[reversed ? d->other : d->variant], count++ == 0);
        }
        if (count > 0) page_lead(page, ".");
    }
}

// The purpose of a scheme without positions: a scheme that is not better does not use positions, or has not learned to
// yet.
static void warn_of_none(Page *page, const Facts *facts, int setting) {
    const int none = report_none(facts);
    if (none < 0 || facts->outcome->seeds == 1 || diverged(facts, setting, none)) return;
    const int open = name_others(&page->text, facts, setting, none, VERDICT_BETTER, false,
                                 "Not shown to be better than no positions at all: ");
    if (open > 0) page_lead(page, "%s. %s may need more training.", facts->at[setting], open > 1 ? "They" : "It");
}

bool words_plateau(Text *text, const Facts *facts, int setting) {
    const double steps = (double)facts->plan->settings[setting].steps;
    bool known = false, left = false; // a run that diverged has no curve
    for (int v = 0; v < facts->plan->variant_count; v++)
        for (int seed = 0; seed < facts->outcome->seeds; seed++) {
            known = known || !isnan(outcome_value(facts->outcome, setting, v, seed, "curve", steps));
            left = left || !isnan(outcome_value(facts->outcome, setting, v, seed, "left", 0));
        }
    if (known && !left)
        text_print(text,
                   "In no run%s does the curve have a plateau that ends: either there is none, or training ends on it "
                   "(then --steps would show more).",
                   facts->at[setting]);
    return known && !left;
}

bool words_grid_ends(Text *text, const Facts *facts, int setting) {
    const Plan *plan = facts->plan;
    int count = 0;
    for (int v = 0; v < plan->variant_count && plan->rate_count > 1; v++) {
        const int chosen = facts->outcome->chosen_rate[setting][v];
        if ((chosen > 0 && chosen < plan->rate_count - 1) || plan_weights(plan, v) != v || diverged(facts, setting, v))
            continue;
        text_print(text, "%s%s (%g)",
                   count++ ? ", " : "The best learning rate is at an end of the grid: ", plan->variants[v].name,
                   plan->rates[chosen]);
    }
    if (count > 0) text_print(text, "%s. A better one may lie beyond it (--lr-grid).", facts->at[setting]);
    return count > 0;
}

// The share of right answers of all seeds, in percent: "98 / 40" at trained and at longer lengths.
static void task_cell(Page *page, const Facts *facts, int task, int variant) {
    BuiltinCorpus builtin;
    Error ignored;
    const bool known = builtin_choose(&builtin, facts->plan->tasks[task], &ignored); // the plan was checked
    assert(known);
    const double max = (double)builtin.max;
    const Paired in = report_shares(facts, task, variant, (double)builtin.min, max),
                 beyond = report_shares(facts, task, variant, max + 1, 2 * max);
    if (!isnan(in.mean)) text_print(&page->text, "%.0f / ", in.mean);
    page_cells(page, isnan(beyond.mean) ? "-" : "%.0f", beyond.mean);
}

// Begin a caption: what its numbers are, and the runs that they are of, in settings `from` to `to`: "3 seeds, trained
// in windows of 64 to 128 tokens of tales".
static void caption(Page *page, const Facts *facts, int from, int to, const char *what) {
    const Plan *plan = facts->plan;
    const int seeds = facts->outcome->seeds;
    double least = INFINITY, most = 0;
    for (int s = from; s <= to; s++) {
        least = fmin(least, report_context(facts, s));
        most = fmax(most, report_context(facts, s));
    }
    text_print(&page->text, "%s of %d seed%s, trained in windows of %.0f", what, seeds, seeds == 1 ? "" : "s", least);
    if (most > least) text_print(&page->text, " to %.0f", most);
    for (int t = plan->settings[from].text; t <= plan->settings[to].text; t++)
        text_print(&page->text, "%s%s", t == plan->settings[from].text ? " tokens of " : ", ", plan->texts[t].name);
}

// A difference, its interval alone and together with its family, all with the digits that both need.
static void cells_of(Page *page, const Difference *d) {
    const Interval alone = d->gap.alone, together = d->interval;
    const int digits = (int)fmax(digits_of(d->gap.estimate, alone.low, alone.high),
                                 digits_of(d->gap.estimate, together.low, together.high));
    page_difference(page, d->gap.estimate, digits);
    page_interval(page, alone.low, alone.high, digits);
    page_interval(page, together.low, together.high, digits);
}

// The ranking: all schemes from the lowest loss on, each against the reference, with its interval alone and together,
// and beside that longer windows and tasks.
static void ranking(Page *page, const Facts *facts, int setting) {
    const Plan *plan = facts->plan;
    const double T = report_context(facts, setting), longest = T * (1 << (MULTIPLES - 1));
    const char *reference = plan->variants[plan->reference].name;
    int order[VARIANTS_MOST];
    sort_by_loss(order, facts, setting);
    text_print(&page->text, "Schemes by loss%s: ", facts->at[setting]);
    caption(page, facts, setting, setting, "median loss in nats a token");
    page_table_latex(
        page, 7 + plan->task_count, "ranking", facts->names[setting],
        ". A verdict is about the scheme's loss minus %s's, seed by seed (whose median need not be the difference of "
        "the medians); below 0 is better. Loss at %.0f: in windows of this many tokens. 95%% alone: each interval "
        "holds by itself with 95%% confidence; 95%% together, which decides: all of its family hold at once",
        reference, longest);
    page_row(page, true, "by loss|loss|verdict|loss at %.0f|minus %s|95%% alone|95%% together", longest, reference);
    for (int task = 0; task < plan->task_count; task++)
        page_cells(page, "%s, %% right: trained / longer", plan->tasks[task] + strlen(BUILTIN_PREFIX));
    for (int i = 0; i < plan->variant_count; i++) {
        const int variant = order[i];
        const double loss = report_loss(facts, setting, variant).estimate,
                     longer = report_summary(facts, setting, variant, "loss", longest).estimate;
        page_row(page, false, "%s", plan->variants[variant].name);
        page_cells(page, isnan(loss) ? "diverged" : "%.4f", loss);
        if (plan_weights(plan, variant) == plan_weights(plan, plan->reference)) {
            page_cells(page, variant == plan->reference ? "reference" : "the same weights");
            page_cells(page, "%.4f", longer);
            page_cells(page, "-|-|-");
        } else {
            const Difference d = outcome_difference(facts->outcome, variant, plan->reference, setting, 1);
            if (d.verdict == VERDICT_DIVERGED && !isnan(loss)) // the reference did
                page_cells(page, "not known");
            else
                page_cells(page, "%s%s", verdict_words(d.verdict), d.primary ? "" : " (exploratory)");
            page_cells(page, "%.4f", longer);
            cells_of(page, &d);
        }
        for (int task = 0; task < plan->task_count; task++) task_cell(page, facts, task, variant);
    }
    page_table_end(page);
}

// A sentence for all settings of a contrast, or over the texts.
static void sentence(Page *page, const Facts *facts, int i, bool over_texts) {
    const Difference *d = report_contrast(facts, i);
    if (!d->primary) text_print(&page->text, "Exploratory: ");
    if (over_texts) text_print(&page->text, "Over the %d texts: ", facts->plan->text_count);
    words_contrast(&page->text, facts, over_texts ? d + facts->plan->setting_count : d,
                   over_texts ? facts->settings_over_texts : facts->plan->setting_count);
    page_lead(page, "%s", "");
}

// All contrasts, each in all settings and over the texts: a plot and its numbers.
static bool forest(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int each = facts->each;
    bool exploratory = false, same_variant = true, same_other = true;
    const Difference *contrasts = facts->differences, *end = contrasts + facts->contrasts * each;
    if (contrasts == end) return true;
    for (const Difference *d = contrasts; d < end; d++) {
        same_variant = same_variant && d->variant == contrasts->variant;
        same_other = same_other && d->other == contrasts->other;
    }
    const char *names[] = {plan->variants[contrasts->variant].name, plan->variants[contrasts->other].name};
    char sides[2][64];
    for (int i = 0; i < 2; i++) { // what it means to be left and right of 0, by the names that are always the same
        const char *verdict = verdict_words(i ? VERDICT_WORSE : VERDICT_BETTER); // of the scheme that is named first
        if (same_variant && same_other)
            snprintf(sides[i], sizeof sides[i], "%.40s better", names[i]);
        else if (same_variant)
            snprintf(sides[i], sizeof sides[i], "%.40s %s", names[0], verdict);
        else if (same_other)
            snprintf(sides[i], sizeof sides[i], "%s than %.40s", verdict, names[1]);
        else
            snprintf(sides[i], sizeof sides[i], "named %s: better", i ? "second" : "first");
    }
    Chart chart = {.x_label = "difference in nats a token", .y_label = "contrasts", .sides = {sides[0], sides[1]}};
    for (const Difference *d = contrasts; d < end; d++) {
        if ((d - contrasts) % each == 0)
            chart_line(&chart, "%.500s - %.500s", plan->variants[d->variant].name, plan->variants[d->other].name);
        if (each > 1) chart_line(&chart, "%s%s", d->texts > 1 ? OVER_TEXTS : "", report_setting_name(facts, d));
        chart_style(&chart, d->variant, !d->primary);
        chart_interval(&chart, 0, d->gap.estimate, d->interval.low, d->interval.high);
        exploratory = exploratory || !d->primary;
    }
    if (!page_chart(page, &chart, error, "Differences in loss on held-out text%s%s",
                    facts->outcome->seeds > 1 || facts->settings_over_texts > 0 ? ", with 95% intervals" : "",
                    exploratory ? "; hollow: not planned (exploratory)" : ""))
        return false;
    fputs("<details><summary>The numbers</summary>\n", page->html); // which the Markdown has, too
    caption(page, facts, 0, plan->setting_count - 1, "Differences in nats a token, first minus second: medians");
    page_table_latex(page, each > 1 ? 7 : 6, "contrasts", "",
                     ". low, high: the 95%% interval, corrected so that all of its family hold at once");
    page_row(page, true, "contrast%s|difference|low|high|verdict|interval", each > 1 ? "|setting" : "");
    for (const Difference *d = contrasts; d < end; d++) {
        page_row(page, false, each > 1 ? "%s - %s|%s%s" : "%s - %s", plan->variants[d->variant].name,
                 plan->variants[d->other].name, d->texts > 1 ? OVER_TEXTS : "", report_setting_name(facts, d));
        page_gap(page, d->gap.estimate, d->interval.low, d->interval.high);
        page_cells(page, "%s%s", verdict_words(d->verdict), d->primary ? "" : " (exploratory)");
        // What the interval is: one of a family, or alone.
        if (!isnan(d->interval.low)) text_print(&page->text, d->primary ? "primary, " : "exploratory, ");
        page_cells(page,
                   isnan(d->interval.low) ? "-"
                   : d->comparisons > 1   ? "corrected for %.0f%s"
                                          : "single",
                   d->comparisons, d->primary ? "" : " pairs");
    }
    page_table_end(page);
    fputs("</details>\n", page->html);
    return true;
}

// The same in longer windows, where stretched schemes differ, too.
static void longer_windows(Page *page, const Facts *facts) {
    const Variant *variants = facts->plan->variants;
    const bool settings = facts->plan->setting_count > 1;
    if (facts->longer_count == 0) return;
    caption(page, facts, 0, facts->plan->setting_count - 1,
            "Differences in nats a token in windows 2, 4 and 8 times as long as in training (exploratory): medians");
    page_table_latex(page, 6 + settings, "longer", "",
                     ". 95%% alone: each interval holds by itself with 95%% confidence; 95%% together: all %d of them "
                     "hold at once, as a family of their own. Schemes without a loss there are left out",
                     facts->longer_count);
    page_row(page, true, "longer windows%s|tokens|difference|95%% alone|95%% together|verdict",
             settings ? "|setting" : "");
    for (const Difference *d = facts->longer; d < facts->longer + facts->longer_count; d++) {
        page_row(page, false, "%s - %s%s%s", variants[d->variant].name, variants[d->other].name, settings ? "|" : "",
                 facts->names[d->setting]);
        page_cells(page, "%.0f", d->times * report_context(facts, d->setting));
        cells_of(page, d);
        page_cells(page, "%s", verdict_words(d->verdict));
    }
    page_table_end(page);
}

static void losses(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    caption(page, facts, 0, plan->setting_count - 1, "Loss in nats a token: mean and standard deviation");
    page_table_latex(page, 1 + plan->setting_count, "losses", "", "%s", "");
    page_row(page, true, "scheme");
    for (int s = 0; s < plan->setting_count; s++)
        page_cells(page, "%s", plan->setting_count > 1 ? facts->names[s] : "loss");
    for (int variant = 0; variant < plan->variant_count; variant++) {
        page_row(page, false, "%s", plan->variants[variant].name);
        for (int s = 0; s < plan->setting_count; s++) {
            const Paired loss = report_loss(facts, s, variant);
            page_cells(page,
                       isnan(loss.mean) ? "diverged"
                       : isnan(loss.sd) ? "%.4f"
                                        : "%.4f ± %.4f",
                       loss.mean, loss.sd);
        }
    }
    page_table_end(page);
}

// A row for each setting.
static void settings(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    const bool one = plan->setting_count == 1;
    page_paragraph(
        page, "What was trained: each scheme from %d seed%s%s%s. Large models usually get 20 tokens per parameter.",
        facts->outcome->seeds, facts->outcome->seeds == 1 ? "" : "s", one ? "" : ", in each of these settings",
        explained(facts->names[0]));
    page_table(page, "%s", "");
    page_row(page, true,
             "%stext|parameters|layers|heads|width|context|steps|tokens|tokens per parameter|epochs|"
             "FLOPs per token of %s",
             one ? "" : "setting|", plan->variants[plan->reference].name);
    for (int s = 0; s < plan->setting_count; s++) {
        const Setting *setting = &plan->settings[s];
        char parameters[NUMBER_WORDS], tokens[NUMBER_WORDS], operations[NUMBER_WORDS];
        page_row(page, false, "%s%s%s", facts->names[s], one ? "" : "|", plan->texts[setting->text].name);
        page_cells(page, "%s|%lld|%lld|%lld|%lld|%lld|%s|%.3g|%.2g|%s",
                   number_words(parameters, (double)setting->parameters), setting->layers, setting->heads,
                   setting->width, setting->context, setting->steps, number_words(tokens, setting_tokens(plan, s)),
                   setting_tokens_per_parameter(plan, s), setting_epochs(plan, s),
                   number_words(operations, setting_operations(plan, s, plan->reference)));
    }
    page_table_end(page);
}

// What the intervals guarantee, and how much is lost when results were seen before seeds were added.
static void confidence(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    const Paired *gap = facts->contrasts > 0 ? &facts->differences->gap : &facts->longer->gap;
    static const char *const names[] = {"the contrasts", "all pairs", "longer windows",
                                        "changes",       "tasks",     "changes with the window"};
    enum { FAMILIES = sizeof names / sizeof *names };
    double families[FAMILIES] = {1,
                                 report_has_pairs(facts) ? plan_pairs(plan) : 0,
                                 facts->longer_count,
                                 report_changes(facts),
                                 report_task_gaps(facts),
                                 plan->variant_count}; // the largest of each kind
    bool exact[FAMILIES] = {true};
    for (int i = 1; i < FAMILIES; i++) exact[i] = families[i] == 0 || paired_exact(gap, families[i]);
    for (const Difference *d = facts->differences; d < facts->differences + facts->contrasts * facts->each; d++) {
        families[0] = fmax(families[0], d->comparisons);
        exact[0] = exact[0] && paired_exact(&d->gap, d->comparisons); // over texts, texts are the units
    }
    int few = 0;                                                                   // families that need more seeds
    const int most = plan->look_count > 0 ? plan->looks[plan->look_count - 1] : 0; // seeds of which results were seen
    const double error = outcome_peeking(facts->outcome);
    page_paragraph(
        page,
        "With 95%% confidence, all intervals of a family hold at once (Bonferroni). Each of these families has its own "
        "95%%: %s%sin each table of longer windows, all schemes' changes from the "
        "trained one%s%s%s. The intervals cover chance in weights and batches, %s. They say nothing about larger "
        "models. Not resolved: the interval includes 0. A difference of 0.01 nats is 1%% of perplexity.",
        facts->contrasts > 0 ? "the primary contrasts in all settings; " : "",
        report_has_pairs(facts) ? "all pairs of a setting; " : "",
        plan_is_ladder(plan) ? "; the changes from one setting to another" : "",
        facts->longer_count > 0 ? "; the differences in longer windows" : "",
        plan->task_count > 0 ? "; the differences in all tasks" : "",
        facts->settings_over_texts > 0 ? "and over the texts also the choice of text" : "not the choice of text");
    page_paragraph(
        page,
        "A difference is the median over the seeds of loss minus loss: in half of all seeds it is larger, in "
        "half smaller%s.",
        facts->settings_over_texts > 0 ? "; over the texts, it is the median of the texts' medians" : "");
    for (int i = 0; i < FAMILIES; i++)
        if (!exact[i])
            text_print(&page->text, "%s%s take %d",
                       few++
                           ? ", "
                           : "For intervals that assume only that differences do not fall into two groups far apart, ",
                       names[i], paired_enough(families[i]));
    if (few == 0)
        page_paragraph(page,
                       "The intervals assume only that differences do not fall into two groups far apart. In simulated "
                       "studies 93%% to 97%% of them held; where almost half of the seeds end in another group, 88%% "
                       "with 6 seeds, 91%% with 12, and all of six at once in 85%% of studies with 8, 88%% with 12.");
    else
        page_paragraph(page,
                       " seeds%s. With fewer, an interval is Student's t around the mean, and reaches at least from "
                       "the lowest to the highest seed: with 5 seeds, all of six intervals held at once in 76%% to "
                       "97%% of simulated studies. Take 12 seeds or more.",
                       facts->settings_over_texts > 0 ? " or texts" : "");
    if (plan->rate_count > 1)
        page_paragraph(page, "Learning rates were chosen on the same seeds, by the other half of the text: new seeds "
                             "may have somewhat higher losses.");
    if (plan->rates_after > 0)
        page_paragraph(page, "The learning rates were changed after %d run%s, when results could be seen.",
                       plan->rates_after, plan->rates_after == 1 ? "" : "s");
    if (error > 0.0501)
        page_paragraph(page,
                       "Seeds were added after results had been seen. If that was done because nothing was resolved, "
                       "the probability of finding a difference that does not exist is up to %.0f%% instead of 5%%.",
                       100 * error);
    if (most > plan->seeds)
        page_paragraph(page, "%d seeds were trained and their results seen; this page has the first %d.", most,
                       facts->outcome->seeds);
    else if (plan->most_seeds > plan->seeds)
        page_paragraph(
            page,
            "%d seeds were planned, and runs of that plan done; this page has the first %d. If the others were "
            "left out because of their results, differences that do not exist are found more often than stated.",
            plan->most_seeds, facts->outcome->seeds);
}

// The sentences about a setting, above its ranking. `first` is the first setting that the page describes.
static void told_of_setting(Page *page, const Facts *facts, int setting, int first) {
    if (facts->plan->variant_count > 2) { // for two schemes, their contrast says it
        winner(page, facts, setting, first);
        longest_windows(page, facts, setting);
    }
    if (words_plateau(&page->text, facts, setting))
        page_lead(page, "%s", "");
    else
        warn_of_none(page, facts, setting);
    if (words_grid_ends(&page->text, facts, setting)) page_lead(page, "%s", "");
}

// The contrasts' sentences; if there are two schemes, the longest windows come after their contrast.
static void sentences(Page *page, const Facts *facts, int first, int end) {
    for (int i = 0; i < facts->contrasts; i++) sentence(page, facts, i, facts->settings_over_texts > 0);
    if (facts->plan->variant_count == 2)
        for (int s = first; s < end; s++) longest_windows(page, facts, s);
}

// The best scheme in each setting, and the contrasts' sentences beside their plot.
static bool first_screen(Page *page, const Facts *facts, Error *error) {
    const int end = facts->plan->setting_count;
    for (int s = 0; s < end; s++) told_of_setting(page, facts, s, 0);
    for (int s = 0; s < end; s++) ranking(page, facts, s);
    fputs(LEFT, page->html);
    sentences(page, facts, 0, end);
    fputs(RIGHT, page->html);
    if (!forest(page, facts, error)) return false;
    fputs(COLUMNS_END, page->html);
    return true;
}

// For a ladder: the best scheme at the largest size and the contrasts' sentences, beside losses against compute.
static bool first_screen_of_ladder(Page *page, const Facts *facts, Error *error) {
    const int largest = facts->setting;
    fputs(LEFT, page->html);
    told_of_setting(page, facts, largest, largest);
    for (int s = 0; s < facts->plan->setting_count; s++)
        if (s != largest) warn_of_none(page, facts, s);
    sentences(page, facts, largest, largest + 1);
    fputs(RIGHT, page->html);
    if (!report_loss_against_compute(page, facts, error)) return false;
    fputs(COLUMNS_END, page->html);
    ranking(page, facts, largest);
    return forest(page, facts, error);
}

bool report_answer(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int done = outcome_done(facts->outcome), all = plan_job_count(plan);
    const bool texts = facts->settings_over_texts > 0;
    if (done < all)
        page_paragraph(page, "Not finished: %d of %d runs are done, and this page has %d of %d seeds. To go on: %s",
                       done, all, facts->outcome->seeds, plan->seeds, plan->command);
    if (!(plan_is_ladder(plan) ? first_screen_of_ladder : first_screen)(page, facts, error)) return false;
    longer_windows(page, facts);
    settings(page, facts);
    losses(page, facts);
    for (int v = 0; v < plan->variant_count; v++) {
        const Variant *variant = &plan->variants[v];
        char text[4 * TEXT_CAPACITY];
        if (!strchr(variant->pos, '{') && !*variant->stretch) continue; // neither a formula nor stretched
        snprintf(text, sizeof text, "%s = %s%s%s", variant->name, variant->pos,
                 *variant->stretch ? ", in longer windows stretched by " : "", variant->stretch);
        page_code(page, text);
    }
    if ((facts->outcome->seeds > 1 || texts) && facts->contrasts + facts->longer_count > 0) confidence(page, facts);
    for (int i = 0; texts && i < facts->contrasts; i++) sentence(page, facts, i, false);
    return true;
}
