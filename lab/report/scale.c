// How differences change along a ladder of settings, from one to the next.
#include "lab/report/sections.h"

#include "lab/report/page/numbers.h"

double report_compute(const Plan *plan, int setting, int variant) {
    return setting_operations(plan, setting, variant) * setting_tokens(plan, setting);
}

// The settings from the least to the most compute.
static void climb(int order[SETTINGS_MOST], const Plan *plan) {
    for (int s = 0; s < plan->setting_count; s++) {
        const double x = report_compute(plan, s, plan->reference);
        int at = s;
        for (; at > 0 && report_compute(plan, order[at - 1], plan->reference) > x; at--) order[at] = order[at - 1];
        order[at] = s;
    }
}

// Of each contrast, the changes from one setting to the next and from the first to the last; together one family, of
// which contrasts whose schemes were left out remain.
int report_changes(const Facts *facts) {
    const int settings = facts->plan->setting_count;
    const bool any = facts->contrasts > 0 && plan_is_ladder(facts->plan);
    return any ? facts->plan->contrast_count * (settings > 2 ? settings : 1) : 0;
}

// The change of a contrast from one setting to another; the seeds are the units. Corrected for report_changes.
static Difference change_of(const Facts *facts, const Difference *contrast, int from, int to) {
    const int seeds = facts->outcome->seeds;
    double changes[SEEDS_MOST], before[SEEDS_MOST];
    outcome_gaps(changes, facts->outcome, contrast->variant, contrast->other, to, 1);
    outcome_gaps(before, facts->outcome, contrast->variant, contrast->other, from, 1);
    for (int seed = 0; seed < seeds; seed++) changes[seed] -= before[seed];
    Difference d = *contrast;
    d.gap = paired_summary(changes, seeds);
    difference_judge(&d, report_changes(facts));
    return d;
}

// The label "training compute, 1 = 2.2e+12 operations; tokens: 1.2 M, 4.7 M". Returns the unit, a variant's least
// compute.
static double label_compute(char label[TEXT_CAPACITY], const Plan *plan, const int *order, int variant) {
    const double least = report_compute(plan, order[0], variant);
    char words[NUMBER_WORDS];
    int length = snprintf(label, TEXT_CAPACITY, "training compute, 1 = %s operations", number_words(words, least));
    for (int i = 0; i < plan->setting_count && length < TEXT_CAPACITY; i++)
        length += snprintf(label + length, TEXT_CAPACITY - (size_t)length, "%s%s",
                           i ? ", " : "; tokens: ", number_words(words, setting_tokens(plan, order[i])));
    return least;
}

static bool gap_chart(Page *page, const Facts *facts, const int *order, Error *error) {
    const bool seeds = facts->outcome->seeds > 1;
    const int reference = facts->plan->reference;
    char compute[TEXT_CAPACITY];
    const double least = label_compute(compute, facts->plan, order, reference);
    Chart chart = {.x_label = compute, .y_label = "difference in nats a token", .bands = seeds, .log_x = true};
    for (int i = 0; i < facts->contrasts; i++) {
        const Difference *d = report_contrast(facts, i);
        int dash = 0; // tells contrasts of the same hue apart
        for (int before = 0; before < i; before++) dash += report_contrast(facts, before)->variant == d->variant;
        chart_line(&chart, "%.500s - %.500s%s", facts->plan->variants[d->variant].name,
                   facts->plan->variants[d->other].name, d->primary ? "" : " (exploratory)");
        chart_style(&chart, d->variant, dash);
        for (const int *s = order; s < order + facts->plan->setting_count; s++)
            chart_interval(&chart, report_compute(facts->plan, *s, reference) / least, d[*s].gap.estimate,
                           d[*s].interval.low, d[*s].interval.high);
    }
    return page_chart(page, &chart, error,
                      "Differences against compute%s; below 0, the scheme that is named first is better",
                      seeds ? ", medians with corrected 95% intervals" : "");
}

bool report_loss_against_compute(Page *page, const Facts *facts, Error *error) {
    const bool seeds = facts->outcome->seeds > 1;
    int order[SETTINGS_MOST];
    char compute[TEXT_CAPACITY];
    climb(order, facts->plan);
    const double least = label_compute(compute, facts->plan, order, 0); // ticks are where the first line has points
    Chart chart = {.x_label = compute, .y_label = "loss in nats a token", .bands = seeds, .log_x = true};
    for (int variant = 0; variant < facts->plan->variant_count; variant++) {
        report_line(&chart, facts, variant);
        for (const int *s = order; s < order + facts->plan->setting_count; s++) {
            const Paired loss = report_loss(facts, *s, variant);
            chart_interval(&chart, report_compute(facts->plan, *s, variant) / least, loss.estimate, loss.sorted[0],
                           loss.sorted[loss.n - 1]);
        }
    }
    return page_chart(page, &chart, error, "Losses against compute%s",
                      seeds ? ", medians of the seeds; bands: from the lowest to the highest seed" : "");
}

bool report_scale(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int last = plan->setting_count - 1;
    int order[SETTINGS_MOST];
    if (!plan_is_ladder(plan) || facts->contrasts == 0) return true;
    climb(order, plan);
    page_heading(page, "As compute grows");
    if (!gap_chart(page, facts, order, error)) return false;
    page_table(
        page,
        "how each difference changes from one setting to the next, and from the first to the last; the intervals "
        "are corrected for all %d changes, a family apart from that of the differences",
        report_changes(facts));
    page_row(page, true, "contrast|from|to|change|low|high|verdict");
    for (int i = 0; i < facts->contrasts; i++)
        for (int r = 0; r < last + (last > 1); r++) {
            const int from = order[r < last ? r : 0], to = order[r < last ? r + 1 : last];
            const Difference d = change_of(facts, report_contrast(facts, i), from, to);
            const char *variant = plan->variants[d.variant].name, *other = plan->variants[d.other].name;
            page_row(page, false, "%s - %s|%s|%s", variant, other, facts->names[from], facts->names[to]);
            page_gap(page, d.gap.estimate, d.interval.low, d.interval.high);
            page_cells(page, "%s%s%s", verdict_resolved(d.verdict) ? "in favour of " : verdict_words(d.verdict),
                       d.verdict == VERDICT_BETTER  ? variant
                       : d.verdict == VERDICT_WORSE ? other
                                                    : "",
                       d.primary ? "" : " (exploratory)");
        }
    page_table_end(page);
    return true;
}
