#include "lab/stats/npy.h"

#include <stdlib.h>
#include <string.h>

bool npy_open(AtomicFile *file, const char *path, long long rows, long long columns, Error *error) {
    enum { PREFIX = 10, HEADER = 128 }; // magic, version and length; all of it with the description
    char header[HEADER + 1];
    const int written = snprintf(header + PREFIX, sizeof header - PREFIX,
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (%lld, %lld), }", rows, columns);
    memset(header + PREFIX + written, ' ', (size_t)(HEADER - PREFIX - written));
    memcpy(header, NPY_MAGIC "\x01\x00", 8);
    header[8] = HEADER - PREFIX;
    header[9] = 0;
    header[HEADER - 1] = '\n';
    return atomic_open(file, path, error) && atomic_write(file, header, HEADER, error);
}

bool npy_read(float **values, size_t *count, const char *path, Error *error) {
    enum { PREFIX = 10 };
    Buffer file;
    if (!file_read(&file, path, error)) return false;
    const uint8_t *b = file.bytes;
    const bool known = file.size >= PREFIX && memcmp(b, NPY_MAGIC "\x01\x00", 8) == 0;
    const size_t header = known ? PREFIX + (size_t)b[8] + 256 * (size_t)b[9] : 0;
    const bool ok = known && header <= file.size && strstr((const char *)b + PREFIX, "'descr': '<f4'") &&
                    (file.size - header) % sizeof **values == 0;
    *count = ok ? (file.size - header) / sizeof **values : 0;
    *values = malloc(*count * sizeof **values + 1);
    if (ok && *values) memcpy(*values, b + header, *count * sizeof **values);
    free(file.bytes);
    if (ok && *values) return true;
    if (ok) return fail_run(error, "no memory for the %zu numbers of %s", *count, path);
    free(*values);
    return fail_input(error, "%s is not an array of float32 that bitter wrote; remove the run's directory to repeat it",
                      path);
}
