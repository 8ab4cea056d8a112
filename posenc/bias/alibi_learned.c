// ALiBi whose slopes are trained: the line stays a line, gradient descent chooses how steep.
#include "posenc/bias/bias.h"

enum { SIGMA }; // params (sets, H)

typedef struct {
    int layers;
} SlopesOptions;

static const Option slopes_options[] = {LAYERS_OPTION_ROW(SlopesOptions, "shared"), {0}};

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "sigma", pos->sets, pos->shape.heads, INIT_ZERO, 0);
}

// An exponential keeps slopes positive, and its parameter starts at 0: at ALiBi's own slopes.
static double slope(const Position *pos, int set, int head) {
    const int H = pos->shape.heads;
    return alibi_slope(head, H) * exp((double)pos->params[SIGMA][set * H + head]);
}

static double curve(const Position *pos, int set, int head, int distance) {
    return -slope(pos, set, head) * distance;
}

static void prepare(Position *pos) {
    bias_prepare(pos, curve);
}

// Forward was S_ij -= m (i - j) with m = m_0 exp(sigma), so dm = -sum of (i - j) dS_ij and dsigma = m dm.
static void reduce(Position *pos) {
    const int H = pos->shape.heads;
    for (int set = 0; set < pos->sets; set++)
        for (int h = 0; h < H; h++) {
            double dm = 0;
            for (int distance = 0; distance < pos->positions; distance++)
                dm -= distance * bias_gradient(pos, set, h, distance);
            pos->dparams[SIGMA][set * H + h] += (real)(slope(pos, set, h) * dm);
        }
    bias_forget(pos);
}

const Scheme scheme_alibi_learned = {
    .name = "alibi-learned",
    .formula = "S_ij -= m_h (i - j), m_h = 2^(-8h/H) exp(sigma_h), sigma trained",
    .paper = "after Press et al. 2021 (2108.12409)",
    .help = "ALiBi's lines with slopes that gradient descent may change: one number per head. Does it find the "
            "designed slopes good?",
    .options = slopes_options,
    .enters = ENTERS_BIAS,
    .designed = "alibi",
    .relative = true,
    .params = params,
    .layout = bias_layout,
    .prepare = prepare,
    .reduce = reduce,
    .score_forward = bias_forward,
    .score_backward = bias_backward,
    .score_reduce = bias_reduce,
};
