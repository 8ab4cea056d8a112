// The frequencies that rotations learned, beside the designed ones.
#include "lab/report/sections.h"

#include "posenc/rotation/rotate.h"

#include <math.h>
#include <string.h>

// Learned frequencies of every head and layer, beside the designed base^(-2i/d).
static bool frequency_chart(Page *page, const Outcome *o, int arm, Error *error) {
    enum { SETS_MOST = 64 };
    static double x[PAIRS_MOST], y[SETS_MOST + 1][PAIRS_MOST];
    static char names[SETS_MOST][32];
    Series series[SETS_MOST + 1];
    Run run;
    if (!report_open_run(&run, o, arm, error)) return false;
    const Gpt *gpt = &run.gpt;
    const int pairs = rotary_pairs(&gpt->pos), shown = pairs < PAIRS_MOST ? pairs : PAIRS_MOST;
    const Tensor *rho = &gpt->tensors.items[gpt->pos.tensors[0]];
    const int sets = (int)(rho->count / (size_t)pairs) < SETS_MOST ? (int)(rho->count / (size_t)pairs) : SETS_MOST;
    for (int i = 0; i < shown; i++) {
        x[i] = i;
        y[0][i] = rotary_theta(&gpt->pos, i);
        for (int s = 0; s < sets; s++) y[s + 1][i] = exp((double)gpt->params[rho->offset + (size_t)(s * pairs + i)]);
    }
    series[0] = (Series){.name = "designed", .x = x, .y = y[0], .count = shown};
    for (int s = 0; s < sets; s++) {
        snprintf(names[s], sizeof names[s], "layer %d, head %d", s / gpt->shape.heads, s % gpt->shape.heads);
        series[s + 1] = (Series){.name = names[s], .x = x, .y = y[s + 1], .count = shown};
    }
    char title[TEXT_CAPACITY + 64];
    snprintf(title, sizeof title, "Frequencies by pair of channels: %s", o->comparison->plan.arms[arm].name);
    const Chart chart = {.title = title, .x_label = "pair", .y_label = "radians a token", .log_y = true, .mark = NAN};
    run_close(&run);
    return page_chart(page, &chart, series, sets + 1, error);
}

bool report_frequencies(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    bool ok = true;
    for (int arm = 0; ok && arm < plan->arm_count; arm++)
        if (strcmp(plan_scheme(plan, arm)->name, "rope-learned") == 0 && report_has_weights(o, arm))
            ok = frequency_chart(page, o, arm, error);
    return ok;
}
