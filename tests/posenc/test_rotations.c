// Schemes that rotate queries and keys: other implementations' numbers, and the properties for which they are used.
#include "posenc/registry.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/little_model.h"
#include "tests/support/scene.h"

// Pair `pair` of a head (d): its two channels.
static void pair_channels(int channels[2], Pairing pairing, int pair, int d) {
    channels[0] = pairing == PAIRING_HALF ? pair : 2 * pair;
    channels[1] = pairing == PAIRING_HALF ? pair + d / 2 : 2 * pair + 1;
}

// --- other people's numbers ---
enum { GOLDEN_T = 5, GOLDEN_D = 8, GOLDEN = GOLDEN_T * GOLDEN_D };

static void turn_golden(real q[GOLDEN], real k[GOLDEN], const json_t *root, const char *specification) {
    Place at[GOLDEN_T];
    Scene scene;
    places_run(at, GOLDEN_T);
    read_matrix(q, json_object_get(root, "q"), GOLDEN_T, GOLDEN_D);
    read_matrix(k, json_object_get(root, "k"), GOLDEN_T, GOLDEN_D);
    scene_make(&scene, specification, shape_of(1, GOLDEN_D, GOLDEN_T), GOLDEN_T);
    scheme_rope.family->qk_forward(&scene.tables, 0, q, k, GOLDEN_D, at, GOLDEN_T);
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
    json_t *root = golden("rope_apply");
    check_rope(root, "rope", "q_half", "k_half", "scores_half");
    check_rope(root, "rope:pairing=interleaved", "q_inter", "k_inter", "scores_inter");
    json_decref(root);
}

// How far a scheme turns pair `pair` of head 0 in one token, measured with unit vectors.
static double frequency(const Scene *scene, int pair, int d) {
    const Place at = {.t = 1, .column = 1};
    int c[2];
    real q[256] = {0}, k[256] = {0};
    pair_channels(c, (Pairing)rotary_of(scene->pos)->pairing, pair, d);
    q[c[0]] = k[c[1]] = 1;
    scene->pos->scheme->family->qk_forward(&scene->tables, 0, q, k, d, &at, 1);
    const double by_query = atan2((double)q[c[1]], (double)q[c[0]]), by_key = atan2(-(double)k[c[0]], (double)k[c[1]]);
    expect_near("the key's angle", (size_t)pair, by_key, by_query, 1e-7 * by_query);
    return by_query;
}

static void frequencies_are_hugging_face_s(void **state) {
    json_t *root = golden("hf_rope_inv_freq");
    const json_t *cases = json_object_get(root, "cases"), *one;
    size_t i;
    int checked = 0;
    json_array_foreach(cases, i, one) {
        const json_t *params = json_object_get(one, "params"), *expected = json_object_get(one, "inv_freq");
        const int d = (int)json_integer_value(json_object_get(one, "head_dim"));
        const double base = json_number_value(json_object_get(params, "rope_theta"));
        const char *type = json_string_value(json_object_get(one, "rope_type"));
        char specification[64];
        Scene scene;
        if (strcmp(type, "linear") == 0 && json_number_value(json_object_get(params, "factor")) == 1)
            snprintf(specification, sizeof specification, "rope:base=%g", base);
        else if (strcmp(type, "proportional") == 0)
            snprintf(specification, sizeof specification, "prope:base=%g,p=%g", base,
                     json_number_value(json_object_get(params, "partial_rotary_factor")));
        else
            continue;
        scene_make(&scene, specification, shape_of(1, d, 2), 2);
        assert_int_equal(json_array_size(expected), d / 2);
        for (int pair = 0; pair < d / 2; pair++) {
            const double theta = number_at(expected, (size_t)pair);
            expect_near(specification, (size_t)pair, frequency(&scene, pair, d), theta, 2e-6 * theta);
        }
        scene_free(&scene);
        checked++;
    }
    assert_int_equal(checked, 28);
    json_decref(root);
}

static void check_xpos(const json_t *one) {
    enum { T_MOST = 16, D_MOST = 64 };
    const int d = (int)json_integer_value(json_object_get(one, "head_dim"));
    const int T = (int)json_integer_value(json_object_get(one, "T"));
    real q[T_MOST * D_MOST], k[T_MOST * D_MOST], unit[D_MOST], other[D_MOST], expected[T_MOST * D_MOST];
    Place at[T_MOST];
    Scene scene;
    const size_t n = (size_t)T * d;
    char specification[64];
    assert_true(T <= T_MOST && d <= D_MOST);
    places_run(at, T);
    snprintf(specification, sizeof specification, "xpos:pairing=interleaved,gamma=%g",
             json_number_value(json_object_get(one, "scale_base")));
    scene_make(&scene, specification, shape_of(1, d, T), T);
    read_matrix(q, json_object_get(one, "x"), (size_t)T, (size_t)d);
    memcpy(k, q, n * sizeof *k);
    scheme_xpos.family->qk_forward(&scene.tables, 0, q, k, d, at, T);
    read_matrix(expected, json_object_get(one, "q_out"), (size_t)T, (size_t)d);
    for (size_t i = 0; i < n; i++)
        expect_near("q", i, (double)q[i], (double)expected[i], 1e-5 * fabs((double)expected[i]) + 1e-6);
    read_matrix(expected, json_object_get(one, "k_out"), (size_t)T, (size_t)d);
    for (size_t i = 0; i < n; i++)
        expect_near("k", i, (double)k[i], (double)expected[i], 1e-5 * fabs((double)expected[i]) + 1e-6);
    // The length of a turned unit vector is its pair's scale.
    read_matrix(expected, json_object_get(one, "scale_rows"), (size_t)T, (size_t)d / 2);
    for (int t = 0; t < T; t++)
        for (int i = 0; i < d / 2; i++) {
            const double scale = (double)expected[t * (d / 2) + i];
            memset(unit, 0, sizeof unit), memset(other, 0, sizeof other);
            unit[2 * i] = other[2 * i] = 1;
            scheme_xpos.family->qk_forward(&scene.tables, 0, unit, other, d, &at[t], 1);
            expect_near("scale of q", (size_t)i, hypot((double)unit[2 * i], (double)unit[2 * i + 1]), scale,
                        1e-5 * scale);
            expect_near("scale of k", (size_t)i, hypot((double)other[2 * i], (double)other[2 * i + 1]), 1 / scale,
                        1e-5 / scale);
        }
    scene_free(&scene);
}

static void xpos_scales_as_torchscale_does(void **state) {
    json_t *root = golden("xpos");
    const json_t *one;
    size_t i;
    assert_int_equal(json_array_size(json_object_get(root, "cases")), 9);
    json_array_foreach(json_object_get(root, "cases"), i, one) check_xpos(one);
    json_decref(root);
}

// --- properties ---
enum { C = 24, HEADS = 3, D = C / HEADS };

// Rows of both at places (rows), C numbers each, of layer `layer`.
static void turn_rows(real *q, real *k, const char *specification, int layer, const Place *at, int rows) {
    Shape shape = shape_of(HEADS, C, 64);
    Scene scene;
    shape.layers = 2;
    scene_make(&scene, specification, shape, 64);
    scene.pos->scheme->family->qk_forward(&scene.tables, layer, q, k, C, at, rows);
    scene_free(&scene);
}

enum { ROWS = 4, NUMBERS = ROWS * C };
static const Place places[ROWS] = {{0, 0, 0, 0, 0}, {7, 30, 2, 1, 9}, {8, 2, 30, 4, 3}, {50, 50, 5, 21, 11}};

// Turn random rows by two specifications; in the end all numbers must be the same.
static void expect_same(const char *specification, const char *other, int layer) {
    real *q = random_reals(NUMBERS, "q", 1), *k = random_reals(NUMBERS, "k", 1);
    real *q_other = copy_reals(q, NUMBERS), *k_other = copy_reals(k, NUMBERS);
    turn_rows(q, k, specification, layer, places, ROWS);
    turn_rows(q_other, k_other, other, layer, places, ROWS);
    expect_all_near(specification, q, q_other, NUMBERS, 1e-5);
    expect_all_near(specification, k, k_other, NUMBERS, 1e-5);
    free(q), free(k), free(q_other), free(k_other);
}

// The same bits.
static void expect_equal(const char *specification, const char *other) {
    real *q = random_reals(NUMBERS, "q", 1), *k = random_reals(NUMBERS, "k", 1);
    real *q_other = copy_reals(q, NUMBERS), *k_other = copy_reals(k, NUMBERS);
    turn_rows(q, k, specification, 0, places, ROWS);
    turn_rows(q_other, k_other, other, 0, places, ROWS);
    assert_memory_equal(q, q_other, NUMBERS * sizeof *q);
    assert_memory_equal(k, k_other, NUMBERS * sizeof *k);
    free(q), free(k), free(q_other), free(k_other);
}

static void special_cases_are_rope(void **state) {
    expect_equal("rope:axes=1", "rope");
    expect_equal("rope:axes=2", "rope2d");
    expect_equal("rope:axes=2,base=20,pairing=interleaved", "rope2d:base=20,pairing=interleaved");
    expect_equal("rope-learned:heads=shared", "rope-learned");
    expect_equal("rope-learned:scale=trained", "rope-learned");
    expect_equal("rope-learned:scale=trained,heads=shared,pairing=interleaved", "rope-learned:pairing=interleaved");
    expect_same("partial:fraction=1", "rope", 0);
    expect_same("partial:fraction=1,pairing=interleaved,base=300", "rope:pairing=interleaved,base=300", 0);
    expect_same("prope:p=1", "rope", 0);
    expect_same("xpos:gamma=1e9", "rope", 0);
    for (int layer = 0; layer < 2; layer++) {
        expect_same("rope-learned", "rope", layer);
        expect_same("rope-learned:layers=shared,base=300,pairing=interleaved", "rope:base=300,pairing=interleaved",
                    layer);
    }
}

// Channels start .. start+width-1 of every head must have been turned like heads of that width by rope, at the
// coordinates of one axis.
static void expect_part(const real *turned, const real *before, int start, int width, const char *rope, Axis axis) {
    real part[NUMBERS], ignored[NUMBERS] = {0};
    Place at[ROWS];
    Scene scene;
    const int stride = HEADS * width;
    for (int r = 0; r < ROWS; r++) {
        at[r] = (Place){.t = place_on(&places[r], axis)};
        for (int c = 0; c < stride; c++) part[r * stride + c] = before[r * C + c / width * D + start + c % width];
    }
    scene_make(&scene, rope, shape_of(HEADS, stride, 64), 64);
    scheme_rope.family->qk_forward(&scene.tables, 0, part, ignored, stride, at, ROWS);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < stride; c++)
            expect_near(rope, (size_t)(r * stride + c), (double)turned[r * C + c / width * D + start + c % width],
                        (double)part[r * stride + c], 1e-6);
    scene_free(&scene);
}

static void partial_turns_the_first_channels(void **state) {
    for (int i = 0; i < 2; i++) {
        real *q = random_reals(NUMBERS, "q", 1), *k = random_reals(NUMBERS, "k", 1), *before = copy_reals(k, NUMBERS);
        turn_rows(q, k, i ? "partial:fraction=0.75,pairing=interleaved" : "partial", 0, places, ROWS);
        if (i)
            expect_part(k, before, 0, 6, "rope:pairing=interleaved", AXIS_T);
        else
            expect_part(k, before, 0, 4, "rope", AXIS_T);
        for (int n = 0; n < NUMBERS; n++)
            if (n % D >= (i ? 6 : 4)) assert_true(k[n] == before[n]);
        free(q), free(k), free(before);
    }
}

// The four pairs of a head are divided among up to four axes.
static void pairs_turn_by_the_axis_that_has_them(void **state) {
    static const Axis of_pair[][4] = {{AXIS_LINE, AXIS_LINE, AXIS_COLUMN, AXIS_COLUMN},
                                      {AXIS_PAGE, AXIS_LINE, AXIS_COLUMN, AXIS_COLUMN},
                                      {AXIS_DOCUMENT, AXIS_PAGE, AXIS_LINE, AXIS_COLUMN}};
    for (int i = 0; i < 6; i++) {
        real *q = random_reals(NUMBERS, "q", 1), *k = random_reals(NUMBERS, "k", 1), *before = copy_reals(q, NUMBERS);
        const char *how = i % 2 ? "pairing=interleaved" : "pairing=half";
        const Axis *axes = of_pair[i / 2];
        char rope[TEXT_CAPACITY], several[TEXT_CAPACITY];
        snprintf(rope, sizeof rope, "rope:base=100,%s", how);
        snprintf(several, sizeof several, "rope:axes=%d,%s", 2 + i / 2, how);
        turn_rows(q, k, several, 0, places, ROWS);
        for (int pair = 0, next; pair < 4; pair = next) {
            for (next = pair; next < 4 && axes[next] == axes[pair];) next++;
            expect_part(q, before, 2 * pair, 2 * (next - pair), rope, axes[pair]);
        }
        free(q), free(k), free(before);
    }
}

// Queries and keys (rows, C) at `at`, three heads of queries with K of keys.
static void turn_in(Scene *scene, real *q, real *k, int K, const char *specification, const Place *at) {
    Shape shape = shape_of(HEADS, C, 64);
    shape.kv_heads = K;
    scene_make(scene, specification, shape, 64);
    for (int n = 0; n < (int)scene->gpt.tensors.items[scene->pos->tensors[0]].count; n++)
        scene->pos->params[0][n] -= (real)(0.1 * n);
    tables_prepare(&scene->tables);
    scene->pos->scheme->family->qk_forward(&scene->tables, 0, q, k, C, at, ROWS);
}

// The product of query 2 and key 1 of each head.
static double score(const real *q, const real *k, int head, int K) {
    double sum = 0;
    for (int c = 0; c < D; c++) sum += (double)q[2 * C + head * D + c] * (double)k[C + head * K / HEADS * D + c];
    return sum;
}

// With one key head for all query heads, they have its frequencies, and products depend on distances alone.
static void heads_that_share_a_key_share_its_frequencies(void **state) {
    static const int key_heads[] = {3, 1};
    Place later[ROWS];
    for (int r = 0; r < ROWS; r++) later[r] = place_moved(places[r], 1, 7);
    for (int i = 0; i < 2; i++) {
        real *q = random_reals(NUMBERS, "q", 1), *k = random_reals(NUMBERS, "k", 1);
        real *q_later = copy_reals(q, NUMBERS), *k_later = copy_reals(k, NUMBERS);
        Scene scene;
        const char *scheme = "rope-learned:scale=trained";
        turn_in(&scene, q, k, key_heads[i], scheme, places);
        assert_int_equal(scene.gpt.tensors.items[scene.pos->tensors[0]].shape[0], key_heads[i]);
        assert_int_equal(scene.gpt.tensors.items[scene.pos->tensors[1]].shape[0], HEADS);
        scene_free(&scene);
        turn_in(&scene, q_later, k_later, key_heads[i], scheme, later);
        scene_free(&scene);
        for (int h = 0; h < HEADS; h++)
            expect_near(scheme, (size_t)h, score(q_later, k_later, h, key_heads[i]), score(q, k, h, key_heads[i]),
                        1e-5);
        free(q), free(k), free(q_later), free(k_later);
    }
}

// Queries grow by e^a, pair by pair, and keys stay as they are.
static void scales_are_in_the_queries(void **state) {
    for (int interleaved = 0; interleaved <= 1; interleaved++) {
        real *q = random_reals(NUMBERS, "q", 1), *k = random_reals(NUMBERS, "k", 1);
        real *q_plain = copy_reals(q, NUMBERS), *k_plain = copy_reals(k, NUMBERS);
        Scene scene;
        scene_make(&scene,
                   interleaved ? "rope-learned:scale=trained,pairing=interleaved" : "rope-learned:scale=trained",
                   shape_of(HEADS, C, 64), 64);
        for (int n = 0; n < C / 2; n++) scene.pos->params[1][n] = (real)(0.2 * n - 1);
        tables_prepare(&scene.tables);
        scene.pos->scheme->family->qk_forward(&scene.tables, 0, q, k, C, places, ROWS);
        turn_rows(q_plain, k_plain, interleaved ? "rope:pairing=interleaved" : "rope", 0, places, ROWS);
        expect_all_near("keys", k, k_plain, NUMBERS, 1e-5);
        for (int h = 0; h < HEADS; h++)
            for (int pair = 0; pair < D / 2; pair++) {
                int channels[2];
                pair_channels(channels, interleaved ? PAIRING_INTERLEAVED : PAIRING_HALF, pair, D);
                for (int r = 0; r < ROWS; r++)
                    for (int c = 0; c < 2; c++) {
                        const int n = r * C + h * D + channels[c];
                        expect_near("q", (size_t)n, (double)q[n],
                                    (double)q_plain[n] * exp(0.2 * (h * D / 2 + pair) - 1), 1e-4);
                    }
            }
        scene_free(&scene);
        free(q), free(k), free(q_plain), free(k_plain);
    }
}

// rho is the logarithm of a frequency: from RoPE's slowest, or from 1/base, to 1, evenly.
static void expect_frequencies(const char *spec, double slowest) {
    enum { MANY = 8 * 32 };
    Scene scene;
    int quarters[4] = {0};
    scene_make(&scene, spec, shape_of(8, 512, 64), 2);
    for (int n = 0; n < MANY; n++) {
        const double share = (double)scene.pos->params[0][n] / slowest;
        assert_true(share >= -1e-6 && share <= 1 + 1e-6);
        quarters[(int)fmax(fmin(4 * share, 3), 0)]++;
        for (int m = 0; m < n; m++) assert_true(scene.pos->params[0][m] != scene.pos->params[0][n]);
    }
    for (int quarter = 0; quarter < 4; quarter++) assert_in_range(quarters[quarter], MANY / 8, 3 * MANY / 8);
    scene_free(&scene);
}

static void random_frequencies_have_ropes_range(void **state) {
    expect_frequencies("rope-learned:start=random,base=10000", -62.0 / 64 * log(10000));
    expect_frequencies("rope-learned:start=wide,base=10000", -log(10000));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rope_turns_as_hugging_face_does),
        cmocka_unit_test(frequencies_are_hugging_face_s),
        cmocka_unit_test(xpos_scales_as_torchscale_does),
        cmocka_unit_test(special_cases_are_rope),
        cmocka_unit_test(partial_turns_the_first_channels),
        cmocka_unit_test(pairs_turn_by_the_axis_that_has_them),
        cmocka_unit_test(heads_that_share_a_key_share_its_frequencies),
        cmocka_unit_test(scales_are_in_the_queries),
        cmocka_unit_test(random_frequencies_have_ropes_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
