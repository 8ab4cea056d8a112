// Facts about a mix: its names, lengths and features, what can be stretched, and when its tables change.
#include "model/gpt.h"
#include "tests/support/little_model.h"

static const Shape shape = {.vocab = 5, .context = 16, .layers = 4, .heads = 4, .width = 16};

static void facts_are_those_of_the_parts(void **state) {
    static const struct {
        const char *text, *names;
        int stretchable, max_length, features;
        bool learned, only;
    } cases[] = {
        {"rope", "rope", 0, 0, 0, false, true},
        {"none", "none", -1, 0, 0, false, true},
        {"learned+rope", "learned and rope", 1, 16, 0, true, false},
        {"rope,none,learned", "rope, none and learned", 0, 16, 0, true, false},
        {"rope:base=10,rope:base=20", "rope and rope", STRETCH_SEVERAL, 0, 0, false, false},
        {"rope:base=10,rope:base=20,rope:base=30", "rope, rope and rope", STRETCH_SEVERAL, 0, 0, false, false},
        {"alibi+rope:gate=trained", "alibi and rope", STRETCH_GATED, 0, 0, true, false},
        {"alibi:gate=trained+rope", "alibi and rope", 1, 0, 0, true, false},
        {"binary:bits=5+learned", "binary and learned", -1, 16, 0, true, false},
        {"learned+binary:bits=5", "learned and binary", -1, 16, 0, true, false},
        {"binary:bits=5+rope", "binary and rope", 1, 32, 0, false, false},
        {"fox*3,cable", "fox and cable", -1, 0, 4 + 8, true, false},
        {"path:conv=3,rank=4+fox", "path and fox", -1, 0, 16 + 4 + 4, true, false},
        {"path:conv=3,rank=4,path:conv=2,rank=4,forget", "path and path", -1, 0, 16 + 4 + 16 + 8, true, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const Mix mix = mix_of(cases[i].text, &shape);
        char names[TEXT_CAPACITY];
        print_message("%s\n", cases[i].text);
        mix_names(&mix, ", ", " and ", names);
        assert_string_equal(names, cases[i].names);
        assert_int_equal(mix_stretchable(&mix), cases[i].stretchable);
        assert_int_equal(mix_max_length(&mix), cases[i].max_length);
        assert_int_equal(mix.features, cases[i].features);
        bool learned = false;
        for (int p = 0; p < mix.parts; p++) learned |= position_learned(&mix.part[p]);
        assert_true(learned == cases[i].learned && (mix.parts == 1) == cases[i].only);
        assert_int_equal(mix_span(&mix), 16);
        assert_int_equal(mix_random_bound(&mix), 0);
    }
}

static void drawn_positions_widen_what_reads_them(void **state) {
    Shape scattered = shape;
    scattered.random_positions = 40;
    const Mix reads = mix_of("fox+rope", &scattered), reads_none = mix_of("fox", &scattered);
    assert_int_equal(mix_random_bound(&reads), 40);
    assert_int_equal(mix_span(&reads), 40);
    assert_int_equal(mix_random_bound(&reads_none), 0);
    assert_int_equal(mix_span(&reads_none), 16);
}

// A window past the table of interpolated positions changes their tables, and so does the return; no other does.
static void tables_change_with_the_window(void **state) {
    static const struct {
        const char *text;
        bool differs;
    } cases[] = {{"learned:past=interpolate+alibi", true},
                 {"rope+learned:past=interpolate", true},
                 {"learned:past=clamp+alibi", false},
                 {"rope", false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Gpt gpt;
        Arena arena = {0};
        MixTables tables;
        Error error;
        model_make(&gpt, cases[i].text, &shape, false);
        for (int pass = 0; pass < 2; pass++) { // counts the memory, then hands it out
            mix_layout(&tables, &gpt.pos, &arena, 64, 1, false);
            if (pass == 0) must(arena_allocate(&arena, "tables", &error), &error);
        }
        mix_window(&tables, 16);
        mix_prepare(&tables);
        assert_false(mix_window(&tables, 12));
        assert_true(mix_window(&tables, 32) == cases[i].differs);
        assert_false(mix_window(&tables, 32));
        assert_true(mix_window(&tables, 33) == cases[i].differs);
        assert_true(mix_window(&tables, 16) == cases[i].differs);
        arena_free(&arena);
        gpt_free(&gpt);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_those_of_the_parts),
        cmocka_unit_test(drawn_positions_widen_what_reads_them),
        cmocka_unit_test(tables_change_with_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
