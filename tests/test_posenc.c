// The position schemes: what the registry promises, their numbers against other people's code, and the properties they
// are used for.
#include "model/gpt.h"
#include "tests/support.h"

#include <jansson.h>
#include <stdio.h>

// --- a scheme at work outside a model ---
typedef struct {
    Gpt gpt;
    Position pos;
    Arena arena;
} Scene;

static void scene_make(Scene *scene, const char *specification, Shape shape, int positions) {
    Position pos;
    Error error;
    *scene = (Scene){0};
    must(position_create(&pos, specification, &shape, &error), &error);
    must(gpt_create(&scene->gpt, &shape, &pos, false, &error), &error);
    gpt_init(&scene->gpt, 3);
    scene->pos = scene->gpt.pos;
    position_layout(&scene->pos, &scene->arena, positions, 1, false);
    must(arena_allocate(&scene->arena, "tables", &error), &error);
    position_layout(&scene->pos, &scene->arena, positions, 1, false);
    position_prepare(&scene->pos);
}

static void scene_free(Scene *scene) {
    gpt_free(&scene->gpt);
    arena_free(&scene->arena);
}

static Shape shape_of(int heads, int width, int context) {
    return (Shape){.vocab = 5, .context = context, .layers = 1, .heads = heads, .width = width};
}

// The code (C) that a scheme adds at one position.
static void code_at(real *code, const Scene *scene, int at) {
    const size_t C = (size_t)scene->pos.shape.width;
    memset(code, 0, C * sizeof *code);
    scene->pos.scheme->embed_forward(&scene->pos, code, &at, 1);
}

// --- golden numbers ---
static json_t *golden(const char *name) {
    char path[64];
    json_error_t error;
    snprintf(path, sizeof path, "tests/golden/%s.json", name);
    json_t *root = json_load_file(path, 0, &error);
    if (!root) fail_msg("%s: %s", path, error.text);
    return root;
}

static double number_at(const json_t *array, size_t i) {
    const json_t *number = json_array_get(array, i);
    assert_true(json_is_number(number));
    return json_number_value(number);
}

// rows x columns numbers in one array.
static void read_matrix(real *out, const json_t *rows, size_t row_count, size_t columns) {
    assert_int_equal(json_array_size(rows), row_count);
    for (size_t r = 0; r < row_count; r++) {
        const json_t *row = json_array_get(rows, r);
        assert_int_equal(json_array_size(row), columns);
        for (size_t c = 0; c < columns; c++) out[r * columns + c] = (real)number_at(row, c);
    }
}

// One score of 0 between a query at 1 and a key at 0 becomes -slope.
static double slope(const Scene *scene, int head) {
    const int query = 1, key = 0;
    real S = 0;
    const ScoreBlock block = {
        .S = &S, .stride = 1, .rows = 1, .columns = 1, .head = head, .query_at = &query, .key_at = &key};
    scheme_alibi.score_forward(&scene->pos, &block);
    return -(double)S;
}

static void alibi_slopes_are_the_authors(void **state) {
    (void)state;
    json_t *root = golden("alibi_slopes");
    const json_t *rows = json_object_get(root, "rows");
    assert_int_equal(json_array_size(rows), 32);
    for (size_t r = 0; r < 32; r++) {
        const json_t *row = json_array_get(rows, r), *official = json_object_get(row, "official");
        const int H = (int)json_integer_value(json_object_get(row, "n_heads"));
        assert_int_equal(H, r + 1);
        assert_int_equal(json_array_size(official), H);
        Scene scene;
        scene_make(&scene, "alibi", shape_of(H, H, 4), 4);
        for (int h = 0; h < H; h++) {
            const double expected = number_at(official, (size_t)h);
            expect_near("slope", (size_t)h, slope(&scene, h), expected, 1e-6 * expected);
        }
        scene_free(&scene);
    }
    json_decref(root);
}

enum { GOLDEN_T = 5, GOLDEN_D = 8, GOLDEN = GOLDEN_T * GOLDEN_D };
static const int upwards[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

static void turn_golden(real q[GOLDEN], real k[GOLDEN], const json_t *root, const char *specification) {
    read_matrix(q, json_object_get(root, "q"), GOLDEN_T, GOLDEN_D);
    read_matrix(k, json_object_get(root, "k"), GOLDEN_T, GOLDEN_D);
    Scene scene;
    scene_make(&scene, specification, shape_of(1, GOLDEN_D, GOLDEN_T), GOLDEN_T);
    scheme_rope.qk_forward(&scene.pos, 0, q, k, GOLDEN_D, upwards, GOLDEN_T);
    scene_free(&scene);
}

static void check_rope(const json_t *root, const char *specification, const char *q_name, const char *k_name,
                       const char *scores_name) {
    real q[GOLDEN], k[GOLDEN], expected[GOLDEN], scores[GOLDEN_T * GOLDEN_T];
    turn_golden(q, k, root, specification);
    read_matrix(expected, json_object_get(root, q_name), GOLDEN_T, GOLDEN_D);
    expect_all_near(q_name, q, expected, GOLDEN, 1e-6);
    read_matrix(expected, json_object_get(root, k_name), GOLDEN_T, GOLDEN_D);
    expect_all_near(k_name, k, expected, GOLDEN, 1e-6);
    read_matrix(scores, json_object_get(root, scores_name), GOLDEN_T, GOLDEN_T);
    for (int i = 0; i < GOLDEN_T; i++)
        for (int j = 0; j < GOLDEN_T; j++) {
            double sum = 0;
            for (int c = 0; c < GOLDEN_D; c++) sum += (double)q[i * GOLDEN_D + c] * (double)k[j * GOLDEN_D + c];
            expect_near(scores_name, (size_t)(i * GOLDEN_T + j), sum, (double)scores[i * GOLDEN_T + j], 4e-6);
        }
}

static void rope_turns_as_hugging_face_does(void **state) {
    (void)state;
    json_t *root = golden("rope_apply");
    check_rope(root, "rope", "q_half", "k_half", "scores_half");
    check_rope(root, "rope:pairing=interleaved", "q_inter", "k_inter", "scores_inter");
    json_decref(root);
}

// Channels sorted evens first turn the interleaved pairing into the half one.
static void pairings_differ_by_a_permutation(void **state) {
    (void)state;
    json_t *root = golden("rope_apply");
    const json_t *order = json_object_get(root, "perm_even_then_odd");
    real q[GOLDEN], k[GOLDEN], q_sorted[GOLDEN], k_sorted[GOLDEN];
    assert_int_equal(json_array_size(order), GOLDEN_D);
    turn_golden(q, k, root, "rope:pairing=interleaved");
    read_matrix(q_sorted, json_object_get(root, "q"), GOLDEN_T, GOLDEN_D);
    Scene scene;
    scene_make(&scene, "rope:pairing=half", shape_of(1, GOLDEN_D, GOLDEN_T), GOLDEN_T);
    real unsorted[GOLDEN];
    memcpy(unsorted, q_sorted, sizeof unsorted);
    for (size_t n = 0; n < GOLDEN; n++) {
        const size_t from = n / GOLDEN_D * GOLDEN_D + (size_t)number_at(order, n % GOLDEN_D);
        q_sorted[n] = unsorted[from];
        k_sorted[n] = q[from]; // what is expected
    }
    scheme_rope.qk_forward(&scene.pos, 0, q_sorted, k, GOLDEN_D, upwards, GOLDEN_T);
    expect_all_near("q", q_sorted, k_sorted, GOLDEN, 1e-6);
    scene_free(&scene);
    json_decref(root);
}

static void sinusoids_are_the_reference(void **state) {
    (void)state;
    enum { T = 12, C = 16 };
    json_t *root = golden("sinusoidal_concat");
    real expected[T * C], code[C], swapped[C];
    read_matrix(expected, json_object_get(root, "rows"), T, C);
    Scene blocks, pairs;
    scene_make(&blocks, "sinusoidal:layout=concatenated,amplitude=0.70710678118654752", shape_of(1, C, T), T);
    scene_make(&pairs, "sinusoidal:layout=interleaved,amplitude=0.70710678118654752", shape_of(1, C, T), T);
    for (int t = 0; t < T; t++) {
        code_at(code, &blocks, t);
        expect_all_near("concatenated", code, expected + t * C, C, 1e-6);
        code_at(code, &pairs, t);
        for (int i = 0; i < C / 2; i++) swapped[i] = code[2 * i], swapped[C / 2 + i] = code[2 * i + 1];
        expect_all_near("interleaved", swapped, expected + t * C, C, 1e-6);
    }
    scene_free(&blocks);
    scene_free(&pairs);
    json_decref(root);
}

// --- properties ---
static double root_mean_square(const real *values, int count) {
    double sum = 0;
    for (int n = 0; n < count; n++) sum += (double)values[n] * (double)values[n];
    return sqrt(sum / count);
}

static void the_sinusoidal_code_has_the_stated_size(void **state) {
    (void)state;
    enum { C = 48 };
    static const struct {
        const char *specification;
        double amplitude;
    } cases[] = {{"sinusoidal", 0.02},
                 {"sinusoidal:layout=concatenated", 0.02},
                 {"sinusoidal:amplitude=1.5", 1.5},
                 {"sinusoidal:amplitude=0", 0},
                 {"sinusoidal:base=30,amplitude=0.5", 0.5}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Scene scene;
        real code[C];
        scene_make(&scene, cases[i].specification, shape_of(2, C, 64), 1000);
        for (int t = 0; t < 1000; t += 37) {
            code_at(code, &scene, t);
            expect_near("RMS", (size_t)t, root_mean_square(code, C), cases[i].amplitude, 1e-6 * cases[i].amplitude);
        }
        scene_free(&scene);
    }
}

static void codes_are_added(void **state) {
    (void)state;
    enum { C = 6 };
    static const char *const names[] = {"sinusoidal", "learned"};
    const int at[] = {4, 0, 4};
    for (size_t i = 0; i < COUNT(names); i++) {
        Scene scene;
        real code[C], x[3 * C];
        scene_make(&scene, names[i], shape_of(2, C, 8), 8);
        for (int n = 0; n < 3 * C; n++) x[n] = (real)n;
        scene.pos.scheme->embed_forward(&scene.pos, x, at, 3);
        for (int r = 0; r < 3; r++) {
            code_at(code, &scene, at[r]);
            for (int c = 0; c < C; c++)
                expect_near(names[i], (size_t)(r * C + c), (double)x[r * C + c], r * C + c + (double)code[c], 2e-6);
        }
        scene_free(&scene);
    }
}

static void alibi_falls_with_distance(void **state) {
    (void)state;
    enum { ROWS = 2, COLUMNS = 3, STRIDE = 4 };
    const int query_at[] = {40, 7}, key_at[] = {0, 5, 7};
    Scene scene;
    scene_make(&scene, "alibi", shape_of(3, 6, 8), 64);
    for (int head = 0; head < 3; head++) {
        real S[ROWS * STRIDE];
        for (int n = 0; n < ROWS * STRIDE; n++) S[n] = 1;
        const ScoreBlock block = {S, STRIDE, ROWS, COLUMNS, 0, 0, head, query_at, key_at};
        scheme_alibi.score_forward(&scene.pos, &block);
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < COLUMNS; j++)
                expect_near("S", (size_t)(i * STRIDE + j), (double)S[i * STRIDE + j],
                            1 - slope(&scene, head) * (query_at[i] - key_at[j]), 1e-5);
            assert_true(S[i * STRIDE + COLUMNS] == 1);
        }
    }
    scene_free(&scene);
}

// The product of head h of a query at m with a key at n, after the rotation.
static double turned_product(const Scene *scene, const real *query, const real *key, int m, int n, int h) {
    enum { C = 24 };
    const int d = head_width(&scene->pos.shape), at[] = {m, n};
    real q[2 * C], k[2 * C];
    memcpy(q, query, C * sizeof *q), memcpy(q + C, query, C * sizeof *q);
    memcpy(k, key, C * sizeof *k), memcpy(k + C, key, C * sizeof *k);
    scheme_rope.qk_forward(&scene->pos, 0, q, k, C, at, 2);
    for (int head = 0; head < C / d; head++) // turning keeps lengths
        expect_near("length", (size_t)head, root_mean_square(q + head * d, d), root_mean_square(query + head * d, d),
                    1e-6);
    double sum = 0;
    for (int c = h * d; c < (h + 1) * d; c++) sum += (double)q[c] * (double)k[C + c];
    return sum;
}

static void rotations_see_only_distance(void **state) {
    (void)state;
    static const char *const specifications[] = {"rope", "rope:pairing=interleaved", "rope:base=100"};
    real *q = random_reals(24, "q", 1), *k = random_reals(24, "k", 1);
    for (size_t i = 0; i < COUNT(specifications); i++) {
        Scene scene;
        scene_make(&scene, specifications[i], shape_of(3, 24, 64), 5000);
        for (int h = 0; h < 3; h++) {
            const double near = turned_product(&scene, q, k, 9, 2, h);
            expect_near("moved by 1", (size_t)h, turned_product(&scene, q, k, 10, 3, h), near, 1e-5);
            expect_near("moved by 4900", (size_t)h, turned_product(&scene, q, k, 4909, 4902, h), near, 1e-5);
            assert_true(fabs(turned_product(&scene, q, k, 9, 3, h) - near) > 1e-3);
            assert_true(fabs(turned_product(&scene, q, k, 2, 9, h) - near) > 1e-3);
            double plain = 0;
            for (int c = 8 * h; c < 8 * (h + 1); c++) plain += (double)q[c] * (double)k[c];
            expect_near("distance 0", (size_t)h, turned_product(&scene, q, k, 33, 33, h), plain, 1e-5);
        }
        scene_free(&scene);
    }
    free(q);
    free(k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alibi_slopes_are_the_authors),
        cmocka_unit_test(rope_turns_as_hugging_face_does),
        cmocka_unit_test(pairings_differ_by_a_permutation),
        cmocka_unit_test(sinusoids_are_the_reference),
        cmocka_unit_test(the_sinusoidal_code_has_the_stated_size),
        cmocka_unit_test(codes_are_added),
        cmocka_unit_test(alibi_falls_with_distance),
        cmocka_unit_test(rotations_see_only_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
