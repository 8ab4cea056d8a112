#include "lesson/shared.h"

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
