// Schemes that the user has written as formulas (posenc/formula/): what the three kinds of them share. Each kind is a
// Scheme in its family's folder: bias/written_bias.c, rotation/written_angle.c, embedding/written_code.c.
#ifndef BITTER_WRITTEN_H
#define BITTER_WRITTEN_H

#include "posenc/formula/formula.h"
#include "posenc/scheme.h"

extern const Scheme scheme_written_bias, scheme_written_angle, scheme_written_code;
extern const Scheme scheme_written_angles; // of formulas whose angles differ from head to head

// Is this text a formula or the name of a file with one, instead of the name of a scheme? Formulas stand in braces, as
// in "rope+{bias(d) = -d}"; a file's name begins with '.' or '/', or ends in ".pos". Returns how many characters of
// `text` it has; 0 = it is neither.
size_t written_length(const char *text);

// Does a text of --pos name a file with a formula? What is recorded holds the formula itself.
bool written_names_file(const char *text);

// Parse such a text, of this length. Fails (input) with line and column, or when a file cannot be read.
bool written_parse(Position *pos, const char *text, size_t length, Error *error);

// Fails (input) when the formula, or a derivative of it, is not finite somewhere in the model, with its first
// parameters: in the range of float.
bool written_check(const Position *pos, Error *error);

// The longest input, of at most `most` tokens, for which this part of a model is finite, with the parameters that the
// model has. If that is less, `why` says what goes wrong behind it. Of schemes that are no formula: `most`.
#define WRITTEN_WHY 200 // bytes
int written_longest(char why[WRITTEN_WHY], const Position *pos, int most);

// Hooks of all these schemes.
void written_params(Position *pos, TensorTable *table);
void written_init(Position *pos, uint64_t seed);
void written_project(Position *pos);

// What a formula may read, for a head of this model; the scheme adds its own: the distance, the pair, the token.
void written_reads(double reads[READS_COUNT], const Position *pos, int head);
// The parameters of a set and head.
void written_values(double params[FORMULA_PARAMS], const Position *pos, int set, int head);
// dparams of a set and head += gradients.
void written_gradients(const Position *pos, int set, int head, const double gradients[FORMULA_PARAMS]);

#endif
