// How much of a difference may be due to the text on which it was measured.
#include "lab/report/sections.h"

#include "lab/stats/texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MOST = 256 };

// The number of blocks of text that a run has measured.
static int blocks_of(const Outcome *o, int setting, int arm) {
    const Job job = outcome_job(o, setting, arm, 0);
    const Measures *measures = outcome_measures(o, &job);
    int blocks = 0;
    for (int i = 0; i < measures->count; i++) blocks += strcmp(measures->rows[i].quantity, "block") == 0;
    return blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST;
}

static Interval text_interval(const Outcome *o, int i, int setting) {
    static double gaps[SEEDS_MOST * BLOCKS_MOST];
    const int blocks = blocks_of(o, setting, report_arm(o, i));
    for (int seed = 0; seed < o->seeds; seed++)
        for (int block = 0; block < blocks; block++)
            gaps[seed * blocks + block] = outcome_value(o, setting, -1, report_arm(o, i), seed, "block", block) -
                                          outcome_value(o, setting, -1, report_other(o, i), seed, "block", block);
    return blocks_interval(gaps, o->seeds, blocks);
}

static void blocks_table(Page *page, const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    page_paragraph(page,
                   "Two sources of chance: weights and batches, which differ between seeds, and the text on which the "
                   "loss is measured. The first interval is over seeds, on this text; the second is over blocks of the "
                   "text, with these seeds (circular block bootstrap). Each is a 95%% interval on its own, without "
                   "correction for the others in the table.");
    page_table(page, "%s", "");
    page_row(page, true, "contrast|difference|over seeds|over the text");
    for (int setting = plan->setting_count - 1; setting >= 0; setting--)
        for (int i = 0; i < report_contrasts(o); i++) {
            const Finding f = report_contrast(o, i, setting);
            char at[NAME_CAPACITY + 8];
            page_row(page, false, "%s - %s%s", f.arm, f.other, report_at(at, o, setting));
            report_difference_cells(page, f.gap.mean, f.gap.t);
            const Interval text = text_interval(o, i, setting);
            page_cell(page, isnan(text.low) ? "-" : "%+.4f to %+.4f", text.low, text.high);
        }
    page_table_end(page);
}

// A contrast in settings that differ in their text alone. Settings are sorted by text.
static Paired over_texts(const Outcome *o, int i, int rest) {
    static double gaps[SEEDS_MOST * TEXTS_MOST];
    const Plan *plan = &o->comparison->plan;
    const int each = plan->setting_count / plan->text_count;
    for (int text = 0; text < plan->text_count; text++)
        for (int seed = 0; seed < o->seeds; seed++) {
            const int setting = text * each + rest;
            const double T = report_context(o, setting);
            gaps[text * o->seeds + seed] = outcome_value(o, setting, -1, report_arm(o, i), seed, "loss", T) -
                                           outcome_value(o, setting, -1, report_other(o, i), seed, "loss", T);
        }
    return texts_summary(gaps, plan->text_count, o->seeds);
}

// "70k" of "book-70k", the name of a setting without that of its text.
static const char *rest_name(const Plan *plan, int rest) {
    const Setting *setting = &plan->settings[rest];
    const char *text = plan->texts[setting->text].name;
    const size_t length = strlen(text);
    return strncmp(setting->name, text, length) == 0 && setting->name[length] == '-' ? setting->name + length + 1 : "";
}

static void texts_table(Page *page, const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    const int each = plan->setting_count / plan->text_count, contrasts = report_contrasts(o);
    page_paragraph(page,
                   "The %d texts as a sample of texts like them (random effect): the unit is the text, with its mean "
                   "over the seeds, so these intervals are for other such texts. They hold all %d at once.",
                   plan->text_count, contrasts * each);
    page_table(page, "%s", "");
    page_row(page, true, "contrast|mean over texts|interval over texts|verdict");
    for (int text = 0; text < plan->text_count; text++) page_cell(page, "%s", plan->texts[text].name);
    for (int rest = 0; rest < each; rest++)
        for (int i = 0; i < contrasts; i++) {
            const Paired all = over_texts(o, i, rest);
            const char *name = rest_name(plan, rest);
            page_row(page, false, "%s - %s%s%s", plan->arms[report_arm(o, i)].name, plan->arms[report_other(o, i)].name,
                     *name ? " at " : "", name);
            const bool judged =
                report_difference_cells(page, all.mean, paired_interval(&all, (double)contrasts * each));
            page_cell(page, "%s", judged ? verdict_words(paired_verdict(&all, (double)contrasts * each)) : "-");
            for (int text = 0; text < plan->text_count; text++)
                page_cell(page, "%+.4f", report_contrast(o, i, text * each + rest).gap.mean);
        }
    page_table_end(page);
}

bool report_texts(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    if (plan->text_count > 1 && plan->setting_count % plan->text_count == 0) texts_table(page, o);
    if (blocks_of(o, report_setting(o), report_arm(o, 0)) >= BLOCKS_LEAST) blocks_table(page, o);
    return true;
}
