// Codes that are added to the embeddings: their numbers are compared with other implementations or with their formulas,
// and they are indeed added.
#include "posenc/embedding/code.h"
#include "posenc/registry.h"
#include "tests/support/scene.h"

// The code (C) that a scheme adds at one position.
static void code_at(real *code, const Scene *scene, int t) {
    const size_t C = (size_t)scene->pos->shape.width;
    memset(code, 0, C * sizeof *code);
    scene->pos->scheme->family->embed_forward(&scene->tables, code, &(Place){.t = t}, 1);
}

static void codes_are_added(void **state) {
    enum { C = 6 };
    const Place at[] = {{.t = 4}, {.t = 0}, {.t = 4}};
    int added = 0;
    for (int s = 0; schemes[s]; s++) {
        if (schemes[s]->family != &code_family) continue;
        Scene scene;
        real code[C], x[3 * C];
        double largest = 0;
        scene_make(&scene, schemes[s]->name, shape_of(1, C, 8), 8);
        for (int n = 0; n < 3 * C; n++) x[n] = (real)n;
        scene.pos->scheme->family->embed_forward(&scene.tables, x, at, 3);
        for (int r = 0; r < 3; r++) {
            code_at(code, &scene, at[r].t);
            for (int c = 0; c < C; c++) {
                expect_near(schemes[s]->name, (size_t)(r * C + c), (double)x[r * C + c], r * C + c + (double)code[c],
                            2e-6);
                largest = fmax(largest, fabs((double)code[c]));
            }
        }
        assert_true(largest > 0.01);
        added++;
        scene_free(&scene);
    }
    assert_in_range(added, 6, 1000);
}

static void sinusoids_are_the_reference(void **state) {
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

static void the_sinusoidal_code_has_the_stated_size(void **state) {
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

// --- codes by a formula for channel c of position t ---
typedef double CodeFormula(int t, int c);

static void expect_code(const char *specification, int context, int positions, CodeFormula *formula) {
    enum { C = 10 };
    Scene scene;
    real code[C];
    scene_make(&scene, specification, shape_of(1, C, context), positions);
    for (int t = 0; t < positions; t++) {
        code_at(code, &scene, t);
        for (int c = 0; c < C; c++)
            expect_near(specification, (size_t)(t * C + c), (double)code[c], formula(t, c), 1e-6 * (1 + t));
    }
    scene_free(&scene);
}

static double integer(int t, int c) {
    return t;
}

static double integer_backwards(int t, int c) {
    return -0.25 * t;
}

static double by_100(int t, int c) {
    return t / 100.0;
}

static double three_by_150(int t, int c) {
    return 3 * t / 150.0;
}

static void integers_and_their_shares(void **state) {
    expect_code("integer", 100, 150, integer);
    expect_code("integer:step=-0.25", 100, 150, integer_backwards);
    expect_code("normalized", 100, 150, by_100);
    expect_code("normalized:length=trained", 100, 30, by_100);
    expect_code("normalized:length=window,scale=3", 100, 150, three_by_150);
}

// 101 positions need 7 digits, and channel 7 begins again with the lowest.
static double seven_bits(int t, int c) {
    static const int powers[] = {1, 2, 4, 8, 16, 32, 64};
    return t / powers[c % 7] % 2 ? 0.02 * sqrt(2) : 0;
}

static double ten_bits(int t, int c) {
    return t / (int)exp2(c) % 2 ? 2 * sqrt(2) : 0;
}

static void binary_digits(void **state) {
    expect_code("binary", 101, 128, seven_bits);
    expect_code("binary", 65, 128, seven_bits);
    expect_code("binary", 128, 128, seven_bits);
    expect_code("binary:bits=10,amplitude=2", 101, 1024, ten_bits);
}

// The same seed gives the same normal code, whatever the lengths; another seed gives an independent one.
static void random_codes_are_fixed(void **state) {
    enum { C = 64, T = 200 };
    Scene scene, again, other;
    double squares = 0, products = 0, neighbours = 0;
    scene_make(&scene, "random:amplitude=0.5", shape_of(1, C, T), T);
    scene_make(&again, "random:amplitude=0.5", shape_of(4, C, 10), 2 * T);
    scene_make(&other, "random:amplitude=0.5,seed=2", shape_of(1, C, T), T);
    for (int t = 0; t < T; t++) {
        real code[C], same[C], different[C], next[C];
        code_at(code, &scene, t);
        code_at(same, &again, t);
        code_at(different, &other, t);
        code_at(next, &again, t + 1);
        assert_memory_equal(code, same, sizeof code);
        for (int c = 0; c < C; c++) {
            squares += (double)code[c] * (double)code[c];
            products += (double)code[c] * (double)different[c];
            neighbours += (double)code[c] * (double)next[c];
        }
    }
    // Means over 12800 numbers: one standard deviation of a product's is 0.25 / 113.
    expect_near("variance", 0, squares / (C * T), 0.25, 0.02);
    expect_near("product with another seed's", 0, products / (C * T), 0, 0.012);
    expect_near("product with the neighbour", 0, neighbours / (C * T), 0, 0.012);
    scene_free(&scene);
    scene_free(&again);
    scene_free(&other);
}

// learned:start=sinusoidal begins with the sinusoidal scheme's own numbers, random with normal ones.
static void learned_tables_start_as_asked(void **state) {
    enum { C = 12, T = 50 };
    Scene learned, sinusoidal, drawn;
    real code[C], expected[C];
    double squares = 0;
    scene_make(&learned, "learned:start=sinusoidal,amplitude=0.3", shape_of(1, C, T), T);
    scene_make(&sinusoidal, "sinusoidal:amplitude=0.3", shape_of(1, C, T), T);
    scene_make(&drawn, "learned:amplitude=0.3", shape_of(1, C, T), T);
    for (int t = 0; t < T; t++) {
        code_at(code, &learned, t);
        code_at(expected, &sinusoidal, t);
        expect_all_near("sinusoidal", code, expected, C, 1e-6);
        code_at(code, &drawn, t);
        for (int c = 0; c < C; c++) squares += (double)code[c] * (double)code[c];
    }
    expect_near("variance", 0, squares / (C * T), 0.09, 0.02);
    scene_free(&learned);
    scene_free(&sinusoidal);
    scene_free(&drawn);
}

// A trained amplitude starts at the option; the code is the designed one, made larger or smaller as a whole.
static void a_trained_gain_multiplies_the_code(void **state) {
    enum { C = 12, T = 50 };
    Scene fixed, trained;
    real code[C], expected[C];
    scene_make(&fixed, "sinusoidal:base=50,amplitude=0.3", shape_of(1, C, T), T);
    scene_make(&trained, "sinusoidal:base=50,amplitude=0.3,gain=trained", shape_of(1, C, T), T);
    assert_int_equal(fixed.gpt.pos.part[0].param_count, 0);
    assert_int_equal(trained.gpt.pos.part[0].param_count, 1);
    assert_int_equal(tensor_numbers(&trained.gpt.tensors, true), 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int t = 0; t < T; t++) {
            code_at(code, &trained, t);
            code_at(expected, &fixed, t);
            for (int c = 0; c < C; c++) expected[c] *= pass ? -5 : 1;
            expect_all_near("gain", code, expected, C, 1e-6);
        }
        trained.gpt.pos.part[0].params[0][0] *= -5;
    }
    scene_free(&fixed);
    scene_free(&trained);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_added),
        cmocka_unit_test(sinusoids_are_the_reference),
        cmocka_unit_test(the_sinusoidal_code_has_the_stated_size),
        cmocka_unit_test(integers_and_their_shares),
        cmocka_unit_test(binary_digits),
        cmocka_unit_test(random_codes_are_fixed),
        cmocka_unit_test(learned_tables_start_as_asked),
        cmocka_unit_test(a_trained_gain_multiplies_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
