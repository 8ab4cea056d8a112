// Attention by distance: compared with the whole softmax, computed head by head from the activations of a training
// pass, and with attention that is known in advance.
#include "lab/eval/attended.h"
#include "model/infer.h"
#include "model/train_pass.h"
#include "posenc/bias/bias.h"
#include "tests/support/little_model.h"

// Longer than two blocks of queries and no multiple of one.
enum { T = 150, VOCAB = 31, WINDOWS = 2, HEADS = 3, LAYERS = 2, WIDTH = 24, D = WIDTH / HEADS };

static const Shape shape = {.vocab = VOCAB, .context = T, .layers = LAYERS, .heads = HEADS, .width = WIDTH};

static Attended measured(const Gpt *gpt, const int *ids, int windows, int length) {
    Attended attended;
    Error error;
    must(attended_measure(&attended, gpt, ids, windows, length, &error), &error);
    assert_int_equal(attended.T, length);
    return attended;
}

// --- the same by the formula ---
typedef struct {
    Gpt gpt;
    TrainPass pass;
    int ids[WINDOWS * T];
    double P[T * T]; // of the head at work
    double by_distance[LAYERS * HEADS * T], distance[LAYERS * HEADS], entropy[LAYERS * HEADS], first[LAYERS * HEADS];
} Naive;

// S (T, T) = pos.score(q k^T / sqrt(d)) with the hook; ALiBi's bias by its formula instead.
static void naive_scores(real *S, const Naive *n, const real *features, int l, int b, int h) {
    const Position *pos = &n->gpt.pos.part[0];
    const Tables *tables = &n->pass.tables.part[0];
    const real *q = n->pass.layers[l].qkv + (size_t)b * T * 3 * WIDTH + h * D, *k = q + WIDTH;
    const int F = position_features(pos);
    const size_t scratch = pos->scheme->score_scratch ? pos->scheme->score_scratch(tables, T, T, false) : 0;
    const ScoreBlock block = {.S = S,
                              .stride = T,
                              .rows = T,
                              .columns = T,
                              .layer = l,
                              .sequence = b,
                              .head = h,
                              .query_at = n->pass.at + b * T,
                              .key_at = n->pass.at + b * T,
                              .q = q,
                              .k = k,
                              .q_stride = 3 * WIDTH,
                              .k_stride = 3 * WIDTH,
                              .scale = (real)(1 / sqrt(D)),
                              .features = features + b * T * F,
                              .scratch = malloc((scratch + 1) * sizeof(real))};
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            double sum = 0;
            for (int c = 0; c < D; c++) sum += (double)q[i * 3 * WIDTH + c] * (double)k[j * 3 * WIDTH + c];
            S[i * T + j] = (real)(sum / sqrt(D));
            if (pos->scheme == &scheme_alibi) S[i * T + j] -= (real)(alibi_slope(h, HEADS) * (i - j));
        }
    const Family *family = pos->scheme->family;
    if (family && family->score_forward && pos->scheme != &scheme_alibi) family->score_forward(tables, &block);
    free(block.scratch);
}

// P = the causal softmax of S. That it is the model's shows in its products with v, which the pass has kept.
static void naive_weights(Naive *n, const real *S, int l, int b, int h) {
    const LayerActivations *a = &n->pass.layers[l];
    for (int i = 0; i < T; i++) {
        double *P_i = n->P + i * T, sum = 0;
        for (int j = 0; j <= i; j++) sum += P_i[j] = exp((double)S[i * T + j]);
        for (int j = 0; j <= i; j++) P_i[j] /= sum;
        for (int c = 0; c < D; c++) {
            double out = 0;
            for (int j = 0; j <= i; j++)
                out += P_i[j] * (double)a->qkv[(size_t)(b * T + j) * 3 * WIDTH + 2 * WIDTH + h * D + c];
            expect_near("P v", (size_t)c, (double)a->heads[(size_t)(b * T + i) * WIDTH + h * D + c], out, 2e-4);
        }
    }
}

static void naive_head(Naive *n, int head) {
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) {
            const double p = n->P[i * T + j];
            n->by_distance[head * T + i - j] += p / (WINDOWS * (T - (i - j)));
            n->distance[head] += p * (i - j) / (WINDOWS * T);
            n->entropy[head] -= p > 0 ? p * log(p) / (WINDOWS * T) : 0;
            n->first[head] += j == 0 ? p / (WINDOWS * T) : 0;
        }
}

static void naive_measure(Naive *n) {
    const int rows = WINDOWS * T, targets[WINDOWS * T] = {0};
    Error error;
    must(train_pass_create(&n->pass, &n->gpt, WINDOWS, T, &error), &error);
    train_pass_embed(&n->pass, &n->gpt, n->ids);
    train_pass_forward(&n->pass, &n->gpt);
    train_pass_loss(&n->pass, &n->gpt, targets);
    const Position *pos = &n->gpt.pos.part[0];
    real *norm = nan_reals((size_t)rows * WIDTH), *features = nan_reals((size_t)rows * position_features(pos) + 1);
    real *S = nan_reals(T * T);
    for (int l = 0; l < LAYERS; l++) {
        const LayerActivations *a = &n->pass.layers[l];
        const LayerWeights *w = &n->gpt.w.layers[l];
        norm_again(norm, a->x, a->ln1_mean, a->ln1_rstd, w->ln1w, w->ln1b, rows, WIDTH);
        const Family *family = pos->scheme->family;
        if (family && family->input_forward) family->input_forward(&n->pass.tables.part[0], l, features, norm, rows);
        for (int b = 0; b < WINDOWS; b++)
            for (int h = 0; h < HEADS; h++) {
                naive_scores(S, n, features, l, b, h);
                naive_weights(n, S, l, b, h);
                naive_head(n, l * HEADS + h);
            }
    }
    free(norm), free(features), free(S);
    train_pass_free(&n->pass);
}

// No positions, a rotation, biases that are fixed, in buckets, and made by a network, gates, and scores of its own;
// with parameters for all layers and for each.
static void every_kind_of_scheme_agrees_with_the_formula(void **state) {
    static const char *const specifications[] = {"none", "sinusoidal",     "rope", "alibi", "t5:layers=own",
                                                 "fire", "transformer-xl", "cope", "fox",   "cable",
                                                 "path"};
    static Naive n;
    for (size_t s = 0; s < COUNT(specifications); s++) {
        memset(&n, 0, sizeof n);
        model_make(&n.gpt, specifications[s], &shape, true);
        ids_make(n.ids, WINDOWS * T, VOCAB, 5);
        naive_measure(&n);
        Attended a = measured(&n.gpt, n.ids, WINDOWS, T);
        assert_int_equal(a.layers, LAYERS);
        assert_int_equal(a.heads, HEADS);
        for (int i = 0; i < LAYERS * HEADS; i++) {
            expect_near(specifications[s], (size_t)i, a.distance[i], n.distance[i], 2e-4 * T);
            expect_near(specifications[s], (size_t)i, a.entropy[i], n.entropy[i], 1e-3);
            expect_near(specifications[s], (size_t)i, a.first[i], n.first[i], 1e-4);
            for (int d = 0; d < T; d++)
                expect_near(specifications[s], (size_t)(i * T + d), a.by_distance[i * T + d], n.by_distance[i * T + d],
                            2e-4);
        }
        attended_free(&a);
        gpt_free(&n.gpt);
    }
}

// Each window is a text of its own, and all count the same.
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

// Beyond the trained length, where the scheme is defined.
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
    Attended uniform;
    Error error;
    model_make(&gpt, "none", &shape, false);
    silence_queries(&gpt);
    ids_make(ids, T, VOCAB, 9);
    Attended a = measured(&gpt, ids, 1, T);
    must(attended_uniform(&uniform, T, &error), &error);
    assert_int_equal(uniform.layers * uniform.heads, 1);
    double entropy = 0, first = 0;
    for (int t = 0; t < T; t++) {
        entropy += log(t + 1) / T;
        first += 1.0 / (t + 1) / T;
    }
    expect_near("uniform distance", 0, uniform.distance[0], (T - 1) / 4.0, 1e-4);
    expect_near("uniform entropy", 0, uniform.entropy[0], entropy, 1e-5);
    expect_near("uniform first", 0, uniform.first[0], first, 1e-6);
    for (int d = 0; d < T; d++) {
        double expected = 0;
        for (int t = d; t < T; t++) expected += 1.0 / (t + 1) / (T - d);
        expect_near("uniform", (size_t)d, uniform.by_distance[d], expected, 1e-6);
        for (int head = 0; head < LAYERS * HEADS; head++)
            expect_near("silent model", (size_t)d, a.by_distance[head * T + d], expected, 1e-5);
    }
    for (int head = 0; head < LAYERS * HEADS; head++) {
        expect_near("silent distance", (size_t)head, a.distance[head], uniform.distance[0], 1e-3);
        expect_near("silent entropy", (size_t)head, a.entropy[head], entropy, 1e-4);
    }
    attended_free(&a), attended_free(&uniform);
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
        cmocka_unit_test(every_kind_of_scheme_agrees_with_the_formula),
        cmocka_unit_test(windows_are_averaged),
        cmocka_unit_test(windows_may_be_longer_than_training),
        cmocka_unit_test(uniform_attention_is_known),
        cmocka_unit_test(a_head_that_looks_at_one_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
