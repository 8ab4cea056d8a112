// The module in double precision.
#include "lab/lesson/checks.h"
#include "lab/lesson/mistakes.h"
#include "lab/lesson/pair.h"
#include "lesson/shared.h"
#include "model/gradcheck.h"

#include <stdarg.h>
#include <stdlib.h>

static const GradcheckSettings settings = {.B = 2, .T = 20, .seed = 1};
static const Shape shape = {.vocab = 11, .context = 20, .layers = 2, .heads = 2, .width = 8};

// Append a line to the text, which holds `*used` bytes. What does not fit is cut.
static void add_line(int *used, const char *format, ...) FORMAT_CHECK(2, 3);
static void add_line(int *used, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(lesson_text() + *used, (size_t)(LESSON_TEXT - *used), format, arguments);
    va_end(arguments);
    *used = length < LESSON_TEXT - *used ? *used + length : LESSON_TEXT - 1;
}

// Set up the scheme of "NAME[:key=value,...] [broken=MISTAKE]", cutting the text in two.
static bool parse_scheme(Mix *mix, char *text, Error *error) {
    char *behind = strrchr(text, '}'), *broken = strstr(behind ? behind : text, " broken=");
    if (broken) *broken = 0;
    return mix_parse(mix, text, error) && (!broken || lesson_break(mix, broken + strlen(" broken="), error)) &&
           mix_fit(mix, &shape, error);
}

int lesson_gradcheck(void) {
    Error error;
    Mix pos;
    GradientError *errors;
    int count, used = 0;
    if (!parse_scheme(&pos, lesson_text(), &error) || !gradcheck(&errors, &count, &pos, &settings, &error))
        return lesson_failed(&error);
    for (int i = 0; i < count; i++)
        add_line(&used, "%s\t%.2e\t%s\n", errors[i].name, errors[i].worst,
                 errors[i].worst <= checks[CHECK_GRADIENT].tolerance ? "ok" : "FAILED");
    free(errors);
    return 0;
}

static Mix own; // its only part is the last formula that lesson_formula accepted

int lesson_formula(void) {
    static const Shape trained = {.vocab = 256, .context = 64, .layers = 2, .heads = 4, .width = 64};
    static real params[FORMULA_PARAMS][2 * 4]; // by layers and heads
    Error error;
    Mix made;
    char braced[LESSON_TEXT];
    const Formula *formula = formula_parse(lesson_text(), NULL, &error);
    if (formula) snprintf(braced, sizeof braced, "{%s}", formula->text);
    if (!formula || !mix_create(&made, braced, &trained, &error)) return lesson_failed(&error);
    own = made;
    for (int p = 0; p < formula->params; p++) own.part[0].params[p] = params[p];
    written_init(&own.part[0], 0);
    int used = 0;
    add_line(&used, "%d\t%s\n", formula->form, formula->text);
    for (int p = 0; p < formula->params; p++) {
        add_line(&used, "%s\t%.17g\t%.17g", formula->param[p].name, formula->param[p].least, formula->param[p].most);
        for (int h = 0; h < trained.heads; h++) add_line(&used, "\t%.17g", written_begin(&own.part[0], 0, h).params[p]);
        add_line(&used, "\n");
    }
    return 0;
}

void lesson_formula_at(double *values, const double *params, int head, int channel, int count) {
    const int P = own.part[0].written->params;
    Written at = written_begin(&own.part[0], 0, head);
    memcpy(at.params, params, (size_t)P * sizeof *params);
    at.reads[READS_CHANNEL] = channel;
    for (int n = 0; n < count; n++) {
        at.reads[READS_DISTANCE] = at.reads[READS_PAIR] = at.reads[READS_TOKEN] = n; // a form reads one of them
        memset(at.gradients, 0, sizeof at.gradients);
        written_backward(&at, 1);
        *values++ = written_value(&at);
        for (int p = 0; p < P; p++) {
            Written above = at, below = at;
            above.params[p] += 1e-5;
            below.params[p] -= 1e-5;
            *values++ = at.gradients[p];
            *values++ = (written_value(&above) - written_value(&below)) / 2e-5;
        }
    }
}

int lesson_mistakes(void) {
    int used = 0;
    for (const Mistake *m = mistakes; m->name; m++)
        add_line(&used, "%s\t%s\t%s\n", m->name, m->sentence, m->right->name);
    return 0;
}

int lesson_checks(void) {
    Error error;
    Mix pos;
    const Mistake *mistake = mistake_find(lesson_text(), &error);
    if (!mistake || !mix_parse(&pos, mistake->right->name, &error) || !lesson_break(&pos, mistake->name, &error) ||
        !mix_fit(&pos, &shape, &error))
        return lesson_failed(&error);
    int used = 0;
    for (Check check = 0; check < CHECKS; check++) {
        CheckResult result;
        char found[32] = "-";
        if (!check_run(&result, check, &pos, &error)) return lesson_failed(&error);
        if (result.applies) snprintf(found, sizeof found, "%.2e", result.error);
        add_line(&used, "%s\t%s\t%s\t%g\t%s\n", checks[check].name, checks[check].tells, found, checks[check].tolerance,
                 check_notices(&result, check) ? "NOTICED" : "ok");
    }
    return 0;
}

int lesson_lengths(double *lengths, int keys, int pair, int positions) {
    Error error;
    return picture_lengths(lengths, lesson_text(), keys, pair, positions, &error) ? 0 : lesson_failed(&error);
}
