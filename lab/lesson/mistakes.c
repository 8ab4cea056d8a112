#include "lab/lesson/mistakes.h"

#include "posenc/embedding/code.h"
#include "posenc/registry.h"

// --- sign: rope_pair_backward's turn by -angle, written as a turn by +angle ---
static void turn_gradient_forward(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k,
                                  int stride, const Place *at, int rows) {
    rotation_family.qk_forward(tables, layer, dq, dk, stride, at, rows);
}

// --- values: they are turned by the angle of their own token, too ---
//
// The query, key and value of a token lie one after the other.
static void turn_values_too(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    rotation_family.qk_forward(tables, layer, q, k, stride, at, rows);
    rotary_turn(tables, layer, k + tables->pos->shape.width, true, stride, at, rows, +1);
}

static void turn_values_back_too(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k,
                                 int stride, const Place *at, int rows) {
    rotation_family.qk_backward(tables, layer, dq, dk, q, k, stride, at, rows);
    rotary_turn(tables, layer, dk + tables->pos->shape.width, true, stride, at, rows, -1);
}

// --- pairing and cache: mistakes that training does not make ---
//
// A table that only training has tells training from use.
enum { MARK = TABLES_CAPACITY - 1 };

static void layout_marked(Tables *tables, Arena *arena, bool training) {
    rotation_family.layout(tables, arena, training);
    if (training) tables->dtable[MARK] = arena_reals(arena, 1);
}

static bool trains(const Tables *tables) {
    return tables->dtable[MARK] != NULL;
}

static void turn_other_pairs_in_use(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at,
                                    int rows) {
    Position other = *tables->pos;
    Tables in_use = *tables;
    Rotary *rotary = (Rotary *)(void *)other.options;
    if (!trains(tables)) rotary->pairing = rotary->pairing == PAIRING_HALF ? PAIRING_INTERLEAVED : PAIRING_HALF;
    in_use.pos = &other;
    rotation_family.qk_forward(&in_use, layer, q, k, stride, at, rows);
}

// What this hook leaves in k is what goes into the cache.
static void cache_keys_unturned(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at,
                                int rows) {
    if (trains(tables))
        rotation_family.qk_forward(tables, layer, q, k, stride, at, rows);
    else
        rotary_turn(tables, layer, q, false, stride, at, rows, +1);
}

// --- exponent ---
static double theta_of_half_the_exponent(const Position *pos, int set, int head, int pair) {
    return rope_theta(rotary_of(pos)->base, pair, 4 * rotary_pairs(pos));
}

// --- bias ---
static double curve_before_the_scale(const Position *pos, int set, int head, int distance) {
    const Curve *alibi = scheme_alibi.recipe;
    return alibi->curve(pos, set, head, distance) / sqrt(head_width(&pos->shape));
}

// --- dropped ---
static void drop_last_token(const Tables *tables, const real *dx, const Place *at, int rows) {
    code_family.embed_backward(tables, dx, at, rows - 1);
}

const Mistake mistakes[] = {
    {"sign", "The gradient is turned forward by the angle, instead of back.", &scheme_rope,
     .family = {.qk_backward = turn_gradient_forward}},
    {"values", "Values are turned too, just like queries and keys.", &scheme_rope,
     .family = {.qk_forward = turn_values_too, .qk_backward = turn_values_back_too}},
    {"pairing", "In training, channels i and i+d/2 form a pair; in use, channels 2i and 2i+1.", &scheme_rope,
     .family = {.layout = layout_marked, .qk_forward = turn_other_pairs_in_use}},
    {"exponent", "Pair i turns by b^(-i/d) radians per token, instead of b^(-2i/d).", &scheme_rope,
     .theta = theta_of_half_the_exponent},
    {"bias", "The bias is added before the score is divided by sqrt(d), instead of after.", &scheme_alibi,
     .curve = curve_before_the_scale},
    {"cache", "In use, keys go into the cache unturned, and nothing turns them later.", &scheme_rope,
     .family = {.layout = layout_marked, .qk_forward = cache_keys_unturned}},
    {"dropped", "The gradient of the table of positions leaves out the last token.", &scheme_learned,
     .family = {.embed_backward = drop_last_token}},
    {0},
};

const Mistake *mistake_find(const char *name, Error *error) {
    const Mistake *m = mistakes;
    while (m->name && strcmp(m->name, name) != 0) m++;
    if (m->name) return m;
    fail_input(error, "there is no mistake '%s'; choose sign, values, pairing, exponent, bias, cache or dropped", name);
    return NULL;
}

void mistake_plant(Planted *wrong, const Mistake *mistake) {
    const Family *hooks = &mistake->family;
    Scheme *scheme = &wrong->scheme;
    Family *family = &wrong->family;
    *wrong = (Planted){.scheme = *mistake->right, .family = *mistake->right->family};
    wrong->angles = (Angles){.theta = mistake->theta};
    wrong->curve = (Curve){.curve = mistake->curve};
    scheme->family = family;
    if (mistake->theta) scheme->recipe = &wrong->angles;
    if (mistake->curve) scheme->recipe = &wrong->curve;
    if (hooks->layout) family->layout = hooks->layout;
    if (hooks->qk_forward) family->qk_forward = hooks->qk_forward;
    if (hooks->qk_backward) family->qk_backward = hooks->qk_backward;
    if (hooks->embed_backward) family->embed_backward = hooks->embed_backward;
}
