// Learned absolute positions (GPT-2): one trainable vector for each position up to the trained length.
#include "posenc/embedding/code.h"

typedef enum { PAST_ERROR, PAST_CLAMP, PAST_INTERPOLATE } Past;

typedef enum { START_RANDOM, START_SINUSOIDAL } Start;

typedef struct {
    double amplitude;
    int start, past, gate;
} LearnedOptions;

static const Option learned_options[] = {
    {"amplitude", OPTION_NUMBER, offsetof(LearnedOptions, amplitude), "0.02", 0, 100, NULL, "RMS",
     "RMS at the start; 0.02 is that of the token embeddings"},
    {"start", OPTION_CHOICE, offsetof(LearnedOptions, start), "random", 0, 0, "random|sinusoidal", "HOW",
     "initial values: noise, or the sinusoidal code of base 10000"},
    {"past", OPTION_CHOICE, offsetof(LearnedOptions, past), "error", 0, 0, "error|clamp|interpolate", "HOW",
     "beyond the trained length: error = refuse, clamp = repeat the last row, interpolate = squeeze all positions "
     "into the trained ones"},
    GATE_OPTION_ROW(LearnedOptions, gate),
    {0},
};

static const char *check(const Position *pos) {
    return scheme_options(pos, LearnedOptions)->start == START_SINUSOIDAL ? sinusoid_check(pos) : NULL;
}

static int max_length(const Position *pos) {
    return scheme_options(pos, LearnedOptions)->past == PAST_ERROR ? position_span(pos) : 0;
}

static bool reads_context(const Position *pos) {
    return true;
}

static int length_class(const Tables *tables, int length) {
    const Position *pos = tables->pos;
    return scheme_options(pos, LearnedOptions)->past == PAST_INTERPOLATE && length > position_span(pos) ? length : 0;
}

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "table", position_span(pos), pos->shape.width, INIT_NORMAL,
                   scheme_options(pos, LearnedOptions)->amplitude);
}

static void init(Position *pos, uint64_t seed) {
    const LearnedOptions *o = scheme_options(pos, LearnedOptions);
    const int C = pos->shape.width;
    if (o->start == START_RANDOM) return;
    for (int t = 0; t < position_span(pos); t++)
        code_sinusoid(pos->params[0] + (size_t)t * C, o->amplitude * sqrt(2), t, C, 10000, true, FORMAT_FLOAT, 0);
}

// The point of the trained table (T, C) at which position `at` reads: row + fraction of the way to the next row.
static int row_of(real *fraction, const Tables *tables, int at) {
    const Position *pos = tables->pos;
    const int T = position_span(pos);
    *fraction = 0;
    if (scheme_options(pos, LearnedOptions)->past == PAST_INTERPOLATE && tables->window > T) {
        double row = (double)at * (T - 1) / (tables->window - 1);
        int floor = (int)row < T - 1 ? (int)row : T - 1;
        *fraction = floor < T - 1 ? (real)(row - floor) : 0;
        return floor;
    }
    return at < T ? at : T - 1;
}

static void code_at(real *code, const Tables *tables, int t) {
    const int C = tables->pos->shape.width;
    real fraction;
    const real *row = tables->pos->params[0] + (size_t)row_of(&fraction, tables, t) * C;
    const real *next = fraction > 0 ? row + C : row;
    for (int c = 0; c < C; c++) code[c] = (1 - fraction) * row[c] + fraction * next[c];
}

const Scheme scheme_learned = {
    .name = "learned",
    .formula = "x_t += P[t], P trainable (T, C)",
    .paper = "Gehring et al. 2017; GPT-2 (Radford et al. 2019)",
    .help = "Each position up to the trained length has its own vector, found by gradient descent. Nothing makes "
            "neighbouring positions similar, and nothing exists past the last row; past=clamp|interpolate says what to "
            "do there.",
    .options = learned_options,
    .past = &learned_options[2],
    .enters = ENTERS_EMBEDDING,
    .check = check,
    .max_length = max_length,
    .reads_context = reads_context,
    .length_class = length_class,
    CODE_SCHEME(.code = code_at, .is_table = true),
    .params = params,
    .init = init,
};
