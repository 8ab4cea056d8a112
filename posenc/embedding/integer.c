// The first thing one thinks of: add the number of the position itself.
#include "posenc/embedding/code.h"

typedef struct {
    double step;
    int gate;
} IntegerOptions;

static const Option integer_options[] = {
    {"step", OPTION_NUMBER, offsetof(IntegerOptions, step), "1", -1e6, 1e6, NULL, "X",
     "number added to every channel for each position"},
    GATE_OPTION_ROW(IntegerOptions, gate),
    {0},
};

static void code_at(real *code, const Tables *tables, int t) {
    const Position *pos = tables->pos;
    const double step = scheme_options(pos, IntegerOptions)->step;
    for (int c = 0; c < pos->shape.width; c++) code[c] = (real)(step * t);
}

const Scheme scheme_integer = {
    .name = "integer",
    .formula = "x_t[c] += step t",
    .paper = "the textbooks' first attempt",
    .help = "The number of the position, added to every channel. At position 100 it is 5000 times as large as a token "
            "embedding (0.02). But layer norm subtracts what all channels share, so the model hardly sees it, whatever "
            "the step.",
    .options = integer_options,
    .enters = ENTERS_EMBEDDING,
    CODE_SCHEME(.code = code_at),
};
