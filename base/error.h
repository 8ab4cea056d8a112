// One way to say what went wrong. Code in the folders below cmd/ fills an Error and returns false; only cmd/
// and train.c print it and exit.
#ifndef BITTER_ERROR_H
#define BITTER_ERROR_H

#include <stdbool.h>

// The values are the program's exit codes.
typedef enum {
    ERROR_NONE = 0,
    ERROR_RUN = 1,           // failed while running: I/O, memory
    ERROR_INPUT = 2,         // usage or bad input
    ERROR_NONFINITE = 3,     // loss or gradient is not a finite number
    ERROR_INTERRUPTED = 130, // by a signal
} ErrorKind;

typedef struct {
    ErrorKind kind;
    char message[1200]; // one sentence: which file, what was found, what was expected, what to do next
} Error;

#define FORMAT_CHECK(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))

// Fill *error with the kind and the formatted sentence; a longer one is cut. Always returns false, so that callers
// write `return fail_input(error, ...)`.
bool fail_with(Error *error, ErrorKind kind, const char *format, ...) FORMAT_CHECK(3, 4);
#define fail_input(error, ...)       fail_with(error, ERROR_INPUT, __VA_ARGS__)
#define fail_run(error, ...)         fail_with(error, ERROR_RUN, __VA_ARGS__)
#define fail_nonfinite(error, ...)   fail_with(error, ERROR_NONFINITE, __VA_ARGS__)
#define fail_interrupted(error, ...) fail_with(error, ERROR_INTERRUPTED, __VA_ARGS__)

#ifdef __clang_analyzer__ // the analyzer sees one file at a time, and must know that fail_with returns false
#define fail_with(...) (fail_with(__VA_ARGS__) && false)
#endif

#endif
