#include "lab/report/page/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs in the child. Leaves the working directory before gnuplot is looked for, so that a relative entry of PATH finds
// no program there.
static _Noreturn void become_gnuplot(int input, int output, const char *option, const char *file) {
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(input < 0 ? nothing : input, 0) < 0 || dup2(output < 0 ? nothing : output, 1) < 0 ||
        dup2(nothing, 2) < 0 || chdir("/") != 0)
        _exit(127);
    execlp("gnuplot", "gnuplot", option, file, (char *)NULL);
    _exit(127);
}

static bool ended_well(pid_t pid) {
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool gnuplot_exists(void) {
    const pid_t pid = fork();
    if (pid == 0) become_gnuplot(-1, -1, "--version", NULL);
    return pid > 0 && ended_well(pid);
}

// A child that reads the script and prints into the stream; -1 with errno when there can be none.
static pid_t start(FILE **printed, FILE *script) {
    int ends[2];
    if (fflush(script) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0 || pipe(ends) != 0) return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        become_gnuplot(fileno(script), ends[1], "--default-settings",
                       "/dev/stdin"); // in a named file, gnuplot stops at errors
    }
    close(ends[1]);
    *printed = pid > 0 ? fdopen(ends[0], "r") : NULL;
    if (!*printed) close(ends[0]);
    return pid;
}

bool gnuplot_draw(Buffer *svg, FILE *script, Error *error) {
    FILE *printed = NULL;
    *svg = (Buffer){0};
    const pid_t pid = start(&printed, script);
    if (pid < 0) return fail_run(error, "cannot start gnuplot: %s", strerror(errno));
    const bool read = printed ? stream_read(svg, printed, "gnuplot", error)
                              : fail_run(error, "cannot read what gnuplot draws: %s", strerror(errno));
    if (printed) fclose(printed);
    const bool done = ended_well(pid);
    if (read && done && strstr((const char *)svg->bytes, "</svg>")) return true;
    free(svg->bytes);
    *svg = (Buffer){0};
    return read && fail_run(error, "gnuplot failed on a chart; `gnuplot --version` should say 5.0 or later");
}

void gnuplot_string(FILE *script, const char *text) {
    fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("\xE2\x80\x99", script); // a closing quotation mark; two of gnuplot's own '' in a row end the string
        else
            fputc((unsigned char)*text < 0x20 || *text == 0x7F ? ' ' : *text, script);
    }
    fputc('\'', script);
}
