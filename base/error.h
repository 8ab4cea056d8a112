// One way to say what went wrong. Libraries (all rooms below cmd/) fill an Error and return false; only cmd/ and
// train.c print it and exit.
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

#if defined(__GNUC__)
#define FORMAT_CHECK(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define FORMAT_CHECK(format_index, first_argument)
#endif

// Fill *error with the kind and the formatted sentence; a longer one is cut. Always return false, so that callers write
// `return fail_input(error, ...)`.
bool fail_input(Error *error, const char *format, ...) FORMAT_CHECK(2, 3);
bool fail_run(Error *error, const char *format, ...) FORMAT_CHECK(2, 3);
bool fail_nonfinite(Error *error, const char *format, ...) FORMAT_CHECK(2, 3);
bool fail_interrupted(Error *error, const char *format, ...) FORMAT_CHECK(2, 3);

#ifdef __clang_analyzer__ // it sees one file at a time, and must know that these are false
#define fail_input(...)       (fail_input(__VA_ARGS__) && false)
#define fail_run(...)         (fail_run(__VA_ARGS__) && false)
#define fail_nonfinite(...)   (fail_nonfinite(__VA_ARGS__) && false)
#define fail_interrupted(...) (fail_interrupted(__VA_ARGS__) && false)
#endif

#endif
