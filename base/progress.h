// One line on stderr that shows how far a long job has come and how much longer it will take.
#ifndef BITTER_PROGRESS_H
#define BITTER_PROGRESS_H

#include "base/error.h"

typedef struct {
    const char *title;
    double started, shown; // seconds, monotonic
    double first, total;   // where the work begins and where it ends, in any unit
    bool terminal;         // redraw one line; else print a new line now and then
} ProgressLine;

// Monotonic time in seconds: in each thread, every call returns a later time than the call before, even if the system's
// clock steps back.
double clock_seconds(void);

// Begin at `first` of `total` units.
void progress_start(ProgressLine *line, const char *title, double first, double total);
// Show `done` units with a remark ("loss 2.31"), at most ten times a second, or every ten seconds where stderr is a
// file. A remark that is too long for the terminal is cut.
void progress_show(ProgressLine *line, double done, const char *format, ...) FORMAT_CHECK(3, 4);
// Wipe the line, so that other output can follow.
void progress_clear(const ProgressLine *line);

#endif
