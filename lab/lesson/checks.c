#include "lab/lesson/checks.h"

#include "base/random.h"
#include "model/gradcheck.h"
#include "model/infer.h"
#include "posenc/bias/bias.h"
#include "posenc/registry.h"
#include "posenc/rotation/rotate.h"

#include <assert.h>
#include <stdlib.h>

#define SEED  1
#define SHIFT 13 // tokens
#define EXACT (sizeof(real) == sizeof(double) ? 1e-9 : 1e-3)

const CheckInfo checks[CHECKS] = {
    [CHECK_GRADIENT] = {"gradient", "gradients against central differences", 1e-6},
    [CHECK_LENGTH] = {"length", "lengths before and after the turn, forward and backward", EXACT},
    [CHECK_SHIFT] = {"shift", "losses before and after a shift of all tokens", EXACT},
    [CHECK_FORMULA] = {"formula", "the first layer against the paper's formula in plain loops", EXACT},
    [CHECK_USE] = {"use", "losses token by token, with a cache, against training", EXACT},
};

bool check_notices(const CheckResult *result, Check check) {
    return result->applies && !(result->error <= checks[check].tolerance);
}

// --- a random little model and one sequence ---
enum { T_MOST = 32, C_MOST = 16 };

typedef struct {
    Gpt gpt;
    TrainPass pass;
    int ids[T_MOST], targets[T_MOST];
    double nll[T_MOST];
    real qkv[T_MOST * 3 * C_MOST], before[T_MOST * 3 * C_MOST]; // (T, 3C)
} Trial;

// Weights far from their initial values, so that attention is sharp and no term is small.
static void randomise(Trial *trial, int T) {
    Gpt *gpt = &trial->gpt;
    Random ids = {random_key(SEED, "ids"), 0};
    gpt_init(gpt, SEED);
    for (size_t n = 0; n < gpt->tensors.total; n++) gpt->params[n] += (real)(0.4 * random_normal(SEED, n));
    mix_project(&gpt->pos);
    for (int t = 0; t < T; t++) {
        trial->ids[t] = random_below(&ids, gpt->shape.vocab);
        trial->targets[t] = random_below(&ids, gpt->shape.vocab);
    }
}

// The sequence fills pos->shape.context; the model has room for it SHIFT tokens further on.
static bool trial_create(Trial *trial, const Mix *pos, Error *error) {
    const int T = pos->shape.context;
    Mix longer = *pos;
    Shape shape = pos->shape;
    assert(T <= T_MOST && shape.width <= C_MOST);
    *trial = (Trial){0};
    shape.context += SHIFT;
    if (!mix_fit(&longer, &shape, error) || !gpt_create(&trial->gpt, &shape, &longer, true, error) ||
        !train_pass_create(&trial->pass, &trial->gpt, 1, T, error))
        return false;
    randomise(trial, T);
    return true;
}

static void trial_free(Trial *trial) {
    train_pass_free(&trial->pass);
    gpt_free(&trial->gpt);
}

// Forward, as training does it, with all tokens `shift` places further on; the losses are in pass.nll.
static void train_forward(Trial *trial, int shift) {
    TrainPass *pass = &trial->pass;
    train_pass_embed(pass, &trial->gpt, trial->ids);
    for (int t = 0; t < pass->T; t++) {
        pass->at[t].t += shift;
        pass->at[t].column += shift;
    }
    train_pass_forward(pass, &trial->gpt);
    train_pass_loss(pass, &trial->gpt, trial->targets);
}

// --- the checks ---
static bool check_gradient(CheckResult *result, const Mix *pos, Error *error) {
    const GradcheckSettings settings = {.B = 2, .T = pos->shape.context, .seed = SEED};
    GradientError *errors;
    int count;
    result->applies = sizeof(real) == sizeof(double);
    if (!result->applies) return true;
    const bool finite = gradcheck(&errors, &count, pos, &settings, error);
    result->error = finite ? gradcheck_worst(errors, count) : NAN;
    free(errors);
    return finite || error->kind == ERROR_NONFINITE;
}

// The largest relative change of the length of a head's query, key or value.
static double resizing(const Trial *trial) {
    const int C = trial->gpt.shape.width, d = head_width(&trial->gpt.shape);
    double worst = 0;
    for (int at = 0; at < trial->pass.T * 3 * C; at += d) {
        double before = 0, after = 0;
        for (int c = at; c < at + d; c++) {
            before += (double)trial->before[c] * (double)trial->before[c];
            after += (double)trial->qkv[c] * (double)trial->qkv[c];
        }
        worst = worse(worst, fabs(sqrt(after / before) - 1));
    }
    return worst;
}

static void fill_random(Trial *trial, const char *purpose) {
    const uint64_t key = random_key(SEED, purpose);
    for (int n = 0; n < trial->pass.T * 3 * trial->gpt.shape.width; n++)
        trial->qkv[n] = trial->before[n] = (real)random_normal(key, (uint64_t)n);
}

static void check_length(CheckResult *result, Trial *trial) {
    const Scheme *scheme = trial->gpt.pos.part[0].scheme;
    const TrainPass *pass = &trial->pass;
    const int C = trial->gpt.shape.width, T = pass->T;
    result->applies = scheme->enters == ENTERS_ROTATION;
    if (!result->applies) return;
    train_forward(trial, 0);
    fill_random(trial, "qkv");
    scheme->family->qk_forward(&pass->tables.part[0], 0, trial->qkv, trial->qkv + C, 3 * C, pass->at, T);
    result->error = resizing(trial);
    const real *q = pass->layers[0].qkv;
    fill_random(trial, "dqkv");
    scheme->family->qk_backward(&pass->tables.part[0], 0, trial->qkv, trial->qkv + C, q, q + C, 3 * C, pass->at, T);
    result->error = worse(result->error, resizing(trial));
}

static double largest_difference(const double *a, const double *b, int count) {
    double worst = 0;
    for (int t = 0; t < count; t++) worst = worse(worst, fabs(a[t] - b[t]));
    return worst;
}

static void check_shift(CheckResult *result, Trial *trial) {
    result->applies = trial->gpt.pos.part[0].scheme->relative;
    if (!result->applies) return;
    train_forward(trial, 0);
    memcpy(trial->nll, trial->pass.nll, (size_t)trial->pass.T * sizeof(double));
    train_forward(trial, SHIFT);
    result->error = largest_difference(trial->pass.nll, trial->nll, trial->pass.T);
}

static bool check_use(CheckResult *result, Trial *trial, Error *error) {
    Inference inference;
    result->applies = true;
    train_forward(trial, 0);
    const bool ok = inference_create(&inference, &trial->gpt, 1, trial->pass.T, 1, error);
    for (int t = 0; ok && t < trial->pass.T; t++) {
        inference_feed(&inference, &trial->gpt, &trial->ids[t], 1);
        inference_nll(&trial->nll[t], &inference, &trial->gpt, &trial->targets[t], 1);
    }
    if (ok) result->error = largest_difference(trial->nll, trial->pass.nll, trial->pass.T);
    inference_free(&inference);
    return ok;
}

// --- the formulas of papers in plain loops, one token and one head at a time, in double: nothing in common with the
// model's own code but the weights --- Schemes are compared by name, because one with a planted mistake keeps the name
// and changes hooks.
static bool is(const Scheme *scheme, const Scheme *other) {
    return strcmp(scheme->name, other->name) == 0;
}

// x (C) = the token's embedding and its code, normalised to mean 0 and variance 1, then scaled and shifted.
static void normalised_input(double *x, const Gpt *gpt, int id, int t) {
    const int C = gpt->shape.width;
    const bool learned = is(gpt->pos.part[0].scheme, &scheme_learned);
    double mean = 0, variance = 0;
    for (int c = 0; c < C; c++) {
        x[c] = (double)gpt->w.wte[id * C + c] + (learned ? (double)gpt->pos.part[0].params[0][t * C + c] : 0);
        mean += x[c] / C;
    }
    for (int c = 0; c < C; c++) variance += (x[c] - mean) * (x[c] - mean) / C;
    for (int c = 0; c < C; c++)
        x[c] = (x[c] - mean) / sqrt(variance + NORM_EPSILON) * (double)gpt->w.layers[0].ln1w[c] +
               (double)gpt->w.layers[0].ln1b[c];
}

// Pair i of a head is channels i and i + d/2, or 2i and 2i+1.
static void turn(double *x, const Position *pos, int t) {
    const int d = head_width(&pos->shape);
    const Rotary *rotary = rotary_of(pos);
    for (int i = 0; i < d / 2; i++) {
        const int first = rotary->pairing == PAIRING_HALF ? i : 2 * i,
                  second = rotary->pairing == PAIRING_HALF ? i + d / 2 : 2 * i + 1;
        double pair[2] = {x[first], x[second]};
        rope_pair_forward(pair, pair, t * rope_theta(rotary->base, i, d));
        x[first] = pair[0];
        x[second] = pair[1];
    }
}

// qkv (3C) of one token; rope has turned the query and the key.
static void project(double *qkv, const double *x, const Gpt *gpt, int t) {
    const int C = gpt->shape.width, d = head_width(&gpt->shape);
    for (int row = 0; row < 3 * C; row++) {
        qkv[row] = (double)gpt->w.layers[0].qkvb[row];
        for (int c = 0; c < C; c++) qkv[row] += (double)gpt->w.layers[0].qkvw[row * C + c] * x[c];
    }
    if (!is(gpt->pos.part[0].scheme, &scheme_rope)) return;
    for (int c = 0; c < 2 * C; c += d) turn(qkv + c, &gpt->pos.part[0], t);
}

// out (d) = sum over the tokens j <= t of softmax(q_t . k_j / sqrt(d) + bias) v_j, from qkv (T, 3C). `weights` (T) is
// overwritten.
static void attend(double *out, double *weights, const double *qkv, const Gpt *gpt, int head, int t) {
    const int C = gpt->shape.width, H = gpt->shape.heads, d = head_width(&gpt->shape);
    const double slope = is(gpt->pos.part[0].scheme, &scheme_alibi) ? alibi_slope(head, H) : 0,
                 *q = qkv + t * 3 * C + head * d;
    double largest = -INFINITY, sum = 0;
    for (int j = 0; j <= t; j++) {
        const double *k = qkv + j * 3 * C + C + head * d;
        weights[j] = 0;
        for (int c = 0; c < d; c++) weights[j] += q[c] * k[c] / sqrt(d);
        weights[j] -= slope * (t - j);
        largest = fmax(largest, weights[j]);
    }
    for (int j = 0; j <= t; j++) sum += weights[j] = exp(weights[j] - largest);
    for (int c = 0; c < d; c++) out[c] = 0;
    for (int j = 0; j <= t; j++)
        for (int c = 0; c < d; c++) out[c] += weights[j] / sum * qkv[j * 3 * C + 2 * C + head * d + c];
}

// The largest difference between the outputs of the first layer's heads by the formula and those that the training pass
// has left.
static double formula_difference(const Trial *trial) {
    const Gpt *gpt = &trial->gpt;
    const int T = trial->pass.T, C = gpt->shape.width, d = head_width(&gpt->shape);
    double x[C_MOST], qkv[T_MOST * 3 * C_MOST], weights[T_MOST], out[C_MOST], worst = 0;
    for (int t = 0; t < T; t++) {
        normalised_input(x, gpt, trial->ids[t], t);
        project(qkv + t * 3 * C, x, gpt, t);
        for (int head = 0; head < gpt->shape.heads; head++) {
            attend(out, weights, qkv, gpt, head, t);
            for (int c = 0; c < d; c++)
                worst = worse(worst, fabs(out[c] - (double)trial->pass.layers[0].heads[t * C + head * d + c]));
        }
    }
    return worst;
}

static void check_formula(CheckResult *result, Trial *trial) {
    const Scheme *scheme = trial->gpt.pos.part[0].scheme;
    result->applies = is(scheme, &scheme_rope) || is(scheme, &scheme_alibi) || is(scheme, &scheme_learned);
    if (!result->applies) return;
    train_forward(trial, 0);
    result->error = formula_difference(trial);
}

// --- one of them ---

bool check_run(CheckResult *result, Check check, const Mix *pos, Error *error) {
    Trial trial;
    *result = (CheckResult){0};
    if (check == CHECK_GRADIENT) return check_gradient(result, pos, error);
    bool ok = trial_create(&trial, pos, error);
    if (ok && check == CHECK_LENGTH) check_length(result, &trial);
    if (ok && check == CHECK_SHIFT) check_shift(result, &trial);
    if (ok && check == CHECK_FORMULA) check_formula(result, &trial);
    if (ok && check == CHECK_USE) ok = check_use(result, &trial, error);
    trial_free(&trial);
    return ok;
}
