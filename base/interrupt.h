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

// How long work finds out, now and then, whether it has to stop.
typedef struct {
    bool (*asked)(const void *context); // has it been asked to stop?
    const void *context;
    const char *advice; // ends the message: "the same command goes on"
} Stop;

// Fails (interrupted) when the work has to stop; with NULL it never has to.
bool stop_check(const Stop *stop, Error *error);

// For work that leaves nothing behind when a signal stops it; call interrupt_catch first.
extern const Stop stop_at_signal;

#endif
