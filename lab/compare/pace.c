#include "lab/compare/pace.h"

#include "base/file/lock.h"
#include "base/memory.h"
#include "base/progress.h"
#include "train/step.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WARM_UP  3   // untimed steps
#define SECONDS  2.0 // to choose the number of threads
#define PATIENCE 5   // stop after so many times the seconds asked for, when other programs keep the processor busy

// Schemes are timed in rounds; with --budget seconds in more of them, until the fastest ones agree.
#define ROUND_SECONDS 0.25
enum { ROUNDS_LEAST = 5, ROUNDS_MOST = 12 };

static double seconds_of(clockid_t clock) {
    struct timespec now;
    if (clock == CLOCK_MONOTONIC) return clock_seconds();
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// How long a process is timed: so many seconds of a clock, or fewer steps.
typedef struct {
    clockid_t clock;
    double seconds;
    long long steps;
} Round;

// In a process of its own: train for a round and return the tokens a second. Prints why and returns NAN when the
// training fails. Stops when the parent is gone.
static double train_for(const TrainOptions *options, const Corpus *corpus, const Round *round, pid_t parent) {
    const clockid_t clock = round->clock;
    Trainer trainer;
    StepReport report;
    Error error;
    threads_use(options->threads);
    bool ok = trainer_create(&trainer, options, corpus, &error);
    for (int step = 0; ok && step < WARM_UP; step++) ok = train_step(&report, &trainer, &error);
    const double start = clock_seconds(), start_of_clock = seconds_of(clock);
    double tokens = 0;
    for (long long step = 0;
         ok && getppid() == parent && step < round->steps && seconds_of(clock) - start_of_clock < round->seconds &&
         clock_seconds() - start < PATIENCE * round->seconds;
         step++) {
        ok = train_step(&report, &trainer, &error);
        tokens += (double)report.tokens;
    }
    if (ok) return tokens / (seconds_of(clock) - start_of_clock);
    fprintf(stderr, "bitter compare: %s: %s\n", options->pos, error.message);
    return NAN;
}

// Set *tokens_per_second to the sum over `processes` that train an arm in a setting side by side for a round, each with
// so many threads. Fails (run) when one cannot be started or does not end well.
static bool pace_measure(double *tokens_per_second, const Plan *plan, const Corpus *corpora, int arm, int setting,
                         int processes, int threads, const Round *round, Error *error) {
    pid_t children[WORKERS_MOST];
    const pid_t parent = getpid();
    const Job job = {.setting = setting, .task = -1, .arm = arm};
    TrainOptions options = plan_job_options(plan, &job);
    options.threads = threads;
    options.lr = options.min_lr = 0; // the speed is the same, and no scheme diverges
    if (processes > WORKERS_MOST) processes = WORKERS_MOST;
    double *speeds = shared_zeros(WORKERS_MOST * sizeof *speeds); // each child sets its own before it ends
    if (!speeds) return fail_run(error, "no memory to time %d processes", processes);
    int started = 0;
    for (; started < processes; started++) {
        speeds[started] = NAN;
        children[started] = fork();
        if (children[started] < 0) break;
        if (children[started] > 0) continue;
        lock_leave();
        speeds[started] = train_for(&options, &corpora[plan->settings[setting].text], round, parent);
        _exit(0);
    }
    const int trouble = errno;
    int signal = 0;
    *tokens_per_second = 0;
    for (int i = 0; i < started; i++) {
        int status = 0;
        waitpid(children[i], &status, 0);
        if (WIFSIGNALED(status)) signal = WTERMSIG(status);
        *tokens_per_second += speeds[i];
    }
    shared_free(speeds, WORKERS_MOST * sizeof *speeds);
    if (started < processes) return fail_run(error, "cannot start %d processes: %s", processes, strerror(trouble));
    if (signal)
        return fail_run(error, "the scheme %s cannot be timed: a short training run was ended by signal %d",
                        plan->arms[arm].name, signal);
    return *tokens_per_second > 0 ||
           fail_run(error, "the scheme %s cannot be timed: a short training run failed (see the message above)",
                    plan->arms[arm].name);
}

bool pace_threads(Plan *plan, const Corpus *corpora, int cores, Error *error) {
    double one, many;
    plan->threads = 1;
    if (cores == 1) return true;
    const int setting = plan->setting_count - 1, arm = plan->reference;
    const Round round = {CLOCK_MONOTONIC, SECONDS, LLONG_MAX};
    if (!pace_measure(&one, plan, corpora, arm, setting, 1, cores, &round, error) ||
        !pace_measure(&many, plan, corpora, arm, setting, cores, 1, &round, error))
        return false;
    plan->threads = one > many ? cores : 1;
    printf("pace    one run on %d cores: %.0f tokens/s; %d runs on one core each: %.0f tokens/s; %s\n", cores, one,
           cores, many, one > many ? "runs go one after the other" : "runs go side by side");
    return true;
}

void speed_add(Speed *speed, double tokens_per_second) {
    int place = SPEED_ROUNDS;
    while (place > 0 && tokens_per_second > speed->rounds[place - 1]) place--;
    for (int i = SPEED_ROUNDS - 1; i > place; i--) speed->rounds[i] = speed->rounds[i - 1];
    if (place < SPEED_ROUNDS) speed->rounds[place] = tokens_per_second;
}

double speed_noise(const Speed *a, const Speed *b) {
    return fmax(SPEED_NOISE, fmax(speed_spread(a), speed_spread(b)));
}

bool speed_same(const Speed *a, const Speed *b) {
    return fabs(a->rounds[0] / b->rounds[0] - 1) <= speed_noise(a, b);
}

long long speed_steps(long long steps, const Speed *speed, const Speed *reference) {
    if (speed_same(speed, reference)) return steps;
    const double share = round((double)steps * speed->rounds[0] / reference->rounds[0]);
    return share < 1 ? 1 : (long long)share;
}

// The first arm with the same scheme, options and windows. It is timed for all of them, so that noise in the timing
// cannot give equal programs different speeds.
static int timed_for(const Plan *plan, int arm) {
    int first = 0;
    while (!arms_same(&plan->arms[first], &plan->arms[arm])) first++;
    return first;
}

// Time all schemes in one setting in turns.
static bool time_arms(Plan *plan, const Corpus *corpora, int setting, Error *error) {
    // With one thread, processor time measures the speed even when other programs share the machine.
    const clockid_t clock = plan->threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    const long long few = 1 + plan->settings[setting].steps / 50;
    const Round round = {clock, ROUND_SECONDS, plan->by_seconds ? LLONG_MAX : few};
    const int most = plan->by_seconds ? ROUNDS_MOST : ROUNDS_LEAST;
    bool settled = false;
    for (int arm = 0; arm < plan->arm_count; arm++) plan->arms[arm].speeds[setting] = (Speed){{0}};
    for (int turn = 0; turn < most && !settled; turn++) {
        settled = turn + 1 >= ROUNDS_LEAST;
        for (int arm = 0; arm < plan->arm_count; arm++) {
            Speed *timed = &plan->arms[arm].speeds[setting];
            double speed;
            if (timed_for(plan, arm) != arm) continue;
            if (!pace_measure(&speed, plan, corpora, arm, setting, 1, plan->threads, &round, error)) return false;
            speed_add(timed, speed);
            settled = settled && speed_spread(timed) <= SPEED_NOISE;
        }
    }
    for (int arm = 0; arm < plan->arm_count; arm++)
        plan->arms[arm].speeds[setting] = plan->arms[timed_for(plan, arm)].speeds[setting];
    return true;
}

// The first setting with the same shape, context and vocabulary.
static int timed_in(const Plan *plan, int setting) {
    const Setting *s = &plan->settings[setting];
    for (int first = 0; first < setting; first++) {
        const Setting *f = &plan->settings[first];
        if (f->layers == s->layers && f->heads == s->heads && f->width == s->width && f->context == s->context &&
            plan->texts[f->text].vocab == plan->texts[s->text].vocab)
            return first;
    }
    return setting;
}

// One line for each arm, with its steps.
static void print_steps(const Plan *plan, int setting) {
    const Speed *reference = &plan->arms[plan->reference].speeds[setting];
    const char *name = plan->settings[setting].name, *reference_name = plan->arms[plan->reference].name;
    for (int a = 0; a < plan->arm_count; a++) {
        const Arm *arm = &plan->arms[a];
        const Speed *speed = &arm->speeds[setting];
        printf("pace    %s%s%s: %.0f tokens/s, %lld steps", name, *name ? " " : "", arm->name, speed->rounds[0],
               arm->steps[setting]);
        if (a != plan->reference && timed_for(plan, a) == timed_for(plan, plan->reference))
            printf("; the same scheme as %s", reference_name);
        else if (a != plan->reference && speed_same(speed, reference))
            printf("; as fast as %s, to within %.1f%%", reference_name, 100 * speed_noise(speed, reference));
        printf("\n");
    }
}

// One line for all arms.
static void print_speeds(const Plan *plan, int setting) {
    const Setting *s = &plan->settings[setting];
    printf("pace    width %lld, context %lld: tokens/s", s->width, s->context);
    for (int a = 0; a < plan->arm_count; a++)
        printf("%s %s %.0f", a ? "," : "", plan->arms[a].name, plan->arms[a].speeds[setting].rounds[0]);
    printf("\n");
}

bool pace_arms(Plan *plan, const Corpus *corpora, Error *error) {
    for (int s = 0; s < plan->setting_count; s++) {
        const int timed = timed_in(plan, s);
        if (timed == s && !time_arms(plan, corpora, s, error)) return false;
        for (int a = 0; a < plan->arm_count; a++) {
            Arm *arm = &plan->arms[a];
            arm->speeds[s] = arm->speeds[timed];
            if (plan->by_seconds)
                arm->steps[s] =
                    speed_steps(plan->settings[s].steps, &arm->speeds[s], &plan->arms[plan->reference].speeds[timed]);
        }
        if (plan->by_seconds)
            print_steps(plan, s);
        else if (timed == s)
            print_speeds(plan, s);
    }
    return true;
}

bool pace_known(const Plan *plan) {
    bool known = true;
    for (int a = 0; a < plan->arm_count && plan->arm_count > 1; a++)
        for (int s = 0; s < plan->setting_count; s++) known = known && plan->arms[a].speeds[s].rounds[0] > 0;
    return known;
}

double speed_seconds(const Speed *speed) {
    return speed->rounds[0] > 0 ? 1 / speed->rounds[0] : NAN;
}

double speed_spread(const Speed *speed) {
    return 1 - speed->rounds[SPEED_ROUNDS - 1] / speed->rounds[0];
}
