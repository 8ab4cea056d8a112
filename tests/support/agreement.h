// Compares training's forward pass with inference's, which uses a key cache: the same numbers, in float and in double.
#ifndef BITTER_AGREEMENT_H
#define BITTER_AGREEMENT_H

#include "model/infer.h"
#include "tests/support/little_model.h"

// Longer than two blocks of queries, and not a multiple of a block or of a chunk; three heads are not a power of two.
enum { AGREEMENT_T = 150, AGREEMENT_V = 31, AGREEMENT_B = 2 };

static const Shape agreement_shape = {
    .vocab = AGREEMENT_V, .context = AGREEMENT_T, .layers = 2, .heads = 3, .width = 24};

typedef struct {
    Gpt gpt;
    TrainPass pass;
    int ids[AGREEMENT_B * AGREEMENT_T], targets[AGREEMENT_B * AGREEMENT_T];
} Agreement;

// -log softmax(logits)[target], in double.
static inline double nll_of(const real *logits, int V, int target) {
    real largest = logits[0];
    for (int v = 1; v < V; v++) largest = logits[v] > largest ? logits[v] : largest;
    double sum = 0;
    for (int v = 0; v < V; v++) sum += exp((double)logits[v] - (double)largest);
    return log(sum) + (double)largest - (double)logits[target];
}

// Feed B sequences `chunk` tokens at a time; the largest difference between a token's nll, and one worked out from its
// logits, and the nll of the training pass; infinite if any of them is not finite.
static inline double feeding_error(Agreement *a, int B, int chunk) {
    Inference inference;
    Error error;
    double worst = 0;
    real *logits = malloc((size_t)B * (size_t)chunk * AGREEMENT_V * sizeof *logits);
    must(inference_create(&inference, &a->gpt, B, AGREEMENT_T, chunk, &error), &error);
    for (int at = 0; at < AGREEMENT_T; at += chunk) {
        int ids[AGREEMENT_B * AGREEMENT_T], targets[AGREEMENT_B * AGREEMENT_T];
        double nll[AGREEMENT_B * AGREEMENT_T];
        const int n = AGREEMENT_T - at < chunk ? AGREEMENT_T - at : chunk;
        for (int b = 0; b < B; b++) {
            memcpy(ids + b * n, a->ids + b * AGREEMENT_T + at, (size_t)n * sizeof *ids);
            memcpy(targets + b * n, a->targets + b * AGREEMENT_T + at, (size_t)n * sizeof *targets);
        }
        inference_feed(&inference, &a->gpt, ids, n);
        inference_nll(nll, &inference, &a->gpt, targets, n);
        inference_logits(logits, &inference, &a->gpt, n);
        for (int r = 0; r < B * n; r++) {
            const double expected = a->pass.nll[r / n * AGREEMENT_T + at + r % n];
            const double by_logits = nll_of(logits + (size_t)r * AGREEMENT_V, AGREEMENT_V, targets[r]);
            const bool finite = isfinite(nll[r]) && isfinite(by_logits) && isfinite(expected);
            const double difference = fmax(fabs(nll[r] - expected), fabs(by_logits - expected));
            worst = fmax(worst, finite ? difference : INFINITY);
        }
    }
    inference_free(&inference);
    free(logits);
    return worst;
}

// Place the tokens as training does if it draws the same coordinates as the key cache.
static inline void places_as_fed(Agreement *a) {
    Inference inference;
    Error error;
    must(inference_create(&inference, &a->gpt, 1, AGREEMENT_T, 1, &error), &error);
    for (int b = 0; b < AGREEMENT_B; b++) {
        Place cursor = {0};
        for (int r = b * AGREEMENT_T; r < (b + 1) * AGREEMENT_T; r++) {
            const Place place = place_next(&cursor, a->ids[r], a->gpt.pos.rule);
            a->pass.at[r] = place_drawn(&place, inference.drawn);
        }
    }
    inference_free(&inference);
}

// Two sequences token by token, one in chunks of 7, and two all at once.
static inline void expect_agreement(Agreement *a, const char *scheme, double tolerance) {
    static const int chunks[] = {1, 7, AGREEMENT_T}, sequences[] = {AGREEMENT_B, 1, AGREEMENT_B};
    train_pass_embed(&a->pass, &a->gpt, a->ids);
    places_as_fed(a);
    train_pass_forward(&a->pass, &a->gpt);
    train_pass_loss(&a->pass, &a->gpt, a->targets);
    for (int c = 0; c < 3; c++) {
        const double worst = feeding_error(a, sequences[c], chunks[c]);
        if (!(worst <= tolerance))
            fail_msg("%s, random positions %d, B %d, chunks of %d: off by %g", scheme, a->gpt.shape.random_positions,
                     sequences[c], chunks[c], worst);
    }
}

// One scheme, on text with lines and documents.
static inline void scheme_agrees(const char *scheme, const Shape *shape, double tolerance) {
    static Agreement a;
    training_make(&a.gpt, &a.pass, scheme, shape, AGREEMENT_B, AGREEMENT_T);
    a.gpt.pos.rule = text_rule;
    text_make(a.ids, AGREEMENT_B * AGREEMENT_T, AGREEMENT_V, 1);
    ids_make(a.targets, AGREEMENT_B * AGREEMENT_T, AGREEMENT_V, 2);
    expect_agreement(&a, scheme, tolerance);
    training_free(&a.gpt, &a.pass);
}

// Every scheme with every option, at the tokens' own positions, and every scheme at random ones.
static inline void chunks_agree_with_training(double tolerance) {
    char scheme[TEXT_CAPACITY];
    Shape drawn = agreement_shape;
    drawn.random_positions = 400;
    for (int i = 0; scheme_variant(scheme, &agreement_shape, i); i++)
        scheme_agrees(scheme, &agreement_shape, tolerance);
    for (int i = 0; schemes[i]; i++) scheme_agrees(schemes[i]->name, &drawn, tolerance);
}

#endif
