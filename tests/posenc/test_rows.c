// Hooks that work by rows leave the rows behind those that they are given alone: another thread may be at work there.
#include "posenc/content/projected.h"
#include "posenc/registry.h"
#include "tests/support/scene.h"

enum { ROWS = 9, MORE = 4, ALL = ROWS + MORE, H = 2, C = 16 };

// The numbers of the rows behind are the same as before.
static void expect_kept(const char *scheme, const char *what, const real *values, const real *before, int stride) {
    const size_t rows = (size_t)ROWS * (size_t)stride, more = (size_t)MORE * (size_t)stride;
    if (memcmp(values + rows, before + rows, more * sizeof(real)) != 0)
        fail_msg("%s: %s of a row behind the last", scheme, what);
}

static void embeddings_keep_to_their_rows(const char *name, Scene *scene, const Place *at) {
    const Scheme *scheme = scene->pos->scheme;
    real *x = random_reals(ALL * C, "x", 1), *before = copy_reals(x, ALL * C);
    scheme->family->embed_forward(&scene->tables, x, at, ROWS);
    expect_kept(name, "the code", x, before, C);
    if (memcmp(x, before, ROWS * C * sizeof(real)) == 0 && strcmp(name, "none") != 0) fail_msg("%s adds nothing", name);
    free(x);
    free(before);
}

static void rotations_keep_to_their_rows(const char *name, Scene *scene, const Place *at) {
    const Scheme *scheme = scene->pos->scheme;
    real *q = random_reals(ALL * C, "q", 1), *k = random_reals(ALL * C, "k", 1);
    real *dq = random_reals(ALL * C, "dq", 1), *dk = random_reals(ALL * C, "dk", 1);
    real *before[] = {copy_reals(q, ALL * C), copy_reals(k, ALL * C), copy_reals(dq, ALL * C), copy_reals(dk, ALL * C)};
    scheme->family->qk_forward(&scene->tables, 0, q, k, C, at, ROWS);
    scheme->family->qk_backward(&scene->tables, 0, dq, dk, q, k, C, at, ROWS);
    expect_kept(name, "the query", q, before[0], C);
    expect_kept(name, "the key", k, before[1], C);
    expect_kept(name, "the gradient of the query", dq, before[2], C);
    expect_kept(name, "the gradient of the key", dk, before[3], C);
    for (size_t i = 0; i < COUNT(before); i++) free(before[i]);
    free(q);
    free(k);
    free(dq);
    free(dk);
}

static void features_keep_to_their_rows(const char *name, Scene *scene) {
    const Scheme *scheme = scene->pos->scheme;
    const int F = position_features(scene->pos);
    const size_t count = (size_t)ALL * (size_t)F;
    real *x = random_reals(ALL * C, "x", 1), *dx = random_reals(ALL * C, "dx", 1);
    real *features = random_reals(count, "f", 1), *dfeatures = random_reals(count, "df", 1);
    real *features_before = copy_reals(features, count), *dx_before = copy_reals(dx, ALL * C);
    real *dz = projected_dz(&scene->tables); // not of path, which has two layers
    const size_t dz_count = scheme == &scheme_path ? 0 : count;
    scheme->family->input_forward(&scene->tables, 0, features, x, ROWS);
    expect_kept(name, "the features", features, features_before, F);
    for (size_t n = 0; n < dz_count; n++) dz[n] = (real)(0.5 + (double)n);
    real *dz_before = copy_reals(dz, dz_count);
    scheme->family->layer_backward(&scene->tables, 0, dx, dfeatures, features, x, ROWS);
    expect_kept(name, "the gradient of the input", dx, dx_before, C);
    if (dz_count) expect_kept(name, "the gradient of z", dz, dz_before, F);
    free(x);
    free(dx);
    free(features);
    free(dfeatures);
    free(features_before);
    free(dx_before);
    free(dz_before);
}

// Returns whether the scheme has any such hooks.
static bool hooks_keep_to_rows_of(const char *name) {
    Place at[ALL];
    Scene scene;
    places_run(at, ALL);
    scene_make(&scene, name, shape_of(H, C, ALL), ALL);
    const Family none = {0}, *family = scene.pos->scheme->family ? scene.pos->scheme->family : &none;
    if (family->embed_forward) embeddings_keep_to_their_rows(name, &scene, at);
    if (family->qk_forward) rotations_keep_to_their_rows(name, &scene, at);
    if (family->input_forward) features_keep_to_their_rows(name, &scene);
    scene_free(&scene);
    return family->embed_forward || family->qk_forward || family->input_forward;
}

static void hooks_keep_to_their_rows(void **state) {
    static const char *const gated[] = {"rope:gate=trained", "learned:gate=trained"};
    int tried = 0;
    for (size_t s = 0; schemes[s]; s++) tried += hooks_keep_to_rows_of(schemes[s]->name);
    for (size_t s = 0; s < COUNT(gated); s++) tried += hooks_keep_to_rows_of(gated[s]);
    assert_in_range(tried, 15, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hooks_keep_to_their_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
