#include "lab/eval/attended.h"

#include "train/evaluate.h"

#include <stdlib.h>

static bool attended_create(Attended *a, int layers, int heads, int T, Error *error) {
    const size_t all = (size_t)layers * (size_t)heads;
    *a = (Attended){.layers = layers, .heads = heads, .T = T};
    a->by_distance = calloc(all * ((size_t)T + 3), sizeof *a->by_distance);
    if (!a->by_distance) return fail_run(error, "no memory for the attention of %zu heads at %d distances", all, T);
    a->distance = a->by_distance + all * (size_t)T;
    a->entropy = a->distance + all;
    a->first = a->entropy + all;
    return true;
}

void attended_free(Attended *a) {
    free(a->by_distance);
    *a = (Attended){0};
}

// Add the probabilities P (t + 1) of the query at t; heads are numbered through all layers.
static void add_query(Attended *a, int head, const real *P, int t) {
    double *by_distance = a->by_distance + (size_t)head * a->T, distance = 0, entropy = 0;
    for (int j = 0; j <= t; j++) {
        const double p = (double)P[j];
        by_distance[t - j] += p;
        distance += p * (t - j);
        entropy -= p > 0 ? p * log(p) : 0;
    }
    a->distance[head] += distance;
    a->entropy[head] += entropy;
    a->first[head] += (double)P[0];
}

// Turn sums over the queries of `windows` windows into means.
static void divide(Attended *a, int windows) {
    for (int head = 0; head < a->layers * a->heads; head++) {
        const double queries = (double)windows * a->T;
        for (int d = 0; d < a->T; d++) a->by_distance[(size_t)head * a->T + d] /= (double)windows * (a->T - d);
        a->distance[head] /= queries;
        a->entropy[head] /= queries;
        a->first[head] /= queries;
    }
}

// Add one window, a block of queries at a time, so that their P (L, H, n, keys) stays small.
static void add_window(Attended *a, Inference *inference, const Gpt *gpt, const int *ids) {
    inference_restart(inference);
    while (inference->length < a->T) {
        const int at = inference->length, n = a->T - at < inference->chunk ? a->T - at : inference->chunk;
        inference_feed(inference, gpt, ids + at, n);
        for (int head = 0; head < a->layers * a->heads; head++)
            for (int i = 0; i < n; i++) add_query(a, head, inference->P + ((size_t)head * n + i) * (at + n), at + i);
    }
}

bool attended_measure(Attended *a, const Gpt *gpt, const int *ids, int windows, int T, Error *error) {
    const Shape *shape = &gpt->shape;
    Inference inference = {0};
    *a = (Attended){0};
    if (!length_check(gpt, T, error) || !attended_create(a, shape->layers, shape->heads, T, error)) return false;
    bool ok = inference_create(&inference, gpt, 1, T, QUERY_BLOCK, error);
    if (ok) {
        inference.P = malloc((size_t)shape->layers * shape->heads * inference.chunk * T * sizeof(real));
        ok = inference.P || fail_run(error, "no memory for the attention of %d queries to %d keys in %d layers",
                                     inference.chunk, T, shape->layers);
    }
    for (int w = 0; ok && w < windows; w++) add_window(a, &inference, gpt, ids + (size_t)w * T);
    if (ok)
        divide(a, windows);
    else
        attended_free(a);
    free(inference.P);
    inference_free(&inference);
    return ok;
}
