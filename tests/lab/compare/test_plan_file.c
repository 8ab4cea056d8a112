// compare.json: plans are read back exactly, and damaged files are refused.
#include "train/config.h"
#include "tests/lab/compare/plans.h"
#include "tests/support/directory.h"

static char path[SCRATCH_PATH + 32];
static json_t *data; // NULL: the plans here are written without a fingerprint

static int make_paths(void **state) {
    make_directory(state);
    snprintf(path, sizeof path, "%s/compare.json", directory);
    return 0;
}

// Are both plans written as the same file?
static bool same_plans(const Plan *a, const Plan *b) {
    char paths[2][SCRATCH_PATH + 32];
    Buffer files[2];
    Error error;
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%d.json", directory, i);
        must(plan_write(paths[i], i ? b : a, NULL, &error) && file_read(&files[i], paths[i], &error), &error);
    }
    const bool same = files[0].size == files[1].size && memcmp(files[0].bytes, files[1].bytes, files[0].size) == 0;
    free(files[0].bytes);
    free(files[1].bytes);
    return same;
}

static void expect_round_trip(const Plan *plan) {
    static Plan found;
    Error error;
    must(plan_write(path, plan, NULL, &error) && plan_read(&found, &data, path, &error), &error);
    assert_true(same_plans(plan, &found));
    must(plan_agrees(plan, &found, path, &error), &error);
}

static void plans_come_back(void **state) {
    static Plan plan;
    Error error;
    make_small(&plan);
    expect_round_trip(&plan);
    begin(&plan);
    const SettingLists lists = {.scale = "0.1M,1e6", .tokens_per_parameter = "0.1,1e+05", .contexts = "64,128"};
    must(plan_text(&plan, "a/my.book/", 300, 12345, &error) &&
             set_variants(&plan, "rope@.1/2.0/3e0/4/5/6/7/8/9/10/11/12/13/14/5e-7/16;a=alibi@3e-3", "", &error) &&
             plan_settings(&plan, &lists, &error) && plan_rates(&plan, "", &error),
         &error);
    plan.base.seed = 7;
    plan.default_contrasts = true;
    expect_round_trip(&plan);
    make_large(&plan);
    expect_round_trip(&plan);
    plan.base.lr = 0.1 + 0.2;
    plan.rates[2] = 1.0 / 3;
    plan.settings[1].steps = (1LL << 52) + 1;
    plan.threads = 1024;
    plan.seeds = plan.most_seeds = SEEDS_MOST;
    plan.most_trained = 9;
    plan.rates_after = 4;
    plan.exercises = 1000000;
    plan.task_steps = 1LL << 52;
    expect_round_trip(&plan);
}

static void names_that_are_no_text_are_refused(void **state) {
    static Plan plan;
    Error error = {0};
    make_small(&plan);
    strcpy(plan.command, "bitter compare \xFF");
    unlink(path);
    assert_false(plan_write(path, &plan, NULL, &error));
    assert_non_null(strstr(error.message, "UTF-8"));
    assert_false(path_exists(path));
}

// Files of earlier versions had "sizes", or schemes that trained for equal times.
static void files_of_earlier_versions_are_refused(void **state) {
    static Plan plan;
    Error error = {0};
    static const char *const files[] = {"{\"options\": {}, \"sizes\": []}",
                                        "{\"options\": {}, \"equal_seconds\": true}",
                                        "{\"options\": {}, \"unpaired\": true}"};
    for (size_t i = 0; i < COUNT(files); i++) {
        unlink(path);
        scratch_write(path, files[i], strlen(files[i]));
        expect_refusal(plan_read(&plan, &data, path, &error), &error, files[i], "begun by an earlier version;--out");
    }
}

// Use a plan as the program does, whether or not it is the intended one.
static void use(const Plan *plan) {
    assert_in_range(plan->reference, 0, plan->variant_count - 1);
    assert_in_range(plan->variant_count, 1, VARIANTS_MOST);
    assert_in_range(plan->setting_count, 1, SETTINGS_MOST);
    assert_in_range(plan->rate_count, 1, RATES_MOST);
    assert_in_range(plan->task_count, 0, TASKS_MOST);
    assert_in_range(plan->seeds, 1, SEEDS_MOST);
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        const TrainOptions options = plan_job_options(plan, &job);
        char name[PATH_CAPACITY];
        assert_true(options.steps >= 1 && options.context >= 1 && options.layers >= 1 && options.width >= 1);
        plan_job_name(name, plan, &job);
        assert_true(plan_job_tokens(plan, &job) > 0);
    }
}

// compare.json with one member at `keys` ("schemes", or "schemes;0;pos") replaced by `value`, NULL = removed,
// and without its checksum.
static void damage(const char *keys, const char *value) {
    Error error;
    char text[TEXT_CAPACITY], *rest = text, *last = NULL;
    json_t *json = json_read(path, &error), *parent = NULL, *at = json;
    assert_non_null(json);
    snprintf(text, sizeof text, "%s", keys);
    for (char *key; (key = strtok_r(rest, ";", &rest));) {
        parent = at;
        last = key;
        at = json_is_array(at) ? json_array_get(at, (size_t)atoi(key)) : json_object_get(at, key);
        if (!at) fail_msg("there is no %s", keys);
    }
    json_t *new = value ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
    if (value && !new) fail_msg("no JSON: %s", value);
    if (json_is_array(parent))
        value ? json_array_set_new(parent, (size_t)atoi(last), new) : json_array_remove(parent, (size_t)atoi(last));
    else
        value ? json_object_set_new(parent, last, new) : json_object_del(parent, last);
    json_object_del(json, "crc32");
    assert_int_equal(json_dump_file(json, path, JSON_INDENT(1)), 0);
    json_decref(json);
}

// Flip each bit of the file alone. If it is still read, it is usable, and with the checksum equals `plan`.
static void flip_each_bit(const Plan *plan, bool sealed) {
    static Plan found;
    Error error = {0};
    const Buffer file = read_file(path);
    int taken = 0, refused = 0;
    for (uint64_t bit = 0; bit < 8 * file.size; bit++) {
        flip_bit(path, bit);
        const bool read = plan_read(&found, &data, path, &error);
        flip_bit(path, bit);
        taken += read;
        refused += !read;
        if (read)
            use(&found);
        else
            expect_refusal(false, &error, "a flipped bit", path);
        if (read && sealed && !same_plans(plan, &found))
            fail_msg("bit %llu changes the plan unnoticed", (unsigned long long)bit);
    }
    assert_true(taken > 0 && refused > taken); // taken: spaces between the members, or the name of the checksum
    free(file.bytes);
}

// Without the checksum, as in earlier versions, a name or number may be read as another one within its range.
static void flipped_bits_are_refused_or_harmless(void **state) {
    static Plan plan;
    Error error = {0};
    make_small(&plan);
    plan.seeds = 1;
    must(plan_tasks(&plan, "copy:max=2", &error), &error);
    must(plan_write(path, &plan, NULL, &error), &error);
    flip_each_bit(&plan, true);
    damage("seeds", "1");
    flip_each_bit(&plan, false);
}

static const struct {
    const char *keys, *value, *parts; // value NULL = any of a wrong type, or none at all
} members[] = {{"options", NULL, ""},
               {"options;width", "0", "width"},
               {"schemes", NULL, ""},
               {"schemes", "[]", "\"schemes\" must list 1 to 64"},
               {"schemes;0;name", NULL, "name"},
               {"schemes;1;pos", NULL, "pos"},
               {"schemes;1;pos", "\"wrope\"", "no position scheme"},
               {"schemes;1;pos", "\"rope\"", "does not match its name"},
               {"schemes;1;pos", "\"rope\\n#\"", "control character"},
               {"schemes;1;name", "\"q\\nsystem \\\"touch pwned\\\"\\n#\"", "control character"},
               {"schemes;1;name", "\"../../elsewhere\"", "names a file"},
               {"schemes;1;name", "\"\"", "label"},
               {"schemes;1;name", "\"learned\"", "two schemes have the same name"},
               {"settings;0;steps", "9007199254740993", "steps"},
               {"texts", NULL, ""},
               {"texts", "[]", "\"texts\" must list 1 to 8"},
               {"texts;0;name", "\"tale\"", "does not match its data"},
               {"texts;0;vocabulary", NULL, "vocabulary"},
               {"texts;0;tokens", "0", "tokens"},
               {"settings", NULL, ""},
               {"settings", "[]", "\"settings\" must list 1 to 64"},
               {"settings;0;name",
                "\"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
                "89012345678\"",
                "too long"},
               {"settings;0;name", "\"\"", "setting's name"},
               {"settings;0;name", "\"300k\"", "twice"},
               {"settings;0;name", "\"../x\"", "setting's name"},
               {"settings;0;text", "1", "\"text\""},
               {"settings;1;parameters", "1", "other \"parameters\""},
               {"settings;0;layers", NULL, "\"layers\""},
               {"schemes;0;learning_rate", NULL, ""},
               {"schemes;0;learning_rate", "0.008", "earlier version"},
               {"schemes;0;learning_rate", "\"x\"", "'x'"},
               {"schemes;1;window", "\"0\"", "character 1"},
               {"schemes;1;window", "\"64 --window 8\"", "character 4"},
               {"schemes;2;window", "\"64\"", "give it a label"},
               {"contrasts;0", "[]", "arm"},
               {"contrasts;0;arm", "\"rope - learned\"", "does not name two schemes"},
               {"contrasts;0;arm", "\"short\"", "does not name two schemes"},
               {"contrasts;0;other", "\"<b>\"", "does not name two schemes"},
               {"contrasts;0;named", "\"yesterday\"", "does not name two schemes"},
               {"contrasts;0;after", "-1", "\"after\""},
               {"looks;0", "\"2\"", "looks"},
               {"looks;1", "2", "looks"},
               {"learning_rates", NULL, ""},
               {"learning_rates;1", "\"1\"", "learning_rates"},
               {"learning_rates;1", "1e-4", "rise"},
               {"tasks", "[1,2,3,4,5,6,7,8,9]", "\"tasks\""},
               {"tasks;0", NULL, ""},
               {"tasks;0", "\"copy\"", "a task is not a built-in one"},
               {"tasks;0", "\"builtin:tales\"", "no task"},
               {"tasks;0", "\"builtin:copy:max=5/../x\"", "max"},
               {"tasks;0", "\"builtin:copy builtin:sort\"", "a task is not a built-in one"},
               {"tasks;0", "\"builtin:parity\"", "twice"},
               {"reference", "3", "\"reference\""},
               {"seeds", "65", "1 to 64"},
               {"seeds", "4294967297", "\"seeds\""},
               {"options;seed", "9223372036854775806", "--seed"},
               {"threads", "1025", "\"threads\""},
               {"command", NULL, "command"},
               {"command", "\"bitter\\n```\\n<script>\"", "control character"},
               {"options;data", "\"a\\nb\"", "no value"}};

static void wrong_members_are_refused(void **state) {
    static const char *const wrong[] = {NULL, "null", "{\"a\": 1}", "[{}]", "1.5", "[[]]"};
    static Plan plan;
    Error error = {0};
    make_large(&plan);
    must(plan_write(path, &plan, NULL, &error), &error);
    const Buffer file = read_file(path);
    for (size_t i = 0; i < COUNT(members); i++)
        for (size_t w = 0; w < (members[i].value ? 1 : COUNT(wrong)); w++) {
            unlink(path);
            scratch_write(path, file.bytes, file.size);
            // An array of one less is still an array, if of something that there need not be so many of.
            if (!members[i].value && !wrong[w] && strcmp(members[i].keys, "tasks;0") == 0) continue;
            damage(members[i].keys, members[i].value ? members[i].value : wrong[w]);
            expect_refusal(plan_read(&plan, &data, path, &error), &error, members[i].keys, path);
            expect_refusal(false, &error, members[i].keys, members[i].parts);
        }
    free(file.bytes);
}

// --- a directory keeps the options that it was begun with, except those that may change ---

static void a_directory_has_one_set_of_options(void **state) {
    static Plan plan, before;
    static const char *const values[] = {"1", "2", "0.25", "0.5", "true", "bf16", "llama", "log", "other"};
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
    make_large(&before);
    strcpy(before.variants[1].own_rates, "0.5");
    before.variants[1].lr[0] = 0.5;
    before.variants[1].lr_count = 1;
    expect_refusal(plan_agrees(&plan, &before, path, &error), &error, "another learning rate",
                   "short has the learning rate 0.5;label");
}

// A scheme that was left out comes back only as it was, also after its plan has been written and read.
static void schemes_come_back_as_they_were(void **state) {
    static Plan plan, before, found;
    Error error = {0};
    make_large(&before);
    make_large(&plan);
    must(set_variants(&plan, "none;rope:base=500,pairing=interleaved", "", &error), &error);
    for (int done = 0; done < 2; done++) {
        must(plan_follow(&plan, &before, done, 0, &error) && plan_write(path, &plan, NULL, &error) &&
                 plan_read(&found, &data, path, &error),
             &error);
        assert_int_equal(found.left_out_count, 2 * done);
    }
    make_large(&plan);
    must(plan_agrees(&plan, &found, path, &error), &error);
    plan.variants[1].lr[0] = 0.5;
    plan.variants[1].lr_count = 1;
    expect_refusal(plan_agrees(&plan, &found, path, &error), &error, "another learning rate",
                   "short has no learning rate of its own;label");
}

// Before plans had a format, start=random drew what start=wide draws now: new runs would differ from the old ones.
static void older_random_starts_are_not_continued(void **state) {
    static Plan plan, before;
    Error error = {0};
    for (int wide = 0; wide < 2; wide++) {
        make_large(&before);
        make_large(&plan);
        const char *names = wide ? "r=rope-learned:start=wide" : "r=rope-learned:start=random";
        must(set_variants(&plan, names, "", &error) && set_variants(&before, names, "", &error), &error);
        for (before.format = PLAN_FORMAT; before.format >= 0; before.format -= PLAN_FORMAT)
            if (wide || before.format == PLAN_FORMAT)
                must(plan_agrees(&plan, &before, path, &error), &error);
            else
                expect_refusal(plan_agrees(&plan, &before, path, &error), &error, "start=random", "start=wide;--out");
    }
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

// Options of tasks may change as long as no task has been trained or examined.
static void first_tasks_choose_their_options(void **state) {
    static Plan plan, before;
    Error error;
    make_large(&before);
    make_large(&plan);
    before.task_count = 0;
    before.task_steps = before.exercises = 0; // there was none
    plan.task_steps++;
    plan.exercises++;
    must(plan_agrees(&plan, &before, path, &error), &error);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_come_back),
        cmocka_unit_test(names_that_are_no_text_are_refused),
        cmocka_unit_test(files_of_earlier_versions_are_refused),
        cmocka_unit_test(flipped_bits_are_refused_or_harmless),
        cmocka_unit_test(wrong_members_are_refused),
        cmocka_unit_test(a_directory_has_one_set_of_options),
        cmocka_unit_test(a_directory_has_one_set_of_sizes),
        cmocka_unit_test(schemes_come_back_as_they_were),
        cmocka_unit_test(older_random_starts_are_not_continued),
        cmocka_unit_test(other_seeds_schemes_rates_and_tasks_may_join),
        cmocka_unit_test(first_tasks_choose_their_options),
    };
    return cmocka_run_group_tests(tests, make_paths, remove_directory);
}
