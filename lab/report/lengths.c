// Losses beyond the trained context: in longer windows, by position in them, and of the same tokens with more text
// before them. And right answers to tasks, by length.
#include "lab/report/sections.h"

#include "data/made/builtin.h"
#include "lab/compare/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool context_chart(Page *page, const Facts *facts, int setting, Error *error) {
    const Plan *plan = facts->plan;
    const double T = report_context(facts, setting);
    Chart chart = {.x_label = "tokens of a window",
                   .y_label = "loss in nats a token",
                   .log_x = true,
                   .mark = T,
                   .mark_label = "trained"};
    for (int variant = 0; variant < plan->variant_count; variant++) {
        report_line(&chart, facts, variant);
        for (int i = 0; i < MULTIPLES; i++)
            chart_point(&chart, T * (1 << i), report_mean(facts, setting, variant, "loss", T * (1 << i)));
    }
    return page_chart(page, &chart, error, "Loss against the length of the window%s", facts->settings[setting].at);
}

// The change of a quantity, by seed, from the trained length to `times` that length.
static Paired change_of(const Facts *facts, int setting, int variant, const char *quantity, double times) {
    const double T = report_context(facts, setting);
    double differences[SEEDS_MOST];
    for (int seed = 0; seed < facts->outcome->seeds; seed++)
        differences[seed] = outcome_value(facts->outcome, setting, -1, variant, seed, quantity, times * T) -
                            outcome_value(facts->outcome, setting, -1, variant, seed, quantity, T);
    return paired_summary(differences, facts->outcome->seeds);
}

// One row for each scheme: a quantity at 1, 2, 4, ... times the trained length (`count` columns), and its change from
// the first to the last. words: for a change that is not resolved, falls, or rises.
static void change_table(Page *page, const Facts *facts, int setting, const char *quantity, int count,
                         const char *caption, const char *const words[3], const char *word_heading) {
    const Plan *plan = facts->plan;
    const double T = report_context(facts, setting);
    page_table(page, plan->variant_count > 1 && facts->outcome->seeds > 1 ? "%s; the %d intervals hold at once" : "%s",
               caption, plan->variant_count);
    page_row(page, true, "scheme");
    for (int i = 0; i < count; i++) page_cell(page, "%.0f", T * (1 << i));
    page_cell(page, "change at %dx", 1 << (count - 1));
    page_cell(page, "95%% interval");
    page_cell(page, "%s", word_heading);
    for (int variant = 0; variant < plan->variant_count; variant++) {
        const Paired change = change_of(facts, setting, variant, quantity, 1 << (count - 1));
        page_row(page, false, "%s", plan->variants[variant].name);
        for (int i = 0; i < count; i++)
            page_number(page, 4, report_mean(facts, setting, variant, quantity, T * (1 << i)));
        const Interval interval = paired_interval(&change, plan->variant_count);
        const bool judged = !isnan(interval.low);
        page_signed(page, change.mean);
        page_cell(page, judged ? "%+.4f to %+.4f" : "-", interval.low, interval.high);
        page_cell(page, "%s",
                  judged ? words[paired_verdict(&change, plan->variant_count)]
                  : isnan(report_mean(facts, setting, variant, "loss", T)) ? "diverged"
                  : isnan(change.mean)                                     ? "has no value there"
                                                                           : "");
    }
    page_table_end(page);
}

// The x of all rows of a quantity that the first run of a variant has.
static void add_positions(Chart *chart, const Facts *facts, int setting, int variant, const char *quantity) {
    const Job first = outcome_job(facts->outcome, setting, variant, 0);
    const Measures *measures = outcome_measures(facts->outcome, &first);
    for (const Measured *row = measures->rows; row < measures->rows + measures->count; row++)
        if (strcmp(row->quantity, quantity) == 0)
            chart_point(chart, row->x, report_mean(facts, setting, variant, quantity, row->x));
}

static bool position_chart(Page *page, const Facts *facts, int setting, const char *quantity, const char *windows,
                           Error *error) {
    const Plan *plan = facts->plan;
    Chart chart = {.x_label = "position in the window", .y_label = "loss in nats a token", .log_x = true};
    if (strcmp(quantity, "beyond") == 0) {
        chart.mark = report_context(facts, setting);
        chart.mark_label = "trained";
    }
    for (int variant = 0; variant < plan->variant_count; variant++) {
        report_line(&chart, facts, variant);
        add_positions(&chart, facts, setting, variant, quantity);
    }
    return page_chart(page, &chart, error, "Loss by position in windows of %s%s", windows, facts->settings[setting].at);
}

bool report_lengths(Page *page, const Facts *facts, Error *error) {
    static const char *const longer[] = {"not resolved", "falls", "rises"}, *const more[] = {"not resolved", "helps",
                                                                                             "hurts"};
    const int setting = report_setting(facts);
    if (!position_chart(page, facts, setting, "position", "the trained length", error)) return false;
    if (!context_chart(page, facts, setting, error)) return false;
    change_table(page, facts, setting, "loss", MULTIPLES,
                 "loss by the length of the window, and its change from the trained length to eight times that", longer,
                 "the loss");
    if (!position_chart(page, facts, setting, "beyond", "eight times the trained length", error)) return false;
    page_heading(page, "Does more context help?");
    page_paragraph(
        page,
        "The loss of the same tokens, the last quarter of a trained window, with more and more text before them.");
    change_table(page, facts, setting, "same", 3, "loss of the same tokens by the length of their windows", more,
                 "more context");
    return true;
}

// --- tasks; the seeds are the units, because the answers of a run are not independent ---
static double share_of(const Facts *facts, int task, int variant, int seed, double first, double last) {
    const Answered answered = outcome_right(facts->outcome, task, variant, seed, first, last);
    return answered.questions > 0 ? answered.right / answered.questions : NAN;
}

// The mean of the seeds as a line, and each seed as a dot.
static bool tasks_chart(Page *page, const Facts *facts, int task, const BuiltinCorpus *builtin, Error *error) {
    const Plan *plan = facts->plan;
    char label[128];
    snprintf(label, sizeof label, "number of %s", builtin->builtin->counts);
    Chart chart = {
        .x_label = label, .y_label = "right answers in percent", .mark = (double)builtin->max, .mark_label = "trained"};
    for (int variant = 0; variant < plan->variant_count; variant++) {
        report_line(&chart, facts, variant);
        for (int length = (int)builtin->min; length <= 2 * (int)builtin->max; length++) {
            double sum = 0;
            for (int seed = 0; seed < facts->outcome->seeds; seed++)
                sum += share_of(facts, task, variant, seed, length, length);
            if (!isnan(sum)) chart_point(&chart, length, 100 * sum / facts->outcome->seeds); // not all were asked
        }
        chart_seeds(&chart);
        for (int length = (int)builtin->min; length <= 2 * (int)builtin->max; length++)
            for (int seed = 0; seed < facts->outcome->seeds; seed++)
                chart_point(&chart, length, 100 * share_of(facts, task, variant, seed, length, length));
    }
    return page_chart(page, &chart, error, "Right answers by length: %s; a dot for each seed", plan->tasks[task]);
}

// "57.2 ± 30.1 (20, 61, 90)": in percent, over the seeds.
static void share_cell(Page *page, const Facts *facts, int task, int variant, double first, double last) {
    double shares[SEEDS_MOST];
    Text list = {0};
    for (int seed = 0; seed < facts->outcome->seeds; seed++) {
        shares[seed] = 100 * share_of(facts, task, variant, seed, first, last);
        text_print(&list, isnan(shares[seed]) ? "%s-" : "%s%.0f", seed ? ", " : "", shares[seed]);
    }
    const Paired all = paired_summary(shares, facts->outcome->seeds);
    if (isnan(all.mean))
        page_cell(page, "%s",
                  isnan(outcome_right(facts->outcome, task, variant, -1, first, last).questions) ? "diverged" : "-");
    else if (isnan(all.sd))
        page_cell(page, "%.1f", all.mean);
    else
        page_cell(page, "%.1f ± %.1f (%.*s)", all.mean, all.sd, (int)list.size, list.bytes);
    page_text_free(page, &list);
}

static void contrast_cell(Page *page, const Facts *facts, int task, int i, double first, double last,
                          double comparisons) {
    double variant[SEEDS_MOST], other[SEEDS_MOST];
    for (int seed = 0; seed < facts->outcome->seeds; seed++) {
        variant[seed] = 100 * share_of(facts, task, report_named(facts, i)->variant, seed, first, last);
        other[seed] = 100 * share_of(facts, task, report_named(facts, i)->other, seed, first, last);
    }
    const Paired all = outcome_gap(facts->outcome, variant, other);
    const Interval interval = paired_interval(&all, comparisons);
    if (isnan(interval.low))
        page_cell(page, isnan(all.mean) ? "-" : "%+.1f", all.mean);
    else
        page_cell(page, "%+.1f (%+.1f to %+.1f)%s", all.mean, interval.low, interval.high,
                  paired_verdict(&all, comparisons) == VERDICT_UNRESOLVED ? "" : " *");
}

static void contrasts_table(Page *page, const Facts *facts, int task, const BuiltinCorpus *builtin) {
    const Plan *plan = facts->plan;
    const int contrasts = report_contrasts(facts);
    const double comparisons = 2.0 * contrasts * plan->task_count, min = (double)builtin->min,
                 max = (double)builtin->max;
    char intervals[96] = "";
    if (facts->outcome->seeds > 1)
        snprintf(intervals, sizeof intervals,
                 "; the %.0f intervals of all tasks hold at once (%s t over the seeds); * = without 0", comparisons,
                 plan->unpaired ? "Welch's" : "Student's");
    page_table(page, "differences in percentage points, first minus second; above 0, the first scheme is better%s",
               intervals);
    page_row(page, true, "contrast|trained lengths|beyond");
    for (int i = 0; i < contrasts; i++) {
        const Finding f = report_contrast(facts, i, 0);
        page_row(page, false, "%s - %s", f.variant, f.other);
        contrast_cell(page, facts, task, i, min, max, comparisons);
        contrast_cell(page, facts, task, i, max + 1, 2 * max, comparisons);
    }
    page_table_end(page);
}

bool report_tasks(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    for (int task = 0; task < plan->task_count; task++) {
        BuiltinCorpus builtin;
        if (!builtin_choose(&builtin, plan->tasks[task], error) || !tasks_chart(page, facts, task, &builtin, error))
            return false;
        page_table(page, "right answers in percent: mean ± standard deviation of the seeds, and each seed");
        page_row(page, true, "scheme|trained lengths, %lld to %lld|beyond, up to %lld", builtin.min, builtin.max,
                 2 * builtin.max);
        for (int variant = 0; variant < plan->variant_count; variant++) {
            page_row(page, false, "%s", plan->variants[variant].name);
            share_cell(page, facts, task, variant, (double)builtin.min, (double)builtin.max);
            share_cell(page, facts, task, variant, (double)builtin.max + 1, 2 * (double)builtin.max);
        }
        page_table_end(page);
        contrasts_table(page, facts, task, &builtin);
    }
    return true;
}
