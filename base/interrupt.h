// SIGINT, SIGTERM and SIGHUP ask long work to stop where it can be taken up again.
#ifndef BITTER_INTERRUPT_H
#define BITTER_INTERRUPT_H

#include "base/error.h"

// From now on these signals are noted; a second one ends the program at once. An ignored SIGHUP (nohup) stays so.
void interrupt_catch(void);

// From now on a write beyond the limit on the size of files (ulimit -f) fails, so that its caller can say so; the
// system's default is to end the program without a word.
void file_limit_catch(void);

// Has one come?
bool interrupt_came(void);

// After a failure's message was set: it failed because a signal came. Returns false.
bool interrupt_failed(Error *error);

// Whom long work asks now and then whether to stop.
typedef struct {
    bool (*asked)(const void *context);
    const void *context;
    const char *advice; // what is said of it: "the same command goes on"
} Stop;

// Fails (interrupted) when it is to stop; NULL never asks.
bool stop_check(const Stop *stop, Error *error);

// For work that a signal ends without a trace; interrupt_catch first.
extern const Stop stop_at_signal;

#endif
