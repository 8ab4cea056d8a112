// Losses beyond the trained context: in longer windows, by position in them, and of the same tokens with more text
// before them.
#include "lab/report/sections.h"

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
    for (int arm = 0; arm < plan->arm_count; arm++) {
        report_line(&chart, facts, arm);
        for (int i = 0; i < MULTIPLES; i++)
            chart_point(&chart, T * (1 << i), report_mean(facts, setting, arm, "loss", T * (1 << i)));
    }
    return page_chart(page, &chart, error, "Loss against the length of the window%s", facts->at[setting]);
}

// One row for each scheme: a quantity at 1, 2, 4, ... times the trained length (`count` columns), and its change from
// the first to the last. words: for a change that is not resolved, falls, or rises.
static void change_table(Page *page, const Facts *facts, int setting, const char *quantity, int count,
                         const char *caption, const char *const words[3], const char *word_heading) {
    const Plan *plan = facts->plan;
    const double T = report_context(facts, setting);
    page_table(page, plan->arm_count > 1 && facts->outcome->seeds > 1 ? "%s; the %d intervals hold at once" : "%s",
               caption, plan->arm_count);
    page_row(page, true, "scheme");
    for (int i = 0; i < count; i++) page_cell(page, "%.0f", T * (1 << i));
    page_cell(page, "change at %dx", 1 << (count - 1));
    page_cell(page, "95%% interval");
    page_cell(page, "%s", word_heading);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const Paired change = report_change(facts, setting, arm, quantity, 1 << (count - 1));
        page_row(page, false, "%s", plan->arms[arm].name);
        for (int i = 0; i < count; i++) page_number(page, 4, report_mean(facts, setting, arm, quantity, T * (1 << i)));
        const bool judged = report_difference_cells(page, change.mean, paired_interval(&change, plan->arm_count));
        page_cell(page, "%s",
                  judged                                               ? words[paired_verdict(&change, plan->arm_count)]
                  : isnan(report_mean(facts, setting, arm, "loss", T)) ? "diverged"
                  : isnan(change.mean)                                 ? "has no value there"
                                                                       : "");
    }
    page_table_end(page);
}

// The x of all rows of a quantity that the first run of an arm has.
static void add_positions(Chart *chart, const Facts *facts, int setting, int arm, const char *quantity) {
    const Job first = outcome_job(facts->outcome, setting, arm, 0);
    const Measures *measures = outcome_measures(facts->outcome, &first);
    for (const Measured *row = measures->rows; row < measures->rows + measures->count; row++)
        if (strcmp(row->quantity, quantity) == 0)
            chart_point(chart, row->x, report_mean(facts, setting, arm, quantity, row->x));
}

static bool position_chart(Page *page, const Facts *facts, int setting, const char *quantity, const char *windows,
                           Error *error) {
    const Plan *plan = facts->plan;
    Chart chart = {.x_label = "position in the window", .y_label = "loss in nats a token", .log_x = true};
    if (strcmp(quantity, "beyond") == 0) {
        chart.mark = report_context(facts, setting);
        chart.mark_label = "trained";
    }
    for (int arm = 0; arm < plan->arm_count; arm++) {
        report_line(&chart, facts, arm);
        add_positions(&chart, facts, setting, arm, quantity);
    }
    return page_chart(page, &chart, error, "Loss by position in windows of %s%s", windows, facts->at[setting]);
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
