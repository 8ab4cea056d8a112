#include "lab/lesson/pair.h"

#include "posenc/rotation/rotate.h"
#include "posenc/pass.h"

#include <math.h>
#include <string.h>

#define STEP 1e-5 // of differences: their error, STEP^2 / 6 times the third derivative, is near that of rounding

static double dot(const double a[2], const double b[2]) {
    return a[0] * b[0] + a[1] * b[1];
}

void pair_forward(PairForward *f, const Pair *pair) {
    rope_pair_forward(f->turned_q, pair->q, pair->m * pair->theta);
    rope_pair_forward(f->turned_k, pair->k, pair->n * pair->theta);
    f->score = dot(f->turned_q, f->turned_k);
    // log(1 + e^-score), written so that e^ of a large number is never taken
    f->loss = fmax(-f->score, 0) + log1p(exp(-fabs(f->score)));
    f->chance = exp(-f->loss);
}

// Forward was angle = t theta, y = R(angle) x; score = yq . yk; loss = -log(1 / (1 + e^-score)). Backward reads it from
// right to left.
void pair_backward(PairBackward *b, const PairForward *f, const Pair *pair, int direction) {
    b->dscore = expm1(-f->loss); // chance - 1, with all its digits where chance is near 1
    for (int c = 0; c < 2; c++) {
        b->dturned_q[c] = b->dscore * f->turned_k[c];
        b->dturned_k[c] = b->dscore * f->turned_q[c];
    }
    rope_pair_backward(b->d.q, b->dturned_q, -direction * pair->m * pair->theta);
    rope_pair_backward(b->d.k, b->dturned_k, -direction * pair->n * pair->theta);
    b->torque_q = rope_pair_torque(b->dturned_q, f->turned_q);
    b->torque_k = rope_pair_torque(b->dturned_k, f->turned_k);
    b->d.m = pair->theta * b->torque_q;
    b->d.n = pair->theta * b->torque_k;
    b->d.theta = pair->m * b->torque_q + pair->n * b->torque_k;
}

static double *number(Pair *pair, int which) {
    double *const numbers[PAIR_NUMBERS] = {&pair->q[0], &pair->q[1], &pair->k[0], &pair->k[1],
                                           &pair->m,    &pair->n,    &pair->theta};
    return numbers[which];
}

double pair_number(const Pair *pair, int which) {
    Pair copy = *pair;
    return *number(&copy, which);
}

static double loss_beside(const Pair *pair, int which, double step) {
    Pair moved = *pair;
    PairForward forward;
    *number(&moved, which) += step;
    pair_forward(&forward, &moved);
    return forward.loss;
}

double pair_slope(const Pair *pair, int which) {
    // theta counts once for every token between the two, so its step is smaller by as much.
    const double h = which == PAIR_NUMBERS - 1 ? STEP / (1 + fabs(pair->m - pair->n)) : STEP;
    return (loss_beside(pair, which, h) - loss_beside(pair, which, -h)) / (2 * h);
}

double pair_score_by_distance(const Pair *pair) {
    double turned[2];
    rope_pair_forward(turned, pair->k, (pair->n - pair->m) * pair->theta);
    return dot(pair->q, turned);
}

void pair_lengths(double *lengths, const double d[2], const double matrix[4], int times) {
    double d0 = d[0], d1 = d[1];
    for (int i = 0; i <= times; i++) {
        lengths[i] = hypot(d0, d1);
        const double next = matrix[0] * d0 + matrix[2] * d1;
        d1 = matrix[1] * d0 + matrix[3] * d1;
        d0 = next;
    }
}

// --- the task ---

// weights (tokens) = softmax of the scores; returns -log of weights[target].
static double attend(double *weights, int tokens, int target) {
    double largest = weights[0];
    for (int j = 1; j < tokens; j++) largest = fmax(largest, weights[j]);
    const double loss = largest - weights[target];
    double sum = weights[0] = exp(weights[0] - largest);
    for (int j = 1; j < tokens; j++) sum += weights[j] = exp(weights[j] - largest);
    for (int j = 0; j < tokens; j++) weights[j] /= sum;
    return loss + log(sum);
}

// Is this a whole number from `least` to `most`?
static bool whole(double number, double least, double most) {
    return number >= least && number <= most && number == floor(number);
}

double pair_task(double *dtheta, double *attention, double theta, const PairTask *task) {
    if (!whole(task->tokens, 1, PAIR_TASK_TOKENS) || !whole(task->ago, 0, task->tokens - 1)) return NAN;
    const int T = (int)task->tokens, ago = (int)task->ago, last = T - 1;
    const double query[2] = {task->strength, 0};
    double weights[PAIR_TASK_TOKENS] = {0}, turned_k[PAIR_TASK_TOKENS][2], key[2], turned_q[2], dturned_q[2] = {0};
    rope_pair_forward(key, (const double[2]){1, 0}, task->phase);
    rope_pair_forward(turned_q, query, last * theta);
    for (int j = 0; j < T; j++) {
        rope_pair_forward(turned_k[j], key, (last - j) * theta);
        weights[j] = dot(turned_q, turned_k[j]);
    }
    const double loss = attend(weights, T, ago);
    *dtheta = 0;
    for (int j = 0; j < T; j++) {
        const double dscore = weights[j] - (j == ago);
        const double dturned_k[2] = {dscore * turned_q[0], dscore * turned_q[1]};
        *dtheta += (last - j) * rope_pair_torque(dturned_k, turned_k[j]);
        for (int c = 0; c < 2; c++) dturned_q[c] += dscore * turned_k[j][c];
    }
    *dtheta += last * rope_pair_torque(dturned_q, turned_q);
    for (int j = 0; attention && j < T; j++) attention[j] = weights[j];
    return loss;
}

double pair_task_step(double theta, double rate, const PairTask *task) {
    double dtheta = 0;
    pair_task(&dtheta, NULL, theta, task);
    return theta * exp(fmax(-0.1, fmin(0.1, -rate * theta * dtheta)));
}

// --- pictures ---

enum { WIDTH = 16 }; // channels of the one head of picture_lengths

double picture_loss(const double x[2], const double dy[2], double angle) {
    double y[2];
    rope_pair_forward(y, x, angle);
    return dy[0] * y[0] + dy[1] * y[1];
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
    Stretch stretch = {.attention = 1};
    stretch_formula(&stretch, method, &formula_defaults, factor, original, base, pairs);
    memcpy(factors, stretch.factors, (size_t)pairs * sizeof *factors);
    return stretch.attention;
}

double picture_score(const double *q, const double *k, const double *factors, double base, int pairs, int m, int n) {
    double score = 0;
    for (int i = 0; i < pairs; i++) {
        const double theta = rope_theta(base, i, 2 * pairs) / factors[i];
        double turned_q[2], turned_k[2];
        rope_pair_forward(turned_q, q + 2 * i, m * theta);
        rope_pair_forward(turned_k, k + 2 * i, n * theta);
        score += dot(turned_q, turned_k);
    }
    return score;
}
