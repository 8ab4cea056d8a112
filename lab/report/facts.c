// What the sections of a report share.
#include "lab/report/sections.h"

#include "lab/compare/measure.h"
#include "lab/report/page/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- settings and contrasts ---
// Name settings by their actual sizes: the plan's names, which are in paths, have the sizes that were asked for. All
// texts have the same settings in the same order.
static void name_settings(Facts *facts) {
    const Plan *plan = facts->plan;
    const int count = plan->setting_count / plan->text_count; // of one text
    const Setting *first = plan->settings;
    bool sizes = false, lengths = false, contexts = false;
    for (int s = 1; s < count; s++) {
        sizes = sizes || plan->settings[s].parameters != first->parameters;
        contexts = contexts || plan->settings[s].context != first->context;
        for (int before = 0; before < s; before++)
            lengths = lengths || (plan->settings[s].parameters == plan->settings[before].parameters &&
                                  plan->settings[s].context == plan->settings[before].context);
    }
    for (int s = 0; s < plan->setting_count; s++) {
        char words[NUMBER_WORDS], name[NAME_CAPACITY] = "";
        if (plan->text_count > 1) setting_name_add(name, "%s", plan->texts[plan->settings[s].text].name);
        number_words(words, (double)plan->settings[s].parameters);
        char *space = strchr(words, ' '); // "1.2 M"
        if (space) memmove(space, space + 1, strlen(space));
        if (sizes) setting_name_add(name, "%s", words);
        const double ratio = setting_tokens_per_parameter(plan, s);
        if (lengths) setting_name_add(name, ratio < 10 ? "%.2gtpp" : "%.0ftpp", ratio);
        if (contexts) setting_name_add(name, "%lld", plan->settings[s].context);
        memcpy(facts->names[s], name, sizeof name);
        if (*name) snprintf(facts->at[s], sizeof *facts->at, " %s %s", plan->text_count > 1 ? "on" : "at", name);
    }
}

int report_none(const Facts *facts) {
    for (int variant = 0; variant < facts->plan->variant_count; variant++)
        if (variant_is(&facts->plan->variants[variant], "none")) return variant;
    return -1;
}

// Is the first minus the second compared in longer windows? The contrasts that were named are, every scheme minus the
// reference, and every stretched scheme minus the one whose weights it has; each in one direction.
static bool compared_longer(const Plan *plan, int variant, int other) {
    const char *name = plan->variants[variant].name;
    const Contrast *named = plan_named(plan, name, plan->variants[other].name);
    if (named || variant == other) return named && strcmp(named->variant, name) == 0;
    return other == plan->reference || (other == plan_weights(plan, variant) && variant != plan->reference);
}

// Gather the differences for which both schemes have a loss there.
static void gather_longer(Facts *facts) {
    const Plan *plan = facts->plan;
    for (int s = 0; s < plan->setting_count; s++)
        for (int v = 0; v < plan->variant_count; v++)
            for (int other = 0; other < plan->variant_count; other++)
                for (int times = 2; times < 1 << MULTIPLES && compared_longer(plan, v, other); times *= 2) {
                    double gaps[SEEDS_MOST];
                    Difference d = {.variant = v, .other = other, .setting = s, .texts = 1, .times = times};
                    outcome_gaps(gaps, facts->outcome, v, other, s, times);
                    d.gap = paired_summary(gaps, facts->outcome->seeds);
                    if (!isnan(d.gap.estimate)) facts->longer[facts->longer_count++] = d;
                }
    for (int i = 0; i < facts->longer_count; i++) difference_judge(&facts->longer[i], facts->longer_count);
}

bool facts_gather(Facts *facts, const Outcome *outcome, Error *error) {
    const Plan *plan = &outcome->comparison->plan;
    *facts = (Facts){.outcome = outcome, .plan = plan, .setting = plan->setting_count - 1};
    for (int s = plan->setting_count - 1; s >= 0; s--)
        if (plan->settings[s].text == plan->text_count - 1 &&
            report_compute(plan, s, plan->reference) > report_compute(plan, facts->setting, plan->reference))
            facts->setting = s;
    if (plan->text_count > 1) facts->settings_over_texts = plan->setting_count / plan->text_count;
    facts->each = plan->setting_count + facts->settings_over_texts;
    name_settings(facts);
    const int longer = (MULTIPLES - 1) * plan->setting_count * (plan->contrast_count + 2 * plan->variant_count);
    const size_t most = (size_t)(plan->contrast_count * facts->each + longer);
    Difference *next = facts->differences = calloc(most, sizeof *facts->differences);
    if (!next) return fail_run(error, "no memory for %zu differences", most);
    for (const Contrast *c = plan->contrasts; c < plan->contrasts + plan->contrast_count; c++) {
        const int variant = plan_variant(plan, c->variant), other = plan_variant(plan, c->other);
        if (variant < 0 || other < 0) continue; // left out since
        for (int s = 0; s < plan->setting_count; s++) *next++ = outcome_difference(outcome, variant, other, s, 1);
        for (int s = 0; s < facts->settings_over_texts; s++)
            *next++ = outcome_difference(outcome, variant, other, s, plan->text_count);
        facts->contrasts++;
    }
    facts->longer = next;
    gather_longer(facts);
    return true;
}

void facts_free(Facts *facts) {
    free(facts->differences);
}

double report_context(const Facts *facts, int setting) {
    return (double)facts->plan->settings[setting].context;
}

const Difference *report_contrast(const Facts *facts, int i) {
    return &facts->differences[i * facts->each];
}

const char *report_setting_name(const Facts *facts, const Difference *d) {
    const char *name = facts->names[d->setting];
    if (d->texts == 1) return name;
    const char *rest = name + strlen(facts->plan->texts[facts->plan->settings[d->setting].text].name); // "book-70k"
    return rest + (*rest == '-');
}

// --- sentences ---
// Append the settings with this verdict: " at 25k, 70k", or " in all 3 settings"; nothing if there is only one setting.
static void settings_of(Text *text, const Facts *facts, const Difference *d, int count, Verdict verdict, int found) {
    if (found == count) {
        if (count > 1) text_print(text, count == 2 ? " in both settings" : " in all %d settings", count);
        return;
    }
    const char *before = d->texts == 1 && facts->plan->text_count > 1 ? " on " : " at ";
    for (int n = 0; n < count; n++)
        if (d[n].verdict == verdict) {
            text_print(text, "%s%s", before, report_setting_name(facts, &d[n]));
            before = ", ";
        }
}

void words_contrast(Text *text, const Facts *facts, const Difference *d, int count) {
    const char *const names[] = {facts->plan->variants[d->variant].name, facts->plan->variants[d->other].name};
    bool begun = false;
    for (Verdict verdict = 0; verdict < VERDICTS; verdict++) {
        double least = INFINITY, most = 0;
        int found = 0;
        const Difference *last = d;
        for (int n = 0; n < count; n++) {
            if (d[n].verdict != verdict) continue;
            last = &d[n];
            least = fmin(least, fabs(last->gap.estimate));
            most = fmax(most, fabs(last->gap.estimate));
            found++;
        }
        if (found == 0) continue;
        const bool resolved = verdict_resolved(verdict);
        if (begun) text_print(text, "; ");
        if (resolved)
            text_print(text, "%s is better than %s", names[verdict == VERDICT_WORSE], names[verdict == VERDICT_BETTER]);
        else if (!begun)
            text_print(text, "%s vs %s: ", names[0], names[1]);
        if (!resolved)
            text_print(text, "%s",
                       verdict == VERDICT_DIVERGED ? "not known, because a run diverged" : verdict_words(verdict));
        settings_of(text, facts, d, count, verdict, found);
        char numbers[INTERVAL_WORDS];
        const double one = fabs(last->interval.low), other = fabs(last->interval.high);
        const int digits = digits_of(last->gap.estimate, last->interval.low, last->interval.high);
        if (resolved && found == 1)
            text_print(text, " by %.*f nats a token (%.*f to %.*f)", digits, most, digits, fmin(one, other), digits,
                       fmax(one, other));
        else if (resolved)
            text_print(text, " by medians of %.*f to %.*f nats a token", digits_for(least), least, digits_for(least),
                       most);
        else if (count == 1 && verdict != VERDICT_DIVERGED)
            text_print(text, "; %s - %s: %s nats a token", names[0], names[1],
                       interval_words(numbers, d->gap.estimate, d->interval.low, d->interval.high));
        begun = true;
    }
    text_print(text, ".");
}

// --- lines of charts ---
void report_line(Chart *chart, const Facts *facts, int variant) {
    chart_line(chart, "%s", facts->plan->variants[variant].name);
    const Variant *v = &facts->plan->variants[variant];
    chart_style(chart, variant, v->learned + 2 * (*v->stretch || variant / HUES));
}

// --- means ---
Paired report_summary(const Facts *facts, int setting, int variant, const char *quantity, double x) {
    double values[SEEDS_MOST];
    outcome_values(values, facts->outcome, setting, variant, quantity, x);
    return paired_summary(values, facts->outcome->seeds);
}

Paired report_loss(const Facts *facts, int setting, int variant) {
    return report_summary(facts, setting, variant, "loss", report_context(facts, setting));
}

Paired report_shares(const Facts *facts, int task, int variant, double first, double last) {
    double shares[SEEDS_MOST];
    for (int seed = 0; seed < facts->outcome->seeds; seed++)
        shares[seed] = 100 * outcome_share(facts->outcome, task, variant, seed, first, last);
    return paired_summary(shares, facts->outcome->seeds);
}
