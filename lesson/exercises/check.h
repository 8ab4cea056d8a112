// The checker of the exercises: it calls one of your functions with a few inputs and compares the results with the
// right ones. If they differ, it compares them with the results of usual mistakes. check_1.c to check_7.c have the
// right results of each exercise. They give the answers away: look at them last.
#ifndef CHECK_H
#define CHECK_H

#include "exercise.h"

#include <stdbool.h>
#include <stddef.h>

enum { TESTS = 8, TESTS_MOST = 2000, NUMBERS_MOST = 20, GROUPS_MOST = 7, MISTAKES_MOST = 30 };

// Numbers that belong together and are shown as name = (1, 2).
typedef struct {
    const char *name;
    int count;
    double easy; // 1 or 0.5: in the example that is shown, they may become 0 or 1, or 0.5; 0: they stay as they are
} Group;

// The search for a mistake that explains all results.
typedef struct {
    const double *yours, *right; // the results in the test at hand
    int at, count;               // those to compare: results at..at+count-1
    int next;                    // how many mistakes were named so far in this test
    const char *sentences[MISTAKES_MOST];
    bool excluded[MISTAKES_MOST]; // by this test or one before
} Guess;

// Name a mistake that gives `gives` (count) for this test's input; or one that `fits` or not.
#define GIVES(...) ((const double[]){__VA_ARGS__})
void mistake(Guess *guess, const double *gives, const char *sentence);
void mistake_if(Guess *guess, bool fits, const char *sentence);

typedef struct Tried Tried;

// A function of an exercise: numbers in, numbers out. Only `yours` calls what a student has written.
typedef struct {
    const char *name;
    Group in[GROUPS_MOST], out[GROUPS_MOST]; // end with count 0; `in` may be shorter than the input
    int random;                              // numbers of the input that are random; all others are 0
    void (*adapt)(double *in, int test);     // changes the input of test 0, 1, ... tests-1; or NULL
    void (*yours)(double *out, const double *in), (*right)(double *out, const double *in);
    void (*mistakes)(Guess *guess, const double *in); // names the usual mistakes, always the same in the same order
    bool each;                              // mistakes() is called for each result alone, `at`, instead of all together
    const char *none_right;                 // is said when no result is right and no mistake is known; or NULL
    const char *in_place;                   // is said when yours() is right, but not for out == in; NULL: not tried
    int tests;                              // 0 = TESTS
    int (*report)(Tried *tried, int wrong); // says what is wrong, from test `wrong` on, and ends; NULL: as check.c does
} Check;

// The whole exercise, such as "1_turn": all checks, until one fails. Returns the exit code for main: 0 if all is right.
int check_exercise(const char *exercise, const Check *checks, int count);

// --- the parts of check_exercise, for exercises that need more ---

struct Tried {
    const Check *check;
    int tests, count; // results of a test
    bool in_place;    // yours() is called with out == in
    double in[TESTS_MOST][NUMBERS_MOST], yours[TESTS_MOST][NUMBERS_MOST], right[TESTS_MOST][NUMBERS_MOST];
};

// begin() comes first. filled_in() tells whether no blank() was called since then; if one was, it prints that, and
// `extra`. say() keeps a paragraph (~ is a blank at which no line ends), say_numbers() a line of numbers. end() prints
// whether the exercise is right (wrong = NULL) or what is wrong, then what was said, and returns the exit code.
void begin(const char *exercise);
bool filled_in(const char *extra);
void say(const char *format, ...);
void say_numbers(const char *label, const Group *groups, const double *numbers);
int end(const char *wrong);

// Compute all inputs and results.
void try_all(Tried *tried, const Check *check);

// The first test in which one of the results at..at+count-1 is wrong; -1 if none is.
int first_wrong(const Tried *tried, int at, int count);

// The sentence of the first mistake that gives all of these results; NULL if none does.
const char *recognise(const Tried *tried, int at, int count);

// Show a test's input and results.
void say_example(const Tried *tried, int test);

// The slope of f when in[index] changes: (f(in + h) - f(in - h)) / 2h, a central difference.
double slope(double (*f)(const double *in), const double *in, int index);

// Equal, but for rounding? Not a number equals nothing.
bool close_to(double a, double b);

#endif
