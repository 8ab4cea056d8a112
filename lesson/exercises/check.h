// The checker of the exercises: it calls a function of yours with a few inputs, compares what it gives with what is
// right, and if they differ, with what usual mistakes give. check_1.c to check_7.c say what is right in each exercise.
// They give the answers away: look at them last.
#ifndef CHECK_H
#define CHECK_H

#include "exercise.h"

#include <stdbool.h>
#include <stddef.h>

enum { MOST = 20, GROUPS = 7 };

// From some numbers to some numbers: your function, the right one, or what a mistake gives.
typedef void Compute(double *out, const double *in);

typedef struct {
    const char *sentence;
    Compute *gives; // NULL: fits whatever is wrong
} Mistake;

// Numbers that belong together and are shown as name = (1, 2).
typedef struct {
    const char *name;
    int count;
} Group;

typedef struct {
    const char *function;                 // its name
    Group in[GROUPS], out[GROUPS];        // end with count 0; `in` may be shorter than what invent() makes
    void (*invent)(double *in, int test); // the input of test 0, 1, ... TESTS-1
    Compute *yours, *right;
    const Mistake *mistakes;  // end with sentence NULL
    int simple, simple_count; // the numbers of the input that may become 0 or 1 in the example that is shown
    int half;                 // the number of the input that may become 0.5 there; 0 = none
    const char *none_right;   // is said when no result is right and no mistake is known; or NULL
} Check;

enum { TESTS = 8 };

// The whole exercise: all checks, until one fails. Returns the exit code for main: 0 if all is right.
int check_exercise(const char *file, const Check *checks, int count);

// The parts of check_exercise, for exercises that need more. begin() comes first. filled_in() tells whether no blank()
// was called since then; if one was, it prints that, and `extra`. say() keeps a paragraph (~ is a blank at which no
// line ends), say_numbers() a line of numbers. end() prints whether the exercise is right (wrong = NULL) or what is
// wrong, then what was said, and returns the exit code.
void begin(const char *file);
bool filled_in(const char *extra);
void say(const char *format, ...);
void say_numbers(const char *label, const Group *groups, const double *numbers);
int end(const char *wrong);

// Numbers that look random, from -2 to 2 in steps of 0.1 and not 0; the same for the same test.
void invent_numbers(double *in, int count, int test);

// The slope of f when in[index] changes: (f(in + h) - f(in - h)) / 2h, a central difference.
double slope(double (*f)(const double *in), const double *in, int index);

// Equal, but for rounding? Not a number equals nothing.
bool close_to(double a, double b);

#endif
