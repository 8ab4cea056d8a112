#include "lesson/shared.h"

#include "lab/lesson/mistakes.h"

#include <math.h>

static char text[LESSON_TEXT];
static double numbers[LESSON_NUMBERS];
static int count;

char *lesson_text(void) {
    return text;
}

double *lesson_numbers(void) {
    return numbers;
}

int lesson_count(void) {
    return count;
}

double *lesson_array(double *array, int size) {
    count = size;
    return array;
}

int lesson_failed(const Error *error) {
    snprintf(text, sizeof text, "%s", error->message);
    return 1;
}

double lesson_no_number(const Error *error) {
    lesson_failed(error);
    return NAN;
}

double *lesson_no_array(const Error *error) {
    lesson_failed(error);
    return NULL;
}

bool lesson_break(Mix *mix, const char *name, Error *error) {
    static Planted wrong;
    const Mistake *mistake = mistake_find(name, error);
    Position *pos = &mix->part[0];
    if (!mistake) return false;
    if (pos->scheme != mistake->right)
        return fail_input(error, "the mistake '%s' is one of %s, not of %s", name, mistake->right->name,
                          pos->scheme->name);
    mistake_plant(&wrong, mistake);
    pos->scheme = &wrong.scheme;
    return true;
}
