// The first screen: which scheme won, a sentence for each contrast, the contrasts in one plot, and the settings.
#include "lab/report/sections.h"

#include "lab/report/page/axis.h"
#include "lab/report/page/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The scheme with the lowest loss in a setting; -1 if all diverged.
static int best_of(const Facts *facts, int setting) {
    double lowest = INFINITY;
    int best = -1;
    for (int variant = 0; variant < facts->plan->variant_count; variant++) {
        const double loss = report_loss(facts, setting, variant).mean;
        if (loss < lowest) lowest = loss, best = variant;
    }
    return best;
}

// The best scheme in the last setting, and how sure that is.
static void winner(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    const int last = report_setting(facts), best = best_of(facts, last);
    int better = 0;
    Text open = {0};
    if (best < 0) return;
    for (int variant = 0; variant < plan->variant_count; variant++) {
        if (variant == best) continue;
        const Finding f = report_pair(facts, best, variant, last);
        better += f.verdict == VERDICT_BETTER;
        if (f.verdict != VERDICT_BETTER)
            text_print(&open, "%s%s%s", open.size ? ", " : "; not resolved: ", plan->variants[variant].name,
                       isnan(f.gap.mean) ? " (diverged)" : "");
    }
    const double loss = report_loss(facts, last, best).mean;
    if (better > 0)
        page_lead(page,
                  "Lowest loss%s: %s, %.4f nats a token; by corrected 95%% intervals better than %d of %d others%.*s.",
                  facts->settings[last].at, plan->variants[best].name, loss, better, plan->variant_count - 1,
                  (int)open.size, open.bytes);
    else if (facts->outcome->seeds > 1)
        page_lead(page, "Lowest loss%s: %s, %.4f nats a token; no difference from another scheme is resolved.",
                  facts->settings[last].at, plan->variants[best].name, loss);
    else
        page_lead(page, "Lowest loss%s: %s, %.4f nats a token; one seed cannot tell how certain that is.",
                  facts->settings[last].at, plan->variants[best].name, loss);
    page_text_free(page, &open);
}

// On several texts or with several contexts, each has a winner.
static void winners(Page *page, const Facts *facts) {
    Text list = {0};
    for (int s = 0; s < facts->plan->setting_count; s++) {
        const int best = best_of(facts, s);
        text_print(&list, "%s%s%s", s ? ", " : "", best < 0 ? "none" : facts->plan->variants[best].name,
                   facts->settings[s].at);
    }
    page_lead(page, "Lowest loss: %.*s.", (int)list.size, list.bytes);
    page_text_free(page, &list);
}

// A sentence for all settings of a contrast, or for texts like these.
static bool sentence(Page *page, const Facts *facts, int i, bool over_texts, Error *error) {
    const int count = over_texts ? report_settings_over_texts(facts) : facts->plan->setting_count;
    Finding *findings = calloc((size_t)count, sizeof *findings);
    char texts[64] = "";
    Text text = {0};
    if (!findings) return fail_run(error, "no memory for a sentence about %d settings", count);
    for (int setting = 0; setting < count; setting++)
        findings[setting] =
            over_texts ? report_contrast_over_texts(facts, i, setting) : report_contrast(facts, i, setting);
    if (over_texts) snprintf(texts, sizeof texts, "Over the %d texts: ", facts->plan->text_count);
    words_contrast(&text, findings, count);
    page_lead(page, "%s%s%.*s", report_named(facts, i)->primary ? "" : "Exploratory: ", texts, (int)text.size,
              text.bytes);
    page_text_free(page, &text);
    free(findings);
    return true;
}

static ForestRow row_of(const Facts *facts, int i, const Finding *f, const char *setting, bool by_contrast) {
    const bool primary = report_named(facts, i)->primary;
    ForestRow row = {.value = f->gap.mean,
                     .low = f->interval.low,
                     .high = f->interval.high,
                     .hue = report_hue(facts, report_named(facts, i)->variant),
                     .filled = primary};
    char contrast[2 * TEXT_CAPACITY];
    snprintf(contrast, sizeof contrast, "%.500s - %.500s", f->variant, f->other);
    snprintf(row.group, sizeof row.group, "%s", !*setting ? "" : by_contrast ? contrast : setting);
    snprintf(row.name, sizeof row.name, "%s", by_contrast && *setting ? setting : contrast);
    snprintf(row.words, sizeof row.words, "%s%s",
             isnan(f->gap.mean)       ? "diverged"
             : isnan(f->interval.low) ? "one seed cannot tell"
                                      : verdict_words(f->verdict),
             primary ? "" : " (exploratory)");
    report_family(row.family, report_named(facts, i));
    return row;
}

// One plot of all contrasts: those of a setting together, or on a ladder the settings of a contrast.
static bool forest(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int contrasts = report_contrasts(facts), settings = plan->setting_count,
              over_texts = report_settings_over_texts(facts);
    const bool by_contrast = settings > 1 && (plan_is_ladder(plan) || contrasts == 1);
    bool exploratory = false;
    char title[128], setting[NAME_CAPACITY + 32];
    ForestRow *rows = calloc((size_t)(contrasts * (settings + over_texts)) + 1, sizeof *rows);
    Forest all = {.x_label = "difference in nats a token",
                  .below = "first is better",
                  .above = "second is better",
                  .group = settings == 1 ? ""
                           : by_contrast ? "contrast"
                                         : "setting",
                  .name = by_contrast ? "setting" : "contrast",
                  .rows = rows};
    if (!rows) return fail_run(error, "no memory for a plot of %d contrasts", contrasts);
    for (int n = 0; n < contrasts * over_texts; n++) {
        const Finding f = report_contrast_over_texts(facts, n / over_texts, n % over_texts);
        snprintf(setting, sizeof setting, *f.setting ? "over the texts (%s)" : "over the texts", f.setting);
        rows[all.count++] = row_of(facts, n / over_texts, &f, setting, by_contrast);
    }
    for (int n = 0; n < contrasts * settings; n++) {
        const int i = by_contrast ? n / settings : n % contrasts;
        const Finding f = report_contrast(facts, i, by_contrast ? n % settings : n / contrasts);
        rows[all.count++] = row_of(facts, i, &f, f.setting, by_contrast);
    }
    for (int i = 0; i < contrasts; i++) exploratory = exploratory || !report_named(facts, i)->primary;
    snprintf(title, sizeof title, "Differences in loss on held-out text%s%s",
             facts->outcome->seeds > 1 || over_texts > 0 ? ", with 95% intervals" : "",
             exploratory ? "; hollow: exploratory" : "");
    const bool ok = page_forest(page, &all, title, error);
    free(rows);
    return ok;
}

// A row for each setting. Operations are a range over the schemes.
static void settings(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    const bool one = plan->setting_count == 1;
    page_paragraph(page, "What was trained: each scheme from %d seed%s%s%s.", facts->outcome->seeds,
                   facts->outcome->seeds == 1 ? "" : "s", one ? "" : ", in each of these settings",
                   strstr(facts->settings[0].name, "tpp") ? " (tpp: training tokens for each parameter)" : "");
    page_table(page, "%s", "");
    page_row(page, true,
             "%stext|parameters|layers|heads|width|context|steps|tokens|tokens a parameter|epochs|"
             "operations a token",
             one ? "" : "setting|");
    for (int s = 0; s < plan->setting_count; s++) {
        const Setting *setting = &plan->settings[s];
        char words[RANGE_WORDS];
        double least, most;
        setting_operations_range(&least, &most, plan, s);
        page_row(page, false, "%s%s%s", facts->settings[s].name, one ? "" : "|", plan->texts[setting->text].name);
        page_cell(page, "%s", number_words(words, (double)setting->parameters));
        const long long whole[] = {setting->layers, setting->heads, setting->width, setting->context, setting->steps};
        for (int i = 0; i < 5; i++) page_cell(page, "%lld", whole[i]);
        page_cell(page, "%s", number_words(words, setting_tokens(plan, s)));
        page_cell(page, "%.3g", setting_tokens_per_parameter(plan, s));
        page_cell(page, "%.2g", setting_epochs(plan, s));
        page_cell(page, "%s", range_words(words, least, most));
    }
    page_table_end(page);
}

// What the intervals promise, and what it has cost to look at them before seeds were added.
static void confidence(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    const int most = plan->look_count > 0 ? plan->looks[plan->look_count - 1] : 0; // seeds of which results were seen
    const double error = outcome_peeking(facts->outcome);
    page_paragraph(page,
                   "With 95%% confidence, all intervals of a family hold at once (Bonferroni): the primary contrasts, "
                   "or all pairs of "
                   "a setting. They cover chance in weights and batches, %s. They say nothing about larger models. Not "
                   "resolved: the interval includes 0. A difference of 0.01 nats is 1%% of perplexity.",
                   report_settings_over_texts(facts) > 0 ? "and over the texts also the choice of text"
                                                         : "not the choice of text");
    if (plan->rate_count > 1)
        page_paragraph(page, "Learning rates were chosen on the same seeds, by the other half of the text: new seeds "
                             "would have somewhat higher losses.");
    if (error > 0.0501)
        page_paragraph(page,
                       "Seeds were added after results had been seen. If that was done because nothing was resolved, "
                       "the probability of finding a difference that does not exist is up to %.0f%% instead of 5%%.",
                       100 * error);
    if (most > plan->seeds)
        page_paragraph(page, "%d seeds were trained and their results seen; this page has the first %d.", most,
                       plan->seeds);
}

bool report_answer(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int contrasts = report_contrasts(facts), done = outcome_done(facts->outcome), all = plan_job_count(plan);
    const bool texts = report_settings_over_texts(facts) > 0;
    page_columns(page, 0);
    if (done < all)
        page_paragraph(page, "Not finished: %d of %d runs are done, and this page has %d of %d seeds.", done, all,
                       facts->outcome->seeds, plan->seeds);
    if (plan->variant_count > 2) // two are told by their contrast
        (plan->setting_count == 1 || plan_is_ladder(plan) ? winner : winners)(page, facts);
    for (int i = 0; i < contrasts; i++)
        if (!sentence(page, facts, i, texts, error)) return false;
    report_scale_changes(page, facts);
    page_columns(page, 1);
    if (!forest(page, facts, error)) return false;
    page_columns(page, 2);
    settings(page, facts);
    if (facts->outcome->seeds > 1 && contrasts > 0) confidence(page, facts);
    for (int i = 0; texts && i < contrasts; i++)
        if (!sentence(page, facts, i, false, error)) return false;
    return true;
}
