#include "check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 90 // of a paragraph

static int blank_line; // where FILL_IN was reached; 0 = nowhere
static const char *exercise_file;
static char paragraphs[8000]; // what has been said

double blank(int line) {
    if (blank_line == 0) blank_line = line;
    return 0;
}

// --- what is printed ---
void begin(const char *file) {
    exercise_file = file;
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
void invent_numbers(double *in, int count, int test) {
    unsigned state = (unsigned)test * 747796405u + 2891336453u;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        const int step = (int)(state >> 16) % 40; // 0 to 39
        in[i] = (step < 20 ? step - 20 : step - 19) / 10.0;
    }
}

double slope(double (*f)(const double *in), const double *in, int index) {
    const double h = 1e-5;
    double moved[MOST];
    memcpy(moved, in, sizeof moved);
    moved[index] = in[index] + h;
    const double more = f(moved);
    moved[index] = in[index] - h;
    return (more - f(moved)) / (2 * h);
}

bool close_to(double a, double b) {
    return fabs(a - b) <= 1e-7 * (1 + fabs(b));
}

// --- one function ---
typedef struct {
    const Check *check;
    int count; // numbers that the function gives
    double in[TESTS][MOST], yours[TESTS][MOST], right[TESTS][MOST];
} Tried;

static void try(Tried *tried, const Check *it) {
    *tried = (Tried){.check = it};
    for (const Group *group = it->out; group->count > 0; group++) tried->count += group->count;
    for (int test = 0; test < TESTS; test++) {
        it->invent(tried->in[test], test);
        it->right(tried->right[test], tried->in[test]);
        it->yours(tried->yours[test], tried->in[test]);
    }
}

// Is output `index` the same in all tests? index -1: all outputs.
static bool same(double a[TESTS][MOST], double b[TESTS][MOST], int index, int count) {
    for (int test = 0; test < TESTS; test++)
        for (int i = 0; i < count; i++)
            if ((index < 0 || i == index) && !close_to(a[test][i], b[test][i])) return false;
    return true;
}

static const char *recognise(Tried *tried) {
    for (const Mistake *mistake = tried->check->mistakes; mistake->sentence; mistake++) {
        double gives[TESTS][MOST];
        for (int test = 0; test < TESTS && mistake->gives; test++) mistake->gives(gives[test], tried->in[test]);
        if (!mistake->gives || same(tried->yours, gives, -1, tried->count)) return mistake->sentence;
    }
    return NULL;
}

static bool all_finite(double numbers[TESTS][MOST], int count) {
    for (int test = 0; test < TESTS; test++)
        for (int i = 0; i < count; i++)
            if (!isfinite(numbers[test][i])) return false;
    return true;
}

// What can be said of mistakes that are on no list.
static void say_general(Tried *tried) {
    if (!all_finite(tried->yours, tried->count)) {
        say("A result is infinite or not a number (nan). Do you divide by 0, or take the root or logarithm of a "
            "negative number?");
        return;
    }
    const char *name = tried->check->out[0].name;
    char list[200] = "";
    bool some = false; // of the results are right
    const double factor = tried->yours[0][0] / tried->right[0][0];
    double scaled[TESTS][MOST];
    for (int test = 0; test < TESTS; test++)
        for (int i = 0; i < tried->count; i++) scaled[test][i] = factor * tried->right[test][i];
    if (isfinite(factor) && fabs(factor) > 1e-6 && same(tried->yours, scaled, -1, tried->count)) {
        say(close_to(factor, -1) ? "Everything has the wrong sign." : "Everything is %.6g times what it should be.",
            factor);
        return;
    }
    for (int i = 0, wrong = 0; i < tried->count; i++) {
        if (same(tried->yours, tried->right, i, tried->count)) continue;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s[%d]", wrong++ ? ", " : "", name, i);
        some = wrong < tried->count;
    }
    if (tried->count > 1 && some) say("Wrong: %s. All the rest of %s is right.", list, name);
    if (tried->check->none_right && !some)
        say("%s", tried->check->none_right);
    else
        say("No mistake that this checker knows gives these numbers. Follow this example by hand:");
}

static int worst_test(Tried *tried) {
    int worst = 0;
    double most = 0;
    for (int test = 0; test < TESTS; test++)
        for (int i = 0; i < tried->count; i++) {
            const double error = fabs(tried->yours[test][i] - tried->right[test][i]);
            if (isnan(error)) return test;
            if (error > most) most = error, worst = test;
        }
    return worst;
}

static bool wrong_for(const Tried *tried, const double *in) {
    double yours[MOST] = {0}, right[MOST] = {0};
    tried->check->yours(yours, in);
    tried->check->right(right, in);
    for (int i = 0; i < tried->count; i++)
        if (!close_to(yours[i], right[i])) return true;
    return false;
}

static void replace_if_still_wrong(const Tried *tried, double *in, int index, double value) {
    const double before = in[index];
    in[index] = value;
    if (!wrong_for(tried, in)) in[index] = before;
}

// Put zeros and ones for as many numbers as possible, so that the example can be computed by hand.
static void simplify(Tried *tried, int test) {
    const Check *it = tried->check;
    double *in = tried->in[test];
    if (it->half > 0) replace_if_still_wrong(tried, in, it->half, 0.5);
    for (int value = 0; value <= 1; value++)
        for (int i = it->simple; i < it->simple + it->simple_count; i++)
            if (in[i] != 0) replace_if_still_wrong(tried, in, i, value);
    it->yours(tried->yours[test], in);
    it->right(tried->right[test], in);
}

static bool is_right(Tried *tried) {
    return same(tried->yours, tried->right, -1, tried->count);
}

static int report(Tried *tried) {
    const Check *it = tried->check;
    const char *sentence = recognise(tried);
    const int test = worst_test(tried);
    if (sentence)
        say("%s", sentence);
    else
        say_general(tried);
    simplify(tried, test);
    say_numbers("input", it->in, tried->in[test]);
    say_numbers("expected", it->out, tried->right[test]);
    say_numbers("found", it->out, tried->yours[test]);
    return end(it->function);
}

int check_exercise(const char *file, const Check *checks, int count) {
    static Tried tried;
    begin(file);
    for (int i = 0; i < count; i++) {
        char extra[200] = "";
        if (i > 0) snprintf(extra, sizeof extra, "; %s is right", checks[i - 1].function);
        try(&tried, &checks[i]);
        if (!filled_in(extra)) return EXIT_FAILURE;
        if (!is_right(&tried)) return report(&tried);
    }
    return end(NULL);
}
