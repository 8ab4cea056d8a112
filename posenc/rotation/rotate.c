#include "posenc/rotation/rotate.h"

#include "num/team.h"

#include <assert.h>

void rotation_fill(real *cosine, real *sine, double length, double angle) {
    double y[2];
    rope_pair_forward(y, (const double[2]){length, 0}, angle);
    *cosine = (real)y[0];
    *sine = (real)y[1];
}

// rope_pair_forward for all pairs of a head, with c and s from a table; and rope_pair_backward, which is the rotation
// by the negative angle, where `direction` is -1: cos(-phi) = cos(phi), sin(-phi) = -sin(phi). Two loops, because
// the compiler makes fast code only if the pairing is a constant.
static void rotate_half(real *x, const real *cosine, const real *sine, int pairs, real direction) {
    for (int i = 0; i < pairs; i++) {
        const real c = cosine[i], s = direction * sine[i], x0 = x[i], x1 = x[i + pairs];
        x[i] = x0 * c - x1 * s;
        x[i + pairs] = x0 * s + x1 * c;
    }
}

static void rotate_interleaved(real *x, const real *cosine, const real *sine, int pairs, real direction) {
    for (int i = 0; i < pairs; i++) {
        const real c = cosine[i], s = direction * sine[i], x0 = x[2 * i], x1 = x[2 * i + 1];
        x[2 * i] = x0 * c - x1 * s;
        x[2 * i + 1] = x0 * s + x1 * c;
    }
}

void rotate(real *x, int stride, const Rotation *rotation, const Place *at, int rows, int direction) {
    const int pairs = rotation->turned / 2;
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const size_t angles = (size_t)place_on(&at[r], rotation->axis) * pairs;
        const real *cos_r = rotation->cosine + angles, *sin_r = rotation->sine + angles;
        for (int h = 0; h < rotation->heads; h++) {
            real *x_rh = x + (size_t)r * stride + (size_t)h * rotation->head_width;
            if (rotation->pairing == PAIRING_HALF)
                rotate_half(x_rh, cos_r, sin_r, pairs, (real)direction);
            else
                rotate_interleaved(x_rh, cos_r, sin_r, pairs, (real)direction);
        }
    }
}

// --- the family ---

enum {
    COSINE,
    SINE,
    KEY_COSINE,
    KEY_SINE
};                      // tables (layers, heads, positions, pairs); those of keys where they differ
enum { DTHETA, SLABS }; // dtables: (layers, H, pairs), and of the layer at work (B, H, pairs)

int rotary_pairs(const Position *pos) {
    const double fraction = rotary_of(pos)->fraction;
    const int pairs = head_width(&pos->shape) / 2;
    return fraction > 0 ? (int)(fraction * pairs) : pairs;
}

// With two axes, half of the pairs turn by the line and half by the column, at the same frequencies.
static int axes_of(const Position *pos) {
    return pos->scheme->two_axes ? 2 : 1;
}

static int pairs_of_axis(const Position *pos) {
    return rotary_pairs(pos) / axes_of(pos);
}

const char *rotary_check(const Position *pos) {
    if (head_width(&pos->shape) % (2 * axes_of(pos)))
        return axes_of(pos) == 2
                   ? "each of the two axes turns pairs of channels, so the head width (--width / --heads) must be a "
                     "multiple of 4"
                   : "rotations turn pairs of channels, so the head width (--width / --heads) must be even";
    if (rotary_pairs(pos) < 1) return "that fraction of a head is not one pair of channels";
    if (pos->scheme->by_head && key_heads(&pos->shape) < pos->shape.heads)
        return "each head turns its keys by frequencies of its own, so heads cannot share keys; leave out --kv-heads";
    for (int l = 0; pos->gated && l < pos->shape.layers; l++)
        if (rotary_skips(pos, l))
            return "skip leaves out layers, whose gates nothing would train; name the layers instead, as in "
                   "'rope:gate=trained*3,none'";
    return NULL;
}

int rotary_length_class(const Tables *tables, int length) {
    return stretch_length_class(tables->stretch, length);
}

double rotary_theta(const Position *pos, int set, int head, int pair) {
    return rope_theta(rotary_of(pos)->base, pair, 2 * pairs_of_axis(pos));
}

int rotary_fast_pairs(const Position *pos, int length) {
    int fast = 0;
    for (int i = 0; i < rotary_pairs(pos); i++) fast += length * pos->scheme->theta(pos, 0, 0, i) >= 2 * M_PI;
    return fast;
}

// Layers have tables of their own where a gate weighs each, or where they have sets of parameters.
static int layers_apart(const Position *pos) {
    return pos->gated ? pos->shape.layers : pos->sets;
}

static int heads_apart(const Position *pos) {
    return pos->scheme->by_head ? pos->shape.heads : 1;
}

// Which of these tables a layer has.
static int table_of(const Position *pos, int layer) {
    return layers_apart(pos) > 1 ? layer : 0;
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    assert(pos->scheme->theta && "ROTATION_SCHEME: the scheme has no .theta");
    const size_t pairs = (size_t)pairs_of_axis(pos), H = (size_t)pos->shape.heads;
    const size_t angles = (size_t)layers_apart(pos) * (size_t)heads_apart(pos) * (size_t)tables->positions * pairs;
    for (int table = COSINE; table <= (pos->scheme->growth ? KEY_SINE : SINE); table++)
        tables->table[table] = arena_reals(arena, angles);
    if (!training || !(pos->scheme->theta_backward || pos->gated || tables->stretch->learns)) return;
    tables->dtable[DTHETA] = arena_reals(arena, (size_t)layers_apart(pos) * H * pairs);
    tables->dtable[SLABS] = arena_reals(arena, (size_t)tables->batch * H * pairs);
}

// The angle by which a pair turns from one token to the next, beyond the unscaled tokens.
static double stretched(double theta, const Stretch *stretch, int pair) {
    return theta / (stretch ? stretch->factors[pair] : 1);
}

// Fill one pair's column of a table: at t the angle gate t theta, stretched.
static void fill_pair(Tables *tables, const Stretch *stretch, size_t first, double gate, double theta, int pair) {
    const Position *pos = tables->pos;
    const int pairs = pairs_of_axis(pos), unscaled = stretch ? stretch->unscaled : 0;
    const double attention = stretch ? stretch->attention : 1,
                 at_start = stretch && stretch->bare_start ? 1 : attention;
    for (int t = 0; t < tables->positions; t++) {
        const size_t n = first + (size_t)t * pairs + pair;
        const double angle = gate * (t * (t < unscaled ? theta : stretched(theta, stretch, pair)));
        double length = t < unscaled ? at_start : attention;
        if (pos->scheme->growth) {
            length = pos->scheme->growth(pos, pair, t, tables->positions);
            tables->table[KEY_COSINE][n] = (real)(cos(angle) / length);
            tables->table[KEY_SINE][n] = (real)(sin(angle) / length);
        }
        rotation_fill(&tables->table[COSINE][n], &tables->table[SINE][n], length, angle);
    }
}

static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const int pairs = pairs_of_axis(pos), heads = heads_apart(pos), columns = layers_apart(pos) * heads * pairs;
    if (tables->prepared && !pos->scheme->theta_backward && !pos->gated) return;
    Stretch made;
    const Stretch *stretch = stretch_of_window(&made, tables->stretch, tables->window, pairs);
#pragma omp parallel for
    for (int n = 0; n < columns; n++) {
        const int table = n / pairs, layer = table / heads, head = table % heads, pair = n % pairs;
        fill_pair(tables, stretch, (size_t)table * tables->positions * pairs, (double)gate_of(pos, layer),
                  pos->scheme->theta(pos, position_set(pos, layer), head, pair), pair);
    }
}

void rotary_turn(const Tables *tables, int layer, real *x, bool keys, int stride, const Place *at, int rows,
                 int direction) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), axes = axes_of(pos), apart = heads_apart(pos),
              kind = keys && pos->scheme->growth;
    const size_t table = (size_t)tables->positions * pairs_of_axis(pos);
    Rotation rotation = {.pairing = (Pairing)rotary_of(pos)->pairing,
                         .heads = apart > 1 ? 1
                                  : keys    ? key_heads(&pos->shape)
                                            : pos->shape.heads,
                         .head_width = d,
                         .turned = 2 * pairs_of_axis(pos)};
    for (int h = 0; h < apart; h++)
        for (int axis = 0; axis < axes; axis++) {
            const size_t first = ((size_t)table_of(pos, layer) * apart + h) * table;
            rotation.cosine = tables->table[kind ? KEY_COSINE : COSINE] + first;
            rotation.sine = tables->table[kind ? KEY_SINE : SINE] + first;
            rotation.axis = axes == 1 ? AXIS_T : axis == 0 ? AXIS_LINE : AXIS_COLUMN;
            rotate(x + (size_t)h * d + (size_t)axis * (d / axes), stride, &rotation, at, rows, direction);
        }
}

static void rotary_forward(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    if (rotary_skips(tables->pos, layer)) return;
    rotary_turn(tables, layer, q, false, stride, at, rows, +1);
    rotary_turn(tables, layer, k, true, stride, at, rows, +1);
}

// rope_pair_torque for all pairs of a head, times t: dtheta of one token.
static void add_torque(real *dtheta, const real *dy, const real *y, int t, int pairs, bool half) {
    for (int i = 0; i < pairs; i++) {
        const int c0 = half ? i : 2 * i, c1 = half ? i + pairs : 2 * i + 1;
        dtheta[i] += (real)t * (dy[c1] * y[c0] - dy[c0] * y[c1]);
    }
}

// Forward was y = R(t theta) x for each pair. The slab of each sequence and head gets the sum of t dphi over its tokens
// that stand at `from` or later; y and dy are queries (rows, H*d) or `keys` (rows, K*d). One thread adds up each
// sequence and head, in order, so that any number of threads gives the same bits. Ends in a barrier.
static void add_torques(const Tables *tables, const real *dy, const real *y, bool keys, int stride, const Place *at,
                        int rows, int from) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads, heads = keys ? key_heads(&pos->shape) : H, d = head_width(&pos->shape),
              pairs = pairs_of_axis(pos), T = rows / tables->batch, axes = axes_of(pos);
    const bool half = rotary_of(pos)->pairing == PAIRING_HALF;
#pragma omp for collapse(2)
    for (int b = 0; b < tables->batch; b++)
        for (int h = 0; h < heads; h++)
            for (int r = b * T; r < (b + 1) * T; r++)
                for (int axis = 0; axis < axes; axis++) {
                    const size_t row = (size_t)r * stride + (size_t)h * d + (size_t)axis * (d / axes);
                    const int t = place_on(&at[r], axes == 1 ? AXIS_T : axis == 0 ? AXIS_LINE : AXIS_COLUMN);
                    if (t >= from)
                        add_torque(tables->dtable[SLABS] + ((size_t)b * H + h) * pairs, dy + row, y + row, t, pairs,
                                   half);
                }
}

// Forward was q' = R(t theta) q, so dq = R(-t theta) dq', in place; the same for k.
static void rotary_backward(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k,
                            int stride, const Place *at, int rows) {
    const Position *pos = tables->pos;
    if (rotary_skips(pos, layer)) return;
    if (tables->dtable[DTHETA]) {
        const int from = tables->stretch->learns ? tables->stretch->long_stretch.unscaled : 0,
                  size = pos->shape.heads * pairs_of_axis(pos);
        add_torques(tables, dq, q, false, stride, at, rows, from);
        add_torques(tables, dk, k, true, stride, at, rows, from);
        slabs_reduce(tables->dtable[DTHETA] + (size_t)table_of(pos, layer) * size, tables->dtable[SLABS], tables->batch,
                     size);
    }
    rotary_turn(tables, layer, dq, false, stride, at, rows, -1);
    rotary_turn(tables, layer, dk, true, stride, at, rows, -1);
}

// The angles were g t theta, and what backward has added up is d(g theta) of each layer and head. So dg is the sum of
// theta d(g theta), and dtheta = g d(g theta).
static void dtheta_backward(const Tables *tables) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads, pairs = pairs_of_axis(pos);
    for (int layer = 0; layer < layers_apart(pos); layer++) {
        const int set = position_set(pos, layer);
        const real gate = gate_of(pos, layer);
        double dgate = 0;
        for (int h = 0; h < H; h++) {
            real *dtheta = tables->dtable[DTHETA] + ((size_t)layer * H + h) * pairs;
            for (int i = 0; i < pairs; i++) {
                dgate += pos->scheme->theta(pos, set, h, i) * (double)dtheta[i];
                dtheta[i] *= gate;
            }
            if (pos->scheme->theta_backward) pos->scheme->theta_backward(pos, set, h, dtheta);
            memset(dtheta, 0, (size_t)pairs * sizeof *dtheta);
        }
        if (pos->gated) *dgate_of(pos, layer) += (real)dgate;
    }
}

static void layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
    // While factors are trained, rotary_dfactors has its own chain rule.
    if (layer > 0 || !tables->dtable[DTHETA] || tables->stretch->learns) return;
    team_barrier();
#pragma omp single
    dtheta_backward(tables);
}

const Family rotation_family = {
    .layout = layout,
    .prepare = prepare,
    .qk_forward = rotary_forward,
    .qk_backward = rotary_backward,
    .layer_backward = layer_backward,
};

// Forward was theta' = theta / factor, so d/dlog factor = -theta' d/dtheta'.
void rotary_dfactors(double *dfactors, Tables *tables) {
    const Position *pos = tables->pos;
    const int pairs = rotary_pairs(pos);
    for (int i = 0; i < pairs; i++) {
        double dtheta = 0; // in all heads
        for (int h = 0; h < pos->shape.heads; h++) dtheta += (double)tables->dtable[DTHETA][h * pairs + i];
        dfactors[i] = -stretched(pos->scheme->theta(pos, 0, 0, i), &tables->stretch->long_stretch, i) * dtheta;
    }
    memset(tables->dtable[DTHETA], 0, (size_t)pos->shape.heads * pairs * sizeof(real));
}

// The pairs of a token's queries and keys that turn, in all heads and all layers that do not go without: four products
// and two sums each, forward and backward, and five for the torque where angles are trained.
double rotary_operations(const Position *pos, int T) {
    int layers = 0;
    for (int l = 0; l < pos->shape.layers; l++) layers += !rotary_skips(pos, l);
    const double pairs = (double)layers * (pos->shape.heads + key_heads(&pos->shape)) * rotary_pairs(pos);
    return (6 * 2 + (pos->scheme->theta_backward || pos->gated ? 5 : 0)) * pairs;
}
