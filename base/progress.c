#include "base/progress.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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
    const char *kind = getenv("TERM");
    const bool terminal = isatty(STDERR_FILENO) && !(kind && strcmp(kind, "dumb") == 0);
    *line = (ProgressLine){.title = title, .first = first, .total = total, .terminal = terminal};
    line->started = line->shown = clock_seconds();
}

static void write_duration(char text[32], double seconds) {
    const long whole = (long)(seconds + 0.5);
    if (whole >= 3600)
        snprintf(text, 32, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(text, 32, "%ld:%02ld", whole / 60, whole % 60);
}

static int terminal_columns(void) {
#ifdef TIOCGWINSZ // the lesson's page has no terminal
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) return window.ws_col;
#endif
    return 80;
}

// How many bytes of the remark fit: a line that the terminal breaks in two could not be drawn again.
static int room_for_remark(const char *title, const char *left) {
    const int room = terminal_columns() - 1 - (int)(strlen(title) + strlen(" 100%    ETA ") + strlen(left));
    return room > 0 ? room : 0;
}

void progress_show(ProgressLine *line, double done, const char *format, ...) {
    const double now = clock_seconds();
    if (now - line->shown < (line->terminal ? 0.1 : 10)) return;
    line->shown = now;
    char remark[512], left[32] = "?";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(remark, sizeof remark, format, arguments);
    va_end(arguments);
    const double speed = (done - line->first) / (now - line->started);
    if (speed > 0) write_duration(left, (line->total - done) / speed);
    fprintf(stderr, "%s%s %3.0f%%  %.*s  ETA %s%s", line->terminal ? "\r" : "", line->title, 100 * done / line->total,
            line->terminal ? room_for_remark(line->title, left) : INT_MAX, remark, left,
            line->terminal ? "\x1b[K" : "\n");
    fflush(stderr);
}

void progress_clear(const ProgressLine *line) {
    if (!line->terminal) return;
    fputs("\r\x1b[K", stderr);
    fflush(stderr);
}
