// The biases by distance that models learned, beside designed ones, and the formulas that they follow.
#include "lab/report/sections.h"

#include "lab/eval/scheme_probe.h"
#include "lab/stats/curves.h"

#include <math.h>
#include <stdlib.h>

static void print_fit(char text[128], const CurveFits *fits) {
    const CurveFit *best = &fits->fits[fits->best];
    if (fits->best == FAMILY_CONSTANT)
        snprintf(text, 128, "none");
    else if (isnan(best->shape))
        snprintf(text, 128, "%s, r = %.3g", family_name(fits->best), best->weights[0]);
    else
        snprintf(text, 128, "%s, r = %.3g, p = %.3g", family_name(fits->best), best->weights[0], best->shape);
}

static bool bias_rows(Page *page, const Outcome *o, int arm, const double *curves, int H, int T, Error *error) {
    for (int h = 0; h < H; h++) {
        CurveFits fits;
        char best[128];
        if (!curves_fit(&fits, curves + (size_t)h * (size_t)T, T, error)) return false;
        print_fit(best, &fits);
        page_row(page, false, "%s", o->comparison->plan.arms[arm].name);
        page_cell(page, "%d", h);
        page_cell(page, "%s", best);
        for (int f = FAMILY_LINEAR; f < FAMILIES; f++) page_cell(page, "%.3f", fits.fits[f].error);
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

typedef struct {
    double *curves; // (H, T)
    int H, T;
} Biases;

static bool biases_of(Biases *b, const Outcome *o, int arm, Error *error) {
    Run run;
    if (!report_open_run(&run, o, arm, error)) return false;
    *b = (Biases){.H = run.gpt.shape.heads, .T = run.gpt.shape.context};
    b->curves = malloc((size_t)b->H * (size_t)b->T * sizeof *b->curves);
    const bool ok = (b->curves || fail_run(error, "no memory for curves of %d distances", b->T)) &&
                    scheme_bias(b->curves, &run.gpt, error);
    run_close(&run);
    return ok;
}

bool report_biases(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    Biases biases[ARMS_MOST] = {{0}};
    bool ok = true, any = false;
    for (int arm = 0; ok && arm < plan->arm_count; arm++) {
        if (!report_enters(o, arm, ENTERS_BIAS) || plan->base.context < CURVE_LEAST) continue;
        any = any || plan_scheme(plan, arm)->params;
        ok = biases_of(&biases[arm], o, arm, error);
    }
    if (ok && any) {
        page_paragraph(page,
                       "Biases in the first layer, and which formula of the distance d follows them best. Formulas "
                       "are fitted to even distances and judged by odd ones: their root mean square error there "
                       "by the curve's spread, so 0 is perfect and 1 is no better than a constant. %s: %s; %s: %s; "
                       "%s: %s; %s: %s; %s: %s.",
                       family_name(FAMILY_LINEAR), family_formula(FAMILY_LINEAR), family_name(FAMILY_LOG),
                       family_formula(FAMILY_LOG), family_name(FAMILY_POWER), family_formula(FAMILY_POWER),
                       family_name(FAMILY_EXPONENTIAL), family_formula(FAMILY_EXPONENTIAL), family_name(FAMILY_FOURIER),
                       family_formula(FAMILY_FOURIER));
        page_table(page, "biases by formula");
        page_row(page, true, "scheme|head|best|%s|%s|%s|%s|%s", family_name(FAMILY_LINEAR), family_name(FAMILY_LOG),
                 family_name(FAMILY_POWER), family_name(FAMILY_EXPONENTIAL), family_name(FAMILY_FOURIER));
        for (int arm = 0; ok && arm < plan->arm_count; arm++)
            if (biases[arm].curves)
                ok = bias_rows(page, o, arm, biases[arm].curves, biases[arm].H, biases[arm].T, error);
        page_table_end(page);
    }
    for (int arm = 0; arm < plan->arm_count; arm++) {
        if (ok && any && biases[arm].curves)
            ok = bias_chart(page, plan->arms[arm].name, biases[arm].curves, biases[arm].H, biases[arm].T, error);
        free(biases[arm].curves);
    }
    return ok;
}
