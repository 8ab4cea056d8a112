// The safetensors format: u64 N, N bytes of JSON, data. Every file written here carries the CRC-32 of its data in
// __metadata__, and every file that safetensors_read reads must.
#ifndef BITTER_SAFETENSORS_H
#define BITTER_SAFETENSORS_H

#include "base/file/file.h"

#include <jansson.h>

typedef enum { DTYPE_F32, DTYPE_F64, DTYPE_I64 } Dtype;

typedef struct {
    char name[80];
    Dtype dtype;
    int rank;
    int64_t shape[2];
    void *data;       // where the numbers are, or where they go
    bool nonnegative; // no number may be below 0
    bool optional;    // only for the first of a list: a file of an earlier version may lack it
} SafeTensor;

// Write atomically. Fails (run) on I/O errors, and (nonfinite) on numbers that safetensors_read refuses; then an old
// file stays as it was.
bool safetensors_write(const char *path, const SafeTensor *tensors, int count, Error *error);

// Read: every tensor of the list must be there with this dtype and shape, nothing else may be, no byte may be damaged,
// and no number may be NaN, infinite, or negative in a `nonnegative` tensor.
// Numbers are copied to `data` only when the whole file is good. Fails (input) naming what was found and expected.
bool safetensors_read(const char *path, const SafeTensor *tensors, int count, Error *error);

// The header of a file that is in memory, as JSON to be released, and the byte at which its data start. NULL, and fails
// (input), when the file is cut short or has no such header; what the header says is not checked.
json_t *safetensors_header(size_t *start, const Buffer *file, const char *path, Error *error);

#endif
