#include "base/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double clock_seconds(void) {
    static _Thread_local double last, lost; // how far the clock has stepped back, as when a machine is restored
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (seconds + lost <= last) lost = last - seconds + 1e-6;
    return last = seconds + lost;
}

void progress_start(ProgressLine *line, const char *title, double first, double total) {
    *line = (ProgressLine){.title = title, .first = first, .total = total, .terminal = isatty(STDERR_FILENO)};
    line->started = line->shown = clock_seconds();
}

static void print_duration(double seconds) {
    const long whole = (long)(seconds + 0.5);
    if (whole >= 3600)
        fprintf(stderr, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        fprintf(stderr, "%ld:%02ld", whole / 60, whole % 60);
}

void progress_show(ProgressLine *line, double done, const char *format, ...) {
    const double now = clock_seconds();
    if (now - line->shown < (line->terminal ? 0.1 : 10)) return;
    line->shown = now;
    fprintf(stderr, "%s%s %3.0f%%  ", line->terminal ? "\r" : "", line->title, 100 * done / line->total);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("  ETA ", stderr);
    const double speed = (done - line->first) / (now - line->started);
    if (speed > 0)
        print_duration((line->total - done) / speed);
    else
        fputs("?", stderr);
    fputs(line->terminal ? "\x1b[K" : "\n", stderr);
    fflush(stderr);
}

void progress_clear(const ProgressLine *line) {
    if (!line->terminal) return;
    fputs("\r\x1b[K", stderr);
    fflush(stderr);
}
