// `bitter compare`: train every scheme from several seeds, and test whether the differences are real.
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/utf8.h"
#include "cmd/commands.h"
#include "cmd/compare/divide.h"
#include "cmd/compare/start.h"
#include "cmd/shared/arguments.h"
#include "cmd/shared/kernels.h"
#include "lab/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TAKEN = 75 };       // exit code of a process whose run another one has
enum { SIGNALS_MOST = 3 }; // a run whose process is ended by a signal so often has failed

// What this process knows of a run. OPEN: it is to be done here, unless another process has it; LEFT: it failed or was
// interrupted here, and only others can do it, or the same command later.
typedef struct {
    enum { OPEN, DONE, LEFT } state;
    pid_t pid;    // the process that was started for it; 0 = none
    int signals;  // how many of its processes a signal ended
    double again; // do not try to lock it earlier, by clock_seconds(), because another process has it
    bool failed;
} RunState;

typedef struct {
    const Comparison *comparison;
    RunState *runs; // (count), all of the plan; those of other shares are none of this process's business
    Shared *shared;
    int count, mine, done, workers, running;
    int worst; // exit code
} Crew;

static int count_mine(const Comparison *c) {
    int count = 0;
    for (int i = 0; i < plan_job_count(&c->plan); i++) count += job_mine(c, i);
    return count;
}

static _Noreturn void train_one(const Crew *crew, int run, pid_t parent) {
    Error error;
    bool taken;
    interrupt_catch();
    const bool ok = work(&taken, crew->comparison, run, crew->shared, parent, &error);
    if (!ok && !taken && error.kind != ERROR_INTERRUPTED) fprintf(stderr, "bitter compare: %s\n", error.message);
    _exit(ok ? ERROR_NONE : taken ? TAKEN : (int)error.kind);
}

// Start a process for each run that has none, up to `workers` at the same time.
static bool crew_start(Crew *crew, Error *error) {
    const Comparison *c = crew->comparison;
    const pid_t parent = getpid();
    for (int i = 0; i < crew->count && crew->running < crew->workers; i++) {
        RunState *run = &crew->runs[i];
        if (!job_mine(c, i) || run->state != OPEN || run->pid > 0 || clock_seconds() < run->again) continue;
        const Job job = plan_job(&c->plan, i);
        if (job_done(c, &job)) continue;
        fflush(NULL);
        const pid_t pid = fork();
        if (pid == 0) train_one(crew, i, parent);
        if (pid < 0) return crew->running > 0 || fail_run(error, "cannot start a process: %s", strerror(errno));
        run->pid = pid;
        crew->running++;
    }
    return true;
}

// Take note of processes that have ended; returns whether any has.
static bool crew_reap(Crew *crew) {
    const Plan *plan = &crew->comparison->plan;
    const int before = crew->running;
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0; crew->running--) {
        RunState *run = crew->runs;
        while (run->pid != pid) run++;
        const Job job = plan_job(plan, (int)(run - crew->runs));
        char name[PATH_CAPACITY];
        const bool signalled = WIFSIGNALED(status), again = signalled && ++run->signals < SIGNALS_MOST;
        const int code = signalled ? ERROR_RUN : WEXITSTATUS(status);
        run->pid = 0;
        if (signalled)
            fprintf(stderr, "bitter compare: the process of %s was ended by signal %d%s\n",
                    plan_job_name(name, plan, &job), WTERMSIG(status),
                    again ? "; the run continues from its last checkpoint" : "");
        if (code == TAKEN) run->again = clock_seconds() + 1;
        if (code == TAKEN || again) continue;
        run->state = code == ERROR_NONE ? DONE : LEFT;
        run->failed = code != ERROR_NONE && code != ERROR_INTERRUPTED;
        if (code > crew->worst) crew->worst = code;
    }
    return crew->running < before;
}

// Describe for the progress line which runs are being trained. Sets crew->done to the number of runs that are done, and
// returns the number of tokens trained on.
static double describe(char text[TEXT_CAPACITY], Crew *crew) {
    const Comparison *c = crew->comparison;
    double sum = 0;
    char now[TEXT_CAPACITY] = "";
    crew->done = 0;
    for (int i = 0; i < crew->count; i++) {
        RunState *run = &crew->runs[i];
        const Job job = plan_job(&c->plan, i);
        char name[PATH_CAPACITY], percent[16] = "measuring";
        if (!job_mine(c, i)) continue;
        if (run->pid == 0 && run->state != DONE && job_done(c, &job)) run->state = DONE; // by another process
        const int share = run->state == DONE ? PROGRESS_ALL : atomic_load(&crew->shared->progress[i]);
        crew->done += run->state == DONE;
        sum += (double)share / PROGRESS_ALL * plan_job_tokens(&c->plan, &job);
        if (run->pid == 0 || share == 0 || strlen(now) >= 60) continue;
        if (share < PROGRESS_ALL) snprintf(percent, sizeof percent, "%.0f%%", 100.0 * share / PROGRESS_ALL);
        snprintf(now + strlen(now), sizeof now - strlen(now), "%s%.40s %s", *now ? ", " : "",
                 plan_job_name(name, &c->plan, &job), percent);
    }
    snprintf(text, TEXT_CAPACITY, "%d/%d runs  %.400s", crew->done, crew->mine,
             *now || crew->done == crew->mine ? now : "no run is in training here");
    return sum;
}

// "a, b failed; ": the runs that failed here and were not done elsewhere, as many as there is room for.
static void list_failed(char text[TEXT_CAPACITY], const Crew *crew) {
    const Plan *plan = &crew->comparison->plan;
    *text = '\0';
    for (int i = 0; i < crew->count; i++) {
        const Job job = plan_job(plan, i);
        char name[PATH_CAPACITY];
        if (crew->runs[i].state != LEFT || !crew->runs[i].failed) continue;
        if (strlen(text) >= TEXT_CAPACITY / 2) {
            strcat(text, ", ...");
            break;
        }
        snprintf(text + strlen(text), TEXT_CAPACITY - strlen(text) - 20, "%s%.200s", *text ? ", " : "",
                 plan_job_name(name, plan, &job));
    }
    if (*text) strcat(text, " failed; ");
}

static bool any_open(const Crew *crew) {
    bool open = false;
    for (int i = 0; i < crew->count; i++) open = open || (job_mine(crew->comparison, i) && crew->runs[i].state == OPEN);
    return open;
}

// Train, and show the progress, until no run is left to do here.
static bool train(Crew *crew, Error *error) {
    const Plan *plan = &crew->comparison->plan;
    ProgressLine line;
    char text[TEXT_CAPACITY];
    double all = 0;
    for (int i = 0; i < crew->count; i++) {
        const Job job = plan_job(plan, i);
        if (job_mine(crew->comparison, i)) all += plan_job_tokens(plan, &job);
    }
    bool ok = true;
    interrupt_catch();
    progress_start(&line, "compare", describe(text, crew), all);
    while (crew->running > 0 || (ok && !interrupt_came() && any_open(crew))) {
        ok = ok && (interrupt_came() || crew_start(crew, error));
        if (interrupt_came() || !ok) atomic_store(&crew->shared->stop, 1);
        progress_show(&line, describe(text, crew), "%s", text);
        for (int pause = 0; pause < 10 && !crew_reap(crew); pause++)
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    describe(text, crew);
    progress_clear(&line);
    if (!ok) return false;
    if (crew->done == crew->mine) return true;
    list_failed(text, crew);
    fail_run(error, "%d of %d runs are done; %srun the same command again for the others", crew->done, crew->mine,
             text);
    if (interrupt_came()) error->kind = ERROR_INTERRUPTED;
    if (!interrupt_came() && crew->worst > 0) error->kind = (ErrorKind)crew->worst;
    return false;
}

// The runs of this process; as many side by side as there are workers.
static bool train_runs(const Comparison *c, int workers, Error *error) {
    const int count = plan_job_count(&c->plan);
    const size_t bytes = sizeof(Shared) + (size_t)count * sizeof(atomic_int);
    Crew crew = {.comparison = c, .workers = workers, .count = count, .mine = count_mine(c)};
    crew.runs = calloc((size_t)count, sizeof *crew.runs);
    crew.shared = shared_zeros(bytes);
    const bool ok =
        crew.runs && crew.shared ? train(&crew, error) : fail_run(error, "no memory for the state of %d runs", count);
    free(crew.runs);
    shared_free(crew.shared, bytes);
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
static bool train_all(const Comparison *c, int workers, int cores, Error *error) {
    const int threads = c->plan.threads;
    if (workers == 0) workers = cores > threads && c->shares == 0 ? cores / threads : 1;
    print_plan(c, workers);
    if (!train_runs(c, workers, error)) return false;
    // Without shares, train_runs has seen that all runs are done.
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
    Text words = {0};
    bool given[ARGUMENTS_MOST];
    divide_words(&words, argc, argv);
    bool ok = !words.failed || fail_run(error, "no memory for the words of the command");
    keep_command(comparison.plan.command, sizeof comparison.plan.command, &words);
    const int first = arguments_parse(&options, given, &usage, argc, argv);
    const int cores = processors_allowed();
    for (int i = 0; ok && i < argc; i++) ok = name_check("the argument", argv[i], error); // the report shows them
    ok = ok && comparison_paths(&comparison, options.out, error) && report_check(options.out, true, error) &&
         (!compare_given(given, "share") || divide_share(&comparison, options.share, error));
    if (ok && !options.slurm) kernels_report("compare");
    ok = ok && compare_start(&comparison, &options, given, argv + first, argc - first, cores, error);
    if (ok && (options.list || options.slurm))
        ok = divide(&comparison, &words, options.slurm, (int)options.workers, error);
    else if (ok)
        ok = train_all(&comparison, (int)options.workers, cores, error);
    text_free(&words);
    return ok;
}
