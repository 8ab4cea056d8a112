// How much of a difference may be due to the text on which it was measured.
#include "lab/report/sections.h"

#include <math.h>
#include <string.h>

static void gap_cell(Page *page, double mean) {
    page_cell(page, isnan(mean) ? "-" : "%+.4f", mean);
}

// "0.021": half of an interval.
static void half_cell(Page *page, Interval interval) {
    page_cell(page, isnan(interval.low) ? "-" : "%.4f", 0.5 * (interval.high - interval.low));
}

static void blocks_table(Page *page, const Facts *facts) {
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
            page_row(page, false, "%s - %s%s", f.arm, f.other, facts->at[setting]);
            gap_cell(page, f.gap.mean);
            half_cell(page, f.gap.t);
            half_cell(page, f.text);
            page_number(page, 4, f.resolvable);
        }
    page_table_end(page);
}

static void texts_table(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    const int each = report_settings_over_texts(facts);
    page_paragraph(page,
                   "The %d texts as a sample of texts like them (random effect): the unit is the text, with its mean "
                   "over the seeds, so these intervals are for other such texts.",
                   plan->text_count);
    page_table(page, "%s", "");
    page_row(page, true, "contrast|mean over texts|interval over texts|corrected|verdict");
    for (int text = 0; text < plan->text_count; text++) page_cell(page, "%s", plan->texts[text].name);
    for (int rest = 0; rest < each; rest++)
        for (int i = 0; i < report_contrasts(facts); i++) {
            const Finding f = report_contrast_over_texts(facts, i, rest);
            page_row(page, false, "%s - %s%s%s", f.arm, f.other, *f.setting ? " at " : "", f.setting);
            char family[FAMILY_WORDS];
            report_family(family, report_named(facts, i));
            const bool judged = report_difference_cells(page, f.gap.mean, f.interval);
            page_cell(page, "%s", judged ? family : "-");
            page_cell(page, "%s", judged ? verdict_words(f.verdict) : "-");
            for (int text = 0; text < plan->text_count; text++)
                gap_cell(page, report_contrast(facts, i, text * each + rest).gap.mean);
        }
    page_table_end(page);
}

bool report_texts(Page *page, const Facts *facts, Error *error) {
    if (report_settings_over_texts(facts) > 0) texts_table(page, facts);
    blocks_table(page, facts);
    return true;
}
