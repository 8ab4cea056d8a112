// model.safetensors of a directory that transformers wrote.
#ifndef BITTER_EXCHANGE_WEIGHTS_H
#define BITTER_EXCHANGE_WEIGHTS_H

#include "base/file/file.h"

#include <jansson.h>

typedef struct {
    Buffer file;
    json_t *header; // NULL = it could not be read; a member "used" marks the tensors that were copied
    size_t start;   // of the data in the file
    char directory[PATH_CAPACITY];
} SavedWeights;

// Read the file. Fails (input) when it is missing or damaged: names and sizes must be valid for the format, and the
// tensors must fill the file without gaps. Close in any case.
bool weights_open(SavedWeights *weights, const char *directory, Error *error);
void weights_close(SavedWeights *weights);

// Copy the tensor of this name, or of this name without the part before its first dot, to numbers (rows, columns); for
// a vector (rank 1), columns is 1. F32, F16 and BF16 become float. Fails (input) when there is no such tensor, when it
// has another shape or type, and when a number is not finite.
bool weights_copy(float *numbers, SavedWeights *weights, const char *name, int rank, int rows, int columns,
                  Error *error);

// Fails (input) when there is a tensor that was never copied; buffers that transformers once saved do not count, and
// neither does the output layer, which is the token embedding again.
bool weights_all_used(const SavedWeights *weights, Error *error);

#endif
