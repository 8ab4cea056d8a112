// Write a plan to compare.json, read it back, and compare two plans.
#include "base/utf8.h"
#include "base/version.h"
#include "lab/compare/plan.h"
#include "train/config.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MOST (1LL << 53) // every JSON reader represents integers up to here exactly

static json_t *variants_json(const Plan *plan) {
    json_t *array = json_array();
    for (int a = 0; a < plan->variant_count; a++) {
        const Variant *variant = &plan->variants[a];
        json_t *steps = json_array();
        for (int s = 0; s < plan->setting_count; s++) {
            const Job job = {.setting = s, .task = -1, .variant = a};
            json_array_append_new(steps, json_integer(plan_job_options(plan, &job).steps));
        }
        json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s, s:i, s:o}", "name", variant->name, "pos",
                                               variant->pos, "window", variant->window, "learning_rate",
                                               variant->own_rates, "seeds_block", variant->seed_block, "steps", steps));
    }
    return array;
}

static json_t *texts_json(const Plan *plan) {
    json_t *array = json_array();
    for (int t = 0; t < plan->text_count; t++) {
        const PlanText *text = &plan->texts[t];
        json_array_append_new(array, json_pack("{s:s, s:s, s:i, s:I}", "name", text->name, "data", text->data,
                                               "vocabulary", text->vocab, "tokens", (json_int_t)text->tokens));
    }
    return array;
}

static json_t *settings_json(const Plan *plan) {
    json_t *array = json_array();
    for (int s = 0; s < plan->setting_count; s++) {
        const Setting *setting = &plan->settings[s];
        json_array_append_new(
            array, json_pack("{s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "name", setting->name, "text", setting->text,
                             "layers", (json_int_t)setting->layers, "heads", (json_int_t)setting->heads, "width",
                             (json_int_t)setting->width, "context", (json_int_t)setting->context, "steps",
                             (json_int_t)setting->steps, "parameters", (json_int_t)setting->parameters));
    }
    return array;
}

static json_t *contrasts_json(const Plan *plan) {
    json_t *array = json_array();
    for (int c = 0; c < plan->contrast_count; c++) {
        const Contrast *contrast = &plan->contrasts[c];
        json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:i}", "arm", contrast->variant, "other",
                                               contrast->other, "named", contrast->named, "after", contrast->after));
    }
    return array;
}

static json_t *plan_json(const Plan *plan) {
    json_t *rates = json_array(), *tasks = json_array(), *looks = json_array();
    for (int l = 0; l < plan->look_count; l++) json_array_append_new(looks, json_integer(plan->looks[l]));
    for (int r = 0; r < plan->rate_count; r++) json_array_append_new(rates, json_real(plan->rates[r]));
    for (int t = 0; t < plan->task_count; t++) json_array_append_new(tasks, json_string(plan->tasks[t]));
    return json_pack("{s:s, s:s, s:o, s:o, s:i, s:i, s:b, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:i, s:b, s:i}",
                     "bitter", BITTER_VERSION, "command", plan->command, "options", options_json(&plan->base),
                     "schemes", variants_json(plan), "reference", plan->reference, "seeds", plan->seeds, "unpaired",
                     plan->unpaired, "contrasts", contrasts_json(plan), "default_contrasts", plan->default_contrasts,
                     "looks", looks, "texts", texts_json(plan), "settings", settings_json(plan), "learning_rates",
                     rates, "tasks", tasks, "task_steps", (json_int_t)plan->task_steps, "exercises", plan->exercises,
                     "equal_seconds", plan->by_seconds, "threads", plan->threads);
}

bool plan_write(const char *path, const Plan *plan, const json_t *data, Error *error) {
    json_t *json = plan_json(plan);
    if (data) json_object_set_new(json, "data", json_deep_copy(data));
    return json_write_sealed(path, json, 17, error);
}

static bool read_text(char *text, size_t capacity, const json_t *value, const char *path, Error *error) {
    const char *string = json_string_value(value);
    if (!string || strlen(string) >= capacity) return fail_damaged(error, path, "a name is missing or too long");
    if (!is_plain(string)) return fail_damaged(error, path, "a name holds a control character");
    snprintf(text, capacity, "%s", string);
    return true;
}

// Report the complaint, in *error, of a check that was made for words on the command line.
static bool as_typed(bool ok, const char *path, Error *error) {
    if (ok) return true;
    const Error reason = *error;
    return fail_damaged(error, path, "%.700s", reason.message);
}

// Texts as they were typed; a directory may be gone, and is not opened.
static bool read_texts(Plan *plan, const json_t *array, const char *path, Error *error) {
    const int count = plan->text_count;
    plan->text_count = 0;
    for (int t = 0; t < count; t++) {
        const json_t *object = json_array_get(array, (size_t)t);
        char data[TEXT_CAPACITY], name[NAME_CAPACITY];
        long long vocab, tokens;
        if (!read_text(data, sizeof data, json_object_get(object, "data"), path, error) ||
            !read_text(name, sizeof name, json_object_get(object, "name"), path, error) ||
            !member_integer(&vocab, object, "vocabulary", 1, 1 << 24, path, error) ||
            !member_integer(&tokens, object, "tokens", 1, NUMBER_MOST, path, error) ||
            !as_typed(plan_text(plan, data, (int)vocab, (double)tokens, error), path, error))
            return false;
        if (strcmp(plan->texts[t].name, name) != 0)
            return fail_damaged(error, path, "a text's name does not match its data");
    }
    return true;
}

// Names become parts of paths; they differ, and only a setting without others may have none.
static bool read_setting_name(Plan *plan, int s, const json_t *object, const char *path, Error *error) {
    char *name = plan->settings[s].name;
    if (!read_text(name, sizeof plan->settings[s].name, json_object_get(object, "name"), path, error)) return false;
    bool ok = *name ? strspn(name, LABEL_CHARACTERS "+") == strlen(name) : plan->setting_count == 1;
    for (int before = 0; before < s; before++) ok = ok && strcmp(plan->settings[before].name, name) != 0;
    return ok || fail_damaged(error, path, "a setting's name is missing, invalid or used twice");
}

static bool read_settings(Plan *plan, const json_t *array, const char *path, Error *error) {
    if (plan->setting_count % plan->text_count != 0)
        return fail_damaged(error, path, "the \"settings\" are not the same for all \"texts\"");
    plan->settings = calloc((size_t)plan->setting_count, sizeof *plan->settings);
    if (!plan->settings) return fail_run(error, "no memory for %d settings", plan->setting_count);
    for (int s = 0; s < plan->setting_count; s++) {
        const json_t *object = json_array_get(array, (size_t)s);
        Setting *setting = &plan->settings[s];
        long long text, parameters;
        if (!read_setting_name(plan, s, object, path, error) ||
            !member_integer(&text, object, "text", 0, plan->text_count - 1, path, error) ||
            !member_integer(&setting->layers, object, "layers", 1, 1000, path, error) ||
            !member_integer(&setting->heads, object, "heads", 1, 1000, path, error) ||
            !member_integer(&setting->width, object, "width", 1, 20000, path, error) ||
            !member_integer(&setting->context, object, "context", 1, 10000000, path, error) ||
            !member_integer(&setting->steps, object, "steps", 1, NUMBER_MOST, path, error) ||
            !member_integer(&parameters, object, "parameters", 1, NUMBER_MOST, path, error))
            return false;
        if (text != s / (plan->setting_count / plan->text_count)) // every text has the same settings
            return fail_damaged(error, path, "the settings are not in the order of the texts");
        setting->text = (int)text;
        setting->parameters = (size_t)parameters;
        if (setting->parameters !=
            plan_parameters(&plan->base, setting->layers, setting->heads, setting->width, plan->texts[text].vocab))
            return fail_damaged(error, path, "a setting has other \"parameters\" than its shape");
    }
    return true;
}

// All schemes have the steps of the setting, unless they have the same time instead.
static bool read_steps(Variant *variant, const json_t *array, const Plan *plan, const char *path, Error *error) {
    for (int s = 0; s < plan->setting_count; s++) {
        variant->steps[s] = json_integer_value(json_array_get(array, (size_t)s));
        if (variant->steps[s] < 1 || variant->steps[s] > NUMBER_MOST)
            return fail_damaged(error, path, "a scheme's \"steps\" are missing");
        if (!plan->by_seconds && variant->steps[s] != plan->settings[s].steps)
            return fail_damaged(error, path, "a scheme has other \"steps\" than its setting");
    }
    return true;
}

// The learning rates as they were typed. Files of earlier versions have a number, 0 for none.
static bool read_own_rates(Variant *variant, const json_t *object, const char *path, Error *error) {
    const json_t *rates = json_object_get(object, "learning_rate");
    double rate;
    if (json_is_string(rates)) return read_text(variant->own_rates, sizeof variant->own_rates, rates, path, error);
    if (!member_number(&rate, object, "learning_rate", 0, 100, path, error)) return false;
    if (rate > 0) snprintf(variant->own_rates, sizeof variant->own_rates, "%.17g", rate);
    return true;
}

// The name is a label, or else the scheme as it was typed. Files of earlier versions have no "window".
static bool read_variant(Plan *plan, const json_t *object, const char *path, Error *error) {
    Variant *variant = &plan->variants[plan->variant_count];
    const json_t *keys = json_object_get(object, "window");
    char pos[TEXT_CAPACITY];
    long long block;
    if (!read_text(variant->name, sizeof variant->name, json_object_get(object, "name"), path, error) ||
        !read_text(pos, sizeof pos, json_object_get(object, "pos"), path, error) ||
        (keys && !read_text(variant->window, sizeof variant->window, keys, path, error)) ||
        !read_own_rates(variant, object, path, error) ||
        !member_integer(&block, object, "seeds_block", 0, SEED_BLOCKS_MOST, path, error))
        return false;
    const bool labelled = !variant->name[strspn(variant->name, LABEL_CHARACTERS)];
    strcpy(variant->typed, labelled ? pos : variant->name);
    variant->seed_block = (int)block;
    if (!as_typed(variant_set(variant, labelled, error), path, error)) return false;
    if (strcmp(variant->pos, pos) != 0) return fail_damaged(error, path, "a scheme does not match its name");
    if (plan_variant(plan, variant->name) >= 0) return fail_damaged(error, path, "two schemes have the same name");
    plan->variant_count++;
    return read_steps(variant, json_object_get(object, "steps"), plan, path, error);
}

static bool read_variants(Plan *plan, const json_t *array, const char *path, Error *error) {
    const int count = plan->variant_count;
    plan->variants = calloc((size_t)count, sizeof *plan->variants);
    plan->variant_count = 0;
    if (!plan->variants) return fail_run(error, "no memory for %d schemes", count);
    for (int a = 0; a < count; a++)
        if (!read_variant(plan, json_array_get(array, (size_t)a), path, error)) return false;
    return true;
}

static bool read_rates(Plan *plan, const json_t *array, const char *path, Error *error) {
    for (int r = 0; r < plan->rate_count; r++) {
        const json_t *rate = json_array_get(array, (size_t)r);
        plan->rates[r] = json_number_value(rate);
        if (!json_is_number(rate) || !(plan->rates[r] >= 0 && plan->rates[r] <= 100))
            return fail_damaged(error, path, "a learning rate is not a number from 0 to 100");
        for (int before = 0; before < r; before++)
            if (plan->rates[before] == plan->rates[r])
                return fail_damaged(error, path, "a learning rate is there twice");
    }
    return as_typed(rates_set(plan, error), path, error);
}

static bool read_tasks(Plan *plan, const json_t *array, const char *path, Error *error) {
    const int count = plan->task_count;
    char name[TEXT_CAPACITY];
    plan->task_count = 0;
    for (int t = 0; t < count; t++) {
        if (!read_text(name, sizeof name, json_array_get(array, (size_t)t), path, error)) return false;
        if (!is_builtin(name) || strchr(name, ' ')) return fail_damaged(error, path, "a task is not a built-in one");
        if (!as_typed(plan_task(plan, name, error), path, error)) return false;
    }
    return true;
}

// Schemes of contrasts may have been left out since, so only the form of their names is checked.
static bool read_contrasts(Plan *plan, const json_t *array, const char *path, Error *error) {
    plan->contrasts = calloc((size_t)plan->contrast_count + 1, sizeof *plan->contrasts);
    if (!plan->contrasts) return fail_run(error, "no memory for %d contrasts", plan->contrast_count);
    for (int c = 0; c < plan->contrast_count; c++) {
        Contrast *contrast = &plan->contrasts[c];
        const json_t *object = json_array_get(array, (size_t)c);
        long long after;
        if (!read_text(contrast->variant, sizeof contrast->variant, json_object_get(object, "arm"), path, error) ||
            !read_text(contrast->other, sizeof contrast->other, json_object_get(object, "other"), path, error) ||
            !read_text(contrast->named, sizeof contrast->named, json_object_get(object, "named"), path, error) ||
            !member_integer(&after, object, "after", 0, INT_MAX, path, error))
            return false;
        contrast->after = (int)after;
        bool ok = *contrast->variant && *contrast->other && strcmp(contrast->variant, contrast->other) != 0 &&
                  !strpbrk(contrast->variant, "<>&|") && !strpbrk(contrast->other, "<>&|") &&
                  !strstr(contrast->variant, MINUS) && !strstr(contrast->other, MINUS) &&
                  strspn(contrast->named, "0123456789-:TZ") == strlen(contrast->named);
        if (!ok) return fail_damaged(error, path, "a contrast does not name two schemes");
    }
    return true;
}

static bool read_looks(Plan *plan, const json_t *array, const char *path, Error *error) {
    for (int l = 0; l < plan->look_count; l++) {
        const json_int_t look = json_integer_value(json_array_get(array, (size_t)l));
        if (look < 1 || look > SEEDS_MOST || (l > 0 && look <= plan->looks[l - 1]))
            return fail_damaged(error, path, "\"looks\" are not rising numbers of seeds");
        plan->looks[l] = (int)look;
    }
    return true;
}

static bool read_flag(bool *flag, const json_t *json, const char *name, const char *path, Error *error) {
    const json_t *member = json_object_get(json, name);
    *flag = json_is_true(member);
    return json_is_boolean(member) || fail_damaged(error, path, "\"%s\" is neither true nor false", name);
}

static bool read_plan(Plan *plan, const json_t *json, const char *path, Error *error) {
    long long reference, seeds, exercises, threads;
    if (json_object_get(json, "sizes"))
        return fail_input(error, "%s was begun by an earlier version of bitter; use another --out", path);
    if (!read_flag(&plan->by_seconds, json, "equal_seconds", path, error) ||
        !read_flag(&plan->unpaired, json, "unpaired", path, error) ||
        !read_flag(&plan->default_contrasts, json, "default_contrasts", path, error) ||
        !member_length(&plan->contrast_count, json, "contrasts", 0, INT_MAX, path, error) ||
        !member_length(&plan->look_count, json, "looks", 0, SEEDS_MOST, path, error) ||
        !read_contrasts(plan, json_object_get(json, "contrasts"), path, error) ||
        !read_looks(plan, json_object_get(json, "looks"), path, error) ||
        !options_read(&plan->base, json_object_get(json, "options"), path, error) ||
        !member_length(&plan->variant_count, json, "schemes", 1, VARIANTS_MOST, path, error) ||
        !member_length(&plan->text_count, json, "texts", 1, TEXTS_MOST, path, error) ||
        !member_length(&plan->setting_count, json, "settings", 1, SETTINGS_MOST, path, error) ||
        !member_length(&plan->rate_count, json, "learning_rates", 1, RATES_MOST, path, error) ||
        !member_length(&plan->task_count, json, "tasks", 0, TASKS_MOST, path, error) ||
        !member_integer(&reference, json, "reference", 0, plan->variant_count - 1, path, error) ||
        !member_integer(&seeds, json, "seeds", 1, SEEDS_MOST, path, error) ||
        !member_integer(&plan->task_steps, json, "task_steps", 1, NUMBER_MOST, path, error) ||
        !member_integer(&exercises, json, "exercises", 1, 1000000, path, error) ||
        !member_integer(&threads, json, "threads", 1, 1024, path, error) ||
        !read_texts(plan, json_object_get(json, "texts"), path, error) ||
        !read_settings(plan, json_object_get(json, "settings"), path, error) ||
        !read_variants(plan, json_object_get(json, "schemes"), path, error))
        return false;
    if (!read_text(plan->command, sizeof plan->command, json_object_get(json, "command"), path, error)) return false;
    if (!plan_seeds(plan, seeds, error)) return fail_damaged(error, path, "the last seed is too large a number");
    plan->reference = (int)reference;
    plan->exercises = (int)exercises;
    plan->threads = (int)threads;
    return read_rates(plan, json_object_get(json, "learning_rates"), path, error) &&
           read_tasks(plan, json_object_get(json, "tasks"), path, error);
}

bool plan_read(Plan *plan, json_t **data, const char *path, Error *error) {
    json_t *json = json_read(path, error);
    plan_free(plan);
    const bool ok = json && read_plan(plan, json, path, error);
    if (!ok) plan_free(plan);
    *data = ok ? json_incref(json_object_get(json, "data")) : NULL;
    json_decref(json);
    return ok;
}

bool plan_agrees(const Plan *plan, const Plan *before, const char *path, Error *error) {
    static const struct {
        const char *name, *option;
    } members[] = {{"texts", "--data"},
                   {"settings", "--scale, --tokens-per-parameter or --context"},
                   {"unpaired", "--unpaired"},
                   {"task_steps", "--task-steps"}, // this and the next matter only if tasks were trained
                   {"exercises", "--exercises"}};
    char asked[TEXT_CAPACITY], found[TEXT_CAPACITY];
    if (before->by_seconds)
        return fail_input(error,
                          "%s: the schemes there train for equal times, which only an earlier version could do; "
                          "`bitter report` still reports it; choose another --out",
                          path);
    const Option *other = options_difference(asked, found, train_options, &plan->base, &before->base);
    if (other)
        return fail_input(error,
                          "%s: the runs there have --%s %.200s, not %.200s; give the same options, or another --out",
                          path, other->name, found, asked);
    json_t *now = plan_json(plan), *then = plan_json(before);
    bool ok = true;
    for (size_t i = 0; ok && i < (before->task_count > 0 ? 5 : 3); i++)
        if (!json_equal(json_object_get(now, members[i].name), json_object_get(then, members[i].name)))
            ok = fail_input(error, "%s: the comparison there has another %s; give the same options, or another --out",
                            path, members[i].option);
    json_decref(now);
    json_decref(then);
    return ok;
}
