// The biases by distance that models learned, beside designed ones, and the formulas that they follow.
#include "lab/report/inside/inside.h"

#include "lab/eval/scheme_probe.h"
#include "lab/stats/curves.h"

#include <math.h>
#include <stdlib.h>

static bool bias_rows(Page *page, const Facts *facts, int arm, const double *curves, int H, int T, Error *error) {
    for (int h = 0; h < H; h++) {
        CurveFits fits;
        if (!curves_fit(&fits, curves + (size_t)h * (size_t)T, T, error)) return false;
        const CurveFit *best = &fits.fits[fits.best];
        page_row(page, false, "%s|%d", facts->plan->arms[arm].name, h);
        if (fits.best == FAMILY_CONSTANT)
            page_cell(page, "none");
        else if (isnan(best->shape))
            page_cell(page, "%s, r = %.3g", family_name(fits.best), best->weights[0]);
        else
            page_cell(page, "%s, r = %.3g, p = %.3g", family_name(fits.best), best->weights[0], best->shape);
        for (int f = FAMILY_LINEAR; f < FAMILIES; f++) page_number(page, 3, fits.fits[f].error);
    }
    return true;
}

// Points at all distances below NEAR, and at every step-th distance after that.
static bool bias_chart(Page *page, const char *name, const double *curves, int H, int T, Error *error) {
    enum { POINTS = 64, NEAR = 16 };
    const int step = 1 + T / (POINTS - NEAR);
    Chart chart = {.x_label = "tokens back", .y_label = "added to the score"};
    for (int h = 0; h < H && h < LINES_MOST - 1; h++) {
        chart_line(&chart, "head %d", h);
        for (int d = 0; d < T; d += d < NEAR ? 1 : step)
            chart_point(&chart, d, curves[(size_t)h * (size_t)T + (size_t)d]);
    }
    return page_chart(page, &chart, error, "Bias by distance: %s", name);
}

// The biases (H, T) of a scheme's first layer, which the caller frees; NULL after an error.
static double *biases_of(const Facts *facts, int arm, int H, int T, Error *error) {
    Run run;
    if (!report_open_run(&run, facts, arm, error)) return NULL;
    double *curves = malloc((size_t)H * (size_t)T * sizeof *curves);
    if (!curves) fail_run(error, "no memory for curves of %d distances", T);
    const bool ok = curves && scheme_bias(curves, &run.gpt, error);
    run_close(&run);
    if (ok) return curves;
    free(curves);
    return NULL;
}

static void begin_table(Page *page) {
    Text formulas = {0};
    for (CurveFamily f = FAMILY_LINEAR; f < FAMILIES; f++)
        text_print(&formulas, "%s%s: %s", f > FAMILY_LINEAR ? "; " : "", family_name(f), family_formula(f));
    page_paragraph(
        page,
        "Biases in the first layer, and which formula of the distance d follows them best. Formulas "
        "are fitted to even distances and judged by their root mean square error at odd ones, divided by the "
        "standard deviation of the curve: 0 is perfect and 1 no better than a constant. %.*s.",
        (int)formulas.size, formulas.bytes);
    page_text_free(page, &formulas);
    page_table(page, "biases by formula");
    page_row(page, true, "scheme|head|best");
    for (CurveFamily f = FAMILY_LINEAR; f < FAMILIES; f++) page_cell(page, "%s", family_name(f));
}

bool report_biases(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int H = (int)plan->settings[plan->setting_count - 1].heads,
              T = (int)plan->settings[plan->setting_count - 1].context;
    double *curves[ARMS_MOST] = {0};
    bool ok = true, learned = false;
    for (int arm = 0; arm < plan->arm_count; arm++)
        learned = learned || (report_enters(facts, arm, ENTERS_BIAS) && plan->arms[arm].learned);
    if (!learned || T < CURVE_LEAST) return true;
    begin_table(page);
    for (int arm = 0; ok && arm < plan->arm_count; arm++) {
        if (!report_enters(facts, arm, ENTERS_BIAS)) continue;
        curves[arm] = biases_of(facts, arm, H, T, error);
        ok = curves[arm] && bias_rows(page, facts, arm, curves[arm], H, T, error);
    }
    page_table_end(page);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        if (ok && curves[arm]) ok = bias_chart(page, plan->arms[arm].name, curves[arm], H, T, error);
        free(curves[arm]);
    }
    return ok;
}
