#include "check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 90 // of a paragraph
#ifndef ENDING
#define ENDING ".c" // of the exercises' files; check.py has another
#endif

static int blank_line; // where FILL_IN was reached; 0 = nowhere
static char exercise_file[40];
static char paragraphs[8000]; // what has been said

double blank(int line) {
    if (blank_line == 0) blank_line = line;
    return 0;
}

// --- what is printed ---
void begin(const char *exercise) {
    snprintf(exercise_file, sizeof exercise_file, "%s" ENDING, exercise);
    blank_line = 0;
    *paragraphs = 0;
}

static void append(const char *format, const char *text) {
    const size_t used = strlen(paragraphs);
    snprintf(paragraphs + used, sizeof paragraphs - used, format, text);
}

void say(const char *format, ...) {
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int column = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        const int length = (int)strlen(word);
        const bool fits = column > 0 && column + 1 + length <= COLUMNS;
        append(fits ? " " : column > 0 ? "\n    " : "    ", "");
        for (char *glue = word; (glue = strchr(glue, '~'));) *glue = ' ';
        append("%s", word);
        column = fits ? column + 1 + length : length;
    }
    append("\n", "");
}

// Without the sign of nan and 0, and without the rounding errors of a difference that should be 0.
static double tidy(double x) {
    return isnan(x) ? fabs(x) : fabs(x) < 1e-9 ? 0 : x;
}

void say_numbers(const char *label, const Group *groups, const double *numbers) {
    char text[200];
    snprintf(text, sizeof text, "    %-9s", label);
    append("%s", text);
    for (const Group *group = groups; group->count > 0; group++) {
        append("%s ", group == groups ? "" : ",");
        append(group->count > 1 ? "%s = (" : "%s = ", group->name);
        for (int i = 0; i < group->count; i++, numbers++) {
            snprintf(text, sizeof text, "%s%.6g", i > 0 ? ", " : "", tidy(*numbers));
            append("%s", text);
        }
        append(group->count > 1 ? ")" : "", "");
    }
    append("\n", "");
}

bool filled_in(const char *extra) {
    if (blank_line == 0) return true;
    printf("%-16s not filled in yet: FILL_IN in line %d%s\n", exercise_file, blank_line, extra);
    return false;
}

int end(const char *wrong) {
    printf("%-16s %s%s\n%s", exercise_file, wrong ? "WRONG: " : "right", wrong ? wrong : "", paragraphs);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

// --- numbers ---
// Numbers that look random, from -2 to 2 in steps of 0.1 and not 0; the same for the same test.
static void invent(double *in, int count, int test) {
    unsigned state = (unsigned)test * 747796405u + 2891336453u;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        const int step = (int)(state >> 16) % 40; // 0 to 39
        in[i] = (step < 20 ? step - 20 : step - 19) / 10.0;
    }
}

double slope(double (*f)(const double *in), const double *in, int index) {
    const double h = 1e-5;
    double moved[NUMBERS_MOST];
    memcpy(moved, in, sizeof moved);
    moved[index] = in[index] + h;
    const double more = f(moved);
    moved[index] = in[index] - h;
    return (more - f(moved)) / (2 * h);
}

bool close_to(double a, double b) {
    return fabs(a - b) <= 1e-7 * (1 + fabs(b));
}

static bool all_close(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++)
        if (!close_to(a[i], b[i])) return false;
    return true;
}

// --- one function ---
static void compute(Tried *tried, int test) {
    double *out = tried->yours[test];
    const double *in = tried->in[test];
    tried->check->right(tried->right[test], in);
    if (tried->in_place) in = memcpy(out, in, sizeof tried->in[test]);
    tried->check->yours(out, in);
}

void try_all(Tried *tried, const Check *check) {
    tried->check = check;
    tried->tests = check->tests ? check->tests : TESTS;
    tried->count = 0;
    for (const Group *group = check->out; group->count > 0; group++) tried->count += group->count;
    memset(tried->in, 0, sizeof tried->in);
    for (int test = 0; test < tried->tests; test++) {
        invent(tried->in[test], check->random, test);
        if (check->adapt) check->adapt(tried->in[test], test);
        compute(tried, test);
    }
}

int first_wrong(const Tried *tried, int at, int count) {
    for (int test = 0; test < tried->tests; test++)
        if (!all_close(tried->yours[test] + at, tried->right[test] + at, count)) return test;
    return -1;
}

void mistake_if(Guess *guess, bool fits, const char *sentence) {
    guess->sentences[guess->next] = sentence;
    if (!fits) guess->excluded[guess->next] = true;
    guess->next++;
}

void mistake(Guess *guess, const double *gives, const char *sentence) {
    mistake_if(guess, all_close(guess->yours + guess->at, gives, guess->count), sentence);
}

const char *recognise(const Tried *tried, int at, int count) {
    Guess guess = {0};
    const int step = tried->check->each ? 1 : count;
    for (int test = 0; test < tried->tests; test++)
        for (int i = at; i < at + count; i += step) {
            guess.yours = tried->yours[test];
            guess.right = tried->right[test];
            guess.at = i;
            guess.count = step;
            guess.next = 0;
            tried->check->mistakes(&guess, tried->in[test]);
        }
    for (int i = 0; i < guess.next; i++)
        if (!guess.excluded[i]) return guess.sentences[i];
    return NULL;
}

// A test with a result that is infinite or not a number; -1 if there is none.
static int not_finite(const Tried *tried) {
    for (int test = 0; test < tried->tests; test++)
        for (int i = 0; i < tried->count; i++)
            if (!isfinite(tried->yours[test][i])) return test;
    return -1;
}

// Is everything the same number of times too large?
static bool scaled(const Tried *tried, double factor) {
    for (int test = 0; test < tried->tests; test++)
        for (int i = 0; i < tried->count; i++)
            if (!close_to(tried->yours[test][i], factor * tried->right[test][i])) return false;
    return isfinite(factor) && fabs(factor) > 1e-6;
}

// What can be said of mistakes that are on no list.
static void say_general(const Tried *tried) {
    const char *name = tried->check->out[0].name;
    const double factor = tried->yours[0][0] / tried->right[0][0];
    char list[200] = "";
    int wrong = 0;
    if (not_finite(tried) >= 0) {
        say("A result is infinite or not a number (nan). Do you divide by 0, or take the root or logarithm of a "
            "negative number, or the logarithm of 0?");
        return;
    }
    if (scaled(tried, factor)) {
        say(close_to(factor, -1) ? "Everything has the wrong sign." : "Everything is %.6g times what it should be.",
            factor);
        return;
    }
    for (int i = 0; i < tried->count; i++)
        if (first_wrong(tried, i, 1) >= 0)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s[%d]", wrong++ ? ", " : "", name, i);
    if (wrong < tried->count) say("Wrong: %s. All the rest of %s is right.", list, name);
    if (tried->check->none_right && wrong == tried->count)
        say("%s", tried->check->none_right);
    else
        say("No mistake that this checker knows gives these numbers. Follow this example by hand:");
}

// Put `value` for as many as possible of the numbers that may become it, so that the example can be computed by hand.
static void simplify(Tried *tried, int test, double value) {
    int i = 0;
    for (const Group *group = tried->check->in; group->count > 0; group++)
        for (int n = 0; n < group->count; n++, i++) {
            double *number = &tried->in[test][i];
            const double before = *number;
            if (group->easy != (value > 0 ? value : 1) || before == 0) continue;
            *number = value;
            compute(tried, test);
            if (all_close(tried->yours[test], tried->right[test], tried->count)) *number = before;
        }
    compute(tried, test);
}

void say_example(const Tried *tried, int test) {
    say_numbers("input", tried->check->in, tried->in[test]);
    say_numbers("expected", tried->check->out, tried->right[test]);
    say_numbers("found", tried->check->out, tried->yours[test]);
}

static int report(Tried *tried, int wrong) {
    const char *sentence = tried->in_place ? tried->check->in_place : recognise(tried, 0, tried->count);
    const int test = not_finite(tried) >= 0 ? not_finite(tried) : wrong;
    if (sentence)
        say("%s", sentence);
    else
        say_general(tried);
    simplify(tried, test, 0.5);
    simplify(tried, test, 0);
    simplify(tried, test, 1);
    say_example(tried, test);
    return end(tried->check->name);
}

int check_exercise(const char *exercise, const Check *checks, int count) {
    static Tried tried; // large
    begin(exercise);
    for (int i = 0; i < count; i++) {
        char extra[200] = "";
        if (i > 0) snprintf(extra, sizeof extra, "; %s is right", checks[i - 1].name);
        for (int way = 0; way < (checks[i].in_place ? 2 : 1); way++) {
            tried.in_place = way == 1;
            try_all(&tried, &checks[i]);
            if (!filled_in(extra)) return EXIT_FAILURE;
            const int wrong = first_wrong(&tried, 0, tried.count);
            if (wrong >= 0) return (checks[i].report ? checks[i].report : report)(&tried, wrong);
        }
    }
    return end(NULL);
}
