// The commands, one file each in cmd/ (train in train.c). argv[0] is the command's name. A command that fails sets the
// error, whose message is empty if the command has already printed why it failed.
#ifndef BITTER_COMMANDS_H
#define BITTER_COMMANDS_H

#include "base/error.h"

bool command_prepare(int argc, char **argv, Error *error);
bool command_train(int argc, char **argv, Error *error);
bool command_eval(int argc, char **argv, Error *error);
bool command_export(int argc, char **argv, Error *error);
bool command_import(int argc, char **argv, Error *error);
bool command_sample(int argc, char **argv, Error *error);
bool command_extend(int argc, char **argv, Error *error);
bool command_compare(int argc, char **argv, Error *error);
bool command_report(int argc, char **argv, Error *error);
bool command_properties(int argc, char **argv, Error *error);
bool command_gradcheck(int argc, char **argv, Error *error);
bool command_lesson(int argc, char **argv, Error *error);
bool command_bench(int argc, char **argv, Error *error);

// `bitter` alone: print commands that fit what is in the working directory, the likeliest first.
void print_next_steps(void);

// `--pos help`: every scheme with its formula, its source and its options.
void print_schemes(void);

// `--data help`: every built-in corpus with its options.
void print_builtins(void);

#endif
