// Rotations whose angles the user has written: pair i turns by angle(i) radians from one token to the next.
#include "posenc/rotation/rotate.h"
#include "posenc/written.h"

static double theta(const Position *pos, int set, int head, int pair) {
    Written at = written_begin(pos, set, head);
    at.reads[READS_PAIR] = pair;
    return written_value(&at);
}

static void theta_backward(const Position *pos, int set, int head, const real *dtheta) {
    Written at = written_begin(pos, set, head);
    for (int i = 0; i < rotary_pairs(pos); i++) {
        at.reads[READS_PAIR] = i;
        written_backward(&at, (double)dtheta[i]);
    }
    written_end(&at);
}

static bool by_head(const Position *pos) {
    return formula_by_head(pos->written);
}

const Scheme scheme_written_angle = {
    WRITTEN_SCHEME,
    .formula = "q_t, k_t: pair i turned by t angle(i)",
    .stretches = true,
    ROTATION_SCHEME(.theta = theta, .theta_backward = theta_backward, .by_head = by_head),
};
