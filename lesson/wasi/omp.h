// OpenMP for the lesson's modules, which have one thread: the compiler ignores the pragmas, and these are the
// functions.
#ifndef BITTER_LESSON_OMP_H
#define BITTER_LESSON_OMP_H

static inline int omp_get_num_threads(void) {
    return 1;
}

static inline int omp_get_thread_num(void) {
    return 0;
}

static inline int omp_get_max_threads(void) {
    return 1;
}

static inline int omp_get_num_procs(void) {
    return 1;
}

static inline int omp_get_thread_limit(void) {
    return 1;
}

static inline void omp_set_dynamic(int dynamic) {}

static inline void omp_set_num_threads(int threads) {}

#endif
