// The schemes pope and selective in double: scores, weights, outputs and gradients compared with reference numbers; the
// start of training; and decoding with windows and shared keys.
#include "model/ops/attention.h"
#include "model/ops/ops.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/agreement.h"
#include "tests/support/scene.h"

#define EXACT 1e-12

// --- reference numbers ---
enum { T = 6, H = 2, D = 4, C = H * D, INPUTS = 5 };

// The reference has arrays (H, T, D); the model has q, k and v (T, H*D).
static void read_heads(real *out, const json_t *arrays, const char *name) {
    const json_t *heads = json_object_get(arrays, name);
    real rows[T * D];
    for (int h = 0; h < H; h++) {
        read_matrix(rows, json_array_get(heads, (size_t)h), T, D);
        for (int t = 0; t < T; t++) memcpy(out + t * C + h * D, rows + t * D, D * sizeof(real));
    }
}

// Rows of INPUTS numbers, in rows of C numbers of which the rest are 0.
static void read_inputs(real *out, const json_t *arrays, const char *name, int rows) {
    real narrow[T * INPUTS];
    read_matrix(narrow, json_object_get(arrays, name), (size_t)rows, INPUTS);
    memset(out, 0, (size_t)rows * C * sizeof(real));
    for (int r = 0; r < rows; r++) memcpy(out + r * C, narrow + r * INPUTS, INPUTS * sizeof(real));
}

typedef struct {
    const char *name;
    json_t *root, *in, *out, *grad;
    Scene scene;
    real x[T * C], q[T * C], k[T * C], v[T * C], dout[T * C];
    real features[T * H], dfeatures[T * H], dx[T * C];
    Place at[T];
} Reference;

static void reference_make(Reference *r, const char *name) {
    *r = (Reference){.name = name, .root = golden(name)};
    r->in = json_object_get(r->root, "in");
    r->out = json_object_get(r->root, "out");
    r->grad = json_object_get(r->root, "grad");
    scene_make(&r->scene, name, shape_of(H, C, T), T);
    read_heads(r->q, r->in, "q");
    read_heads(r->k, r->in, "k");
    read_heads(r->v, r->in, "v");
    read_heads(r->dout, r->in, "dout");
    read_inputs(r->x, r->in, "x", T);
    places_run(r->at, T);
}

static void reference_free(Reference *r) {
    scene_free(&r->scene);
    json_decref(r->root);
}

static void expect_heads(const Reference *r, const json_t *arrays, const char *name, const real *found) {
    real expected[T * C];
    read_heads(expected, arrays, name);
    expect_all_near(name, found, expected, T * C, EXACT);
}

// The first `seen` of each row of scores or weights (H, T, T).
static void expect_rows(const Reference *r, const char *name, const real *found, int head) {
    const json_t *rows = json_array_get(json_object_get(r->out, name), (size_t)head);
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++)
            expect_near(name, (size_t)(i * T + j), found[i * T + j],
                        number_at(json_array_get(rows, (size_t)i), (size_t)j), EXACT);
}

static void expect_scores(const Reference *r) {
    for (int h = 0; h < H; h++) {
        real *S = nan_reals((size_t)T * T);
        scene_scores(&r->scene, (ScoreBlock){.S = S,
                                             .stride = T,
                                             .rows = T,
                                             .columns = T,
                                             .head = h,
                                             .query_at = r->at,
                                             .key_at = r->at,
                                             .q = r->q + h * D,
                                             .k = r->k + h * D,
                                             .q_stride = C,
                                             .k_stride = C,
                                             .scale = 1 / sqrt(D),
                                             .features = r->features});
        expect_rows(r, "S", S, h);
        free(S);
    }
}

// Through the attention op, as training calls it; leaves dfeatures and the scheme's slabs.
static void expect_attention(Reference *r) {
    LayerCalls layer;
    const MixTables tables = scene_mix(&r->scene, &layer);
    real *scratch = nan_reals(attention_scratch(&tables, T, D, true));
    real *out = nan_reals(T * C), *P = nan_reals((size_t)H * T * T), lse[H * T];
    real *dq = nan_reals(T * C), *dk = nan_reals(T * C), *dv = nan_reals(T * C);
    Attention attention = scene_attention(&r->scene, r->q, r->k, r->v, r->at, T);
    attention.out = out;
    attention.lse = lse;
    attention.P = P;
    attention.features = r->features;
    attention_forward(&attention, &tables, scratch);
    for (int h = 0; h < H; h++) expect_rows(r, "P", P + (size_t)h * T * T, h);
    expect_heads(r, r->out, "out", out);
    attention_backward(&(AttentionGradient){dq, dk, dv, r->dfeatures, r->dout, NULL}, &attention, &tables, scratch);
    expect_heads(r, r->grad, "dq", dq);
    expect_heads(r, r->grad, "dk", dk);
    expect_heads(r, r->grad, "dv", dv);
    real *const all[] = {scratch, out, P, dq, dk, dv};
    for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
}

static void pope_is_the_reference(void **state) {
    static Reference r;
    real ddelta[H * D];
    reference_make(&r, "pope");
    read_matrix(r.scene.pos->params[0], json_object_get(r.in, "delta"), H, D);
    tables_prepare(&r.scene.tables);
    expect_scores(&r);
    expect_attention(&r);
    scene_layer_backward(&r.scene, 0);
    read_matrix(ddelta, json_object_get(r.grad, "ddelta"), H, D);
    expect_all_near("ddelta", r.scene.pos->dparams[0], ddelta, H * D, EXACT);
    reference_free(&r);
}

static void selective_is_the_reference(void **state) {
    static Reference r;
    real dx[T * C], dw[H * C], db[H];
    reference_make(&r, "selective");
    const Family *family = r.scene.pos->scheme->family;
    read_inputs(r.scene.pos->params[0], r.in, "w", H);
    read_numbers(r.scene.pos->params[1], json_object_get(r.in, "b"), H);
    r.scene.tables.feature_stride = H;
    family->input_forward(&r.scene.tables, 0, r.features, r.x, T);
    expect_scores(&r);
    expect_attention(&r);
    family->layer_backward(&r.scene.tables, 0, r.dx, r.dfeatures, r.features, r.x, T);
    read_inputs(dx, r.grad, "dx", T);
    read_inputs(dw, r.grad, "dw", H);
    read_numbers(db, json_object_get(r.grad, "db"), H);
    expect_all_near("dx", r.dx, dx, T * C, EXACT);
    expect_all_near("dw", r.scene.pos->dparams[0], dw, H * C, EXACT);
    expect_all_near("db", r.scene.pos->dparams[1], db, H, EXACT);
    reference_free(&r);
}

// --- the start of training ---
//
// The score that RoPE gives, pair by pair.
static double rope_score(const real *q, const real *k, int i, int j) {
    double sum = 0;
    for (int pair = 0; pair < D / 2; pair++) {
        const double theta = rope_theta(10000, pair, D);
        double y[2], z[2];
        rope_pair_forward(y, (const double[]){q[pair], q[pair + D / 2]}, i * theta);
        rope_pair_forward(z, (const double[]){k[pair], k[pair + D / 2]}, j * theta);
        sum += y[0] * z[0] + y[1] * z[1];
    }
    return sum / sqrt(D);
}

// Every step is 1, whatever the tokens are, and scores are RoPE's, also for the last queries of a text only.
static void selective_begins_as_rope(void **state) {
    enum { LONG = 3 * QUERY_BLOCK + 5, FEW = 7 };
    Scene scene;
    scene_make(&scene, "selective", shape_of(H, C, LONG), LONG);
    real *x = random_reals((size_t)LONG * C, "x", 3), *features = nan_reals((size_t)LONG * H);
    real *q = random_reals((size_t)LONG * C, "q", 1), *k = random_reals((size_t)LONG * C, "k", 1);
    scene.pos->scheme->family->input_forward(&scene.tables, 0, features, x, LONG);
    for (int n = 0; n < LONG * H; n++) assert_true(features[n] == 1);
    for (int rows = FEW; rows <= LONG; rows += LONG - FEW) {
        real *S = nan_reals((size_t)rows * LONG);
        scene_scores(&scene, (ScoreBlock){.S = S,
                                          .stride = LONG,
                                          .rows = rows,
                                          .columns = LONG,
                                          .head = 1,
                                          .q = q + (LONG - rows) * C + D,
                                          .k = k + D,
                                          .q_stride = C,
                                          .k_stride = C,
                                          .scale = 1 / sqrt(D),
                                          .features = features});
        for (int i = LONG - rows; i < LONG; i++)
            for (int j = 0; j <= i; j++)
                expect_near("score", (size_t)(i * LONG + j), S[(i - LONG + rows) * LONG + j],
                            rope_score(q + i * C + D, k + j * C + D, i, j), EXACT);
        free(S);
    }
    free(x);
    free(features);
    free(q);
    free(k);
    scene_free(&scene);
}

// delta begins at 0 or anywhere between -2 pi and 0, where projection brings it back to.
static void pope_keeps_delta_in_range(void **state) {
    Scene scene;
    scene_make(&scene, "pope", shape_of(H, C, T), T);
    for (int n = 0; n < H * D; n++) assert_true(scene.pos->params[0][n] == 0);
    scene.pos->params[0][0] = 0.5;
    scene.pos->params[0][1] = -7;
    scene.pos->params[0][2] = -6;
    mix_project(&scene.gpt.pos);
    assert_true(scene.pos->params[0][0] == 0 && scene.pos->params[0][2] == -6);
    expect_near("delta", 1, scene.pos->params[0][1], -2 * M_PI, EXACT);
    scene_free(&scene);
    scene_make(&scene, "pope:start=uniform", shape_of(H, C, T), T);
    double least = 0, most = -7;
    for (int n = 0; n < H * D; n++) {
        const double delta = scene.pos->params[0][n];
        least = fmin(least, delta);
        most = fmax(most, delta);
    }
    assert_true(least >= -2 * M_PI && least < -4 && most > -2 && most <= 0);
    scene_free(&scene);
}

// --- decoding ---
//
// When a window has forgotten tokens, selective adds up fewer steps, and so rounds differently.
static void decoding_agrees_with_training(void **state) {
    static const char *const specifications[] = {"pope", "pope:delta=none", "selective", "selective:base=50",
                                                 "pope+shaw*1,selective+fox"};
    for (size_t i = 0; i < COUNT(specifications); i++)
        for (int kv_heads = 1; kv_heads <= 3; kv_heads += 2) {
            Shape shape = agreement_shape;
            shape.kv_heads = kv_heads;
            scheme_agrees(specifications[i], &shape, 10 * EXACT);
            shape.windows = (Windows){2, {20, 0}};
            scheme_agrees(specifications[i], &shape, 10 * EXACT);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pope_is_the_reference),         cmocka_unit_test(selective_is_the_reference),
        cmocka_unit_test(selective_begins_as_rope),      cmocka_unit_test(pope_keeps_delta_in_range),
        cmocka_unit_test(decoding_agrees_with_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
