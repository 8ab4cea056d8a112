// The settings that models are trained in: every combination of text, context, size and tokens per parameter.
#include "tests/support/little_model.h"
#include "tests/lab/compare/plans.h"

static size_t counted_parameters(const Setting *setting) {
    const Shape shape = {.vocab = VOCAB,
                         .context = 8,
                         .layers = (int)setting->layers,
                         .heads = (int)setting->heads,
                         .width = (int)setting->width};
    Gpt gpt;
    model_make(&gpt, "none", &shape, false);
    const size_t count = tensor_numbers(&gpt.tensors, false);
    gpt_free(&gpt);
    return count;
}

static void sizes_are_shapes(void **state) {
    static const struct {
        const char *list;
        double asked[5];
    } cases[] = {{"0.1M,300k,1e6,3.1M", {1e5, 3e5, 1e6, 3.1e6}}, {"21k", {21e3}}, {" 30K  , 60000.5", {3e4, 60000.5}}};
    static Plan plan;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Error error;
        begin(&plan);
        must(set_variants(&plan, "rope;alibi", "", &error) && set_sizes(&plan, cases[i].list, "7.5", &error), &error);
        for (int s = 0; s < plan.setting_count; s++) {
            const Setting *setting = &plan.settings[s];
            const double off = (double)setting->parameters / cases[i].asked[s];
            assert_true(off > exp(-0.25) && off < exp(0.25));
            assert_int_equal(setting->width, 16 * setting->heads);
            assert_int_equal(setting->parameters, counted_parameters(setting));
            // The fewest steps of 8 windows of 256 tokens that show 7.5 tokens for each parameter.
            const double tokens = 7.5 * (double)setting->parameters;
            assert_true((double)setting->steps * 8 * 256 >= tokens && (double)(setting->steps - 1) * 8 * 256 < tokens);
        }
        assert_true(cases[i].asked[plan.setting_count] == 0); // as many as were asked for
    }
    must(set_sizes(&plan, "0.1M,300k", "7.5", &(Error){0}), &(Error){0});
    assert_string_equal(plan.settings[0].name, "0.1M");
    assert_string_equal(plan.settings[1].name, "300k");
}

static void wrong_sizes_are_refused(void **state) {
    static const struct {
        const char *list, *parts;
    } cases[] = {{"x", "--scale;'x'"},
                 {"M", "--scale;'M'"},
                 {"1MM", "'1MM'"},
                 {"1Mk", "'1Mk'"},
                 {"0", "'0'"},
                 {"nan", "'nan'"},
                 {"0x1p10", "'0x1p10'"},
                 {"1e400", "--scale 1e400"},
                 {"100000000000000000", "'100000000000000000'"},
                 {"1M,", NULL},
                 {"5k", "--scale 5k;257 tokens;the nearest has 2"},
                 {"0.3M,0.1M", "0.1M is not larger than 0.3M"},
                 {"100k,101k", "101k is not larger"}};
    static Plan plan;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Error error = {0};
        begin(&plan);
        const bool taken = set_sizes(&plan, cases[i].list, "", &error);
        if (cases[i].parts)
            expect_refusal(taken, &error, cases[i].list, cases[i].parts);
        else
            must(taken, &error);
    }
}

// Given numbers of layers and heads stay; the width follows, with heads of an even width.
static void given_layers_and_heads_stay(void **state) {
    static const struct {
        bool layers, heads;
        const char *list;
    } cases[] = {{true, true, "25k,70k,200k,400k,1M"}, {true, false, "100k,1M"}, {false, true, "30k,0.3M"}};
    static Plan plan;
    Error error;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const SettingLists lists = {.scale = cases[i].list,
                                    .contexts = "",
                                    .layers = cases[i].layers,
                                    .heads = cases[i].heads,
                                    .tokens_per_parameter = ""};
        begin(&plan);
        plan.base.layers = 2;
        plan.base.heads = 4;
        must(plan_settings(&plan, &lists, &error), &error);
        for (int s = 0; s < plan.setting_count; s++) {
            const Setting *setting = &plan.settings[s];
            const char *name = setting->name;
            if (cases[i].layers) assert_int_equal(setting->layers, 2);
            if (cases[i].heads) assert_int_equal(setting->heads, 4);
            if (!cases[i].heads) assert_int_equal(setting->width, 16 * setting->heads);
            assert_int_equal(setting->width % (2 * setting->heads), 0);
            const double off = log((double)setting->parameters / plan_size_parameters(name));
            if (!(fabs(off) < 0.25)) fail_msg("%s: off by %g", name, off);
            // No other width is nearer.
            for (int more = -1; more <= 1 && cases[i].layers && cases[i].heads; more += 2) {
                const size_t other = plan_parameters(&plan.base, 2, setting->heads, setting->width + 8 * more, VOCAB);
                assert_true(fabs(log((double)other / plan_size_parameters(name))) >= fabs(off));
            }
        }
    }
    const SettingLists lists = {
        .scale = "20k", .contexts = "", .layers = true, .heads = true, .tokens_per_parameter = ""};
    begin(&plan);
    plan.base.layers = 40;
    plan.base.heads = 4;
    expect_refusal(plan_settings(&plan, &lists, &error), &error, "too many layers",
                   "--scale 20k;--layers 40;--heads 4;the nearest has 36");
    begin(&plan);
    plan.base.kv_heads = 3;
    plan.base.heads = 4;
    expect_refusal(plan_settings(&plan, &lists, &error), &error, "no number of heads fits", "--scale 20k;--kv-heads 3");
}

// Every combination occurs once, named by what differs.
static void settings_are_all_combinations(void **state) {
    static Plan plan;
    Error error;
    begin(&plan);
    SettingLists lists = {.scale = "0.1M,0.3M", .tokens_per_parameter = "5,20", .contexts = "128,64"};
    must(plan_text(&plan, "some/where/book.x/", VOCAB, 500000, &error) &&
             set_variants(&plan, "rope;alibi", "", &error) && plan_settings(&plan, &lists, &error),
         &error);
    assert_int_equal(plan.setting_count, 16);
    assert_string_equal(plan.settings[0].name, "tales-0.1M-5tpp-128");
    assert_string_equal(plan.settings[1].name, "tales-0.1M-20tpp-128");
    assert_string_equal(plan.settings[2].name, "tales-0.3M-5tpp-128");
    assert_string_equal(plan.settings[15].name, "book.x-0.3M-20tpp-64");
    assert_int_equal(plan.base.context, 128);
    for (int s = 0; s < 16; s++) {
        const Setting *setting = &plan.settings[s];
        const double ratio = s % 2 ? 20 : 5, tokens = ratio * (double)setting->parameters;
        const double step = 8 * (double)setting->context;
        assert_int_equal(setting->text, s / 8);
        assert_int_equal(setting->context, s % 8 < 4 ? 128 : 64);
        assert_true((double)setting->steps * step >= tokens && (double)(setting->steps - 1) * step < tokens);
        expect_near("tokens", (size_t)s, setting_tokens(&plan, s), (double)setting->steps * step, 1e-6);
        expect_near("per parameter", (size_t)s, setting_tokens_per_parameter(&plan, s), ratio, 0.1);
        expect_near("epochs", (size_t)s, setting_epochs(&plan, s), (double)setting->steps * step / (s < 8 ? 1e6 : 5e5),
                    1e-9);
        const Job job = {.setting = s, .task = -1};
        const TrainOptions options = plan_job_options(&plan, &job);
        assert_int_equal(options.context, setting->context);
        assert_string_equal(options.data, s < 8 ? "builtin:tales" : "some/where/book.x/");
    }
    // What does not vary has no name; without sizes, the steps follow from the shape of the options.
    begin(&plan);
    lists = (SettingLists){.scale = "", .tokens_per_parameter = "2.5", .contexts = "32"};
    must(plan_settings(&plan, &lists, &error), &error);
    assert_string_equal(plan.settings[0].name, "");
    assert_true(plan.setting_count == 1 && plan.settings[0].width == plan.base.width && plan.base.context == 32);
    assert_int_equal(plan.settings[0].steps, ceil(2.5 * (double)plan.settings[0].parameters / (8 * 32)));
    lists = (SettingLists){.scale = "0.1M", .tokens_per_parameter = "", .contexts = "", .steps = true};
    must(plan_settings(&plan, &lists, &error), &error);
    assert_string_equal(plan.settings[0].name, "");
    assert_int_equal(plan.settings[0].steps, plan.base.steps);
}

static void wrong_lists_of_settings_are_refused(void **state) {
    static const struct {
        const char *scale, *ratios, *contexts, *parts;
    } cases[] = {{"", "5,x", "", "--tokens-per-parameter;'x'"},
                 {"", "5,5.0", "", "--tokens-per-parameter: 5.0 is given twice"},
                 {"", "", "128,128", "--context: 128 is given twice"},
                 {"", "", "12.5", "whole number"},
                 {"", "", "20000000", "10000000"},
                 {"30k,60k,100k,200k,400k", "1,2,3,4,5", "8,16,32", "75 settings;64"}};
    static Plan plan;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const SettingLists lists = {cases[i].scale, cases[i].ratios, cases[i].contexts, false, false, false};
        Error error = {0};
        begin(&plan);
        expect_refusal(plan_settings(&plan, &lists, &error), &error, cases[i].parts, cases[i].parts);
    }
}

static void texts_have_names_of_their_own(void **state) {
    static const struct {
        const char *data, *name, *parts; // parts: why it cannot be the second text
    } cases[] = {
        {"runs/data/book", "book", NULL},
        {"book///", "book", NULL},
        {"/book", "book", NULL},
        {"builtin:tales:bytes=7", "tales", "--data builtin:tales;both called tales"},
        {"builtin:passkey:bytes=7/8", "passkey", NULL},
        {"a/tales", "tales", "both called tales;rename"},
        {"my book", "my book", "'my book';letters"},
        {".", ".", NULL},
        {"/", "", "''"},
        {"b\xC3\xBC", "b\xC3\xBC", "letters"},
        {"0123456789012345678901234567890123456789x", "0123456789012345678901234567890123456789x", "40 letters"}};
    static Plan plan;
    Error error;
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(&plan);
        const bool taken = plan_text(&plan, cases[i].data, VOCAB, 1, &error);
        assert_string_equal(plan.texts[1].name, cases[i].name);
        assert_string_equal(plan.base.data, "builtin:tales");
        if (cases[i].parts)
            expect_refusal(taken, &error, cases[i].data, cases[i].parts);
        else
            must(taken, &error);
        plan = (Plan){0}; // alone, it may have any name
        must(plan_text(&plan, cases[i].data, VOCAB, 1, &error), &error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_shapes),
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(given_layers_and_heads_stay),
        cmocka_unit_test(settings_are_all_combinations),
        cmocka_unit_test(wrong_lists_of_settings_are_refused),
        cmocka_unit_test(texts_have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
