// A scheme written as a formula: its text, read into a list of operations, and the derivative that is made from it.
//
//     # logarithmic decay, as KERPLE's
//     bias(d) = -a * log(1 + b * d)
//     a = 1     per head, > 0
//     b = 0.5   per head, > 0
//
// One line is the form, and says what the formula is. The others name parts of it, in any order: a line whose value
// is a number, or that ends in `per head`, `per layer`, a bound or `fixed`, is a parameter, trained unless it is
// `fixed`, which excludes the others; any other is a part of the formula with a name. docs/schemes.md has the grammar.
#ifndef BITTER_FORMULA_H
#define BITTER_FORMULA_H

#include "base/error.h"

#include <stddef.h>

#define FORMULA_NODES  1000  // operations, numbers and names of a formula, in each term of a `sum`
#define FORMULA_PARAMS 7     // trained parameters of a formula
#define FORMULA_NAME   24    // bytes of a name
#define FORMULA_BYTES  10000 // of its text

// What a formula is: a bias on scores, the angle by which a pair turns from one token to the next, or a code that is
// added to embeddings.
typedef enum { FORM_BIAS, FORM_ANGLE, FORM_CODE, FORMS } Form;

// What it can read, by its name in the text. A form has only some of them.
typedef enum {
    READS_DISTANCE, // d: of bias, tokens from the key to the query
    READS_PAIR,     // i: of angle, the pair of channels, from 0
    READS_PAIRS,    // n: of angle, how many pairs turn
    READS_HEAD,     // h: of bias and angle, the head, from 0
    READS_HEADS,    // H: how many heads
    READS_TOKEN,    // t: of code, the position, from 0
    READS_CHANNEL,  // c: of code, the channel, from 0
    READS_CHANNELS, // C: channels of an embedding
    READS_CONTEXT,  // T: the context that the model is trained with
    READS_COUNT
} Reads;

typedef struct {
    int op;    // an Op of formula.c
    int of[3]; // its operands: operations, all of them earlier
    double number;
    int at; // its character in the source, for messages
} FormulaNode;

typedef struct {
    char name[FORMULA_NAME];
    int start; // the operation that is its value before training, which may read h, H, C, n and T
    bool by_head, by_layer;
    double least, most; // kept within these after every step; -INFINITY, INFINITY = no bound
} FormulaParam;

typedef struct Formula {
    Form form;
    char *text;                       // one line, without comments
    char *source;                     // as it was read
    FormulaNode nodes[FORMULA_NODES]; // in the order in which they are computed
    int count, value;                 // value: the operation that is the formula's value
    FormulaParam param[FORMULA_PARAMS];
    int params;
    struct Formula *next; // the one that was read before
} Formula;

// Read a formula; `file` is its name in messages, NULL = it was typed. Formulas of equal text are one Formula, which
// lives as long as the program, so two schemes are the same if their pointers are. Fails (input) with line, column,
// what is there and what was expected.
const Formula *formula_parse(const char *text, const char *file, Error *error);

// Forget all that were read: for tests, which read millions.
void formulas_forget(void);

// Is this text a formula, as it stands in a file, rather than the name of a scheme or of a file? "Bias: ..." and
// "bias = ..." count as formulas, too, which formula_parse then refuses.
bool formula_looks(const char *text);

// The value. params: the values of its trained parameters, in their order.
double formula_value(const Formula *formula, const double reads[READS_COUNT], const double *params);

// dparams += dvalue * the derivatives of the value with respect to the parameters.
void formula_backward(double *dparams, const Formula *formula, double dvalue, const double reads[READS_COUNT],
                      const double *params);

// Does its value depend on this? Initial values of parameters do not count.
bool formula_reads(const Formula *formula, Reads what);

// Does it differ from head to head?
bool formula_by_head(const Formula *formula);

// What went wrong, such as "division by zero", and at which character of formula->source.
typedef struct {
    char why[120];
    int at;
} FormulaFault;

// The values of all parameters before training. False if one is not finite, or is outside of its bounds: *fault says
// why.
bool formula_starts(double params[FORMULA_PARAMS], FormulaFault *fault, const Formula *formula,
                    const double reads[READS_COUNT]);

// Is the value finite, in the range of float; and, if they are asked for, the derivatives with respect to the
// parameters? Branches that an `if` does not choose do not count. If not, *fault says why.
bool formula_finite(FormulaFault *fault, const Formula *formula, const double reads[READS_COUNT], const double *params,
                    bool derivatives);

#endif
