#include "lab/compare/plan.h"

#include "data/made/task.h"

#include <limits.h>
#include <stdlib.h>

#define LIST_SEPARATORS ", "
// Labels become names of files and cells of tables and CSV, so no character has a meaning of its own there.
#define LABEL_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
#define NAME_MOST        128 // bytes of a scheme's name, which becomes part of a directory's name
#define HEAD_WIDTH       16  // of the models of --scale
#define ASPECT           32  // their approximate width / layers

// Copy the next word of a list; false at its end. A word fits, because lists are shorter than TEXT_CAPACITY.
static bool next_word(char word[TEXT_CAPACITY], const char **list, const char *separators) {
    *list += strspn(*list, separators);
    const size_t length = strcspn(*list, separators);
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    return length > 0;
}

// Parse "LABEL=SCHEME:options" or "SCHEME:options". An '=' after the first ':' belongs to an option.
static bool set_arm(Arm *arm, const char *text, Error *error) {
    const size_t label = strcspn(text, ":=");
    const bool labelled = label > 0 && text[label] == '=';
    const size_t length = labelled ? label : strlen(text);
    Position pos;
    *arm = (Arm){0};
    if (strlen(text) >= sizeof arm->name) return fail_input(error, "the scheme '%.40s...' is too long", text);
    if (length > NAME_MOST)
        return fail_input(error, "'%.40s...' is too long to name files; give a short label: LABEL=SCHEME", text);
    snprintf(arm->name, sizeof arm->name, "%.*s", (int)length, text);
    if (labelled && strspn(arm->name, LABEL_CHARACTERS) < length)
        return fail_input(error, "'%.200s' cannot be a label; use letters, digits, '-', '_' and '.'", arm->name);
    if (!position_parse(&pos, labelled ? text + length + 1 : text, error)) return false;
    position_print(&pos, arm->pos);
    arm->scheme = pos.scheme;
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

int plan_arm(const Plan *plan, const char *name) {
    for (int arm = 0; arm < plan->arm_count; arm++)
        if (strcmp(plan->arms[arm].name, name) == 0) return arm;
    return -1;
}

bool plan_arms(Plan *plan, char *const *words, int count, const char *reference, Error *error) {
    if (count > ARMS_MOST) return fail_input(error, "%d schemes; name at most %d", count, ARMS_MOST);
    for (plan->arm_count = 0; plan->arm_count < count; plan->arm_count++) {
        Arm *arm = &plan->arms[plan->arm_count];
        if (!set_arm(arm, words[plan->arm_count], error)) return false;
        if (plan_arm(plan, arm->name) >= 0)
            return fail_input(error, "two schemes are called %s; give one a label: LABEL=%s", arm->name, arm->name);
    }
    plan->reference = *reference ? plan_arm(plan, reference) : 0;
    return plan->reference >= 0 ||
           fail_input(error, "--reference %s is none of the schemes that are compared; name one of them", reference);
}

bool plan_rates(Plan *plan, const char *list, Error *error) {
    char word[TEXT_CAPACITY];
    const Option *option = option_find(train_options, "lr");
    TrainOptions options;
    plan->rate_count = 0;
    while (next_word(word, &list, LIST_SEPARATORS)) {
        if (plan->rate_count == RATES_MOST)
            return fail_input(error, "--lr-grid: more than %d learning rates; give fewer", RATES_MOST);
        if (!option_set(&options, option, word, "--lr-grid", error)) return false;
        for (int r = 0; r < plan->rate_count; r++) // names of runs have six digits of it
            if (fabs(plan->rates[r] - options.lr) <= 1e-5 * options.lr)
                return fail_input(error, "--lr-grid: %s is there twice, or nearly; leave one out", word);
        plan->rates[plan->rate_count++] = options.lr;
    }
    if (plan->rate_count == 0) plan->rates[plan->rate_count++] = plan->base.lr;
    return true;
}

// Parameters without those of positions: 12 C^2 + 13 C for each layer, the embeddings, and the last layer norm.
static size_t parameters_of(long long layers, long long width, int vocab) {
    return (size_t)(layers * (12 * width * width + 13 * width) + (vocab + 2) * width);
}

// Find a shape with about so many parameters and a width of about ASPECT times its layers.
static bool shape_for(Size *size, double parameters, int vocab) {
    double best = INFINITY;
    for (int layers = 1; layers <= 48; layers++)
        for (int heads = 2; heads <= 128; heads++) {
            const int width = heads * HEAD_WIDTH;
            const size_t found = parameters_of(layers, width, vocab);
            const double off = fabs(log((double)found / parameters));
            // An aspect that is wrong by a factor of 2 counts as much as a size that is wrong by 10%.
            const double score = off + 0.14 * fabs(log((double)width / (ASPECT * layers)));
            if (off > 0.25 || score >= best) continue;
            best = score;
            size->layers = layers;
            size->heads = heads;
            size->width = width;
            size->parameters = found;
        }
    return isfinite(best);
}

double plan_size_parameters(const char *name) {
    char *end;
    const double number = strtod(name, &end);
    const double unit = *end == 'M' ? 1e6 : *end == 'k' || *end == 'K' ? 1e3 : *end == '\0' ? 1 : NAN;
    const bool whole = end != name && name[strspn(name, "+-.0123456789eE")] == *end && (!*end || !end[1]);
    return whole && number > 0 ? number * unit : NAN;
}

static bool set_size(Size *size, const char *word, const TrainOptions *base, double tokens_per_parameter, int vocab,
                     Error *error) {
    const double parameters = plan_size_parameters(word);
    if (isnan(parameters) || strlen(word) >= sizeof size->name)
        return fail_input(error, "--scale: give numbers of parameters such as 300k or 1M, not '%s'", word);
    if (!shape_for(size, parameters, vocab))
        return fail_input(error,
                          "--scale %s: there is no model of about that size with %d tokens; the smallest has %zu", word,
                          vocab, parameters_of(1, 2 * HEAD_WIDTH, vocab));
    snprintf(size->name, sizeof size->name, "%.15s", word);
    const double step = (double)(base->batch * base->accumulate * base->context);
    size->steps = (long long)ceil(tokens_per_parameter * (double)size->parameters / step);
    return true;
}

bool plan_sizes(Plan *plan, const char *list, double tokens_per_parameter, int vocab, Error *error) {
    char word[TEXT_CAPACITY];
    const TrainOptions *o = &plan->base;
    plan->size_count = 0;
    while (next_word(word, &list, LIST_SEPARATORS)) {
        if (plan->size_count == SIZES_MOST) return fail_input(error, "--scale: give at most %d sizes", SIZES_MOST);
        Size *size = &plan->sizes[plan->size_count];
        if (!set_size(size, word, o, tokens_per_parameter, vocab, error)) return false;
        if (plan->size_count > 0 && size->parameters <= size[-1].parameters)
            return fail_input(error, "--scale: give sizes from small to large; %s is not larger than %s", word,
                              size[-1].name);
        plan->size_count++;
    }
    if (plan->size_count == 0)
        plan->sizes[plan->size_count++] = (Size){.layers = o->layers,
                                                 .heads = o->heads,
                                                 .width = o->width,
                                                 .steps = o->steps,
                                                 .parameters = parameters_of(o->layers, o->width, vocab)};
    for (int a = 0; a < plan->arm_count; a++)
        for (int s = 0; s < plan->size_count; s++) plan->arms[a].steps[s] = plan->sizes[s].steps;
    return true;
}

bool plan_tasks(Plan *plan, const char *list, Error *error) {
    char word[TEXT_CAPACITY];
    BuiltinCorpus task;
    for (plan->task_count = 0; next_word(word, &list, " "); plan->task_count++) {
        if (plan->task_count == TASKS_MOST) return fail_input(error, "--tasks: give at most %d", TASKS_MOST);
        if (!builtin_choose(&task, word, error)) return false;
        if (!is_task(&task)) return fail_input(error, "--tasks: %s is no task", word);
        const char *name = is_builtin(word) ? word + strlen(BUILTIN_PREFIX) : word;
        if (strlen(name) + strlen(BUILTIN_PREFIX) >= TEXT_CAPACITY) return fail_input(error, "--tasks: too long");
        snprintf(plan->tasks[plan->task_count], TEXT_CAPACITY, "%s%.*s", BUILTIN_PREFIX,
                 (int)(TEXT_CAPACITY - sizeof BUILTIN_PREFIX), name);
        for (int t = 0; t < plan->task_count; t++)
            if (strcmp(plan->tasks[t], plan->tasks[plan->task_count]) == 0)
                return fail_input(error, "--tasks: %s is there twice; leave one out", word);
    }
    return true;
}

static int text_jobs(const Plan *plan) {
    return plan->size_count * plan->arm_count * plan->rate_count;
}

static int jobs_a_seed(const Plan *plan) {
    return text_jobs(plan) + plan->task_count * plan->arm_count;
}

int plan_job_count(const Plan *plan) {
    return plan->seeds * jobs_a_seed(plan);
}

Job plan_job(const Plan *plan, int index) {
    const int rest = index % jobs_a_seed(plan), beyond = rest - text_jobs(plan);
    const int seed = index / jobs_a_seed(plan), arms = plan->arm_count;
    if (beyond >= 0) return (Job){.task = beyond / arms, .arm = beyond % arms, .seed = seed};
    return (Job){.task = -1,
                 .size = rest / (arms * plan->rate_count),
                 .arm = rest / plan->rate_count % arms,
                 .rate = rest % plan->rate_count,
                 .seed = seed};
}

int plan_job_index(const Plan *plan, const Job *job) {
    const int on_text = (job->size * plan->arm_count + job->arm) * plan->rate_count + job->rate;
    const int on_task = text_jobs(plan) + job->task * plan->arm_count + job->arm;
    return job->seed * jobs_a_seed(plan) + (job->task < 0 ? on_text : on_task);
}

const char *plan_job_name(char name[PATH_CAPACITY], const Plan *plan, const Job *job) {
    char front[TEXT_CAPACITY] = "", rate[32] = "";
    const Size *size = &plan->sizes[job->size];
    if (job->task >= 0)
        snprintf(front, sizeof front, "%.500s-", plan->tasks[job->task] + strlen(BUILTIN_PREFIX));
    else if (*size->name)
        snprintf(front, sizeof front, "%s-", size->name);
    if (job->task < 0 && plan->rates[job->rate] != plan->base.lr)
        snprintf(rate, sizeof rate, "-lr%g", plan->rates[job->rate]);
    snprintf(name, PATH_CAPACITY, "%s%.200s%s-seed%lld", front, plan->arms[job->arm].name, rate,
             plan->base.seed + job->seed);
    return name;
}

TrainOptions plan_job_options(const Plan *plan, const Job *job) {
    TrainOptions options = plan->base;
    memcpy(options.pos, plan->arms[job->arm].pos, sizeof options.pos);
    options.seed += job->seed;
    options.threads = plan->threads;
    if (job->task >= 0) {
        BuiltinCorpus task;
        Error error;
        const bool known = builtin_choose(&task, plan->tasks[job->task], &error); // plan_tasks has checked it
        memcpy(options.data, plan->tasks[job->task], sizeof options.data);
        options.context = known ? task_tokens(&task, 2 * (int)task.max) : 0;
        options.steps = plan->task_steps;
        return options;
    }
    const Size *size = &plan->sizes[job->size];
    options.layers = size->layers;
    options.heads = size->heads;
    options.width = size->width;
    options.steps = plan->arms[job->arm].steps[job->size];
    options.lr = plan->rates[job->rate];
    // The learning rate decays to the same share of its peak as in the options.
    if (plan->base.lr > 0) options.min_lr = options.lr * plan->base.min_lr / plan->base.lr;
    return options;
}

double plan_job_tokens(const Plan *plan, const Job *job) {
    const TrainOptions options = plan_job_options(plan, job);
    return (double)options.steps * (double)options.accumulate * (double)options.batch * (double)options.context;
}

int plan_designed(const Plan *plan, int arm) {
    const char *designed = plan->arms[arm].scheme->compared_with;
    for (int other = 0; designed && other < plan->arm_count; other++)
        if (strcmp(plan->arms[other].scheme->name, designed) == 0) return other;
    return -1;
}
