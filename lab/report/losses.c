// Losses of the schemes in every setting, the differences of all pairs, and how much of a difference may be due to the
// text on which it was measured.
#include "lab/report/sections.h"

#include <math.h>

static void losses_table(Page *page, const Facts *facts, int setting) {
    const Plan *plan = facts->plan;
    const double T = report_context(facts, setting);
    page_table(
        page, "loss in nats a token in windows of %.0f tokens%s: mean ± standard deviation of %d seed%s, and each seed",
        T, facts->settings[setting].at, facts->outcome->seeds, facts->outcome->seeds == 1 ? "" : "s");
    page_row(page, true, "scheme|loss|perplexity|learning rate|position parameters");
    for (int seed = 0; seed < facts->outcome->seeds; seed++)
        page_cell(page, "seed %lld", (plan->unpaired ? 1 : plan->base.seed) + seed);
    for (int variant = 0; variant < plan->variant_count; variant++) {
        const double loss = report_loss(facts, setting, variant).mean, sd = report_loss(facts, setting, variant).sd;
        page_row(page, false, "%s", plan->variants[variant].name);
        if (isnan(loss))
            page_cell(page, "diverged");
        else if (isnan(sd))
            page_cell(page, "%.4f", loss);
        else
            page_cell(page, "%.4f ± %.4f", loss, sd);
        page_number(page, 3, exp(loss));
        page_cell(page, "%.3g", report_rate(facts, setting, variant));
        page_number(page, 0, outcome_value(facts->outcome, setting, -1, variant, 0, "positions", 0));
        for (int seed = 0; seed < facts->outcome->seeds; seed++)
            page_number(page, 4, outcome_value(facts->outcome, setting, -1, variant, seed, "loss", T));
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
    const int pairs = plan->variant_count * (plan->variant_count - 1) / 2;
    page_paragraph(
        page,
        "Loss of the row's scheme minus that of the column's; below 0, the row's is better. * = the interval "
        "leaves out 0. The primary contrasts have the intervals that they have above. All other pairs are "
        "exploratory: their intervals are corrected for all %d pairs of a setting, which hold at once with 95%% "
        "confidence.",
        pairs);
    for (int setting = plan->setting_count - 1; setting >= 0; setting--) {
        page_table(page, "differences in nats a token%s", facts->settings[setting].at);
        page_row(page, true, "scheme");
        for (int variant = 0; variant < plan->variant_count; variant++)
            page_cell(page, "%s", plan->variants[variant].name);
        for (int row = 0; row < plan->variant_count; row++) {
            page_row(page, false, "%s", plan->variants[row].name);
            for (int column = 0; column < plan->variant_count; column++) pair_cell(page, facts, row, column, setting);
        }
        page_table_end(page);
    }
    return true;
}

bool report_texts(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    page_paragraph(page,
                   "Two sources of chance: weights and batches, which differ between seeds, and the text on which the "
                   "loss is measured. The table has each alone, as half of a 95%% interval: over seeds, on this text; "
                   "and over blocks of the text, with these seeds (circular block bootstrap). These are not corrected "
                   "for other contrasts; the verdicts on this page are those of the corrected intervals above. "
                   "Detectable: the smallest true difference that this number of seeds would resolve with 80%% "
                   "probability, at the corrected level.");
    page_table(page, "%s", "");
    page_row(page, true, "contrast|difference|± over seeds|± over the text|detectable");
    for (int setting = plan->setting_count - 1; setting >= 0; setting--)
        for (int i = 0; i < report_contrasts(facts); i++) {
            const Finding f = report_contrast(facts, i, setting);
            page_row(page, false, "%s - %s%s", f.variant, f.other, facts->settings[setting].at);
            page_signed(page, f.gap.mean);
            page_number(page, 4, 0.5 * (f.gap.t.high - f.gap.t.low));
            page_number(page, 4, 0.5 * (f.text.high - f.text.low));
            page_number(page, 4, f.resolvable);
        }
    page_table_end(page);
    return true;
}
