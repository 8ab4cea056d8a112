// The program of `make fuzz`: libFuzzer with the target that FUZZ_TARGET names.
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SECONDS_MOST = 10 }; // of the processor, for one input; the sanitizers make a program about ten times slower

static FuzzFunction *run;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    const char *name = getenv("FUZZ_TARGET");
    for (const FuzzTarget *target = fuzz_targets; name && target->name; target++)
        if (strcmp(target->name, name) == 0) run = target->run;
    if (run) return 0;
    fprintf(stderr, "set FUZZ_TARGET to one of:");
    for (const FuzzTarget *target = fuzz_targets; target->name; target++) fprintf(stderr, " %s", target->name);
    fprintf(stderr, "\n");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const clock_t start = clock();
    run(bytes, size);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (seconds <= SECONDS_MOST) return 0;
    fprintf(stderr, "this input took %.1f seconds\n", seconds);
    abort();
}
