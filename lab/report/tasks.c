// Right answers to tasks, by length. The seeds are the units: the answers of a run are not independent.
#include "data/made/task.h"
#include "lab/report/sections.h"

#include <math.h>

static double share_of(const Facts *facts, int task, int arm, int seed, double first, double last) {
    const Answered answered = outcome_right(facts->outcome, task, arm, seed, first, last);
    return answered.questions > 0 ? answered.right / answered.questions : NAN;
}

// The mean of the seeds as a line, and each seed as a dot.
static bool tasks_chart(Page *page, const Facts *facts, int task, const BuiltinCorpus *builtin, Error *error) {
    const Plan *plan = facts->plan;
    char label[128];
    snprintf(label, sizeof label, "number of %s", builtin->builtin->counts);
    Chart chart = {.x_label = label,
                   .y_label = "right answers in percent; a dot for each seed",
                   .mark = (double)builtin->max,
                   .mark_label = "trained"};
    for (int arm = 0; arm < plan->arm_count && chart.count + 2 <= LINES_MOST; arm++) {
        report_line(&chart, facts, arm);
        for (int length = (int)builtin->min; length <= 2 * (int)builtin->max; length++) {
            double sum = 0;
            for (int seed = 0; seed < facts->outcome->seeds; seed++)
                sum += share_of(facts, task, arm, seed, length, length);
            if (!isnan(sum)) chart_point(&chart, length, 100 * sum / facts->outcome->seeds); // not all were asked
        }
        chart_loose_line(&chart, "seeds");
        for (int length = (int)builtin->min; length <= 2 * (int)builtin->max; length++)
            for (int seed = 0; seed < facts->outcome->seeds; seed++)
                chart_point(&chart, length, 100 * share_of(facts, task, arm, seed, length, length));
    }
    if (2 * plan->arm_count > LINES_MOST)
        page_paragraph(page, "The next plot has the first %d of %d schemes.", LINES_MOST / 2, plan->arm_count);
    return page_chart(page, &chart, error, "Right answers by length: %s", plan->tasks[task]);
}

// "57.2 ± 30.1 (20, 61, 90)": in percent, over the seeds.
static void share_cell(Page *page, const Facts *facts, int task, int arm, double first, double last) {
    double shares[SEEDS_MOST];
    Text list = {0};
    for (int seed = 0; seed < facts->outcome->seeds; seed++) {
        shares[seed] = 100 * share_of(facts, task, arm, seed, first, last);
        text_print(&list, isnan(shares[seed]) ? "%s-" : "%s%.0f", seed ? ", " : "", shares[seed]);
    }
    const Paired all = paired_summary(shares, facts->outcome->seeds);
    if (isnan(all.mean))
        page_cell(page, "%s",
                  isnan(outcome_right(facts->outcome, task, arm, -1, first, last).questions) ? "diverged" : "-");
    else if (isnan(all.sd))
        page_cell(page, "%.1f", all.mean);
    else
        page_cell(page, "%.1f ± %.1f (%.*s)", all.mean, all.sd, (int)list.size, list.bytes);
    page_text_free(page, &list);
}

static void contrast_cell(Page *page, const Facts *facts, int task, int i, double first, double last,
                          double comparisons) {
    double arm[SEEDS_MOST], other[SEEDS_MOST];
    for (int seed = 0; seed < facts->outcome->seeds; seed++) {
        arm[seed] = 100 * share_of(facts, task, report_named(facts, i)->arm, seed, first, last);
        other[seed] = 100 * share_of(facts, task, report_named(facts, i)->other, seed, first, last);
    }
    const Paired all = outcome_gap(facts->outcome, arm, other);
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
        page_row(page, false, "%s - %s", f.arm, f.other);
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
        for (int arm = 0; arm < plan->arm_count; arm++) {
            page_row(page, false, "%s", plan->arms[arm].name);
            share_cell(page, facts, task, arm, (double)builtin.min, (double)builtin.max);
            share_cell(page, facts, task, arm, (double)builtin.max + 1, 2 * (double)builtin.max);
        }
        page_table_end(page);
        contrasts_table(page, facts, task, &builtin);
    }
    return true;
}
