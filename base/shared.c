// POSIX.1-2008 has no shared memory without a name or a file; every system has MAP_ANONYMOUS, which glibc hides without
// _DEFAULT_SOURCE.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier)
#include "base/shared.h"

#include <sys/mman.h>

void *shared_zeros(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void shared_free(void *memory, size_t bytes) {
    if (memory) munmap(memory, bytes);
}
