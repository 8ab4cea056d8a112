// A library to be preloaded (LD_PRELOAD), which makes one of a program's allocations fail.
//
// ALLOCATIONS=list:FILE lists the allocations: lines "PROCESS NUMBER CALLER", CALLER a checksum of its callers.
//
// ALLOCATIONS=PROCESS:NUMBER makes the allocation of this number fail.
//
// ALLOCATIONS=PROCESS:NUMBER+ makes this one and all later ones fail.
//
// PROCESS 0 is the program, 1 the first process that it forks, and so on; each counts its own, from the beginning of
// main(). Allocations of the C library and of all other libraries count as well.
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLERS 24

// The C library's own functions, which the functions below wrap.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
int fcntl64(int file, int command, ...);

static int process = -1, fault_process = -1, list = -1;
static long number, fault_number;
static bool fault_lasts;
static int *processes; // shared: how many there are
static __thread bool busy;

static void in_child(void) {
    process = __atomic_add_fetch(processes, 1, __ATOMIC_SEQ_CST);
    number = 0;
}

// Called at the beginning of main().
static void begin(void) {
    const char *what = getenv("ALLOCATIONS");
    char *end;
    busy = true; // what is allocated here does not count
    processes = mmap(NULL, sizeof *processes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (what && strncmp(what, "list:", 5) == 0) {
        void *callers[CALLERS];
        list = open(what + 5, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
        backtrace(callers, CALLERS); // loads what it needs
    } else if (what) {
        fault_process = (int)strtol(what, &end, 10);
        fault_number = strtol(end + 1, &end, 10);
        fault_lasts = *end == '+';
    }
    pthread_atfork(NULL, NULL, in_child);
    process = 0;
    busy = false;
}

// The program's first call, open_standard_files in train.c, says that main() has begun.
int fcntl64(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (process < 0 && file == STDIN_FILENO && command == F_GETFD) begin();
    return (int)syscall(SYS_fcntl, file, command, argument);
}

int fcntl(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return fcntl64(file, command, argument);
}

static void write_line(void) {
    void *callers[CALLERS];
    char line[80];
    uint64_t sum = 0;
    const int count = backtrace(callers, CALLERS);
    for (int i = 0; i < count; i++) sum = (sum ^ (uint64_t)(uintptr_t)callers[i]) * 0x9e3779b97f4a7c15u;
    const int length = snprintf(line, sizeof line, "%d %ld %016llx\n", process, number, (unsigned long long)sum);
    if (write(list, line, (size_t)length) != length) _exit(125);
}

// Count an allocation. Does it fail?
static bool fails(void) {
    if (process < 0 || busy) return false;
    const long mine = __atomic_add_fetch(&number, 1, __ATOMIC_SEQ_CST);
    busy = true;
    if (list >= 0) write_line();
    busy = false;
    if (process != fault_process || (fault_lasts ? mine < fault_number : mine != fault_number)) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    return fails() ? NULL : __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = memalign(alignment, size);
    return *block || size == 0 ? 0 : ENOMEM;
}
