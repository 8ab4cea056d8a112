// What the files of the two modules share.
#ifndef BITTER_LESSON_SHARED_H
#define BITTER_LESSON_SHARED_H

#include "base/error.h"
#include "lesson/module.h"

#include <stdio.h>

// Set what lesson_count returns, and return the array.
double *lesson_array(double *array, int size);

// Write the error's sentence to the text. Returns 1.
int lesson_failed(const Error *error);

#endif
