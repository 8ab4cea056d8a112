// How many threads there may be.
#include "base/memory.h"
#include "lab/ranks/ranks.h"
#include "lab/run/trainer.h"
#include "model/base/blas.h"
#include "model/base/gemm.h"
#include "model/base/matrix.h"
#include "model/base/team.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int processors_allowed(void) {
    const int all = omp_get_num_procs();
    const double quota = cpu_quota("");
    if (!(quota < all)) return all;
    const int allowed = quota < 2 ? 1 : (int)quota; // more threads would wait for each other when it is used up
    fprintf(stderr, "bitter: the control group's CPU quota is %.3g of %d processors, so %d %s used by default\n", quota,
            all, allowed, allowed == 1 ? "is" : "are");
    return allowed;
}

static void *wait_at(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

// libgomp would end the program when it cannot start a thread. Returns how many of them can be there beside this one.
static int startable(int count) {
    pthread_t threads[THREADS_MOST];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int started = 0, reason = 0;
    pthread_mutex_lock(&gate);
    while (started < count && (reason = pthread_create(&threads[started], NULL, wait_at, &gate)) == 0) started++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    if (started < count)
        fprintf(stderr, "bitter: only %d of %d threads are used, as no more can be started: %s; see ulimit -u and -v\n",
                started + 1, count + 1, strerror(reason));
    return started;
}

int threads_use(long long threads) {
    int count = threads > 0 ? (int)threads : omp_get_max_threads();
    if (threads == 0 && count > 1 && !getenv("OMP_NUM_THREADS")) count = least(count, processors_allowed());
    if (threads == 0 && ranks_here() > 1 && !getenv("OMP_NUM_THREADS")) {
        const int share = (int)sysconf(_SC_NPROCESSORS_ONLN) / ranks_here();
        if (count > share) count = share > 0 ? share : 1;
    }
    const int most = gemm_uses_blas() ? blas_threads_most() : THREADS_MOST;
    if (count > most) count = most;
    if (count > omp_get_thread_limit()) count = omp_get_thread_limit(); // OpenBLAS would wait for the missing ones
    count = startable(count - 1) + 1;
    omp_set_dynamic(0);
    omp_set_num_threads(count);
    return count;
}
