// Schemes whose scores depend on the tokens in between, fox and path: compared with other implementations' numbers, on
// long texts, and at the limits of their ranges.
#include "model/ops/attention.h"
#include "model/ops/ops.h"
#include "posenc/content/gates.h"
#include "tests/support/scene.h"

enum { GOLDEN_T = 8, GOLDEN_H = 2, GOLDEN_D = 4, GOLDEN_C = GOLDEN_H * GOLDEN_D, GOLDEN = GOLDEN_T * GOLDEN_C };

// The inputs and outputs of the authors' code.
typedef struct {
    real q[GOLDEN], k[GOLDEN], v[GOLDEN], w[GOLDEN];            // (T, H, D)
    real beta[GOLDEN_T * GOLDEN_H], log_f[GOLDEN_T * GOLDEN_H]; // (T, H)
    real fox[GOLDEN], path[GOLDEN], path_fox[GOLDEN];           // (T, H, D)
    real scale;
} Golden;

static void golden_read(Golden *g) {
    json_t *root = golden("path_fox");
    const struct {
        const char *name;
        real *out;
        size_t count;
    } arrays[] = {{"q", g->q, GOLDEN},
                  {"k", g->k, GOLDEN},
                  {"v", g->v, GOLDEN},
                  {"w", g->w, GOLDEN},
                  {"beta", g->beta, COUNT(g->beta)},
                  {"g_forget", g->log_f, COUNT(g->log_f)},
                  {"fox_out", g->fox, GOLDEN},
                  {"path_out", g->path, GOLDEN},
                  {"path_fox_out", g->path_fox, GOLDEN}};
    for (size_t i = 0; i < COUNT(arrays); i++)
        read_numbers(arrays[i].out, json_object_get(root, arrays[i].name), arrays[i].count);
    g->scale = (real)json_number_value(json_object_get(root, "scale"));
    json_decref(root);
}

// Attention over the golden q, k and v by a scheme with these features (T, F).
static void expect_golden(const Golden *g, const char *specification, const real *features, const real *expected) {
    Scene scene;
    scene_make(&scene, specification, shape_of(GOLDEN_H, GOLDEN_C, GOLDEN_T), GOLDEN_T);
    LayerCalls layer;
    const MixTables tables = scene_mix(&scene, &layer);
    real out[GOLDEN], *scratch = nan_reals(attention_scratch(&tables, GOLDEN_T, GOLDEN_D, false));
    Place at[GOLDEN_T];
    places_run(at, GOLDEN_T);
    Attention attention = scene_attention(&scene, g->q, g->k, g->v, at, GOLDEN_T);
    attention.out = out;
    attention.features = features;
    attention_forward(&attention, &tables, scratch);
    expect_all_near(specification, out, expected, GOLDEN, 1e-5);
    free(scratch);
    scene_free(&scene);
}

// Features of path without a convolution: w, whose length does not matter, log(beta / 2), and log f if it has a
// `factor`.
static void path_features(real *features, const Golden *g, double factor) {
    const int G = factor > 0 ? 2 * GOLDEN_H : GOLDEN_H;
    for (int t = 0; t < GOLDEN_T; t++) {
        real *row = features + (size_t)t * (GOLDEN_C + G);
        for (int c = 0; c < GOLDEN_C; c++) row[c] = 100 * g->w[t * GOLDEN_C + c];
        for (int h = 0; h < GOLDEN_H; h++) {
            row[GOLDEN_C + h] = (real)log((double)g->beta[t * GOLDEN_H + h] / 2);
            if (factor > 0) row[GOLDEN_C + GOLDEN_H + h] = (real)factor * g->log_f[t * GOLDEN_H + h];
        }
    }
}

static void fox_is_the_authors(void **state) {
    static Golden g;
    golden_read(&g);
    expect_golden(&g, "fox", g.log_f, g.fox);
}

static void path_is_the_authors(void **state) {
    static Golden g;
    real features[GOLDEN_T * (GOLDEN_C + GOLDEN_H)];
    golden_read(&g);
    path_features(features, &g, 0);
    expect_golden(&g, "path:conv=1", features, g.path);
}

// In the authors' code for both at once, the scale of the scores also applies to the gates; here gates are as in fox.
static void path_that_forgets_is_the_authors_but_for_the_scale(void **state) {
    static Golden g;
    real features[GOLDEN_T * (GOLDEN_C + 2 * GOLDEN_H)];
    golden_read(&g);
    path_features(features, &g, (double)g.scale);
    expect_golden(&g, "path:conv=1,forget", features, g.path_fox);
}

// --- gates ---
static void log_sigmoid_holds_at_both_ends(void **state) {
    static const struct {
        double z, log_f, slope; // slope = 1 - f
    } cases[] = {{0, -0.69314718055994531, 0.5},
                 {3, -0.048587351573741958, 0.047425873177566781},
                 {20, -2.0611536181902037e-9, 2.0611536160660679e-9},
                 {80, -1.8048513878454153e-35, 1.8048513878454153e-35},
                 {-3, -3.0485873515737420, 0.95257412682243322},
                 {-100, -100, 1},
                 {-1e30, -1e30, 1},
                 {1e30, 0, 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const real log_f = log_sigmoid((real)cases[i].z), slope = log_sigmoid_backward(1, log_f);
        expect_near("log f", i, (double)log_f, cases[i].log_f, 2e-7 * fabs(cases[i].log_f));
        expect_near("1 - f", i, (double)slope, cases[i].slope, 2e-7 * cases[i].slope);
    }
}

// The scores (rows, columns) that a scheme makes of the q, k and features of one head.
static void one_block(real *S, Scene *scene, const real *q, const real *k, const real *features, int rows,
                      int columns) {
    const int d = head_width(&scene->pos->shape), C = scene->pos->shape.width;
    const ScoreBlock block = {.S = S,
                              .stride = columns,
                              .rows = rows,
                              .columns = columns,
                              .q = q,
                              .k = k,
                              .q_stride = C,
                              .k_stride = C,
                              .scale = (real)(1 / sqrt(d)),
                              .features = features};
    scene_scores(scene, block);
}

// In a text of 20000 tokens the first ones are forgotten at once, so that the running sum of log f is large, and later
// ones hardly at all: every bias of the last block, near and far, is right to six digits.
static void forgetting_is_exact_in_long_texts(void **state) {
    enum { T = 20000, ROWS = QUERY_BLOCK };
    Scene scene;
    scene_make(&scene, "fox", shape_of(1, 4, 4), 4);
    real *log_f = malloc(T * sizeof(real)), *S = calloc((size_t)ROWS * T, sizeof(real));
    double *C = malloc(T * sizeof(double)), sum = 0; // of what follows
    for (int t = 0; t < T; t++)
        log_f[t] = t < 100 ? -80 : (real)(-1e-4 * (0.5 + random_uniform(random_key(1, "gates"), (uint64_t)t)));
    one_block(S, &scene, NULL, NULL, log_f, ROWS, T);
    for (int row = 0; row < ROWS; row++) {
        const int i = T - ROWS + row;
        sum = 0;
        for (int j = i; j >= 0; j--) {
            C[j] = sum;
            sum += (double)log_f[j];
        }
        for (int j = 0; j <= i; j++)
            expect_near("bias", (size_t)j, (double)S[(size_t)row * T + j], C[j], 1e-6 * fabs(C[j]));
    }
    free(log_f);
    free(S);
    free(C);
    scene_free(&scene);
}

// With w = 0 all gates of a head are sigmoid(b), so that scores fall with distance along a line.
static void equal_gates_are_alibi(void **state) {
    enum { T = 30, C = 6 };
    Scene scene;
    scene_make(&scene, "fox:bias=3", shape_of(1, C, T), T);
    const Tensor *w = tensor_find(&scene.gpt.tensors, "pos.w");
    memset(scene.gpt.params + w->offset, 0, w->count * sizeof(real));
    real *x = random_reals((size_t)T * C, "x", 1), features[T], S[T * T] = {0};
    scene.pos->scheme->family->input_forward(&scene.tables, 0, features, x, T);
    one_block(S, &scene, NULL, NULL, features, T, T);
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++)
            expect_near("bias", (size_t)(i * T + j), (double)S[i * T + j], -0.048587351573741958 * (i - j), 1e-6);
    free(x);
    scene_free(&scene);
}

// --- reflections ---
//
// Features of path, one head of d channels, without a convolution: the same w and beta everywhere.
static real *same_everywhere(const real *w, double beta, int d, int T) {
    real *features = malloc((size_t)T * (size_t)(d + 1) * sizeof(real));
    assert_non_null(features);
    for (int t = 0; t < T; t++) {
        memcpy(features + (size_t)t * (d + 1), w, (size_t)d * sizeof(real));
        features[(size_t)t * (d + 1) + d] = (real)log(beta / 2);
    }
    return features;
}

enum { LONG = 3000, WIDTH = 8 };

// Scores of the last query with every key, through the same reflection at each token: `left` is the share of the
// component along w that is left.
static void expect_repeated(double beta, double (*left)(double beta, int distance), double tolerance) {
    Scene scene;
    scene_make(&scene, "path:conv=1", shape_of(1, WIDTH, 4), 4);
    real *w = random_reals(WIDTH, "w", 10), *q = random_reals(WIDTH, "q", 1), *S = nan_reals(LONG);
    real *k = random_reals((size_t)LONG * WIDTH, "k", 1), *features = same_everywhere(w, beta, WIDTH, LONG);
    double square = 0, wq = 0;
    one_block(S, &scene, q, k, features, 1, LONG);
    for (int c = 0; c < WIDTH; c++) square += (double)w[c] * (double)w[c];
    for (int c = 0; c < WIDTH; c++) wq += (double)w[c] * (double)q[c];
    for (int j = 0; j < LONG; j++) {
        double wk = 0, qk = 0;
        for (int c = 0; c < WIDTH; c++) {
            wk += (double)w[c] * (double)k[j * WIDTH + c];
            qk += (double)q[c] * (double)k[j * WIDTH + c];
        }
        // What lies across w stays.
        const double expected = (qk + (left(beta, LONG - 1 - j) - 1) * wq * wk / square) / sqrt(WIDTH);
        expect_near("score", (size_t)j, (double)S[j], expected, tolerance);
    }
    free(w);
    free(q);
    free(S);
    free(k);
    free(features);
    scene_free(&scene);
}

static double power(double beta, int distance) {
    return pow(1 - beta, distance);
}

static void the_same_reflection_again_and_again(void **state) {
    expect_repeated(2, power, 5e-5);     // a mirror, and a mirror in it: after 3000 of them still in place
    expect_repeated(1, power, 1e-5);     // gone at once
    expect_repeated(0.25, power, 1e-5);  // fades
    expect_repeated(1.5, power, 1e-5);   // fades, and changes sides
    expect_repeated(1e-30, power, 1e-5); // as if it were not there
}

// w = 0 has no direction to reflect along; it gives no NaN, forward or backward.
static void without_a_direction_nothing_happens(void **state) {
    enum { T = 70, C = 4, F = C + 1, N = T * C };
    Scene scene;
    LayerCalls layer;
    scene_make(&scene, "path", shape_of(1, C, T), T);
    const MixTables tables = scene_mix(&scene, &layer);
    real *q = random_reals(N, "q", 1), *k = random_reals(N, "k", 1), *v = random_reals(N, "v", 1);
    real *S = nan_reals(T * T), features[T * F] = {0}, dfeatures[T * F] = {0}, out[N], lse[T], dq[N], dk[N], dv[N];
    real *scratch = nan_reals(attention_scratch(&tables, T, C, true));
    Place at[T];
    places_run(at, T);
    one_block(S, &scene, q, k, features, T, T);
    for (int n = 0; n < T * T; n++) {
        double expected = 0;
        for (int c = 0; c < C; c++) expected += (double)q[n / T * C + c] * (double)k[n % T * C + c] / 2;
        if (n % T <= n / T) expect_near("score", (size_t)n, (double)S[n], expected, 1e-5);
    }
    const Attention a = {.out = out,
                         .lse = lse,
                         .q = q,
                         .k = k,
                         .v = v,
                         .features = features,
                         .query_at = at,
                         .key_at = at,
                         .B = 1,
                         .H = 1,
                         .K = 1,
                         .d = C,
                         .queries = T,
                         .keys = T,
                         .key_batch = T,
                         .q_stride = C,
                         .kv_stride = C};
    attention_forward(&a, &tables, scratch);
    attention_backward(&(AttentionGradient){dq, dk, dv, dfeatures, v, NULL}, &a, &tables, scratch);
    for (int n = 0; n < T * F; n++) assert_true(isfinite(dfeatures[n]));
    for (int n = C; n < N; n++) assert_true(isfinite(dq[n]) && dq[n] != 0); // query 0 sees one key
    free(q), free(k), free(v), free(S), free(scratch);
    scene_free(&scene);
}

static void convolution_begins_as_the_newest_token(void **state) {
    enum { LAYERS = 2, TAPS = 4, C = 6 };
    Shape shape = shape_of(2, C, 5);
    shape.layers = LAYERS;
    Scene scene;
    scene_make(&scene, "path:conv=4", shape, 5);
    const Tensor *conv = tensor_find(&scene.gpt.tensors, "pos.conv");
    assert_int_equal(conv->count, LAYERS * TAPS * C);
    for (size_t n = 0; n < conv->count; n++)
        assert_true(scene.gpt.params[conv->offset + n] == (n / C % TAPS == 0 ? 1 : 0));
    scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fox_is_the_authors),
        cmocka_unit_test(path_is_the_authors),
        cmocka_unit_test(path_that_forgets_is_the_authors_but_for_the_scale),
        cmocka_unit_test(log_sigmoid_holds_at_both_ends),
        cmocka_unit_test(forgetting_is_exact_in_long_texts),
        cmocka_unit_test(equal_gates_are_alibi),
        cmocka_unit_test(the_same_reflection_again_and_again),
        cmocka_unit_test(without_a_direction_nothing_happens),
        cmocka_unit_test(convolution_begins_as_the_newest_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
