// The differences of all pairs, and what this number of seeds can resolve.
#include "lab/report/sections.h"

#include "lab/report/page/numbers.h"

#include <math.h>

bool report_has_pairs(const Facts *facts) {
    return plan_trained(facts->plan) > (facts->contrasts > 0 ? 2 : 1);
}

bool report_pairs(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    page_paragraph(
        page,
        "Loss of the row's scheme minus that of the column's; below 0, the row's is better. * = the interval "
        "leaves out 0. The primary contrasts have the intervals that they have above. All other pairs are "
        "exploratory: their intervals are corrected for all %d pairs of a setting%s, which hold at once with "
        "95%% confidence.%s",
        plan_pairs(plan),
        plan->most_trained > plan_trained(plan) ? ", also of schemes that were left out after runs were done" : "",
        plan_trained(plan) < plan->variant_count ? " Stretched schemes, which are not trained, are left out." : "");
    for (int setting = plan->setting_count - 1; setting >= 0; setting--) {
        page_table(page, "differences in nats a token%s", facts->at[setting]);
        page_row(page, true, "scheme");
        for (int variant = 0; variant < plan->variant_count; variant++)
            if (plan_weights(plan, variant) == variant) page_cells(page, "%s", plan->variants[variant].name);
        for (int row = 0; row < plan->variant_count; row++) {
            if (plan_weights(plan, row) != row) continue;
            page_row(page, false, "%s", plan->variants[row].name);
            for (int column = 0; column < plan->variant_count; column++) {
                if (plan_weights(plan, column) != column) continue;
                if (column == row) {
                    page_cells(page, " ");
                    continue;
                }
                const Difference d = outcome_difference(facts->outcome, row, column, setting, 1);
                char words[INTERVAL_WORDS];
                page_cells(page, isnan(d.gap.estimate) ? "-" : "%s%s",
                           interval_words(words, d.gap.estimate, d.interval.low, d.interval.high),
                           verdict_resolved(d.verdict) ? " *" : "");
            }
        }
        page_table_end(page);
    }
    return true;
}

bool report_seeds(Page *page, const Facts *facts, Error *error) {
    page_paragraph(page,
                   "Weights and batches differ between seeds. Seeds cannot tell how much the losses depend on the "
                   "choice of text; several texts can (--data, more than once). Resolvable: the smallest true "
                   "difference that this number of seeds would resolve with 80%% probability, at the corrected level, "
                   "if the differences were distributed normally with their standard deviation.");
    page_table(page, "%s", "");
    page_row(page, true, "contrast|median|mean|standard deviation|resolvable");
    for (int setting = facts->plan->setting_count - 1; setting >= 0; setting--)
        for (int i = 0; i < facts->contrasts; i++) {
            const Difference *d = report_contrast(facts, i) + setting;
            page_row(page, false, "%s - %s%s", facts->plan->variants[d->variant].name,
                     facts->plan->variants[d->other].name, facts->at[setting]);
            const int digits = digits_of(d->gap.estimate, d->interval.low, d->interval.high);
            page_difference(page, d->gap.estimate, digits);
            page_difference(page, d->gap.mean, digits);
            page_cells(page, "%.*f|%.*f", digits, d->gap.sd, digits, resolvable(&d->gap, d->comparisons));
        }
    page_table_end(page);
    return true;
}
