// The rotation that every rotary scheme is made from, and what these schemes have in common.
#ifndef BITTER_ROTATE_H
#define BITTER_ROTATE_H

#include "posenc/posenc.h"

// --- one pair of channels of one token, in double, explained in rope.c ---
//
// The angle, in radians, by which pair number `pair` (0 .. d/2-1) turns from one token to the next, where d channels of
// a head turn: base^(-2 pair / d).
double rope_theta(double base, int pair, int d);

// y = R(angle) x. y may be x.
void rope_pair_forward(double y[2], const double x[2], double angle);
// dx = R(-angle) dy. dx may be dy.
void rope_pair_backward(double dx[2], const double dy[2], double angle);
// The gradient of the loss with respect to the angle, from y = R(angle) x and dy.
double rope_pair_torque(const double dy[2], const double y[2]);

// --- all pairs, heads and tokens, fast; tests/posenc/double_rope.c compares the two ---
typedef enum { PAIRING_HALF, PAIRING_INTERLEAVED } Pairing;

typedef struct {
    const real *cosine, *sine; // (coordinates, turned/2) of the angles by which pairs turn
    Axis axis;                 // which coordinate is looked up
    Pairing pairing;
    int heads, head_width, turned; // of the channels of a head, the first `turned` turn
} Rotation;

// Rotate each pair of channels of x (rows, heads * head_width), rows `stride` apart, in place, by `direction` (+1 or
// -1) times the angle of its row's coordinate. Pair i of a head is channels (i, i + turned/2) for HALF (Llama, NeoX),
// (2i, 2i+1) for INTERLEAVED (GPT-J, the paper). Backward of direction +1 is direction -1: a rotation's transpose is
// its inverse. (Su et al. 2021, eq. 34) By rows.
void rotate(real *x, int stride, const Rotation *rotation, const Place *at, int rows, int direction);

// One entry of such tables: length cos(angle) and length sin(angle), worked out in double. At position 131072 a float
// angle is already 0.004 rad off.
void rotation_fill(real *cosine, real *sine, double length, double angle);

// --- schemes that turn queries and keys by t theta_i ---

// The options they share: the first member of each one's options struct, called `rotary`.
typedef struct {
    double base;
    int pairing;
    long long skip;
    double fraction; // of a head's channels that turn; 0 = all
} Rotary;

// `half` is part of a help text: what pairing=half pairs, "(i, i+d/2)" where a whole head of d channels turns.
#define ROTARY_OPTION_ROWS(S, base_preset, half)                                                                       \
    ROTARY_OPTION_ROW(S, "base", OPTION_NUMBER, base, base_preset, 1.000001, HUGE_VAL, NULL, "B",                      \
                      "pair i of n turns by base^(-i/n) radians a token"),                                             \
        ROTARY_OPTION_ROW(S, "pairing", OPTION_CHOICE, pairing, "half", 0, 0, "half|interleaved", "HOW",               \
                          "pair " half ", as Llama and NeoX do, or (2i, 2i+1), as the paper and GPT-J do"),            \
        ROTARY_OPTION_ROW(S, "skip", OPTION_INTEGER, skip, "0", 0, 1000, NULL, "N",                                    \
                          "leave the rotation out in every N-th layer; 0 = in none")
#define ROTARY_OPTION_ROW(S, name, type, member, ...)                                                                  \
    { name, type, offsetof(S, rotary.member), __VA_ARGS__ }

static inline const Rotary *rotary_of(const Position *pos) {
    return (const Rotary *)pos->options;
}

// The pairs of a head that turn.
int rotary_pairs(const Position *pos);

// The rotation of all heads of queries, or `keys`, by t, with these tables (positions, rotary_pairs).
Rotation rotary_rotation(const Position *pos, bool keys, const real *cosine, const real *sine);

// What schemes with a `theta` for each pair, the same in all heads and layers, write into their Scheme.
#define ROTARY_HOOKS                                                                                                   \
    .enters = ENTERS_ROTATION, .relative = true, .check = rotary_check, .length_class = rotary_length_class,           \
    .layout = rotary_layout, .prepare = rotary_prepare, .turn = rotary_turn, .qk_forward = rotary_forward,             \
    .qk_backward = rotary_backward, .operations = rotary_operations, .gated = &rotary_gated

// The angles weighed by trained gates (gated.c).
extern const Gated rotary_gated;

// Hook: refuses an odd head width.
const char *rotary_check(const Position *pos);
// Hook: the same number for lengths of windows that tables->stretch treats alike.
int rotary_length_class(const Tables *tables, int length);
// Hooks: take memory for tables of cosines and sines (positions, pairs); fill them from the scheme's theta, stretched
// by tables->stretch.
void rotary_layout(Tables *tables, Arena *arena, bool training);
void rotary_prepare(Tables *tables);
// Fill such tables with the same angles times `turn`.
void rotary_fill(real *cosine, real *sine, const Tables *tables, double turn);

// The theta hook of the common frequencies: base^(-pair / pairs).
double rotary_theta(const Position *pos, int pair);

// Pairs that make a full turn within `length` tokens.
int rotary_fast_pairs(const Position *pos, int length);

// Forward was y = R(t theta) x for each pair. dtheta (B, H, pairs) += sum of t dphi over the tokens of each sequence
// and head that stand at `from` or later; y and dy are queries (rows, H*d) or `keys` (rows, K*d), rows `stride` apart.
// Called by every thread of a team, ends in a barrier.
void rotary_torque(real *dtheta, const Tables *tables, const real *dy, const real *y, bool keys, int stride,
                   const Place *at, int rows, int from);

// If tables->stretch->learns: turn what backward has added up since the last call into dfactors (pairs), the gradients
// with respect to the logarithms of the factors, and clear it.
void rotary_dfactors(double *dfactors, Tables *tables);

// The turn hook: rotates x by the tables that rotary_prepare has filled.
void rotary_turn(const Tables *tables, int layer, real *x, bool keys, int stride, const Place *at, int rows,
                 int direction);

// Hooks for every scheme with a `turn`: q, k = R(t) q, R(t) k;  dq, dk = R(-t) dq, R(-t) dk.
void rotary_forward(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows);
void rotary_backward(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                     const Place *at, int rows);

// Hook: what these rotations cost a token.
double rotary_operations(const Position *pos, int T);
// The pairs of a token's queries and keys that turn, counted over all heads and all layers that do not go without.
double rotary_all_pairs(const Position *pos);

// Is this one of the layers that go without?
static inline bool rotary_skips(const Position *pos, int layer) {
    return rotary_of(pos)->skip && (layer + 1) % rotary_of(pos)->skip == 0;
}

#endif
