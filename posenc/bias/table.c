// The most general bias that depends on the distance alone: one trained number for each distance and head.
#include "posenc/bias/bias.h"

typedef struct {
    int layers, gate;
} TableOptions;

static const Option table_options[] = {
    LAYERS_OPTION_ROW(TableOptions, "shared"), GATE_OPTION_ROW(TableOptions, gate), {0}};

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "bias", pos->sets * pos->shape.heads, position_span(pos), INIT_ZERO, 0);
}

static bool reads_context(const Position *pos) {
    return true;
}

// Distances past the trained ones share the last number.
static int bucket(const Position *pos, int distance) {
    const int span = position_span(pos);
    return distance < span ? distance : span - 1;
}

const Scheme scheme_table = {
    .name = "table",
    .formula = "S_ij += B[h, i - j], B trained",
    .paper = "T5 (Raffel et al. 2020) without buckets",
    .help = "One free number for each distance and head, found by gradient descent, starting at 0. Every "
            "bias that depends on the distance alone is a special case of it, but distances rarely seen in training "
            "are learned poorly.",
    .options = table_options,
    .params = params,
    .reads_context = reads_context,
    LOOKUP_SCHEME(.bucket = bucket),
};
