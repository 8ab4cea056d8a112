// RoPE whose frequencies are trained, for each head: gradient descent chooses how fast every hand turns.
#include "posenc/rotation/rotate.h"

#include "base/random.h"

enum { RHO, A }; // params (sets * H, d/2) each; RHO has fewer rows where heads share frequencies
typedef enum { START_ROPE, START_RANDOM, START_WIDE } Start;

typedef struct {
    Rotary rotary;
    int start, layers;
    double rate;
} RopeLearnedOptions;

static const Option rope_learned_options[] = {
    {"start", OPTION_CHOICE, offsetof(RopeLearnedOptions, start), "rope", 0, 0, "rope|random|wide", "HOW",
     "initial frequencies: RoPE's; random ones from RoPE's slowest to its fastest; or (wide) from 1/base to 1"},
    {"rate", OPTION_NUMBER, offsetof(RopeLearnedOptions, rate), "1", 0, 1000, NULL, "X",
     "learning rate of the frequencies, as a multiple of --lr"},
    LAYERS_OPTION_ROW(RopeLearnedOptions, "own"),
    ROTARY_OPTION_ROWS(RopeLearnedOptions, "10000", "(i, i+d/2)"),
    ROTARY_OPTION_ROW(RopeLearnedOptions, "heads", OPTION_CHOICE, heads, "own", 0, 0, "shared|own", "WHOSE",
                      "own: frequencies for each head, or for each of --kv-heads; shared: the same for all heads"),
    ROTARY_OPTION_ROW(RopeLearnedOptions, "scale", OPTION_CHOICE, scale, "none", 0, 0, "none|trained", "HOW",
                      "trained: each head weighs each pair's share of a score, by 1 at the start"),
    {0},
};

// theta = exp(rho): frequencies stay positive, and a step of gradient descent changes them by a share.
static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "rho", pos->sets * rotary_heads_apart(pos), rotary_pairs(pos), INIT_ZERO, 0);
    if (rotary_of(pos)->scale)
        position_param(pos, table, "scale", pos->sets * pos->shape.heads, rotary_pairs(pos), INIT_ZERO, 0);
    if (table->failed) return; // there was no memory for these tensors
    table->items[pos->tensors[RHO]].rate = scheme_options(pos, RopeLearnedOptions)->rate;
}

// Random frequencies are log-uniform. They know RoPE's range, and nothing of which head or pair is how fast.
static void init(Position *pos, uint64_t seed) {
    const Start start = (Start)scheme_options(pos, RopeLearnedOptions)->start;
    Random random = {position_key(pos, seed, "rope-learned"), 0};
    const int pairs = rotary_pairs(pos);
    const double slowest = start == START_WIDE ? -log(rotary_of(pos)->base) : log(rotary_theta(pos, 0, 0, pairs - 1));
    for (int n = 0; n < pos->sets * rotary_heads_apart(pos) * pairs; n++) {
        const double designed = log(rotary_theta(pos, 0, 0, n % pairs)), drawn = slowest * random_next(&random);
        pos->params[RHO][n] = (real)(start == START_ROPE ? designed : drawn);
    }
}

static size_t number_of(const Position *pos, int set, int head, int pair) {
    const int heads = rotary_heads_apart(pos);
    return (size_t)(set * heads + head / (pos->shape.heads / heads)) * rotary_pairs(pos) + pair;
}

static double theta(const Position *pos, int set, int head, int pair) {
    return exp((double)pos->params[RHO][number_of(pos, set, head, pair)]);
}

// theta = exp(rho), so drho = theta dtheta.
static void theta_backward(const Position *pos, int set, int head, const real *dtheta) {
    for (int i = 0; i < rotary_pairs(pos); i++)
        pos->dparams[RHO][number_of(pos, set, head, i)] += (real)theta(pos, set, head, i) * dtheta[i];
}

const Scheme scheme_rope_learned = {
    .name = "rope-learned",
    .formula = "q_t, k_t: pair i of head h turned by t exp(rho_hi), rho trained",
    .paper = "after Heo et al. 2024 (2403.13298), RoPE-Mixed",
    .help = "RoPE with its own frequencies for each layer, head and pair, found by gradient descent from RoPE's "
            "frequencies or from random ones. The gradient of an angle is a torque, and costs two products per pair. "
            "With --kv-heads, heads that share a key share its frequencies. scale=trained weighs pair i of head h by "
            "exp(a_hi) in the score, a trained from 0; gates weigh the angles alone.",
    .options = rope_learned_options,
    .layers = &rope_learned_options[2],
    ROTATION_SCHEME(.theta = theta, .theta_backward = theta_backward),
    .compared_with = "rope",
    .params = params,
    .init = init,
};
