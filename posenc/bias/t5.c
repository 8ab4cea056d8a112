// T5: one trained number for each head and bucket of distances; near ones have a bucket each, far ones share.
#include "posenc/bias/bias.h"

enum { BETA }; // params (sets * H, buckets)

typedef struct {
    long long buckets, distance;
    int layers;
} T5Options;

static const Option t5_options[] = {
    {"buckets", OPTION_INTEGER, offsetof(T5Options, buckets), "32", 2, 4096, NULL, "N",
     "the first half: one distance each"},
    {"distance", OPTION_INTEGER, offsetof(T5Options, distance), "128", 2, 1e9, NULL, "N",
     "from here on all is one bucket"},
    LAYERS_OPTION_ROW(T5Options, "shared"),
    {0},
};

static const T5Options *options_of(const Position *pos) {
    return (const T5Options *)pos->options;
}

static const char *check(const Position *pos) {
    const T5Options *o = options_of(pos);
    return o->distance <= o->buckets / 2 ? "T5's distance must be more than half its buckets" : NULL;
}

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "beta", pos->sets * pos->shape.heads, (int)options_of(pos)->buckets, INIT_ZERO, 0);
}

// The first half of the buckets are distances, the second half their logarithm, in float as in the published code:
// where the logarithm is a whole number, its rounding decides.
static int bucket(const T5Options *o, int distance) {
    const int buckets = (int)o->buckets, exact = buckets / 2;
    if (distance < exact) return distance;
    const float logarithm = logf((float)distance / (float)exact) / (float)log((double)o->distance / exact);
    const int far = exact + (int)(logarithm * (float)(buckets - exact));
    return far < buckets ? far : buckets - 1;
}

static size_t entry(const Position *pos, int set, int head, int distance) {
    return ((size_t)set * pos->shape.heads + head) * (size_t)options_of(pos)->buckets +
           (size_t)bucket(options_of(pos), distance);
}

static double curve(const Position *pos, int set, int head, int distance) {
    return (double)pos->params[BETA][entry(pos, set, head, distance)];
}

static void prepare(Position *pos) {
    bias_prepare(pos, curve);
}

// Forward was S_ij += beta[bucket(i - j)], so dbeta = sum of dS_ij over the pairs in its bucket, of all layers that
// share it.
static void reduce(Position *pos) {
    for (int set = 0; set < pos->sets; set++)
        for (int h = 0; h < pos->shape.heads; h++)
            for (int distance = 0; distance < pos->positions; distance++)
                pos->dparams[BETA][entry(pos, set, h, distance)] += (real)bias_gradient(pos, set, h, distance);
    bias_forget(pos);
}

const Scheme scheme_t5 = {
    .name = "t5",
    .formula = "S_ij += beta[h, bucket(i - j)], beta trained",
    .paper = "Raffel et al. 2020 (1910.10683)",
    .help = "A trained staircase over distances: the first half of the buckets one distance each, the others ever "
            "wider, the last without end. Added after the scaling by 1/sqrt(d), which T5 itself does not do.",
    .options = t5_options,
    .enters = ENTERS_BIAS,
    .designed = "alibi",
    .relative = true,
    .check = check,
    .params = params,
    .layout = bias_layout,
    .prepare = prepare,
    .reduce = reduce,
    .score_forward = bias_forward,
    .score_backward = bias_backward,
    .score_reduce = bias_reduce,
};
