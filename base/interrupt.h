// Signals that ask long-running work to stop at a point where it can be resumed: SIGINT, SIGTERM, SIGHUP, SIGUSR1,
// SIGUSR2, SIGXCPU.
#ifndef BITTER_INTERRUPT_H
#define BITTER_INTERRUPT_H

#include "base/error.h"

// From now on these signals are only noted, except for a second Ctrl-C (SIGINT) that comes at least one second after
// the first: it ends the program at once. SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU stay ignored if they were ignored
// before, as under nohup. SIGPIPE is ignored: a write to a closed pipe fails instead.
void interrupt_catch(void);

// After interrupt_catch. true: a signal ends the system call in progress, such as a read that waits for the user. false
// (the initial state): the call continues, so that no write to a file is cut short.
void interrupt_cuts(bool cut);

// From now on a write beyond the limit on the size of files (ulimit -f) fails with an error that can be reported; by
// default the system ends the program without a message.
void file_limit_catch(void);

// Has one of these signals come?
bool interrupt_came(void);

// If the signal was SIGINT, forget it, so that the next one is also only noted. Returns whether it was SIGINT.
bool interrupt_forget(void);

// How long-running work finds out whether it has to stop.
typedef struct {
    bool (*asked)(const void *context); // has it been asked to stop?
    const void *context;
    const char *advice; // the end of the message: "run the same command again to continue"
} Stop;

// Fails (interrupted) when the work has to stop; never fails when `stop` is NULL.
bool stop_check(const Stop *stop, Error *error);

// For work that leaves nothing behind when a signal stops it; call interrupt_catch first.
extern const Stop stop_at_signal;

#endif
