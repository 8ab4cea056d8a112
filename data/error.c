#include "data/error.h"

#include <stdarg.h>
#include <stdio.h>

// The names in brackets keep the analyzer's macros of error.h out.
#define FAIL_WITH(kind_value)                                                                                          \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    error->kind = (kind_value);                                                                                        \
    vsnprintf(error->message, sizeof error->message, format, arguments);                                               \
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
