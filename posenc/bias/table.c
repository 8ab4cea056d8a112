// The most that a bias by distance can be: one free number for each distance and head.
#include "posenc/bias/bias.h"

enum { BIAS }; // params (sets * H, span)

typedef struct {
    int layers;
} TableOptions;

static const Option table_options[] = {LAYERS_OPTION_ROW(TableOptions, "shared"), {0}};

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "bias", pos->sets * pos->shape.heads, position_span(pos), INIT_ZERO, 0);
}

// Where the number for this distance stands; past the trained ones it is the last one.
static size_t entry(const Position *pos, int set, int head, int distance) {
    const int span = position_span(pos);
    return ((size_t)set * pos->shape.heads + head) * span + (distance < span ? distance : span - 1);
}

static double curve(const Position *pos, int set, int head, int distance) {
    return (double)pos->params[BIAS][entry(pos, set, head, distance)];
}

static void prepare(Position *pos) {
    bias_prepare(pos, curve);
}

// Forward was S_ij += bias[i - j], so dbias[distance] = sum of dS_ij that far apart.
static void reduce(Position *pos) {
    for (int set = 0; set < pos->sets; set++)
        for (int h = 0; h < pos->shape.heads; h++)
            for (int distance = 0; distance < pos->positions; distance++)
                pos->dparams[BIAS][entry(pos, set, h, distance)] += (real)bias_gradient(pos, set, h, distance);
    bias_forget(pos);
}

const Scheme scheme_table = {
    .name = "table",
    .formula = "S_ij += B[h, i - j], B trained",
    .paper = "T5 (Raffel et al. 2020) without buckets",
    .help = "A free curve over distances for each head, found by gradient descent alone, starting flat. Every formula "
            "for a bias is a special case of it; what it lacks is the formula's idea of distances it has seldom seen.",
    .options = table_options,
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
