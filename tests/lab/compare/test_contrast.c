// The questions of a comparison: which contrasts are named, by whom and when, and what a later plan may change.
#include "tests/lab/compare/plans.h"

#include <limits.h>

#define BEFORE "2026-01-31T23:59:59Z"
#define LATER  "2026-02-01T00:00:00Z"

static void make(Plan *plan, const char *words) {
    Error error;
    begin(plan);
    must(set_variants(plan, words, "", &error) && plan_rates(plan, "", &error) && set_sizes(plan, "", "", &error),
         &error);
}

static void name(Plan *plan, const char *text, const char *when, int after) {
    Error error;
    must(plan_contrast(plan, text, when, after, &error), &error);
}

static void defaults(Plan *plan, const char *when, int after) {
    Error error;
    must(plan_default_contrasts(plan, when, after, &error), &error);
}

// The plan that a later one follows: a second `make` must not release what it holds.
static void hand_over(Plan *before, Plan *plan) {
    plan_free(before);
    *before = *plan;
    *plan = (Plan){0};
}

static void expect_contrast(const Plan *plan, int c, const char *variant, const char *other, const char *named,
                            int after) {
    assert_true(c < plan->contrast_count);
    assert_string_equal(plan->contrasts[c].variant, variant);
    assert_string_equal(plan->contrasts[c].other, other);
    assert_string_equal(plan->contrasts[c].named, named);
    assert_int_equal(plan->contrasts[c].after, after);
}

static void wrong_contrasts_are_refused(void **state) {
    static const char *const cases[][2] = {{"", "' - '"},
                                           {"rope", "' - '"},
                                           {"rope-alibi", "'rope-alibi';' - '"},
                                           {" - rope", "' - '"},
                                           {"rope - ", "' - '"},
                                           {"rope - alibi - none", "' - '"},
                                           {"rope - rope", "the same"},
                                           {"rope - learned", "--contrast;learned is none of the schemes"},
                                           {"rpoe - none", "rpoe is none;did you mean rope"},
                                           {"rope -  none", "none of the schemes"},
                                           {"none - alibi", "named twice"},
                                           {"alibi - none", "named twice"}};
    static Plan plan;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Error error = {0};
        make(&plan, "none;rope;alibi");
        name(&plan, "alibi - none", BEFORE, 0);
        expect_refusal(plan_contrast(&plan, cases[i][0], BEFORE, 0, &error), &error, cases[i][0], cases[i][1]);
        assert_int_equal(plan.contrast_count, 1);
    }
}

static void without_names_there_are_defaults(void **state) {
    static Plan plan;
    make(&plan, "none;learned;sinusoidal;t5;alibi;fire;l=learned;rope-learned");
    defaults(&plan, BEFORE, 0);
    assert_int_equal(plan.contrast_count, 7);
    expect_contrast(&plan, 0, "learned", "none", BEFORE, 0);
    expect_contrast(&plan, 6, "rope-learned", "none", BEFORE, 0);
    assert_int_equal(plan_family(&plan), 7 * plan.setting_count);
    make(&plan, "rope;alibi;none");
    plan.reference = 1;
    defaults(&plan, BEFORE, 0);
    assert_int_equal(plan.contrast_count, 2);
    expect_contrast(&plan, 0, "rope", "alibi", BEFORE, 0);
    expect_contrast(&plan, 1, "none", "alibi", BEFORE, 0);
    make(&plan, "rope");
    defaults(&plan, BEFORE, 0);
    assert_int_equal(plan.contrast_count, 0);
}

static void follow(Plan *plan, const Plan *before, int seen) {
    Error error;
    must(plan_follow(plan, before, 9, seen, &error), &error);
}

// Until a run is done, typed contrasts replace the earlier ones. A contrast that was named before keeps its date.
static void contrasts_may_change_before_runs(void **state) {
    static Plan plan, before;
    Error error;
    make(&before, "learned;sinusoidal;rope");
    defaults(&before, BEFORE, 0);
    assert_true(before.contrast_count == 2);
    make(&plan, "learned;sinusoidal;rope");
    name(&plan, "sinusoidal - rope", LATER, 0);
    name(&plan, "learned - rope", LATER, 0);
    must(plan_follow(&plan, &before, 0, 0, &error), &error);
    assert_int_equal(plan.contrast_count, 2);
    expect_contrast(&plan, 0, "sinusoidal", "rope", LATER, 0);
    expect_contrast(&plan, 1, "learned", "rope", BEFORE, 0);
    // Defaults that nobody has trained for make room for others.
    make(&plan, "none;rope");
    defaults(&plan, LATER, 0);
    must(plan_follow(&plan, &before, 0, 0, &error), &error);
    assert_int_equal(plan.contrast_count, 1);
    expect_contrast(&plan, 0, "rope", "none", LATER, 0);
    make(&plan, "learned;sinusoidal;rope");
    name(&plan, "sinusoidal - rope", LATER, 0);
    name(&plan, "learned - rope", BEFORE, 0);
    hand_over(&before, &plan);
    make(&plan, "learned;sinusoidal;rope");
    // Nothing typed: what was named stays.
    defaults(&plan, LATER, 0);
    must(plan_follow(&plan, &before, 0, 0, &error), &error);
    assert_int_equal(plan.contrast_count, 2);
    expect_contrast(&plan, 1, "learned", "rope", BEFORE, 0);
}

// A contrast that was asked stays, even if its schemes are left out; one that is asked later has a later date.
static void contrasts_cannot_be_taken_back(void **state) {
    static Plan plan, before;
    make(&before, "none;rope;alibi");
    name(&before, "alibi - none", BEFORE, 0);
    make(&plan, "none;rope;learned");
    name(&plan, "learned - rope", LATER, 9);
    follow(&plan, &before, before.seeds);
    assert_int_equal(plan.contrast_count, 2);
    expect_contrast(&plan, 0, "alibi", "none", BEFORE, 0);
    expect_contrast(&plan, 1, "learned", "rope", LATER, 9);
    // Named again, in either direction, it is the same.
    make(&plan, "none;rope;alibi");
    name(&plan, "none - alibi", LATER, 9);
    follow(&plan, &before, before.seeds);
    assert_int_equal(plan.contrast_count, 1);
    expect_contrast(&plan, 0, "alibi", "none", BEFORE, 0);
    // Nobody names any now: what was named counts, and there are no defaults.
    make(&plan, "none;rope;alibi;learned;sinusoidal");
    defaults(&plan, LATER, 9);
    follow(&plan, &before, before.seeds);
    assert_int_equal(plan.contrast_count, 1);
    assert_false(plan.default_contrasts);
    // Defaults follow defaults; those of schemes that joined are later ones.
    make(&before, "learned;sinusoidal");
    defaults(&before, BEFORE, 0);
    make(&plan, "learned;sinusoidal;t5;alibi");
    defaults(&plan, LATER, 9);
    follow(&plan, &before, before.seeds);
    assert_int_equal(plan.contrast_count, 3);
    expect_contrast(&plan, 0, "sinusoidal", "learned", BEFORE, 0);
    expect_contrast(&plan, 1, "t5", "learned", LATER, 9);
    expect_contrast(&plan, 2, "alibi", "learned", LATER, 9);
    assert_true(plan.default_contrasts);
}

static void looks_are_counted_when_seeds_change(void **state) {
    static Plan plan, before;
    static const struct {
        int before, now, seen, looks, most;
    } steps[] = {{3, 3, 3, 0, 0}, {3, 5, 0, 0, 0}, {5, 6, 5, 1, 0}, {6, 4, 6, 2, 6},
                 {4, 7, 4, 2, 6}, {7, 9, 7, 3, 6}, {9, 8, 7, 3, 9}, {8, 9, 8, 4, 9}};
    make(&plan, "rope");
    for (size_t i = 0; i < COUNT(steps); i++) {
        hand_over(&before, &plan);
        before.seeds = steps[i].before;
        make(&plan, "rope");
        plan.seeds = steps[i].now;
        follow(&plan, &before, steps[i].seen);
        assert_int_equal(plan.look_count, steps[i].looks);
        assert_int_equal(plan.most_seeds, steps[i].most);
    }
    assert_true(plan.looks[0] == 5 && plan.looks[1] == 6 && plan.looks[2] == 7 && plan.looks[3] == 8);
}

// A look is not forgotten when a scheme that joined after it, and had no results yet, is left out again.
static void looks_are_remembered(void **state) {
    static Plan plan, before;
    make(&plan, "none;rope");
    for (int step = 0; step < 3; step++) {
        static const char *const schemes[] = {"none;rope", "none;rope;t5", "none;rope"};
        static const int seeds[] = {3, 3, 8}, seen[] = {0, 3, 0};
        hand_over(&before, &plan);
        make(&plan, schemes[step]);
        plan.seeds = seeds[step];
        follow(&plan, &before, seen[step]);
        assert_int_equal(plan.look_count, step == 2);
    }
    assert_int_equal(plan.looks[0], 3);
}

// Results may have been seen of schemes that were left out later, and before learning rates changed.
static void schemes_and_rates_of_earlier_plans_count(void **state) {
    static Plan plan, before;
    Error error;
    make(&plan, "none;learned;rope;alibi");
    hand_over(&before, &plan);
    make(&plan, "none;rope");
    must(plan_follow(&plan, &before, 0, 0, &error), &error);
    assert_int_equal(plan_pairs(&plan), 1);
    must(plan_follow(&plan, &before, 8, 0, &error), &error);
    assert_int_equal(plan_pairs(&plan), 6);
    assert_int_equal(plan.rates_after, 0);
    hand_over(&before, &plan);
    make(&plan, "none;rope");
    must(plan_rates(&plan, "1e-3,2e-3", &error) && plan_follow(&plan, &before, 8, 0, &error), &error);
    assert_int_equal(plan_pairs(&plan), 6);
    assert_int_equal(plan.rates_after, 8);
    hand_over(&before, &plan);
    make(&plan, "none;rope;t5");
    must(plan_rates(&plan, "1e-3,2e-3", &error) && plan_follow(&plan, &before, 12, 0, &error), &error);
    assert_int_equal(plan.rates_after, 8);
    assert_int_equal(plan_pairs(&plan), 10); // none, learned, rope, alibi and t5
    // One that takes the place of another, and no change.
    make(&before, "none;rope");
    make(&plan, "none;alibi");
    must(plan_follow(&plan, &before, 2, 0, &error), &error);
    assert_int_equal(plan_pairs(&plan), 3);
    make(&plan, "none;rope");
    must(plan_follow(&plan, &before, 2, 0, &error), &error);
    assert_int_equal(plan.most_trained, 0);
    // One that is left out and taken back counts once.
    make(&plan, "none;rope;alibi");
    defaults(&plan, BEFORE, 0);
    for (int turn = 0; turn < 4; turn++) {
        hand_over(&before, &plan);
        make(&plan, turn % 2 == 0 ? "none;rope" : "none;rope;alibi");
        defaults(&plan, LATER, 9);
        follow(&plan, &before, 0);
        assert_int_equal(plan_pairs(&plan), 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_contrasts_are_refused),
        cmocka_unit_test(without_names_there_are_defaults),
        cmocka_unit_test(contrasts_cannot_be_taken_back),
        cmocka_unit_test(contrasts_may_change_before_runs),
        cmocka_unit_test(looks_are_counted_when_seeds_change),
        cmocka_unit_test(looks_are_remembered),
        cmocka_unit_test(schemes_and_rates_of_earlier_plans_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
