// Rotations whose angles the user has written: pair i turns by angle(i) radians from one token to the next.
#include "posenc/rotation/rotate.h"
#include "posenc/written.h"

static double theta(const Position *pos, int set, int head, int pair) {
    double reads[READS_COUNT], params[FORMULA_PARAMS];
    written_reads(reads, pos, head);
    written_values(params, pos, set, head);
    reads[READS_PAIR] = pair;
    return formula_value(pos->written, reads, params);
}

static void theta_backward(const Position *pos, int set, int head, const real *dtheta) {
    double reads[READS_COUNT], params[FORMULA_PARAMS], gradients[FORMULA_PARAMS] = {0};
    written_reads(reads, pos, head);
    written_values(params, pos, set, head);
    for (int i = 0; i < rotary_pairs(pos); i++) {
        reads[READS_PAIR] = i;
        formula_backward(gradients, pos->written, (double)dtheta[i], reads, params);
    }
    written_gradients(pos, set, head, gradients);
}

#define WRITTEN_ANGLE                                                                                                  \
    .name = "formula", .formula = "q_t, k_t: pair i turned by t angle(i)", .paper = "", .help = "",                    \
    .params = written_params, .init = written_init, .project = written_project

const Scheme scheme_written_angle = {
    WRITTEN_ANGLE,
    .stretches = true,
    ROTATION_SCHEME(.theta = theta, .theta_backward = theta_backward),
};

const Scheme scheme_written_angles = {
    WRITTEN_ANGLE,
    ROTATION_SCHEME(.theta = theta, .theta_backward = theta_backward, .by_head = true),
};
