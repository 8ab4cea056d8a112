// Stretched rotations: the formulas' factors compared with other implementations and with numbers in the papers.
#include "posenc/rotation/rotate.h"
#include "tests/support/scene.h"

static const FormulaOptions usual = {.ramp = RAMP_CODE, .beta_fast = 32, .beta_slow = 1, .low_freq = 1, .high_freq = 4};

// --- Hugging Face's numbers ---
enum { PAIRS = 64 }; // the most of the cases there

typedef struct {
    const json_t *params;
    const char *type;
    double base, factor;
    int pairs, original, length; // length of the window; 0 = not said
} Case;

static double param(const Case *c, const char *name, double absent) {
    const json_t *value = json_object_get(c->params, name);
    return json_is_number(value) ? json_number_value(value) : absent;
}

static Case read_case(const json_t *one) {
    Case c = {.params = json_object_get(one, "params"), .type = json_string_value(json_object_get(one, "rope_type"))};
    const double longest = json_number_value(json_object_get(one, "max_position_embeddings"));
    c.base = param(&c, "rope_theta", NAN);
    c.pairs = (int)json_integer_value(json_object_get(one, "head_dim")) / 2;
    c.original = (int)param(&c, "original_max_position_embeddings", longest);
    c.factor = param(&c, "factor", longest / c.original);
    c.length = (int)json_integer_value(json_object_get(one, "seq_len"));
    assert_in_range(c.pairs, 1, PAIRS);
    return c;
}

static Stretch formula_of(const Case *c, Method method) {
    FormulaOptions options = usual;
    Stretch stretch;
    const json_t *truncate = json_object_get(c->params, "truncate");
    options.ramp = truncate && !json_is_true(truncate) ? RAMP_EXACT : RAMP_CODE;
    options.beta_fast = param(c, "beta_fast", options.beta_fast);
    options.beta_slow = param(c, "beta_slow", options.beta_slow);
    options.low_freq = param(c, "low_freq_factor", options.low_freq);
    options.high_freq = param(c, "high_freq_factor", options.high_freq);
    stretch_formula(&stretch, method, &options, c->factor, c->original, c->base, c->pairs);
    return stretch;
}

// Both lists of a longrope case, and the one that its window chooses.
static Stretch longrope_of(const Case *c) {
    StretchRule rule = {.method = METHOD_LONGROPE, .original = c->original, .pairs = c->pairs, .has_short = true};
    Stretch made;
    for (int i = 0; i < c->pairs; i++) {
        rule.long_stretch.factors[i] = number_at(json_object_get(c->params, "long_factor"), (size_t)i);
        rule.short_stretch.factors[i] = number_at(json_object_get(c->params, "short_factor"), (size_t)i);
    }
    rule.long_stretch.attention = rule.short_stretch.attention = longrope_attention(c->factor, c->original);
    return *stretch_of_window(&made, &rule, c->length, c->pairs);
}

static Stretch dynamic_of(const Case *c) {
    const StretchRule rule = {.method = METHOD_DYNAMIC, .original = c->original, .growth = c->factor};
    Stretch made;
    return *stretch_of_window(&made, &rule, c->length ? c->length : c->original, c->pairs);
}

static void expect_case(const Stretch *stretch, const Case *c, const json_t *one, size_t number) {
    const json_t *expected = json_object_get(one, "inv_freq");
    const double attention = json_number_value(json_object_get(one, "attention_factor"));
    char name[64];
    snprintf(name, sizeof name, "%s, case %zu", c->type, number);
    assert_int_equal(json_array_size(expected), c->pairs);
    for (int i = 0; i < c->pairs; i++) {
        const double theta = number_at(expected, (size_t)i);
        expect_near(name, (size_t)i, pow(c->base, -(double)i / c->pairs) / stretch->factors[i], theta, 2e-6 * theta);
    }
    expect_near(name, 0, stretch->attention, attention, 2e-6 * attention);
    assert_int_equal(stretch->unscaled, 0);
}

static void factors_are_hugging_face_s(void **state) {
    static const char *const types[] = {"linear", "dynamic", "yarn", "longrope", "llama3"};
    static const int counts[] = {16, 72, 52, 8, 8};
    int checked[COUNT(types)] = {0};
    json_t *root = golden("hf_rope_inv_freq");
    const json_t *one;
    size_t n;
    json_array_foreach(json_object_get(root, "cases"), n, one) {
        const Case c = read_case(one);
        size_t type = 0;
        while (type < COUNT(types) && strcmp(types[type], c.type) != 0) type++;
        if (type == COUNT(types)) continue;
        const Stretch stretch = type == 0   ? formula_of(&c, METHOD_PI)
                                : type == 1 ? dynamic_of(&c)
                                : type == 2 ? formula_of(&c, METHOD_YARN)
                                : type == 3 ? longrope_of(&c)
                                            : formula_of(&c, METHOD_LLAMA3);
        expect_case(&stretch, &c, one, n);
        checked[type]++;
    }
    for (size_t type = 0; type < COUNT(types); type++) assert_int_equal(checked[type], counts[type]);
    json_decref(root);
}

// --- the papers' numbers ---
static Stretch formula(Method method, Ramp ramp, double factor, int original, double base, int pairs) {
    FormulaOptions options = usual;
    Stretch stretch;
    options.ramp = ramp;
    stretch_formula(&stretch, method, &options, factor, original, base, pairs);
    return stretch;
}

static void ntk_goes_from_nothing_to_pi(void **state) {
    const Stretch ntk = formula(METHOD_NTK, RAMP_CODE, 8, 4096, 10000, 64),
                  pi = formula(METHOD_PI, RAMP_CODE, 8, 4096, 10000, 64);
    assert_true(ntk.factors[0] == 1 && pi.factors[0] == 8 && pi.factors[63] == 8);
    expect_near("theta'/theta", 16, 1 / ntk.factors[16], 0.5897, 5e-5);
    expect_near("theta'/theta", 32, 1 / ntk.factors[32], 0.3478, 5e-5);
    expect_near("theta'/theta", 63, 1 / ntk.factors[63], 0.125, 1e-15);
    // The same as another base: b' = b s^(d/(d-2)).
    const double base = 10000 * pow(8, 128 / 126.0);
    for (int i = 0; i < 64; i++)
        expect_near("theta'", (size_t)i, pow(10000, -i / 64.0) / ntk.factors[i], pow(base, -i / 64.0), 1e-15);
    assert_true(formula(METHOD_NTK, RAMP_CODE, 8, 16, 10000, 1).factors[0] == 8); // the only pair is the last
}

// With factor 4 in a window of twice the length, Hugging Face's base grows as for factor 5, the paper's as for 2.
static void dynamic_follows_the_window(void **state) {
    static const struct {
        double growth;
        int length;
        double s;
    } cases[] = {
        {4, 2048, 5}, {1, 2048, 2}, {1, 8192, 8}, {8, 8192, 57}, {4, 1024, 1}, {1, 1, 1}, {2, 1025, 1 + 2.0 / 1024}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        const Stretch ntk = formula(METHOD_NTK, RAMP_CODE, cases[n].s, 1024, 10000, 16);
        Stretch stretch;
        stretch_dynamic(&stretch, cases[n].growth, 1024, cases[n].length, 16);
        for (int i = 0; i < 16; i++)
            expect_near("factor", (size_t)i, stretch.factors[i], ntk.factors[i], 1e-12 * ntk.factors[i]);
    }
}

// How much of its speed a pair keeps: 1/factor = keep + (1 - keep) / s.
static double keep(const Stretch *stretch, int pair, double s) {
    return (1 / stretch->factors[pair] - 1 / s) / (1 - 1 / s);
}

// The last two ramps end beyond the last pair, at the number of channels at most.
static void yarn_ramps_between_whole_pairs(void **state) {
    static const struct {
        int d, original, low, high;
        double beta_slow;
    } cases[] = {{128, 4096, 20, 46, 1}, {64, 1024, 5, 18, 1},   {32, 256, 0, 7, 1}, {16, 6, 0, 0, 1},
                 {16, 100000, 5, 9, 1},  {32, 256, 0, 31, 1e-9}, {32, 64, 0, 0, 20}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        const int pairs = cases[n].d / 2, low = cases[n].low, high = cases[n].high;
        FormulaOptions options = usual;
        Stretch yarn;
        options.beta_slow = cases[n].beta_slow;
        stretch_formula(&yarn, METHOD_YARN, &options, 8, cases[n].original, 10000, pairs);
        for (int i = 0; i < pairs; i++) {
            const double expected = i <= low ? 1 : i >= high ? 0 : (double)(high - i) / (high - low);
            expect_near("keep", (size_t)i, keep(&yarn, i, 8), expected, 1e-12);
        }
        expect_near("attention", n, yarn.attention, 1.2079, 5e-5);
        expect_near("scores", n, yarn.attention * yarn.attention, 1.459, 5e-4);
    }
}

static void yarn_of_the_paper_is_another_ramp(void **state) {
    const Stretch code = formula(METHOD_YARN, RAMP_CODE, 8, 4096, 10000, 64),
                  exact = formula(METHOD_YARN, RAMP_EXACT, 8, 4096, 10000, 64),
                  paper = formula(METHOD_YARN, RAMP_PAPER, 8, 4096, 10000, 64);
    expect_near("code", 31, keep(&code, 31, 8), 0.577, 5e-4);
    expect_near("paper", 31, keep(&paper, 31, 8), 0.211, 5e-4);
    assert_true(paper.attention == code.attention && exact.attention == code.attention);
    for (int i = 0; i < 64; i++) {
        const double turns = 4096 * pow(10000, -i / 64.0) / (2 * M_PI);
        expect_near("paper", (size_t)i, keep(&paper, i, 8), fmin(fmax((turns - 1) / 31, 0), 1), 1e-12);
        // Unrounded, the ramp begins at 32 turns and ends at 1: between the rounded ends.
        assert_true((turns > 32) == (keep(&exact, i, 8) >= 1));
        assert_true((turns < 1) == (keep(&exact, i, 8) <= 1e-15));
    }
}

// An unstretched model is stretched by YaRN; a model whose positions were all divided by 8 makes, in 8 times as many
// tokens, the same turns as before.
static void further_is_yarn_on_top(void **state) {
    const Stretch yarn = formula(METHOD_YARN, RAMP_PAPER, 4, 256, 10000, 16),
                  pi = formula(METHOD_PI, RAMP_PAPER, 8, 256, 10000, 16),
                  once = formula(METHOD_PI, RAMP_PAPER, 1, 256, 10000, 16);
    Stretch from_once, from_pi;
    stretch_further(&from_once, &once, &usual, 4, 256, 10000, 16);
    stretch_further(&from_pi, &pi, &usual, 4, 8 * 256, 10000, 16);
    for (int i = 0; i < 16; i++) {
        expect_near("from nothing", (size_t)i, from_once.factors[i], yarn.factors[i], 1e-12);
        expect_near("from pi", (size_t)i, from_pi.factors[i], 8 * yarn.factors[i], 1e-11);
    }
    assert_true(yarn.factors[0] < 1.5 && yarn.factors[15] == 4);
}

// Llama 3's ramp is that of YaRN's paper from 1 to 4 turns, without its attention factor.
static void llama3_is_a_narrow_yarn(void **state) {
    const FormulaOptions narrow = {.ramp = RAMP_PAPER, .beta_fast = 4, .beta_slow = 1, .low_freq = 1, .high_freq = 4};
    Stretch yarn, llama3;
    stretch_formula(&yarn, METHOD_YARN, &narrow, 8, 256, 10000, 16);
    stretch_formula(&llama3, METHOD_LLAMA3, &narrow, 8, 256, 10000, 16);
    for (int i = 0; i < 16; i++) expect_near("factor", (size_t)i, llama3.factors[i], yarn.factors[i], 1e-12);
    assert_true(llama3.attention == 1 && llama3.factors[0] == 1 && llama3.factors[15] == 8);
}

static void longrope_attends_more_the_longer(void **state) {
    expect_near("attention", 1, longrope_attention(16, 4096), sqrt(4 / 3.0), 1e-15);
    assert_true(longrope_attention(1, 256) == 1);
}

// No method at factor 1 changes anything.
static void a_factor_of_one_is_no_stretch(void **state) {
    static const Method methods[] = {METHOD_PI, METHOD_NTK, METHOD_YARN, METHOD_LLAMA3};
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int ramp = RAMP_CODE; ramp <= RAMP_PAPER; ramp++) {
            const Stretch stretch = formula(methods[m], (Ramp)ramp, 1, 256, 10000, 16);
            for (int i = 0; i < 16; i++) expect_near("factor", (size_t)i, stretch.factors[i], 1, 1e-15);
            assert_true(stretch.attention == 1 && stretch.unscaled == 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_hugging_face_s),        cmocka_unit_test(ntk_goes_from_nothing_to_pi),
        cmocka_unit_test(dynamic_follows_the_window),        cmocka_unit_test(yarn_ramps_between_whole_pairs),
        cmocka_unit_test(yarn_of_the_paper_is_another_ramp), cmocka_unit_test(further_is_yarn_on_top),
        cmocka_unit_test(llama3_is_a_narrow_yarn),           cmocka_unit_test(longrope_attends_more_the_longer),
        cmocka_unit_test(a_factor_of_one_is_no_stretch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
