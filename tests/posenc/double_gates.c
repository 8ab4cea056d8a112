// The schemes fox, cable and path in double: scores compared with their formulas, term by term; gradients compared with
// central differences; and decoding with options that the tests of all schemes leave out.
#include "model/gradcheck.h"
#include "tests/support/agreement.h"
#include "tests/support/scene.h"

#include <omp.h>

#define EXACT 1e-12

// --- scores by the formula ---
enum { LAYERS = 2, LAYER = 1, HEADS = 2, D = 3, C = HEADS * D, T = QUERY_BLOCK + 6 };

// Random features (T, F) of a sequence, and its q and k (T, C).
typedef struct {
    Scene scene;
    int taps, F;
    real *q, *k, *features;
    const real *conv; // (taps, C) of the layer
} Sequence;

static void sequence_make(Sequence *s, const char *specification, int taps) {
    Shape shape = shape_of(HEADS, C, T);
    shape.layers = LAYERS;
    scene_make(&s->scene, specification, shape, T);
    s->taps = taps;
    s->F = mix_features(&s->scene.gpt.pos);
    s->q = random_reals((size_t)T * C, "q", 1);
    s->k = random_reals((size_t)T * C, "k", 1);
    s->features = random_reals((size_t)T * (size_t)s->F, "features", 1);
    // What follows the C numbers for w are logarithms of gates; beta reaches from nearly 0 to nearly 2.
    for (int n = 0; n < T * s->F; n++)
        if (n % s->F >= C) s->features[n] = log(1 / (1 + exp(-3 * s->features[n])));
    const Tensor *conv = tensor_find(&s->scene.gpt.tensors, "pos.conv");
    if (conv) {
        for (size_t n = 0; n < conv->count; n++) s->scene.gpt.params[conv->offset + n] += random_normal(5, n);
        s->conv = s->scene.gpt.params + conv->offset + (size_t)LAYER * taps * C;
    }
}

static void sequence_free(Sequence *s) {
    scene_free(&s->scene);
    free(s->q);
    free(s->k);
    free(s->features);
}

// w of length 1 that token t has in a head.
static void direction(double w[D], const Sequence *s, int head, int t) {
    double squares = 1e-6;
    for (int c = 0; c < D; c++) {
        double z = 0;
        for (int a = 0; a < s->taps && a <= t; a++)
            z += (s->conv ? s->conv[a * C + head * D + c] : 1) * s->features[(t - a) * s->F + head * D + c];
        w[c] = s->conv ? z / (1 + exp(-z)) : z;
        squares += w[c] * w[c];
    }
    for (int c = 0; c < D; c++) w[c] /= sqrt(squares);
}

// q_i . H_i ... H_{j+1} k_j / sqrt(d), the key carried to the query one reflection at a time.
static double reflected(const Sequence *s, int head, int i, int j) {
    double k[D], w[D], score = 0;
    for (int c = 0; c < D; c++) k[c] = s->k[j * C + head * D + c];
    for (int t = j + 1; t <= i; t++) {
        const double beta = 2 * exp(s->features[t * s->F + C + head]);
        double along = 0;
        direction(w, s, head, t);
        for (int c = 0; c < D; c++) along += w[c] * k[c];
        for (int c = 0; c < D; c++) k[c] -= beta * along * w[c];
    }
    for (int c = 0; c < D; c++) score += s->q[i * C + head * D + c] * k[c];
    return score / sqrt(D);
}

// log f_{j+1} + ... + log f_i, of features that begin at `first`.
static double forgotten(const Sequence *s, int first, int head, int i, int j) {
    double sum = 0;
    for (int t = j + 1; t <= i; t++) sum += s->features[t * s->F + first + head];
    return sum;
}

// The last `rows` queries among the first `columns` tokens.
static void expect_block(Sequence *s, const char *specification, int rows, int columns, int head, bool path,
                         bool forget) {
    const int before = columns - rows, stride = columns + 3;
    real *S = path ? nan_reals((size_t)rows * stride) : calloc((size_t)rows * stride, sizeof(real));
    const ScoreBlock block = {.S = S,
                              .stride = stride,
                              .rows = rows,
                              .columns = columns,
                              .layer = LAYER,
                              .head = head,
                              .q = s->q + before * C + head * D,
                              .k = s->k + head * D,
                              .q_stride = C,
                              .k_stride = C,
                              .scale = 1 / sqrt(D),
                              .features = s->features};
    scene_scores(&s->scene, block);
    for (int i = before; i < columns; i++)
        for (int j = 0; j < columns; j++) {
            const double found = S[(i - before) * stride + j];
            if (j > i && !isfinite(found)) fail_msg("%s: %g at a later key", specification, found);
            if (j > i) continue;
            const double expected =
                (path ? reflected(s, head, i, j) : 0) + (forget ? forgotten(s, path ? C + HEADS : 0, head, i, j) : 0);
            expect_near(specification, (size_t)(i * T + j), found, expected, EXACT * fmax(1, fabs(expected)));
        }
    free(S);
}

// Whole blocks as in training, and few queries behind many keys as in decoding.
static void scores_are_the_formula(void **state) {
    static const struct {
        const char *specification;
        int taps;
        bool path, forget;
    } cases[] = {{"fox", 1, false, true},
                 {"path", 3, true, false},
                 {"path:conv=1", 1, true, false},
                 {"path:conv=20", 20, true, false},
                 {"path:forget", 3, true, true}};
    static const int blocks[][2] = {{QUERY_BLOCK, QUERY_BLOCK}, {6, T}, {1, 1}, {1, 17}, {1, T}, {5, 40}, {33, 50}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Sequence s = {0};
        sequence_make(&s, cases[i].specification, cases[i].taps);
        for (size_t n = 0; n < COUNT(blocks); n++)
            for (int head = 0; head < HEADS; head++)
                expect_block(&s, cases[i].specification, blocks[n][0], blocks[n][1], head, cases[i].path,
                             cases[i].forget);
        sequence_free(&s);
    }
}

// --- gradients ---
//
// A small model, and how it is checked.
typedef struct {
    int layers, heads, width, T, B;
    double dropout;
    bool directions;
} Setting;

static const Setting usual = {.layers = 2, .heads = 2, .width = 8, .T = 8, .B = 2};
static const Setting dropping = {.layers = 1, .heads = 3, .width = 9, .T = 7, .B = 2, .dropout = 0.3};
static const Setting one_token = {.layers = 1, .heads = 2, .width = 4, .T = 1, .B = 3};
// Three blocks of queries, the last not full.
static const Setting long_rows = {
    .layers = 2, .heads = 2, .width = 8, .T = 2 * QUERY_BLOCK + 6, .B = 2, .dropout = 0.1, .directions = true};

static const char *const specifications[] = {"fox",         "fox:bias=3",  "cable",
                                             "path",        "path:conv=1", "path:rank=2",
                                             "path:conv=9", "path:forget", "path:conv=1,forget"};
// The same, with few enough parameters to check each one, and short enough ways along a random direction.
static const char *const small[] = {"fox",         "fox:bias=3",         "cable",
                                    "path:rank=4", "path:rank=8,conv=1", "path:rank=4,conv=9,forget"};

static void expect_gradients(const char *specification, const Setting *setting) {
    const Shape shape = {.vocab = 11,
                         .context = setting->T,
                         .layers = setting->layers,
                         .heads = setting->heads,
                         .width = setting->width};
    const GradcheckSettings settings = {
        .B = setting->B, .T = setting->T, .dropout = setting->dropout, .directions = setting->directions, .seed = 4};
    Mix pos;
    GradientError *errors;
    int count;
    Error error;
    must(mix_create(&pos, specification, &shape, &error), &error);
    must(gradcheck(&errors, &count, &pos, &settings, &error), &error);
    for (int i = 0; i < count; i++)
        if (!(errors[i].worst <= 1e-6))
            fail_msg("%s, T %d: error %.2e at number %zu of %s, analytic %.9g, numeric %.9g", specification, setting->T,
                     errors[i].worst, errors[i].at, errors[i].name, errors[i].analytic, errors[i].numeric);
    free(errors);
}

static void gradients_are_differences(void **state) {
    for (size_t i = 0; i < COUNT(small); i++) {
        expect_gradients(small[i], &usual);
        expect_gradients(small[i], &dropping);
        expect_gradients(small[i], &one_token);
    }
}

static void gradients_over_several_blocks_by_two_threads(void **state) {
    const int threads = omp_get_max_threads();
    omp_set_num_threads(2);
    for (size_t i = 0; i < COUNT(small); i++) expect_gradients(small[i], &long_rows);
    omp_set_num_threads(threads);
}

// --- training passes ---
static void pass_make(Agreement *a, const char *specification) {
    Error error;
    model_make(&a->gpt, specification, &agreement_shape, true);
    must(train_pass_create(&a->pass, &a->gpt, AGREEMENT_B, AGREEMENT_T, &error), &error);
    ids_make(a->ids, AGREEMENT_B * AGREEMENT_T, AGREEMENT_V, 1);
    ids_make(a->targets, AGREEMENT_B * AGREEMENT_T, AGREEMENT_V, 2);
    for (int r = 0; r < AGREEMENT_B * AGREEMENT_T; r++) a->pass.dnll[r] = 1;
}

static void pass_free(Agreement *a) {
    train_pass_free(&a->pass);
    gpt_free(&a->gpt);
}

static void decoding_agrees_with_training(void **state) {
    static Agreement a;
    static const int chunks[] = {1, 7, AGREEMENT_T};
    for (size_t i = 0; i < COUNT(specifications); i++) {
        pass_make(&a, specifications[i]);
        train_pass_embed(&a.pass, &a.gpt, a.ids);
        train_pass_forward(&a.pass, &a.gpt);
        train_pass_loss(&a.pass, &a.gpt, a.targets);
        for (size_t n = 0; n < COUNT(chunks); n++) {
            const double worst = feeding_error(&a, AGREEMENT_B, chunks[n]);
            if (!(worst <= EXACT)) fail_msg("%s, chunks of %d: off by %g", specifications[i], chunks[n], worst);
        }
        pass_free(&a);
    }
}

// Gradients of two batches are the sum of theirs, and two threads find the same bits every time.
static void gradients_accumulate_in_fixed_order(void **state) {
    static Agreement a;
    const int threads = omp_get_max_threads();
    omp_set_num_threads(2);
    for (size_t i = 0; i < COUNT(specifications); i++) {
        pass_make(&a, specifications[i]);
        const size_t total = a.gpt.tensors.total;
        real *once = NULL, *twice = NULL;
        for (int step = 1; step <= 4; step++) {
            train_pass_embed(&a.pass, &a.gpt, a.ids);
            train_pass_forward(&a.pass, &a.gpt);
            train_pass_backward(&a.pass, &a.gpt, a.ids, a.targets);
            if (step == 1) once = copy_reals(a.gpt.grads, total);
            if (step == 2) twice = copy_reals(a.gpt.grads, total);
            if (step == 2) memset(a.gpt.grads, 0, total * sizeof(real));
            if (step == 3) assert_memory_equal(a.gpt.grads, once, total * sizeof(real));
            if (step == 4) assert_memory_equal(a.gpt.grads, twice, total * sizeof(real));
        }
        for (size_t n = 0; n < total; n++)
            expect_near(specifications[i], n, twice[n], 2 * once[n], 1e-11 + 1e-11 * fabs(once[n]));
        free(once);
        free(twice);
        pass_free(&a);
    }
    omp_set_num_threads(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_the_formula),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(gradients_over_several_blocks_by_two_threads),
        cmocka_unit_test(decoding_agrees_with_training),
        cmocka_unit_test(gradients_accumulate_in_fixed_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
