// What the completion of a shell asks for (scripts/completion.bash, scripts/completion.zsh).
#ifndef BITTER_COMPLETE_H
#define BITTER_COMPLETE_H

#include "base/option.h"

// The hidden command `bitter complete WORD...`, where the words are those of a command line after `bitter`, up to the
// one that is being typed. It prints what the last one may become, one a line: names of options, words that an option
// takes, names of schemes, and instead of paths a line FILE or DIR.
#define COMPLETE "complete"

// From now on, complete_if_asked prints this.
void complete_ask(void);

// Of a command whose name is argv[0]: if it was asked for, print what the last argument may become, and return true.
// `operands` are those of Usage (cmd/shared/arguments.h).
bool complete_if_asked(const Option *table, const char *operands, int argc, char **argv);

#endif
