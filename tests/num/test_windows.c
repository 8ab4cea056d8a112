// The text of --window, and how many keys it lets a query see.
#include "num/tensor.h"
#include "tests/support/support.h"

static void texts_are_read(void **state) {
    static const struct {
        const char *text;
        int windows[6]; // of six layers
    } cases[] = {
        {"", {0, 0, 0, 0, 0, 0}},    {"64", {64, 64, 64, 64, 64, 64}},   {"64*5,0", {64, 64, 64, 64, 64, 0}},
        {"8,0", {8, 0, 8, 0, 8, 0}}, {"8 16*2", {8, 16, 16, 8, 16, 16}}, {"0*2, 7", {0, 0, 7, 0, 0, 7}},
        {"1", {1, 1, 1, 1, 1, 1}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Shape shape = {.layers = 6};
        Error error;
        must(windows_parse(&shape.windows, cases[i].text, 6, &error), &error);
        for (int l = 0; l < 6; l++) assert_int_equal(window_of(&shape, l), cases[i].windows[l]);
    }
}

static void mistakes_are_named(void **state) {
    static const char *const cases[][2] = {
        {"0", "--window '0', character 1 ('0'): a window of 0 keys leaves nothing to see"},
        {"0*2,0", "character 1 ('0*2,0'): a window of 0 keys leaves nothing to see"},
        {"-3", "character 1 ('-3'): here should be a number of keys"},
        {",64", "character 1 (',64'): here should be a number of keys"},
        {"8,x", "character 3 ('x'): here should be a number of keys"},
        {"64,", "at its end: here should be a number of keys"},
        {"64*", "at its end: here should be a number of layers"},
        {"64*0,0", "character 4 ('0,0'): give a number of layers from 1 on"},
        {"64*6,0", "character 1 ('64*6,0'): these are windows for 7 layers, but --layers 6"},
        {"64;0", "character 3 (';0'): windows are separated by a comma or a space"},
        {"64x", "character 3 ('x'): windows are separated"},
        {"99999999999999999999", "character 1 ('99999999999999999999'): a number here is at most 10000000"},
        {"8*65,0", "character 1 ('8*65,0'): the windows must repeat after at most 64 layers"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Windows windows;
        Error error = {0};
        assert_false(windows_parse(&windows, cases[i][0], 6, &error));
        assert_int_equal(error.kind, ERROR_INPUT);
        if (!strstr(error.message, cases[i][1])) fail_msg("%s: '%s'", cases[i][0], error.message);
    }
}

static void keys_are_counted(void **state) {
    for (int T = 1; T < 40; T++)
        for (int window = 0; window < 45; window++) {
            double seen = 0;
            for (int t = 0; t < T; t++) seen += window && window < t + 1 ? window : t + 1;
            expect_near("keys", (size_t)window, keys_seen_of(T, window), seen / T, 1e-12);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_read),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(keys_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
