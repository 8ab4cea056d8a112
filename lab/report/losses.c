// Losses of the schemes in every setting, and the differences of all pairs.
#include "lab/report/sections.h"

#include <math.h>

static void losses_table(Page *page, const Facts *facts, int setting) {
    const Plan *plan = facts->plan;
    const double T = report_context(facts, setting);
    page_table(
        page, "loss in nats a token in windows of %.0f tokens%s: mean ± standard deviation of %d seed%s, and each seed",
        T, facts->at[setting], facts->outcome->seeds, facts->outcome->seeds == 1 ? "" : "s");
    page_row(page, true, "scheme|loss|perplexity|learning rate|position parameters");
    for (int seed = 0; seed < facts->outcome->seeds; seed++)
        page_cell(page, "seed %lld", (plan->unpaired ? 1 : plan->base.seed) + seed);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const double loss = report_mean(facts, setting, arm, "loss", T),
                     sd = report_deviation(facts, setting, arm, "loss", T);
        page_row(page, false, "%s", plan->arms[arm].name);
        if (isnan(loss))
            page_cell(page, "diverged");
        else if (isnan(sd))
            page_cell(page, "%.4f", loss);
        else
            page_cell(page, "%.4f ± %.4f", loss, sd);
        page_number(page, 3, exp(loss));
        page_cell(page, "%.3g", report_rate(facts, setting, arm));
        page_number(page, 0, outcome_value(facts->outcome, setting, -1, arm, 0, "positions", 0));
        for (int seed = 0; seed < facts->outcome->seeds; seed++)
            page_number(page, 4, outcome_value(facts->outcome, setting, -1, arm, seed, "loss", T));
    }
    page_table_end(page);
}

bool report_losses(Page *page, const Facts *facts, Error *error) {
    for (int setting = facts->plan->setting_count - 1; setting >= 0; setting--) losses_table(page, facts, setting);
    return true;
}

static void pair_cell(Page *page, const Facts *facts, int row, int column, int setting) {
    Text text = {0};
    if (row == column) {
        page_cell(page, " ");
        return;
    }
    const Finding f = report_pair(facts, row, column, setting);
    if (isnan(f.gap.mean))
        text_print(&text, "-");
    else
        words_signed(&text, f.gap.mean, f.interval);
    page_cell(page, "%.*s%s", (int)text.size, text.bytes,
              !isnan(f.interval.low) && f.verdict != VERDICT_UNRESOLVED ? " *" : "");
    page_text_free(page, &text);
}

bool report_pairs(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int pairs = plan->arm_count * (plan->arm_count - 1) / 2;
    page_paragraph(
        page,
        "Loss of the row's scheme minus that of the column's; below 0, the row's is better. * = the interval "
        "leaves out 0. The primary contrasts have the intervals that they have above. All other pairs are "
        "exploratory: their intervals are corrected for all %d pairs of a setting, which hold at once with 95%% "
        "confidence.",
        pairs);
    for (int setting = plan->setting_count - 1; setting >= 0; setting--) {
        page_table(page, "differences in nats a token%s", facts->at[setting]);
        page_row(page, true, "scheme");
        for (int arm = 0; arm < plan->arm_count; arm++) page_cell(page, "%s", plan->arms[arm].name);
        for (int row = 0; row < plan->arm_count; row++) {
            page_row(page, false, "%s", plan->arms[row].name);
            for (int column = 0; column < plan->arm_count; column++) pair_cell(page, facts, row, column, setting);
        }
        page_table_end(page);
    }
    return true;
}
