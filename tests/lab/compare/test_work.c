// Workers: every job is trained, measured and released once; a half-done job is continued; a run that diverges counts
// as done.
#include "base/interrupt.h"
#include "train/run.h"
#include "train/step.h"
#include "tests/support/children.h"
#include "tests/lab/compare/run_files.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

static atomic_int *progress;
static Corpus text;

static bool work_on(int job, bool *taken, Error *error) {
    return work(taken, &comparison, job, &progress[job], getppid(), error);
}

// Every job that is not done, in turn.
static void work_all(void) {
    Error error;
    bool taken;
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        if (!job_done(&comparison, &job)) must(work_on(i, &taken, &error), &error);
    }
}

static int begin_plan(void **state) {
    begin_directory(state);
    Error error;
    begin(plan);
    plan->seeds = 1;
    plan->exercises = 5;
    plan->task_steps = 7;
    strcpy(plan->texts[0].data, "builtin:tales:bytes=40000");
    must(corpus_open(&text, plan->texts[0].data, &error), &error);
    comparison.corpora = &text;
    plan->base.layers = plan->base.heads = 1;
    plan->base.width = plan->base.context = plan->base.eval_every = 8;
    plan->base.batch = plan->base.warmup = 2;
    plan->base.steps = 16;
    plan->base.save_every = 6;
    plan->base.eval_tokens = 600;
    must(set_variants(plan, "learned;none", "", &error) && plan_rates(plan, "", &error) &&
             set_sizes(plan, "", "", &error) && plan_tasks(plan, "copy:max=2", &error),
         &error);
    progress = calloc((size_t)plan_job_count(plan), sizeof *progress);
    assert_non_null(progress);
    return 0;
}

static int end_plan(void **state) {
    free(progress);
    corpus_close(&text);
    return remove_directory(state);
}

static void expect_no_locks(void) {
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        char path[PATH_CAPACITY];
        Error error;
        must(comparison_path(path, &comparison, &job, "lock", &error), &error);
        assert_false(path_exists(path));
    }
}

static void do_all(void) {
    work_all();
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        assert_true(job_done(&comparison, &job));
    }
    expect_no_locks();
}

static bool has(const Job *job, const char *file) {
    char path[PATH_CAPACITY];
    path_of(path, job, file);
    return path_exists(path);
}

static int lines_of(const Job *job, const char *file) {
    char path[PATH_CAPACITY];
    int lines = 0;
    path_of(path, job, file);
    const Buffer buffer = read_file(path);
    for (size_t i = 0; i < buffer.size; i++) lines += buffer.bytes[i] == '\n';
    free(buffer.bytes);
    return lines;
}

static void set_times(const Job *job, const char *file, time_t when) {
    char path[PATH_CAPACITY];
    const struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};
    path_of(path, job, file);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static time_t time_of(const Job *job, const char *file) {
    char path[PATH_CAPACITY];
    struct stat status;
    path_of(path, job, file);
    assert_int_equal(stat(path, &status), 0);
    return status.st_mtime;
}

static const Job learned = {.task = -1, .variant = 0}, none = {.task = -1, .variant = 1},
                 learned_copy = {.task = 0, .variant = 0};

static void every_job_is_done_once(void **state) {
    Outcome outcome;
    do_all();
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        assert_int_equal(progress[i], PROGRESS_ALL);
        assert_int_equal(lines_of(&job, "log.csv"), 1 + (job.task < 0 ? 16 : 7));
        assert_true(has(&job, "model.safetensors") && has(&job, "config.json") && has(&job, "tokenizer.json"));
        assert_false(has(&job, "state.safetensors"));
        assert_false(has(&job, "lock"));
        set_times(&job, "model.safetensors", 1000);
        set_times(&job, "measured.csv", 1000);
    }
    assert_int_equal(lines_of(&learned, "positions.csv"), 1 + 3); // steps 0, 8 and 16
    assert_int_equal(lines_of(&learned_copy, "positions.csv"), 1 + 2);
    assert_false(has(&none, "positions.csv"));
    read_all(&outcome);
    assert_int_equal(outcome.seeds, 1);
    assert_true(outcome_value(&outcome, 0, 0, 0, "tokens", 0) == 16 * 2 * 8);
    outcome_free(&outcome);
    do_all();
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        assert_int_equal(time_of(&job, "model.safetensors"), 1000);
        assert_int_equal(time_of(&job, "measured.csv"), 1000);
    }
}

static char *contents(const Job *job, const char *file) {
    char path[PATH_CAPACITY];
    path_of(path, job, file);
    const Buffer buffer = read_file(path);
    return (char *)buffer.bytes;
}

static void leave(const Job *job, const char *file) {
    char path[PATH_CAPACITY];
    path_of(path, job, file);
    unlink(path);
    scratch_write(path, "left", 4);
}

// A worker that was killed after it wrote measured.csv left the state, which is removed, but nothing that a run keeps.
static void what_the_killed_left_is_removed(void **state) {
    do_all();
    leave(&learned, "state.safetensors");
    assert_false(job_done(&comparison, &learned));
    do_all();
    assert_false(has(&learned, "state.safetensors"));
    assert_true(has(&learned, "model.safetensors") && has(&learned, "measured.csv"));
}

// A loss that is not finite ends a run: it is done, has no losses, and is not tried again.
static void what_diverges_is_done(void **state) {
    plan->base.lr = plan->rates[0] = plan->base.min_lr = 100;
    plan->base.warmup = plan->base.clip = 0;
    plan->base.steps = plan->settings[0].steps = 1000;
    plan->task_count = 0;
    do_all();
    char *measured = contents(&none, "measured.csv");
    long long step = 0;
    if (sscanf(measured, MEASURED_HEADER "diverged,%lld,nan,1\n", &step) != 1) fail_msg("not diverged: %s", measured);
    assert_in_range(step, 2, 1000);
    assert_int_equal(lines_of(&none, "log.csv"), step);
    free(measured);
    Outcome outcome;
    read_all(&outcome);
    assert_int_equal(outcome.seeds, 1);
    assert_true(isnan(outcome_value(&outcome, 0, 1, 0, "loss", 8)));
    outcome_free(&outcome);
    assert_false(has(&none, "state.safetensors") || has(&none, "model.safetensors"));
    assert_true(progress[0] == PROGRESS_ALL && progress[1] == PROGRESS_ALL);
    do_all();
}

static void what_cannot_be_written_is_said(void **state) {
    char file[PATH_CAPACITY];
    Error error = {0};
    bool taken;
    path_of(file, &learned, "log.csv");
    assert_int_equal(mkdir(file, 0777), 0);
    expect_refused(work_on(0, &taken, &error), &error, file);
    expect_no_locks(); // nor is it locked any longer
    assert_false(taken || job_done(&comparison, &learned));
    assert_int_equal(rmdir(file), 0);
    do_all();
}

static void work_elsewhere(int orders, int answers) {
    Error error;
    bool taken;
    const bool ok = work_on(0, &taken, &error);
    tell(answers, ok ? 'y' : taken ? 't' : 'n');
}

// A worker that was cut off from the file server, which gave its lock to another process, leaves the run alone. When
// the run is free again, the worker continues it from the last checkpoint.
static void a_run_whose_lock_is_lost_is_left_alone(void **state) {
    char path[PATH_CAPACITY], other[PATH_CAPACITY];
    Lock taken;
    plan->base.steps = plan->settings[0].steps = 20000;
    plan->base.save_every = 500;
    Child child = start(work_elsewhere);
    path_of(path, &learned, "lock");
    while (!has(&learned, "state.safetensors")) sched_yield();
    // In one step: the worker must not find a place without a lock, and take it.
    path_of(other, &learned, "lock.other");
    assert_int_equal(lock_take(&taken, other), LOCK_MINE);
    assert_int_equal(rename(other, path), 0);
    snprintf(taken.path, sizeof taken.path, "%s", path);
    assert_int_equal(hear(child.answers), 't');
    assert_int_equal(end(&child), 0);
    assert_false(job_done(&comparison, &learned));
    assert_in_range(lines_of(&learned, "log.csv"), 501, 20000);
    assert_true(is_at(path, taken.file));
    Child late = start(work_elsewhere);
    assert_int_equal(hear(late.answers), 't'); // locked
    assert_int_equal(end(&late), 0);
    lock_release(&taken);
    do_all();
    assert_int_equal(lines_of(&learned, "log.csv"), 20001);
}

// Runs last, because a signal that came cannot be taken back.
static void expect_stopped(void) {
    Error error = {0};
    bool taken;
    assert_false(work_on(0, &taken, &error));
    assert_int_equal(error.kind, ERROR_INTERRUPTED);
    assert_true(has(&learned, "state.safetensors") && !has(&learned, "measured.csv"));
    assert_int_equal(lines_of(&learned, "log.csv"), 2);
    expect_no_locks();
}

static void a_signal_stops_it(void **state) {
    interrupt_catch();
    raise(SIGTERM);
    expect_stopped();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_job_is_done_once, begin_plan, end_plan),
        cmocka_unit_test_setup_teardown(a_run_whose_lock_is_lost_is_left_alone, begin_plan, end_plan),
        cmocka_unit_test_setup_teardown(what_the_killed_left_is_removed, begin_plan, end_plan),
        cmocka_unit_test_setup_teardown(what_diverges_is_done, begin_plan, end_plan),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_is_said, begin_plan, end_plan),
        cmocka_unit_test_setup_teardown(a_signal_stops_it, begin_plan, end_plan), // and whatever came after it
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
