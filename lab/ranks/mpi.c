// Built with MPI. All waiting is done in finish(), which looks for signals and lets the processor rest.
#include "base/interrupt.h"
#include "lab/ranks/ranks.h"

#include <assert.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SLICE   (1 << 22) // numbers that are summed at once
#define BYTES   (1 << 30) // that are shared at once: MPI counts with an int
#define DOUBLES 8         // at most, of ranks_sum_doubles
#define BUSY    0.01      // seconds of waiting before the processor may rest
// Seconds to wait for the others after a signal. mpirun kills 1 second after it, and rank 0 may have something to save.
#define FIRST_PATIENCE 0.3
#define PATIENCE       30.0
#define END_PATIENCE   5.0 // and at the end
#define REAL           (sizeof(real) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT)

const bool ranks_built = true;

static int count = 1, own, here = 1;
static bool over; // a call has failed: there must be no other
static bool lost; // another rank may have ended
static MPI_Comm ends;
// Room for the calls below.
static int *oks;         // (count)
static int *size, *from; // (count) each rank's share of a slice
static int *mine, *put;  // (count) the own share, as it comes from each rank
static real *received;   // (count, own share)
static double *doubles;  // (count, DOUBLES)

// Wait until the request is done. Gives up after so many seconds, from now on or from a signal on.
static bool finish(MPI_Request *request, double patience, bool from_now) {
    const struct timespec rest = {0, 50000};
    const double begin = MPI_Wtime();
    double start = from_now ? begin : -1;
    for (;;) {
        int finished;
        MPI_Test(request, &finished, MPI_STATUS_IGNORE);
        if (finished) return true;
        const double now = MPI_Wtime();
        if (start < 0 && interrupt_came()) start = now;
        if (start >= 0 && now - start > patience) return false;
        if (now - begin > BUSY) nanosleep(&rest, NULL);
    }
}

static bool done(MPI_Request *request, Error *error) {
    if (finish(request, own == 0 ? FIRST_PATIENCE : PATIENCE, false)) return true;
    over = lost = true;
    return fail_interrupted(error, "interrupted while waiting for the other processes, of which one may have ended");
}

// A rank that leaves without the others is noticed by mpirun, which ends them.
static void end(void) {
    MPI_Request request;
    fflush(NULL);
    if (lost) return;
    MPI_Ibarrier(ends, &request);
    if (finish(&request, END_PATIENCE, true)) MPI_Finalize();
}

static void silence(void) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

bool ranks_start(Error *error) {
    int provided;
    MPI_Comm machine;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided); // only the first thread calls MPI
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_dup(MPI_COMM_WORLD, &ends); // of its own, as the others may be anywhere when a rank ends
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &here);
    if (own > 0) silence();
    atexit(end);
    const size_t n = (size_t)count;
    oks = malloc(n * sizeof *oks);
    size = malloc(n * sizeof *size);
    from = malloc(n * sizeof *from);
    mine = malloc(n * sizeof *mine);
    put = malloc(n * sizeof *put);
    doubles = malloc(n * DOUBLES * sizeof *doubles);
    received = count > 1 ? malloc((SLICE + n) * sizeof *received) : NULL;
    return (oks && size && from && mine && put && doubles && (received || count == 1)) ||
           fail_run(error, "no memory for the sums of %d processes", count);
}

int ranks_count(void) {
    return count;
}

int ranks_own(void) {
    return own;
}

int ranks_here(void) {
    return here;
}

bool ranks_first(void) {
    return own == 0;
}

bool ranks_agree(bool ok, Error *error) {
    MPI_Request request;
    const int is_ok = ok;
    int first = 0; // that failed
    if (over || count == 1) return ok && !over;
    MPI_Iallgather(&is_ok, 1, MPI_INT, oks, 1, MPI_INT, MPI_COMM_WORLD, &request);
    if (!done(&request, error)) return false;
    while (first < count && oks[first]) first++;
    if (first == count) return true;
    over = true;
    if (first == own && own > 0) {
        const Error said = *error;
        char machine[MPI_MAX_PROCESSOR_NAME];
        int length;
        MPI_Get_processor_name(machine, &length);
        fail_with(error, said.kind, "process %d, on %s: %.1000s", own, machine, said.message);
    }
    MPI_Ibcast(error, (int)sizeof *error, MPI_BYTE, first, MPI_COMM_WORLD, &request);
    return done(&request, error) && false;
}

static bool sum_slice(real *values, int n, Error *error) {
    MPI_Request request;
    for (int r = 0; r < count; r++) {
        from[r] = (int)((long long)n * r / count);
        size[r] = (int)((long long)n * (r + 1) / count) - from[r];
    }
    for (int r = 0; r < count; r++) {
        mine[r] = size[own];
        put[r] = r * size[own];
    }
    // Each rank adds up its share of the numbers, and then gets the other shares. MPI_Allreduce moves as much, but adds
    // in an order of its own.
    MPI_Ialltoallv(values, size, from, REAL, received, mine, put, REAL, MPI_COMM_WORLD, &request);
    if (!done(&request, error)) return false;
    real *sums = values + from[own];
#pragma omp parallel for
    for (int i = 0; i < size[own]; i++) {
        real sum = 0;
        for (int r = 0; r < count; r++) sum += received[put[r] + i];
        sums[i] = sum;
    }
    MPI_Iallgatherv(MPI_IN_PLACE, 0, REAL, values, size, from, REAL, MPI_COMM_WORLD, &request);
    return done(&request, error);
}

bool ranks_sum(real *values, size_t n, Error *error) {
    if (count == 1) return true;
    for (size_t at = 0; at < n && !over; at += SLICE)
        sum_slice(values + at, (int)(n - at < SLICE ? n - at : SLICE), error);
    return !over;
}

bool ranks_sum_doubles(double *values, int n, Error *error) {
    MPI_Request request;
    assert(n <= DOUBLES);
    if (over || count == 1) return !over;
    MPI_Iallgather(values, n, MPI_DOUBLE, doubles, n, MPI_DOUBLE, MPI_COMM_WORLD, &request);
    if (!done(&request, error)) return false;
    for (int i = 0; i < n; i++) {
        values[i] = 0;
        for (int r = 0; r < count; r++) values[i] += doubles[r * n + i];
    }
    return true;
}

bool ranks_share(void *bytes, size_t n, Error *error) {
    MPI_Request request;
    if (count == 1) return true;
    for (size_t at = 0; at < n && !over; at += BYTES) {
        MPI_Ibcast((char *)bytes + at, (int)(n - at < BYTES ? n - at : BYTES), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
        done(&request, error);
    }
    return !over;
}
