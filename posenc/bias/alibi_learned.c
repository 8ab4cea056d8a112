// ALiBi whose slopes are trained: the bias stays a straight line; gradient descent chooses how steep it is.
#include "posenc/bias/bias.h"

#include "base/random.h"

enum { SIGMA }; // params (sets, H)

typedef enum { START_ALIBI, START_RANDOM, START_WIDE } Start;

typedef struct {
    int start, layers, gate;
} SlopesOptions;

static const Option slopes_options[] = {
    {"start", OPTION_CHOICE, offsetof(SlopesOptions, start), "alibi", 0, 0, "alibi|random|wide", "HOW",
     "initial slopes: ALiBi's; random ones from its flattest to its steepest for this number of heads; or (wide) to 1"},
    LAYERS_OPTION_ROW(SlopesOptions, "shared"),
    GATE_OPTION_ROW(SlopesOptions, gate),
    {0},
};

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "sigma", pos->sets, pos->shape.heads, INIT_ZERO, 0);
}

// Random slopes are log-uniform from 2^-8, the flattest of ALiBi's for any number of heads, to its steepest, or (wide)
// to 1, which bounds those of any number of heads. The draw does not depend on the head.
static void init(Position *pos, uint64_t seed) {
    const int H = pos->shape.heads;
    Random random = {position_key(pos, seed), 0};
    const Start start = (Start)scheme_options(pos, SlopesOptions)->start;
    if (start == START_ALIBI) return;
    double steepest = start == START_WIDE ? 0 : -8; // as an exponent of 2
    for (int h = 0; h < H; h++) steepest = fmax(steepest, log2(alibi_slope(h, H)));
    for (int n = 0; n < pos->sets * H; n++)
        pos->params[SIGMA][n] =
            (real)log(exp2(steepest + (-8 - steepest) * random_next(&random)) / alibi_slope(n % H, H));
}

// An exponential keeps slopes positive, and at 0 the slopes are ALiBi's own.
static double slope(const Position *pos, int set, int head) {
    const int H = pos->shape.heads;
    return alibi_slope(head, H) * exp((double)pos->params[SIGMA][set * H + head]);
}

static double curve(const Position *pos, int set, int head, int distance) {
    return -slope(pos, set, head) * distance;
}

// Forward was S_ij -= m (i - j) with m = m_0 exp(sigma), so dm = -sum of (i - j) dS_ij and dsigma = m dm.
static void curve_backward(const Tables *tables, int set, int head) {
    const Position *pos = tables->pos;
    double dm = 0;
    for (int distance = 0; distance < tables->positions; distance++)
        dm -= distance * bias_gradient(tables, set, head, distance);
    pos->dparams[SIGMA][set * pos->shape.heads + head] += (real)(slope(pos, set, head) * dm);
}

const Scheme scheme_alibi_learned = {
    .name = "alibi-learned",
    .formula = "S_ij -= m_h (i - j), m_h = 2^(-8h/H) exp(sigma_h), sigma trained",
    .paper = "after Press et al. 2021 (2108.12409)",
    .help = "ALiBi with trained slopes: one number per head, or per head and layer with layers=own. It shows whether "
            "training keeps the designed slopes, and with start=random whether it finds them. The formula is for H a "
            "power of 2, as in alibi.",
    .options = slopes_options,
    .params = params,
    .init = init,
    BIAS_SCHEME(.curve = curve, .curve_backward = curve_backward),
};
