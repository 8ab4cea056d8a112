// The module in double precision.
#include "lab/lesson/picture.h"
#include "lesson/shared.h"
#include "model/gradcheck.h"

#include <stdlib.h>

#define TOLERANCE 1e-6

static const GradcheckSettings settings = {.B = 2, .T = 20, .seed = 1};
static const Shape shape = {.vocab = 11, .context = 20, .layers = 2, .heads = 2, .width = 8};

int lesson_gradcheck(void) {
    char *text = lesson_text();
    Error error;
    Position pos;
    GradientError *errors;
    int count;
    if (!position_create(&pos, text, &shape, &error) || !gradcheck(&errors, &count, &pos, &settings, &error))
        return lesson_failed(&error);
    int used = 0;
    for (int i = 0; i < count && used < LESSON_TEXT; i++)
        used += snprintf(text + used, (size_t)(LESSON_TEXT - used), "%s\t%.2e\t%s\n", errors[i].name, errors[i].worst,
                         errors[i].worst <= TOLERANCE ? "ok" : "FAILED");
    free(errors);
    return 0;
}

int lesson_lengths(double *lengths, int keys, int pair, int positions) {
    Error error;
    return picture_lengths(lengths, lesson_text(), keys, pair, positions, &error) ? 0 : lesson_failed(&error);
}
