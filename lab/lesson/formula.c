#include "lab/lesson/formula.h"

#include "model/gradcheck.h"
#include "posenc/bias/bias.h"
#include "posenc/registry.h"
#include "posenc/rotation/rotate.h"

#include <stdlib.h>

// A scheme is told by its name, because one with a planted mistake keeps the name and changes hooks.
static bool is(const Scheme *scheme, const Scheme *other) {
    return strcmp(scheme->name, other->name) == 0;
}

bool formula_known(const Scheme *scheme) {
    return is(scheme, &scheme_rope) || is(scheme, &scheme_alibi) || is(scheme, &scheme_learned);
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

// qkv (3C) of one token, queries and keys as they meet.
static void project(double *qkv, const double *x, const Gpt *gpt, int t) {
    const int C = gpt->shape.width, d = head_width(&gpt->shape);
    for (int row = 0; row < 3 * C; row++) {
        qkv[row] = (double)gpt->w.layers[0].qkvb[row];
        for (int c = 0; c < C; c++) qkv[row] += (double)gpt->w.layers[0].qkvw[row * C + c] * x[c];
    }
    if (!is(gpt->pos.part[0].scheme, &scheme_rope) || rotary_skips(&gpt->pos.part[0], 0)) return;
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

bool formula_difference(double *worst, const Gpt *gpt, const TrainPass *pass, const int *ids, Error *error) {
    const int T = pass->T, C = gpt->shape.width, d = head_width(&gpt->shape);
    double *x = calloc((size_t)C + (size_t)T * 3 * (size_t)C + (size_t)T + (size_t)d, sizeof *x);
    if (!x) return fail_run(error, "no memory for the formula of %s", gpt->pos.part[0].scheme->name);
    double *qkv = x + C, *weights = qkv + T * 3 * C, *out = weights + T;
    *worst = 0;
    for (int t = 0; t < T; t++) {
        normalised_input(x, gpt, ids[t], t);
        project(qkv + t * 3 * C, x, gpt, t);
        for (int head = 0; head < gpt->shape.heads; head++) {
            attend(out, weights, qkv, gpt, head, t);
            for (int c = 0; c < d; c++)
                *worst = worse(*worst, fabs(out[c] - (double)pass->layers[0].heads[t * C + head * d + c]));
        }
    }
    free(x);
    return true;
}
