#include "cmd/pace.h"

#include "cmd/progress.h"
#include "cmd/trainer.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WARM_UP 3 // steps that do not count
#define SECONDS 2.0

// In a process of its own: tokens a second, or NAN.
static double train_for(const TrainOptions *options, const Corpus *corpus, double seconds) {
    Trainer trainer;
    StepReport report;
    Error error;
    threads_use(options->threads);
    if (!trainer_create(&trainer, options, corpus, &error)) return NAN;
    bool ok = true;
    for (int step = 0; ok && step < WARM_UP; step++) ok = trainer_step(&report, &trainer, &error);
    const double start = clock_seconds();
    double tokens = 0;
    while (ok && clock_seconds() - start < seconds) {
        ok = trainer_step(&report, &trainer, &error);
        tokens += (double)report.tokens;
    }
    return ok ? tokens / (clock_seconds() - start) : NAN;
}

static bool start(pid_t *child, int *pipe_end, const TrainOptions *options, const Corpus *corpus, double seconds) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    *child = fork();
    if (*child == 0) {
        const double speed = train_for(options, corpus, seconds);
        const bool told = write(ends[1], &speed, sizeof speed) == (ssize_t)sizeof speed;
        _exit(told ? 0 : 1);
    }
    close(ends[1]);
    *pipe_end = ends[0];
    if (*child < 0) close(ends[0]);
    return *child > 0;
}

bool pace_measure(double *tokens_per_second, const Plan *plan, const Corpus *corpus, int arm, int size, int processes,
                  int threads, double seconds, Error *error) {
    enum { PROCESSES_MOST = 1024 };
    pid_t children[PROCESSES_MOST];
    int ends[PROCESSES_MOST], started = 0;
    const Job job = {.size = size, .task = -1, .arm = arm};
    TrainOptions options = {0};
    plan_job_options(&options, plan, &job);
    options.threads = threads;
    *tokens_per_second = 0;
    if (processes > PROCESSES_MOST) processes = PROCESSES_MOST;
    while (started < processes && start(&children[started], &ends[started], &options, corpus, seconds)) started++;
    const int trouble = errno;
    for (int i = 0; i < started; i++) {
        double speed = NAN;
        if (read(ends[i], &speed, sizeof speed) != (ssize_t)sizeof speed) speed = NAN;
        *tokens_per_second += speed;
        close(ends[i]);
        waitpid(children[i], NULL, 0);
    }
    if (started < processes) return fail_run(error, "cannot start %d processes: %s", processes, strerror(trouble));
    return *tokens_per_second > 0 ||
           fail_run(error, "the scheme %s cannot be timed: a short training of it failed", plan->arms[arm].name);
}

bool pace_threads(Plan *plan, const Corpus *corpus, int cores, Error *error) {
    double one, many;
    plan->threads = 1;
    if (cores == 1) return true;
    const int size = plan->size_count - 1, arm = plan->reference;
    if (!pace_measure(&one, plan, corpus, arm, size, 1, cores, SECONDS, error) ||
        !pace_measure(&many, plan, corpus, arm, size, cores, 1, SECONDS, error))
        return false;
    plan->threads = one > many ? cores : 1;
    printf("pace    one run on %d cores: %.0f tokens/s; %d runs on one core each: %.0f tokens/s; %s\n", cores, one,
           cores, many, one > many ? "so one after the other" : "so side by side");
    return true;
}

bool pace_steps(Plan *plan, const Corpus *corpus, Error *error) {
    for (int size = 0; size < plan->size_count; size++) {
        double reference;
        if (!pace_measure(&reference, plan, corpus, plan->reference, size, 1, plan->threads, SECONDS, error))
            return false;
        for (int arm = 0; arm < plan->arm_count; arm++) {
            double speed = reference;
            if (arm != plan->reference &&
                !pace_measure(&speed, plan, corpus, arm, size, 1, plan->threads, SECONDS, error))
                return false;
            const double steps = round((double)plan->sizes[size].steps * speed / reference);
            plan->arms[arm].steps[size] = steps < 1 ? 1 : (long long)steps;
            printf("pace    %s%s%s: %.0f tokens/s, %lld steps\n", plan->sizes[size].name,
                   *plan->sizes[size].name ? " " : "", plan->arms[arm].name, speed, plan->arms[arm].steps[size]);
        }
    }
    return true;
}
