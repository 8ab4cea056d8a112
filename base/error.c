#include "base/error.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

// A message is one line, whatever names it quotes: control characters, which could end the line or command a terminal,
// become question marks.
static void write_message(Error *error, ErrorKind kind, const char *format, va_list arguments) {
    error->kind = kind;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    make_plain(error->message);
}

// The names in brackets keep the analyzer's macros of error.h out.
#define FAIL_WITH(kind)                                                                                                \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    write_message(error, kind, format, arguments);                                                                     \
    va_end(arguments);                                                                                                 \
    return false

bool(fail_input)(Error *error, const char *format, ...) {
    FAIL_WITH(ERROR_INPUT);
}

bool(fail_run)(Error *error, const char *format, ...) {
    FAIL_WITH(ERROR_RUN);
}

bool(fail_nonfinite)(Error *error, const char *format, ...) {
    FAIL_WITH(ERROR_NONFINITE);
}

bool(fail_interrupted)(Error *error, const char *format, ...) {
    FAIL_WITH(ERROR_INTERRUPTED);
}
