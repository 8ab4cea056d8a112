// A bias that the user has written: S_ij += bias(i - j).
#include "posenc/bias/bias.h"
#include "posenc/written.h"

static double curve(const Position *pos, int set, int head, int distance) {
    Written at = written_begin(pos, set, head);
    at.reads[READS_DISTANCE] = distance;
    return written_value(&at);
}

// Every distance passes its gradient on through the formula.
static void curve_backward(const Tables *tables, int set, int head) {
    Written at = written_begin(tables->pos, set, head);
    for (int distance = 0; distance < tables->positions; distance++) {
        at.reads[READS_DISTANCE] = distance;
        written_backward(&at, bias_gradient(tables, set, head, distance));
    }
    written_end(&at);
}

const Scheme scheme_written_bias = {
    WRITTEN_SCHEME,
    .formula = "S_ij += bias(i - j)",
    BIAS_SCHEME(.curve = curve, .curve_backward = curve_backward),
};
