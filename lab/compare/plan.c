#include "lab/compare/plan.h"

#include "data/made/builtin.h"
#include "posenc/written.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MOST 128 // bytes of a scheme's name, which becomes part of a directory's name

bool list_numbers(double *values, int *count, int most, const char *list, const Option *row, const char *label,
                  Error *error) {
    char word[TEXT_CAPACITY];
    const char *const start = list;
    TrainOptions options;
    *count = 0;
    while (list_word(word, &list, LIST_SEPARATORS)) {
        if (*count == most) return fail_input(error, "%s: more than %d numbers; give fewer", label, most);
        if (!option_set(&options, row, word, label, error)) return false;
        const void *field = (const char *)&options + row->offset;
        const double value = row->type == OPTION_INTEGER ? (double)*(const long long *)field : *(const double *)field;
        for (int i = 0; i < *count; i++)
            if (fabs(values[i] - value) <= 1e-5 * value)
                return fail_input(error, "%s: %s is given twice, or agrees with another to five digits; leave one out",
                                  label, word);
        values[(*count)++] = value;
    }
    return !*start || *count > 0 || fail_input(error, "%s: '%.100s' has no number", label, start);
}

void plan_free(Plan *plan) {
    free(plan->variants);
    free(plan->left_out);
    free(plan->settings);
    free(plan->contrasts);
    *plan = (Plan){0};
}

bool variant_is(const Variant *variant, const char *scheme) {
    return variant->scheme && strcmp(variant->scheme->name, scheme) == 0;
}

bool variant_fail(const Variant *variant, const Error *reason, Error *error) {
    const bool label = reason->kind == ERROR_INPUT && strcmp(variant->name, variant->typed) != 0;
    if (label) return fail_input(error, "%s: %s", variant->name, reason->message);
    *error = *reason;
    return false;
}

// Split "LABEL=SCHEME:options@LR/LR/... --window KEYS --stretch METHOD" into the fields of a variant. An '=' after a
// ':' or '@' belongs to the scheme. An '@' may also begin a list of layers; these are whole numbers, while a rate is a
// fraction.
static bool variant_split(Variant *variant, bool *labelled, const char *word, Error *error) {
    char text[TEXT_CAPACITY];
    *variant = (Variant){0};
    if (strlen(word) >= sizeof text) return fail_input(error, "the scheme '%.40s...' is too long", word);
    strcpy(text, word);
    char *stretch = strstr(text, OWN_STRETCH);
    if (stretch && stretch[strlen(OWN_STRETCH)]) {
        strcpy(variant->stretch, stretch + strlen(OWN_STRETCH));
        *stretch = '\0';
    }
    char *option = strstr(text, " --");
    if (option) {
        const char *keys = option + strlen(OWN_WINDOW);
        if (strncmp(option, OWN_WINDOW, strlen(OWN_WINDOW)) != 0 || !keys[strspn(keys, " ")])
            return fail_input(error, "%s: behind a scheme, only --window KEYS and then --stretch METHOD can stand",
                              word);
        strcpy(variant->window, keys + strspn(keys, " "));
        *option = '\0';
    }
    char *at = strrchr(text, '@');
    if (at && (isdigit((unsigned char)at[1]) || at[1] == '.') && at[1 + strspn(at + 1, "0123456789,-")]) {
        strcpy(variant->own_rates, at + 1);
        *at = '\0';
    }
    const size_t label = strcspn(text, ":=@");
    *labelled = label > 0 && text[label] == '=' && !memchr(text, '(', label); // bias(d) = ... has no label
    strcpy(variant->typed, *labelled ? text + label + 1 : text);
    if (*labelled) text[label] = '\0';
    strcpy(variant->name, text);
    return true;
}

static bool set_own_rates(Variant *variant, Error *error) {
    const char *list = variant->own_rates;
    char word[TEXT_CAPACITY];
    TrainOptions options;
    if (strstr(list, "//") || (*list && list[strlen(list) - 1] == '/'))
        return fail_input(error, "%s@%s: there is no learning rate after a '/'; leave it out", variant->name, list);
    for (variant->lr_count = 0; list_word(word, &list, "/"); variant->lr[variant->lr_count++] = options.lr) {
        if (!option_set(&options, option_find(train_options, "lr"), word, variant->name, error)) return false;
        if (!(options.lr > 0)) return fail_input(error, "%s: a learning rate after '@' must be above 0", variant->name);
        if (variant->lr_count == SETTINGS_MOST)
            return fail_input(error, "%s: give at most %d learning rates", variant->name, SETTINGS_MOST);
    }
    return true;
}

bool variant_same_rates(const Variant *a, const Variant *b) {
    return a->lr_count == b->lr_count && memcmp(a->lr, b->lr, (size_t)a->lr_count * sizeof *a->lr) == 0;
}

bool variant_set(Variant *variant, bool labelled, Error *error) {
    const char *name = variant->name;
    Windows windows;
    Mix pos;
    Error reason;
    if (strlen(name) > NAME_MOST)
        return fail_input(error, "'%.40s...' is too long to name files; give a short label: LABEL=SCHEME", name);
    if (labelled && (name[strspn(name, LABEL_CHARACTERS)] || !isalnum((unsigned char)*name)))
        return fail_input(
            error, "'%.200s' cannot be a label; use letters, digits, '-', '_' and '.', a letter or digit first", name);
    if (!set_own_rates(variant, error)) return false;
    if (!labelled && written_names_file(variant->typed))
        return fail_input(error, "'%.200s' names a file; give it a label, as in mine=%.200s", name, name);
    if (!mix_parse(&pos, variant->typed, &reason)) return variant_fail(variant, &reason, error);
    if ((*variant->window || *variant->stretch) && !labelled)
        return fail_input(error, "'%.200s' has a --window or --stretch; give it a label: LABEL=SCHEME", name);
    if (variant->stretch[strspn(variant->stretch, LABEL_CHARACTERS ":=,")]) // it becomes part of a directory's name
        return fail_input(error, "%s: --stretch '%.200s' is no METHOD:factor=S", name, variant->stretch);
    // Whether they fit the layers is checked in each setting.
    if (!windows_parse(&windows, variant->window, INT_MAX, &reason)) return variant_fail(variant, &reason, error);
    if (strpbrk(name, "/<>") || strstr(name, MINUS)) // formulas have these
        return fail_input(error,
                          "'%.200s' cannot name files and contrasts, because of a '/', '<', '>' or ' - '; give it a "
                          "label, as in mine='%.200s'",
                          name, name);
    mix_print(&pos, variant->pos);
    variant->scheme = pos.parts == 1 ? pos.part[0].scheme : NULL;
    for (int p = 0; p < pos.parts; p++) {
        variant->enters |= 1u << pos.part[p].scheme->enters;
        variant->learned |= position_learned(&pos.part[p]);
    }
    return true;
}

bool plan_seeds(Plan *plan, long long seeds, Error *error) {
    if (plan->base.seed > LLONG_MAX - seeds)
        return fail_input(error,
                          "--seed %lld: the last of %lld seeds from there on is too large; choose a smaller --seed",
                          plan->base.seed, seeds);
    plan->seeds = (int)seeds;
    return true;
}

int plan_variant(const Plan *plan, const char *name) {
    for (int variant = 0; variant < plan->variant_count; variant++)
        if (strcmp(plan->variants[variant].name, name) == 0) return variant;
    return -1;
}

// Fails (input), because what --reference or --contrast names is no scheme of the plan.
static bool fail_unknown(const Plan *plan, const char *option, const char *name, Error *error) {
    const char *names[VARIANTS_MOST];
    for (int variant = 0; variant < plan->variant_count; variant++) names[variant] = plan->variants[variant].name;
    const char *nearest = nearest_name(name, names, plan->variant_count);
    return fail_input(error, "%s: %.100s is none of the schemes that are compared; %s%s%s", option, name,
                      nearest ? "did you mean " : "name one of them", nearest ? nearest : "", nearest ? "?" : "");
}

bool plan_variants(Plan *plan, char *const *words, int count, const char *reference, Error *error) {
    if (count > VARIANTS_MOST) return fail_input(error, "%d schemes; name at most %d", count, VARIANTS_MOST);
    free(plan->variants);
    plan->variants = calloc((size_t)count, sizeof *plan->variants);
    plan->variant_count = 0;
    if (!plan->variants) return fail_run(error, "no memory for %d schemes", count);
    for (; plan->variant_count < count; plan->variant_count++) {
        Variant *variant = &plan->variants[plan->variant_count];
        bool labelled;
        if (!variant_split(variant, &labelled, words[plan->variant_count], error) ||
            !variant_set(variant, labelled, error))
            return false;
        if (plan_variant(plan, variant->name) >= 0)
            return fail_input(error, "two schemes are called %s; give one a label: LABEL=%s", variant->name,
                              variant->name);
        for (const Variant *other = plan->variants; !labelled && other < variant; other++)
            if (strcmp(other->name, other->typed) == 0 && strcmp(other->pos, variant->pos) == 0 && !*other->window &&
                !*other->stretch && variant_same_rates(other, variant))
                return fail_input(error, "%s and %s are the same scheme; leave one out, or give it a label: LABEL=%s",
                                  other->name, variant->name, variant->name);
    }
    plan->reference = *reference ? plan_variant(plan, reference) : 0;
    return plan->reference >= 0 || fail_unknown(plan, "--reference", reference, error);
}

int plan_weights(const Plan *plan, int variant) {
    const Variant *mine = &plan->variants[variant];
    int first = variant; // the first one that differs only in the stretch
    for (int v = 0; *mine->stretch && v < plan->variant_count; v++) {
        const Variant *other = &plan->variants[v];
        if (strcmp(other->pos, mine->pos) != 0 || strcmp(other->window, mine->window) != 0 ||
            !variant_same_rates(other, mine))
            continue;
        if (!*other->stretch) return v;
        if (v < first) first = v;
    }
    return first;
}

int plan_trained(const Plan *plan) {
    int count = 0;
    for (int v = 0; v < plan->variant_count; v++) count += plan_weights(plan, v) == v;
    return count;
}

int plan_pairs(const Plan *plan) {
    const int now = plan_trained(plan), n = now > plan->most_trained ? now : plan->most_trained;
    return n < 2 ? 1 : n * (n - 1) / 2;
}

bool plan_rates(Plan *plan, const char *list, Error *error) {
    const Option *row = option_find(train_options, "lr");
    if (!list_numbers(plan->rates, &plan->rate_count, RATES_MOST, list, row, "--lr-grid", error)) return false;
    for (int r = 0; r < plan->rate_count; r++)
        if (!(plan->rates[r] > 0)) return fail_input(error, "--lr-grid: learning rates must be above 0");
    return rates_set(plan, error);
}

bool rates_set(Plan *plan, Error *error) {
    for (int a = 0; a < plan->variant_count; a++) {
        const Variant *variant = &plan->variants[a];
        if (variant->lr_count > 0 && plan->rate_count > 1)
            return fail_input(error, "--lr-grid: %s has a learning rate of its own; leave out '@%s' or --lr-grid",
                              variant->name, variant->own_rates);
        if (variant->lr_count > 1 && variant->lr_count != plan->setting_count)
            return fail_input(error,
                              "%s@%s: %d learning rates, but %d setting%s; give one for each setting, in the order of "
                              "the table of settings, or one for all",
                              variant->name, variant->own_rates, variant->lr_count, plan->setting_count,
                              plan->setting_count == 1 ? "" : "s");
    }
    if (plan->rate_count == 0) plan->rates[plan->rate_count++] = plan->base.lr;
    sort_rising(plan->rates, plan->rate_count);
    return true;
}

bool plan_task(Plan *plan, const char *word, Error *error) {
    BuiltinCorpus task;
    const char *name = is_builtin(word) ? word + strlen(BUILTIN_PREFIX) : word;
    if (plan->task_count == TASKS_MOST) return fail_input(error, "--tasks: give at most %d", TASKS_MOST);
    char *added = plan->tasks[plan->task_count];
    if (!builtin_choose(&task, word, error)) return false;
    if (!is_task(&task)) return fail_no_task("--tasks", word, error);
    if (snprintf(added, TEXT_CAPACITY, "%s%s", BUILTIN_PREFIX, name) >= TEXT_CAPACITY)
        return fail_input(error, "--tasks: %.40s... is too long", word);
    for (int t = 0; t < plan->task_count; t++)
        if (strcmp(plan->tasks[t], added) == 0)
            return fail_input(error, "--tasks: %s is given twice; leave one out", word);
    for (int s = 0; s < plan->setting_count; s++) // both would be in the names of run directories
        if (strcmp(plan->settings[s].name, name) == 0)
            return fail_input(error, "--tasks: %s is also the name of a setting; rename the directory of its text",
                              word);
    plan->task_count++;
    return true;
}

bool plan_tasks(Plan *plan, const char *list, Error *error) {
    char word[TEXT_CAPACITY];
    plan->task_count = 0;
    while (list_word(word, &list, " "))
        if (!plan_task(plan, word, error)) return false;
    return true;
}

// --- contrasts ---

const Contrast *plan_named(const Plan *plan, const char *variant, const char *other) {
    for (int c = 0; c < plan->contrast_count; c++) {
        const Contrast *contrast = &plan->contrasts[c];
        if (strcmp(contrast->variant, variant) == 0 && strcmp(contrast->other, other) == 0) return contrast;
        if (strcmp(contrast->variant, other) == 0 && strcmp(contrast->other, variant) == 0) return contrast;
    }
    return NULL;
}

const Contrast *plan_compared(const Plan *plan, int variant, int other) {
    const int a = plan_weights(plan, variant), b = plan_weights(plan, other);
    for (const Contrast *contrast = plan->contrasts; contrast < plan->contrasts + plan->contrast_count; contrast++) {
        int first = plan_variant(plan, contrast->variant), second = plan_variant(plan, contrast->other);
        if (first < 0 || second < 0) continue; // left out since
        first = plan_weights(plan, first);
        second = plan_weights(plan, second);
        if ((first == a && second == b) || (first == b && second == a)) return contrast;
    }
    return NULL;
}

// Add a contrast unless it is named already.
static bool add(Plan *plan, const char *variant, const char *other, const char *named, int after, Error *error) {
    if (plan_named(plan, variant, other)) return true;
    Contrast *larger = realloc(plan->contrasts, (size_t)(plan->contrast_count + 1) * sizeof *larger);
    if (!larger) return fail_run(error, "no memory for %d contrasts", plan->contrast_count + 1);
    plan->contrasts = larger;
    Contrast *contrast = &plan->contrasts[plan->contrast_count++];
    contrast->after = after;
    snprintf(contrast->variant, sizeof contrast->variant, "%s", variant);
    snprintf(contrast->other, sizeof contrast->other, "%s", other);
    snprintf(contrast->named, sizeof contrast->named, "%s", named);
    return true;
}

bool plan_contrast(Plan *plan, const char *text, const char *named, int after, Error *error) {
    char variant[TEXT_CAPACITY];
    const char *minus = strstr(text, MINUS), *other = minus ? minus + strlen(MINUS) : NULL;
    if (!minus || minus == text || !*other || strstr(other, MINUS))
        return fail_input(error, "--contrast '%.200s': write the names of two schemes with ' - ' between them", text);
    snprintf(variant, sizeof variant, "%.*s", (int)(minus - text), text);
    const int first = plan_variant(plan, variant), second = plan_variant(plan, other);
    if (first < 0 || second < 0) return fail_unknown(plan, "--contrast", first < 0 ? variant : other, error);
    if (strcmp(variant, other) == 0 || plan_compared(plan, first, second))
        return fail_input(error, "--contrast '%.200s' is named twice, or its schemes are the same; leave it out", text);
    if (plan_weights(plan, first) == plan_weights(plan, second))
        return fail_input(
            error,
            "--contrast '%.200s' is 0: contrasts are of trained windows, where nothing is stretched; leave it out "
            "(the report compares the two in longer windows anyway)",
            text);
    return add(plan, variant, other, named, after, error);
}

bool plan_default_contrasts(Plan *plan, const char *named, int after, Error *error) {
    plan->default_contrasts = true;
    for (int variant = 0; variant < plan->variant_count; variant++)
        if (plan_weights(plan, variant) == variant && variant != plan_weights(plan, plan->reference) &&
            !add(plan, plan->variants[variant].name, plan->variants[plan->reference].name, named, after, error))
            return false;
    return true;
}

int plan_family(const Plan *plan) {
    int contrasts = 0;
    for (int c = 0; c < plan->contrast_count; c++) contrasts += plan->contrasts[c].after == 0;
    const int over_texts = plan->text_count > 1 ? plan->setting_count / plan->text_count : 0;
    return contrasts * (plan->setting_count + over_texts);
}

// Before any run is done, nobody has seen a result, so contrasts that are typed replace the earlier ones, and defaults
// replace defaults. Those that were named before keep their date.
static bool follow_contrasts(Plan *plan, const Plan *before, int done, Error *error) {
    const Plan mine = *plan;
    for (Contrast *c = plan->contrasts; c < plan->contrasts + plan->contrast_count; c++) {
        const Contrast *earlier = plan_named(before, c->variant, c->other);
        if (earlier) memcpy(c->named, earlier->named, sizeof c->named);
    }
    if (done == 0 && (!mine.default_contrasts || before->default_contrasts)) return true;
    const Contrast *const sources[] = {before->contrasts, mine.contrasts};
    const int counts[] = {before->contrast_count,
                          mine.default_contrasts && !before->default_contrasts ? 0 : mine.contrast_count};
    bool ok = true;
    plan->contrasts = NULL;
    plan->contrast_count = 0;
    plan->default_contrasts = mine.default_contrasts && before->default_contrasts;
    for (int s = 0; s < 2; s++)
        for (int i = 0; ok && i < counts[s]; i++) {
            const Contrast *c = &sources[s][i];
            ok = add(plan, c->variant, c->other, c->named, c->after, error);
        }
    free(mine.contrasts);
    return ok;
}

const Variant *plan_earlier(const Plan *plan, const char *name) {
    const int variant = plan_variant(plan, name);
    if (variant >= 0) return &plan->variants[variant];
    for (int v = 0; v < plan->left_out_count; v++)
        if (strcmp(plan->left_out[v].name, name) == 0) return &plan->left_out[v];
    return NULL;
}

static bool follow_variants(Plan *plan, const Plan *before, int done, Error *error) {
    const Variant *const sources[] = {before->left_out, before->variants};
    const int counts[] = {before->left_out_count, done > 0 ? before->variant_count : 0};
    free(plan->left_out);
    plan->left_out_count = 0;
    plan->left_out = calloc((size_t)(counts[0] + counts[1] + 1), sizeof *plan->left_out);
    if (!plan->left_out) return fail_run(error, "no memory for the schemes that were left out");
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < counts[s]; v++)
            if (plan_variant(plan, sources[s][v].name) < 0) plan->left_out[plan->left_out_count++] = sources[s][v];
    return true;
}

static bool same_rates(const Plan *a, const Plan *b) {
    return a->rate_count == b->rate_count && memcmp(a->rates, b->rates, (size_t)a->rate_count * sizeof *a->rates) == 0;
}

// Does a seed have the same runs in both plans?
static bool same_runs(const Plan *a, const Plan *b) {
    bool same = a->variant_count == b->variant_count && a->task_count == b->task_count && same_rates(a, b);
    for (int v = 0; v < a->variant_count; v++) same = same && plan_variant(b, a->variants[v].name) >= 0;
    for (int t = 0; same && t < a->task_count; t++) same = strcmp(a->tasks[t], b->tasks[t]) == 0;
    return same;
}

bool plan_follow(Plan *plan, const Plan *before, int done, int seen, Error *error) {
    if (!follow_contrasts(plan, before, done, error) || !follow_variants(plan, before, done, error)) return false;
    memcpy(plan->looks, before->looks, sizeof plan->looks);
    plan->look_count = before->look_count;
    const int last = plan->look_count > 0 ? plan->looks[plan->look_count - 1] : 0;
    plan->most_seeds = before->most_seeds;
    if (done > 0 && before->seeds > plan->seeds && before->seeds > plan->most_seeds) plan->most_seeds = before->seeds;
    if (seen < before->seen) seen = before->seen;
    plan->seen = same_runs(plan, before) ? before->seen : seen; // of the same runs, it can be counted again
    if (plan->seeds != before->seeds && seen > last) plan->looks[plan->look_count++] = seen;
    const int trained = plan_trained(before);
    int seen_or_new = trained > before->most_trained ? trained : before->most_trained;
    for (int v = 0; v < plan->variant_count; v++)
        seen_or_new += plan_weights(plan, v) == v && !plan_earlier(before, plan->variants[v].name);
    plan->most_trained = done > 0 && seen_or_new > plan_trained(plan) ? seen_or_new : before->most_trained;
    plan->rates_after = same_rates(plan, before) ? before->rates_after : done;
    return true;
}

// --- jobs ---

static int text_jobs(const Plan *plan) {
    return plan->setting_count * plan->variant_count * plan->rate_count;
}

static int jobs_a_seed(const Plan *plan) {
    return text_jobs(plan) + plan->task_count * plan->variant_count;
}

int plan_job_count(const Plan *plan) {
    return plan->seeds * jobs_a_seed(plan);
}

Job plan_job(const Plan *plan, int index) {
    const int rest = index % jobs_a_seed(plan), beyond = rest - text_jobs(plan);
    const int seed = index / jobs_a_seed(plan), variants = plan->variant_count;
    if (beyond >= 0) return (Job){.task = beyond / variants, .variant = beyond % variants, .seed = seed};
    return (Job){.task = -1,
                 .setting = rest / (variants * plan->rate_count),
                 .variant = rest / plan->rate_count % variants,
                 .rate = rest % plan->rate_count,
                 .seed = seed};
}

int plan_job_index(const Plan *plan, const Job *job) {
    const int on_text = (job->setting * plan->variant_count + job->variant) * plan->rate_count + job->rate;
    const int on_task = text_jobs(plan) + job->task * plan->variant_count + job->variant;
    return job->seed * jobs_a_seed(plan) + (job->task < 0 ? on_text : on_task);
}

double plan_job_rate(const Plan *plan, const Job *job) {
    const Variant *variant = &plan->variants[job->variant];
    if (variant->lr_count > 0) return variant->lr[variant->lr_count > 1 ? job->setting : 0];
    return job->task >= 0 ? plan->base.lr : plan->rates[job->rate];
}

const char *plan_job_name(char name[PATH_CAPACITY], const Plan *plan, const Job *job) {
    const Variant *variant = &plan->variants[job->variant],
                  *weights = &plan->variants[plan_weights(plan, job->variant)];
    char front[TEXT_CAPACITY] = "", rate[32] = "";
    const Setting *setting = &plan->settings[job->setting];
    const double lr = plan_job_rate(plan, job);
    if (job->task >= 0)
        snprintf(front, sizeof front, "%.500s-", plan->tasks[job->task] + strlen(BUILTIN_PREFIX));
    else if (*setting->name)
        snprintf(front, sizeof front, "%s-", setting->name);
    if (lr != plan->base.lr) snprintf(rate, sizeof rate, "-lr%g", lr);
    snprintf(name, PATH_CAPACITY, "%s%.200s%s%.100s%s-seed%lld", front, weights->name, *variant->stretch ? "+" : "",
             variant->stretch, rate, plan->base.seed + job->seed);
    // Replace what shells would take for patterns or for the end of a word.
    for (char *c = name; *c; c++) *c = *c == '*' ? 'x' : *c == '@' ? '~' : *c == ' ' ? '_' : *c;
    return name;
}

TrainOptions plan_job_options(const Plan *plan, const Job *job) {
    TrainOptions options = plan->base;
    const Variant *variant = &plan->variants[job->variant];
    memcpy(options.pos, variant->pos, sizeof options.pos);
    if (*variant->window) memcpy(options.window, variant->window, sizeof options.window);
    options.seed = plan->base.seed + job->seed;
    options.threads = plan->threads;
    options.lr = plan_job_rate(plan, job);
    if (options.eval_tokens == 0 || options.eval_tokens > CURVE_TOKENS) options.eval_tokens = CURVE_TOKENS;
    // The learning rate decays to the same share of its peak as in the options, whatever rounding makes of a share
    // of 1.
    if (plan->base.lr > 0) options.min_lr = fmin(options.lr, options.lr * plan->base.min_lr / plan->base.lr);
    if (job->task >= 0) {
        BuiltinCorpus task;
        Error error;
        const bool known = builtin_choose(&task, plan->tasks[job->task], &error); // plan_tasks has checked it
        memcpy(options.data, plan->tasks[job->task], sizeof options.data);
        options.context = known ? task_tokens(&task, 2 * (int)task.max) : 0;
        options.steps = plan->task_steps;
        return options;
    }
    const Setting *setting = &plan->settings[job->setting];
    memcpy(options.data, plan->texts[setting->text].data, sizeof options.data);
    options.layers = setting->layers;
    options.heads = setting->heads;
    options.width = setting->width;
    options.context = setting->context;
    options.steps = setting->steps;
    return options;
}

double plan_job_tokens(const Plan *plan, const Job *job) {
    const TrainOptions options = plan_job_options(plan, job);
    return (double)options.steps * (double)options.accumulate * (double)options.batch * (double)options.context;
}
