// Losses beyond the trained context: in longer windows, by position in them, and of the same tokens with more text
// before them.
#include "lab/report/sections.h"

#include "lab/compare/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool context_chart(Page *page, const Outcome *o, int setting, Error *error) {
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->settings[setting].context;
    Chart chart = {.x_label = "tokens of a window",
                   .y_label = "perplexity",
                   .log_x = true,
                   .log_y = true,
                   .mark = T,
                   .mark_label = "trained"};
    for (int arm = 0; arm < plan->arm_count; arm++) {
        chart_line(&chart, "%s", plan->arms[arm].name);
        for (int i = 0; i < MULTIPLES; i++)
            chart_point(&chart, T * (1 << i), exp(report_mean(o, setting, arm, "loss", T * (1 << i))));
    }
    return page_chart(page, &chart, error, "Perplexity against the window's length");
}

// Write the cells of a change, and the word for it.
static void change_cells(Page *page, const Paired *change, double adjusted, bool diverged, const char *const words[3]) {
    const bool judged = report_difference_cells(page, change);
    page_cell(page, judged ? "%.3g" : "-", adjusted);
    page_cell(page, "%s",
              judged                ? words[verdict(change->mean, adjusted)]
              : diverged            ? "diverged"
              : isnan(change->mean) ? "is not defined there"
                                    : "");
}

// One row for each scheme: a quantity at 1, 2, 4, ... times the trained length (`count` columns), and its change from
// the first to the last. words: for a change that is not resolved, falls, or rises.
static void change_table(Page *page, const Outcome *o, int setting, const char *quantity, int count,
                         const char *caption, const char *const words[3], const char *word_heading) {
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->settings[setting].context;
    Paired found[ARMS_MOST];
    double adjusted[ARMS_MOST];
    report_changes(found, adjusted, o, setting, quantity, 1 << (count - 1));
    page_table(page, "%s", caption);
    page_row(page, true, "scheme");
    for (int i = 0; i < count; i++) page_cell(page, "%.0f", T * (1 << i));
    page_cell(page, "change at %dx", 1 << (count - 1));
    page_cell(page, "95%% interval");
    page_cell(page, "p (Holm)");
    page_cell(page, "%s", word_heading);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        page_row(page, false, "%s", plan->arms[arm].name);
        for (int i = 0; i < count; i++) page_number(page, 4, report_mean(o, setting, arm, quantity, T * (1 << i)));
        change_cells(page, &found[arm], adjusted[arm], isnan(report_mean(o, setting, arm, "loss", T)), words);
    }
    page_table_end(page);
}

static bool position_chart(Page *page, const Outcome *o, int setting, Error *error) {
    const Plan *plan = &o->comparison->plan;
    Chart chart = {.x_label = "position",
                   .y_label = "nats a token",
                   .log_x = true,
                   .mark = (double)plan->settings[setting].context,
                   .mark_label = "trained"};
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const Job first = outcome_job(o, setting, arm, 0);
        const Measures *measures = outcome_measures(o, &first);
        chart_line(&chart, "%s", plan->arms[arm].name);
        for (const Measured *row = measures->rows; row < measures->rows + measures->count; row++)
            if (strcmp(row->quantity, "position") == 0)
                chart_point(&chart, row->x, report_mean(o, setting, arm, "position", row->x));
    }
    return page_chart(page, &chart, error, "Loss by position in windows of the trained length");
}

bool report_lengths(Page *page, const Outcome *o, Error *error) {
    static const char *const longer[] = {"not resolved", "falls", "rises"}, *const more[] = {"not resolved", "helps",
                                                                                             "hurts"};
    const int setting = o->comparison->plan.setting_count - 1;
    page_heading(page, "Past the trained length");
    if (!context_chart(page, o, setting, error)) return false;
    change_table(page, o, setting, "loss", MULTIPLES,
                 "loss by the window's length, and its change from the trained length to eight times that", longer,
                 "the loss");
    if (!position_chart(page, o, setting, error)) return false;
    page_heading(page, "Does more context help?");
    page_paragraph(
        page,
        "The loss of the same tokens, the last quarter of a trained window, with more and more text before them.");
    change_table(page, o, setting, "same", 3, "loss of the same tokens by how long their windows are", more,
                 "more context");
    return true;
}
