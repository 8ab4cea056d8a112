// Signals that ask work to stop: a second signal, a moment after the first, changes nothing; only a second Ctrl-C, at
// least a second after the first, ends the program at once.
#include "base/interrupt.h"
#include "base/progress.h"
#include "tests/support/children.h"

#include <signal.h>
#include <time.h>

static int first, second;
static bool pauses; // for more than a second in between

static void receive(int orders, int answers) {
    interrupt_catch();
    raise(first);
    if (pauses) nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 100000000}, NULL);
    raise(second);
    tell(answers, interrupt_came() ? 'c' : 'n');
}

// Returns the signal that ended the child, or 0 if the child noted both.
static int ended_by(int one, int other, bool pause) {
    first = one;
    second = other;
    pauses = pause;
    Child child = start(receive);
    const char answer = hear(child.answers);
    const int status = end(&child);
    assert_true(WIFSIGNALED(status) || answer == 'c');
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void two_signals_are_one(void **state) {
    static const int signals[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(ended_by(signals[i], signals[i], false), 0);
        assert_int_equal(ended_by(signals[i], SIGINT, false), 0);
        assert_int_equal(ended_by(SIGINT, signals[i], true), 0);
    }
    assert_int_equal(ended_by(SIGTERM, SIGTERM, true), 0);
}

static void ctrl_c_ends_it_a_second_later(void **state) {
    const double begin = clock_seconds();
    const int ended = ended_by(SIGINT, SIGINT, false);
    assert_true(ended == 0 || clock_seconds() - begin >= 1); // on a very slow machine
    assert_int_equal(ended_by(SIGINT, SIGINT, true), SIGINT);
}

static void forget(int orders, int answers) {
    interrupt_catch();
    raise(SIGINT);
    tell(answers, interrupt_forget() && !interrupt_came() ? 'y' : 'n');
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 100000000}, NULL);
    raise(SIGINT); // the first one again
    tell(answers, interrupt_came() ? 'y' : 'n');
    raise(SIGTERM);
    raise(SIGINT); // does not hide the other, which is not forgotten
    tell(answers, !interrupt_forget() && interrupt_came() ? 'y' : 'n');
}

static void what_is_forgotten_counts_no_more(void **state) {
    const double begin = clock_seconds();
    Child child = start(forget);
    for (int i = 0; i < 3; i++) {
        const char answer = hear(child.answers);
        assert_true(answer == 'y' || (i == 2 && clock_seconds() - begin >= 2));
    }
    end(&child);
}

static void ignore(int orders, int answers) {
    signal(SIGHUP, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    interrupt_catch();
    raise(SIGHUP);
    raise(SIGUSR1);
    tell(answers, interrupt_came() ? 'c' : 'n');
}

static void what_nohup_ignores_stays_ignored(void **state) {
    Child child = start(ignore);
    assert_int_equal(hear(child.answers), 'n');
    end(&child);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_signals_are_one),
        cmocka_unit_test(ctrl_c_ends_it_a_second_later),
        cmocka_unit_test(what_is_forgotten_counts_no_more),
        cmocka_unit_test(what_nohup_ignores_stays_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
