// By which angles the pairs of a head turn, and where the gradients of these angles go: what all rotary schemes have in
// common besides the rotation itself (rotation.c).
#include "posenc/rotation/angles.h"

#include "num/team.h"

enum { DTHETA, SLABS }; // dtables: (layers, H, pairs), and of the layer at work (B, H, pairs)

// --- angles ---

int rotary_pairs(const Position *pos) {
    const double fraction = rotary_of(pos)->fraction;
    const int pairs = head_width(&pos->shape) / 2;
    return fraction > 0 ? (int)(fraction * pairs) : pairs;
}

const char *pairs_check(const Position *pos) {
    return head_width(&pos->shape) % 2
               ? "rotations turn pairs of channels, so the head width (--width / --heads) must be even"
               : NULL;
}

const char *rotary_check(const Position *pos) {
    if (pairs_check(pos)) return pairs_check(pos);
    if (rotary_pairs(pos) < 1) return "that fraction of a head is not one pair of channels";
    if (rotary_pairs(pos) < rotary_axes(pos))
        return "each axis turns pairs of channels of its own, so a head needs as many pairs as there are axes; "
               "give a larger --width, fewer --heads or fewer axes";
    if (pos->written && angles_of(pos)->by_head(pos) && key_heads(&pos->shape) < pos->shape.heads)
        return "each head turns its keys by frequencies of its own, so heads cannot share keys; leave out --kv-heads";
    return NULL;
}

int rotary_length_class(const Tables *tables, int length) {
    const StretchRule *rule = tables->stretch;
    if (rule->original == 0 || length <= rule->original) return 0;
    return rule->method == METHOD_DYNAMIC ? length : rule->has_short;
}

double rotary_theta(const Position *pos, int set, int head, int pair) {
    int axis = 0;
    while (rotary_first(pos, axis + 1) <= pair) axis++;
    const int first = rotary_first(pos, axis), pairs = rotary_first(pos, axis + 1) - first;
    return rope_theta(rotary_of(pos)->base, pair - first, 2 * pairs);
}

int rotary_fast_pairs(const Position *pos, int length) {
    int fast = 0;
    for (int i = 0; i < rotary_pairs(pos); i++) fast += length * theta_of(pos, 0, 0, i) >= 2 * M_PI;
    return fast;
}

double rotary_base(const Position *pos) {
    const int pairs = rotary_pairs(pos);
    if (!pos->written) return rotary_of(pos)->base;
    const double base = pairs > 1 ? pow(theta_of(pos, 0, 0, 1), -pairs) : 0;
    for (int i = 0; i < pairs; i++)
        if (!(fabs(theta_of(pos, 0, 0, i) / rope_theta(base, i, 2 * pairs) - 1) <= 1e-9)) return 0;
    return base;
}

RotaryColumn rotary_column(const Tables *tables, int n) {
    const Position *pos = tables->pos;
    const int pairs = rotary_pairs(pos), pair = n % pairs, heads = rotary_heads_apart(pos), layer = n / pairs / heads,
              head = n / pairs % heads * (pos->shape.heads / heads);
    Stretch made;
    const Stretch *stretch = stretch_of_window(&made, tables->stretch, tables->window, pairs);
    const double theta = theta_of(pos, position_set(pos, layer), head, pair);
    RotaryColumn column = {(double)gate_of(pos, layer), theta, theta, 1, 0};
    if (!stretch) return column;
    column.theta = theta / stretch->factors[pair];
    column.length = stretch->attention;
    column.first = stretch->unscaled;
    return column;
}

double rotary_largest_angle(const Tables *tables, int columns) {
    double largest = 0;
    for (int n = 0; n < columns; n++) {
        const RotaryColumn column = rotary_column(tables, n);
        for (int t = 0; t < tables->positions; t++) {
            const double angle = fabs(rotary_angle(&column, t));
            if (angle > largest) largest = angle; // gcc 12 for ARM ends with an internal error at fmax() here
        }
    }
    return largest;
}

// --- their gradients ---

void dtheta_layout(Tables *tables, Arena *arena) {
    const Position *pos = tables->pos;
    if (!position_learned(pos) && !tables->stretch->learns) return;
    const size_t numbers = (size_t)pos->shape.heads * rotary_pairs(pos);
    tables->dtable[DTHETA] = arena_reals(arena, rotary_layers_apart(pos) * numbers);
    tables->dtable[SLABS] = arena_reals(arena, tables->batch * numbers);
}

// rope_pair_torque for all pairs of a head, times t: dtheta of one token.
static void add_torque(real *dtheta, const real *dy, const real *y, int t, int pairs, bool half) {
    for (int i = 0; i < pairs; i++) {
        const int c0 = half ? i : 2 * i, c1 = half ? i + pairs : 2 * i + 1;
        dtheta[i] += (real)t * (dy[c1] * y[c0] - dy[c0] * y[c1]);
    }
}

// Forward was y = R(t theta) x for each pair. The slab of each sequence and head gets the sum of t dphi over its tokens
// that stand at `from` or later; y and dy are queries (rows, H*d) or `keys` (rows, K*d). Where frequencies
// belong to the heads of keys, a key's sum goes to the slab of the first of the heads that share it. One thread adds up
// each sequence and head, in order, so that any number of threads gives the same bits. Ends in a barrier.
static void add_torques(const Tables *tables, const real *dy, const real *y, bool keys, int stride, const Place *at,
                        int rows, int from) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads, heads = keys ? key_heads(&pos->shape) : H, d = head_width(&pos->shape),
              pairs = rotary_pairs(pos), T = rows / tables->batch,
              sharing = rotary_heads_apart(pos) > 1 ? H / heads : 1;
    const bool half = rotary_of(pos)->pairing == PAIRING_HALF;
#pragma omp for collapse(2)
    for (int b = 0; b < tables->batch; b++)
        for (int h = 0; h < heads; h++)
            for (int r = b * T; r < (b + 1) * T; r++)
                for (int axis = 0; axis < rotary_axes(pos); axis++) {
                    const int pair = rotary_first(pos, axis), count = rotary_first(pos, axis + 1) - pair,
                              t = place_on(&at[r], rotary_axis(pos, axis));
                    const size_t row = (size_t)r * stride + (size_t)h * d + (size_t)2 * pair,
                                 slab = ((size_t)b * H + h * sharing) * pairs + pair;
                    if (t >= from) add_torque(tables->dtable[SLABS] + slab, dy + row, y + row, t, count, half);
                }
}

void dtheta_collect(const Tables *tables, int layer, const real *dq, const real *dk, const real *q, const real *k,
                    int stride, const Place *at, int rows) {
    const Position *pos = tables->pos;
    const int from = tables->stretch->learns ? tables->stretch->long_stretch.unscaled : 0,
              size = pos->shape.heads * rotary_pairs(pos);
    if (!tables->dtable[DTHETA]) return;
    add_torques(tables, dq, q, false, stride, at, rows, from);
    add_torques(tables, dk, k, true, stride, at, rows, from);
    slabs_reduce(tables->dtable[DTHETA] + (size_t)rotary_table(pos, layer) * size, tables->dtable[SLABS], tables->batch,
                 size);
}

// The angles were g t theta, and what backward has added up is d(g theta) of each layer and head. So dg is the sum of
// theta d(g theta), and dtheta = g d(g theta).
static void dtheta_backward(const Tables *tables) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads, pairs = rotary_pairs(pos);
    for (int layer = 0; layer < rotary_layers_apart(pos); layer++) {
        const int set = position_set(pos, layer);
        const real gate = gate_of(pos, layer);
        double dgate = 0;
        for (int h = 0; h < H; h++) {
            real *dtheta = tables->dtable[DTHETA] + ((size_t)layer * H + h) * pairs;
            for (int i = 0; i < pairs; i++) {
                dgate += theta_of(pos, set, h, i) * (double)dtheta[i];
                dtheta[i] *= gate;
            }
            if (position_trained(pos)) angles_of(pos)->theta_backward(pos, set, h, dtheta);
            memset(dtheta, 0, (size_t)pairs * sizeof *dtheta);
        }
        if (pos->gated) *dgate_of(pos, layer) += (real)dgate;
    }
}

void dtheta_layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
    // While factors are trained, rotary_dfactors has its own chain rule.
    if (layer > 0 || !tables->dtable[DTHETA] || tables->stretch->learns) return;
    team_barrier();
#pragma omp single
    dtheta_backward(tables);
}

// Forward was theta' = theta / factor, so d/dlog factor = -theta' d/dtheta'.
void rotary_dfactors(double *dfactors, Tables *tables) {
    const Position *pos = tables->pos;
    const int pairs = rotary_pairs(pos);
    for (int i = 0; i < pairs; i++) {
        double dtheta = 0; // in all heads
        for (int h = 0; h < pos->shape.heads; h++) dtheta += (double)tables->dtable[DTHETA][h * pairs + i];
        dfactors[i] = -theta_of(pos, 0, 0, i) / tables->stretch->long_stretch.factors[i] * dtheta;
    }
    memset(tables->dtable[DTHETA], 0, (size_t)pos->shape.heads * pairs * sizeof(real));
}

// The pairs of a token's queries and keys that turn, in all heads and layers: four products and two sums each, forward
// and backward, and five for the torque where angles are trained.
double rotary_operations(const Position *pos, int T) {
    const double heads = (double)pos->shape.layers * (pos->shape.heads + key_heads(&pos->shape));
    return (6 * 2 + (position_learned(pos) ? 5 : 0)) * heads * rotary_pairs(pos);
}
