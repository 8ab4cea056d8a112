// Formulas: what they compute, their derivatives against differences, and what is wrong with those that are refused.
#include "posenc/formula/formula.h"
#include "tests/support/support.h"

#include <math.h>

static const Formula *parsed(const char *text) {
    Error error;
    const Formula *formula = formula_parse(text, NULL, &error);
    must(formula != NULL, &error);
    return formula;
}

static void set_reads(double reads[READS_COUNT], int n) {
    const double values[READS_COUNT] = {n, n, 8, 1, 4, n, n, 16, 64};
    memcpy(reads, values, sizeof values);
}

static double value_at(const char *text, int n) {
    double reads[READS_COUNT];
    set_reads(reads, n);
    return formula_value(parsed(text), reads, NULL);
}

static void values_are_those_of_the_formula(void **state) {
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"bias: 1 + 2 * d ^ 2", 19},
        {"bias: -d ^ 2", -9},
        {"bias: 2 ^ 3 ^ 2 - 500", 12},
        {"bias: d - 1 - 1", 1},
        {"bias: 12 / d / 2", 2},
        {"bias: 2 ^ -1", 0.5},
        {"bias: if(d < 3, 1, if(d <= 3, 2, 3)) + (d == 3) * 10 + (d != 3) * 100", 12},
        {"bias: (d > 2) + (d >= 4)", 1},
        {"bias: min(d, 2) + max(d, 5) + abs(-d) + floor(2.5)", 12},
        {"bias: sum(k, 1, 4, k * d)", 30},
        {"bias: sum(k, 0, 1, sum(j, 0, 2, k + j)) + 0 * d", 9},
        {"bias(x) = x * h + H + C + T", 87},
        {"angle(i) = i / n", 0.375},
        {"code(t, c) = t + 10 * c", 33},
        {"bias: y + 1; z = d * 2; y = z + 1 # in any order", 8},
        {"bias: s * d\ns = 2 fixed", 6},
        {"bias: cos(pi) * d", -3},
        {"bias: if(d > 0, log(d), 0) - log(3)", 0},
        {"bias: log2(8) + sqrt(d + 1) + exp(0) + sin(0) + tan(0) + tanh(0) + 2 * sigmoid(0) + softplus(0) - log(2)", 7},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const double value = value_at(cases[i].text, 3);
        if (!(fabs(value - cases[i].value) <= 1e-12)) fail_msg("%s: %g", cases[i].text, value);
    }
}

static void derivatives_agree_with_differences(void **state) {
    static const char *const texts[] = {
        "bias: -a * log(1 + b * d); a = 1; b = 0.5 > 0",
        "bias: sin(a * d) + cos(b * d) * tan(a) - a / b; a = 0.3; b = 0.7",
        "bias: exp(-a * d) + log2(b + d) + sqrt(a * b); a = 0.3; b = 0.7",
        "bias: abs(a - d) + min(a, b) + max(a * d, b) + floor(a); a = 0.3; b = 0.7",
        "bias: tanh(a) * sigmoid(b * d) + softplus(-a); a = 0.3; b = 0.7",
        "bias: a * d ^ b + b ^ a - 2 ^ b; a = 0.3; b = 0.7",
        "bias: if(d < 2, a, if(a < b, b * b, 1 / a)); a = 0.3; b = 0.7",
        "bias: sum(k, 1, 3, a ^ k * x) - x; x = b * d; a = 0.3; b = 0.7",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        for (int d = 0; d < 5; d++) {
            const Formula *formula = parsed(texts[i]);
            double reads[READS_COUNT], params[2], gradients[2] = {0};
            set_reads(reads, d);
            assert_int_equal(formula->params, 2);
            for (int p = 0; p < 2; p++) params[p] = formula_start(formula, p, reads);
            formula_backward(gradients, formula, 2, reads, params);
            for (int p = 0; p < 2; p++) {
                const double start = params[p], step = 1e-6;
                params[p] = start + step;
                const double above = formula_value(formula, reads, params);
                params[p] = start - step;
                const double slope = 2 * (above - formula_value(formula, reads, params)) / (2 * step);
                params[p] = start;
                if (!(fabs(slope - gradients[p]) <= 1e-7 * fmax(1, fabs(slope))))
                    fail_msg("%s at %d, parameter %d: %.9g instead of %.9g", texts[i], d, p, gradients[p], slope);
            }
        }
}

// Each with its line, its column and a word of what is wrong.
static void mistakes_are_told_with_their_place(void **state) {
    const struct {
        const char *text, *where, *what;
    } cases[] = {
        {"", "line 1, column 1", "bias(d) ="},
        {"a = 1", "line 1, column 6", "bias(d) ="},
        {"bias(d) = q * d", "line 1, column 11", "no 'q'"},
        {"bias(d) = d\n\n# a remark\na = 1", "line 4, column 1", "nothing reads 'a'"},
        {"bias(d) = (d", "line 1, column 13", "')'"},
        {"bias(d) = d)", "line 1, column 12", "end of the line"},
        {"bias(d) = d ** 2", "line 1, column 14", "a number, a name"},
        {"bias(d) = d +", "line 1, column 14", "a number, a name"},
        {"bias(d) = foo(d)", "line 1, column 11", "no function 'foo'"},
        {"bias(d) = min(d)", "line 1, column 16", "','"},
        {"bias(d) = sin(d, d)", "line 1, column 16", "')'"},
        {"bias(d) = 1 / 0 * d", "line 1, column 13", "division by zero"},
        {"bias(d) = log(0 - 1) * d", "line 1, column 11", "negative number"},
        {"bias(d) = 1e999 * d", "line 1, column 11", "too large"},
        {"bias(d) = a * d\na = 1 per haed", "line 2, column 7", "per head"},
        {"bias(d) = a * d\na = d per head", "line 2", "cannot depend"},
        {"bias(d) = a * d\na = 1 > 2 < 1", "line 2", "bounds"},
        {"bias(d) = a * d\na = 1 > d", "line 2, column 9", "number"},
        {"bias(d) = a\na = b * d\nb = a + d", "line 3, column 5", "defined by itself"},
        {"bias(d) = d\nbias(d) = d", "line 2, column 1", "has one"},
        {"bias(d) = a * d\na = 1\na = 2", "line 3, column 1", "a line already"},
        {"bias(d) = d\nh = 2", "line 2, column 1", "another name"},
        {"bias(d) = d\nsin = 2", "line 2, column 1", "function"},
        {"code(t) = t", "line 1, column 7", "','"},
        {"code(t, c) = h * t", "line 1, column 14", "no 'h'"},
        {"code(t, c) = a * t; a = 1 per head", "line 1, column 24", "no heads"},
        {"curve(d) = d", "line 1, column 1", "bias(d), angle(i) or code(t, c)"},
        {"bias(d) = sum(k, 1, d, k)", "line 1, column 21", "whole number"},
        {"bias(d) = sum(k, 3, 1, k)", "line 1, column 11", "ends before"},
        {"bias(d) = sum(k, 1, 100000, k * d)", "line 1", "operations"},
        {"bias(d) = a_name_that_is_much_too_long * d", "line 1, column 11", "letters"},
        {"bias(d) = ((((((((((((((((((((((((((((((((((((((((((((((((((((d", "line 1", "in each other"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Error error;
        if (formula_parse(cases[i].text, "mine.pos", &error)) fail_msg("taken: %s", cases[i].text);
        if (error.kind != ERROR_INPUT || !strstr(error.message, "mine.pos") || !strstr(error.message, cases[i].where) ||
            !strstr(error.message, cases[i].what))
            fail_msg("%s: no '%s' with '%s' in: %s", cases[i].text, cases[i].where, cases[i].what, error.message);
    }
}

// A character of a good text is left out, doubled or another: it is read, or refused with a place.
static void damaged_texts_are_read_or_refused(void **state) {
    static const char good[] = "bias(d) = -a * log(1 + b * d) + if(d < 3, x, min(x, 2)); a = 1 per head, > 0\n"
                               "b = 0.5 per layer, >= 0.1, < 9 # remark\nx = sum(k, 1, 3, k * d) / H",
                      others[] = "(){},;:=#*+-^<>9.az \n";
    int refused = 0;
    for (size_t at = 0; at < strlen(good); at++)
        for (size_t kind = 0; kind < 2 + strlen(others); kind++) {
            char text[2 * sizeof good];
            Error error;
            snprintf(text, sizeof text, "%.*s%s", (int)(at + (kind == 1)), good, good + at + (kind != 1));
            if (kind >= 2) snprintf(text, sizeof text, "%.*s%c%s", (int)at, good, others[kind - 2], good + at + 1);
            const Formula *formula = formula_parse(text, NULL, &error);
            if (formula) { // in one line it is the same
                const Formula *again = formula_parse(formula->text, NULL, &error);
                if (again != formula) fail_msg("%s: %s", formula->text, again ? again->text : error.message);
            } else if (error.kind != ERROR_INPUT || !strstr(error.message, "line ")) {
                fail_msg("%s: %s", text, error.message);
            }
            refused += !formula;
        }
    assert_true(refused >= 200);
}

static void what_is_not_finite_is_found(void **state) {
    const struct {
        const char *text;
        int n;
        const char *why;
    } cases[] = {{"bias: 1 / d", 0, "division by zero"},  {"bias: log(d)", 0, "logarithm of 0"},
                 {"bias: log(1 - d)", 2, "negative"},     {"bias: sqrt(1 - d)", 2, "square root"},
                 {"bias: exp(d * d)", 40, "overflow"},    {"bias: (1 - d) ^ 0.5", 2, "power"},
                 {"bias: d ^ -1", 0, "division by zero"}, {"bias: if(d > 1, 1 / (d - 2), 0)", 2, "division by zero"},
                 {"bias: if(d > 0, log(d), 0)", 0, NULL}, {"bias: 0 * log(d)", 0, "logarithm of 0"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *why = NULL;
        double reads[READS_COUNT];
        int at;
        set_reads(reads, cases[i].n);
        const bool finite = formula_finite(parsed(cases[i].text), reads, NULL, &why, &at);
        if (finite != !cases[i].why || (!finite && !strstr(why, cases[i].why)))
            fail_msg("%s: %s", cases[i].text, finite ? "finite" : why);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_formula),    cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(mistakes_are_told_with_their_place), cmocka_unit_test(damaged_texts_are_read_or_refused),
        cmocka_unit_test(what_is_not_finite_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
