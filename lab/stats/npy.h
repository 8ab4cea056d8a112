// NumPy's array files, version 1.0: enough to hand numbers to other programs.
#ifndef BITTER_NPY_H
#define BITTER_NPY_H

#include "base/file/file.h"

#define NPY_MAGIC "\x93NUMPY" // what every such file begins with

// Begin an array of float32 (rows, columns) at `path`; its numbers follow with atomic_write, then atomic_commit.
bool npy_open(AtomicFile *file, const char *path, long long rows, long long columns, Error *error);

#endif
