// `bitter lesson exercises DIR`: a folder of exercises in C with a checker, for students. The files are those of
// lesson/exercises/, which the build makes part of the program.
#ifndef BITTER_LESSON_EXERCISES_H
#define BITTER_LESSON_EXERCISES_H

#include "base/error.h"

typedef struct {
    const char *name;         // without a directory
    const char *const *lines; // without newlines; ends with NULL
} ExerciseFile;

extern const ExerciseFile exercise_files[]; // ends with name NULL; made by scripts/embed.awk

// Write all files into the new or empty directory `dir`, and print what to do next. Fails (input) when something else
// is there; a failure leaves nothing behind.
bool lesson_exercises(const char *dir, Error *error);

#endif
