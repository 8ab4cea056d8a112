// Attention by distance: its probabilities are those of training, and attention that is known in advance is found.
#include "lab/eval/attended.h"
#include "model/infer.h"
#include "tests/support/little_model.h"

// Longer than two blocks of queries, and not a multiple of a block.
enum { T = 150, VOCAB = 31, HEADS = 3, LAYERS = 2, WIDTH = 24, D = WIDTH / HEADS };

static const Shape shape = {.vocab = VOCAB, .context = T, .layers = LAYERS, .heads = HEADS, .width = WIDTH};

static Attended measured(const Gpt *gpt, const int *ids, int windows, int length) {
    Attended attended;
    Error error;
    must(attended_measure(&attended, gpt, ids, windows, length, &error), &error);
    assert_int_equal(attended.T, length);
    return attended;
}

// The measured probabilities are those of training: their products with the values equal the heads' outputs of a
// training pass. The schemes have no positions, a rotation, biases (fixed, in buckets, made by a network), gates, or
// scores of their own, with parameters for all layers or for each.
static void probabilities_are_those_of_training(void **state) {
    static const char *const specifications[] = {"none", "sinusoidal",     "rope",     "alibi", "t5:layers=own",
                                                 "fire", "transformer-xl", "cope",     "fox",   "cable",
                                                 "path", "pope",           "selective"};
    int ids[T], targets[T] = {0};
    ids_make(ids, T, VOCAB, 5);
    for (size_t s = 0; s < COUNT(specifications); s++) {
        Gpt gpt;
        TrainPass pass;
        Inference inference;
        Error error;
        training_make(&gpt, &pass, specifications[s], &shape, 1, T);
        train_pass_embed(&pass, &gpt, ids);
        train_pass_forward(&pass, &gpt);
        train_pass_loss(&pass, &gpt, targets);
        must(inference_create(&inference, &gpt, 1, T, T, &error), &error);
        inference.P = nan_reals((size_t)LAYERS * HEADS * T * T);
        inference_feed(&inference, &gpt, ids, T);
        for (int head = 0; head < LAYERS * HEADS; head++)
            for (int i = 0; i < T; i++)
                for (int c = 0; c < D; c++) {
                    const LayerActivations *a = &pass.layers[head / HEADS];
                    const int channel = head % HEADS * D + c;
                    double out = 0;
                    for (int j = 0; j <= i; j++)
                        out += (double)inference.P[((size_t)head * T + (size_t)i) * T + (size_t)j] *
                               (double)a->qkv[j * 3 * WIDTH + 2 * WIDTH + channel];
                    expect_near(specifications[s], (size_t)i, (double)a->heads[i * WIDTH + channel], out, 2e-4);
                }
        free(inference.P);
        inference_free(&inference);
        training_free(&gpt, &pass);
    }
}

// Each window is a separate text, and all windows have the same weight.
static void windows_are_averaged(void **state) {
    int ids[2 * T];
    Gpt gpt;
    model_make(&gpt, "fox", &shape, false);
    ids_make(ids, 2 * T, VOCAB, 7);
    Attended both = measured(&gpt, ids, 2, T), one = measured(&gpt, ids, 1, T), other = measured(&gpt, ids + T, 1, T);
    const size_t all = LAYERS * HEADS * (T + 3); // the four arrays stand one behind the other
    for (size_t n = 0; n < all; n++)
        expect_near("mean", n, both.by_distance[n], (one.by_distance[n] + other.by_distance[n]) / 2, 1e-9 * T);
    attended_free(&both), attended_free(&one), attended_free(&other);
    gpt_free(&gpt);
}

// Windows may be longer than in training if the scheme is defined there.
static void windows_may_be_longer_than_training(void **state) {
    Shape brief = shape;
    brief.context = 40;
    int ids[T];
    Gpt gpt, trained_brief;
    model_make(&gpt, "alibi", &shape, false);
    model_make(&trained_brief, "alibi", &brief, false);
    ids_make(ids, T, VOCAB, 8);
    Attended a = measured(&gpt, ids, 1, T), b = measured(&trained_brief, ids, 1, T);
    assert_memory_equal(a.by_distance, b.by_distance, LAYERS * HEADS * T * sizeof(double));
    attended_free(&a), attended_free(&b);
    gpt_free(&gpt), gpt_free(&trained_brief);

    Error error = {0};
    model_make(&gpt, "learned", &brief, false);
    assert_false(attended_measure(&a, &gpt, ids, 1, T, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_null(a.by_distance);
    gpt_free(&gpt);
}

// --- attention that is known ---
// Queries that are 0 leave the scores to the scheme.
static void silence_queries(Gpt *gpt) {
    for (int l = 0; l < LAYERS; l++) {
        memset(gpt->w.layers[l].qkvw, 0, (size_t)WIDTH * WIDTH * sizeof(real));
        memset(gpt->w.layers[l].qkvb, 0, (size_t)WIDTH * sizeof(real));
    }
}

static void uniform_attention_is_known(void **state) {
    int ids[T];
    Gpt gpt;
    model_make(&gpt, "none", &shape, false);
    silence_queries(&gpt);
    ids_make(ids, T, VOCAB, 9);
    Attended a = measured(&gpt, ids, 1, T);
    double entropy = 0, first = 0;
    for (int t = 0; t < T; t++) {
        entropy += log(t + 1) / T;
        first += 1.0 / (t + 1) / T;
    }
    for (int d = 0; d < T; d++) {
        double expected = 0;
        for (int t = d; t < T; t++) expected += 1.0 / (t + 1) / (T - d);
        for (int head = 0; head < LAYERS * HEADS; head++)
            expect_near("silent model", (size_t)d, a.by_distance[head * T + d], expected, 1e-5);
    }
    for (int head = 0; head < LAYERS * HEADS; head++) {
        expect_near("silent distance", (size_t)head, a.distance[head], (T - 1) / 4.0, 1e-3);
        expect_near("silent entropy", (size_t)head, a.entropy[head], entropy, 1e-4);
        expect_near("silent first", (size_t)head, a.first[head], first, 1e-5);
    }
    attended_free(&a);
    gpt_free(&gpt);
}

// Each head looks at one distance, 5 times its number, and where there is none yet, at all keys alike.
static void a_head_that_looks_at_one_distance(void **state) {
    int ids[T];
    Gpt gpt;
    model_make(&gpt, "table:layers=own", &shape, false);
    silence_queries(&gpt);
    ids_make(ids, T, VOCAB, 10);
    for (int head = 0; head < LAYERS * HEADS; head++)
        for (int d = 0; d < T; d++) gpt.pos.part[0].params[0][head * T + d] = d == 5 * head ? 60 : 0;
    Attended a = measured(&gpt, ids, 1, T);
    for (int head = 0; head < LAYERS * HEADS; head++) {
        double entropy = 0, distance = 0;
        for (int t = 0; t < T; t++) {
            entropy += t < 5 * head ? log(t + 1) / T : 0;
            distance += (t < 5 * head ? t / 2.0 : 5 * head) / T;
        }
        expect_near("peak", (size_t)head, a.by_distance[head * T + 5 * head], 1, 1e-6);
        expect_near("beyond", (size_t)head, a.by_distance[head * T + 5 * head + 1], 0, 1e-6);
        expect_near("distance", (size_t)head, a.distance[head], distance, 1e-4);
        expect_near("entropy", (size_t)head, a.entropy[head], entropy, 1e-5);
    }
    attended_free(&a);
    gpt_free(&gpt);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_are_those_of_training), cmocka_unit_test(windows_are_averaged),
        cmocka_unit_test(windows_may_be_longer_than_training), cmocka_unit_test(uniform_attention_is_known),
        cmocka_unit_test(a_head_that_looks_at_one_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
