// Sentences about differences say what the numbers say, and nothing else.
#include "lab/report/facts/words.h"
#include "tests/support/support.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 5 };

// A finding of differences around `mean` that are `spread` apart.
static Finding finding(const char *setting, double mean, double spread, double comparisons) {
    double differences[SEEDS];
    for (int i = 0; i < SEEDS; i++) differences[i] = mean + (i - 2) * spread;
    Finding f = {.arm = "rope",
                 .other = "learned",
                 .setting = setting,
                 .place = "at",
                 .gap = paired_summary(differences, SEEDS)};
    f.interval = paired_interval(&f.gap, comparisons);
    f.verdict = paired_verdict(&f.gap, comparisons);
    return f;
}

static void expect_sentence(const Finding *findings, int count, const char *words) {
    Text text = {0};
    words_contrast(&text, findings, count);
    text_print(&text, "%c", '\0');
    assert_string_equal(text.bytes, words);
    text_free(&text);
}

static void a_difference_in_one_setting(void **state) {
    Finding f = finding("", -0.15, 0.01, 1); // the half-width is 0.0196
    expect_sentence(&f, 1, "rope is better than learned by 0.150 nats a token (0.130 to 0.170).");
    f = finding("", 0.15, 0.05, 1);
    expect_sentence(&f, 1, "learned is better than rope by 0.15 nats a token (0.05 to 0.25).");
    f = finding("", 0, 0, 1);
    expect_sentence(&f, 1, "rope and learned have the same loss in every seed.");
    f = finding("", -0.15, 0.05, 15); // the same numbers, held together with 14 others
    assert_int_equal(f.verdict, VERDICT_UNRESOLVED);
    Text text = {0};
    words_contrast(&text, &f, 1);
    text_print(&text, "%c", '\0');
    expect_text(text.bytes, "rope or learned: not resolved, rope - learned is -0.15 (-0.3");
    assert_null(strstr(text.bytes, "better"));
    text_free(&text);
    f.gap.mean = NAN;
    expect_sentence(&f, 1, "rope or learned: not known, because a run diverged.");
    static const double single[] = {-0.5, 0.25, 0};
    static const char *const told[] = {"rope is ahead of learned by 0.50 nats a token",
                                       "learned is ahead of rope by 0.25 nats a token",
                                       "rope and learned have the same loss"};
    for (int i = 0; i < 3; i++) {
        char words[128];
        f.gap = paired_summary(&single[i], 1);
        f.interval = paired_interval(&f.gap, 1);
        f.verdict = paired_verdict(&f.gap, 1);
        snprintf(words, sizeof words, "%s, but one seed cannot tell how certain that is.", told[i]);
        expect_sentence(&f, 1, words);
    }
}

// The end of a resolved interval is not shown as 0, and what is not resolved has an interval with 0 in it.
static void digits_show_the_verdict(void **state) {
    for (double mean = 1e-5; mean < 3; mean *= 1.7)
        for (double spread = 1e-6; spread < 1; spread *= 1.9) {
            const Finding f = finding("", -mean, spread, 3);
            Text text = {0};
            words_signed(&text, f.gap.mean, f.interval);
            text_print(&text, "%c", '\0');
            double shown, low, high;
            assert_int_equal(sscanf(text.bytes, "%lf (%lf to %lf)", &shown, &low, &high), 3);
            if (f.verdict == VERDICT_BETTER && !(high < 0)) fail_msg("%s is resolved", text.bytes);
            if (f.verdict == VERDICT_UNRESOLVED && !(low <= 0 && high >= 0)) fail_msg("%s is not", text.bytes);
            text_free(&text);
        }
}

static void a_difference_in_several_settings(void **state) {
    Finding f[] = {finding("25k", 0.001, 0.01, 1), finding("70k", -0.15, 0.01, 1), finding("200k", -0.3, 0.01, 1)};
    expect_sentence(f, 3,
                    "rope is better than learned at 70k and 200k by 0.15 and 0.30 nats a token; not resolved at 25k.");
    f[0] = finding("25k", 0.5, 0.01, 1); // a crossing is not hidden
    expect_sentence(
        f, 3,
        "rope is better than learned at 70k and 200k by 0.15 and 0.30 nats a token; worse at 25k by 0.500 nats "
        "a token (0.480 to 0.520).");
    f[0] = finding("25k", -0.05, 0.01, 1);
    expect_sentence(f, 3, "rope is better than learned in all 3 settings by 0.050, 0.150 and 0.300 nats a token.");
    Finding many[5];
    for (int i = 0; i < 5; i++) many[i] = finding("70k", 0.1 * (5 - i), 0.01, 1);
    expect_sentence(many, 5,
                    "learned is better than rope in all 5 settings by at least 0.10 and at most 0.50 nats a token.");
    for (int i = 0; i < 3; i++) f[i] = finding(f[i].setting, 0.2, 0.01, 1);
    expect_sentence(f, 2, "learned is better than rope in both settings by about 0.20 nats a token.");
    f[1].gap.mean = NAN;
    expect_sentence(
        f, 2,
        "learned is better than rope at 25k by 0.200 nats a token (0.180 to 0.220); not known, because a run "
        "diverged, at 70k.");
    for (int i = 0; i < 2; i++) f[i] = finding(f[i].setting, 0, 0.01, 1);
    expect_sentence(f, 2, "rope or learned: not resolved in either setting.");
    for (int i = 0; i < 2; i++) f[i].interval.low = NAN;
    expect_sentence(f, 2, "rope or learned: not tested with one seed in both settings.");
}

// What several settings have at the end of their words is said once; not if one of them has more behind it.
static void settings_are_listed(void **state) {
    static const struct {
        const char *settings[3], *list, *last;
    } cases[] = {
        {{"25k", "70k", "200k"}, "at 25k and 70k; ", "200k"},
        {{"5 tokens a parameter", "20 tokens a parameter", "80 tokens a parameter"},
         "at 5 and 20 tokens a parameter; ",
         "80"},
        {{"70k (5 tokens a parameter)", "70k (20 tokens a parameter)", "x"},
         "at 70k (5 tokens a parameter) and 70k (20 tokens a parameter); ",
         "x"},
        {{"5 tokens a parameter", "20", "x"}, "at 5 tokens a parameter and 20; ", "x"},
    };
    for (size_t n = 0; n < COUNT(cases); n++) {
        Finding f[3];
        char words[256];
        for (int i = 0; i < 3; i++) f[i] = finding(cases[n].settings[i], 0, 0.01, 1);
        f[2].gap.mean = NAN;
        snprintf(words, sizeof words, "rope or learned: not resolved %snot known, because a run diverged, at %s.",
                 cases[n].list, cases[n].last);
        expect_sentence(f, 3, words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_difference_in_one_setting),
        cmocka_unit_test(digits_show_the_verdict),
        cmocka_unit_test(a_difference_in_several_settings),
        cmocka_unit_test(settings_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
