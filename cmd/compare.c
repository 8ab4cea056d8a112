// `bitter compare`: train every scheme from several seeds, and test whether the differences are real.
#include "base/file/text.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/utf8.h"
#include "cmd/commands.h"
#include "cmd/compare/start.h"
#include "cmd/shared/arguments.h"
#include "cmd/shared/describe.h"
#include "lab/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TAKEN = 75 };     // exit code of a process whose run another one has
enum { TRIES_MOST = 3 }; // after so many signals a run has failed

// What this process knows of a run. OPEN: it is to be done here, unless another process has it; LEFT: it failed or was
// interrupted here, and only others can do it, or the same command later.
typedef struct {
    enum { OPEN, DONE, LEFT } state;
    pid_t pid;    // the process that was started for it; 0 = none
    int tries;    // how many of its processes a signal ended, or left something behind
    double again; // do not try to lock it earlier, by clock_seconds(), because another process has it
} RunState;

typedef struct {
    const Comparison *comparison;
    RunState *runs; // (count), all of the plan; those of other shares are none of this process's business
    Shared *shared;
    int count, mine, done, open, workers, running;
    int worst; // exit code
} Crew;

// The runs of this share.
static int count_mine(const Comparison *c) {
    int count = 0;
    for (int i = 0; i < plan_job_count(&c->plan); i++) count += job_mine(c, i);
    return count;
}

// In a process of its own.
static _Noreturn void train_one(const Crew *crew, int run, pid_t parent) {
    Error error;
    bool taken;
    interrupt_catch();
    const bool ok = work(&taken, crew->comparison, run, crew->shared, parent, &error);
    if (!ok && !taken && error.kind != ERROR_INTERRUPTED) fprintf(stderr, "bitter compare: %s\n", error.message);
    _exit(ok ? ERROR_NONE : taken ? TAKEN : (int)error.kind);
}

// Start a process for each open run that has none, up to `workers` at the same time.
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
        const bool signalled = WIFSIGNALED(status);
        const int code = signalled ? ERROR_RUN : WEXITSTATUS(status);
        const bool unfinished = signalled || (code == ERROR_NONE && !job_done(crew->comparison, &job));
        const bool again = unfinished && ++run->tries < TRIES_MOST;
        run->pid = 0;
        if (signalled)
            fprintf(stderr, "bitter compare: the process of %s was ended by signal %d%s\n",
                    plan_job_name(name, plan, &job), WTERMSIG(status),
                    again ? "; the run continues from its last checkpoint" : "");
        if (code == TAKEN) run->again = clock_seconds() + 1;
        if (code == TAKEN || again) continue;
        run->state = code == ERROR_NONE ? DONE : LEFT;
        if (code > crew->worst) crew->worst = code;
    }
    return crew->running < before;
}

// Count the runs of this process that are done and open, and the tokens that all have been trained on.
static void count_done(double *tokens, Crew *crew) {
    const Comparison *c = crew->comparison;
    *tokens = crew->done = crew->open = 0;
    for (int i = 0; i < crew->count; i++) {
        RunState *run = &crew->runs[i];
        const Job job = plan_job(&c->plan, i);
        if (!job_mine(c, i)) continue;
        if (run->pid == 0 && run->state != DONE && job_done(c, &job)) run->state = DONE; // by another process
        const int share = run->state == DONE ? PROGRESS_ALL : atomic_load(&crew->shared->progress[i]);
        crew->done += run->state == DONE;
        crew->open += run->state == OPEN;
        *tokens += (double)share / PROGRESS_ALL * plan_job_tokens(&c->plan, &job);
    }
}

// Train, and show the progress, until no run is left to do here.
static bool train(Crew *crew, Error *error) {
    const Plan *plan = &crew->comparison->plan;
    ProgressLine line;
    double all = 0, tokens;
    bool ok = true;
    for (int i = 0; i < crew->count; i++) {
        const Job job = plan_job(plan, i);
        if (job_mine(crew->comparison, i)) all += plan_job_tokens(plan, &job);
    }
    interrupt_catch();
    count_done(&tokens, crew);
    progress_start(&line, "compare", tokens, all);
    for (;;) {
        ok = ok && (interrupt_came() || crew_start(crew, error));
        if (interrupt_came() || !ok) atomic_store(&crew->shared->stop, 1);
        count_done(&tokens, crew);
        progress_show(&line, tokens, "%d/%d runs, %d in training here", crew->done, crew->mine, crew->running);
        if (crew->running == 0 && (!ok || interrupt_came() || crew->open == 0)) break;
        for (int pause = 0; pause < 10 && !crew_reap(crew); pause++)
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    progress_clear(&line);
    if (!ok || crew->done == crew->mine) return ok;
    fail_run(error, "%d of %d runs are done%s; run the same command again for the others", crew->done, crew->mine,
             interrupt_came() ? "" : ", and the others failed (see above)");
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

// --- runs that something else starts: --list, --slurm and --share ---

enum { ARRAY_MOST = 1000 }; // tasks of a job, unless a cluster is configured for more or fewer (MaxArraySize)

// Append the words behind "compare", as they were typed, each with a space in front, without the options that say who
// trains.
static void keep_words(Text *words, int argc, char **argv) {
    static const struct {
        const char *name;
        bool has_value;
    } left_out[] = {{"--list", false}, {"--slurm", false}, {"--share", true}, {"--workers", true}};
    enum { ALL = sizeof left_out / sizeof *left_out };
    for (int i = 1; i < argc; i++) {
        const size_t length = strcspn(argv[i], "=");
        int n = 0;
        while (n < ALL && (strlen(left_out[n].name) != length || strncmp(left_out[n].name, argv[i], length) != 0)) n++;
        if (n == ALL) {
            text_print(words, " ");
            shell_word(words, argv[i]);
        } else if (left_out[n].has_value && argv[i][length] == '\0') {
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

// Are the runs of share `share` of `shares` done?
static bool share_done(const Comparison *c, int share, int shares) {
    for (int i = share; i < plan_job_count(&c->plan); i += shares) {
        const Job job = plan_job(&c->plan, i);
        if (!job_done(c, &job)) return false;
    }
    return true;
}

// What ends a line would begin a command of its own in a list or in the script.
static bool check_plain(const char *what, const char *path, Error *error) {
    return is_plain(path) ||
           fail_input(error, "%s %s: the path holds a newline or another control character; rename its directory", what,
                      path);
}

// --share stands in front of the words, because "--" may end the options.
static void add_list(Text *list, const Comparison *c, const char *program, const Text *words) {
    const int runs = plan_job_count(&c->plan);
    for (int i = 0; i < runs; i++) {
        char name[PATH_CAPACITY];
        const Job job = plan_job(&c->plan, i);
        if (job_done(c, &job)) continue;
        shell_word(list, program);
        text_print(list, " compare --share %d/%d", i + 1, runs);
        text_add(list, words->bytes, words->size);
        text_print(list, " # %s\n", plan_job_name(name, &c->plan, &job));
    }
}

static bool add_script(Text *script, const Comparison *c, const char *program, const Text *words, const char *here,
                       int workers, Error *error) {
    const int runs = plan_job_count(&c->plan), tasks = runs < ARRAY_MOST ? runs : ARRAY_MOST;
    const char *separator = "#!/bin/sh\n#SBATCH --job-name=bitter --requeue --open-mode=append --array=";
    for (int task = 0; task < tasks; task++) {
        if (share_done(c, task, tasks)) continue;
        text_print(script, "%s%d", separator, task + 1);
        separator = ",";
    }
    if (script->size == 0)
        return fail_input(error, "all runs are done; `bitter report` writes the report of %s", c->directory);
    if (workers > 0) text_print(script, "%%%d", workers);
    text_print(script, "\n#SBATCH --cpus-per-task=%d\ncd ", c->plan.threads);
    shell_word(script, here);
    text_print(script, " || exit\nexec ");
    shell_word(script, program);
    text_print(script, " compare --share \"$SLURM_ARRAY_TASK_ID/%d\"", tasks);
    text_add(script, words->bytes, words->size);
    text_print(script, "\n");
    return true;
}

// Print, for a shell to read, a command for each run that is not done; or a script for sbatch, an array job with a task
// for each of these runs, of which at most `workers` (0 = no limit) run at the same time.
static bool divide(const Comparison *c, const Text *words, bool slurm, int workers, Error *error) {
    char program[PATH_CAPACITY], here[PATH_CAPACITY];
    Text text = {0};
    program_find(program, "bitter");
    if (!check_plain("the program", program, error)) return false;
    if (!getcwd(here, sizeof here)) return fail_run(error, "the working directory has no path: %s", strerror(errno));
    if (slurm && !check_plain("the working directory", here, error)) return false;
    bool ok = !slurm || add_script(&text, c, program, words, here, workers, error);
    if (!slurm) add_list(&text, c, program, words);
    ok = ok && (!(words->failed || text.failed) || fail_run(error, "no memory for the commands of the runs"));
    if (ok && text.size > 0) fwrite(text.bytes, 1, text.size, stdout);
    text_free(&text);
    return ok;
}

// --- the command ---

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
    keep_words(&words, argc, argv);
    bool ok = !words.failed || fail_run(error, "no memory for the words of the command");
    keep_command(comparison.plan.command, sizeof comparison.plan.command, &words);
    const int first = arguments_parse(&options, given, &usage, argc, argv);
    const int cores = processors_allowed();
    for (int i = 0; ok && i < argc; i++) ok = name_check("the argument", argv[i], error); // the report shows them
    ok = ok && comparison_paths(&comparison, options.out, error) && report_check(options.out, true, error) &&
         (!compare_given(given, "share") || set_share(&comparison, options.share, error));
    if (ok && !options.slurm) kernels_report("compare");
    ok = ok && compare_start(&comparison, &options, given, argv + first, argc - first, cores, error);
    if (ok && (options.list || options.slurm))
        ok = divide(&comparison, &words, options.slurm, (int)options.workers, error);
    else if (ok)
        ok = train_all(&comparison, (int)options.workers, cores, error);
    text_free(&words);
    return ok;
}
