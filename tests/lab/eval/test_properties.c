// What `bitter properties` measures, checked on schemes whose properties are known.
#include "lab/eval/scheme_probe.h"
#include "tests/support/support.h"

#define TOLERANCE 1e-4

static const Shape shape = {.vocab = 5, .context = 128, .layers = 1, .heads = 2, .width = 32};

static void untrained(Gpt *gpt, const char *specification) {
    Mix pos;
    Error error;
    Shape sizes = shape;
    must(mix_parse(&pos, specification, &error), &error);
    sizes.layers = mix_layers(&pos);
    must(mix_fit(&pos, &sizes, &error), &error);
    must(gpt_create(gpt, &sizes, &pos, false, &error), &error);
    gpt_init(gpt, 1);
}

static SchemeProperties probe_layer(const char *specification, int layer) {
    Gpt gpt;
    Error error;
    SchemeProperties properties;
    untrained(&gpt, specification);
    must(scheme_probe(&properties, &gpt, layer, 1, &error), &error);
    gpt_free(&gpt);
    return properties;
}

static SchemeProperties probe(const char *specification) {
    return probe_layer(specification, 0);
}

static void expect_zero(const char *scheme, const char *what, double value) {
    if (!(fabs(value) <= TOLERANCE)) fail_msg("%s: %s is %g, not 0", scheme, what, value);
}

static void expect_more(const char *scheme, const char *what, double value, double least) {
    if (!(value > least)) fail_msg("%s: %s is %g, not more than %g", scheme, what, value, least);
}

static void expect_none(const char *scheme, const char *what, double value) {
    if (!isnan(value)) fail_msg("%s: %s does not apply, but is %g", scheme, what, value);
}

static void layers_have_the_properties_of_their_own_schemes(void **state) {
    const SchemeProperties rope = probe("rope"), alibi = probe("alibi");
    const SchemeProperties first = probe_layer("rope*3,none", 0), last = probe_layer("rope*3,none", 3);
    assert_true(first.trend == rope.trend && first.distinct == rope.distinct);
    expect_none("a layer without rotations", "distinct", last.distinct);
    const SchemeProperties by_number = probe_layer("rope@0-1,3 alibi@2,4", 4);
    assert_true(by_number.trend == alibi.trend);
}

static void distance_alone_decides_for_relative_schemes(void **state) {
    static const char *const relative[] = {"sinusoidal", "rope", "partial", "xpos", "rope:axes=2", "alibi", "kerple"};
    for (size_t i = 0; i < COUNT(relative); i++) expect_zero(relative[i], "absolute", probe(relative[i]).absolute);
    expect_more("learned", "absolute", probe("learned").absolute, 0.5);
    expect_more("fire past its threshold", "absolute", probe("fire:threshold=4").absolute, 0.01);
    expect_none("none", "absolute", probe("none").absolute);
}

static void codes_are_unique_or_there_are_none(void **state) {
    static const char *const unique[] = {"integer", "normalized", "binary", "sinusoidal", "learned", "rope"};
    for (size_t i = 0; i < COUNT(unique); i++) expect_more(unique[i], "distinct", probe(unique[i]).distinct, 1e-3);
    expect_zero("a step of 0", "distinct", probe("normalized:scale=0").distinct);
    expect_none("alibi", "distinct", probe("alibi").distinct);
    expect_none("none", "distinct", probe("none").distinct);
}

static void lines_fall_and_tables_end(void **state) {
    expect_zero("alibi", "trend + 1", probe("alibi").trend + 1);
    assert_int_equal(probe("rope").longest, 0);
    assert_int_equal(probe("learned").longest, shape.context);
    assert_int_equal(probe("learned:past=clamp").longest, 0);
    assert_int_equal(probe("binary:bits=9").longest, 512);
}

// Of ALiBi's two heads the second has the slope 2^-8 (Press, Smith, Lewis 2022).
static void biases_are_those_of_the_first_layer_that_has_any(void **state) {
    static const struct {
        const char *specification;
        int layer;
    } cases[] = {{"alibi", 0}, {"none@0 alibi@1", 1}, {"rope@0-1 alibi@2", 2}};
    double curves[2 * 128];
    for (size_t i = 0; i < COUNT(cases); i++) {
        Gpt gpt;
        Error error;
        int layer;
        untrained(&gpt, cases[i].specification);
        must(scheme_bias(curves, &layer, &gpt, &error), &error);
        assert_int_equal(layer, cases[i].layer);
        for (int d = 0; d < shape.context; d++) {
            expect_zero(cases[i].specification, "head 0, off by", curves[d] + d / 16.0);
            expect_zero(cases[i].specification, "head 1, off by", curves[shape.context + d] + d / 256.0);
        }
        gpt_free(&gpt);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_have_the_properties_of_their_own_schemes),
        cmocka_unit_test(distance_alone_decides_for_relative_schemes),
        cmocka_unit_test(codes_are_unique_or_there_are_none),
        cmocka_unit_test(lines_fall_and_tables_end),
        cmocka_unit_test(biases_are_those_of_the_first_layer_that_has_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
