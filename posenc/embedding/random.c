// A control: a fixed random code. What a learned table does better than this, it has learned.
#include "posenc/embedding/code.h"

#include "base/random.h"

typedef struct {
    double amplitude;
    long long seed;
    int gate;
} RandomOptions;

static const Option random_options[] = {
    {"amplitude", OPTION_NUMBER, offsetof(RandomOptions, amplitude), "0.02", 0, 100, NULL, "RMS",
     "standard deviation; 0.02 is that of the token embeddings at the start"},
    {"seed", OPTION_INTEGER, offsetof(RandomOptions, seed), "1", 0, 1e15, NULL, "N", "random seed of the code"},
    GATE_OPTION_ROW(RandomOptions, gate),
    {0},
};

static void code_at(real *code, const Tables *tables, int t) {
    const Position *pos = tables->pos;
    const RandomOptions *o = scheme_options(pos, RandomOptions);
    const uint64_t key = random_bits(random_key((uint64_t)o->seed, "random positions"), (uint64_t)t);
    for (int c = 0; c < pos->shape.width; c++) code[c] = (real)(o->amplitude * random_normal(key, (uint64_t)c));
}

const Scheme scheme_random = {
    .name = "random",
    .formula = "x_t += r(t), r fixed and random",
    .paper = "a control",
    .help = "Every position has its own random vector, which is never trained: a learned table before its first step, "
            "but without an end. The vectors have no order, distance or structure; they only tell positions apart.",
    .options = random_options,
    .enters = ENTERS_NOWHERE,
    CODE_SCHEME(.code = code_at),
};
