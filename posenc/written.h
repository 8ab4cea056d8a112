// Schemes that the user has written as formulas (posenc/formula/): what the three kinds of them share. Each kind is a
// Scheme in its family's folder: bias/written_bias.c, rotation/written_angle.c, embedding/written_code.c.
#ifndef BITTER_WRITTEN_H
#define BITTER_WRITTEN_H

#include "posenc/formula/formula.h"
#include "posenc/scheme.h"

extern const Scheme scheme_written_bias, scheme_written_angle, scheme_written_code;

// Is this text a formula or the name of a file with one, instead of the name of a scheme? Formulas stand in braces, as
// in "rope+{bias(d) = -d}"; a file's name begins with '.' or '/', or ends in ".pos". Returns how many characters of
// `text` it has; 0 = it is neither.
size_t written_length(const char *text);

// Does a text of --pos name a file with a formula? What is recorded holds the formula itself.
bool written_names_file(const char *text);

// Parse such a text, of this length. Fails (input) with line and column, or when a file cannot be read.
bool written_parse(Position *pos, const char *text, size_t length, Error *error);

// Fails (input) if, with initial parameters, the formula or a derivative of it is anywhere in the model not finite or
// too large for a float.
bool written_check(const Position *pos, Error *error);

// The longest input, of at most `most` tokens, for which this part of a model is finite, with the parameters that the
// model has. If that is less than `most`, `why` says what goes wrong after it. For other schemes: `most`.
#define WRITTEN_WHY 200 // bytes
int written_longest(char why[WRITTEN_WHY], const Position *pos, int most);

// What all these schemes have in common; help does not show them.
#define WRITTEN_SCHEME                                                                                                 \
    .name = "formula", .paper = "", .help = "", .params = written_params, .init = written_init,                        \
    .project = written_project, .reads_context = written_reads_context
void written_params(Position *pos, TensorTable *table);
void written_init(Position *pos, uint64_t seed);
void written_project(Position *pos);
bool written_reads_context(const Position *pos);

// A formula evaluated for one set and head of a model: the values that it may read, of which the scheme sets its own
// (the distance, the pair, the token), and its parameters.
typedef struct {
    double reads[READS_COUNT], params[FORMULA_PARAMS];
    double gradients[FORMULA_PARAMS]; // with respect to params
    const Position *pos;
    int set, head;
} Written;
// With the parameters of this set and head, and gradients of 0.
Written written_begin(const Position *pos, int set, int head);
// The value of the formula at at->reads.
double written_value(const Written *at);
// gradients += `upstream` times the derivatives of the value; and, at the end, dparams += gradients.
void written_backward(Written *at, double upstream);
void written_end(const Written *at);

#endif
