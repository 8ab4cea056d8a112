// The frequencies that rotations learned, beside the designed ones, and how they changed during training.
#include "lab/report/inside/inside.h"

#include "train/positions.h"
#include "posenc/rotation/rotate.h"

#include <math.h>
#include <string.h>

// Learned frequencies of every head and layer, beside the designed base^(-2i/d).
static bool frequency_chart(Page *page, const Facts *facts, int arm, Error *error) {
    Run run;
    if (!report_open_run(&run, facts, arm, error)) return false;
    const Gpt *gpt = &run.gpt;
    const Position *pos = &gpt->pos.part[0];
    const int pairs = rotary_pairs(pos);
    const Tensor *rho = &gpt->tensors.items[pos->tensors[0]]; // (sets, pairs) logarithms of frequencies
    const int sets = (int)(rho->count / (size_t)pairs);
    Chart chart = {.x_label = "pair", .y_label = "radians a token", .log_y = true};
    chart_line(&chart, "designed");
    for (int i = 0; i < pairs; i++) chart_point(&chart, i, rotary_theta(pos, 0, 0, i));
    for (int s = 0; s < sets && s < LINES_MOST - 1; s++) {
        chart_line(&chart, "layer %d, head %d", s / gpt->shape.heads, s % gpt->shape.heads);
        for (int i = 0; i < pairs; i++)
            chart_point(&chart, i, exp((double)gpt->params[rho->offset + (size_t)(s * pairs + i)]));
    }
    run_close(&run);
    return page_chart(page, &chart, error, "Frequencies by pair of channels: %s", facts->plan->arms[arm].name);
}

// From positions.csv: radians a token of the first head, pair by pair, after each validation of the first seed's run.
static bool training_chart(Page *page, const Facts *facts, int arm, Error *error) {
    char path[PATH_CAPACITY];
    Positions p;
    if (!report_run_path(path, facts, arm, "positions.csv", error)) return false;
    if (path_missing(path)) return true; // the run was trained by an earlier version
    if (!positions_read(&p, path, error)) return false;
    Chart chart = {.x_label = "step", .y_label = "radians a token", .log_y = true};
    const int every = 1 + (p.rows - 1) / POINTS_MOST;
    for (int c = 0; c < p.columns; c++) {
        int pair;
        if (sscanf(p.names[c], "rho.0.%d", &pair) != 1 || chart.count == LINES_MOST) continue;
        chart_line(&chart, "pair %d", pair);
        for (int r = 0; r < p.rows; r++)
            if (r % every == 0 || r == p.rows - 1)
                chart_point(&chart, p.steps[r], exp(p.values[(size_t)r * (size_t)p.columns + (size_t)c]));
    }
    positions_free(&p);
    return page_chart(page, &chart, error, "Frequencies over training, layer 0, head 0: %s",
                      facts->plan->arms[arm].name);
}

bool report_frequencies(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    bool ok = true;
    for (int arm = 0; ok && arm < plan->arm_count; arm++)
        if (arm_is(&plan->arms[arm], "rope-learned"))
            ok = (!report_has_weights(facts, arm) || frequency_chart(page, facts, arm, error)) &&
                 training_chart(page, facts, arm, error);
    return ok;
}
