// Losses against the context: windows longer than the trained one, positions in them, and the same tokens with more
// text before them.
#include "cmd/report.h"

#include "cmd/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool context_chart(Page *page, const Outcome *o, int size, Error *error) {
    const Plan *plan = &o->comparison->plan;
    double x[MULTIPLES], y[ARMS_MOST][MULTIPLES];
    Series series[ARMS_MOST];
    for (int i = 0; i < MULTIPLES; i++) x[i] = (double)(plan->base.context << i);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        for (int i = 0; i < MULTIPLES; i++) y[arm][i] = exp(report_mean(o, size, arm, "loss", x[i]));
        series[arm] = (Series){.name = plan->arms[arm].name, .x = x, .y = y[arm], .count = MULTIPLES};
    }
    const Chart chart = {.title = "Perplexity against the window's length",
                         .x_label = "tokens of a window",
                         .y_label = "perplexity",
                         .log_x = true,
                         .log_y = true,
                         .mark = x[0],
                         .mark_label = "trained"};
    return page_chart(page, &chart, series, plan->arm_count, error);
}

static void changes(Paired *found, double *adjusted, const Outcome *o, int size, const char *quantity, double times) {
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->base.context;
    double p[ARMS_MOST];
    for (int arm = 0; arm < plan->arm_count; arm++) {
        found[arm] = report_change(o, size, arm, quantity, T, times * T);
        p[arm] = found[arm].p;
    }
    holm(adjusted, p, plan->arm_count);
}

// The end of a row that has begun: a change by seed, and the word for it.
static void change_row(Page *page, const char *row, const Paired *change, double adjusted, const char *const words[3]) {
    if (isnan(change->mean))
        page_cells(page, false, "%s||||is not defined there", row);
    else if (isnan(change->sd))
        page_cells(page, false, "%s|%+.4f|||", row, change->mean);
    else
        page_cells(page, false, "%s|%+.4f|%+.4f to %+.4f|%.3g|%s", row, change->mean, change->t.low, change->t.high,
                   adjusted, words[verdict(change->mean, adjusted)]);
}

static void length_table(Page *page, const Outcome *o, int size) {
    static const char *const words[] = {"not resolved", "falls", "rises"};
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->base.context;
    Paired found[ARMS_MOST];
    double adjusted[ARMS_MOST];
    changes(found, adjusted, o, size, "loss", 8);
    page_table(page, "loss by the window's length, and its change from the trained length to eight times that");
    page_cells(page, true, "scheme|%.0f|%.0f|%.0f|%.0f|change at 8x|95%% interval|p (Holm)|the loss", T, 2 * T, 4 * T,
               8 * T);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        char row[TEXT_CAPACITY + 256];
        snprintf(row, sizeof row, "%s", plan->arms[arm].name);
        for (int i = 0; i < MULTIPLES; i++) {
            const double loss = report_mean(o, size, arm, "loss", T * (1 << i));
            snprintf(row + strlen(row), sizeof row - strlen(row), isnan(loss) ? "|-" : "|%.4f", loss);
        }
        change_row(page, row, &found[arm], adjusted[arm], words);
    }
    page_table_end(page);
}

// Rows of one quantity of one run, averaged over seeds, in the order of x; their number comes back.
static int curve_of(double *x, double *y, int most, const Outcome *o, int size, int arm, const char *quantity) {
    const Job first = {.size = size, .task = -1, .arm = arm, .rate = o->rates[size][arm]};
    const Measures *measures = outcome_measures(o, &first);
    int count = 0;
    for (int i = 0; i < measures->count && count < most; i++) {
        if (strcmp(measures->rows[i].quantity, quantity) != 0) continue;
        x[count] = measures->rows[i].x;
        y[count] = report_mean(o, size, arm, quantity, x[count]);
        count++;
    }
    return count;
}

static bool position_chart(Page *page, const Outcome *o, int size, Error *error) {
    enum { POINTS_MOST = 128 };
    const Plan *plan = &o->comparison->plan;
    double(*x)[POINTS_MOST] = calloc((size_t)plan->arm_count, sizeof *x),
    (*y)[POINTS_MOST] = calloc((size_t)plan->arm_count, sizeof *y);
    Series series[ARMS_MOST];
    bool ok = (x && y) || fail_run(error, "no memory for a chart");
    for (int arm = 0; ok && arm < plan->arm_count; arm++) {
        const int count = curve_of(x[arm], y[arm], POINTS_MOST, o, size, arm, "position");
        series[arm] = (Series){.name = plan->arms[arm].name, .x = x[arm], .y = y[arm], .count = count};
    }
    const Chart chart = {.title = "Loss by position in the longest window that the scheme is defined for",
                         .x_label = "position",
                         .y_label = "nats a token",
                         .log_x = true,
                         .mark = (double)plan->base.context,
                         .mark_label = "trained"};
    ok = ok && page_chart(page, &chart, series, plan->arm_count, error);
    free(x);
    free(y);
    return ok;
}

static void context_table(Page *page, const Outcome *o, int size) {
    static const char *const words[] = {"not resolved", "helps", "hurts"};
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->base.context;
    Paired found[ARMS_MOST];
    double adjusted[ARMS_MOST];
    changes(found, adjusted, o, size, "same", 4);
    page_heading(page, "Does more context help?");
    page_paragraph(page, "The same tokens, the last quarter of a trained window, with more and more text before them.");
    page_table(page, "loss of the same tokens by how long their windows are");
    page_cells(page, true, "scheme|%.0f|%.0f|%.0f|change at 4x|95%% interval|p (Holm)|more context", T, 2 * T, 4 * T);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        char row[TEXT_CAPACITY + 256];
        snprintf(row, sizeof row, "%s", plan->arms[arm].name);
        for (int i = 0; i < 3; i++) {
            const double loss = report_mean(o, size, arm, "same", T * (1 << i));
            snprintf(row + strlen(row), sizeof row - strlen(row), isnan(loss) ? "|-" : "|%.4f", loss);
        }
        change_row(page, row, &found[arm], adjusted[arm], words);
    }
    page_table_end(page);
}

bool report_lengths(Page *page, const Outcome *o, Error *error) {
    const int size = o->comparison->plan.size_count - 1;
    page_heading(page, "Past the trained length");
    if (!context_chart(page, o, size, error)) return false;
    length_table(page, o, size);
    if (!position_chart(page, o, size, error)) return false;
    context_table(page, o, size);
    return true;
}
