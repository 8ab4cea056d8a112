// T5: one trained number for each head and bucket of distances; near distances have a bucket each, far ones share.
#include "posenc/bias/bias.h"

typedef struct {
    long long buckets, distance;
    int layers, gate;
} T5Options;

static const Option t5_options[] = {
    {"buckets", OPTION_INTEGER, offsetof(T5Options, buckets), "32", 2, 4096, NULL, "N",
     "number of buckets; the first half hold one distance each"},
    {"distance", OPTION_INTEGER, offsetof(T5Options, distance), "128", 2, 1e9, NULL, "N",
     "all distances from N tokens on share the last bucket"},
    LAYERS_OPTION_ROW(T5Options, "shared"),
    GATE_OPTION_ROW(T5Options, gate),
    {0},
};

static const char *check(const Position *pos) {
    const T5Options *o = scheme_options(pos, T5Options);
    return o->distance <= o->buckets / 2 ? "T5's distance must be more than half its buckets" : NULL;
}

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "beta", pos->sets * pos->shape.heads, (int)scheme_options(pos, T5Options)->buckets,
                   INIT_ZERO, 0);
}

// The first half of the buckets hold one distance each; in the second half, the bucket grows with the logarithm of the
// distance. It is computed in float, as in the published code, because rounding decides at the borders of buckets.
static int bucket(const Position *pos, int distance) {
    const T5Options *o = scheme_options(pos, T5Options);
    const int buckets = (int)o->buckets, exact = buckets / 2;
    if (distance < exact) return distance;
    const float logarithm = logf((float)distance / (float)exact) / (float)log((double)o->distance / exact);
    const int far = exact + (int)(logarithm * (float)(buckets - exact));
    return far < buckets ? far : buckets - 1;
}

const Scheme scheme_t5 = {
    .name = "t5",
    .formula = "S_ij += beta[h, bucket(i - j)], beta trained",
    .paper = "Raffel et al. 2020 (1910.10683)",
    .help = "A trained step function of the distance: the first half of the buckets hold one distance each, the others "
            "get wider and wider, and the last has no end. The bias is added after the scaling by 1/sqrt(d), which T5 "
            "itself does not do.",
    .options = t5_options,
    .check = check,
    .params = params,
    LOOKUP_SCHEME(.bucket = bucket),
};
