#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came; // a handler can reach nothing but a global
static bool cuts = true;           // interrupt_cuts
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void note(int signal_number) {
    came = signal_number;
}

static void catch_next(int signal_number) {
    struct sigaction action = {.sa_handler = note};
    action.sa_flags = SA_RESETHAND | (cuts ? 0 : SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void interrupt_catch(void) {
    struct sigaction before;
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before);
        // Ignored SIGHUP is nohup's; ignored SIGINT is what shells do to jobs in the background, and kill -INT means
        // it.
        if (signals[i] != SIGHUP || before.sa_handler != SIG_IGN) catch_next(signals[i]);
    }
    signal(SIGPIPE, SIG_IGN); // a reader that went away is no reason to lose the work
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
    catch_next(SIGINT);
    return true;
}

bool stop_check(const Stop *stop, Error *error) {
    return !stop || !stop->asked(stop->context) || fail_interrupted(error, "interrupted; %s", stop->advice);
}

static bool signal_came(const void *context) {
    return interrupt_came();
}

const Stop stop_at_signal = {signal_came, NULL, "nothing was written"};
