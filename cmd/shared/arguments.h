// What every command does with its command line: parsing, --help, and how the program ends.
#ifndef BITTER_ARGUMENTS_H
#define BITTER_ARGUMENTS_H

#include "base/file/file.h"
#include "base/option.h"
#include "base/file/text.h"
#include "num/tensor.h"

#define ARGUMENTS_MOST 64 // rows of a table, for arrays of `given`

typedef struct {
    const char *command;  // "prepare"
    const char *summary;  // what it does, in a sentence or two
    const char *operands; // "" none, "RUN" exactly one, "RUN [PROMPT]" one or two, "INPUT..." at least one, "[RUN...]"
                          // any number
    const Option *table;
    const char *examples; // one per line, each ending in a newline
} Usage;

// Set every field of `target` to its default, then to what the user gave as `--name value`, `--name=value` or `--flag`;
// argv[0] is the command. Return the index of the first operand: operands are moved after the options. given (one entry
// a row; may be NULL) tells which rows the user set. Does not return on `-h` and `--help`, which print to stdout and
// exit with 0, nor on a mistake, which dies naming the nearest valid choice.
int arguments_parse(void *target, bool *given, const Usage *usage, int argc, char **argv);

// Was this option typed, even with an empty value? `given` is what arguments_parse found in the table.
bool option_given(const Option *table, const bool *given, const char *name);

// For the name of an option or a command of other programs (nanoGPT, llama2.c, transformers): an option of ours, or
// half a sentence that says what to use instead. NULL when the name is not known.
const char *other_name(const char *name);

// Print text broken at spaces, but not within [...], to 80 columns: the first line from `column` on, the others after
// `indent` spaces.
void print_wrapped(const char *text, int column, int indent);

// Print "bitter COMMAND: message" to stderr, or "bitter: message" if command is NULL, and exit with the error's kind.
_Noreturn void die(const char *command, const Error *error);

// The path of the running program; `name` where the system cannot tell.
void program_find(char program[PATH_CAPACITY], const char *name);

// The exit code for main: status, or ERROR_RUN with a message on stderr if writing to stdout failed. A reader that has
// closed the pipe, as `head` does, is no failure.
int output_finish(int status);

// "4 layers, 4 heads, width 128, context 256", and Llama's block, shared keys and windows (`window`: the text of
// --window) where the model has them.
void shape_describe(char text[TEXT_CAPACITY], const Shape *shape, const char *window);

// Call when long work begins. Prints a line to stderr when this build of the BLAS is slow. Dies (run) when its products
// are wrong.
void kernels_report(const char *command);

#endif
