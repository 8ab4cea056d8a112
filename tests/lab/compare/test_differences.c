// One verdict for one difference: primary and exploratory families, variants of their own seeds, several texts.
#include "lab/compare/outcome.h"
#include "tests/lab/compare/run_files.h"

static Differences differences;

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
    snprintf(text + length, sizeof text - (size_t)length, "batches,0,%d,1\n", plan->unpaired ? job->variant : 7);
    put(job, text);
}

static void read_differences(Outcome *outcome) {
    Error error;
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_loss(&job);
    }
    read_all(outcome);
    must(outcome_differences(&differences, outcome, &error), &error);
}

static void end(Outcome *outcome) {
    differences_free(&differences);
    outcome_free(outcome);
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
    read_differences(&outcome);
    assert_int_equal(differences.count, 2 * 6);
    for (int i = 0; i < differences.count; i++) {
        const Difference *d = &differences.items[i];
        double gaps[3];
        for (int seed = 0; seed < 3; seed++) {
            const Job a = {.setting = d->setting, .task = -1, .variant = d->variant, .seed = seed},
                      b = {.setting = d->setting, .task = -1, .variant = d->other, .seed = seed};
            gaps[seed] = loss_of(&a) - loss_of(&b);
        }
        const Paired expected = paired_summary(gaps, 3);
        const double family = i < 4 ? 4 : 6;
        assert_int_equal(d->primary, i < 4);
        assert_int_equal(d->named != NULL, i < 6);
        assert_true(d->comparisons == family && d->texts == 1);
        expect_near("median", (size_t)i, d->gap.estimate, expected.estimate, 1e-8);
        expect_interval("interval", d->interval, paired_interval(&expected, family));
        expect_near("resolvable", (size_t)i, d->resolvable, resolvable(&expected, family), 1e-7);
        const bool off = d->interval.low > 0 || d->interval.high < 0;
        assert_int_equal(d->verdict != VERDICT_UNRESOLVED, off);
    }
    end(&outcome);
}

// A contrast of a scheme that was left out since still counts: it was asked.
static void what_was_asked_counts(void **state) {
    Outcome outcome;
    begin_plan("none;rope;alibi", "", 1);
    name("rope - none", 0);
    name("alibi - none", 0);
    Error error;
    must(set_variants(plan, "none;rope", "", &error) && set_sizes(plan, "", "", &error), &error);
    read_differences(&outcome);
    assert_int_equal(differences.count, 1);
    assert_true(differences.items[0].comparisons == 2);
    end(&outcome);
}

static void a_difference_can_be_turned_round(void **state) {
    Outcome outcome;
    Difference there, back;
    begin_plan("none;rope;alibi", "", 1);
    plan->seeds = 5;
    name("none - alibi", 0);
    read_differences(&outcome);
    assert_true(differences_find(&there, &differences, 0, 0, 2) && differences_find(&back, &differences, 0, 2, 0));
    assert_true(there.primary && back.primary && there.named == back.named);
    assert_true(back.variant == 2 && back.other == 0 && back.gap.mean == -there.gap.mean &&
                back.gap.estimate == -there.gap.estimate);
    assert_true(back.interval.low == -there.interval.high && back.interval.high == -there.interval.low);
    assert_true(back.gap.alone.low == -there.gap.alone.high);
    for (int i = 0; i < 5; i++) assert_true(back.gap.sorted[i] == -there.gap.sorted[4 - i]);
    assert_true(there.verdict == VERDICT_BETTER && back.verdict == VERDICT_WORSE);
    assert_false(differences_find(&there, &differences, 0, 1, 1) || differences_find(&there, &differences, 1, 1, 0));
    end(&outcome);
}

static void variants_without_pairs_are_compared_by_welch(void **state) {
    Outcome outcome;
    double a[3], b[3];
    begin_plan("rope;again=rope", "", 1);
    plan->unpaired = true;
    name("again - rope", 0);
    read_differences(&outcome); // other batches in every variant are no mistake
    for (int seed = 0; seed < 3; seed++) {
        a[seed] = loss_of(&(Job){.task = -1, .variant = 1, .seed = seed});
        b[seed] = loss_of(&(Job){.task = -1, .variant = 0, .seed = seed});
    }
    const Paired expected = unpaired_summary(a, 3, b, 3);
    const Difference *d = &differences.items[0];
    expect_near("df", 0, d->gap.df, expected.df, 1e-6);
    expect_interval("interval", d->interval, paired_interval(&expected, 1));
    assert_true(fabs(d->gap.df - 2) > 0.01);
    end(&outcome);
}

// Each text alone, and all of them as a random effect whose units are the texts.
static void texts_are_a_random_effect(void **state) {
    enum { TEXTS = 3 };
    Outcome outcome;
    Difference d;
    double gaps[TEXTS * 3];
    begin_plan("none;rope;alibi", "0.1M,0.3M", TEXTS);
    name("rope - none", 0);
    read_differences(&outcome);
    assert_int_equal(differences.count, 6 * 3 + 2);
    for (int size = 0; size < 2; size++) {
        for (int text = 0; text < TEXTS; text++)
            for (int seed = 0; seed < 3; seed++) {
                const Job a = {.setting = 2 * text + size, .task = -1, .variant = 1, .seed = seed},
                          b = {.setting = 2 * text + size, .task = -1, .variant = 0, .seed = seed};
                gaps[3 * text + seed] = loss_of(&a) - loss_of(&b);
            }
        const Paired expected = texts_summary(gaps, TEXTS, 3);
        const Difference *over = &differences.items[6 + size]; // behind the contrast in all six settings
        assert_true(over->setting == size && over->variant == 1 && over->other == 0);
        assert_true(over->texts == TEXTS && over->primary && over->comparisons == 8);
        expect_near("median", (size_t)size, over->gap.estimate, expected.estimate, 1e-8);
        expect_near("df", (size_t)size, over->gap.df, TEXTS - 1, 1e-12);
        expect_interval("interval", over->interval, paired_interval(&expected, 8));
    }
    assert_true(differences_find(&d, &differences, 5, 1, 0) && d.texts == 1 && d.comparisons == 8);
    end(&outcome);
}

static void who_diverged_has_no_verdict(void **state) {
    Outcome outcome;
    Error error;
    const Job diverged = {.task = -1, .variant = 1, .seed = 1};
    begin_plan("none;rope;alibi", "", 1);
    name("rope - none", 0);
    name("alibi - none", 0);
    read_differences(&outcome);
    end(&outcome);
    put(&diverged, MEASURED_HEADER "diverged,12,nan,1\n");
    read_all(&outcome);
    must(outcome_differences(&differences, &outcome, &error), &error);
    const Difference *lost = &differences.items[0], *other = &differences.items[1];
    assert_true(isnan(lost->gap.estimate) && isnan(lost->interval.low));
    assert_int_equal(lost->verdict, VERDICT_UNRESOLVED);
    assert_true(isfinite(other->gap.mean) && other->comparisons == 2);
    end(&outcome);
}

static void peeking_is_counted(void **state) {
    Outcome outcome;
    begin_plan("none;rope", "", 1);
    read_differences(&outcome);
    assert_true(outcome_peeking(&outcome) == 0.05);
    plan->looks[0] = 1; // too few to test anything
    plan->looks[1] = 2;
    plan->look_count = 2;
    assert_true(outcome_peeking(&outcome) == 2 * 0.05);
    end(&outcome);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(families_are_corrected, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(what_was_asked_counts, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_difference_can_be_turned_round, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(variants_without_pairs_are_compared_by_welch, begin_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(texts_are_a_random_effect, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(who_diverged_has_no_verdict, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(peeking_is_counted, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
