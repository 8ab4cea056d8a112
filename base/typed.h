// What was typed for an option whose text has a grammar of its own, and where in it something is wrong.
#ifndef BITTER_TYPED_H
#define BITTER_TYPED_H

#include "base/error.h"

#include <stdarg.h>

// Fail (input) at a character of the text, counted from 0: the message says what is wrong there.
bool typed_fail(Error *error, const char *option, const char *text, int at, const char *format, ...) FORMAT_CHECK(5, 6);
bool typed_fail_list(Error *error, const char *option, const char *text, int at, const char *format, va_list list);

// The whole number at *at, which is moved behind it; one above `most` becomes most + 1. Fails (input) where there is
// none: `what` should be there.
bool typed_number(int *number, const char *option, const char *text, int *at, const char *what, int most, Error *error);

#endif
