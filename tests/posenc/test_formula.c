// Formulas: their values, their derivatives compared with differences, and the messages about refused ones.
#include "posenc/formula/formula.h"
#include "tests/support/support.h"

#include <ctype.h>
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
        {"bias(d): 1 + d", 4},
        {"code(t, c) = t + 10 * c", 33},
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
        {"bias( d ) = d * h + H + C + T", 87},
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
            double reads[READS_COUNT], params[FORMULA_PARAMS], gradients[FORMULA_PARAMS] = {0};
            set_reads(reads, d);
            assert_int_equal(formula->params, 2);
            FormulaFault fault;
            if (!formula_starts(params, &fault, formula, reads)) fail_msg("%s: %s", texts[i], fault.why);
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

// Each mistake is reported with its line, its column and a word about what is wrong.
static void mistakes_are_told_with_their_place(void **state) {
    const struct {
        const char *text, *where, *what;
    } cases[] = {
        {"", "line 1, column 1", "bias(d) ="},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", "column 1",
         "name"},
        {"bias: \x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
         "column 7", "here"},
        {"a = 1", "line 1, column 6", "bias(d) ="},
        {"bias(d) = q * d", "line 1, column 11", "no 'q'"},
        {"bias(d) = d\n\n# a remark\na = 1", "line 4, column 1", "nothing reads 'a'"},
        {"bias(d) = 2 * (d", "line 1, column 15", "not closed"},
        {"bias: -a * log(1 + d; a = 1", "line 1, column 15", "not closed"},
        {"bias(d) = log(1 + d\na = 1", "line 1, column 14", "not closed"},
        {"bias(d) = d)", "line 1, column 12", "too many"},
        {"bias: -a * (1 + d)); a = 1", "line 1, column 19", "too many"},
        {"bias: -a * d a = 1", "line 1, column 14", "';' is missing"},
        {"bias(d) = a * d\na = 1 b = 2", "line 2, column 7", "';' is missing"},
        {"bias: d = 1", "line 1, column 7", "'=='"},
        {"bias: if(d = 1, 1, 0)", "line 1, column 12", "== to compare"},
        {"bias(d) = d ** 2", "line 1, column 13", "write x ^ y"},
        {"bias: pow(d, 2)", "line 1, column 7", "write x ^ y"},
        {"bias: ln(1 + d)", "line 1, column 7", "write log(x)"},
        {"bias: log10(1 + d)", "line 1, column 7", "log(x) / log(10)"},
        {"bias: e^(-d)", "line 1, column 7", "write exp(x)"},
        {"bias: d % 2", "line 1, column 9", "floor(x / y)"},
        {"bias: mod(d, 2)", "line 1, column 7", "floor(x / y)"},
        {"bias: -|d|", "line 1, column 8", "abs(x)"},
        {"bias: if(d > 1 && d < 3, 1, 0)", "line 1, column 16", "product of comparisons"},
        {"bias: if(d > 1 and d < 3, 1, 0)", "line 1, column 16", "product of comparisons"},
        {"bias: if(d > 1 or d < 3, 1, 0)", "line 1, column 16", "max(a, b)"},
        {"bias: \xe2\x88\x92"
         "d",
         "line 1, column 7", "minus of the keyboard"},
        {"bias: 2\xc3\x97"
         "d",
         "line 1, column 8", "write *"},
        {"bias: \xbf\xbf", "line 1, column 7 ('", "a number, a name"},
        {"bias(d) = d +", "line 1, column 14", "a number, a name"},
        {"bias(d) = foo(d)", "line 1, column 11", "no function 'foo'; there are sum, if, sin"},
        {"bias(d) = min(d)", "line 1, column 16", "','"},
        {"bias(d) = sin(d, d)", "line 1, column 16", "')'"},
        {"bias(d) = 1 / 0 * d", "line 1, column 13", "division by zero"},
        {"bias(d) = log(0 - 1) * d", "line 1, column 11", "negative number"},
        {"bias(d) = 1e999 * d", "line 1, column 11", "too large"},
        {"bias(d) = a * d\na = 1 per haed", "line 2, column 7", "per head"},
        {"bias(d) = a * d\na = d per head", "line 2", "cannot depend"},
        {"bias(d) = a * d\na = 1 > 2 < 1", "line 2", "bounds"},
        {"bias(d) = a * d\na = 2 > 3 > 1", "line 2, column 4", "the start 2 is outside of its bounds"},
        {"bias: -.", "column 8 ('.')", "a number"},
        {"bias: 0x10 * d", "column 8 ('x10", "an operator"},
        {"bias: sum(d, 1, 20, d)", "column 11 ('d, 1", "what the formula reads"},
        {"bias(d) = a * d\na = 1 fixed, < 5", "line 2, column 4", "'fixed' goes with no bound"},
        {"bias(d) = a * d\na = 1 > 5", "line 2, column 4", "the start 1 is outside of its bounds, > 5"},
        {"bias(d) = a * d\na = 1e39", "line 2, column 4", "the start 1e+39 is too large"},
        {"bias(d) = a * d\na = h + 1 per layer", "line 2, column 4", "add 'per head'"},
        {"bias(d) = a * d\na = 1 > d", "line 2, column 9", "number"},
        {"bias(d) = a\na = b * d\nb = a + d", "line 3, column 5", "defined by itself"},
        {"bias(d) = d\nbias(d) = d", "line 2, column 1", "has one"},
        {"bias(d) = a * d\na = 1\na = 2", "line 3, column 1", "a line already"},
        {"bias(d) = d\nh = 2", "line 2, column 1", "another name"},
        {"bias(d) = d\nsin = 2", "line 2, column 1", "function"},
        {"bias: a * d; d = 1", "line 1, column 14", "choose another name"},
        {"bias(d) = a * d\nd = 1", "line 2, column 1", "choose another name"},
        {"bias(d) = d\npi = 3", "line 2, column 1", "constant"},
        {"bias: 1; pi = 3", "line 1, column 10", "constant"},
        {"bias(h) = h", "line 1, column 6", "bias(d)"},
        {"bias: sum(T, 1, 3, T)", "line 1", "choose another name"},
        {"code(c, t) = c", "line 1, column 6", "code(t, c)"},
        {"code(t, t) = t", "line 1, column 9", "code(t, c)"},
        {"bias = -d", "line 1", "here should be bias(d) ="},
        {"Bias: -d", "line 1, column 1", "bias(d), angle(i) or code(t, c)"},
        {"BIAS(d) = -d", "line 1, column 1", "bias(d), angle(i) or code(t, c)"},
        {"rope+bias: -d", "line 1, column 1", "rope+{bias: -d}"},
        {"code(t) = t", "line 1, column 7", "','"},
        {"code(t, c) = h * t", "line 1, column 14", "no 'h'"},
        {"code(t, c) = a * t; a = 1 per head", "line 1, column 24", "no heads"},
        {"curve(d) = d", "line 1, column 1", "bias(d), angle(i) or code(t, c)"},
        {"bias(d) = sum(k, 1, d, k)", "line 1, column 21", "whole number"},
        {"bias(d) = sum(k, 1, T, k)", "line 1, column 21", "constant whole number"},
        {"bias(d) = sum(k, 1, 1000000000, k)", "line 1, column 21", "at most 1000000"},
        {"bias(d) = sum(k, 3, 1, k)", "line 1, column 11", "ends before"},
        {"bias(d) = sum(k, 1, 100000, k * d)", "line 1", "operations"},
        {"bias(d) = a_name_that_is_much_too_long * d", "line 1, column 11", "letters"},
        {"bias(d) = "
         "((((((((((((((((((((((((((((((((((((((((((((((((((((d))))))))))))))))))))))))))))))))))))))))))))))))))))",
         "line 1", "in each other"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Error error;
        char where[64]; // "column 1" is not in "column 10 ("
        const char last = cases[i].where[strlen(cases[i].where) - 1];
        snprintf(where, sizeof where, "%s%s", cases[i].where,
                 strstr(cases[i].where, "column") && !strchr(cases[i].where, '(') && isdigit(last) ? " (" : "");
        if (formula_parse(cases[i].text, "mine.pos", &error)) fail_msg("taken: %s", cases[i].text);
        if (error.kind != ERROR_INPUT || !strstr(error.message, "mine.pos") || !strstr(error.message, where) ||
            !strstr(error.message, cases[i].what))
            fail_msg("%s: no '%s' with '%s' in: %s", cases[i].text, where, cases[i].what, error.message);
    }
}

// A character of a good text is left out, doubled or replaced: the text is read, or refused with a place.
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

// All in the range of float: values, derivatives with respect to a parameter, and starts of parameters.
static void what_is_not_finite_is_found(void **state) {
    const struct {
        const char *text;
        int n;
        const char *why;
    } cases[] = {{"bias: 1 / d", 0, "division by zero"},
                 {"bias: log(d)", 0, "logarithm of 0"},
                 {"bias: log(1 - d)", 2, "negative"},
                 {"bias: sqrt(1 - d)", 2, "square root"},
                 {"bias: exp(d * d)", 10, "overflow"},
                 {"bias: exp(d * d)", 9, NULL},
                 {"bias: log(exp(d * d))", 20, NULL}, // only the value becomes a float
                 {"bias: log(exp(d * d))", 40, "overflow"},
                 {"bias: (1 - d) ^ 0.5", 2, "power"},
                 {"bias: d ^ -1", 0, "division by zero"},
                 {"bias: if(d > 1, 1 / (d - 2), 0)", 2, "division by zero"},
                 {"bias: if(d > 0, log(d), 0)", 0, NULL},
                 {"bias: 0 * log(d)", 0, "logarithm of 0"},
                 {"bias: d / a; a = 0", 1, "division by zero"},
                 {"bias: a * exp(d); a = 1", 89, "overflow"},
                 {"bias: -d * sqrt(a); a = 0", 1, "derivative with respect to a is infinite"},
                 {"bias: (-2)^a * d; a = 2", 1, "derivative with respect to a is not defined"},
                 {"bias: -d * sqrt(a); a = 0", 0, NULL},
                 {"bias: tanh(a * exp(d)); a = 0", 100, "derivative with respect to a is too large"},
                 {"bias: a * d; a = log(h - 1) per head", 1, "logarithm of 0"},
                 {"bias: a * d; a = h - 1 per head, > 0", 1, "outside of its bounds"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        FormulaFault fault;
        const Formula *formula = parsed(cases[i].text);
        double reads[READS_COUNT], params[FORMULA_PARAMS];
        set_reads(reads, cases[i].n);
        const bool finite =
            formula_starts(params, &fault, formula, reads) && formula_finite(&fault, formula, reads, params, true);
        if (finite != !cases[i].why || (!finite && !strstr(fault.why, cases[i].why)))
            fail_msg("%s: %s", cases[i].text, finite ? "finite" : fault.why);
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
