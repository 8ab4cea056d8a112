// Child processes that do what a test tells them.
#ifndef BITTER_CHILDREN_H
#define BITTER_CHILDREN_H

#include "tests/support/support.h"

#include <sys/wait.h>
#include <unistd.h>

// A child that takes orders and answers through pipes, byte by byte.
typedef struct {
    pid_t pid;
    int orders, answers;
} Child;

static inline Child start(void (*life)(int orders, int answers)) {
    int orders[2], answers[2];
    assert_int_equal(pipe(orders) | pipe(answers), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(orders[1]);
        close(answers[0]);
        alarm(2000); // whatever becomes of the test; under valgrind all takes 50 times as long
        life(orders[0], answers[1]);
        _exit(0);
    }
    close(orders[0]);
    close(answers[1]);
    return (Child){pid, orders[1], answers[0]};
}

static inline char hear(int answers) {
    char byte = '?';
    return read(answers, &byte, 1) == 1 ? byte : '!';
}

static inline void tell(int orders, char byte) {
    assert_int_equal(write(orders, &byte, 1), 1);
}

static inline int end(Child *child) {
    int status;
    close(child->orders);
    close(child->answers);
    assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
    return status;
}

#endif
