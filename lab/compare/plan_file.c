// Write a plan to compare.json, read it back, and compare two plans.
#include "base/utf8.h"
#include "base/version.h"
#include "lab/compare/plan.h"
#include "train/config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MOST (1LL << 53) // every JSON reader represents integers up to here exactly

// A member of a JSON object that is a field of a struct.
typedef struct {
    const char *name;
    enum { TEXT, INT, LONG, FLAG } type; // char[], int, long long, bool
    size_t offset;
    long long least, most; // of a number; most: the bytes of a text, with the final 0
} Member;

#define TEXT_MEMBER(name, type, field)                                                                                 \
    { name, TEXT, offsetof(type, field), 0, sizeof((type *)NULL)->field }

static const Member plan_members[] = {
    TEXT_MEMBER("command", Plan, command),
    {"reference", INT, offsetof(Plan, reference), 0, VARIANTS_MOST - 1},
    {"seeds", INT, offsetof(Plan, seeds), 1, SEEDS_MOST},
    {"unpaired", FLAG, offsetof(Plan, unpaired), 0, 0},
    {"default_contrasts", FLAG, offsetof(Plan, default_contrasts), 0, 0},
    {"task_steps", LONG, offsetof(Plan, task_steps), 1, NUMBER_MOST},
    {"exercises", INT, offsetof(Plan, exercises), 1, 1000000},
    {"threads", INT, offsetof(Plan, threads), 1, 1024},
    {0},
};
static const Member variant_members[] = {
    TEXT_MEMBER("name", Variant, name),
    TEXT_MEMBER("pos", Variant, pos),
    TEXT_MEMBER("window", Variant, window),
    TEXT_MEMBER("learning_rate", Variant, own_rates),
    {"seeds_block", INT, offsetof(Variant, seed_block), 0, SEED_BLOCKS_MOST},
    {0},
};
static const Member contrast_members[] = {
    TEXT_MEMBER("arm", Contrast, variant),
    TEXT_MEMBER("other", Contrast, other),
    TEXT_MEMBER("named", Contrast, named),
    {"after", INT, offsetof(Contrast, after), 0, INT_MAX},
    {0},
};
static const Member text_members[] = {
    TEXT_MEMBER("name", PlanText, name),
    TEXT_MEMBER("data", PlanText, data),
    {"vocabulary", INT, offsetof(PlanText, vocab), 1, 1 << 24},
    {"tokens", LONG, offsetof(PlanText, tokens), 1, NUMBER_MOST},
    {0},
};
static const Member setting_members[] = {
    TEXT_MEMBER("name", Setting, name),
    {"text", INT, offsetof(Setting, text), 0, TEXTS_MOST - 1},
    {"layers", LONG, offsetof(Setting, layers), 1, 1000},
    {"heads", LONG, offsetof(Setting, heads), 1, 1000},
    {"width", LONG, offsetof(Setting, width), 1, 20000},
    {"context", LONG, offsetof(Setting, context), 1, 10000000},
    {"steps", LONG, offsetof(Setting, steps), 1, NUMBER_MOST},
    {"parameters", LONG, offsetof(Setting, parameters), 1, NUMBER_MOST},
    {0},
};

// --- writing ---

// The fields of `source`; NULL when a text is not UTF-8 or there is no memory.
static json_t *members_json(const void *source, const Member *members) {
    json_t *object = json_object();
    for (const Member *m = members; m->name; m++) {
        const void *field = (const char *)source + m->offset;
        json_t *value = m->type == TEXT   ? json_string(field)
                        : m->type == FLAG ? json_boolean(*(const bool *)field)
                        : m->type == INT  ? json_integer(*(const int *)field)
                                          : json_integer(*(const long long *)field);
        if (json_object_set_new(object, m->name, value) == 0) continue;
        json_decref(object);
        return NULL;
    }
    return object;
}

// The structs of an array (count), each of `size` bytes.
static json_t *list_json(const void *array, int count, size_t size, const Member *members) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, members_json((const char *)array + (size_t)i * size, members));
    return list;
}

#define LIST(array, count, members) list_json(array, count, sizeof *(array), members)

// NULL as for members_json.
static json_t *plan_json(const Plan *plan) {
    json_t *rates = json_array(), *tasks = json_array(), *looks = json_array();
    for (int l = 0; l < plan->look_count; l++) json_array_append_new(looks, json_integer(plan->looks[l]));
    for (int r = 0; r < plan->rate_count; r++) json_array_append_new(rates, json_real(plan->rates[r]));
    for (int t = 0; t < plan->task_count; t++) json_array_append_new(tasks, json_string(plan->tasks[t]));
    json_t *json = members_json(plan, plan_members);
    json_t *lists =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "bitter", BITTER_VERSION, "options",
                  options_json(&plan->base), "schemes", LIST(plan->variants, plan->variant_count, variant_members),
                  "contrasts", LIST(plan->contrasts, plan->contrast_count, contrast_members), "looks", looks, "texts",
                  LIST(plan->texts, plan->text_count, text_members), "settings",
                  LIST(plan->settings, plan->setting_count, setting_members), "learning_rates", rates, "tasks", tasks);
    const bool ok = json && json_object_update(json, lists) == 0;
    json_decref(lists);
    if (ok) return json;
    json_decref(json);
    return NULL;
}

bool plan_write(const char *path, const Plan *plan, const json_t *data, Error *error) {
    json_t *json = plan_json(plan);
    if (data) json_object_set_new(json, "data", json_deep_copy(data));
    return json_write_sealed(path, json, 17, error);
}

// --- reading ---

static bool read_members(void *target, const Member *members, const json_t *object, const char *path, Error *error) {
    for (const Member *m = members; m->name; m++) {
        const json_t *value = json_object_get(object, m->name);
        void *field = (char *)target + m->offset;
        const char *text = json_string_value(value);
        long long number = 0;
        if (m->type == TEXT && (!text || strlen(text) >= (size_t)m->most || !is_plain(text)))
            return fail_damaged(error, path, "\"%s\" is no text, too long, or has a control character", m->name);
        if (m->type == FLAG && !json_is_boolean(value))
            return fail_damaged(error, path, "\"%s\" is neither true nor false", m->name);
        if ((m->type == INT || m->type == LONG) &&
            !member_integer(&number, object, m->name, m->least, m->most, path, error))
            return false;
        if (m->type == TEXT) strcpy(field, text);
        if (m->type == FLAG) *(bool *)field = json_is_true(value);
        if (m->type == INT) *(int *)field = (int)number;
        if (m->type == LONG) *(long long *)field = number;
    }
    return true;
}

// The objects of a list, at least `least` and at most `most`, as an array of structs of `size` bytes; NULL on failure.
static void *read_list(int *count, const json_t *json, const char *name, int least, int most, size_t size,
                       const Member *members, const char *path, Error *error) {
    *count = 0;
    int length;
    if (!member_length(&length, json, name, least, most, path, error)) return NULL;
    char *array = calloc((size_t)length + 1, size);
    bool ok = array || fail_run(error, "no memory for the %d items of \"%s\"", length, name);
    for (int i = 0; ok && i < length; i++)
        ok = read_members(array + (size_t)i * size, members, json_array_get(json_object_get(json, name), (size_t)i),
                          path, error);
    *count = ok ? length : 0;
    if (ok) return array;
    free(array);
    return NULL;
}

// Report the complaint, in *error, of a check that was made for words on the command line.
static bool as_typed(bool ok, const char *path, Error *error) {
    if (ok) return true;
    const Error reason = *error;
    return fail_damaged(error, path, "%.700s", reason.message);
}

// A directory may be gone, and is not opened.
static bool read_texts(Plan *plan, const json_t *json, const char *path, Error *error) {
    int count;
    PlanText *texts = read_list(&count, json, "texts", 1, TEXTS_MOST, sizeof *texts, text_members, path, error);
    bool ok = texts;
    for (int t = 0; ok && t < count; t++)
        ok = as_typed(plan_text(plan, texts[t].data, texts[t].vocab, texts[t].tokens, error), path, error) &&
             (strcmp(plan->texts[t].name, texts[t].name) == 0 ||
              fail_damaged(error, path, "a text's name does not match its data"));
    free(texts);
    return ok;
}

// Names become parts of paths; they differ, and only a setting without others may have none. Every text has the same
// settings.
static bool read_settings(Plan *plan, const json_t *json, const char *path, Error *error) {
    plan->settings = read_list(&plan->setting_count, json, "settings", 1, SETTINGS_MOST, sizeof *plan->settings,
                               setting_members, path, error);
    for (int s = 0; s < plan->setting_count; s++) {
        const Setting *setting = &plan->settings[s];
        const char *name = setting->name;
        bool named = *name ? strspn(name, LABEL_CHARACTERS "+") == strlen(name) : plan->setting_count == 1;
        for (int before = 0; before < s; before++) named = named && strcmp(plan->settings[before].name, name) != 0;
        if (!named) return fail_damaged(error, path, "a setting's name is missing, invalid or used twice");
        if (plan->setting_count % plan->text_count != 0 ||
            setting->text != s / (plan->setting_count / plan->text_count))
            return fail_damaged(error, path, "the \"text\" of a setting is not in the order of the texts");
        if (setting->parameters != plan_parameters(&plan->base, setting->layers, setting->heads, setting->width,
                                                   plan->texts[setting->text].vocab))
            return fail_damaged(error, path, "a setting has other \"parameters\" than its shape");
    }
    return plan->settings;
}

// The name is a label, or else the scheme as it was typed.
static bool read_variants(Plan *plan, const json_t *json, const char *path, Error *error) {
    int count;
    plan->variants =
        read_list(&count, json, "schemes", 1, VARIANTS_MOST, sizeof *plan->variants, variant_members, path, error);
    for (plan->variant_count = 0; plan->variant_count < count; plan->variant_count++) {
        Variant *variant = &plan->variants[plan->variant_count];
        const bool labelled = !variant->name[strspn(variant->name, LABEL_CHARACTERS)];
        char pos[TEXT_CAPACITY];
        strcpy(pos, variant->pos);
        strcpy(variant->typed, labelled ? pos : variant->name);
        if (!as_typed(variant_set(variant, labelled, error), path, error)) return false;
        if (strcmp(variant->pos, pos) != 0) return fail_damaged(error, path, "a scheme does not match its name");
        if (plan_variant(plan, variant->name) >= 0) return fail_damaged(error, path, "two schemes have the same name");
    }
    return plan->variants;
}

static bool read_rates(Plan *plan, const json_t *json, const char *path, Error *error) {
    if (!member_length(&plan->rate_count, json, "learning_rates", 1, RATES_MOST, path, error)) return false;
    for (int r = 0; r < plan->rate_count; r++) {
        const json_t *rate = json_array_get(json_object_get(json, "learning_rates"), (size_t)r);
        plan->rates[r] = json_number_value(rate);
        if (!json_is_number(rate) || !(plan->rates[r] >= 0 && plan->rates[r] <= 100) ||
            (r > 0 && plan->rates[r] <= plan->rates[r - 1]))
            return fail_damaged(error, path, "the learning rates are not rising numbers from 0 to 100");
    }
    return as_typed(rates_set(plan, error), path, error);
}

static bool read_tasks(Plan *plan, const json_t *json, const char *path, Error *error) {
    int count;
    if (!member_length(&count, json, "tasks", 0, TASKS_MOST, path, error)) return false;
    for (int t = 0; t < count; t++) {
        const char *name = json_string_value(json_array_get(json_object_get(json, "tasks"), (size_t)t));
        if (!name || !is_builtin(name) || strchr(name, ' ') || !is_plain(name))
            return fail_damaged(error, path, "a task is not a built-in one");
        if (!as_typed(plan_task(plan, name, error), path, error)) return false;
    }
    return true;
}

// Schemes of contrasts may have been left out since, so only the form of their names is checked.
static bool read_contrasts(Plan *plan, const json_t *json, const char *path, Error *error) {
    plan->contrasts = read_list(&plan->contrast_count, json, "contrasts", 0, INT_MAX, sizeof *plan->contrasts,
                                contrast_members, path, error);
    for (int i = 0; i < plan->contrast_count; i++) {
        const Contrast *c = &plan->contrasts[i];
        if (!*c->variant || !*c->other || strcmp(c->variant, c->other) == 0 || strpbrk(c->variant, "<>&|") ||
            strpbrk(c->other, "<>&|") || strstr(c->variant, MINUS) || strstr(c->other, MINUS) ||
            strspn(c->named, "0123456789-:TZ") < strlen(c->named))
            return fail_damaged(error, path, "a contrast does not name two schemes");
    }
    return plan->contrasts;
}

static bool read_looks(Plan *plan, const json_t *json, const char *path, Error *error) {
    if (!member_length(&plan->look_count, json, "looks", 0, SEEDS_MOST, path, error)) return false;
    for (int l = 0; l < plan->look_count; l++) {
        const json_int_t look = json_integer_value(json_array_get(json_object_get(json, "looks"), (size_t)l));
        if (look < 1 || look > SEEDS_MOST || (l > 0 && look <= plan->looks[l - 1]))
            return fail_damaged(error, path, "\"looks\" are not rising numbers of seeds");
        plan->looks[l] = (int)look;
    }
    return true;
}

static bool read_plan(Plan *plan, const json_t *json, const char *path, Error *error) {
    const json_t *first = json_array_get(json_object_get(json, "schemes"), 0);
    if (json_object_get(json, "sizes") || json_is_true(json_object_get(json, "equal_seconds")) ||
        json_is_number(json_object_get(first, "learning_rate")))
        return fail_input(error, "%s was begun by an earlier version of bitter; use another --out", path);
    if (!read_members(plan, plan_members, json, path, error) ||
        !options_read(&plan->base, json_object_get(json, "options"), path, error) ||
        !read_contrasts(plan, json, path, error) || !read_looks(plan, json, path, error) ||
        !read_texts(plan, json, path, error) || !read_settings(plan, json, path, error) ||
        !read_variants(plan, json, path, error) || !read_rates(plan, json, path, error) ||
        !read_tasks(plan, json, path, error))
        return false;
    if (plan->reference >= plan->variant_count)
        return fail_damaged(error, path, "\"reference\" is not the number of a scheme");
    return as_typed(plan_seeds(plan, plan->seeds, error), path, error);
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

// --- comparing ---

bool plan_agrees(const Plan *plan, const Plan *before, const char *path, Error *error) {
    static const struct {
        const char *name, *option;
    } members[] = {{"texts", "--data"},
                   {"settings", "--scale, --tokens-per-parameter or --context"},
                   {"unpaired", "--unpaired"},
                   {"task_steps", "--task-steps"}, // this and the next matter only if tasks were trained
                   {"exercises", "--exercises"}};
    char asked[TEXT_CAPACITY], found[TEXT_CAPACITY];
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
    for (int a = 0; ok && a < plan->variant_count; a++) {
        const int b = plan_variant(before, plan->variants[a].name);
        const Variant *new = &plan->variants[a], *old = b >= 0 ? &before->variants[b] : new;
        if (strcmp(new->pos, old->pos) != 0 || strcmp(new->window, old->window) != 0)
            ok = fail_input(error, "%s: %s is %s%s%s there, not %s%s%s; give it another label", path, new->name,
                            old->pos, *old->window ? OWN_WINDOW : "", old->window, new->pos,
                            *new->window ? OWN_WINDOW : "", new->window);
    }
    return ok;
}
