// RoPE whose frequencies are trained, for each head: gradient descent chooses how fast every hand turns.
#include "posenc/rotation/rotate.h"

#include "base/random.h"
#include "model/base/team.h"

enum { RHO };          // params (sets * H, d/2)
enum { COSINE, SINE }; // tables (sets, H, positions, d/2)
enum { SUM, SLABS };   // dtables: dtheta (sets, H, d/2), and of the layer at work (B, H, d/2)
typedef enum { START_ROPE, START_RANDOM } Start;

typedef struct {
    Rotary rotary;
    int start, layers;
    double rate;
} RopeLearnedOptions;

static const Option rope_learned_options[] = {
    {"start", OPTION_CHOICE, offsetof(RopeLearnedOptions, start), "rope", 0, 0, "rope|random", "HOW",
     "initial frequencies: RoPE's, or random ones in the same range"},
    {"rate", OPTION_NUMBER, offsetof(RopeLearnedOptions, rate), "1", 0, 1000, NULL, "X",
     "learning rate of the frequencies, as a multiple of --lr"},
    LAYERS_OPTION_ROW(RopeLearnedOptions, "own"),
    ROTARY_OPTION_ROWS(RopeLearnedOptions, "10000", "(i, i+d/2)"),
    {0},
};

// Heads that share a key would have to share frequencies.
static const char *check(const Position *pos) {
    return key_heads(&pos->shape) < pos->shape.heads
               ? "each head turns its keys by frequencies of its own, so heads cannot share keys; leave out --kv-heads"
               : rotary_check(pos);
}

static int frequencies(const Position *pos) { // of one set
    return pos->shape.heads * rotary_pairs(pos);
}

// theta = exp(rho): frequencies stay positive, and a step of gradient descent changes them by a share.
static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "rho", pos->sets * pos->shape.heads, rotary_pairs(pos), INIT_ZERO, 0);
    if (table->failed) return; // there was no memory for this tensor
    table->items[pos->tensors[RHO]].rate = scheme_options(pos, RopeLearnedOptions)->rate;
}

static void init(Position *pos, uint64_t seed) {
    Random random = {position_key(pos, seed, "rope-learned"), 0};
    const int pairs = rotary_pairs(pos);
    for (int n = 0; n < pos->sets * frequencies(pos); n++) {
        const double designed = log(rotary_theta(pos, n % pairs)),
                     drawn = -log(rotary_of(pos)->base) * random_next(&random);
        pos->params[RHO][n] = (real)(scheme_options(pos, RopeLearnedOptions)->start == START_ROPE ? designed : drawn);
    }
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    const size_t all = (size_t)pos->sets * frequencies(pos);
    tables->table[COSINE] = arena_reals(arena, all * tables->positions);
    tables->table[SINE] = arena_reals(arena, all * tables->positions);
    if (!training) return;
    tables->dtable[SUM] = arena_reals(arena, all);
    tables->dtable[SLABS] = arena_reals(arena, (size_t)tables->batch * frequencies(pos));
}

static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const int pairs = rotary_pairs(pos), P = tables->positions;
    const long long rows = (long long)pos->sets * pos->shape.heads * P;
#pragma omp parallel for
    for (long long row = 0; row < rows; row++)
        for (int i = 0; i < pairs; i++) {
            const double angle = (int)(row % P) * exp((double)pos->params[RHO][row / P * pairs + i]);
            const size_t n = (size_t)row * pairs + i;
            rotation_fill(&tables->table[COSINE][n], &tables->table[SINE][n], 1, angle);
        }
}

// Each head by its own table.
static void turn(const Tables *tables, int layer, real *x, bool keys, int stride, const Place *at, int rows,
                 int direction) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), H = pos->shape.heads;
    for (int h = 0; h < H; h++) {
        const size_t first = ((size_t)position_set(pos, layer) * H + h) * tables->positions * rotary_pairs(pos);
        Rotation rotation = rotary_rotation(pos, keys, tables->table[COSINE] + first, tables->table[SINE] + first);
        rotation.heads = 1;
        rotate(x + (size_t)h * d, stride, &rotation, at, rows, direction);
    }
}

// A torque on each angle, and the rotation of the gradient backwards.
static void qk_backward(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                        const Place *at, int rows) {
    const Position *pos = tables->pos;
    if (rotary_skips(pos, layer)) return;
    rotary_torque(tables->dtable[SLABS], tables, dq, q, false, stride, at, rows, 0);
    rotary_torque(tables->dtable[SLABS], tables, dk, k, true, stride, at, rows, 0);
    slabs_reduce(tables->dtable[SUM] + (size_t)position_set(pos, layer) * frequencies(pos), tables->dtable[SLABS],
                 tables->batch, frequencies(pos));
    rotary_backward(tables, layer, dq, dk, q, k, stride, at, rows);
}

// Besides the rotation, five for the torque on each pair: see add_torque.
static double operations(const Position *pos, int T) {
    return rotary_operations(pos, T) + 5 * rotary_all_pairs(pos);
}

// theta = exp(rho), so drho = theta dtheta.
static void reduce(Tables *tables) {
    const Position *pos = tables->pos;
    for (int n = 0; n < pos->sets * frequencies(pos); n++) {
        pos->dparams[RHO][n] += (real)exp((double)pos->params[RHO][n]) * tables->dtable[SUM][n];
        tables->dtable[SUM][n] = 0;
    }
}

const Scheme scheme_rope_learned = {
    .name = "rope-learned",
    .formula = "q_t, k_t: pair i of head h turned by t exp(rho_hi), rho trained",
    .paper = "after Heo et al. 2024 (2403.13298), RoPE-Mixed",
    .help = "RoPE with its own frequencies for each layer, head and pair, found by gradient descent from RoPE's "
            "frequencies or from random ones. The gradient of an angle is a torque, and costs two products per pair.",
    .options = rope_learned_options,
    .layers = &rope_learned_options[2],
    .enters = ENTERS_ROTATION,
    .compared_with = "rope",
    .relative = true,
    .check = check,
    .operations = operations,
    .params = params,
    .init = init,
    .layout = layout,
    .prepare = prepare,
    .reduce = reduce,
    .turn = turn,
    .qk_forward = rotary_forward,
    .qk_backward = qk_backward,
};
