// A bias that the user has written: S_ij += bias(i - j).
#include "posenc/bias/bias.h"
#include "posenc/written.h"

static double curve(const Position *pos, int set, int head, int distance) {
    double reads[READS_COUNT], params[FORMULA_PARAMS];
    written_reads(reads, pos, head);
    written_values(params, pos, set, head);
    reads[READS_DISTANCE] = distance;
    return formula_value(pos->written, reads, params);
}

// Every distance passes its gradient on through the formula.
static void curve_backward(const Tables *tables, int set, int head) {
    const Position *pos = tables->pos;
    double reads[READS_COUNT], params[FORMULA_PARAMS], gradients[FORMULA_PARAMS] = {0};
    written_reads(reads, pos, head);
    written_values(params, pos, set, head);
    for (int distance = 0; distance < tables->positions; distance++) {
        reads[READS_DISTANCE] = distance;
        formula_backward(gradients, pos->written, bias_gradient(tables, set, head, distance), reads, params);
    }
    written_gradients(pos, set, head, gradients);
}

const Scheme scheme_written_bias = {
    .name = "formula",
    .formula = "S_ij += bias(i - j)",
    .paper = "",
    .help = "",
    .params = written_params,
    .init = written_init,
    .project = written_project,
    BIAS_SCHEME(.curve = curve, .curve_backward = curve_backward),
};
