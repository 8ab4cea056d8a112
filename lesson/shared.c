#include "lesson/shared.h"

#include "lab/lesson/mistakes.h"

static char text[LESSON_TEXT];
static double numbers[LESSON_NUMBERS];

char *lesson_text(void) {
    return text;
}

double *lesson_numbers(void) {
    return numbers;
}

int lesson_failed(const Error *error) {
    snprintf(text, sizeof text, "%s", error->message);
    return 1;
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
