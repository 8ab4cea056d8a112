// One verdict for one difference: primary and exploratory families, several texts.
#include "lab/compare/outcome.h"
#include "tests/lab/compare/run_files.h"

static void begin_plan(const char *names, const char *scale, int texts) {
    Error error;
    begin(plan);
    for (int t = 1; t < texts; t++) {
        char name[16];
        sprintf(name, "text%d", t);
        must(plan_text(plan, name, VOCAB, TRAINING_TOKENS, &error), &error);
    }
    must(set_variants(plan, names, "", &error) && plan_rates(plan, "", &error) && set_sizes(plan, scale, "", &error),
         &error);
}

static void name(const char *text, int after) {
    Error error;
    must(plan_contrast(plan, text, "2026-01-31T23:59:59Z", after, &error), &error);
}

static double noise_of(const char *what, const Job *job, int i) {
    char key[32];
    snprintf(key, sizeof key, "%s %d", what, job->seed);
    return random_normal(random_key(5, key), (uint64_t)(1000 * job->variant + 100 * job->setting + i));
}

static double loss_of(const Job *job) {
    return 3 + 0.1 * job->variant + 0.05 * job->setting + 0.02 * noise_of("run", job, 0);
}

static void put_loss(const Job *job) {
    char text[4096];
    int length = snprintf(text, sizeof text, MEASURED_HEADER "loss,%lld,%.10g,999\n",
                          plan->settings[job->setting].context, loss_of(job));
    snprintf(text + length, sizeof text - (size_t)length, "batches,0,7,1\n");
    put(job, text);
}

static void read_outcome(Outcome *outcome) {
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_loss(&job);
    }
    read_all(outcome);
}

static void expect_interval(const char *what, Interval found, Interval expected) {
    expect_near(what, 0, found.low, expected.low, 1e-7);
    expect_near(what, 1, found.high, expected.high, 1e-7);
}

// Two primary contrasts at two sizes are a family of four; all six pairs of four variants in a setting are another.
static void families_are_corrected(void **state) {
    Outcome outcome;
    begin_plan("none;rope;alibi;learned", "0.1M,0.3M", 1);
    name("rope - alibi", 0);
    name("learned - none", 0);
    name("learned - rope", 5);
    read_outcome(&outcome);
    for (int setting = 0; setting < 2; setting++)
        for (int variant = 0; variant < 4; variant++)
            for (int other = 0; other < 4; other++) {
                if (variant == other) continue;
                const Difference d = outcome_difference(&outcome, variant, other, setting, 1);
                double gaps[3];
                for (int seed = 0; seed < 3; seed++) {
                    const Job a = {.setting = setting, .task = -1, .variant = variant, .seed = seed},
                              b = {.setting = setting, .task = -1, .variant = other, .seed = seed};
                    gaps[seed] = loss_of(&a) - loss_of(&b);
                }
                const Paired expected = paired_summary(gaps, 3);
                const bool primary = variant + other == 3; // 1 - 2 and 3 - 0
                assert_int_equal(d.primary, primary);
                assert_true(d.comparisons == (primary ? 4 : 6) && d.texts == 1);
                expect_near("median", 0, d.gap.estimate, expected.estimate, 1e-8);
                expect_interval("interval", d.interval, paired_interval(&expected, d.comparisons));
                const bool off = d.interval.low > 0 || d.interval.high < 0;
                assert_int_equal(d.verdict != VERDICT_UNRESOLVED, off);
            }
    outcome_free(&outcome);
}

// A contrast of a scheme that has been left out since still counts, because it was asked.
static void what_was_asked_counts(void **state) {
    Outcome outcome;
    begin_plan("none;rope;alibi", "", 1);
    name("rope - none", 0);
    name("alibi - none", 0);
    Error error;
    must(set_variants(plan, "none;rope", "", &error) && set_sizes(plan, "", "", &error), &error);
    read_outcome(&outcome);
    assert_true(outcome_difference(&outcome, 1, 0, 0, 1).comparisons == 2);
    outcome_free(&outcome);
}

static void a_difference_can_be_turned_round(void **state) {
    Outcome outcome;
    begin_plan("none;rope;alibi", "", 1);
    plan->seeds = 5;
    name("none - alibi", 0);
    read_outcome(&outcome);
    const Difference there = outcome_difference(&outcome, 0, 2, 0, 1), back = outcome_difference(&outcome, 2, 0, 0, 1);
    assert_true(there.primary && back.primary);
    assert_true(back.variant == 2 && back.other == 0 && back.gap.mean == -there.gap.mean &&
                back.gap.estimate == -there.gap.estimate);
    assert_true(back.interval.low == -there.interval.high && back.interval.high == -there.interval.low);
    assert_true(back.gap.alone.low == -there.gap.alone.high);
    for (int i = 0; i < 5; i++) assert_true(back.gap.sorted[i] == -there.gap.sorted[4 - i]);
    assert_true(there.verdict == VERDICT_BETTER && back.verdict == VERDICT_WORSE);
    outcome_free(&outcome);
}

// Each text alone, and all of them as a random effect whose units are the texts.
static void texts_are_a_random_effect(void **state) {
    enum { TEXTS = 3 };
    Outcome outcome;
    double gaps[TEXTS * 3];
    begin_plan("none;rope;alibi", "0.1M,0.3M", TEXTS);
    name("rope - none", 0);
    read_outcome(&outcome);
    for (int size = 0; size < 2; size++) {
        for (int text = 0; text < TEXTS; text++)
            for (int seed = 0; seed < 3; seed++) {
                const Job a = {.setting = 2 * text + size, .task = -1, .variant = 1, .seed = seed},
                          b = {.setting = 2 * text + size, .task = -1, .variant = 0, .seed = seed};
                gaps[3 * text + seed] = loss_of(&a) - loss_of(&b);
            }
        const Paired expected = texts_summary(gaps, TEXTS, 3);
        const Difference over = outcome_difference(&outcome, 1, 0, size, TEXTS);
        assert_true(over.texts == TEXTS && over.gap.n == TEXTS && over.primary && over.comparisons == 8);
        expect_near("median", (size_t)size, over.gap.estimate, expected.estimate, 1e-8);
        expect_interval("interval", over.interval, paired_interval(&expected, 8));
    }
    const Difference one = outcome_difference(&outcome, 1, 0, 5, 1);
    assert_true(one.texts == 1 && one.comparisons == 8);
    outcome_free(&outcome);
}

static void who_diverged_has_no_verdict(void **state) {
    Outcome outcome;
    const Job diverged = {.task = -1, .variant = 1, .seed = 1};
    begin_plan("none;rope;alibi", "", 1);
    name("rope - none", 0);
    name("alibi - none", 0);
    read_outcome(&outcome);
    outcome_free(&outcome);
    put(&diverged, MEASURED_HEADER "diverged,12,nan,1\n");
    read_all(&outcome);
    const Difference lost = outcome_difference(&outcome, 1, 0, 0, 1), other = outcome_difference(&outcome, 2, 0, 0, 1);
    assert_true(isnan(lost.gap.estimate) && isnan(lost.interval.low));
    assert_int_equal(lost.verdict, VERDICT_DIVERGED);
    assert_true(isfinite(other.gap.mean) && other.comparisons == 2);
    outcome_free(&outcome);
}

static void peeking_is_counted(void **state) {
    Outcome outcome;
    begin_plan("none;rope", "", 1);
    read_outcome(&outcome);
    assert_true(outcome_peeking(&outcome) == 0.05);
    plan->looks[0] = 1; // too few to test anything
    plan->looks[1] = 2;
    plan->look_count = 2;
    assert_true(outcome_peeking(&outcome) == 2 * 0.05);
    outcome_free(&outcome);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(families_are_corrected, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(what_was_asked_counts, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_difference_can_be_turned_round, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(texts_are_a_random_effect, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(who_diverged_has_no_verdict, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(peeking_is_counted, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
