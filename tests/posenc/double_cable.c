// The scheme cable in double: attention and its gradients compared with torch's, ALiBi as its special case, and long
// texts.
#include "model/ops/attention.h"
#include "model/ops/ops.h"
#include "tests/support/scene.h"

// --- one layer by the hooks, on what torch was given ---
enum { T = 8, H = 2, D = 4, C = H * D, F = 2 * H, NUMBERS = T * C };

typedef struct {
    real x[NUMBERS], w[F * C], b[F], q[NUMBERS], k[NUMBERS], v[NUMBERS], dout[NUMBERS]; // (T, C), (F, C), (F)
    real out[NUMBERS], dx[NUMBERS], dw[F * C], db[F];
} Golden;

static void golden_read(Golden *g) {
    json_t *root = golden("cable");
    const struct {
        const char *name;
        real *out;
        size_t count;
    } arrays[] = {{"x", g->x, NUMBERS},   {"w", g->w, F * C},   {"b", g->b, F},           {"q", g->q, NUMBERS},
                  {"k", g->k, NUMBERS},   {"v", g->v, NUMBERS}, {"out", g->out, NUMBERS}, {"dout", g->dout, NUMBERS},
                  {"dx", g->dx, NUMBERS}, {"dw", g->dw, F * C}, {"db", g->db, F}};
    for (size_t i = 0; i < COUNT(arrays); i++)
        read_numbers(arrays[i].out, json_object_get(root, arrays[i].name), arrays[i].count);
    json_decref(root);
}

static void attention_is_torchs_and_so_are_its_gradients(void **state) {
    static Golden g;
    Scene scene;
    golden_read(&g);
    scene_make(&scene, "cable", shape_of(H, C, T), T);
    const Scheme *scheme = scene.pos->scheme;
    memcpy(scene.pos->params[0], g.w, sizeof g.w);
    memcpy(scene.pos->params[1], g.b, sizeof g.b);
    LayerCalls layer;
    const MixTables tables = scene_mix(&scene, &layer);
    real *scratch = nan_reals(attention_scratch(&tables, T, D, true)), features[T * F], dfeatures[T * F] = {0};
    real out[NUMBERS], lse[H * T], dq[NUMBERS], dk[NUMBERS], dv[NUMBERS], dx[NUMBERS] = {0};
    Place at[T];
    places_run(at, T);
    Attention attention = scene_attention(&scene, g.q, g.k, g.v, at, T);
    attention.out = out;
    attention.lse = lse;
    attention.features = features;
    scheme->family->input_forward(&scene.tables, 0, features, g.x, T);
    attention_forward(&attention, &tables, scratch);
    expect_all_near("out", out, g.out, NUMBERS, 1e-7);
    attention_backward(&(AttentionGradient){dq, dk, dv, dfeatures, g.dout, NULL}, &attention, &tables, scratch);
    scheme->family->layer_backward(&scene.tables, 0, dx, dfeatures, features, g.x, T);
    expect_all_near("dx", dx, g.dx, NUMBERS, 1e-7);
    expect_all_near("dw", scene.pos->dparams[0], g.dw, F * C, 1e-7);
    expect_all_near("db", scene.pos->dparams[1], g.db, F, 1e-7);
    free(scratch);
    scene_free(&scene);
}

// --- blocks of scores of one head ---
static void block_of(real *S, Scene *scene, const real *features, int rows, int columns) {
    real *scratch = nan_reals(scene->pos->scheme->score_scratch(&scene->tables, rows, columns, false));
    const ScoreBlock block = {
        .S = S, .stride = columns, .rows = rows, .columns = columns, .features = features, .scratch = scratch};
    scene->pos->scheme->family->score_forward(&scene->tables, &block);
    free(scratch);
}

// With w = 0 all steps are relu(b) and all slopes softplus(b'), so that scores fall with distance along a line.
static void equal_steps_and_slopes_are_alibi(void **state) {
    enum { LENGTH = 30, WIDTH = 6 };
    Scene scene;
    scene_make(&scene, "cable", shape_of(1, WIDTH, LENGTH), LENGTH);
    memset(scene.pos->params[0], 0, 2 * WIDTH * sizeof(real));
    scene.pos->params[1][0] = 0.5;
    scene.pos->params[1][1] = 3;
    real *x = random_reals((size_t)LENGTH * WIDTH, "x", 1), features[LENGTH * 2], S[LENGTH * LENGTH] = {0};
    scene.pos->scheme->family->input_forward(&scene.tables, 0, features, x, LENGTH);
    block_of(S, &scene, features, LENGTH, LENGTH);
    for (int i = 0; i < LENGTH; i++)
        for (int j = 0; j <= i; j++)
            expect_near("bias", (size_t)(i * LENGTH + j), (double)S[i * LENGTH + j],
                        -0.5 * 3.0485873515737420 * (i - j), 1e-12);
    free(x);
    scene_free(&scene);
}

// Tokens whose step is 0 have the same place; and the last queries are right in a text whose first steps are large.
static void steps_are_added_up(void **state) {
    enum { LENGTH = 5000, ROWS = 3 };
    Scene scene;
    scene_make(&scene, "cable", shape_of(1, 4, 4), 4);
    real *features = malloc(2 * LENGTH * sizeof(real)), *S = calloc((size_t)ROWS * LENGTH, sizeof(real));
    for (int t = 0; t < LENGTH; t++) {
        features[2 * t] = t < 100 ? -80 : t % 3 == 0 ? -1e-3 * (t % 7) : 0;
        features[2 * t + 1] = 0.1 * (1 + t % 5);
    }
    block_of(S, &scene, features, ROWS, LENGTH);
    for (int row = 0; row < ROWS; row++) {
        const int i = LENGTH - ROWS + row;
        double expected = 0;
        for (int j = i; j >= 0; j--) {
            expect_near("bias", (size_t)j, (double)S[(size_t)row * LENGTH + j], expected, 1e-9);
            expected += features[2 * i + 1] * features[2 * j];
        }
    }
    free(features);
    free(S);
    scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_is_torchs_and_so_are_its_gradients),
        cmocka_unit_test(equal_steps_and_slopes_are_alibi),
        cmocka_unit_test(steps_are_added_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
