// What a comparison runs: the requested schemes, learning rates, sizes and tasks, and every run exactly once.
#include "data/made/builtin.h"
#include "tests/lab/compare/plans.h"

#include <limits.h>

static void schemes_may_have_labels(void **state) {
    static const struct {
        const char *word, *name, *pos;
    } cases[] = {{"alibi", "alibi", "alibi:scale=1"},
                 {"a=rope", "a", "rope:base=10000,pairing=half,skip=0"},
                 {"b-2_x.Y=rope:base=100", "b-2_x.Y", "rope:base=100,pairing=half,skip=0"},
                 {"rope:base=100", "rope:base=100", "rope:base=100,pairing=half,skip=0"},
                 {"rope:pairing=interleaved,base=7", "rope:pairing=interleaved,base=7",
                  "rope:base=7,pairing=interleaved,skip=0"},
                 {"rope=none", "rope", "none"}};
    static Plan plan;
    char list[TEXT_CAPACITY] = "";
    Error error;
    begin(&plan);
    for (size_t i = 0; i < COUNT(cases); i++) sprintf(list + strlen(list), "%s;", cases[i].word);
    must(set_variants(&plan, list, "", &error), &error);
    assert_int_equal(plan.variant_count, COUNT(cases));
    assert_int_equal(plan.reference, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(plan.variants[i].name, cases[i].name);
        assert_string_equal(plan.variants[i].pos, cases[i].pos);
        must(set_variants(&plan, list, cases[i].name, &error), &error);
        assert_int_equal(plan.reference, i);
    }
    assert_string_equal(plan.variants[1].scheme->name, "rope");
    assert_string_equal(plan.variants[2].typed, "rope:base=100"); // as it was given, for messages
    assert_string_equal(plan.variants[3].typed, "rope:base=100");
    assert_string_equal(plan.variants[5].scheme->name, "none");
}

static void wrong_schemes_are_refused(void **state) {
    static const struct {
        const char *list, *reference, *parts;
    } cases[] = {
        {"rope;alibi;rope", "", "two schemes are called rope;LABEL=rope"},
        {"rope;rope=alibi", "", "two schemes are called rope"},
        {"rope;wrope", "", "no position scheme 'wrope'"},
        {"a=wrope", "", "a: there is no position scheme 'wrope'"},
        {"rope;a=rope:gate=yes", "", "a: --pos 'rope:gate=yes', character 1 ('rope:gate=yes'): rope:gate: give none"},
        {"rope;a=rope*,none", "", "a: --pos 'rope*,none', character 6 (',none')"},
        {"rope;rope*,none", "", "--pos 'rope*,none', character 6 (',none')"},
        {"rope:bass=7", "", "bass;base"},
        {"a=rope:base=-1", "", "base"},
        {"a=b=rope", "", "b"},
        {"=rope", "", "rope"},
        {"", "", ""},
        {"a b=rope", "", "'a b' cannot be a label;letters"},
        {"../a=rope", "", "label"},
        {"a|b=rope", "", "label"},
        {"a\n=rope", "", "label"},
        {"\xC3\xA9=rope", "", "label"},
        {"rope;alibi", "learned", "--reference;learned"},
        {"rope:base=7;alibi", "rope", "--reference;rope"}};
    static Plan plan;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Error error = {0};
        begin(&plan);
        const bool empty = !*cases[i].list;
        const bool taken = empty ? plan_variants(&plan, (char *[]){""}, 1, "", &error)
                                 : set_variants(&plan, cases[i].list, cases[i].reference, &error);
        expect_refusal(taken, &error, cases[i].list, cases[i].parts);
    }
}

static void names_and_numbers_of_schemes_have_limits(void **state) {
    static Plan plan;
    static char labels[VARIANTS_MOST + 1][16], length[2 * TEXT_CAPACITY];
    char *words[VARIANTS_MOST + 1];
    Error error = {0};
    for (int i = 0; i <= VARIANTS_MOST; i++) {
        sprintf(labels[i], "x%d=rope", i);
        words[i] = labels[i];
    }
    begin(&plan);
    must(plan_variants(&plan, words, VARIANTS_MOST, "x63", &error), &error);
    assert_int_equal(plan.variant_count, VARIANTS_MOST);
    expect_refusal(plan_variants(&plan, words, VARIANTS_MOST + 1, "", &error), &error, "65 schemes", "65 schemes;64");
    for (int bytes = 1; bytes < (int)sizeof length - 8; bytes++) {
        memset(length, 'x', sizeof length);
        strcpy(length + bytes, "=rope");
        const bool taken = plan_variants(&plan, (char *[]){length}, 1, "", &error);
        if (bytes > 128) expect_refusal(taken, &error, "a long label", "xxx");
        if (bytes <= 128) assert_true(taken);
    }
}

static void learning_rates_are_a_list(void **state) {
    static const struct {
        const char *list;
        int count;
        double rates[4];
    } good[] = {{"", 1, {1e-3}},
                {"3e-4", 1, {3e-4}},
                {"3e-4,1e-3,3e-3", 3, {3e-4, 1e-3, 3e-3}},
                {" 1e-2, 0.1 ,1e-3", 3, {1e-3, 1e-2, 0.1}},
                {"1e-3,1.1e-3", 2, {1e-3, 1.1e-3}},
                {"4e-3,1e-3,2e-3", 3, {1e-3, 2e-3, 4e-3}}};
    static const struct {
        const char *list, *parts;
    } bad[] = {{"3e-4,x", "--lr-grid;'x'"},
               {"3e-4,-1", "--lr-grid;'-1'"},
               {"3e-4,0", "--lr-grid;above 0"},
               {"nan", "--lr-grid"},
               {"101", "--lr-grid;100"},
               {"1e-3,0.001", "--lr-grid;twice"},
               {"3e-4,1e-3,0.0010000001", "--lr-grid;0.0010000001"},
               {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "--lr-grid;16"}};
    static Plan plan;
    Error error = {0};
    for (size_t i = 0; i < COUNT(good); i++) {
        begin(&plan);
        must(plan_rates(&plan, good[i].list, &error), &error);
        assert_int_equal(plan.rate_count, good[i].count);
        for (int r = 0; r < plan.rate_count; r++) assert_true(plan.rates[r] == good[i].rates[r]);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        begin(&plan);
        expect_refusal(plan_rates(&plan, bad[i].list, &error), &error, bad[i].list, bad[i].parts);
    }
}

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

static void schemes_may_have_windows_of_their_own(void **state) {
    static Plan plan;
    char name[PATH_CAPACITY];
    Error error = {0};
    begin(&plan);
    strcpy(plan.base.window, "128");
    must(set_variants(&plan, "rope;a=rope@2e-3 --window 64*3,0;b=rope:base=1e4 --window  64*3,0;alibi@0-2 none@3", "",
                      &error) &&
             plan_rates(&plan, "", &error) && set_sizes(&plan, "", "", &error) &&
             plan_contrast(&plan, "alibi@0-2 none@3 - a", "2026-01-31T23:59:59Z", 0, &error),
         &error);
    static const char *const windows[] = {"128", "64*3,0", "64*3,0", "128"};
    for (int a = 0; a < 4; a++) {
        const Job job = {.task = -1, .variant = a};
        assert_string_equal(plan_job_options(&plan, &job).window, windows[a]);
    }
    const Job labelled = {.task = -1, .variant = 1};
    assert_string_equal(plan_job_name(name, &plan, &labelled), "a-lr0.002-seed1337");
    static const char *const wrong[][2] = {
        {"rope --window 8", "give it a label"},
        {"a=rope --window", "only --window KEYS and then --stretch METHOD can stand"},
        {"a=rope --window ", "only --window KEYS and then --stretch METHOD can stand"},
        {"a=rope --window 0,0", "a: --window '0,0', character 1 ('0,0'): a window of 0 keys"},
        {"a=rope --window 0", "a: --window '0', character 1"},
        {"a=rope --window ''", "character 1"},
        {"a=rope --window 8*3,", "a: --window '8*3,', at its end"},
        {"a=rope --window 8 --window 9", "character 3"},
        {"a=rope --window 8@2e-3", "character 2"},
        {"a=rope --windows 8", "only --window KEYS and then --stretch METHOD can stand"},
        {"a=rope --layers 8", "--layers"}};
    for (size_t i = 0; i < COUNT(wrong); i++)
        expect_refusal(set_variants(&plan, wrong[i][0], "", &error), &error, wrong[i][0], wrong[i][1]);
}

static void stretched_schemes_share_weights(void **state) {
    static Plan plan;
    char name[PATH_CAPACITY];
    Error error = {0};
    begin(&plan);
    must(set_variants(&plan,
                      "y=rope --stretch yarn:factor=4;rope;w=rope --window 8,0 --stretch pi;e=rope-learned;alibi;"
                      "r=rope@2e-3 --stretch ntk;t=rope@0.002;p=partial --stretch pi;q=partial --stretch ntk",
                      "alibi", &error) &&
             plan_rates(&plan, "", &error) && set_sizes(&plan, "", "", &error) &&
             plan_default_contrasts(&plan, "2026-01-31T23:59:59Z", 0, &error),
         &error);
    static const int weights[] = {1, 1, 2, 3, 4, 6, 6, 7, 7};
    static const char *const names[] = {
        "rope+yarn:factor=4-seed1337", "rope-seed1337",      "w+pi-seed1337", "e-seed1337",    "alibi-seed1337",
        "t+ntk-lr0.002-seed1337",      "t-lr0.002-seed1337", "p+pi-seed1337", "p+ntk-seed1337"};
    for (int v = 0; v < 9; v++) {
        const Job job = {.task = -1, .variant = v};
        assert_int_equal(plan_weights(&plan, v), weights[v]);
        assert_string_equal(plan_job_name(name, &plan, &job), names[v]);
    }
    assert_string_equal(plan.variants[2].window, "8,0");
    assert_string_equal(plan.variants[2].stretch, "pi");
    // Those that have weights of others have no contrast of their own.
    assert_int_equal(plan.contrast_count, 5);
    assert_null(plan_named(&plan, "y", "alibi"));
    assert_ptr_equal(plan_compared(&plan, 0, 4), plan_named(&plan, "rope", "alibi")); // the same difference
    assert_ptr_equal(plan_compared(&plan, 4, 1), plan_named(&plan, "rope", "alibi"));
    assert_null(plan_compared(&plan, 0, 3));
    assert_non_null(plan_named(&plan, "p", "alibi"));
    expect_refusal(plan_contrast(&plan, "y - rope", "2026-01-31T23:59:59Z", 0, &error), &error, "the same weights",
                   "'y - rope' is 0;trained windows");
    expect_refusal(plan_contrast(&plan, "y - alibi", "2026-01-31T23:59:59Z", 0, &error), &error, "as rope - alibi",
                   "named twice");
    must(plan_contrast(&plan, "y - e", "2026-01-31T23:59:59Z", 0, &error), &error);
    must(set_variants(&plan, "y=rope --stretch yarn;rope;alibi", "", &error),
         &error); // the reference has others' weights
    plan.contrast_count = 0;
    must(plan_default_contrasts(&plan, "2026-01-31T23:59:59Z", 0, &error), &error);
    assert_int_equal(plan.contrast_count, 1);
    static const char *const wrong[][2] = {{"rope --stretch yarn", "give it a label"},
                                           {"a=rope --stretch", "--stretch METHOD can stand"},
                                           {"a=rope --stretch ", "--stretch METHOD can stand"},
                                           {"a=rope --stretch ../x", "a: --stretch '../x' is no METHOD:factor=S"},
                                           {"a=rope --stretch yarn --window 8", "a: --stretch 'yarn --window 8' is no"},
                                           {"a=rope --stretch yarn --stretch pi", "is no METHOD"}};
    for (size_t i = 0; i < COUNT(wrong); i++)
        expect_refusal(set_variants(&plan, wrong[i][0], "", &error), &error, wrong[i][0], wrong[i][1]);
}

static void tasks_are_a_list(void **state) {
    static const struct {
        const char *list, *parts;
    } bad[] = {
        {"tales", "tales is no task"},
        {"copy tales:bytes=4000", "no task"},
        {"cpoy", "copy"},
        {"copy:mox=5", "mox;max"},
        {"copy parity builtin:copy", "--tasks: builtin:copy is given twice"},
        {"copy:max=2 copy:max=3 copy:max=4 copy:max=5 copy:max=6 copy:max=7 copy:max=8 copy:max=9 copy", "at most 8"}};
    static Plan plan;
    Error error = {0};
    begin(&plan);
    must(plan_tasks(&plan, "", &error), &error);
    assert_int_equal(plan.task_count, 0);
    must(plan_tasks(&plan, " copy:max=5,min=2  builtin:parity ", &error), &error);
    assert_int_equal(plan.task_count, 2);
    assert_string_equal(plan.tasks[0], "builtin:copy:max=5,min=2");
    assert_string_equal(plan.tasks[1], "builtin:parity");
    for (size_t i = 0; i < COUNT(bad); i++) {
        begin(&plan);
        expect_refusal(plan_tasks(&plan, bad[i].list, &error), &error, bad[i].list, bad[i].parts);
    }
    begin(&plan);
    must(set_variants(&plan, "rope", "", &error) && set_sizes(&plan, "", "", &error), &error);
    strcpy(plan.settings[0].name, "copy");
    expect_refusal(plan_tasks(&plan, "parity copy", &error), &error, "a setting and a task",
                   "copy is also the name of a setting;rename");
}

static void every_combination_is_one_job(void **state) {
    enum { VARIANTS = 3, RATES = 3, SIZES = 2, TASKS = 2, SEEDS = 3 };
    static Plan plan;
    int before = 0;
    make_large(&plan);
    assert_int_equal(plan_job_count(&plan), SEEDS * (SIZES * VARIANTS * RATES + TASKS * VARIANTS));
    for (int i = 0; i < plan_job_count(&plan); i++) {
        const Job job = plan_job(&plan, i);
        assert_int_equal(plan_job_index(&plan, &job), i);
        assert_in_range(job.seed, before, SEEDS - 1); // a seed's runs are complete before the next one begins
        before = job.seed;
        assert_in_range(job.variant, 0, VARIANTS - 1);
        assert_in_range(job.rate, 0, RATES - 1);
        assert_in_range(job.setting, 0, SIZES - 1);
        assert_in_range(job.task + 1, 0, TASKS);
        if (job.task >= 0) assert_true(job.setting == 0 && job.rate == 0);
    }
}

static void job_names_differ(void **state) {
    static Plan plan;
    static char names[100][PATH_CAPACITY];
    make_large(&plan);
    const int count = plan_job_count(&plan);
    assert_true(count <= (int)COUNT(names));
    for (int i = 0; i < count; i++) {
        const Job job = plan_job(&plan, i);
        plan_job_name(names[i], &plan, &job);
        for (int k = 0; k < i; k++) assert_string_not_equal(names[i], names[k]);
    }
    assert_string_equal(names[0], "0.1M-learned-lr0.0001-seed1337");
    assert_string_equal(names[1], "0.1M-learned-seed1337"); // the rate of the options
    assert_string_equal(names[3 * 3 + 2 * 3 + 2], "300k-rope:base=500,pairing=interleaved-lr0.001-seed1337");
    assert_string_equal(names[18 + 1], "copy:max=5-short-seed1337");
    assert_string_equal(names[24 + 18 + 3], "parity-learned-seed1338");
    make_small(&plan);
    const Job last = plan_job(&plan, 2);
    plan_job_name(names[0], &plan, &last);
    assert_string_equal(names[0], "rope-seed1339");
}

static void jobs_have_their_options(void **state) {
    static Plan plan;
    make_large(&plan);
    plan.base.min_lr = 3e-5;
    plan.base.dropout = 0.25;
    plan.base.seed = 40;
    plan.threads = 2;
    plan.settings[1].steps = 999;
    const Job job = {.setting = 1, .task = -1, .variant = 1, .rate = 2, .seed = 2};
    TrainOptions options = plan_job_options(&plan, &job);
    assert_string_equal(options.out, plan.base.out);
    assert_string_equal(options.pos, "rope:base=100,pairing=half,skip=0");
    assert_string_equal(options.data, plan.base.data);
    assert_true(options.layers == plan.settings[1].layers && options.heads == plan.settings[1].heads);
    assert_int_equal(options.width, plan.settings[1].width);
    assert_int_equal(options.steps, 999);
    assert_int_equal(options.seed, 42);
    assert_int_equal(options.threads, 2);
    assert_true(options.lr == 1e-3 && options.dropout == 0.25);
    expect_near("min_lr", 0, options.min_lr, 1e-4, 1e-18);
    assert_int_equal(options.context, plan.base.context);
    assert_true(plan_job_tokens(&plan, &job) == 999.0 * 8 * 256);

    const Job task = {.task = 0, .variant = 0, .seed = 1};
    BuiltinCorpus copy;
    Error error;
    must(builtin_choose(&copy, "copy:max=5", &error), &error);
    options = plan_job_options(&plan, &task);
    assert_string_equal(options.data, "builtin:copy:max=5");
    assert_int_equal(options.context, task_tokens(&copy, 10));
    assert_int_equal(options.steps, 70);
    assert_true(options.lr == 3e-4 && options.min_lr == 3e-5);
    assert_true(options.layers == plan.base.layers && options.width == plan.base.width && options.seed == 41);
    assert_true(plan_job_tokens(&plan, &task) == 70.0 * 8 * (double)options.context);

    plan.base.lr = plan.base.min_lr = plan.rates[0] = 0;
    const Job still = {.task = -1};
    options = plan_job_options(&plan, &still);
    assert_true(options.lr == 0 && options.min_lr == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_may_have_labels),
        cmocka_unit_test(wrong_schemes_are_refused),
        cmocka_unit_test(names_and_numbers_of_schemes_have_limits),
        cmocka_unit_test(learning_rates_are_a_list),
        cmocka_unit_test(schemes_may_have_rates_of_their_own),
        cmocka_unit_test(schemes_may_have_a_rate_for_each_setting),
        cmocka_unit_test(schemes_may_have_windows_of_their_own),
        cmocka_unit_test(stretched_schemes_share_weights),
        cmocka_unit_test(tasks_are_a_list),
        cmocka_unit_test(every_combination_is_one_job),
        cmocka_unit_test(job_names_differ),
        cmocka_unit_test(jobs_have_their_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
