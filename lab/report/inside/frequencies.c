// The frequencies that rotations learned, beside the designed ones.
#include "lab/report/inside/inside.h"

#include "posenc/rotation/rotate.h"

#include <math.h>
#include <string.h>

// Learned frequencies of every head and layer, beside the designed base^(-2i/d).
static bool frequency_chart(Page *page, const Facts *facts, int arm, Error *error) {
    Run run;
    if (!report_open_run(&run, facts, arm, error)) return false;
    const Gpt *gpt = &run.gpt;
    const int pairs = rotary_pairs(&gpt->pos);
    const Tensor *rho = &gpt->tensors.items[gpt->pos.tensors[0]]; // (sets, pairs) logarithms of frequencies
    const int sets = (int)(rho->count / (size_t)pairs);
    Chart chart = {.x_label = "pair", .y_label = "radians a token", .log_y = true};
    chart_line(&chart, "designed");
    for (int i = 0; i < pairs; i++) chart_point(&chart, i, rotary_theta(&gpt->pos, i));
    for (int s = 0; s < sets && s < LINES_MOST - 1; s++) {
        chart_line(&chart, "layer %d, head %d", s / gpt->shape.heads, s % gpt->shape.heads);
        for (int i = 0; i < pairs; i++)
            chart_point(&chart, i, exp((double)gpt->params[rho->offset + (size_t)(s * pairs + i)]));
    }
    run_close(&run);
    return page_chart(page, &chart, error, "Frequencies by pair of channels: %s",
                      facts->outcome->comparison->plan.arms[arm].name);
}

bool report_frequencies(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = &facts->outcome->comparison->plan;
    bool ok = true;
    for (int arm = 0; ok && arm < plan->arm_count; arm++)
        if (strcmp(plan->arms[arm].scheme->name, "rope-learned") == 0 && report_has_weights(facts, arm))
            ok = frequency_chart(page, facts, arm, error);
    return ok;
}
