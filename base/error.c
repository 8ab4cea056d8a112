#include "base/error.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

// A message is one line whatever names it quotes: control characters, which could end the line or control a terminal,
// become question marks. The brackets around the name keep the analyzer's macro in error.h from applying.
bool(fail_with)(Error *error, ErrorKind kind, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error->kind = kind;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    make_plain(error->message);
    return false;
}
