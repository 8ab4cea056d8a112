// Kill a program at an instant of one's choice.
//
//   strike MICROSECONDS program|group|worker PROGRAM ARGUMENT...
//
// After so long, SIGKILL goes to the program, to all processes of its group, or to one that it has started. The exit
// code is 137 if anything was killed, otherwise that of the program. A program that takes longer than five minutes is
// killed as well, with the exit code 124.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A process that the program has started; 0 = there is none.
static pid_t worker_of(pid_t program, long which) {
    char path[80];
    pid_t found[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)program, (int)program);
    FILE *children = fopen(path, "r");
    while (children && count < 64 && fscanf(children, "%d", &found[count]) == 1) count++;
    if (children) fclose(children);
    return count > 0 ? found[which % count] : 0;
}

int main(int argc, char **argv) {
    if (argc < 4) return 125;
    const long delay = atol(argv[1]);
    const bool group = strcmp(argv[2], "group") == 0, worker = strcmp(argv[2], "worker") == 0;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    const pid_t program = fork();
    if (program == 0) {
        setpgid(0, 0);
        sigprocmask(SIG_UNBLOCK, &child, NULL);
        execvp(argv[3], argv + 3);
        _exit(126);
    }
    if (program < 0) return 125;
    setpgid(program, program);
    const struct timespec time = {delay / 1000000, delay % 1000000 * 1000};
    bool struck = false;
    if (sigtimedwait(&child, NULL, &time) < 0 && errno == EAGAIN) {
        const pid_t target = group ? -program : worker ? worker_of(program, delay) : program;
        struck = target != 0 && kill(target, SIGKILL) == 0;
    }
    int status = 0;
    const struct timespec limit = {300, 0};
    while (waitpid(program, &status, WNOHANG) == 0)
        if (sigtimedwait(&child, NULL, &limit) < 0 && errno == EAGAIN) {
            kill(-program, SIGKILL);
            return 124;
        }
    // A program whose worker was killed still has to end by itself, and not with a crash.
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return struck && (!worker || code <= 1) ? 137 : code;
}
