// Right answers to tasks, by length.
#include "data/made/task.h"
#include "lab/report/sections.h"

#include <math.h>

static bool tasks_chart(Page *page, const Outcome *o, int task, const BuiltinCorpus *builtin, Error *error) {
    const Plan *plan = &o->comparison->plan;
    char label[128];
    snprintf(label, sizeof label, "number of %s", builtin->builtin->counts);
    Chart chart = {.x_label = label,
                   .y_label = "share of right answers, with 95% intervals",
                   .spread = SPREAD_BARS,
                   .mark = (double)builtin->max,
                   .mark_label = "trained"};
    for (int arm = 0; arm < plan->arm_count; arm++) {
        chart_line(&chart, "%s", plan->arms[arm].name);
        for (int length = (int)builtin->min; length <= 2 * (int)builtin->max; length++) {
            const Answered all = outcome_right(o, task, arm, -1, length, length);
            if (!(all.questions > 0)) continue;
            const Interval interval = wilson(all.right, all.questions);
            chart_bar(&chart, length, all.right / all.questions, interval.low, interval.high);
        }
    }
    return page_chart(page, &chart, error, "Right answers by length: %s", plan->tasks[task]);
}

static void share_cell(Page *page, const Outcome *o, int task, int arm, double first, double last) {
    const Answered all = outcome_right(o, task, arm, -1, first, last);
    const Interval interval = wilson(all.right, all.questions);
    if (all.questions > 0)
        page_cell(page, "%.1f%% (%.1f to %.1f)", 100 * all.right / all.questions, 100 * interval.low,
                  100 * interval.high);
    else
        page_cell(page, "%s", isnan(all.questions) ? "diverged" : "-");
}

static void seeds_cell(Page *page, const Outcome *o, int task, int arm, double first, double last) {
    Text list = {0};
    for (int seed = 0; seed < o->seeds; seed++) {
        const Answered one = outcome_right(o, task, arm, seed, first, last);
        text_print(&list, seed ? ", " : "");
        if (one.questions > 0)
            text_print(&list, "%.0f%%", 100 * one.right / one.questions);
        else
            text_print(&list, "%s", isnan(one.questions) ? "diverged" : "-");
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
        page_table(page, "right answers of all seeds together, with Wilson's 95%% intervals, which do not cover the "
                         "variation between seeds; the last column has each seed's share at trained lengths");
        page_row(page, true, "scheme|trained lengths, %lld to %lld|beyond, up to %lld|by seed", builtin.min,
                 builtin.max, 2 * builtin.max);
        for (int arm = 0; arm < plan->arm_count; arm++) {
            page_row(page, false, "%s", plan->arms[arm].name);
            share_cell(page, o, task, arm, (double)builtin.min, (double)builtin.max);
            share_cell(page, o, task, arm, (double)builtin.max + 1, 2 * (double)builtin.max);
            seeds_cell(page, o, task, arm, (double)builtin.min, (double)builtin.max);
        }
        page_table_end(page);
    }
    return true;
}
