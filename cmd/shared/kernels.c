#include "cmd/shared/kernels.h"

#include "base/file/file.h"
#include "cmd/shared/arguments.h"
#include "model/base/blas.h"
#include "model/base/gemm.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPENBLAS_CORE "OPENBLAS_CORETYPE"
#define OWN_CHOICE    "BITTER_CORETYPE" // passed to the restarted program: the core that OpenBLAS had chosen by itself
#define GUESS         "guess" // a value of OWN_CHOICE, for tests: treat OPENBLAS_CORE as OpenBLAS's own choice

extern char **environ;

typedef enum { SSE, AVX, AVX2, AVX512 } Vectors;

// OpenBLAS's cores without the widest vectors. Any other name belongs to an AVX-512 core, to another architecture, or
// to a core newer than this table; none of them is slow for lack of vectors.
static const struct {
    const char *core;
    Vectors vectors;
} narrow_cores[] = {
    {"Katmai", SSE},     {"Coppermine", SSE},  {"Northwood", SSE},    {"Prescott", SSE},   {"Banias", SSE},
    {"Core2", SSE},      {"Penryn", SSE},      {"Dunnington", SSE},   {"Nehalem", SSE},    {"Atom", SSE},
    {"Athlon", SSE},     {"Opteron", SSE},     {"Opteron_SSE3", SSE}, {"Barcelona", SSE},  {"Nano", SSE},
    {"Bobcat", SSE},     {"Sandybridge", AVX}, {"Bulldozer", AVX},    {"Piledriver", AVX}, {"Steamroller", AVX},
    {"Excavator", AVX2}, {"Haswell", AVX2},    {"Zen", AVX2},
};

static const char *const usual_core[] = {[AVX] = "Sandybridge", [AVX2] = "Haswell", [AVX512] = "SkylakeX"};

static Vectors vectors_of(const char *core) {
    for (size_t i = 0; i < sizeof narrow_cores / sizeof *narrow_cores; i++)
        if (strcmp(core, narrow_cores[i].core) == 0) return narrow_cores[i].vectors;
    return AVX512;
}

// The widest vectors that processor and operating system support.
static Vectors vectors_here(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        return AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return AVX2;
    if (__builtin_cpu_supports("avx")) return AVX;
#endif
    return SSE;
}

// A debugger or Valgrind must see the program that it started, not a restarted one.
static bool is_traced(void) {
    const char *preloaded = getenv("LD_PRELOAD");
    if (preloaded && strstr(preloaded, "vgpreload")) return true; // Valgrind
    FILE *status = fopen("/proc/self/status", "r");
    if (!status) return false;
    char line[256];
    long tracer = 0;
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "TracerPid: %ld", &tracer) == 1) break;
    fclose(status);
    return tracer != 0;
}

// Is the core in use the one that OpenBLAS chose by itself?
static bool is_own_choice(void) {
    const char *mark = getenv(OWN_CHOICE);
    return !getenv(OPENBLAS_CORE) || (mark && strcmp(mark, GUESS) == 0);
}

static bool is_behind(void) {
    return gemm_uses_blas() && is_own_choice() && vectors_of(blas_core()) < vectors_here();
}

void program_find(char program[PATH_CAPACITY], const char *name) {
    const ssize_t length = readlink("/proc/self/exe", program, PATH_CAPACITY - 1);
    if (length > 0 && length < PATH_CAPACITY - 1) // a longer one may be cut
        program[length] = '\0';
    else
        snprintf(program, PATH_CAPACITY, "%s", name);
}

// Does a new process use the core that the environment names, and compute right products? (A library without that core
// ignores the variable.) Kernels that crash end that process and not this one.
static bool try_core(const char *program, char *name) {
    char check[] = KERNELS_CHECK, *arguments[] = {name, check, NULL};
    pid_t process;
    int status;
    if (posix_spawnp(&process, program, NULL, NULL, arguments, environ) != 0) return false;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void kernels_choose(char **argv) {
    const char *const own = blas_core();
    if (!is_behind() || is_traced()) return;
    const bool guess = getenv(OWN_CHOICE) != NULL;
    char program[PATH_CAPACITY];
    program_find(program, argv[0]);
    setenv(OWN_CHOICE, own, 1);
    for (Vectors vectors = vectors_here(); vectors > vectors_of(own); vectors--) {
        setenv(OPENBLAS_CORE, usual_core[vectors], 1);
        if (try_core(program, argv[0])) execvp(program, argv);
    }
    unsetenv(OPENBLAS_CORE);
    unsetenv(OWN_CHOICE);
    if (guess) {
        setenv(OPENBLAS_CORE, own, 1);
        setenv(OWN_CHOICE, GUESS, 1);
    }
}

void kernels_forget(void) {
    if (!getenv(OWN_CHOICE)) return;
    unsetenv(OPENBLAS_CORE);
    unsetenv(OWN_CHOICE);
}

int kernels_check(void) {
    const char *wanted = getenv(OPENBLAS_CORE);
    return wanted && strcmp(blas_core(), wanted) == 0 && blas_is_right() ? ERROR_NONE : ERROR_RUN;
}

void kernels_report(FILE *out, const char *command) {
    if (!gemm_uses_blas()) return;
    if (!blas_is_right()) {
        Error error;
        fail_run(&error,
                 blas_is_openblas()
                     ? "OpenBLAS's kernels for %s give wrong products on this processor; set " OPENBLAS_CORE
                       "=Haswell, or another core, or install another OpenBLAS"
                     : "%s gives wrong products on this processor; build bitter with another library, for "
                       "example `make BLAS=openblas`",
                 blas_is_openblas() ? blas_core() : blas_description());
        die(command, &error);
    }
    const char *own = getenv(OWN_CHOICE);
    if (is_behind() && is_traced())
        fprintf(stderr,
                "bitter %s: OpenBLAS uses its kernels for %s, which are slow on this processor; set " OPENBLAS_CORE
                "=%s for faster ones\n",
                command, blas_core(), usual_core[vectors_here()]);
    else if (is_behind())
        fprintf(stderr,
                "bitter %s: OpenBLAS uses its kernels for %s, which are slow on this processor, and has no faster ones "
                "that multiply right here; install a newer OpenBLAS\n",
                command, blas_core());
    else if (own && !is_own_choice())
        fprintf(out, "kernels %s, which are faster on this processor than OpenBLAS's choice, %s, would be\n",
                blas_core(), own);
    if (blas_complaint()) fprintf(stderr, "bitter %s: %s\n", command, blas_complaint());
}
