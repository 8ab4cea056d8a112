// Learning rates that are given with a scheme: "SCHEME@LR", or one for each setting, "SCHEME@LR/LR/...".
#include "tests/lab/compare/plans.h"

static void schemes_may_have_rates_of_their_own(void **state) {
    static Plan plan;
    char name[PATH_CAPACITY];
    Error error = {0};
    begin(&plan);
    plan.base.min_lr = 1e-4;
    must(set_variants(&plan, "rope@2e-3;a=rope:base=7@0.001;alibi", "", &error) && plan_rates(&plan, "", &error) &&
             set_sizes(&plan, "", "", &error) && plan_tasks(&plan, "copy", &error),
         &error);
    static const char *const names[] = {"rope", "a", "alibi"}, *const runs[] = {"rope-lr0.002-seed1337", "a-seed1337",
                                                                                "alibi-seed1337"};
    static const double rates[] = {2e-3, 1e-3, 1e-3};
    for (int a = 0; a < 3; a++) {
        const Job job = {.task = -1, .variant = a}, task = {.task = 0, .variant = a};
        assert_string_equal(plan.variants[a].name, names[a]);
        assert_string_equal(plan_job_name(name, &plan, &job), runs[a]);
        assert_true(plan_job_options(&plan, &job).lr == rates[a] && plan_job_options(&plan, &task).lr == rates[a]);
        expect_near("min_lr", (size_t)a, plan_job_options(&plan, &job).min_lr, rates[a] / 10, 1e-12);
    }
    must(set_variants(&plan, "rope@3.0;b=rope@3;c=rope@0-2,3@3.0", "", &error), &error); // a whole number is a layer
    assert_true(plan.variants[0].lr[0] == 3 && plan.variants[1].lr_count == 0 && plan.variants[2].lr[0] == 3);
    assert_string_equal(plan.variants[1].typed, "rope@3");
    must(set_variants(&plan, "rope@2e-3;a=rope:base=7@0.001;alibi", "", &error), &error);
    must(plan_rates(&plan, "3e-3", &error), &error);
    expect_refusal(plan_rates(&plan, "1e-3,3e-3", &error), &error, "two choices",
                   "--lr-grid;rope has a learning rate of its own;'@2e-3'");
    static const char *const wrong[][2] = {{"rope@", "layer"},
                                           {"rope@x", "layer"},
                                           {"rope@0.0", "above 0"},
                                           {"rope@101.5", "100"},
                                           {"@1", "scheme"},
                                           {"a=rope@1@2", "the layers of this item are named twice"},
                                           {"rope@1e-3;rope@2e-3", "two schemes are called rope"}};
    for (size_t i = 0; i < COUNT(wrong); i++)
        expect_refusal(set_variants(&plan, wrong[i][0], "", &error), &error, wrong[i][0], wrong[i][1]);
}

static void schemes_may_have_a_rate_for_each_setting(void **state) {
    static Plan plan;
    char name[PATH_CAPACITY];
    Error error = {0};
    static const double rates[] = {2e-3, 1e-3, 0.5};
    begin(&plan);
    must(set_variants(&plan, "rope@2e-3/1e-3/.5;a=alibi@3e-3;none", "", &error) &&
             set_sizes(&plan, "30k,0.1M,300k", "", &error) && plan_rates(&plan, "", &error) &&
             plan_tasks(&plan, "copy", &error),
         &error);
    for (int s = 0; s < 3; s++) {
        const Job several = {.setting = s, .task = -1}, one = {.setting = s, .task = -1, .variant = 1};
        const Job none = {.setting = s, .task = -1, .variant = 2};
        assert_true(plan_job_options(&plan, &several).lr == rates[s] && plan_job_options(&plan, &one).lr == 3e-3 &&
                    plan_job_options(&plan, &none).lr == plan.base.lr);
    }
    const Job last = {.setting = 2, .task = -1}, task = {.task = 0};
    assert_string_equal(plan_job_name(name, &plan, &last), "300k-rope-lr0.5-seed1337");
    assert_true(plan_job_rate(&plan, &task) == 2e-3);
    static const char *const wrong[][2] = {{"rope@1e-3/2e-3", "rope@1e-3/2e-3: 2 learning rates, but 3 settings"},
                                           {"rope@1e-3/2e-3/3e-3/4e-3", "4 learning rates, but 3 settings"}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        must(set_variants(&plan, wrong[i][0], "", &error), &error);
        expect_refusal(plan_rates(&plan, "", &error), &error, wrong[i][0], wrong[i][1]);
    }
    expect_refusal(plan_rates(&plan, "1e-3,2e-3", &error), &error, "two choices", "'@1e-3/2e-3/3e-3/4e-3'");
    expect_refusal(set_variants(&plan, "rope@1e-3/x/3e-3", "", &error), &error, "a letter", "'x'");
    expect_refusal(set_variants(&plan, "rope@1e-3/0.0", "", &error), &error, "zero", "above 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(schemes_may_have_rates_of_their_own),
                                       cmocka_unit_test(schemes_may_have_a_rate_for_each_setting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
