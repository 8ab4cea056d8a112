#include "posenc/formula/formula.h"

#include <assert.h>
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// clang-format off
typedef enum {
    OP_NUMBER, OP_READ, OP_PARAM, // without operands: a number, one of Reads, a parameter
    OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE, OP_POWER, OP_NEGATE, OP_LESS, OP_AT_MOST, OP_EQUAL, OP_UNEQUAL,
    OP_IF, OP_SIN, OP_COS, OP_TAN, OP_EXP, OP_LOG, OP_LOG2, OP_SQRT, OP_ABS, OP_MIN, OP_MAX, OP_FLOOR, OP_TANH,
    OP_SIGMOID, OP_SOFTPLUS, OP_COUNT
} Op;
// clang-format on

// Those from OP_IF on, with their operands.
static const struct {
    const char *name;
    int operands;
} functions[] = {
    {"if", 3},  {"sin", 1}, {"cos", 1}, {"tan", 1},   {"exp", 1},  {"log", 1},     {"log2", 1},     {"sqrt", 1},
    {"abs", 1}, {"min", 2}, {"max", 2}, {"floor", 1}, {"tanh", 1}, {"sigmoid", 1}, {"softplus", 1},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };
static_assert(OP_IF + FUNCTIONS == OP_COUNT, "each function has its Op");

static int operands_of(Op op) {
    if (op >= OP_IF) return functions[op - OP_IF].operands;
    return op <= OP_PARAM ? 0 : op == OP_NEGATE ? 1 : 2;
}

// --- the value, and its derivative ---

static double sigmoid(double a) {
    return 1 / (1 + exp(-a));
}

// clang-format off

// One operation on a, b and c.
static double operate(Op op, double a, double b, double c) {
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUBTRACT: return a - b;
    case OP_MULTIPLY: return a * b;
    case OP_DIVIDE: return a / b;
    case OP_POWER: return pow(a, b);
    case OP_NEGATE: return -a;
    case OP_LESS: return a < b;
    case OP_AT_MOST: return a <= b;
    case OP_EQUAL: return a == b;
    case OP_UNEQUAL: return a != b;
    case OP_IF: return a != 0 ? b : c;
    case OP_SIN: return sin(a);
    case OP_COS: return cos(a);
    case OP_TAN: return tan(a);
    case OP_EXP: return exp(a);
    case OP_LOG: return log(a);
    case OP_LOG2: return log2(a);
    case OP_SQRT: return sqrt(a);
    case OP_ABS: return fabs(a);
    case OP_MIN: return a < b ? a : b;
    case OP_MAX: return a > b ? a : b;
    case OP_FLOOR: return floor(a);
    case OP_TANH: return tanh(a);
    case OP_SIGMOID: return sigmoid(a);
    case OP_SOFTPLUS: return a > 0 ? a + log1p(exp(-a)) : log1p(exp(a));
    default: assert(!"an operation without operands"); return NAN;
    }
}

// d[k] = the derivative of y = operate(op, a, b, c) with respect to its operand k. Steps (comparisons, floor) have the
// derivative 0, and corners (abs, min, max) that of one of their sides.
static void operate_backward(double d[3], Op op, double a, double b, double y) {
    d[0] = d[1] = d[2] = 0;
    switch (op) {
    case OP_ADD: d[0] = 1, d[1] = 1; break;
    case OP_SUBTRACT: d[0] = 1, d[1] = -1; break;
    case OP_MULTIPLY: d[0] = b, d[1] = a; break;
    case OP_DIVIDE: d[0] = 1 / b, d[1] = -y / b; break;
    case OP_POWER: // a^b = exp(b log a); 0^b is 0 for every b > 0
        d[0] = b == 0 ? 0 : b * pow(a, b - 1);
        d[1] = a > 0 ? y * log(a) : a == 0 ? 0 : NAN; // no power of a negative number changes smoothly
        break;
    case OP_NEGATE: d[0] = -1; break;
    case OP_IF: d[a != 0 ? 1 : 2] = 1; break;
    case OP_SIN: d[0] = cos(a); break;
    case OP_COS: d[0] = -sin(a); break;
    case OP_TAN: d[0] = 1 + y * y; break;
    case OP_EXP: d[0] = y; break;
    case OP_LOG: d[0] = 1 / a; break;
    case OP_LOG2: d[0] = 1 / (a * log(2)); break;
    case OP_SQRT: d[0] = 0.5 / y; break;
    case OP_ABS: d[0] = a < 0 ? -1 : 1; break;
    case OP_MIN: d[a < b ? 0 : 1] = 1; break;
    case OP_MAX: d[a > b ? 0 : 1] = 1; break;
    case OP_TANH: d[0] = 1 - y * y; break;
    case OP_SIGMOID: d[0] = y * (1 - y); break;
    case OP_SOFTPLUS: d[0] = sigmoid(a); break;
    default: break;
    }
}

// Forward: the values y (last + 1) of the operations up to `last`, in the order in which they stand.
static void forward(double *y, const Formula *formula, int last, const double reads[READS_COUNT],
                    const double *params) {
    for (int n = 0; n <= last; n++) {
        const FormulaNode *node = &formula->nodes[n];
        switch ((Op)node->op) {
        case OP_NUMBER: y[n] = node->number; break;
        case OP_READ: y[n] = reads[node->of[0]]; break;
        case OP_PARAM: y[n] = params ? params[node->of[0]] : NAN; break;
        default: y[n] = operate((Op)node->op, y[node->of[0]], y[node->of[1]], y[node->of[2]]);
        }
    }
}

// clang-format on

double formula_value(const Formula *formula, const double reads[READS_COUNT], const double *params) {
    double y[FORMULA_NODES];
    forward(y, formula, formula->value, reads, params);
    return y[formula->value];
}

// Backward goes through the same operations from the last to the first: when it comes to one, everything that used its
// value has added to its gradient dy, and it passes dy on to its operands by the chain rule. An operation whose
// gradient is 0, such as what an `if` did not choose, passes nothing on: 0 times an infinite slope is no number.
void formula_backward(double *dparams, const Formula *formula, double dvalue, const double reads[READS_COUNT],
                      const double *params) {
    double y[FORMULA_NODES], dy[FORMULA_NODES];
    forward(y, formula, formula->value, reads, params);
    for (int n = 0; n <= formula->value; n++) dy[n] = 0;
    dy[formula->value] = dvalue;
    for (int n = formula->value; n >= 0; n--) {
        const FormulaNode *node = &formula->nodes[n];
        if (dy[n] == 0) continue;
        if (node->op == OP_PARAM) dparams[node->of[0]] += dy[n];
        if (node->op <= OP_PARAM) continue; // without operands
        double d[3];
        operate_backward(d, (Op)node->op, y[node->of[0]], y[node->of[1]], y[n]);
        for (int k = 0; k < operands_of((Op)node->op); k++)
            if (d[k] != 0) dy[node->of[k]] += d[k] * dy[n];
    }
}

// Does operation `last` depend on one of these: bits 1 << Reads, or OF_PARAMS, a parameter?
#define OF_PARAMS (1u << READS_COUNT)
#define VARYING   (1u << READS_DISTANCE | 1u << READS_PAIR | 1u << READS_TOKEN | 1u << READS_CHANNEL | OF_PARAMS)
static bool depends(const Formula *f, int last, unsigned on) {
    bool does[FORMULA_NODES];
    for (int n = 0; n <= last; n++) {
        const FormulaNode *node = &f->nodes[n];
        does[n] = (node->op == OP_READ && on >> node->of[0] & 1) || (node->op == OP_PARAM && on & OF_PARAMS);
        for (int k = 0; k < operands_of((Op)node->op); k++) does[n] |= does[node->of[k]];
    }
    return does[last];
}

bool formula_reads(const Formula *formula, Reads what) {
    return depends(formula, formula->value, 1u << what);
}

bool formula_by_head(const Formula *formula) {
    for (int p = 0; p < formula->params; p++)
        if (formula->param[p].by_head) return true;
    return formula_reads(formula, READS_HEAD);
}

// Why an operation on finite numbers has no finite value.
static const char *reason(Op op, double a, double b) {
    if (op == OP_DIVIDE && b == 0) return "division by zero";
    if (op == OP_POWER && a == 0 && b < 0) return "division by zero: 0 to a negative power";
    if (op == OP_POWER && a < 0 && b != floor(b)) return "a negative number to a power that is not whole";
    if ((op == OP_LOG || op == OP_LOG2) && a == 0) return "the logarithm of 0";
    if ((op == OP_LOG || op == OP_LOG2) && a < 0) return "the logarithm of a negative number";
    if (op == OP_SQRT && a < 0) return "the square root of a negative number";
    return "a number too large (overflow)";
}

static bool fits_float(double y) {
    return fabs(y) <= (double)FLT_MAX; // which NaN does not
}

// Are the values that operation `last` needs finite? Between operations they are double; the last becomes a float.
static bool finite_up_to(FormulaFault *fault, const Formula *formula, int last, const double reads[READS_COUNT],
                         const double *params) {
    double y[FORMULA_NODES];
    bool needed[FORMULA_NODES] = {false};
    forward(y, formula, last, reads, params);
    needed[last] = true;
    for (int n = last; n >= 0; n--) {
        const FormulaNode *node = &formula->nodes[n];
        for (int k = 0; needed[n] && k < operands_of((Op)node->op); k++)
            needed[node->of[k]] |= node->op != OP_IF || k == 0 || k == (y[node->of[0]] != 0 ? 1 : 2);
    }
    for (int n = 0; n <= last; n++) {
        const FormulaNode *node = &formula->nodes[n];
        if (!needed[n] || (n == last ? fits_float(y[n]) : isfinite(y[n]))) continue;
        const char *why = reason((Op)node->op, y[node->of[0]], y[node->of[1]]);
        snprintf(fault->why, sizeof fault->why, "%s", why);
        fault->at = node->at;
        return false;
    }
    return true;
}

bool formula_starts(double params[FORMULA_PARAMS], FormulaFault *fault, const Formula *formula,
                    const double reads[READS_COUNT]) {
    for (int p = 0; p < formula->params; p++) {
        const FormulaParam *param = &formula->param[p];
        double y[FORMULA_NODES];
        if (!finite_up_to(fault, formula, param->start, reads, NULL)) return false;
        forward(y, formula, param->start, reads, NULL);
        params[p] = y[param->start];
        fault->at = formula->nodes[param->start].at;
        snprintf(fault->why, sizeof fault->why, "the start %g of %s is outside of its bounds", params[p], param->name);
        if (params[p] < param->least || params[p] > param->most) return false;
    }
    return true;
}

bool formula_finite(FormulaFault *fault, const Formula *formula, const double reads[READS_COUNT], const double *params,
                    bool derivatives) {
    double gradients[FORMULA_PARAMS] = {0};
    if (!finite_up_to(fault, formula, formula->value, reads, params)) return false;
    if (derivatives && formula->params > 0) formula_backward(gradients, formula, 1, reads, params);
    for (int p = 0; p < formula->params; p++) {
        if (fits_float(gradients[p])) continue;
        snprintf(fault->why, sizeof fault->why, "the derivative with respect to %s is %s", formula->param[p].name,
                 isfinite(gradients[p]) ? "too large"
                 : isnan(gradients[p])  ? "not defined"
                                        : "infinite");
        fault->at = formula->nodes[formula->value].at;
        return false;
    }
    return true;
}

// --- reading the text ---
//
//   TEXT      = STATEMENT {; STATEMENT}        an end of line, or a comma before "name =", separates, too
//   STATEMENT = FORM(d) = VALUE | FORM[(d)]: VALUE | NAME = VALUE {[,] QUALITY}
//   QUALITY   = per head | per layer | fixed | < CONSTANT | > CONSTANT | <= CONSTANT | >= CONSTANT
//   VALUE     = SUM [COMPARISON SUM]
//   SUM       = PRODUCT {+ PRODUCT | - PRODUCT}
//   PRODUCT   = SIGNED {* SIGNED | / SIGNED}
//   SIGNED    = -SIGNED | POWER
//   POWER     = ATOM [^ SIGNED]
//   ATOM      = NUMBER | NAME | pi | (VALUE) | FUNCTION(VALUE, ...) | sum(NAME, FIRST, LAST, VALUE)

static const struct {
    const char *name, *arguments[2];
} forms[FORMS] = {[FORM_BIAS] = {"bias", {"d"}}, [FORM_ANGLE] = {"angle", {"i"}}, [FORM_CODE] = {"code", {"t", "c"}}};
#define FORM_NAMES "bias(d), angle(i) or code(t, c)"

// The names that a form may read.
static const struct {
    const char *name;
    Reads reads;
    bool of[FORMS];
} known[] = {
    {"d", READS_DISTANCE, {[FORM_BIAS] = true}},
    {"i", READS_PAIR, {[FORM_ANGLE] = true}},
    {"t", READS_TOKEN, {[FORM_CODE] = true}},
    {"c", READS_CHANNEL, {[FORM_CODE] = true}},
    {"h", READS_HEAD, {[FORM_BIAS] = true, [FORM_ANGLE] = true}},
    {"H", READS_HEADS, {true, true, true}},
    {"n", READS_PAIRS, {[FORM_ANGLE] = true}},
    {"C", READS_CHANNELS, {true, true, true}},
    {"T", READS_CONTEXT, {true, true, true}},
};
enum { KNOWN = sizeof known / sizeof *known };

#define STATEMENTS 32 // of a formula
#define NESTING    50 // of parentheses, signs and names in each other

// What a statement has become.
typedef enum { UNREAD, BEING_READ, READ } Stage;

typedef struct {
    char name[FORMULA_NAME]; // "" = the form
    int at, value;           // where it begins, and where its value does
    Stage stage;
    int node; // its value
    bool used;
} Statement;

// The counter of a `sum`.
typedef struct Counter {
    char name[FORMULA_NAME];
    double value;
    const struct Counter *outer;
} Counter;

typedef struct {
    const char *text, *file;
    int at; // the next character
    Formula *formula;
    Statement statement[STATEMENTS];
    int statements;
    int depth;   // parentheses around `at`
    int nesting; // calls of read_signed around the one at work
    const Counter *counter;
    Error *error;
} Reader;

static bool letter(char c) {
    return isalpha((unsigned char)c) || c == '_';
}

// How long the name at the beginning of `text` is; 0 = there is none.
static int name_length(const char *text) {
    int n = 0;
    if (letter(*text))
        while (letter(text[n]) || isdigit((unsigned char)text[n])) n++;
    return n;
}

// Does `text` begin with "name ="?
static bool begins_line(const char *text) {
    const int length = name_length(text);
    const char *behind = text + length + strspn(text + length, " \t");
    return length > 0 && *behind == '=' && behind[1] != '=';
}

// Notations of other languages, looked for where something is wrong, and what to write here instead.
static const struct {
    const char *foreign, *here;
} habits[] = {{"ln", "log(x)"},
              {"log10", "log(x) / log(10)"},
              {"e", "exp(x)"},
              {"pow", "x ^ y"},
              {"**", "x ^ y"},
              {"mod", "x - y * floor(x / y)"},
              {"%", "x - y * floor(x / y)"},
              {"|", "abs(x)"},
              {"=", "== to compare"},
              {"and", "a product of comparisons"},
              {"&&", "a product of comparisons"},
              {"or", "max(a, b) of comparisons"},
              {"\xe2\x88\x92", "the minus of the keyboard"},
              {"\xc3\x97", "*"},
              {"\xcf\x80", "pi"}};

// The row of what stands at `text`, or NULL.
static const char *habit_at(const char *text) {
    const int length = name_length(text);
    for (size_t k = 0; k < sizeof habits / sizeof *habits; k++) {
        const char *foreign = habits[k].foreign;
        const size_t wanted = strlen(foreign);
        if (strncmp(text, foreign, wanted) == 0 && (length == 0 || length == (int)wanted)) return habits[k].here;
    }
    return NULL;
}

static bool fail_at(const Reader *r, int at, const char *format, ...) FORMAT_CHECK(3, 4);
static bool fail_at(const Reader *r, int at, const char *format, ...) {
    char message[400];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    int line = 1, begin = 0;
    for (int n = 0; n < at; n++)
        if (r->text[n] == '\n') line++, begin = n + 1;
    const char *found = r->text + at, *here = begins_line(found) ? NULL : habit_at(found);
    int length = (int)strcspn(found, "\n;");
    for (length = length > 20 ? 20 : length; length > 17 && (found[length] & 0xc0) == 0x80;)
        length--; // whole characters
    return fail_input(r->error, "%s, line %d, column %d (%s%.*s%s): %s%s%s", r->file ? r->file : "the formula", line,
                      at - begin + 1, length ? "'" : "the end", length, found, length ? "'" : "", message,
                      here ? "; write " : "", here ? here : "");
}

// Move to the next character that is not white space or a comment; within parentheses, past ends of lines too.
static void skip_space(Reader *r, bool lines) {
    for (;; r->at++) {
        const char c = r->text[r->at];
        if (c == '#') r->at += (int)strcspn(r->text + r->at, "\n");
        if (r->text[r->at] == '\0' || !(strchr(" \t\r", r->text[r->at]) || (lines && r->text[r->at] == '\n'))) return;
    }
}

static void skip(Reader *r) {
    skip_space(r, r->depth > 0);
}

// Take `word` if it is next.
static bool take(Reader *r, const char *word) {
    skip(r);
    if (strncmp(r->text + r->at, word, strlen(word)) != 0) return false;
    r->at += (int)strlen(word);
    return true;
}

static bool expect(Reader *r, const char *word) {
    return take(r, word) || fail_at(r, r->at, "here should be '%s'", word);
}

static bool take_name(Reader *r, char name[FORMULA_NAME]) {
    skip(r);
    const int length = name_length(r->text + r->at);
    if (length == 0) return fail_at(r, r->at, "here should be a name");
    if (length >= FORMULA_NAME) return fail_at(r, r->at, "a name has at most %d letters", FORMULA_NAME - 1);
    snprintf(name, FORMULA_NAME, "%.*s", length, r->text + r->at);
    r->at += length;
    return true;
}

// Take a whole word if it is next.
static bool take_word(Reader *r, const char *word) {
    skip(r);
    return name_length(r->text + r->at) == (int)strlen(word) && take(r, word);
}

// Add an operation; one on numbers alone is computed at once. Returns its index, -1 = it failed.
static int add_node(Reader *r, FormulaNode node) {
    Formula *f = r->formula;
    const int operands = operands_of((Op)node.op);
    bool numbers = operands > 0;
    for (int k = 0; k < operands; k++) {
        if (node.of[k] < 0) return -1;
        numbers &= f->nodes[node.of[k]].op == OP_NUMBER;
    }
    if (numbers) {
        const double a = f->nodes[node.of[0]].number, b = f->nodes[node.of[1]].number;
        const double y = operate((Op)node.op, a, b, f->nodes[node.of[2]].number);
        if (!isfinite(y)) return fail_at(r, node.at, "%s", reason((Op)node.op, a, b)), -1;
        return add_node(r, (FormulaNode){.op = OP_NUMBER, .number = y, .at = node.at});
    }
    if (f->count == FORMULA_NODES)
        return fail_at(r, node.at, "the formula has more than %d operations, numbers and names", FORMULA_NODES), -1;
    f->nodes[f->count] = node;
    return f->count++;
}

static int add_op(Reader *r, Op op, int a, int b, int at) {
    return add_node(r, (FormulaNode){.op = op, .of = {a, b}, .at = at});
}

static int read_value(Reader *r);
static int read_signed(Reader *r);
static int read_statement(Reader *r, Statement *s);

static int read_number(Reader *r) {
    char *end;
    const int at = r->at;
    double number = strtod(r->text + at, &end);
    if (memchr(r->text + at, 'x', (size_t)(end - r->text - at)) ||
        memchr(r->text + at, 'X', (size_t)(end - r->text - at)))
        number = 0, end = (char *)r->text + at + 1; // 0x10 is no number here
    r->at = (int)(end - r->text);
    if (!isfinite(number)) return fail_at(r, at, "this number is too large"), -1;
    return add_node(r, (FormulaNode){.op = OP_NUMBER, .number = number, .at = at});
}

// May a line, or the counter of a `sum`, have this name?
static bool may_be_called(const Reader *r, const char *name, int at) {
    for (int f = 0; f < FUNCTIONS; f++)
        if (strcmp(functions[f].name, name) == 0) return fail_at(r, at, "'%s' is a function", name);
    if (strcmp(name, "pi") == 0) return fail_at(r, at, "'%s' is a constant", name);
    for (int k = 0; k < KNOWN; k++)
        if (known[k].of[r->formula->form] && strcmp(known[k].name, name) == 0)
            return fail_at(r, at, "'%s' is what the formula reads; choose another name", name);
    return true;
}

// Of sum: a whole number that needs no variable.
static bool read_whole(Reader *r, int *whole) {
    const int at = (skip(r), r->at), node = read_value(r);
    if (node < 0) return false;
    const FormulaNode *n = &r->formula->nodes[node];
    if (n->op != OP_NUMBER || n->number != floor(n->number) || fabs(n->number) > 1e6)
        return fail_at(r, at, "here should be a constant whole number, of at most 1000000");
    *whole = (int)n->number;
    return true;
}

// sum(k, first, last, value): the value is read again for each k.
static int read_sum(Reader *r, int at) {
    Counter counter = {.outer = r->counter};
    const int name = (skip(r), r->at);
    int first, last, sum = -1;
    if (!take_name(r, counter.name) || !may_be_called(r, counter.name, name) || !expect(r, ",") ||
        !read_whole(r, &first) || !expect(r, ",") || !read_whole(r, &last) || !expect(r, ","))
        return -1;
    if (last < first) return fail_at(r, at, "this sum ends before it begins"), -1;
    const int body = r->at;
    r->counter = &counter;
    for (int k = first; k <= last; k++) {
        r->at = body;
        counter.value = k;
        const int term = read_value(r);
        if (term < 0) return -1;
        sum = k == first ? term : add_op(r, OP_ADD, sum, term, at);
        if (sum < 0) return -1;
    }
    r->counter = counter.outer;
    return sum;
}

static int read_call(Reader *r, int function, int at) {
    FormulaNode node = {.op = OP_IF + function, .at = at};
    for (int k = 0; k < functions[function].operands; k++) {
        if (k > 0 && !expect(r, ",")) return -1;
        if ((node.of[k] = read_value(r)) < 0) return -1;
    }
    return add_node(r, node);
}

static int read_function(Reader *r, const char *name, int at) {
    int f = 0, node;
    while (f < FUNCTIONS && strcmp(functions[f].name, name) != 0) f++;
    const bool is_sum = strcmp(name, "sum") == 0;
    if (f == FUNCTIONS && !is_sum) {
        char all[200] = "sum";
        for (int k = 0; k < FUNCTIONS; k++)
            snprintf(all + strlen(all), sizeof all - strlen(all), ", %s", functions[k].name);
        return fail_at(r, at, "there is no function '%s'; there are %s", name, all), -1;
    }
    if (!expect(r, "(")) return -1;
    r->depth++;
    node = is_sum ? read_sum(r, at) : read_call(r, f, at);
    r->depth--;
    return node >= 0 && !expect(r, ")") ? -1 : node;
}

static int read_variable(Reader *r, const char *name, int at) {
    const Form form = r->formula->form;
    char all[200] = "";
    for (int k = 0; k < KNOWN; k++) {
        if (!known[k].of[form]) continue;
        if (strcmp(known[k].name, name) == 0)
            return add_node(r, (FormulaNode){.op = OP_READ, .of = {(int)known[k].reads}, .at = at});
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s, ", known[k].name);
    }
    return fail_at(r, at, "there is no '%s'; %s(...) reads %sand what other lines name", name, forms[form].name, all),
           -1;
}

static int read_name(Reader *r) {
    char name[FORMULA_NAME];
    const int at = r->at;
    if (!take_name(r, name)) return -1;
    skip(r);
    if (r->text[r->at] == '(') return read_function(r, name, at);
    for (const Counter *c = r->counter; c; c = c->outer)
        if (strcmp(c->name, name) == 0)
            return add_node(r, (FormulaNode){.op = OP_NUMBER, .number = c->value, .at = at});
    if (strcmp(name, "pi") == 0) return add_node(r, (FormulaNode){.op = OP_NUMBER, .number = acos(-1), .at = at});
    for (Statement *s = r->statement; s < r->statement + r->statements; s++)
        if (strcmp(s->name, name) == 0) {
            if (s->stage == BEING_READ) return fail_at(r, at, "%s is defined by itself", name), -1;
            s->used = true;
            return read_statement(r, s);
        }
    return read_variable(r, name, at);
}

static int read_atom(Reader *r) {
    skip(r);
    const char c = r->text[r->at], digit = c == '.' ? r->text[r->at + 1] : c;
    if (isdigit((unsigned char)digit)) return read_number(r);
    if (letter(c)) return read_name(r);
    if (c != '(') return fail_at(r, r->at, "here should be a number, a name or '('"), -1;
    r->at++;
    r->depth++;
    const int node = read_value(r);
    r->depth--;
    return node >= 0 && !expect(r, ")") ? -1 : node;
}

static int read_power(Reader *r) {
    int a = read_atom(r);
    const int at = (skip(r), r->at);
    if (a >= 0 && take(r, "^")) a = add_op(r, OP_POWER, a, read_signed(r), at);
    return a;
}

static int read_signed(Reader *r) {
    skip(r);
    const int at = r->at;
    if (r->nesting == NESTING)
        return fail_at(r, at, "more than %d parentheses, signs and names in each other", NESTING), -1;
    r->nesting++;
    int a;
    if (take(r, "-")) {
        a = read_signed(r);
        a = add_op(r, OP_NEGATE, a, 0, at);
    } else {
        a = read_power(r);
    }
    r->nesting--;
    return a;
}

static const struct {
    const char *sign;
    Op op;
} operators[][2] = {{{"+", OP_ADD}, {"-", OP_SUBTRACT}}, {{"*", OP_MULTIPLY}, {"/", OP_DIVIDE}}};
enum { SUM, PRODUCT };

static int read_chain(Reader *r, int of) {
    int a = of == SUM ? read_chain(r, PRODUCT) : read_signed(r);
    for (;;) {
        const int at = (skip(r), r->at);
        if (a < 0) return -1;
        if (take(r, "**")) return fail_at(r, at, "this is no operator"), -1;
        int o = 0;
        while (o < 2 && !take(r, operators[of][o].sign)) o++;
        if (o == 2) return a;
        a = add_op(r, operators[of][o].op, a, of == SUM ? read_chain(r, PRODUCT) : read_signed(r), at);
    }
}

// The comparison after `a`, if there is one.
static int read_comparison(Reader *r, int a) {
    const int at = (skip(r), r->at);
    if (a < 0) return -1;
    if (take(r, "<=")) return add_op(r, OP_AT_MOST, a, read_chain(r, SUM), at);
    if (take(r, ">=")) return add_op(r, OP_AT_MOST, read_chain(r, SUM), a, at);
    if (take(r, "<")) return add_op(r, OP_LESS, a, read_chain(r, SUM), at);
    if (take(r, ">")) return add_op(r, OP_LESS, read_chain(r, SUM), a, at);
    if (take(r, "==")) return add_op(r, OP_EQUAL, a, read_chain(r, SUM), at);
    if (take(r, "!=")) return add_op(r, OP_UNEQUAL, a, read_chain(r, SUM), at);
    return a;
}

static int read_value(Reader *r) {
    return read_comparison(r, read_chain(r, SUM));
}

// --- statements ---

// A bound after <, <=, > or >=; < and > keep the parameter a little away from it.
static bool read_bound(Reader *r, FormulaParam *param) {
    const bool below = take(r, "<");
    if (!below && !take(r, ">")) return false;
    const bool equal = take(r, "=");
    const int at = (skip(r), r->at), node = read_chain(r, SUM);
    if (node < 0) return false;
    if (r->formula->nodes[node].op != OP_NUMBER) return fail_at(r, at, "a bound is a number");
    const double bound = r->formula->nodes[node].number, away = equal ? 0 : 1e-6 * fmax(1, fabs(bound));
    if (below) param->most = fmin(param->most, bound - away);
    if (!below) param->least = fmax(param->least, bound + away);
    return true;
}

static bool at_end(const Reader *r) {
    const char c = r->text[r->at];
    if (c != ',') return c == '\0' || c == '\n' || c == ';';
    return begins_line(r->text + r->at + 1 + strspn(r->text + r->at + 1, " \t"));
}

// What may follow the value of a line that has a name. Its bounds are in the text from bounds[0] up to bounds[1].
static bool read_qualities(Reader *r, FormulaParam *param, int bounds[2], bool *trained, bool *fixed) {
    for (skip(r); !at_end(r); skip(r)) {
        if (r->text[r->at] == ',') r->at++, skip(r);
        const int at = r->at;
        const bool per = take_word(r, "per");
        if (per && take_word(r, "head"))
            param->by_head = *trained = true;
        else if (per && take_word(r, "layer"))
            param->by_layer = *trained = true;
        else if (!per && r->text[at] && strchr("<>", r->text[at])) {
            if (!read_bound(r, param)) return false;
            if (bounds[1] == 0) bounds[0] = at;
            bounds[1] = r->at;
            *trained = true;
        } else if (!per && take_word(r, "fixed"))
            *fixed = true;
        else
            return fail_at(
                r, at,
                "here should be an operator, 'per head', 'per layer', a bound such as '> 0', 'fixed', or the "
                "end of the line");
    }
    return true;
}

static int read_param(Reader *r, Statement *s) {
    Formula *f = r->formula;
    FormulaParam param = {.start = s->node, .least = -INFINITY, .most = INFINITY};
    bool trained = f->nodes[s->node].op == OP_NUMBER, fixed = false;
    int bounds[2] = {0, 0};
    snprintf(param.name, sizeof param.name, "%s", s->name);
    if (!read_qualities(r, &param, bounds, &trained, &fixed)) return -1;
    if (fixed && (param.by_head || param.by_layer || bounds[1] > 0))
        return fail_at(r, s->value, "'fixed' goes with no bound, 'per head' or 'per layer'; leave these out"), -1;
    if (fixed || !trained) return s->node;
    if (depends(f, s->node, VARYING))
        return fail_at(r, s->value,
                       "the start of a parameter cannot depend on a token, a channel, a pair or another parameter"),
               -1;
    if (!param.by_head && depends(f, s->node, 1u << READS_HEAD))
        return fail_at(r, s->value, "this start depends on the head; add 'per head'"), -1;
    if (f->form == FORM_CODE && param.by_head) return fail_at(r, s->value, "a code has no heads"), -1;
    if (f->form == FORM_CODE && param.by_layer)
        return fail_at(r, s->value, "a code is added before the first layer"), -1;
    if (!(param.least <= param.most)) return fail_at(r, s->value, "its bounds leave no number"), -1;
    const double start = f->nodes[s->node].number;
    const bool number = f->nodes[s->node].op == OP_NUMBER;
    if (number && !fits_float(start)) return fail_at(r, s->value, "the start %g is too large for a float", start), -1;
    if (number && (start < param.least || start > param.most))
        return fail_at(r, s->value, "the start %g is outside of its bounds, %.*s", start, bounds[1] - bounds[0],
                       r->text + bounds[0]),
               -1;
    if (f->params == FORMULA_PARAMS) return fail_at(r, s->at, "at most %d parameters", FORMULA_PARAMS), -1;
    f->param[f->params] = param;
    return add_node(r, (FormulaNode){.op = OP_PARAM, .of = {f->params++}, .at = s->at});
}

// The value of a statement, which is read when it is first named.
static int read_statement(Reader *r, Statement *s) {
    if (s->stage == READ) return s->node;
    const Reader outer = *r;
    r->at = s->value;
    r->depth = 0;
    r->counter = NULL;
    s->stage = BEING_READ;
    const bool form = !*s->name;
    s->node = form ? read_value(r) : read_chain(r, SUM);
    skip(r);
    if (s->node >= 0 && !form && depends(r->formula, s->node, VARYING)) s->node = read_comparison(r, s->node);
    skip(r);
    if (s->node >= 0 && !form) s->node = read_param(r, s);
    if (s->node >= 0 && !at_end(r)) return fail_at(r, r->at, "here should be an operator or the end of the line"), -1;
    s->stage = READ;
    r->at = outer.at;
    r->depth = outer.depth;
    r->counter = outer.counter;
    return s->node;
}

static bool read_arguments(Reader *r, Form form) {
    for (int k = 0; k < 2 && forms[form].arguments[k]; k++) {
        if (k > 0 && !expect(r, ",")) return false;
        if (!take_word(r, forms[form].arguments[k])) return fail_at(r, r->at, "a formula is " FORM_NAMES);
    }
    return true;
}

// "bias(d) =", "bias:" or "name =", where a statement begins.
static bool read_beginning(Reader *r, Statement *s, bool *found) {
    char name[FORMULA_NAME];
    s->at = r->at;
    if (name_length(r->text + r->at) == 0) return fail_at(r, r->at, "a line begins with a name, such as bias(d) = ...");
    if (!take_name(r, name)) return false;
    skip(r);
    int form = 0;
    while (form < FORMS && strcmp(forms[form].name, name) != 0) form++;
    const bool typed = r->text[r->at] == ':', called = r->text[r->at] == '(';
    if (form == FORMS && (typed || called)) return fail_at(r, s->at, "a formula is " FORM_NAMES);
    if (form < FORMS && (typed || called)) {
        if (*found) return fail_at(r, s->at, "a formula has one " FORM_NAMES);
        *found = true;
        r->formula->form = (Form)form;
        r->at++;
        if (called && (!read_arguments(r, (Form)form) || !expect(r, ")") || (!take(r, ":") && !expect(r, "="))))
            return false;
    } else {
        if (s == r->statement && r->text[r->at] && strchr("+*,@", r->text[r->at]))
            return fail_at(r, s->at, "beside other schemes a formula stands in braces, as in rope+{bias: -d}");
        snprintf(s->name, sizeof s->name, "%s", name);
        if (!expect(r, "=")) return false;
        for (const Statement *before = r->statement; before < s; before++)
            if (strcmp(before->name, name) == 0) return fail_at(r, s->at, "'%s' has a line already", name);
    }
    s->value = r->at;
    return true;
}

// Where each statement begins. Parentheses hold a line together over its end.
static bool find_statements(Reader *r) {
    bool found = false;
    for (;;) {
        skip_space(r, true);
        if (r->text[r->at] == ';' || r->text[r->at] == ',') {
            r->at++;
            continue;
        }
        if (!r->text[r->at]) break;
        if (r->statements == STATEMENTS) return fail_at(r, r->at, "at most %d lines", STATEMENTS);
        if (!read_beginning(r, &r->statement[r->statements++], &found)) return false;
        int depth = 0, open = 0;
        for (; r->text[r->at]; r->at++) {
            if (r->text[r->at] == '#') r->at += (int)strcspn(r->text + r->at, "\n");
            if (depth == 0 && at_end(r)) break;
            if (!r->text[r->at]) break;
            if (depth == 0 && r->text[r->at] == ')') return fail_at(r, r->at, "one ')' too many");
            if (depth == 0 && strchr(" \t)", r->text[r->at]) && begins_line(r->text + r->at + 1))
                return fail_at(r, r->at + 1, "here ';' is missing, or '==' if this compares");
            if (depth == 0) open = r->at;
            depth += (r->text[r->at] == '(') - (r->text[r->at] == ')');
        }
        if (depth > 0) return fail_at(r, open, "this '(' is not closed");
    }
    return found || fail_at(r, r->at, "here should be bias(d) = ..., angle(i) = ... or code(t, c) = ...");
}

static bool read_formula(Reader *r) {
    if (!find_statements(r)) return false;
    Statement *form = NULL;
    for (Statement *s = r->statement; s < r->statement + r->statements; s++) {
        if (!*s->name) form = s;
        if (!may_be_called(r, s->name, s->at)) return false;
    }
    // In the order of the text, so that parameters have it, too.
    for (Statement *s = r->statement; s < r->statement + r->statements; s++)
        if (read_statement(r, s) < 0) return false;
    for (Statement *s = r->statement; s < r->statement + r->statements; s++)
        if (s != form && !s->used) return fail_at(r, s->at, "nothing reads '%s'", s->name);
    r->formula->value = form->node;
    return true;
}

// The text in one line: no comments, one space for white space, "; " between lines.
static char *one_line(const char *text) {
    char *line = calloc(strlen(text) * 2 + 1, 1);
    size_t n = 0;
    int depth = 0;
    for (const char *c = text; line && *c; c++) {
        if (*c == '#') c += strcspn(c, "\n");
        if (!*c) break;
        depth += (*c == '(') - (*c == ')');
        const bool ends = *c == ';' || (*c == '\n' && depth == 0);
        if (ends || isspace((unsigned char)*c)) {
            while (n > 0 && line[n - 1] == ' ') n--;
            if (ends && n > 0 && line[n - 1] != ';') line[n++] = ';';
            if (n > 0) line[n++] = ' ';
        } else {
            line[n++] = *c;
        }
    }
    while (line && n > 0 && strchr(" ;", line[n - 1])) n--;
    if (line) line[n] = '\0';
    return line;
}

static void formula_free(Formula *formula) {
    free(formula->text);
    free(formula->source);
    free(formula);
}

// All formulas that were read, the latest first.
static Formula *formulas;

const Formula *formula_parse(const char *text, const char *file, Error *error) {
    Formula *formula = calloc(1, sizeof *formula);
    if (formula) formula->text = one_line(text);
    if (formula) formula->source = strdup(text);
    Reader r = {.text = text, .file = file, .formula = formula, .error = error};
    const Formula *found = NULL;
    if (!formula || !formula->text || !formula->source) {
        fail_run(error, "there is no memory for the formula");
    } else if (read_formula(&r)) {
        for (found = formulas; found && strcmp(found->text, formula->text) != 0;) found = found->next;
        if (!found) {
            formula->next = formulas;
            found = formulas = formula;
        }
    }
    if (formula && found != formula) formula_free(formula);
    return found;
}

bool formula_looks(const char *text) {
    for (int form = 0; form < FORMS; form++) {
        const size_t length = strlen(forms[form].name);
        const bool first = strncasecmp(text, forms[form].name, length) == 0;
        const char *found = first ? text : strstr(text, forms[form].name);
        for (; found; found = strstr(found + 1, forms[form].name)) {
            const char *behind = found + length + strspn(found + length, " \t");
            const bool inside = found > text && (isalnum((unsigned char)found[-1]) || found[-1] == '_'); // another name
            if (!inside && (*behind == '(' || *behind == ':' || (first && *behind == '=')) &&
                !memchr(text, '{', (size_t)(found - text)))
                return true;
        }
    }
    return false;
}

void formulas_forget(void) {
    while (formulas) {
        Formula *first = formulas;
        formulas = first->next;
        formula_free(first);
    }
}
