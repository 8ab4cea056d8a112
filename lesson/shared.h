// What the files of the two modules share.
#ifndef BITTER_LESSON_SHARED_H
#define BITTER_LESSON_SHARED_H

#include "lesson/module.h"
#include "posenc/mix.h"

#include <stdio.h>

// Write the error's sentence to the text. Returns 1.
int lesson_failed(const Error *error);

// Plant the mistake of this name (lab/lesson/mistakes.h) in the scheme of a position that has been parsed, in place of
// the one planted before. Fails (input) when it is not a mistake of this scheme.
bool lesson_break(Mix *mix, const char *name, Error *error);

#endif
