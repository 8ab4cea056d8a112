#include "lab/lesson/picture.h"

#include "posenc/pass.h"
#include "posenc/rotation/rotate.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 16 }; // channels of the one head of picture_lengths

double picture_loss(const double x[2], const double dy[2], double angle) {
    double y[2];
    rope_pair_forward(y, x, angle);
    return dy[0] * y[0] + dy[1] * y[1];
}

double picture_slope(const double x[2], const double dy[2], double angle, int channel, double nudge) {
    double above[2] = {x[0], x[1]}, below[2] = {x[0], x[1]};
    above[channel] += nudge;
    below[channel] -= nudge;
    return (picture_loss(above, dy, angle) - picture_loss(below, dy, angle)) / (2 * nudge);
}

double picture_angle_slope(const double x[2], const double dy[2], double angle, double nudge) {
    return (picture_loss(x, dy, angle + nudge) - picture_loss(x, dy, angle - nudge)) / (2 * nudge);
}

// --- lengths ---
typedef struct {
    Position pos;
    Tables tables;
    Arena arena;
    Place *at;             // (T)
    real *q, *k, *dq, *dk; // (T, WIDTH)
} Turned;

static void layout(Turned *turned, int T) {
    Arena *arena = &turned->arena;
    tables_layout(&turned->tables, &turned->pos, arena, T, 1, false);
    turned->at = arena_take(arena, (size_t)T * sizeof *turned->at);
    real **const rows[] = {&turned->q, &turned->k, &turned->dq, &turned->dk};
    for (int i = 0; i < 4; i++) *rows[i] = arena_reals(arena, (size_t)T * WIDTH);
}

bool picture_lengths(double *lengths, const char *scheme, bool keys, int pair, int positions, Error *error) {
    const Shape shape = {.vocab = 2, .context = positions, .layers = 1, .heads = 1, .width = WIDTH};
    Turned turned = {0};
    if (!position_parse(&turned.pos, scheme, error) || !position_fit(&turned.pos, &shape, error)) return false;
    if (turned.pos.scheme->enters != ENTERS_ROTATION || rotary_pairs(&turned.pos) != WIDTH / 2 || pair < 0 ||
        pair >= WIDTH / 2)
        return fail_input(error, "%s does not turn pair %d; rope and xpos turn pairs 0 to %d", scheme, pair,
                          WIDTH / 2 - 1);
    layout(&turned, positions);
    if (!arena_allocate(&turned.arena, "the lengths of gradients", error)) return false;
    layout(&turned, positions);
    tables_prepare(&turned.tables);
    real *gradient = keys ? turned.dk : turned.dq;
    for (int t = 0; t < positions; t++) {
        turned.at[t].t = t;
        gradient[t * WIDTH + pair] = 1; // the pair is channels (pair, pair + WIDTH/2)
    }
    turned.pos.scheme->family->qk_backward(&turned.tables, 0, turned.dq, turned.dk, turned.q, turned.k, WIDTH,
                                           turned.at, positions);
    for (int t = 0; t < positions; t++)
        lengths[t] = hypot((double)gradient[t * WIDTH + pair], (double)gradient[t * WIDTH + pair + WIDTH / 2]);
    arena_free(&turned.arena);
    return true;
}

// --- scores ---
double picture_factors(double *factors, Method method, double factor, int original, double base, int pairs) {
    const FormulaOptions options = {.ramp = RAMP_CODE, .beta_fast = 32, .beta_slow = 1, .low_freq = 1, .high_freq = 4};
    Stretch stretch = {.attention = 1};
    stretch_formula(&stretch, method, &options, factor, original, base, pairs);
    memcpy(factors, stretch.factors, (size_t)pairs * sizeof *factors);
    return stretch.attention;
}

static double score_of_pair(const double q[2], const double k[2], double theta, int m, int n) {
    double turned_q[2], turned_k[2];
    rope_pair_forward(turned_q, q, m * theta);
    rope_pair_forward(turned_k, k, n * theta);
    return turned_q[0] * turned_k[0] + turned_q[1] * turned_k[1];
}

double picture_score(const double *q, const double *k, const double *factors, double base, int pairs, int m, int n) {
    double score = 0;
    for (int i = 0; i < pairs; i++)
        score += score_of_pair(q + 2 * i, k + 2 * i, rope_theta(base, i, 2 * pairs) / factors[i], m, n);
    return score;
}

void picture_scores(double *scores, const double *q, const double *k, const double *factors, double base, int pairs,
                    int positions) {
    for (int i = 0; i < pairs; i++)
        for (int t = 0; t < positions; t++) {
            const double theta = rope_theta(base, i, 2 * pairs) / factors[i];
            scores[i * positions + t] = score_of_pair(q + 2 * i, k + 2 * i, theta, t, 0);
        }
}
