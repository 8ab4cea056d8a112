// Schemes that couple position with content, in float: CoPE compared with another implementation's numbers, and each
// formula in cases where the answer is known in advance. double_content.c checks the gradients.
#include "posenc/registry.h"
#include "tests/support/scene.h"

// One head's scores (T, T) as a block, with exactly as much scratch memory as the scheme asks for, full of NaN.
static ScoreBlock block_make(const Scene *scene, real *S, const real *q, const real *k, const Place *at, int T,
                             real scale) {
    const int d = head_width(&scene->pos->shape);
    return (ScoreBlock){
        .S = S,
        .stride = T,
        .rows = T,
        .columns = T,
        .query_at = at,
        .key_at = at,
        .q = q,
        .k = k,
        .q_stride = d,
        .k_stride = d,
        .scale = scale,
        .scratch = nan_reals(scene->pos->scheme->score_scratch(&scene->tables, T, T, true)),
    };
}

// --- numbers from other people's code ---
enum { GOLDEN_N = 4, GOLDEN_D = 4, GOLDEN_H = 2, GOLDEN_T = 6, GOLDEN_S = GOLDEN_T * GOLDEN_T };

typedef struct {
    Scene scene;
    Place at[GOLDEN_T];
    real query[GOLDEN_H * GOLDEN_T * GOLDEN_D], logits[GOLDEN_H * GOLDEN_S], out[GOLDEN_H * GOLDEN_S];
    real dout[GOLDEN_H * GOLDEN_S], dquery[GOLDEN_H * GOLDEN_T * GOLDEN_D], dlogits[GOLDEN_H * GOLDEN_S];
} CopeGolden;

// The reference gives only what is added to the scores and, of gradients, what the count adds to theirs.
static void expect_golden_head(CopeGolden *g, int head) {
    const Scheme *cope = g->scene.pos->scheme;
    const size_t scores = (size_t)head * GOLDEN_S, rows = (size_t)head * GOLDEN_T * GOLDEN_D;
    real S[GOLDEN_S], dS[GOLDEN_S], dq[GOLDEN_T * GOLDEN_D] = {0};
    memcpy(S, g->logits + scores, sizeof S);
    memcpy(dS, g->dout + scores, sizeof dS);
    ScoreBlock block = block_make(&g->scene, S, g->query + rows, g->query + rows, g->at, GOLDEN_T, 1);
    block.head = head;
    cope->family->score_forward(&g->scene.tables, &block);
    for (int i = 0; i < GOLDEN_T; i++)
        for (int j = 0; j <= i; j++) {
            const size_t n = (size_t)(i * GOLDEN_T + j);
            expect_near("out", n, (double)S[n] - (double)g->logits[scores + n], (double)g->out[scores + n], 1e-5);
        }
    const ScoreGradient grad = {.dS = dS, .dq = dq};
    cope->family->score_backward(&g->scene.tables, &block, &grad);
    expect_all_near("dquery", dq, g->dquery + rows, COUNT(dq), 1e-5);
    for (size_t n = 0; n < GOLDEN_S; n++)
        expect_near("dlogits", n, (double)dS[n] - (double)g->dout[scores + n], (double)g->dlogits[scores + n], 1e-5);
    free(block.scratch);
}

static void cope_is_the_reference(void **state) {
    CopeGolden g;
    real dcodes[GOLDEN_N * GOLDEN_D];
    json_t *root = golden("cope");
    scene_make(&g.scene, "cope:positions=4", shape_of(GOLDEN_H, GOLDEN_H * GOLDEN_D, GOLDEN_T), GOLDEN_T);
    places_run(g.at, GOLDEN_T);
    read_matrix(g.scene.pos->params[0], json_object_get(root, "pos_emb"), GOLDEN_N, GOLDEN_D);
    read_numbers(g.query, json_object_get(root, "query"), COUNT(g.query));
    read_numbers(g.logits, json_object_get(root, "logits_unmasked"), COUNT(g.logits));
    read_numbers(g.out, json_object_get(root, "out"), COUNT(g.out));
    read_numbers(g.dout, json_object_get(root, "upstream_grad"), COUNT(g.dout));
    read_numbers(g.dquery, json_object_get(root, "d_query"), COUNT(g.dquery));
    read_numbers(g.dlogits, json_object_get(root, "d_logits"), COUNT(g.dlogits));
    read_numbers(dcodes, json_object_get(root, "d_pos_emb"), COUNT(dcodes));
    for (int head = 0; head < GOLDEN_H; head++) expect_golden_head(&g, head);
    scene_layer_backward(&g.scene, 0);
    expect_all_near("dcodes", g.scene.pos->dparams[0], dcodes, COUNT(dcodes), 1e-5);
    scene_free(&g.scene);
    json_decref(root);
}

// The key of a distance is its code where W_r is the identity. Token 0 is the only key that counts, and query n, n
// tokens on, asks for channel c alone, through v.
static void distances_have_the_sinusoidal_code(void **state) {
    enum { T = 12, C = 16 };
    json_t *root = golden("sinusoidal_concat");
    real codes[T * C], zeros[T * C] = {0}, S[T * T];
    Place at[T];
    Scene scene;
    read_matrix(codes, json_object_get(root, "rows"), T, C);
    places_run(at, T);
    scene_make(&scene, "transformer-xl", shape_of(1, C, T), T);
    for (int n = 0; n < C * C; n++) scene.pos->params[0][n] = n % (C + 1) == 0;
    tables_prepare(&scene.tables);
    for (int c = 0; c < C; c++) {
        memset(S, 0, sizeof S);
        scene.pos->params[2][c] = 1;
        const ScoreBlock block = block_make(&scene, S, zeros, zeros, at, T, 1);
        scheme_transformer_xl.family->score_forward(&scene.tables, &block);
        for (int n = 0; n < T; n++)
            expect_near("code", (size_t)(n * C + c), (double)S[n * T], (double)codes[n * C + c], 1e-6);
        scene.pos->params[2][c] = 0;
        free(block.scratch);
    }
    scene_free(&scene);
    json_decref(root);
}

// --- properties ---
enum { T = 90, D = 8 };

// What a scheme adds to scores of `score` between random queries and keys at `at`.
static void added(real out[T * T], Scene *scene, const Place *at, real score) {
    real *q = random_reals((size_t)T * D, "q", 1), *k = random_reals((size_t)T * D, "k", 1);
    for (int n = 0; n < T * T; n++) out[n] = score;
    const ScoreBlock block = block_make(scene, out, q, k, at, T, (real)0.5);
    scene->pos->scheme->family->score_forward(&scene->tables, &block);
    for (int n = 0; n < T * T; n++) out[n] -= score;
    free(block.scratch);
    free(q);
    free(k);
}

static void content_make(Scene *scene, const char *specification, int positions) {
    scene_make(scene, specification, shape_of(1, D, T), positions);
    for (int p = 0; p < scene->pos->param_count; p++) {
        const Tensor *tensor = &scene->gpt.tensors.items[scene->pos->tensors[p]];
        const uint64_t key = random_key(5, tensor->name);
        for (size_t n = 0; n < tensor->count; n++) scene->pos->params[p][n] = (real)random_normal(key, n);
    }
    tables_prepare(&scene->tables);
}

static void expect_same(const char *what, const real *found, const real *expected, double tolerance) {
    for (int i = 0; i < T; i++)
        expect_all_near(what, found + (size_t)i * T, expected + (size_t)i * T, (size_t)i + 1, tolerance);
}

// With scores of 0 every token counts for a half: codes on a line are read at half the distance.
static void cope_counts_halves(void **state) {
    enum { N = 20 };
    static real S[T * T];
    Place at[T];
    Scene scene;
    places_run(at, T);
    scene_make(&scene, "cope:positions=20", shape_of(1, D, T), T);
    for (int n = 0; n < N; n++)
        for (int c = 0; c < D; c++) scene.pos->params[0][n * D + c] = (real)(0.1 * n * (c + 1));
    added(S, &scene, at, 0);
    real *q = random_reals((size_t)T * D, "q", 1);
    for (int i = 0; i < T; i++) {
        double along = 0;
        for (int c = 0; c < D; c++) along += 0.5 * 0.1 * (c + 1) * (double)q[i * D + c];
        for (int j = 0; j <= i; j++)
            expect_near("S", (size_t)(i * T + j), (double)S[i * T + j], along * fmin((i - j + 1) / 2.0, N - 1), 1e-4);
    }
    free(q);
    scene_free(&scene);
}

// If every token counts in full, CoPE equals Shaw's scheme, with code n + 1 as the vector of distance n, whether there
// are fewer codes than tokens or more.
static void cope_with_open_gates_is_shaw(void **state) {
    static const char *const specifications[][2] = {{"cope:positions=32", "shaw:clip=30"},
                                                    {"cope:positions=200", "shaw:clip=198"}};
    static real by_cope[T * T], by_shaw[T * T];
    Place at[T];
    places_run(at, T);
    for (size_t s = 0; s < COUNT(specifications); s++) {
        Scene cope, shaw;
        content_make(&cope, specifications[s][0], T);
        content_make(&shaw, specifications[s][1], T);
        const size_t vectors = shaw.gpt.tensors.items[shaw.gpt.pos.part[0].tensors[0]].count;
        memcpy(shaw.gpt.pos.part[0].params[0], cope.gpt.pos.part[0].params[0] + D, vectors * sizeof(real));
        added(by_cope, &cope, at, 60);
        added(by_shaw, &shaw, at, 0);
        expect_same(specifications[s][0], by_cope, by_shaw, 1e-5);
        scene_free(&cope);
        scene_free(&shaw);
    }
}

// If no token counts, all keys are read at code 0.
static void cope_with_closed_gates_sees_one_code(void **state) {
    static real found[T * T];
    Place at[T];
    Scene cope;
    places_run(at, T);
    content_make(&cope, "cope", T);
    added(found, &cope, at, -1000);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < i; j++) assert_true(found[i * T + j] == found[i * T + i]);
    assert_true(found[0] != found[T]);
    scene_free(&cope);
}

// A constant added to all coordinates changes nothing; a gap among them does, unless distances are no longer
// distinguished or tokens are counted.
static void only_distances_matter(void **state) {
    static const struct {
        const char *specification;
        bool tells_9_from_10;
    } cases[] = {{"transformer-xl", true},
                 {"transformer-xl:clamp=7", false},
                 {"shaw", true},
                 {"shaw:clip=7", false},
                 {"cope", false}};
    enum { FROM = T - 1, TO = T - 10 };
    static real near[T * T], moved[T * T], apart[T * T];
    Place at[T], later[T], gap[T];
    places_run(at, T);
    for (int t = 0; t < T; t++) later[t] = (Place){.t = t + 400}, gap[t] = (Place){.t = t + (t > T - 5)};
    for (size_t s = 0; s < COUNT(cases); s++) {
        Scene scene;
        content_make(&scene, cases[s].specification, 500);
        added(near, &scene, at, 0);
        added(moved, &scene, later, 0);
        added(apart, &scene, gap, 0);
        expect_same(cases[s].specification, moved, near, 0);
        const double change = (double)apart[FROM * T + TO] - (double)near[FROM * T + TO];
        assert_int_equal(fabs(change) > 1e-4, cases[s].tells_9_from_10);
        if (!cases[s].tells_9_from_10) expect_near(cases[s].specification, TO, change, 0, 1e-6);
        scene_free(&scene);
    }
}

// From the clamp or clip on, the distance changes neither the score nor the size of tables.
static void far_keys_are_alike(void **state) {
    static const char *const specifications[] = {"transformer-xl:clamp=7", "shaw:clip=7"};
    static real found[T * T], apart[T * T];
    Place at[T], wide[T];
    places_run(at, T);
    for (int t = 0; t < T; t++) wide[t] = (Place){.t = 1000 * t};
    for (size_t s = 0; s < COUNT(specifications); s++) {
        Scene scene;
        content_make(&scene, specifications[s], 1000 * T);
        assert_in_range(scene.arena.used, 1, 64 * 1024);
        if (s == 0) memset(scene.pos->params[1], 0, D * sizeof(real)); // u, which prefers contents
        added(found, &scene, at, 0);
        added(apart, &scene, wide, 0);
        for (int i = 0; i < T; i++) {
            const double far = (double)apart[i * T];
            for (int j = 0; j <= i - 7; j++) expect_near("far", (size_t)j, (double)found[i * T + j], far, 1e-5);
            if (i >= 7) assert_true(fabs((double)found[i * T + i - 6] - far) > 1e-4);
        }
        scene_free(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cope_is_the_reference),
        cmocka_unit_test(distances_have_the_sinusoidal_code),
        cmocka_unit_test(cope_counts_halves),
        cmocka_unit_test(cope_with_open_gates_is_shaw),
        cmocka_unit_test(cope_with_closed_gates_sees_one_code),
        cmocka_unit_test(only_distances_matter),
        cmocka_unit_test(far_keys_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
