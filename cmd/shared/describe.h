// What several commands say: of what a model is made of, and of what multiplies matrices.
#ifndef BITTER_DESCRIBE_H
#define BITTER_DESCRIBE_H

#include "base/option.h"
#include "num/tensor.h"

// "4 layers, 4 heads, width 128, context 256", and Llama's block, shared keys and windows, which are those of the text
// of
// --window, where the model has them.
void shape_describe(char text[TEXT_CAPACITY], const Shape *shape, const char *window);

// Call when long work begins. Prints a line to stderr when this build of the BLAS is slow. Dies (run) when its products
// are wrong.
void kernels_report(const char *command);

#endif
