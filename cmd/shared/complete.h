// What the completion of a shell asks for (scripts/completion.bash, scripts/completion.zsh).
#ifndef BITTER_COMPLETE_H
#define BITTER_COMPLETE_H

#include "cmd/shared/arguments.h"

// The hidden command `bitter complete WORD...`, where the words are those of a command line after `bitter`, up to the
// one that is being typed. It prints what the last one may become, one a line: names of options, words that an option
// takes, names of schemes, and instead of paths a line FILE or DIR.
#define COMPLETE "complete"

// Let the next arguments_parse print this for its last argument and exit.
void complete_instead(void);

// Called by arguments_parse: do it, if it was asked for.
void complete_if_asked(const Usage *usage, int argc, char **argv);

#endif
