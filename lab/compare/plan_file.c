// Write a plan to compare.json, read it back, and compare two plans.
#include "base/utf8.h"
#include "base/version.h"
#include "data/made/builtin.h"
#include "lab/compare/plan.h"
#include "posenc/written.h"
#include "train/config.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MOST (1LL << 53) // every JSON reader represents integers up to here exactly

// A field of a struct, which is a member of a JSON object.
typedef struct Member Member;
struct Member {
    const char *name; // "": the items of the list are such fields, not objects
    // char[], int, long long, double, bool; an array in the struct, and one that it points to
    enum { TEXT, INT, LONG, NUMBER, FLAG, ARRAY, POINTER } type;
    size_t offset;
    long long least, most; // value of a number, length of a list; most: bytes of a text, with the final 0; least:
                           // MISSING = it is not in files of earlier versions, where it is "" or 0
    const Member *items;   // of a list: the members of an item, its size, and where the struct counts them
    size_t size, count;
};

#define MISSING (-1)
#define MEMBER(name, type, of, field, least, most)                                                                     \
    { name, type, offsetof(of, field), least, most, NULL, 0, 0 }
#define TEXT_MEMBER(name, of, field) MEMBER(name, TEXT, of, field, 0, sizeof((of *)NULL)->field)
#define LIST_MEMBER(name, type, field, count, least, most, items)                                                      \
    { name, type, offsetof(Plan, field), least, most, items, sizeof *((Plan *)NULL)->field, offsetof(Plan, count) }

static const Member variant_members[] = {
    TEXT_MEMBER("name", Variant, name),
    TEXT_MEMBER("pos", Variant, pos),
    TEXT_MEMBER("window", Variant, window),
    MEMBER("stretch", TEXT, Variant, stretch, MISSING, TEXT_CAPACITY),
    TEXT_MEMBER("learning_rate", Variant, own_rates),
    {0},
};
static const Member contrast_members[] = {
    TEXT_MEMBER("arm", Contrast, variant),
    TEXT_MEMBER("other", Contrast, other),
    TEXT_MEMBER("named", Contrast, named),
    MEMBER("after", INT, Contrast, after, 0, INT_MAX),
    {0},
};
static const Member text_members[] = {
    TEXT_MEMBER("name", PlanText, name),
    TEXT_MEMBER("data", PlanText, data),
    MEMBER("vocabulary", INT, PlanText, vocab, 1, 1 << 24),
    MEMBER("tokens", LONG, PlanText, tokens, 1, NUMBER_MOST),
    {0},
};
static const Member setting_members[] = {
    TEXT_MEMBER("name", Setting, name),
    MEMBER("text", INT, Setting, text, 0, TEXTS_MOST - 1),
    MEMBER("layers", LONG, Setting, layers, 1, 1000),
    MEMBER("heads", LONG, Setting, heads, 1, 1000),
    MEMBER("width", LONG, Setting, width, 1, 20000),
    MEMBER("context", LONG, Setting, context, 1, 10000000),
    MEMBER("steps", LONG, Setting, steps, 1, NUMBER_MOST),
    MEMBER("parameters", LONG, Setting, parameters, 1, NUMBER_MOST),
    {0},
};
static const Member look = {.name = "", .type = INT, .least = 1, .most = SEEDS_MOST};
static const Member rate = {.name = "", .type = NUMBER, .least = 0, .most = 100};
static const Member task = {.name = "", .type = TEXT, .most = TEXT_CAPACITY};

static const Member plan_members[] = {
    TEXT_MEMBER("command", Plan, command),
    LIST_MEMBER("schemes", POINTER, variants, variant_count, 1, VARIANTS_MOST, variant_members),
    LIST_MEMBER("left_out", POINTER, left_out, left_out_count, MISSING, 10000, variant_members),
    MEMBER("reference", INT, Plan, reference, 0, VARIANTS_MOST - 1),
    MEMBER("seeds", INT, Plan, seeds, 1, SEEDS_MOST),
    LIST_MEMBER("contrasts", POINTER, contrasts, contrast_count, 0, INT_MAX, contrast_members),
    MEMBER("default_contrasts", FLAG, Plan, default_contrasts, 0, 0),
    MEMBER("most_seeds", INT, Plan, most_seeds, MISSING, SEEDS_MOST),
    MEMBER("most_schemes", INT, Plan, most_trained, MISSING, 10000),
    MEMBER("rates_after", INT, Plan, rates_after, MISSING, INT_MAX),
    MEMBER("seen", INT, Plan, seen, MISSING, SEEDS_MOST),
    LIST_MEMBER("looks", ARRAY, looks, look_count, 0, SEEDS_MOST, &look),
    LIST_MEMBER("texts", ARRAY, texts, text_count, 1, TEXTS_MOST, text_members),
    LIST_MEMBER("settings", POINTER, settings, setting_count, 1, SETTINGS_MOST, setting_members),
    LIST_MEMBER("learning_rates", ARRAY, rates, rate_count, 1, RATES_MOST, &rate),
    LIST_MEMBER("tasks", ARRAY, tasks, task_count, 0, TASKS_MOST, &task),
    MEMBER("task_steps", LONG, Plan, task_steps, 0, NUMBER_MOST),
    MEMBER("exercises", INT, Plan, exercises, 0, 1000000),
    MEMBER("threads", INT, Plan, threads, 1, 1024),
    {0},
};

static json_t *struct_json(const char *source, const Member *members);

static json_t *list_json(const char *source, const Member *m) {
    const int count = *(const int *)(source + m->count);
    const char *items = source + m->offset;
    if (m->type == POINTER) memcpy(&items, source + m->offset, sizeof items);
    json_t *array = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(array, struct_json(items + (size_t)i * m->size, m->items));
    return array;
}

static json_t *member_json(const char *source, const Member *m) {
    const void *field = source + m->offset;
    return m->type == TEXT     ? json_string(field)
           : m->type == FLAG   ? json_boolean(*(const bool *)field)
           : m->type == INT    ? json_integer(*(const int *)field)
           : m->type == LONG   ? json_integer(*(const long long *)field)
           : m->type == NUMBER ? json_real(*(const double *)field)
                               : list_json(source, m);
}

// NULL when a text is not UTF-8, or there is no memory.
static json_t *struct_json(const char *source, const Member *members) {
    if (!*members->name) return member_json(source, members);
    json_t *object = json_object();
    for (const Member *m = members; m->name; m++) {
        if (json_object_set_new(object, m->name, member_json(source, m)) == 0) continue;
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *plan_json(const Plan *plan) {
    json_t *json = struct_json((const char *)plan, plan_members);
    if (json_object_set_new(json, "bitter", json_string(BITTER_VERSION)) == 0 &&
        json_object_set_new(json, "format", json_integer(PLAN_FORMAT)) == 0 &&
        json_object_set_new(json, "options", options_json(&plan->base)) == 0)
        return json;
    json_decref(json);
    return NULL;
}

bool plan_write(const char *path, const Plan *plan, const json_t *data, Error *error) {
    json_t *json = plan_json(plan);
    if (data) json_object_set_new(json, "data", json_deep_copy(data));
    return json_write_sealed(path, json, 17, error);
}

// --- reading ---

static bool read_struct(char *target, const Member *members, const char *list, const json_t *object, const char *path,
                        Error *error);

static bool read_list(char *target, const Member *m, const json_t *array, const char *path, Error *error) {
    const size_t length = json_array_size(array);
    const long long least = m->least == MISSING ? 0 : m->least;
    char *items = target + m->offset;
    if (!json_is_array(array) || length < (size_t)least || length > (size_t)m->most)
        return fail_damaged(error, path, "\"%s\" must list %lld to %lld items", m->name, least, m->most);
    if (m->type == POINTER) {
        items = calloc(length + 1, m->size);
        memcpy(target + m->offset, &items, sizeof items);
        if (!items) return fail_run(error, "no memory for the %zu items of \"%s\"", length, m->name);
    }
    for (size_t i = 0; i < length; i++)
        if (!read_struct(items + i * m->size, m->items, m->name, json_array_get(array, i), path, error)) return false;
    *(int *)(target + m->count) = (int)length;
    return true;
}

// name: what the member is called in messages.
static bool read_member(char *target, const Member *m, const char *name, const json_t *value, const char *path,
                        Error *error) {
    void *field = target + m->offset;
    const char *text = json_string_value(value);
    const double number = json_number_value(value);
    const long long whole = json_integer_value(value);
    const long long least = m->least == MISSING ? 0 : m->least;
    const bool in_range =
        m->type == NUMBER ? number >= (double)least && number <= (double)m->most : whole >= least && whole <= m->most;
    if (!value && m->least == MISSING) return true;
    if (m->type == ARRAY || m->type == POINTER) return read_list(target, m, value, path, error);
    if (m->type == TEXT && (!text || strlen(text) >= (size_t)m->most || !is_plain(text)))
        return fail_damaged(error, path, "\"%s\" is not a text, too long, or has a control character", name);
    if (m->type == FLAG && !json_is_boolean(value))
        return fail_damaged(error, path, "\"%s\" is neither true nor false", name);
    if ((m->type == NUMBER && !(json_is_number(value) && in_range)) ||
        ((m->type == INT || m->type == LONG) && !(json_is_integer(value) && in_range)))
        return fail_damaged(error, path, "\"%s\" must be a %snumber from %lld to %lld", name,
                            m->type == NUMBER ? "" : "whole ", least, m->most);
    if (m->type == TEXT) strcpy(field, text);
    if (m->type == FLAG) *(bool *)field = json_is_true(value);
    if (m->type == INT) *(int *)field = (int)whole;
    if (m->type == LONG) *(long long *)field = whole;
    if (m->type == NUMBER) *(double *)field = number;
    return true;
}

static bool read_struct(char *target, const Member *members, const char *list, const json_t *object, const char *path,
                        Error *error) {
    if (!*members->name) return read_member(target, members, list, object, path, error);
    for (const Member *m = members; m->name; m++)
        if (!read_member(target, m, m->name, json_object_get(object, m->name), path, error)) return false;
    return true;
}

// Report an error of a check that was written for words on the command line as damage of the file.
static bool as_typed(bool ok, const char *path, Error *error) {
    if (ok) return true;
    const Error reason = *error;
    return fail_damaged(error, path, "%.700s", reason.message);
}

// Names become parts of paths, so they must differ; only a single setting may have none. Every text must have the same
// settings.
static bool check_settings(const Plan *plan, const char *path, Error *error) {
    assert(plan->text_count > 0); // the table says so
    const int apart = plan->setting_count / plan->text_count;
    for (int s = 0; s < plan->setting_count; s++) {
        const Setting *setting = &plan->settings[s];
        const char *name = setting->name;
        bool named = *name ? strspn(name, LABEL_CHARACTERS "+") == strlen(name) : plan->setting_count == 1;
        for (int before = 0; before < s; before++) named = named && strcmp(plan->settings[before].name, name) != 0;
        if (!named) return fail_damaged(error, path, "a setting's name is missing, invalid or used twice");
        if (plan->setting_count % plan->text_count != 0 || setting->text != s / apart)
            return fail_damaged(error, path, "the \"text\" of a setting is not in the order of the texts");
        if (setting->parameters != plan_parameters(&plan->base, setting->layers, setting->heads, setting->width,
                                                   plan->texts[setting->text].vocab))
            return fail_damaged(error, path, "a setting has other \"parameters\" than its shape");
    }
    return true;
}

// The name of a scheme is a label, or else the scheme as it was typed.
static bool type_variant(Variant *variant, const char *path, Error *error) {
    const bool labelled = !variant->name[strspn(variant->name, LABEL_CHARACTERS)];
    char pos[TEXT_CAPACITY];
    strcpy(pos, variant->pos);
    if (written_names_file(pos)) return fail_damaged(error, path, "a scheme is the name of a file");
    strcpy(variant->typed, labelled ? pos : variant->name);
    return as_typed(variant_set(variant, labelled, error), path, error) &&
           (strcmp(variant->pos, pos) == 0 || fail_damaged(error, path, "a scheme does not match its name"));
}

// Add texts, schemes and tasks again, one by one, as if they had been typed. A directory of texts may be gone, and is
// not opened.
static bool type_again(Plan *plan, const char *path, Error *error) {
    const int texts = plan->text_count, variants = plan->variant_count, tasks = plan->task_count;
    for (int t = plan->text_count = 0; t < texts; t++) {
        const PlanText text = plan->texts[t];
        if (!as_typed(plan_text(plan, text.data, text.vocab, text.tokens, error), path, error)) return false;
        if (strcmp(plan->texts[t].name, text.name) != 0)
            return fail_damaged(error, path, "a text's name does not match its data");
    }
    for (plan->variant_count = 0; plan->variant_count < variants; plan->variant_count++) {
        Variant *variant = &plan->variants[plan->variant_count];
        if (!type_variant(variant, path, error)) return false;
        if (plan_variant(plan, variant->name) >= 0) return fail_damaged(error, path, "two schemes have the same name");
    }
    for (int v = 0; v < plan->left_out_count; v++)
        if (!type_variant(&plan->left_out[v], path, error)) return false;
    for (int t = plan->task_count = 0; t < tasks; t++) {
        char name[TEXT_CAPACITY];
        strcpy(name, plan->tasks[t]);
        if (!is_builtin(name) || strchr(name, ' ')) return fail_damaged(error, path, "a task is not a built-in one");
        if (!as_typed(plan_task(plan, name, error), path, error)) return false;
    }
    return as_typed(rates_set(plan, error) && plan_seeds(plan, plan->seeds, error), path, error);
}

// Schemes of contrasts may have been left out since, so only the form of their names is checked.
static bool check_contrasts(const Plan *plan, const char *path, Error *error) {
    for (int i = 0; i < plan->contrast_count; i++) {
        const Contrast *c = &plan->contrasts[i];
        if (!*c->variant || !*c->other || strcmp(c->variant, c->other) == 0 || strpbrk(c->variant, "<>&|") ||
            strpbrk(c->other, "<>&|") || strstr(c->variant, MINUS) || strstr(c->other, MINUS) ||
            strspn(c->named, "0123456789-:TZ") < strlen(c->named))
            return fail_damaged(error, path, "a contrast does not name two schemes");
    }
    return true;
}

static bool read_plan(Plan *plan, const json_t *json, const char *path, Error *error) {
    const json_t *first = json_array_get(json_object_get(json, "schemes"), 0);
    if (json_object_get(json, "sizes") || json_is_true(json_object_get(json, "equal_seconds")) ||
        json_is_true(json_object_get(json, "unpaired")) || json_is_number(json_object_get(first, "learning_rate")))
        return fail_input(
            error,
            "%s was begun by an earlier version of bitter, for equal times or --unpaired, which went with version 0.2; "
            "its report stays as it is; for new runs use another --out",
            path);
    if (!read_struct((char *)plan, plan_members, "", json, path, error) ||
        !options_read(&plan->base, json_object_get(json, "options"), path, error))
        return false;
    plan->format = json_integer_value(json_object_get(json, "format")) == PLAN_FORMAT ? PLAN_FORMAT : 0;
    bool rising = true;
    for (int l = 1; l < plan->look_count; l++) rising = rising && plan->looks[l] > plan->looks[l - 1];
    for (int r = 1; r < plan->rate_count; r++) rising = rising && plan->rates[r] > plan->rates[r - 1];
    if (!rising) return fail_damaged(error, path, "\"looks\" or \"learning_rates\" do not rise");
    if (plan->task_count > 0 && (plan->task_steps == 0 || plan->exercises == 0))
        return fail_damaged(error, path, "\"tasks\" without \"task_steps\" or \"exercises\"");
    if (plan->reference >= plan->variant_count)
        return fail_damaged(error, path, "\"reference\" is not the number of a scheme");
    return type_again(plan, path, error) && check_settings(plan, path, error) && check_contrasts(plan, path, error);
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
                   {"task_steps", "--task-steps"}, // this and the next only for tasks, where there were some
                   {"exercises", "--exercises"}};
    char asked[TEXT_CAPACITY], found[TEXT_CAPACITY];
    const Option *other = options_difference(asked, found, train_options, &plan->base, &before->base);
    if (other)
        return fail_input(
            error, "%s: the runs there have --%s '%.200s', not '%.200s'; give the same options, or another --out", path,
            other->name, found, asked);
    json_t *now = plan_json(plan), *then = plan_json(before);
    bool ok = true;
    for (size_t i = 0; ok && i < (plan->task_count > 0 && before->exercises > 0 ? 4 : 2); i++)
        if (!json_equal(json_object_get(now, members[i].name), json_object_get(then, members[i].name)))
            ok = fail_input(error, "%s: the comparison there has another %s; give the same options, or another --out",
                            path, members[i].option);
    json_decref(now);
    json_decref(then);
    for (int a = 0; ok && a < plan->variant_count; a++) {
        const Variant *new = &plan->variants[a], *old = plan_earlier(before, new->name);
        if (!old) continue;
        if (before->format < PLAN_FORMAT && strstr(new->pos, "-learned:start=random"))
            return fail_input(error,
                              "%s was begun when start=random meant what start=wide does now, so new runs of %s would "
                              "differ; begin again with another --out",
                              path, new->name);
        if (strcmp(new->pos, old->pos) != 0 || strcmp(new->window, old->window) != 0 ||
            strcmp(new->stretch, old->stretch) != 0)
            ok = fail_input(error, "%s: %s is %s%s%s%s%s there, not %s%s%s%s%s; give it another label", path, new->name,
                            old->pos, *old->window ? OWN_WINDOW : "", old->window, *old->stretch ? OWN_STRETCH : "",
                            old->stretch, new->pos, *new->window ? OWN_WINDOW : "", new->window,
                            *new->stretch ? OWN_STRETCH : "", new->stretch);
        else if (!variant_same_rates(new, old))
            ok = fail_input(error, "%s: %s has %s%s there; give it another label, because results may have been seen",
                            path, new->name, *old->own_rates ? "the learning rate " : "no learning rate of its own",
                            old->own_rates);
    }
    return ok;
}
