// Signals that ask long work to stop where it can be taken up again: SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2,
// SIGXCPU.
#ifndef BITTER_INTERRUPT_H
#define BITTER_INTERRUPT_H

#include "base/error.h"

// From now on these signals are only noted, except for a second Ctrl-C (SIGINT) that comes at least one second after
// the first: it ends the program at once. SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU stay ignored where they were, as under
// nohup. SIGPIPE is ignored: a write to a closed pipe fails instead.
void interrupt_catch(void);

// After interrupt_catch. true: a signal cuts short the system call that is at work, so that a read that waits for the
// user ends. false, as it is at first: the call goes on, so that nothing is lost that a file was to hold.
void interrupt_cuts(bool cut);

// From now on a write beyond the limit on the size of files (ulimit -f) fails with an error that can be reported; by
// default the system ends the program without a message.
void file_limit_catch(void);

// Has such a signal come?
bool interrupt_came(void);

// If the signal was SIGINT, forget it, so that the next one is only noted as well. Returns whether it was.
bool interrupt_forget(void);

// How long work finds out, now and then, whether it has to stop.
typedef struct {
    bool (*asked)(const void *context); // has it been asked to stop?
    const void *context;
    const char *advice; // ends the message: "run the same command again to continue"
} Stop;

// Fails (interrupted) when the work has to stop; with NULL it never has to.
bool stop_check(const Stop *stop, Error *error);

// For work that leaves nothing behind when a signal stops it; call interrupt_catch first.
extern const Stop stop_at_signal;

#endif
