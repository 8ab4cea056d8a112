// The schemes fox and path in double: scores compared with their formulas, term by term, and decoding.
#include "tests/support/agreement.h"
#include "tests/support/scene.h"

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
    s->F = s->scene.gpt.pos.features;
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

// The unit vector w of token t in a head.
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

// Whole blocks as in training, and a few queries after many keys as in decoding.
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

// With options that the tests of all schemes leave out.
static void decoding_agrees_with_training(void **state) {
    static const char *const specifications[] = {"path:conv=1", "path:rank=2,conv=9", "path:forget",
                                                 "path:conv=1,forget"};
    for (size_t i = 0; i < COUNT(specifications); i++) {
        Shape shape = agreement_shape;
        scheme_agrees(specifications[i], &shape, EXACT);
        shape.windows = (Windows){2, {20, 0}};
        scheme_agrees(specifications[i], &shape, EXACT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_the_formula),
        cmocka_unit_test(decoding_agrees_with_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
