// Sentences about differences say what the numbers say, and nothing else.
#include "lab/report/words.h"
#include "tests/support/support.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 5 };

// A finding of differences around `mean` that are `spread` apart.
static Finding finding(const char *setting, double mean, double spread, double comparisons) {
    double differences[SEEDS];
    for (int i = 0; i < SEEDS; i++) differences[i] = mean + (i - 2) * spread;
    Finding f = {.variant = "rope",
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
    static const char *const told[] = {
        "rope is ahead of learned by 0.50 nats a token, but one seed cannot tell how certain that is.",
        "learned is ahead of rope by 0.25 nats a token, but one seed cannot tell how certain that is.",
        "rope and learned have the same loss in every seed."};
    for (int i = 0; i < 3; i++) {
        f.gap = paired_summary(&single[i], 1);
        f.interval = paired_interval(&f.gap, 1);
        f.verdict = paired_verdict(&f.gap, 1);
        expect_sentence(&f, 1, told[i]);
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

// A crossing is not hidden.
static void a_difference_in_several_settings(void **state) {
    Finding f[] = {finding("25k", 0.001, 0.01, 1), finding("70k", -0.15, 0.01, 1), finding("200k", -0.3, 0.01, 1)};
    expect_sentence(f, 3,
                    "rope is better than learned at 70k, 200k by 0.15 to 0.30 nats a token; not resolved at 25k.");
    f[0] = finding("25k", 0.5, 0.01, 1);
    expect_sentence(f, 3,
                    "rope is better than learned at 70k, 200k by 0.15 to 0.30 nats a token; learned is better than "
                    "rope at 25k by 0.500 nats a token (0.480 to 0.520).");
    f[0] = finding("25k", -0.05, 0.01, 1);
    expect_sentence(f, 3, "rope is better than learned in all 3 settings by 0.050 to 0.300 nats a token.");
    f[0].gap.mean = NAN;
    expect_sentence(f, 2,
                    "rope is better than learned at 70k by 0.150 nats a token (0.130 to 0.170); not known, because a "
                    "run diverged, at 25k.");
    for (int i = 0; i < 2; i++) f[i] = finding(f[i].setting, 0, 0.01, 1);
    expect_sentence(f, 2, "rope or learned: not resolved in both settings.");
    for (int i = 0; i < 2; i++) f[i].interval.low = NAN;
    expect_sentence(f, 2, "rope or learned: not tested with one seed in both settings.");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_difference_in_one_setting),
        cmocka_unit_test(digits_show_the_verdict),
        cmocka_unit_test(a_difference_in_several_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
