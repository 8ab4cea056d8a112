// `bitter compare`: train every scheme from several seeds, and test whether the differences are real.
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cmd/commands.h"
#include "cmd/compare/divide.h"
#include "cmd/compare/start.h"
#include "cmd/shared/arguments.h"
#include "cmd/shared/kernels.h"
#include "lab/compare/outcome.h"
#include "lab/report/report.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The workers of this process.
typedef struct {
    pid_t pids[WORKERS_MOST];
    int count, running;
    int worst; // exit code
} Crew;

static void crew_start(Crew *crew, Comparison *c, int count) {
    const pid_t parent = getpid();
    fflush(NULL);
    for (*crew = (Crew){0}; crew->count < count; crew->count++) {
        const pid_t pid = fork();
        if (pid == 0) {
            Error error;
            interrupt_catch();
            if (work(c, parent, &error)) _exit(0);
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

static int count_mine(const Comparison *c) {
    int count = 0;
    for (int i = 0; i < plan_job_count(&c->plan); i++) count += job_mine(c, i);
    return count;
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
        if (!job_mine(c, i)) continue;
        const bool over = job_done(c, &job);
        const double share = over ? 1 : (double)atomic_load(&c->jobs[i].progress) / PROGRESS_ALL;
        *done += over;
        sum += share * plan_job_tokens(&c->plan, &job);
        if (over || atomic_load(&c->jobs[i].failed) || share <= 0 || strlen(now) >= 60) continue;
        if (share < 1) snprintf(percent, sizeof percent, "%.0f%%", 100 * share);
        snprintf(now + strlen(now), sizeof now - strlen(now), "%s%.40s %s", *now ? ", " : "",
                 plan_job_name(name, &c->plan, &job), percent);
    }
    snprintf(text, TEXT_CAPACITY, "%d/%d runs  %.400s", *done, count_mine(c),
             *now || *done == count_mine(c) ? now : "no run is in training here");
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

static int complete_seeds(const Comparison *c) {
    int seeds = c->plan.seeds;
    for (int i = 0; i < plan_job_count(&c->plan); i++) {
        const Job job = plan_job(&c->plan, i);
        if (job.seed < seeds && !job_done(c, &job)) seeds = job.seed;
    }
    return seeds;
}

// Print the table of the complete seeds, if there are more of them than *shown.
static bool show_table(int *shown, const Comparison *c, const ProgressLine *line, Error *error) {
    Outcome outcome;
    const int seeds = complete_seeds(c);
    if (seeds == *shown || seeds == c->plan.seeds) return true; // reading all results takes longer than asking
    if (!outcome_read(&outcome, c, error)) return false;
    bool ok = true;
    if (outcome.seeds > *shown && outcome.seeds < c->plan.seeds) {
        *shown = outcome.seeds;
        progress_clear(line);
        printf("--- %d of %d seeds ---\n", outcome.seeds, c->plan.seeds);
        ok = report_table(stdout, &outcome, c->plan.setting_count - 1, error);
        fflush(stdout);
    }
    outcome_free(&outcome);
    return ok;
}

// Show the progress until all workers have ended.
static bool watch(Crew *crew, const Comparison *c, Error *error) {
    ProgressLine line;
    char text[TEXT_CAPACITY];
    double all = 0;
    int done, before, shown = 0;
    for (int i = 0; i < plan_job_count(&c->plan); i++) {
        const Job job = plan_job(&c->plan, i);
        if (job_mine(c, i)) all += plan_job_tokens(&c->plan, &job);
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
    if (!ok || done == count_mine(c)) return ok;
    list_failed(text, c);
    fail_run(error, "%d of %d runs are done; %srun the same command again for the others", done, count_mine(c), text);
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
    if (ok && crew.count < workers)
        fprintf(stderr, "bitter compare: only %d of %d workers could be started: %s\n", crew.count, workers,
                strerror(errno));
    ok = ok && watch(&crew, c, error);
    work_tidy(c);
    shared_free(c->jobs, jobs * sizeof *c->jobs + sizeof *c->stop);
    return ok;
}

// The command for the report.
static void keep_command(char *out, size_t capacity, const Text *words) {
    if (words->size + sizeof "bitter compare" <= capacity)
        snprintf(out, capacity, "bitter compare%.*s", (int)words->size, words->size ? words->bytes : "");
    else
        snprintf(out, capacity, "bitter compare ... (longer than %zu bytes)", capacity);
}

static void print_plan(const Comparison *c, int workers) {
    const Plan *plan = &c->plan;
    printf("compare %s: %d runs; %d schemes, %d seed%s", c->directory, plan_job_count(plan), plan->arm_count,
           plan->seeds, plan->seeds == 1 ? "" : "s");
    if (plan->rate_count > 1) printf(", %d learning rates", plan->rate_count);
    if (plan->task_count > 0) printf(", %d tasks", plan->task_count);
    if (c->shares > 0) printf("; %d of the runs here", count_mine(c));
    printf("; %d side by side with %d thread%s each\n", workers, plan->threads, plan->threads == 1 ? "" : "s");
    fflush(stdout);
}

// Train the runs of this process, and report when all runs are done. 0 workers: as many as the cores allow, but one for
// a share, because whatever has divided the runs fills the cores.
static bool train_all(Comparison *c, int workers, int cores, Error *error) {
    const int threads = c->plan.threads, side_by_side = cores > threads && c->shares == 0 ? cores / threads : 1;
    if (workers == 0) workers = side_by_side < WORKERS_MOST ? side_by_side : WORKERS_MOST;
    print_plan(c, workers);
    if (!run_all(c, workers, error)) return false;
    // Without shares, run_all has seen that all runs are done.
    if (c->shares == 0 || comparison_complete(c)) return report(c, stdout, error);
    printf("compare the runs of this share are done; the process that finishes the last run writes the report\n");
    return true;
}

bool command_compare(int argc, char **argv, Error *error) {
    const Usage usage = {
        "compare",
        "Train position schemes from the same seeds on the same batches, and test which differences "
        "are more than chance. Write LABEL=SCHEME to give a scheme a name of your own, and "
        "\"LABEL=SCHEME --window KEYS\" to give it windows. SCHEME@LR has a learning rate of its own, and "
        "SCHEME@LR/LR/... one for each setting. Finished runs are never repeated.",
        "SCHEME...", compare_options(),
        "  bitter compare none learned rope alibi --steps 500 --out runs/first\n"
        "  bitter compare sinusoidal learned --scale 30k,100k,300k --out runs/ladder\n"
        "  bitter compare rope \"local=rope*3,none --window 32*3,0\" --out runs/local\n"};
    CompareOptions options = {0};
    static Comparison comparison;
    char logs[PATH_CAPACITY];
    Text words = {0};
    bool given[ARGUMENTS_MOST];
    divide_words(&words, argc, argv);
    bool ok = !words.failed || fail_run(error, "no memory for the words of the command");
    keep_command(comparison.plan.command, sizeof comparison.plan.command, &words);
    const int first = arguments_parse(&options, given, &usage, argc, argv);
    const int cores = processors_allowed();
    if (compare_given(given, "sbatch")) options.slurm = true;
    for (int i = 0; ok && i < argc; i++) ok = name_check("the argument", argv[i], error); // the report shows them
    ok = ok && comparison_paths(&comparison, options.out, error) && report_check(options.out, true, error) &&
         (!compare_given(given, "share") || divide_share(&comparison, options.share, error)) &&
         (!(options.list || options.slurm) || divide_check(logs, &comparison, options.slurm, error));
    if (ok) kernels_report("compare");
    ok = ok && compare_start(&comparison, &options, given, argv + first, argc - first, cores, error);
    if (ok && options.list)
        ok = divide_list(&comparison, &words, error);
    else if (ok && options.slurm && !share_done(&comparison, 0, 1))
        ok = divide_slurm(&comparison, &words, logs, (int)options.workers, options.sbatch, error);
    else if (ok)
        ok = train_all(&comparison, (int)options.workers, cores, error);
    text_free(&words);
    return ok;
}
