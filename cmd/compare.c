// `bitter compare`: train every scheme from several seeds, and test whether the differences are real.
#include "base/file/text.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/utf8.h"
#include "base/version.h"
#include "cmd/commands.h"
#include "cmd/shared/arguments.h"
#include "cmd/train.h"
#include "lab/compare/measure.h"
#include "lab/extend/extend.h"
#include "lab/report/page/numbers.h"
#include "lab/report/report.h"
#include "train/config.h"
#include "train/result.h"
#include "train/trainer.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS_MOST = 1024 };
enum { TRIES_MOST = 3 };    // killed processes, without a run done since, after which none is started again
enum { ARRAY_MOST = 1000 }; // tasks of a job, unless a cluster is configured for more or fewer (MaxArraySize)

enum { REGISTER_HEAD_CAPACITY = 256 };

// --- options ---

typedef struct {
    TrainOptions train; // without data and context, which are lists
    TextList data, contrasts;
    char out[TEXT_CAPACITY], lr_grid[TEXT_CAPACITY], scale[TEXT_CAPACITY], tokens_per_parameter[TEXT_CAPACITY],
        contexts[TEXT_CAPACITY], tasks[TEXT_CAPACITY], reference[TEXT_CAPACITY], share[TEXT_CAPACITY],
        registered[TEXT_CAPACITY];
    long long seeds, exercises, task_steps, workers;
    bool list, slurm;
    bool prints; // --list or --slurm: nothing is trained, and the standard output is for a shell or sbatch
} CompareOptions;

#define FIELD(name) offsetof(CompareOptions, name)

static const Option own_options[] = {
    HEADING_ROW("Comparison"),
    TEXT_ROW("out", FIELD(out), "runs/compare", "DIR", "directory of all runs and the report; continued if it exists"),
    INTEGER_ROW("seeds", FIELD(seeds), "5", 1, SEEDS_MOST, "train each scheme from N seeds, --seed and those after it"),
    TEXT_ROW("reference", FIELD(reference), NULL, "SCHEME", "scheme to compare the others with; by default the first"),
    TEXTS_ROW(
        "contrast", FIELD(contrasts), "\"A - B\"",
        "difference to test, named before the first run; may be repeated; by default each scheme minus --reference"),
    TEXT_ROW("register", FIELD(registered), NULL, "FILE",
             "train nothing: write into FILE what will be trained and tested, and the date; without --register, the "
             "same command then trains"),
    TEXT_ROW(
        "lr-grid", FIELD(lr_grid), NULL, "X,X,...",
        "learning rates to try; for each scheme, the best on the first half of the validation text is used; each falls "
        "to the same share of itself as --lr to --min-lr"),
    HEADING_ROW("Settings, in all combinations"),
    TEXTS_ROW("data", FIELD(data), "DATA",
              "shards from `bitter prepare` or llm.c, a file of text, or builtin:NAME (default builtin:tales); may be "
              "repeated"),
    TEXT_ROW("documents", FIELD(train.documents), NULL, "NAME",
             "mix passkey documents into all training, as `bitter train --help` explains"),
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
                "runs to train at the same time; 0 = as many as the cores allow"),
    INTEGER_ROW("threads", FIELD(train.threads), "0", 0, 1024,
                "threads of each run; 0 = 1, or more where there are fewer runs than cores"),
    FLAG_ROW("list", FIELD(list),
             "train nothing: print a command for each run that is not done, for xargs, make or GNU parallel"),
    FLAG_ROW("slurm", FIELD(slurm),
             "train nothing: print a script for sbatch, with a task for each run, at most --workers of them at the "
             "same time"),
    TEXT_ROW("share", FIELD(share), NULL, "I/N",
             "train only every N-th run, from the I-th on; the process that finishes the last one writes the report"),
    {0},
};

// The rows of the comparison, and those training options that make sense for many runs.
static const Option *table(void) {
    static const char *const left_out[] = {"pos",         "sample-every", "Run",    "out",       "init",
                                           "resume",      "Data",         "data",   "documents", "context",
                                           "eval-tokens", "patience",     "threads"};
    static Option rows[ARGUMENTS_MOST];
    int count = 0;
    for (const Option *o = own_options; o->name; o++) rows[count++] = *o;
    for (const Option *o = train_options; o->name; o++) {
        bool wanted = true;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            wanted = wanted && strcmp(o->name, left_out[i]) != 0;
        if (wanted) rows[count++] = *o;
    }
    return rows;
}

// Fails (input) on options that settle the same thing twice, or do not go together.
static bool check_given(const CompareOptions *o, const bool *given, Error *error) {
    static const struct {
        const char *one, *other, *what;
        bool unless_tasks; // with --tasks both may be given, because tasks use the other one
    } twice[] = {{"steps", "tokens-per-parameter", "how long to train", false},
                 {"scale", "width", "how wide models are", true},
                 {"lr-grid", "lr", "the learning rate", true},
                 {"list", "slurm", "who trains", false},
                 {"register", "list", "what to do instead of training", false},
                 {"register", "slurm", "what to do instead of training", false},
                 {"register", "share", "how many runs to train now", false},
                 {"register", "workers", "how many runs to train now", false},
                 {"list", "share", "who trains", false},
                 {"slurm", "share", "who trains", false},
                 {"list", "workers", "how many runs go on at once", false}};
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        if (option_given(table(), given, twice[i].one) && option_given(table(), given, twice[i].other) &&
            !(twice[i].unless_tasks && *o->tasks))
            return fail_input(error, "--%s and --%s both say %s; give one of them", twice[i].one, twice[i].other,
                              twice[i].what);
    if (*o->tasks && *o->train.documents)
        return fail_input(error, "--documents %s cannot be mixed into --tasks; leave one of them out",
                          o->train.documents);
    return *o->tasks || !(option_given(table(), given, "exercises") || option_given(table(), given, "task-steps")) ||
           fail_input(error, "--exercises and --task-steps are for --tasks; give it, too, or leave them out");
}

// --- the plan ---

// A FILE of text is prepared as `bitter train FILE` does it. Sets *name to its shards.
static bool prepare_file(const char **name, const CompareOptions *o, Error *error) {
    static TrainOptions made[TEXTS_MOST]; // their data keep the names
    static int count;
    if (is_builtin(*name) || path_is_directory(*name) || !path_exists(*name) || path_ends_with(*name, ".bin"))
        return true;
    TrainOptions *options = &made[count++];
    if (!train_name_data(options, *name, error)) return false;
    if (o->prints && path_missing(options->data)) // or every run would begin by making them
        return fail_input(error, "--list and --slurm need shards: `bitter prepare %s` first", *name);
    if (!prepare_once(options->data, *name, &(InputOptions){0}, "", 0, o->prints ? stderr : stdout, error))
        return false;
    *name = options->data;
    return true;
}

static bool open_texts(Plan *plan, Corpus corpora[TEXTS_MOST], const CompareOptions *o, Error *error) {
    const TextList *data = &o->data;
    const int count = data->count > 0 ? data->count : 1;
    for (int t = 0; t < count; t++) {
        const char *name = data->count > 0 ? data->items[t] : "builtin:tales";
        if (t == TEXTS_MOST) return fail_input(error, "--data: give at most %d texts", TEXTS_MOST);
        if (!prepare_file(&name, o, error) || !corpus_open(&corpora[t], name, error)) return false;
        if (!builtin_check_text(&corpora[t].builtin, name, error)) return false;
        if (is_task(&corpora[t].builtin))
            return fail_input(error, "%s is a task; name it with --tasks, and give text with --data", name);
        if (!plan_text(plan, name, corpora[t].tokenizer.vocab_size, (long long)corpora[t].train.count, error))
            return false;
    }
    return true;
}

// Name the contrasts, as if no run were done: settle_plan counts the runs, under the lock.
static bool name_contrasts(Plan *plan, const CompareOptions *o, Error *error) {
    const TextList *typed = &o->contrasts;
    char now[DATE_CAPACITY];
    const time_t seconds = time(NULL);
    struct tm date;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &date));
    for (int c = 0; c < typed->count; c++)
        if (!plan_contrast(plan, typed->items[c], now, 0, error)) return false;
    return typed->count > 0 || plan_default_contrasts(plan, now, 0, error);
}

static int by_letters(const void *a, const void *b) {
    return strcmp(a, b);
}

// Fails (input) when two runs would share a directory: schemes that differ only in the label of a stretched one, or
// names that coincide, such as rope on the task copy and the label "copy-rope".
static bool check_names(const Plan *plan, Error *error) {
    const int count = plan_job_count(plan) / plan->seeds;
    char(*names)[PATH_CAPACITY] = calloc((size_t)count, sizeof *names);
    if (!names) return fail_run(error, "no memory for the names of %d runs", count);
    bool ok = true;
    for (int i = 0; i < count; i++) {
        const Job job = plan_job(plan, i);
        plan_job_name(names[i], plan, &job);
    }
    qsort(names, (size_t)count, sizeof *names, by_letters);
    for (int i = 1; ok && i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            ok = fail_input(
                error,
                "two runs would both be called %s; if their schemes are the same, leave one out; if not, give one "
                "another label: LABEL=SCHEME",
                names[i]);
    free(names);
    return ok;
}

// Check every variant with every shape and task that it will be trained with, and every text, before hours of training.
static bool check_jobs(const Plan *plan, const Corpus *corpora, Error *error) {
    if (plan->base.min_lr > plan->base.lr)
        return fail_input(error,
                          "--min-lr %g is above --lr %g; every learning rate falls to the same share of itself as --lr "
                          "to --min-lr, so make that smaller",
                          plan->base.min_lr, plan->base.lr);
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        if (job.seed > 0) break;
        const Variant *variant = &plan->variants[job.variant];
        const int text = plan->settings[job.setting].text;
        TrainOptions options = plan_job_options(plan, &job);
        const long long context = options.context;
        Mix pos;
        Error reason;
        memcpy(options.pos, variant->typed, sizeof options.pos); // places in messages are those in what was typed
        if (!trainer_check(&pos, &options, job.task < 0 ? plan->texts[text].vocab : BYTES_VOCAB, &reason) ||
            !extension_formula(&pos, variant->stretch, &reason))
            return variant_fail(variant, &reason, error);
        if (job.task < 0 && !(trainer_check_data(&options, &corpora[text], error) &&
                              measure_check(plan->base.eval_tokens, context, &corpora[text], error)))
            return false;
    }
    return true;
}

static bool make_plan(Plan *plan, Corpus corpora[TEXTS_MOST], const CompareOptions *o, const bool *given, char **names,
                      int count, Error *error) {
    const SettingLists lists = {.scale = o->scale,
                                .tokens_per_parameter = o->tokens_per_parameter,
                                .contexts = o->contexts,
                                .layers = option_given(table(), given, "layers"),
                                .heads = option_given(table(), given, "heads"),
                                .steps = option_given(table(), given, "steps")};
    plan->base = o->train;
    if (!option_given(table(), given, "min-lr")) plan->base.min_lr = fmin(plan->base.min_lr, plan->base.lr);
    if (*o->tasks) {
        plan->exercises = (int)o->exercises;
        plan->task_steps = o->task_steps > 0 ? o->task_steps : o->train.steps;
    }
    snprintf(plan->base.pos, sizeof plan->base.pos, "rope");
    return check_given(o, given, error) && plan_seeds(plan, o->seeds, error) &&
           plan_variants(plan, names, count, o->reference, error) && open_texts(plan, corpora, o, error) &&
           plan_settings(plan, &lists, error) && plan_rates(plan, o->lr_grid, error) &&
           plan_tasks(plan, o->tasks, error) && name_contrasts(plan, o, error) && check_names(plan, error) &&
           check_jobs(plan, corpora, error);
}

// Continue the plan that the directory was begun with: keep its threads. Runs on texts that have changed are not mixed
// in one table.
static bool take_over(Comparison *c, const CompareOptions *o, int done, Error *error) {
    static Comparison old;
    Plan *plan = &c->plan;
    const Plan *before = &old.plan;
    json_t *data;
    int changed = -1;
    if (!plan_read(&old.plan, &data, c->file, error)) return false;
    for (size_t t = json_array_size(c->data); t-- > 0;)
        if (strcmp(plan->texts[t].data, before->texts[t].data) == 0 &&
            !data_same(json_array_get(c->data, t), json_array_get(data, t)))
            changed = (int)t;
    json_decref(data);
    plan->base.threads = before->base.threads;
    if (changed >= 0)
        return fail_input(error,
                          "%s has changed since the comparison in %s was begun: the CRC-32s of its tokens differ, or "
                          "its tokenizer.json is lost; restore the old text, or choose another --out",
                          plan->texts[changed].data, c->directory);
    if (!plan_agrees(plan, before, c->file, error)) return false;
    plan->threads = before->threads;
    if (plan->task_count == 0) { // left out since; they may come back
        plan->exercises = before->exercises;
        plan->task_steps = before->task_steps;
    }
    if (!o->prints && o->train.threads > 0 && o->train.threads != before->threads)
        printf("compare keeps to %d thread%s for each run, as in %s\n", before->threads,
               before->threads == 1 ? "" : "s", c->file);
    return comparison_paths(&old, c->directory, error) &&
           plan_follow(plan, before, done, comparison_seeds(&old), error);
}

// Choose the threads of a run, or continue the plan in the directory. Runs side by side with one thread each train the
// most tokens; fewer runs than cores share the cores. What else runs on the cores of a share is decided elsewhere.
static bool settle_plan(Comparison *c, const CompareOptions *o, int cores, Error *error) {
    const int runs = plan_job_count(&c->plan);
    int done;
    c->plan.threads = c->shares > 0 || o->prints || runs >= cores ? 1 : cores / runs;
    if (o->train.threads > 0) c->plan.threads = (int)o->train.threads;
    if (!comparison_done(&done, c, error)) return false;
    if (*o->registered && done > 0)
        return fail_input(error, "--register: %d runs are done in %s, too late for a plan; choose another --out", done,
                          o->out);
    for (int i = 0; i < c->plan.contrast_count; i++) c->plan.contrasts[i].after = done;
    return path_missing(c->file) || take_over(c, o, done, error);
}

// How a registered plan begins, so that it does not replace the plan of another comparison.
static const char *register_head(char head[REGISTER_HEAD_CAPACITY], const Comparison *c) {
    char directory[PATH_CAPACITY];
    snprintf(directory, sizeof directory, "%s", c->directory);
    path_trim(directory);
    const char *name = directory;
    while (strncmp(name, "./", 2) == 0) name += 1 + strspn(name + 1, "/");
    if (strlen(name) > 150) name += strlen(name) - 150; // a head is short
    snprintf(head, REGISTER_HEAD_CAPACITY, "# The plan of a comparison\n\nIn `%.150s`.\n", *name ? name : ".");
    return head;
}

// When several processes begin at once, one of them writes the plan, and the others wait for it. The runs that are
// there already are checked, before hours of training.
static bool write_plan(Comparison *c, AtomicFile *registered, const CompareOptions *o, int cores, Error *error) {
    char runs[PATH_CAPACITY], head[REGISTER_HEAD_CAPACITY];
    Lock lock;
    Outcome outcome;
    size_t existing;
    if (!path_format(runs, error, "%s/runs", c->directory) || !directory_create(runs, &existing, error) ||
        !comparison_lock(&lock, c, error))
        return false;
    bool ok = lock.exclusive || fail_input(error,
                                           "the file system of %s has no locks, by which the processes of a comparison "
                                           "share its runs; choose an --out on another one",
                                           c->directory);
    ok = ok && settle_plan(c, o, cores, error) && outcome_read(&outcome, c, error);
    if (ok) outcome_free(&outcome);
    // The file of --register comes first: it may be one that cannot be written.
    ok = ok && result_open(registered, "--register", o->registered, register_head(head, c), error) &&
         plan_write(c->file, &c->plan, c->data, error);
    lock_release(&lock);
    if (!ok) directory_uncreate(runs, existing);
    return ok;
}

static void print_settings(FILE *out, const Plan *plan) {
    static const char tales[] = "builtin:tales";
    int width = 7;
    for (int s = 0; s < plan->setting_count; s++)
        if ((int)strlen(plan->settings[s].name) > width) width = (int)strlen(plan->settings[s].name);
    fprintf(
        out,
        "%-*s layers heads width context parameters    steps   tokens per parameter epochs  FLOPs per token of %s\n",
        width, "setting", plan->variants[plan->reference].name);
    for (int s = 0; s < plan->setting_count; s++) {
        const Setting *setting = &plan->settings[s];
        char tokens[NUMBER_WORDS], operations[NUMBER_WORDS];
        fprintf(out, "%-*s %6lld %5lld %5lld %7lld %10lld %8lld %8s %13.4g %6.3g  %s\n", width,
                *setting->name ? setting->name : "-", setting->layers, setting->heads, setting->width, setting->context,
                setting->parameters, setting->steps, number_words(tokens, setting_tokens(plan, s)),
                setting_tokens_per_parameter(plan, s), setting_epochs(plan, s),
                number_words(operations, setting_operations(plan, s, plan->reference)));
    }
    for (const PlanText *text = plan->texts; text < plan->texts + plan->text_count; text++)
        fprintf(out, "text     %s: %lld training tokens%s\n", text->data, text->tokens,
                strncmp(text->data, tales, strlen(tales)) == 0
                    ? "; generated stories (--data book.txt for a text of yours)"
                    : "");
    fflush(out);
}

// What will be tested, and what this number of seeds can resolve.
static void print_tests(FILE *out, const Plan *plan) {
    const int n = plan->seeds, family = plan_family(plan);
    const Paired gap = {.n = n, .sd = 1};
    if (plan->variant_count == 1) fprintf(out, "tested   nothing: name another scheme to compare this one with\n");
    if (family == 0) return;
    fprintf(out, "tested   ");
    for (int c = 0; c < plan->contrast_count; c++) {
        const Contrast *d = &plan->contrasts[c];
        const bool there = plan_variant(plan, d->variant) >= 0 && plan_variant(plan, d->other) >= 0;
        if (d->after == 0) fprintf(out, "%s%s - %s%s", c ? ", " : "", d->variant, d->other, there ? "" : " (left out)");
    }
    if (plan->setting_count > 1) fprintf(out, ", in each of %d settings", plan->setting_count);
    if (family > 1) fprintf(out, "; %d intervals of 95%% that hold together", family);
    if (n == 1)
        fprintf(out, "\npower    none: one seed cannot tell chance from a difference (--seeds 12)\n");
    else
        fprintf(out,
                "\npower    %d seeds find a true difference in 4 of 5 comparisons if it is %.2g times as large as its "
                "standard deviation over the seeds, and noise is normal\n",
                n, resolvable(&gap, family));
    if (n > 1 && paired_enough(family) > n)
        fprintf(out,
                "seeds    %d are few: from %d on, these intervals assume little about noise; 12 or more are "
                "better\n",
                n, paired_enough(family));
    fflush(out);
}

// Write the plan, as evidence of what was fixed before the first run.
static bool register_plan(const Comparison *c, FILE *out, Error *error) {
    const Plan *plan = &c->plan;
    Buffer json;
    if (!file_read(&json, c->file, error)) return false;
    fprintf(out, "\nWritten by bitter %s before the first run of\n\n    %s\n\n", BITTER_VERSION, plan->command);
    for (const Variant *v = plan->variants; v < plan->variants + plan->variant_count; v++)
        fprintf(out, "- Scheme %s: `%s%s%s%s%s`%s%s\n", v->name, v->pos, *v->window ? OWN_WINDOW : "", v->window,
                *v->stretch ? OWN_STRETCH : "", v->stretch, *v->own_rates ? ", learning rate " : "", v->own_rates);
    for (const Contrast *d = plan->contrasts; d < plan->contrasts + plan->contrast_count; d++)
        fprintf(out, "- Contrast %s - %s, named at %s\n", d->variant, d->other, d->named);
    fprintf(out, "- Seeds %lld to %lld\n", plan->base.seed, plan->base.seed + plan->seeds - 1);
    bool own = true; // all schemes have their own rates
    for (int v = 0; v < plan->variant_count; v++) own = own && plan->variants[v].lr_count > 0;
    for (int rate = 0; rate < plan->rate_count && !own; rate++) fprintf(out, "- Learning rate %g\n", plan->rates[rate]);
    fprintf(out, "- Batch of %lld windows\n", plan->base.batch * plan->base.accumulate);
    for (int task = 0; task < plan->task_count; task++)
        fprintf(out, "- Task %s, %lld steps\n", plan->tasks[task], plan->task_steps);
    fputs("\n```\n", out);
    print_settings(out, plan);
    print_tests(out, plan);
    fputs("```\n\nAll that defines the runs, as compare.json has it, with the texts:\n\n```\n", out);
    fputs((const char *)json.bytes, out);
    fputs("```\n", out);
    free(json.bytes);
    return true;
}

// Fails (input) in a directory of a run or of data, whose files those of a comparison would replace.
static bool check_place(const Comparison *c, Error *error) {
    static const char *const files[] = {"config.json", "tokenizer.json"};
    char path[PATH_CAPACITY];
    if (!path_check_link(c->directory, "name the directory itself, or remove the link", error)) return false;
    for (int i = 0; i < 2 && path_missing(c->file); i++)
        if (!path_format(path, error, "%s/%s", c->directory, files[i]) ||
            !(path_missing(path) ||
              fail_input(error, "%s exists: %s is no comparison; choose another --out", path, c->directory)))
            return false;
    return true;
}

// The file of --register must not have the name of one of the comparison's files, whose directory may not exist yet.
static bool check_register(const char *path, const char *head, Error *error) {
    if (!*path) return true;
    if (!result_check("--register", path, head, strlen(head), error)) return false;
    return !result_is_own(path_name(path)) ||
           fail_input(error, "--register %s: comparisons have a file of this name; choose another, such as plan.md",
                      path);
}

// Make the plan and the fingerprints of its texts, or continue the plan in the directory. Fails on every mistake that
// can be found before the first run.
static bool start(Comparison *c, AtomicFile *registered, const CompareOptions *o, const bool *given, char **names,
                  int count, int cores, Error *error) {
    static Corpus corpora[TEXTS_MOST];
    Plan *plan = &c->plan;
    char head[REGISTER_HEAD_CAPACITY];
    c->corpora = corpora;
    register_head(head, c);
    bool ok = check_place(c, error) && check_register(o->registered, head, error) &&
              make_plan(plan, corpora, o, given, names, count, error);
    c->data = json_array();
    for (int t = 0; ok && t < plan->text_count; t++)
        ok = json_array_append_new(c->data, data_json(&corpora[t])) == 0 ||
             fail_run(error, "no memory for the fingerprint of %s", plan->texts[t].data);
    if (ok && !o->prints) print_settings(stdout, plan);
    ok = ok && (o->prints ? settle_plan(c, o, cores, error) : write_plan(c, registered, o, cores, error));
    if (ok && !o->prints) print_tests(stdout, plan);
    return ok;
}

// --- processes that train ---

#define FAILED (-1) // the progress of a run that failed here: only others can do it, or the same command later

// Has this run failed here, or the one whose weights it has?
static bool failed(const Comparison *c, const atomic_int *progress, int i) {
    Job weights = plan_job(&c->plan, i);
    weights.variant = plan_weights(&c->plan, weights.variant);
    return atomic_load(&progress[i]) == FAILED || atomic_load(&progress[plan_job_index(&c->plan, &weights)]) == FAILED;
}

// In a process of its own: take one run after the other, until all are done or have failed here. Waits for runs of
// other processes, because these may be killed.
static _Noreturn void train_runs(const Comparison *c, atomic_int *progress, pid_t parent) {
    int worst = ERROR_NONE;
    for (bool waiting = true; waiting;) {
        waiting = false;
        for (int i = 0; i < plan_job_count(&c->plan); i++) {
            const Job job = plan_job(&c->plan, i);
            Error error;
            bool taken;
            if (!job_mine(c, i) || failed(c, progress, i) || job_done(c, &job) ||
                work(&taken, c, i, &progress[i], parent, &error))
                continue;
            waiting = waiting || taken;
            if (taken) continue;
            if (error.kind == ERROR_INTERRUPTED) _exit(ERROR_INTERRUPTED);
            if (atomic_exchange(&progress[i], FAILED) != FAILED) // another process may just have failed there, too
                fprintf(stderr, "bitter compare: %s\n", error.message);
            if ((int)error.kind > worst) worst = (int)error.kind;
            if (!path_exists(c->file)) _exit(worst); // the disk or the network is gone: every run would fail alike
        }
        if (waiting) nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
        if (interrupt_came() || getppid() != parent) _exit(ERROR_INTERRUPTED);
    }
    _exit(worst);
}

typedef struct {
    const Comparison *comparison;
    atomic_int *progress; // (jobs), see work
    pid_t pids[WORKERS_MOST];
    int running, due;       // processes that run, and that are to be started
    int deaths;             // by signals, since a run was last done
    int mine, done;         // runs of this share
    double tokens, trained; // of these runs: all, and those that were trained on; measuring alone counts as its share
    int worst;              // exit code
    char schemes[40];       // of runs in training, as many as there is room for
} Crew;

static bool crew_start(Crew *crew, Error *error) {
    const pid_t parent = getpid();
    for (int w = 0; w < WORKERS_MOST && crew->due > 0; w++) {
        if (crew->pids[w] > 0) continue;
        fflush(NULL);
        const pid_t pid = fork();
        if (pid == 0) train_runs(crew->comparison, crew->progress, parent);
        if (pid < 0) return crew->running > 0 || fail_run(error, "cannot start a process: %s", strerror(errno));
        crew->pids[w] = pid;
        crew->running++;
        crew->due--;
    }
    return true;
}

// Take note of processes that have ended; returns whether any has. One that was killed is started again.
static bool crew_reap(Crew *crew) {
    const int before = crew->running;
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0; crew->running--) {
        // A process that gets SIGTERM saves its run before it ends.
        const bool terminated = WIFEXITED(status) && WEXITSTATUS(status) == ERROR_INTERRUPTED && !interrupt_came();
        const int code = WIFSIGNALED(status) || terminated ? ERROR_RUN : WEXITSTATUS(status);
        for (int w = 0; w < WORKERS_MOST; w++)
            if (crew->pids[w] == pid) crew->pids[w] = 0;
        if (code > crew->worst) crew->worst = code;
        if (!WIFSIGNALED(status) && !terminated) continue;
        const bool again = ++crew->deaths < TRIES_MOST;
        crew->due += again;
        fprintf(stderr, "bitter compare: a process was ended by signal %d%s\n", terminated ? SIGTERM : WTERMSIG(status),
                again ? "; the run continues from its last checkpoint" : "");
    }
    return crew->running < before;
}

// Count the runs and the tokens.
static void crew_count(Crew *crew) {
    const Comparison *c = crew->comparison;
    const int before = crew->done;
    crew->mine = crew->done = 0;
    crew->tokens = crew->trained = 0;
    *crew->schemes = '\0';
    for (int i = 0; i < plan_job_count(&c->plan); i++) {
        const Job job = plan_job(&c->plan, i);
        if (!job_mine(c, i)) continue;
        const bool done = job_done(c, &job);
        const bool trains = plan_weights(&c->plan, job.variant) == job.variant; // or has the weights of another
        const double tokens = (trains ? 1 : 1 - training_share(c, &job)) * plan_job_tokens(&c->plan, &job);
        const int share = done ? PROGRESS_ALL : atomic_load(&crew->progress[i]);
        const size_t used = strlen(crew->schemes);
        if (!done && share > 0 && share < PROGRESS_ALL)
            snprintf(crew->schemes + used, sizeof crew->schemes - used, " %s", c->plan.variants[job.variant].name);
        crew->mine++;
        crew->done += done;
        crew->tokens += tokens;
        if (share != FAILED) crew->trained += (double)share / PROGRESS_ALL * tokens;
    }
    if (crew->done > before) crew->deaths = 0;
}

// Train, and show the progress, until no run is left to do here.
static bool train(Crew *crew, Error *error) {
    ProgressLine line;
    bool ok = true, stopped = false;
    interrupt_catch();
    progress_start(&line, "compare", crew->trained, crew->tokens);
    while (crew->running > 0 || (crew->due > 0 && !stopped)) {
        ok = ok && (stopped || interrupt_came() || crew_start(crew, error));
        for (int w = 0; !stopped && (interrupt_came() || !ok) && w < WORKERS_MOST; w++)
            if (crew->pids[w] > 0) kill(crew->pids[w], SIGTERM);
        stopped = stopped || interrupt_came() || !ok;
        crew_count(crew);
        progress_show(&line, crew->trained, "%d/%d runs, in training:%s", crew->done, crew->mine, crew->schemes);
        for (int pause = 0; pause < 10 && !crew_reap(crew); pause++)
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    crew_count(crew);
    progress_clear(&line);
    if (!ok || crew->done == crew->mine) return ok;
    fail_run(error, "%d of %d runs are done%s; run the same command again for the others", crew->done, crew->mine,
             interrupt_came() ? "" : ", and the others failed (see above)");
    if (interrupt_came()) error->kind = ERROR_INTERRUPTED;
    if (!interrupt_came() && crew->worst > 0) error->kind = (ErrorKind)crew->worst;
    return false;
}

// The number of worker processes: --workers or, if it is 0, as many as the cores allow; but one for a share, because
// whatever has divided the runs fills the cores.
static int choose_workers(const Comparison *c, long long workers, int cores) {
    const int threads = c->plan.threads;
    return workers > 0 ? (int)workers : cores > threads && c->shares == 0 ? cores / threads : 1;
}

// Print about how long the runs of this process will take, from some timed steps of the reference in each setting.
// Another process makes these steps, because threads of OpenMP do not survive a fork.
static void print_time(const Comparison *c, int workers) {
    const Plan *plan = &c->plan;
    double a_token[SETTINGS_MOST] = {0}, seconds = 0, speed;
    int runs = 0;
    Error ignored;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid > 0) waitpid(pid, NULL, 0);
    if (pid != 0) return;
    threads_use(plan->threads);
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i), timed = {.setting = job.setting, .task = -1, .variant = plan->reference};
        if (!job_mine(c, i) || job_done(c, &job)) continue;
        if (a_token[job.setting] == 0) {
            const TrainOptions o = plan_job_options(plan, &timed);
            if (!time_step(&a_token[job.setting], &speed, &o, &c->corpora[plan->settings[job.setting].text], &ignored))
                _exit(ERROR_RUN);
            a_token[job.setting] /= step_tokens(&o);
        }
        const bool trains = plan_weights(plan, job.variant) == job.variant; // or measures the weights of another
        const double share = training_share(c, &job), training = a_token[job.setting] * plan_job_tokens(plan, &job);
        seconds += trains ? training / share : training / share - training;
        if (trains && job.task < 0) {
            const Split *val = &c->corpora[plan->settings[job.setting].text].val;
            const double curve = CURVE_STEPS * (double)split_limit(val, plan_job_options(plan, &job).eval_tokens);
            seconds += a_token[job.setting] * curve / 3;
        }
        runs++;
    }
    const double minutes = seconds / 60 / (runs < workers ? fmax(runs, 1) : workers);
    if (runs > 0 && minutes < 1)
        printf("time     about a minute or less\n");
    else if (runs > 0)
        printf("time     about %.*f minutes, if all schemes are as fast as %s; measured just now\n", minutes < 10,
               minutes, plan->variants[plan->reference].name);
    fflush(stdout);
    _exit(ERROR_NONE);
}

// Train the runs of this process, and report when all runs are done.
static bool train_all(const Comparison *c, int workers, Error *error) {
    const Plan *plan = &c->plan;
    const size_t bytes = (size_t)plan_job_count(plan) * sizeof(atomic_int);
    Crew crew = {.comparison = c, .progress = shared_zeros(bytes)};
    if (!crew.progress) return fail_run(error, "no memory for the state of %d runs", plan_job_count(plan));
    crew_count(&crew);
    crew.due = workers < crew.mine - crew.done ? workers : crew.mine - crew.done;
    const int runs = plan_job_count(plan), stretched = plan->variant_count - plan_trained(plan);
    printf("compare %s: %d run%s", c->directory, runs, runs == 1 ? "" : "s");
    if (stretched > 0) printf(", of which %d only measure", runs / plan->variant_count * stretched);
    printf("; %d scheme%s, %d seed%s", plan->variant_count, plan->variant_count == 1 ? "" : "s", plan->seeds,
           plan->seeds == 1 ? "" : "s");
    if (plan->rate_count > 1) printf(", %d learning rates", plan->rate_count);
    if (plan->task_count > 0) printf(", %d task%s", plan->task_count, plan->task_count == 1 ? "" : "s");
    if (c->shares > 0) printf("; %d of the runs here", crew.mine);
    if (crew.due > 0)
        printf("; %d side by side with %d thread%s each", crew.due, plan->threads, plan->threads == 1 ? "" : "s");
    printf("\n");
    fflush(stdout);
    const bool ok = train(&crew, error);
    shared_free(crew.progress, bytes);
    if (!ok) return false;
    if (c->shares == 0 || comparison_seeds(c) == plan->seeds)
        return report(c->directory, stdout, error); // without shares, all are done
    printf("compare the runs of this share are done; the process that finishes the last run writes the report\n");
    return true;
}

// --- runs that something else starts: --list, --slurm and --share ---

// Append the words after "compare", as they were typed, each with a space in front, without the options in left_out, of
// which the last three have a value.
static void keep_words(Text *words, int argc, char **argv) {
    static const char *const left_out[] = {"--list", "--slurm", "--share", "--workers", "--register"};
    for (int i = 1; i < argc; i++) {
        const size_t length = strcspn(argv[i], "=");
        int n = 0;
        while (n < 5 && (strlen(left_out[n]) != length || strncmp(left_out[n], argv[i], length) != 0)) n++;
        if (n == 5) {
            text_print(words, " ");
            shell_word(words, argv[i]);
        } else if (n >= 2 && argv[i][length] == '\0') {
            i++;
        }
    }
}

// Set the share of this process from "I/N".
static bool set_share(Comparison *c, const char *text, Error *error) {
    char rest;
    if (strspn(text, "0123456789/") < strlen(text) || sscanf(text, "%9d/%9d%c", &c->share, &c->shares, &rest) != 2 ||
        c->share < 1 || c->share > c->shares)
        return fail_input(error, "--share %s: give I/N, such as 3/40, with I from 1 to N", text);
    c->share--;
    return true;
}

// Print, for a shell to read, a command for each run that is not done; or a script for sbatch, an array job with a task
// for each run, of which at most `workers` (0 = no limit) run at the same time. --share stands in front of the words,
// because "--" may end the options.
static bool divide(const Comparison *c, const Text *words, bool slurm, int workers, Error *error) {
    const int runs = plan_job_count(&c->plan), tasks = runs < ARRAY_MOST ? runs : ARRAY_MOST;
    char program[PATH_CAPACITY], here[PATH_CAPACITY], name[PATH_CAPACITY];
    Text text = {0};
    program_find(program, "bitter");
    if (!getcwd(here, sizeof here)) return fail_run(error, "the working directory has no path: %s", strerror(errno));
    // A newline would begin a command of its own.
    const char *bad = !is_plain(program) ? program : slurm && !is_plain(here) ? here : NULL;
    if (bad) return fail_input(error, "%s: the path holds a control character; rename its directory", bad);
    if (slurm) {
        text_print(&text, "#!/bin/sh\n#SBATCH --job-name=bitter --requeue --open-mode=append --array=1-%d", tasks);
        if (workers > 0) text_print(&text, "%%%d", workers);
        text_print(&text, "\n#SBATCH --cpus-per-task=%d\ncd ", c->plan.threads);
        shell_word(&text, here);
        text_print(&text, " || exit\nexec ");
        shell_word(&text, program);
        text_print(&text, " compare --share \"$SLURM_ARRAY_TASK_ID/%d\"%.*s\n", tasks, (int)words->size,
                   words->size ? words->bytes : "");
    }
    for (int i = 0; !slurm && i < runs; i++) {
        const Job job = plan_job(&c->plan, i);
        if (job_done(c, &job)) continue;
        shell_word(&text, program);
        text_print(&text, " compare --share %d/%d%.*s # %s\n", i + 1, runs, (int)words->size,
                   words->size ? words->bytes : "", plan_job_name(name, &c->plan, &job));
    }
    const bool ok = !(words->failed || text.failed) || fail_run(error, "no memory for the commands of the runs");
    if (ok && text.size > 0) fwrite(text.bytes, 1, text.size, stdout);
    text_free(&text);
    return ok;
}

bool command_compare(int argc, char **argv, Error *error) {
    const Usage usage = {
        "compare",
        "Train position schemes from the same seeds on the same batches, and test which differences "
        "are more than chance. Write LABEL=SCHEME to give a scheme a name of your own, and "
        "\"LABEL=SCHEME --window KEYS\" to give it windows. \"LABEL=SCHEME --stretch METHOD:factor=S\" has the weights "
        "of SCHEME, and rotations stretched by pi, ntk, dynamic, yarn or llama3 in longer windows. SCHEME@LR has a "
        "learning rate of its own, and SCHEME@LR/LR/... one for each setting. Finished runs are never repeated.",
        "SCHEME...", table(),
        "  bitter compare none learned rope alibi --steps 500 --out runs/first\n"
        "  bitter compare sinusoidal learned --scale 30k,100k,300k --out runs/ladder\n"
        "  bitter compare rope \"local=rope*3,none --window 32*3,0\" --out runs/local\n"};
    CompareOptions options = {0};
    static Comparison comparison;
    Text words = {0};
    AtomicFile plan = {0}; // --register
    bool given[ARGUMENTS_MOST];
    keep_words(&words, argc, argv);
    bool ok = !words.failed || fail_run(error, "no memory for the words of the command");
    if (words.size + sizeof "bitter compare" <= sizeof comparison.plan.command) // for the report
        snprintf(comparison.plan.command, sizeof comparison.plan.command, "bitter compare%.*s", (int)words.size,
                 words.size ? words.bytes : "");
    else
        strcpy(comparison.plan.command, "bitter compare ... (the long command that began it)");
    const int first = arguments_parse(&options, given, &usage, argc, argv);
    const int cores = processors_allowed();
    options.prints = options.list || options.slurm;
    for (int i = 0; ok && i < argc; i++) ok = name_check("the argument", argv[i], error); // the report shows them
    ok = ok && comparison_paths(&comparison, options.out, error) && report_check(options.out, true, error) &&
         (!option_given(table(), given, "share") || set_share(&comparison, options.share, error));
    if (ok && !options.slurm) kernels_report("compare");
    ok = ok && start(&comparison, &plan, &options, given, argv + first, argc - first, cores, error);
    if (ok && options.prints) {
        ok = divide(&comparison, &words, options.slurm, (int)options.workers, error);
    } else if (ok) {
        const int workers = choose_workers(&comparison, options.workers, cores);
        print_time(&comparison, workers);
        ok = plan.stream ? register_plan(&comparison, plan.stream, error) : train_all(&comparison, workers, error);
    }
    ok = result_close(&plan, ok, error);
    if (ok && *options.registered)
        printf("plan     %s; nothing is trained yet: give the command without --register\n", options.registered);
    for (int t = 0; t < TEXTS_MOST && comparison.corpora; t++) corpus_close(&comparison.corpora[t]);
    text_free(&words);
    return ok;
}
