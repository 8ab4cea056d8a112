// The methods of `bitter extend`.
#ifndef BITTER_METHODS_H
#define BITTER_METHODS_H

#include "lab/extend/extension.h"

enum { METHOD_COUNT = METHOD_GRADIENT + 1 };
extern const ExtendMethod *const extend_methods[METHOD_COUNT]; // by Method

// Does the method have an option of this name, besides those that every method has?
bool method_takes(Method method, const char *name);

#endif
