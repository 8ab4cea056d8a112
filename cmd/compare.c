// `bitter compare`: train every scheme from several seeds, and test whether the differences are real.
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "cmd/shared/kernels.h"
#include "lab/compare/measure.h"
#include "lab/compare/outcome.h"
#include "lab/compare/pace.h"
#include "lab/eval/evaluate.h"
#include "lab/report/report.h"
#include "lab/run/config.h"

#include <errno.h>
#include <omp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    TrainOptions train;
    char out[TEXT_CAPACITY], lr_grid[TEXT_CAPACITY], scale[TEXT_CAPACITY], tasks[TEXT_CAPACITY],
        reference[TEXT_CAPACITY];
    long long seeds, exercises, task_steps, workers;
    double tokens_per_parameter, patience;
    int budget;
} CompareOptions;

#define FIELD(name) offsetof(CompareOptions, name)

static const Option own_options[] = {
    HEADING_ROW("Comparison"),
    TEXT_ROW("out", FIELD(out), "runs/compare", "DIR", "directory of all runs and the report; continued if it exists"),
    INTEGER_ROW("seeds", FIELD(seeds), "5", 1, SEEDS_MOST, "train each scheme from N seeds, --seed and those after it"),
    TEXT_ROW("reference", FIELD(reference), NULL, "SCHEME", "scheme to compare the others with; by default the first"),
    TEXT_ROW("lr-grid", FIELD(lr_grid), NULL, "X,X,...",
             "learning rates to try; for each scheme, the best on the first half of the validation text is used"),
    CHOICE_ROW("budget", FIELD(budget), "tokens", "tokens|seconds", NULL,
               "tokens: --steps steps for each scheme; seconds: the time that the reference needs for --steps steps"),
    TEXT_ROW("scale", FIELD(scale), NULL, "N,N,...",
             "model sizes in parameters, such as 0.1M,0.3M; sets layers, heads, width and steps"),
    NUMBER_ROW("tokens-per-parameter", FIELD(tokens_per_parameter), "20", 0.001, 1e6, "X",
               "with --scale: training tokens for each parameter"),
    HEADING_ROW("Tasks"),
    TEXT_ROW("tasks", FIELD(tasks), NULL, "LIST", "tasks to train every scheme on as well: \"copy:max=5 parity\""),
    INTEGER_ROW("task-steps", FIELD(task_steps), "0", 0, HUGE_VAL, "optimiser steps on a task; 0 = --steps"),
    INTEGER_ROW("exercises", FIELD(exercises), "200", 1, 1e6, "exercises to score at each length"),
    HEADING_ROW("Processes"),
    INTEGER_ROW("workers", FIELD(workers), "0", 0, 1024,
                "how many runs are trained at the same time; 0 = as many as the cores allow"),
    NUMBER_ROW("patience", FIELD(patience), "120", 1, 1e6, "S",
               "take over a worker's run after S seconds without a sign of life"),
    {0},
};

// The options of the comparison, and those training options that make sense for many runs.
static const Option *compare_options(void) {
    static const char *const left_out[] = {"pos", "sample-every", "Run", "out", "init", "resume"};
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

// Check every arm with every shape and task that it will be trained with, before hours of training.
static bool check_jobs(const Plan *plan, int vocab, Error *error) {
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        Position pos;
        if (job.seed > 0) break;
        const TrainOptions options = plan_job_options(plan, &job);
        if (!trainer_check(&pos, &options, job.task < 0 ? vocab : 257, error)) return false;
    }
    return true;
}

static bool make_plan(Plan *plan, const CompareOptions *o, const Corpus *corpus, char **names, int count,
                      Error *error) {
    const int vocab = corpus->tokenizer.vocab_size;
    *plan = (Plan){.base = o->train,
                   .exercises = (int)o->exercises,
                   .task_steps = o->task_steps > 0 ? o->task_steps : o->train.steps,
                   .by_seconds = o->budget == 1};
    snprintf(plan->base.pos, sizeof plan->base.pos, "rope");
    if (is_task(&corpus->builtin))
        return fail_input(error, "%s is a task; name it with --tasks, and give text with --data", o->train.data);
    return plan_seeds(plan, o->seeds, error) && plan_arms(plan, names, count, o->reference, error) &&
           plan_rates(plan, o->lr_grid, error) && plan_sizes(plan, o->scale, o->tokens_per_parameter, vocab, error) &&
           plan_tasks(plan, o->tasks, error) && check_jobs(plan, vocab, error) &&
           measure_check(&plan->base, corpus, error);
}

// Continue the plan that the directory was begun with: keep the threads and the steps that were measured then. Runs on
// different texts are not mixed in one table; where compare.json of an earlier version does not record the text,
// outcome_read compares the texts of the runs.
static bool take_over(Comparison *c, Error *error) {
    Plan *plan = &c->plan, before;
    const char *path = c->file;
    json_t *data;
    char left_out[TEXT_CAPACITY];
    if (!plan_read(&before, &data, path, error)) return false;
    const bool same = !data || data_same(data, c->data);
    json_decref(data);
    plan->base.threads = before.base.threads;
    if (!plan_agrees(plan, &before, path, error)) return false;
    if (!same) return comparison_fail_changed(c, plan->base.data, error);
    plan->threads = before.threads;
    for (int a = 0; a < plan->arm_count; a++) {
        Arm *arm = &plan->arms[a];
        const int b = plan_arm(&before, arm->name);
        if (b < 0 && plan->by_seconds)
            return fail_input(error, "%s: %s was not timed with the others; --budget seconds needs another --out", path,
                              arm->name);
        if (b < 0) continue;
        if (strcmp(arm->pos, before.arms[b].pos) != 0)
            return fail_input(error, "%s: %s is %s there, not %s; give it another label", path, arm->name,
                              before.arms[b].pos, arm->pos);
        memcpy(arm->steps, before.arms[b].steps, sizeof arm->steps);
    }
    if (plan->by_seconds && before.arm_count > plan->arm_count)
        return fail_input(error, "%s: %d schemes were timed together; --budget seconds needs all, or another --out",
                          path, before.arm_count);
    plan_left_out(left_out, plan, &before);
    if (*left_out)
        printf("compare leaves out %s; their runs are kept, and are in the report again when you name them\n",
               left_out);
    return true;
}

// Check the runs that are there already, before hours of training.
static bool check_runs(const Comparison *c, Error *error) {
    Outcome outcome;
    if (!outcome_read(&outcome, c, error)) return false;
    outcome_free(&outcome);
    return true;
}

// Make the plan, or continue the one in the directory. When several processes begin at once, one of them measures the
// pace, and the others wait for its plan.
static bool settle_plan(Comparison *c, const CompareOptions *o, const Corpus *corpus, int cores, Error *error) {
    Plan *plan = &c->plan;
    char runs[PATH_CAPACITY];
    Claim claim;
    if (!path_format(runs, error, "%s/runs", c->directory) || !directory_create(runs, error) ||
        !comparison_claim(&claim, c, "plan", error))
        return false;
    bool ok = true;
    if (path_exists(c->file)) {
        ok = take_over(c, error);
    } else {
        if (o->train.threads > 0)
            plan->threads = (int)o->train.threads;
        else
            ok = pace_threads(plan, corpus, cores, error);
        if (ok && plan->by_seconds) ok = pace_steps(plan, corpus, error);
    }
    ok = ok && check_runs(c, error) && plan_write(c->file, plan, c->data, error);
    claim_release(&claim);
    return ok;
}

// The workers of this process.
typedef struct {
    pid_t pids[1024];
    int count, running;
    int worst; // exit code
} Crew;

static void crew_start(Crew *crew, Comparison *c, int count) {
    fflush(NULL);
    for (*crew = (Crew){0}; crew->count < count; crew->count++) {
        const pid_t pid = fork();
        if (pid == 0) {
            Error error;
            interrupt_catch();
            if (work(c, &error)) _exit(0);
            if (error.kind != ERROR_INTERRUPTED) fprintf(stderr, "bitter compare: %s\n", error.message);
            _exit(error.kind);
        }
        if (pid < 0) break;
        crew->pids[crew->count] = pid;
    }
    crew->running = crew->count;
}

static void crew_reap(Crew *crew) {
    for (int i = 0; i < crew->count; i++) {
        int status;
        if (crew->pids[i] == 0 || waitpid(crew->pids[i], &status, WNOHANG) <= 0) continue;
        crew->pids[i] = 0;
        crew->running--;
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : ERROR_RUN;
        if (WIFSIGNALED(status))
            fprintf(stderr, "bitter compare: a worker was ended by signal %d; the others continue\n", WTERMSIG(status));
        if (code > crew->worst) crew->worst = code;
    }
}

// Describe for the progress line which runs are being trained. Sets *done to the number of runs that are done, and
// returns the number of tokens trained on.
static double describe(char text[TEXT_CAPACITY], int *done, const Comparison *c) {
    double sum = 0;
    char now[TEXT_CAPACITY] = "";
    *done = 0;
    for (int i = 0; i < plan_job_count(&c->plan); i++) {
        const Job job = plan_job(&c->plan, i);
        char name[PATH_CAPACITY], percent[16] = "measuring";
        const bool over = job_done(c, &job);
        const double share = over ? 1 : (double)atomic_load(&c->jobs[i].progress) / PROGRESS_ALL;
        *done += over;
        sum += share * plan_job_tokens(&c->plan, &job);
        if (over || atomic_load(&c->jobs[i].failed) || share <= 0 || strlen(now) >= 60) continue;
        if (share < 1) snprintf(percent, sizeof percent, "%.0f%%", 100 * share);
        snprintf(now + strlen(now), sizeof now - strlen(now), "%s%.40s %s", *now ? ", " : "",
                 plan_job_name(name, &c->plan, &job), percent);
    }
    snprintf(text, TEXT_CAPACITY, "%d/%d runs  %.400s", *done, plan_job_count(&c->plan), now);
    return sum;
}

// "a, b failed; ": the runs that failed here and were not done elsewhere, as many as there is room for.
static void list_failed(char text[TEXT_CAPACITY], const Comparison *c) {
    *text = '\0';
    for (int i = 0; i < plan_job_count(&c->plan); i++) {
        const Job job = plan_job(&c->plan, i);
        char name[PATH_CAPACITY];
        if (!atomic_load(&c->jobs[i].failed) || job_done(c, &job)) continue;
        if (strlen(text) >= TEXT_CAPACITY / 2) {
            strcat(text, ", ...");
            break;
        }
        snprintf(text + strlen(text), TEXT_CAPACITY - strlen(text) - 20, "%s%.200s", *text ? ", " : "",
                 plan_job_name(name, &c->plan, &job));
    }
    if (*text) strcat(text, " failed; ");
}

// Print the table of the complete seeds, if there are more of them than *shown.
static bool show_table(int *shown, const Comparison *c, const ProgressLine *line, Error *error) {
    Outcome outcome;
    if (!outcome_read(&outcome, c, error)) return false;
    if (outcome.seeds > *shown && outcome.seeds < c->plan.seeds) {
        *shown = outcome.seeds;
        progress_clear(line);
        printf("--- %d of %d seeds ---\n", outcome.seeds, c->plan.seeds);
        report_table(stdout, &outcome, c->plan.size_count - 1);
        fflush(stdout);
    }
    outcome_free(&outcome);
    return true;
}

// Show the progress until all workers have ended.
static bool watch(Crew *crew, const Comparison *c, Error *error) {
    ProgressLine line;
    char text[TEXT_CAPACITY];
    double all = 0;
    int done, before, shown = 0;
    for (int i = 0; i < plan_job_count(&c->plan); i++) {
        const Job job = plan_job(&c->plan, i);
        all += plan_job_tokens(&c->plan, &job);
    }
    progress_start(&line, "compare", describe(text, &before, c), all);
    bool ok = true;
    for (;;) {
        crew_reap(crew);
        const double sum = describe(text, &done, c);
        if (interrupt_came() || !ok) atomic_store(c->stop, true);
        progress_show(&line, sum, "%s", text);
        if (ok && done > before) ok = show_table(&shown, c, &line, error);
        before = done;
        if (crew->running == 0) break;
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    }
    progress_clear(&line);
    if (!ok || done == plan_job_count(&c->plan)) return ok;
    list_failed(text, c);
    fail_run(error, "%d of %d runs are done; %srun the same command again for the others", done,
             plan_job_count(&c->plan), text);
    error->kind = atomic_load(c->stop) ? ERROR_INTERRUPTED : crew->worst > 0 ? (ErrorKind)crew->worst : ERROR_RUN;
    return false;
}

static bool run_all(Comparison *c, int workers, Error *error) {
    const size_t jobs = (size_t)plan_job_count(&c->plan);
    Crew crew;
    c->jobs = shared_zeros(jobs * sizeof *c->jobs + sizeof *c->stop);
    if (!c->jobs) return fail_run(error, "no memory for the state of %zu runs", jobs);
    c->stop = (void *)(c->jobs + jobs);
    interrupt_catch();
    crew_start(&crew, c, workers);
    bool ok = crew.count > 0 || fail_run(error, "cannot start a worker: %s", strerror(errno));
    ok = ok && watch(&crew, c, error);
    shared_free(c->jobs, jobs * sizeof *c->jobs + sizeof *c->stop);
    return ok;
}

// The command as it was typed, for the report.
static void join_command(char *out, size_t capacity, int argc, char **argv) {
    Text text = {0};
    text_print(&text, "bitter");
    for (int i = 0; i < argc; i++) {
        text_print(&text, " ");
        shell_word(&text, argv[i]);
    }
    if (!text.failed && text.size < capacity)
        snprintf(out, capacity, "%.*s", (int)text.size, text.bytes);
    else
        snprintf(out, capacity, "bitter compare ... (longer than %zu bytes)", capacity);
    text_free(&text);
}

static void print_plan(const Plan *plan, const char *directory, int workers) {
    printf("compare %s: %d runs; %d schemes, %d seeds", directory, plan_job_count(plan), plan->arm_count, plan->seeds);
    if (plan->rate_count > 1) printf(", %d learning rates", plan->rate_count);
    if (plan->task_count > 0) printf(", %d tasks", plan->task_count);
    printf("; %d side by side with %d thread%s each\n", workers, plan->threads, plan->threads == 1 ? "" : "s");
    for (int s = 0; s < plan->size_count; s++) {
        const Size *size = &plan->sizes[s];
        printf("size    %s%s%lld layers, %lld heads, width %lld: %zu parameters, %lld steps\n", size->name,
               *size->name ? ": " : "", size->layers, size->heads, size->width, size->parameters, size->steps);
    }
    fflush(stdout);
}

bool command_compare(int argc, char **argv, Error *error) {
    const Usage usage = {
        "compare",
        "Train position schemes from the same seeds on the same batches, and test which differences "
        "are more than chance. Write LABEL=SCHEME to give a scheme a name of your own. Finished runs are "
        "never repeated.",
        "SCHEME...", compare_options(),
        "  bitter compare none learned rope alibi --steps 500 --out runs/first\n"
        "  bitter compare sinusoidal learned --scale 30k,100k,300k --out runs/ladder\n"};
    CompareOptions options = {0};
    static Comparison comparison;
    char command[sizeof comparison.plan.command];
    join_command(command, sizeof command, argc, argv);
    const int first = arguments_parse(&options, NULL, &usage, argc, argv);
    Corpus corpus = {0};
    options.train.stretch = (RunStretch){0};
    bool ok = true;
    for (int i = 0; ok && i < argc; i++) ok = name_check("the argument", argv[i], error); // the report shows them
    ok = ok && comparison_paths(&comparison, options.out, error) && corpus_open(&corpus, options.train.data, error) &&
         make_plan(&comparison.plan, &options, &corpus, argv + first, argc - first, error);
    if (ok) comparison.data = data_json(&corpus);
    ok = ok && (comparison.data || fail_run(error, "no memory for the fingerprint of %s", options.train.data));
    const int cores = omp_get_num_procs(); // that this process may use; Slurm and taskset may allow only some
    memcpy(comparison.plan.command, command, sizeof command);
    comparison.patience = options.patience;
    if (ok) kernels_report(stdout, "compare");
    ok = ok && settle_plan(&comparison, &options, &corpus, cores, error);
    corpus_close(&corpus);
    if (!ok) return false;
    const Plan *plan = &comparison.plan;
    const int side_by_side = cores / plan->threads > 1 ? cores / plan->threads : 1;
    const int workers = options.workers > 0 ? (int)options.workers : side_by_side;
    print_plan(plan, options.out, workers);
    return run_all(&comparison, workers, error) && report(&comparison, stdout, error);
}
