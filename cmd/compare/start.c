#include "cmd/compare/start.h"

#include "cmd/shared/arguments.h"
#include "lab/compare/measure.h"
#include "lab/compare/outcome.h"
#include "lab/report/page/axis.h"
#include "train/config.h"
#include "train/trainer.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#define FIELD(name) offsetof(CompareOptions, name)

static const Option own_options[] = {
    HEADING_ROW("Comparison"),
    TEXT_ROW("out", FIELD(out), "runs/compare", "DIR", "directory of all runs and the report; continued if it exists"),
    INTEGER_ROW("seeds", FIELD(seeds), "5", 1, SEEDS_MOST, "train each scheme from N seeds, --seed and those after it"),
    TEXT_ROW("reference", FIELD(reference), NULL, "SCHEME", "scheme to compare the others with; by default the first"),
    TEXTS_ROW("contrast", FIELD(contrasts), "\"A - B\"",
              "difference that the comparison is about, to be named before the first run; may be repeated; by default "
              "each learned scheme minus its designed one, or else each scheme minus the reference"),
    FLAG_ROW("unpaired", FIELD(unpaired),
             "give every scheme seeds of its own, and compare by Welch's t-test; by default all have the same seeds, "
             "in pairs"),
    TEXT_ROW("lr-grid", FIELD(lr_grid), NULL, "X,X,...",
             "learning rates to try; for each scheme, the best on the first half of the validation text is used"),
    HEADING_ROW("Settings, in all combinations"),
    TEXTS_ROW("data", FIELD(data), "DIR",
              "shards from `bitter prepare` or llm.c, or builtin:NAME (default builtin:tales); may be repeated"),
    TEXT_ROW("context", FIELD(contexts), "256", "N,N,...", "tokens of a training window"),
    TEXT_ROW("scale", FIELD(scale), NULL, "N,N,...",
             "model sizes in parameters, such as 0.1M,0.3M; sets width, and layers and heads unless you give them"),
    TEXT_ROW("tokens-per-parameter", FIELD(tokens_per_parameter), NULL, "X,X,...",
             "training tokens for each parameter, instead of --steps (default with --scale: 20)"),
    INTEGER_ROW("eval-tokens", FIELD(train.eval_tokens), "0", 0, HUGE_VAL,
                "use the first N validation tokens of each text: half chooses, half is reported; 0 = all"),
    HEADING_ROW("Tasks"),
    TEXT_ROW("tasks", FIELD(tasks), NULL, "LIST", "tasks to train every scheme on as well: \"copy:max=5 parity\""),
    INTEGER_ROW("task-steps", FIELD(task_steps), "0", 0, HUGE_VAL, "optimiser steps on a task; 0 = --steps"),
    INTEGER_ROW("exercises", FIELD(exercises), "200", 1, 1e6, "exercises to score at each length"),
    HEADING_ROW("Processes"),
    INTEGER_ROW("workers", FIELD(workers), "0", 0, WORKERS_MOST,
                "how many runs are trained at the same time; 0 = as many as the cores allow"),
    FLAG_ROW("list", FIELD(list),
             "train nothing: print a command for each run that is not done, for xargs, make or GNU parallel"),
    FLAG_ROW(
        "slurm", FIELD(slurm),
        "train nothing: print a script for sbatch, with a task for each run that is not done, at most --workers of "
        "them at the same time"),
    TEXT_ROW("share", FIELD(share), NULL, "I/N",
             "train only every N-th run, from the I-th on; the process that finishes the last one writes the report"),
    {0},
};

// Nothing is trained then, and the standard output is for a shell or sbatch.
static bool prints(const CompareOptions *o) {
    return o->list || o->slurm;
}

// The options of the comparison, and those training options that make sense for many runs.
const Option *compare_options(void) {
    static const char *const left_out[] = {"pos",  "sample-every", "Run",     "out",         "init",    "resume",
                                           "Data", "data",         "context", "eval-tokens", "patience"};
    static Option table[ARGUMENTS_MOST];
    int count = 0;
    for (const Option *o = own_options; o->name; o++) table[count++] = *o;
    for (const Option *o = train_options; o->name; o++) {
        bool wanted = true;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            wanted = wanted && strcmp(o->name, left_out[i]) != 0;
        if (wanted) table[count++] = *o;
    }
    return table;
}

bool compare_given(const bool *given, const char *name) {
    const Option *table = compare_options();
    return given[option_find(table, name) - table];
}

// Places in the message are those in the scheme as it was given.
static bool check_arm(const Arm *arm, const TrainOptions *options, int vocab, Error *error) {
    TrainOptions typed = *options;
    Mix pos;
    Error reason;
    memcpy(typed.pos, arm->typed, sizeof typed.pos);
    return trainer_check(&pos, &typed, vocab, &reason) || arm_fail(arm, &reason, error);
}

// Check every arm with every shape and task that it will be trained with, and every text, before hours of training.
static bool check_jobs(const Plan *plan, const Corpus *corpora, Error *error) {
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        if (job.seed > 0) break;
        const TrainOptions options = plan_job_options(plan, &job);
        const int text = plan->settings[job.setting].text;
        if (!check_arm(&plan->arms[job.arm], &options, job.task < 0 ? plan->texts[text].vocab : 257, error))
            return false;
        if (job.task < 0 && !measure_check(plan->base.eval_tokens, options.context, &corpora[text], error))
            return false;
    }
    return true;
}

// Options that say nothing, such as those of a shell variable without a value, or the same thing twice.
static bool check_given(const CompareOptions *o, const bool *given, Error *error) {
    for (const Option *row = own_options; row->name; row++)
        if (row->type == OPTION_TEXT && compare_given(given, row->name) && !((const char *)o)[row->offset])
            return fail_input(error, "--%s: '' is empty; give a value, or leave the option out", row->name);
    if (*o->tokens_per_parameter && compare_given(given, "steps"))
        return fail_input(error, "--steps and --tokens-per-parameter both say how long to train; give one of them");
    if (*o->scale && compare_given(given, "width") && !*o->tasks)
        return fail_input(error, "--scale and --width both set the width; give one of them");
    if (o->list + o->slurm + compare_given(given, "share") > 1)
        return fail_input(error, "--list, --slurm and --share each say who trains; give one of them");
    if (*o->lr_grid && compare_given(given, "lr") && !*o->tasks)
        return fail_input(error, "--lr-grid and --lr both set the learning rate; give one of them");
    if (!*o->tasks && (compare_given(given, "exercises") || compare_given(given, "task-steps")))
        return fail_input(error, "--exercises and --task-steps are for --tasks; give it, too, or leave them out");
    if (compare_given(given, "workers") && o->list)
        return fail_input(error, "--list trains nothing, so --workers has no effect; leave it out");
    return true;
}

static bool open_texts(Plan *plan, Corpus corpora[TEXTS_MOST], const TextList *data, Error *error) {
    const int count = data->count > 0 ? data->count : 1;
    for (int t = 0; t < count; t++) {
        const char *name = data->count > 0 ? data->items[t] : "builtin:tales";
        if (t == TEXTS_MOST) return fail_input(error, "--data: give at most %d texts", TEXTS_MOST);
        if (!corpus_open(&corpora[t], name, error)) return false;
        if (is_task(&corpora[t].builtin))
            return fail_input(error, "%s is a task; name it with --tasks, and give text with --data", name);
        if (!plan_text(plan, name, corpora[t].tokenizer.vocab_size, (double)corpora[t].train.count, error))
            return false;
    }
    return true;
}

// Name the contrasts, now that so many runs are done.
static bool name_contrasts(Plan *plan, const TextList *typed, int done, Error *error) {
    char now[DATE_CAPACITY];
    const time_t seconds = time(NULL);
    struct tm date;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &date));
    for (int c = 0; c < typed->count; c++)
        if (!plan_contrast(plan, typed->items[c], now, done, error)) return false;
    return typed->count > 0 || plan_default_contrasts(plan, now, done, error);
}

static bool make_plan(Plan *plan, Corpus corpora[TEXTS_MOST], const CompareOptions *o, const bool *given, char **names,
                      int count, int done, Error *error) {
    const SettingLists lists = {.scale = o->scale,
                                .tokens_per_parameter = o->tokens_per_parameter,
                                .contexts = o->contexts,
                                .layers = compare_given(given, "layers"),
                                .heads = compare_given(given, "heads"),
                                .steps = compare_given(given, "steps")};
    plan->base = o->train;
    plan->exercises = (int)o->exercises;
    plan->task_steps = o->task_steps > 0 ? o->task_steps : o->train.steps;
    plan->unpaired = o->unpaired;
    snprintf(plan->base.pos, sizeof plan->base.pos, "rope");
    return check_given(o, given, error) && open_texts(plan, corpora, &o->data, error) &&
           plan_seeds(plan, o->seeds, error) && plan_arms(plan, names, count, o->reference, error) &&
           plan_settings(plan, &lists, error) && plan_rates(plan, o->lr_grid, error) &&
           plan_tasks(plan, o->tasks, error) && name_contrasts(plan, &o->contrasts, done, error) &&
           check_jobs(plan, corpora, error);
}

// The number of the first text that differs between two lists of fingerprints, or -1.
static int changed_text(const json_t *now, const json_t *then) {
    for (size_t t = 0; t < json_array_size(now); t++)
        if (!data_same(json_array_get(now, t), json_array_get(then, t))) return (int)t;
    return -1;
}

// Continue the plan that the directory was begun with: keep its threads. Runs on texts that have changed are not mixed
// in one table.
static bool take_over(Comparison *c, const CompareOptions *o, Error *error) {
    static Comparison old;
    Plan *plan = &c->plan;
    const Plan *before = &old.plan;
    const char *path = c->file;
    json_t *data;
    if (!plan_read(&old.plan, &data, path, error)) return false;
    const int changed = changed_text(c->data, data);
    json_decref(data);
    plan->base.threads = before->base.threads;
    if (!plan_agrees(plan, before, path, error)) return false;
    if (changed >= 0) return comparison_fail_changed(c, plan->texts[changed].data, error);
    plan->threads = before->threads;
    if (!prints(o) && o->train.threads > 0 && o->train.threads != before->threads)
        printf("compare keeps to %d thread%s for each run, as in %s\n", before->threads,
               before->threads == 1 ? "" : "s", path);
    for (int a = 0; a < plan->arm_count; a++) {
        const Arm *arm = &plan->arms[a];
        const int b = plan_arm(before, arm->name);
        if (b >= 0 && !arms_same(arm, &before->arms[b]))
            return fail_input(error, "%s: %s is %s%s%s there, not %s%s%s; give it another label", path, arm->name,
                              before->arms[b].pos, *before->arms[b].window ? " --window " : "", before->arms[b].window,
                              arm->pos, *arm->window ? " --window " : "", arm->window);
    }
    int done;
    return comparison_paths(&old, c->directory, error) && comparison_done(&done, c, error) &&
           plan_follow(plan, before, done, comparison_complete(&old), error);
}

// Check the runs that are there already, before hours of training.
static bool check_runs(const Comparison *c, Error *error) {
    Outcome outcome;
    if (!outcome_read(&outcome, c, error)) return false;
    outcome_free(&outcome);
    return true;
}

// Choose the threads of a run, or continue the plan in the directory with its own.
static bool settle_threads(Comparison *c, const CompareOptions *o, int cores, Error *error) {
    const int runs = plan_job_count(&c->plan);
    // Runs side by side with one thread each train the most tokens; fewer runs than cores share the cores. What else
    // runs on the cores of a share is decided elsewhere.
    c->plan.threads = o->train.threads > 0                          ? (int)o->train.threads
                      : c->shares > 0 || prints(o) || runs >= cores ? 1
                                                                    : cores / runs;
    return path_missing(c->file) || take_over(c, o, error);
}

// When several processes begin at once, one of them writes the plan, and the others wait for it.
static bool settle_plan(Comparison *c, const CompareOptions *o, int cores, Error *error) {
    char runs[PATH_CAPACITY];
    Lock lock;
    if (prints(o)) return settle_threads(c, o, cores, error);
    if (!path_format(runs, error, "%s/runs", c->directory) || !directory_create(runs, NULL, error) ||
        !comparison_lock(&lock, c, error))
        return false;
    const bool ok = lock.exclusive ? settle_threads(c, o, cores, error) && check_runs(c, error) &&
                                         plan_write(c->file, &c->plan, c->data, error)
                                   : fail_input(error,
                                                "the file system of %s has no locks, by which the processes of a "
                                                "comparison share its runs; choose an --out on another one",
                                                c->directory);
    lock_release(&lock);
    return ok;
}

static void print_settings(const Plan *plan) {
    int width = 7;
    for (int s = 0; s < plan->setting_count; s++)
        if ((int)strlen(plan->settings[s].name) > width) width = (int)strlen(plan->settings[s].name);
    printf("%-*s layers heads width context parameters    steps   tokens per parameter epochs  operations a token\n",
           width, "setting");
    for (int s = 0; s < plan->setting_count; s++) {
        const Setting *setting = &plan->settings[s];
        char tokens[TICK_WORDS], operations[RANGE_WORDS];
        double least, most;
        setting_operations_range(&least, &most, plan, s);
        printf("%-*s %6lld %5lld %5lld %7lld %10zu %8lld %8s %13.4g %6.3g  %s\n", width,
               *setting->name ? setting->name : "-", setting->layers, setting->heads, setting->width, setting->context,
               setting->parameters, setting->steps, number_words(tokens, setting_tokens(plan, s)),
               setting_tokens_per_parameter(plan, s), setting_epochs(plan, s), range_words(operations, least, most));
    }
}

bool compare_start(Comparison *c, const CompareOptions *o, const bool *given, char **names, int count, int cores,
                   Error *error) {
    static Corpus corpora[TEXTS_MOST];
    Plan *plan = &c->plan;
    int done;
    bool ok = path_check_link(c->directory, "name the directory itself, or remove the link", error) &&
              comparison_done(&done, c, error) && make_plan(plan, corpora, o, given, names, count, done, error);
    c->data = json_array();
    for (int t = 0; ok && t < plan->text_count; t++)
        ok = json_array_append_new(c->data, data_json(&corpora[t])) == 0 ||
             fail_run(error, "no memory for the fingerprint of %s", plan->texts[t].data);
    if (ok && !prints(o)) {
        print_settings(plan);
        fflush(stdout);
    }
    ok = ok && settle_plan(c, o, cores, error);
    for (int t = 0; t < TEXTS_MOST; t++) corpus_close(&corpora[t]);
    return ok;
}
