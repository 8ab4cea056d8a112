// `bitter lesson exercises DIR`: a folder of exercises in C with a checker, for students. The files are those of
// lesson/exercises/, which the build makes part of the program.
#ifndef BITTER_LESSON_EXERCISES_H
#define BITTER_LESSON_EXERCISES_H

#include "base/error.h"
#include "base/file/embedded.h"

extern const EmbeddedFile exercise_files[];

// Write all files into the new or empty directory `dir`, and print what to do next. Fails (input) when something else
// is there; a failure leaves nothing behind.
bool lesson_exercises(const char *dir, Error *error);

#endif
