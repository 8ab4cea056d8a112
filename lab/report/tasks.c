// Right answers to tasks, by length.
#include "data/made/task.h"
#include "lab/report/sections.h"

#include <math.h>

static bool tasks_chart(Page *page, const Outcome *o, int task, const BuiltinCorpus *builtin, Error *error) {
    enum { LENGTHS_MOST = 64 };
    const Plan *plan = &o->comparison->plan;
    static double x[ARMS_MOST][LENGTHS_MOST], y[ARMS_MOST][LENGTHS_MOST], low[ARMS_MOST][LENGTHS_MOST],
        high[ARMS_MOST][LENGTHS_MOST];
    Series series[ARMS_MOST];
    char title[TEXT_CAPACITY + 64], label[128];
    for (int arm = 0; arm < plan->arm_count; arm++) {
        int count = 0;
        for (int length = (int)builtin->min; length <= 2 * (int)builtin->max && count < LENGTHS_MOST; length++) {
            double right, questions;
            outcome_right(&right, &questions, o, task, arm, length, length);
            if (!(questions > 0)) continue;
            const Interval interval = wilson(right, questions);
            x[arm][count] = length;
            y[arm][count] = right / questions;
            low[arm][count] = interval.low;
            high[arm][count] = interval.high;
            count++;
        }
        series[arm] = (Series){plan->arms[arm].name, x[arm], y[arm], low[arm], high[arm], count};
    }
    snprintf(title, sizeof title, "Right answers by length: %s", plan->tasks[task]);
    snprintf(label, sizeof label, "number of %s", builtin->builtin->counts);
    const Chart chart = {.title = title,
                         .x_label = label,
                         .y_label = "share of right answers, with 95% intervals",
                         .mark = (double)builtin->max,
                         .mark_label = "trained"};
    return page_chart(page, &chart, series, plan->arm_count, error);
}

static void share_cell(char *cell, size_t capacity, const Outcome *o, int task, int arm, double first, double last) {
    double right, questions;
    outcome_right(&right, &questions, o, task, arm, first, last);
    const Interval interval = wilson(right, questions);
    if (questions > 0)
        snprintf(cell, capacity, "%.1f%% (%.1f to %.1f)", 100 * right / questions, 100 * interval.low,
                 100 * interval.high);
    else
        snprintf(cell, capacity, "%s", isnan(questions) ? "diverged" : "-");
}

static void seeds_cell(Page *page, const Outcome *o, int task, int arm, double first, double last) {
    Text list = {0};
    for (int seed = 0; seed < o->seeds; seed++) {
        double right, questions;
        outcome_seed_right(&right, &questions, o, task, arm, seed, first, last);
        text_print(&list, seed ? ", " : "");
        if (questions > 0)
            text_print(&list, "%.0f%%", 100 * right / questions);
        else
            text_print(&list, "%s", isnan(questions) ? "diverged" : "-");
    }
    page_cell(page, "%.*s", (int)list.size, list.bytes);
    text_free(&list);
}

bool report_tasks(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    if (plan->task_count > 0) page_heading(page, "Tasks, by length");
    for (int task = 0; task < plan->task_count; task++) {
        BuiltinCorpus builtin;
        if (!builtin_choose(&builtin, plan->tasks[task], error) || !tasks_chart(page, o, task, &builtin, error))
            return false;
        page_table(page, "right answers of all seeds together, with Wilson's 95% intervals, which know nothing of how "
                         "seeds differ: the last "
                         "column has each seed's share at trained lengths");
        page_cells(page, true, "scheme|trained lengths, %lld to %lld|beyond, up to %lld|by seed", builtin.min,
                   builtin.max, 2 * builtin.max);
        for (int arm = 0; arm < plan->arm_count; arm++) {
            char trained[64], beyond[64];
            share_cell(trained, sizeof trained, o, task, arm, (double)builtin.min, (double)builtin.max);
            share_cell(beyond, sizeof beyond, o, task, arm, (double)builtin.max + 1, 2 * (double)builtin.max);
            page_row_of(page, plan->arms[arm].name);
            page_cell(page, "%s", trained);
            page_cell(page, "%s", beyond);
            seeds_cell(page, o, task, arm, (double)builtin.min, (double)builtin.max);
            page_row_end(page);
        }
        page_table_end(page);
    }
    return true;
}
