#include "base/interrupt.h"

#include "base/progress.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came; // a handler can reach nothing but a global
static _Atomic double pressed;     // when Ctrl-C was first pressed, in seconds; 0 = not yet
static bool cuts;                  // interrupt_cuts
// Slurm and others send SIGUSR1, SIGUSR2 or SIGXCPU a while before they end a job.
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
enum { SIGNALS = sizeof signals / sizeof *signals };

// A closed terminal and `timeout` send a signal twice, a moment apart, so a second signal must not prevent the saving
// that the first one asked for. The second Ctrl-C of an impatient user comes later.
static void note(int signal_number) {
    const double now = clock_seconds();
    if (came == 0 || signal_number != SIGINT) came = signal_number;
    if (signal_number != SIGINT) return;
    if (pressed == 0) {
        pressed = now;
    } else if (now - pressed >= 1) {
        signal(SIGINT, SIG_DFL);
        raise(SIGINT); // delivered when this handler returns
    }
}

static void catch_next(int signal_number) {
    struct sigaction action = {.sa_handler = note, .sa_flags = cuts ? 0 : SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void interrupt_catch(void) {
    struct sigaction before;
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before);
        // nohup ignores SIGHUP. Shells ignore SIGINT in background jobs, but `kill -INT` must still stop those.
        if (signals[i] == SIGINT || signals[i] == SIGTERM || before.sa_handler != SIG_IGN) catch_next(signals[i]);
    }
    signal(SIGPIPE, SIG_IGN); // work must not be lost because a reader closed its pipe
}

void interrupt_cuts(bool cut) {
    struct sigaction before;
    cuts = cut;
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before);
        if (before.sa_handler == note) catch_next(signals[i]);
    }
}

void file_limit_catch(void) {
    signal(SIGXFSZ, SIG_IGN);
}

bool interrupt_came(void) {
    return came;
}

bool interrupt_forget(void) {
    if (came != SIGINT) return false;
    came = 0;
    pressed = 0;
    return true;
}

bool stop_check(const Stop *stop, Error *error) {
    return !stop || !stop->asked(stop->context) || fail_interrupted(error, "interrupted; %s", stop->advice);
}

static bool signal_came(const void *context) {
    return interrupt_came();
}

const Stop stop_at_signal = {signal_came, NULL, "nothing was written"};
