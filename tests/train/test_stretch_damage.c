// A damaged object "rotation" of config.json is refused with a sentence, or gives a usable stretch.
#include "tests/train/some_stretch.h"

static void expect_refusal(const json_t *rotation, const char *part) {
    StretchRule stretch;
    Error error = {0};
    const bool accepted = stretch_from_json(&stretch, rotation, "the/config.json", &error);
    if (accepted) print_error("%s\n", json_dumps(rotation, JSON_ENCODE_ANY));
    expect_refused(accepted, &error, part);
    assert_non_null(strstr(error.message, "the/config.json"));
}

// Values that no member may have.
static const char *const wrong_values[] = {"null", "\"x\"", "true", "{}", "[]", "-1", "-1e-9", "1e300"};

// Replace a member of `object`, which is in `rotation`, by each of these values, and remove it.
static void damage_member(json_t *rotation, json_t *object, const char *name) {
    json_t *right = json_deep_copy(json_object_get(object, name));
    char quoted[64];
    assert_non_null(right);
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    for (size_t i = 0; i < COUNT(wrong_values); i++) {
        json_object_set_new(object, name, json_loads(wrong_values[i], JSON_DECODE_ANY, NULL));
        expect_refusal(rotation, quoted);
    }
    if (json_is_integer(right)) {
        json_object_set_new(object, name, json_real(2.5));
        expect_refusal(rotation, quoted);
    }
    json_object_del(object, name);
    expect_refusal(rotation, quoted);
    json_object_set_new(object, name, right);
}

static void damage_factors(json_t *rotation, json_t *object) {
    json_t *factors = json_object_get(object, "factors");
    const size_t count = json_array_size(factors);
    for (size_t at = 0; at < count; at++) {
        json_t *right = json_deep_copy(json_array_get(factors, at));
        for (size_t i = 0; i < COUNT(wrong_values); i++) {
            json_array_set_new(factors, at, json_loads(wrong_values[i], JSON_DECODE_ANY, NULL));
            expect_refusal(rotation, "\"factors\"");
        }
        json_array_set_new(factors, at, json_integer(0));
        expect_refusal(rotation, "\"factors\"");
        json_array_set_new(factors, at, right);
    }
    while (json_array_size(factors) <= PAIRS_MOST) json_array_append_new(factors, json_integer(1));
    expect_refusal(rotation, "has 257");
    while (json_array_size(factors) > count) json_array_remove(factors, count);
}

// Version 0.1 could leave out the factor in this case.
static void the_factor_is_on_unscaled_positions(void **state) {
    Random random = {random_key(1, "start"), 0};
    const StretchRule stretch = some_rule(METHOD_LONGROPE, 3, false, &random);
    StretchRule found;
    Error error;
    json_t *rotation = stretch_to_json(&stretch);
    json_object_set_new(rotation, "attention_on_unscaled", json_false());
    expect_refusal(rotation, "no attention factor");
    json_object_set_new(rotation, "attention_on_unscaled", json_true());
    must(stretch_from_json(&found, rotation, path, &error), &error);
    json_decref(rotation);
}

static void damaged_members_are_refused(void **state) {
    static const char *const of_all[] = {"method", "factor", "original_context"}, *const of_stretches[] = {
                                                                                      "factors", "unscaled_positions",
                                                                                      "attention_factor"};
    Random random = {random_key(1, "damage"), 0};
    StretchRule found;
    Error error;
    for (size_t m = 0; m < COUNT(methods); m++) {
        const bool dynamic = methods[m] == METHOD_DYNAMIC;
        const StretchRule stretch = some_rule(methods[m], 3, !dynamic, &random);
        json_t *rotation = stretch_to_json(&stretch), *brief = json_object_get(rotation, "short");
        for (size_t i = 0; i < COUNT(of_all); i++) damage_member(rotation, rotation, of_all[i]);
        for (size_t i = 0; !dynamic && i < COUNT(of_stretches); i++) {
            damage_member(rotation, rotation, of_stretches[i]);
            damage_member(rotation, brief, of_stretches[i]);
        }
        if (dynamic) {
            damage_member(rotation, rotation, "growth");
        } else {
            damage_factors(rotation, rotation);
            damage_factors(rotation, brief);
            json_array_append_new(json_object_get(brief, "factors"), json_integer(1));
            expect_refusal(rotation, "3 factors, and 4 for short windows");
            json_array_remove(json_object_get(brief, "factors"), 3);
        }
        must(stretch_from_json(&found, rotation, path, &error), &error); // all is as it was
        expect_rule(&found, &stretch);
        json_decref(rotation);
    }
}

static void what_is_no_object_is_refused(void **state) {
    Random random = {random_key(1, "object"), 0};
    const StretchRule stretch = some_rule(METHOD_PI, 3, true, &random);
    json_t *rotation = stretch_to_json(&stretch);
    for (size_t i = 0; i < COUNT(wrong_values); i++) {
        json_t *wrong = json_loads(wrong_values[i], JSON_DECODE_ANY, NULL);
        expect_refusal(wrong, "");
        json_object_set_new(rotation, "short", wrong);
        expect_refusal(rotation, "\"factors\"");
    }
    json_object_set_new(rotation, "method", json_string("yarnn"));
    expect_refusal(rotation, "did you mean 'yarn'");
    json_decref(rotation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_is_on_unscaled_positions),
        cmocka_unit_test(damaged_members_are_refused),
        cmocka_unit_test(what_is_no_object_is_refused),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
