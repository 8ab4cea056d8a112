#include "lab/stats/npy.h"

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
