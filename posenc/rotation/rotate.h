// The rotation that every rotary scheme is made from, and what these schemes have in common.
#ifndef BITTER_ROTATE_H
#define BITTER_ROTATE_H

#include "posenc/scheme.h"

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
    const real *cosine, *sine; // (coordinates, turned/2) of the angles by which pairs turn, rows `angles` apart
    int angles;
    Axis axis; // which coordinate is looked up
    Pairing pairing;
    int heads, head_width, turned; // of the channels of a head, the first `turned` turn
} Rotation;

// Rotate each pair of channels of x (rows, heads * head_width), rows `stride` apart, in place, by `direction` (+1 or
// -1) times the angle of its row's coordinate. Pair i of a head is channels (i, i + turned/2) for HALF (Llama, NeoX),
// (2i, 2i+1) for INTERLEAVED (GPT-J, the paper). Backward of direction +1 is direction -1: a rotation's transpose is
// its inverse. (Su et al. 2021, eq. 34) By rows.
void rotate(real *x, int stride, const Rotation *rotation, const Place *at, int rows, int direction);

// The same for the pairs (i, i + pairs) of one head of one token: cosine and sine (pairs) are those of its angles.
void rotate_half(real *x, const real *cosine, const real *sine, int pairs, real direction);

// One entry of such tables: length cos(angle) and length sin(angle), computed in double. At position 131072 a float
// angle is already 0.004 rad off.
void rotation_fill(real *cosine, real *sine, double length, double angle);

// --- the family of rotations: queries and keys are turned by t theta_i ---
extern const Family rotation_family;

// What a scheme writes. theta: the angle, in radians, by which a pair turns per token; `head` is one of the H heads of
// queries. theta_backward, if it is trained: dparams += from dtheta (pairs). by_head: do heads have angles of their own
// (NULL = no)? growth: queries are multiplied and keys divided by it, at t of `positions` (NULL = 1).
typedef struct {
    double (*theta)(const Position *pos, int set, int head, int pair);
    void (*theta_backward)(const Position *pos, int set, int head, const real *dtheta);
    bool (*by_head)(const Position *pos);
    double (*growth)(const Position *pos, int pair, int t, int positions);
} Angles;

#define ROTATION_SCHEME(...) .family = &rotation_family, .operations = rotary_operations, ROTATION_RECIPE(__VA_ARGS__)
#define ROTATION_RECIPE(...)                                                                                           \
    .enters = ENTERS_ROTATION, .relative = true, .check = rotary_check, .length_class = rotary_length_class,           \
    .recipe = &(const Angles) {                                                                                        \
        __VA_ARGS__                                                                                                    \
    }

static inline const Angles *angles_of(const Position *pos) {
    return pos->scheme->recipe;
}

// The options that these schemes share: the first member of each one's options struct, called `rotary`.
typedef struct {
    double base;
    int pairing;
    int skip;        // 0: an option of earlier versions, which is still read
    double fraction; // of a head's channels that turn; 0 = all
    int gate;
    long long axes; // among which pairs are shared out; 0 and 1: all turn by t
} Rotary;

// The options of schemes that have no others.
typedef struct {
    Rotary rotary;
} RotaryOptions;

// `half` is part of a help text: what pairing=half pairs, "(i, i+d/2)" where a whole head of d channels turns.
#define ROTARY_OPTION_ROWS(S, base_preset, half)                                                                       \
    ROTARY_OPTION_ROW(S, "base", OPTION_NUMBER, base, base_preset, 1.000001, HUGE_VAL, NULL, "B",                      \
                      "pair i of n turns by base^(-i/n) radians per token"),                                           \
        ROTARY_OPTION_ROW(S, "pairing", OPTION_CHOICE, pairing, "half", 0, 0, "half|interleaved", "HOW",               \
                          "pair " half ", as Llama and NeoX do, or (2i, 2i+1), as the paper and GPT-J do"),            \
        ROTARY_OPTION_ROW(S, "skip", OPTION_CHOICE, skip, "0", 0, 0, "0", "0",                                         \
                          "of earlier versions; rope*3,none leaves a layer out"),                                      \
        GATE_OPTION_ROW(S, rotary.gate)
#define ROTARY_AXES_ROW(S, preset)                                                                                     \
    ROTARY_OPTION_ROW(S, "axes", OPTION_INTEGER, axes, preset, 1, 4, NULL, "N",                                        \
                      "coordinates by which pairs turn: token, or the last N of document, page, line, column")
#define ROTARY_OPTION_ROW(S, name, type, member, ...)                                                                  \
    { name, type, offsetof(S, rotary.member), __VA_ARGS__ }

extern const Scheme scheme_rope_axes; // rope, with several axes

static inline const Rotary *rotary_of(const Position *pos) {
    return (const Rotary *)pos->options;
}

// Hooks that rotary schemes share (posenc/scheme.h has what each is for). length_class: 0 up to the trained length;
// beyond it, windows with the same stretch have the same number.
const char *rotary_check(const Position *pos);
const char *pairs_check(const Position *pos); // are a head's channels pairs?
int rotary_length_class(const Tables *tables, int length);
double rotary_operations(const Position *pos, int T);

// The common frequencies, base^(-i / n) for pair i of the n pairs of an axis, the same in all sets and heads.
double rotary_theta(const Position *pos, int set, int head, int pair);

// The pairs of a head that turn.
int rotary_pairs(const Position *pos);

// Pairs are shared out among several axes as evenly as possible: axis n has those from rotary_first(pos, n) to
// rotary_first(pos, n + 1). The finest axes of a Place are used: line and column; page, line and column; or all four.
static inline int rotary_axes(const Position *pos) {
    return rotary_of(pos)->axes ? (int)rotary_of(pos)->axes : 1;
}
static inline int rotary_first(const Position *pos, int axis) {
    return axis * rotary_pairs(pos) / rotary_axes(pos);
}
static inline Axis rotary_axis(const Position *pos, int axis) {
    return rotary_axes(pos) == 1 ? AXIS_T : (Axis)(AXIS_COLUMN + 1 - rotary_axes(pos) + axis);
}

// Layers have tables of their own where a gate weighs each, or where they have sets of parameters.
static inline int rotary_layers_apart(const Position *pos) {
    return pos->gated ? pos->shape.layers : pos->sets;
}
// Heads with angles of their own have tables of their own, too. A query turns by the angles of its key's head:
// otherwise their product would not depend on the distance alone.
static inline int rotary_heads_apart(const Position *pos) {
    return angles_of(pos)->by_head && angles_of(pos)->by_head(pos) ? key_heads(&pos->shape) : 1;
}
static inline int rotary_table(const Position *pos, int layer) { // which of these tables a layer has
    return rotary_layers_apart(pos) > 1 ? layer : 0;
}

// Turn x, queries (rows, H*d) or `keys` (rows, K*d) of a layer, in place, by `direction` (+1 or -1) times their angles.
void rotary_turn(const Tables *tables, int layer, real *x, bool keys, int stride, const Place *at, int rows,
                 int direction);

#endif
