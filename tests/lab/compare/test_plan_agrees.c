// A directory keeps the options that it was begun with; what may change is said.
#include "train/config.h"
#include "tests/lab/compare/plans.h"

static const char path[] = "where/compare.json";

static void a_directory_has_one_set_of_options(void **state) {
    static Plan plan, before;
    static const char *const values[] = {"1", "2", "0.25", "0.5", "true", "bf16", "llama", "other"};
    Error error = {0};
    make_large(&before);
    make_large(&plan);
    int compared = 0;
    for (const Option *o = train_options; o->name; o++) {
        char was[TEXT_CAPACITY], is[TEXT_CAPACITY], parts[64];
        if (o->type == OPTION_HEADING) continue;
        option_print(&before.base, o, was);
        plan.base = before.base;
        for (size_t i = 0; i < COUNT(values); i++) {
            Error ignored;
            if (!option_set(&plan.base, o, values[i], o->name, &ignored)) continue;
            option_print(&plan.base, o, is);
            if (strcmp(was, is) != 0) break;
        }
        snprintf(parts, sizeof parts, "--%s ", o->name);
        expect_refusal(plan_agrees(&plan, &before, path, &error), &error, o->name, parts);
        assert_non_null(strstr(error.message, path));
        compared++;
    }
    assert_true(compared >= 20);
}

static void a_directory_has_one_set_of_sizes(void **state) {
    static Plan plan, before;
    Error error = {0};
    make_large(&before);
    for (int i = 0; i < 5; i++) {
        static const char *const names[] = {"--scale", "--context", "--tokens", "--task-steps", "--exercises"};
        make_large(&plan);
        plan.settings[1].width += i == 0;
        plan.setting_count -= i == 1;
        plan.settings[0].steps += i == 2;
        plan.task_steps += i == 3;
        plan.exercises += i == 4;
        expect_refusal(plan_agrees(&plan, &before, path, &error), &error, names[i], names[i]);
    }
    make_large(&plan);
    strcpy(before.variants[1].window, "8");
    expect_refusal(plan_agrees(&plan, &before, path, &error), &error, "another scheme",
                   "short is rope;--window 8;label");
}

static void other_seeds_schemes_rates_and_tasks_may_join(void **state) {
    static Plan plan, before;
    Error error;
    make_large(&before);
    make_large(&plan);
    plan.seeds = 7;
    plan.threads = 2;
    strcpy(plan.command, "bitter compare more");
    must(set_variants(&plan, "alibi;none", "none", &error) && plan_rates(&plan, "0.5", &error) &&
             set_sizes(&plan, "0.1M, 300k", "", &error) && plan_tasks(&plan, "sort", &error),
         &error);
    must(plan_agrees(&plan, &before, path, &error), &error);
}

// Nothing has been trained on tasks, or examined with so many, yet.
static void first_tasks_choose_their_options(void **state) {
    static Plan plan, before;
    Error error;
    make_large(&before);
    make_large(&plan);
    before.task_count = 0;
    plan.task_steps++;
    plan.exercises++;
    must(plan_agrees(&plan, &before, path, &error), &error);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_has_one_set_of_options),
        cmocka_unit_test(a_directory_has_one_set_of_sizes),
        cmocka_unit_test(other_seeds_schemes_rates_and_tasks_may_join),
        cmocka_unit_test(first_tasks_choose_their_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
