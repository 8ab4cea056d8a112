#include "lab/stats/spectrum.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#if defined LAPACK && defined BLAS_ACCELERATE
#include <Accelerate/Accelerate.h>
#elif defined LAPACK
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *info);
#endif

static const double two_pi = 6.283185307179586;

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// Column c of a table (rows, C).
static void copy_column(double *column, const real *table, int rows, int C, int c) {
    for (int r = 0; r < rows; r++) column[r] = (double)table[(size_t)r * (size_t)C + (size_t)c];
}

static void centre(double *column, int rows) {
    double mean = 0;
    for (int r = 0; r < rows; r++) mean += column[r] / rows;
    for (int r = 0; r < rows; r++) column[r] -= mean;
}

// Add to power (T/2 + 1), from k = 1, what each frequency k/T has of the column's (T) sum of squares. waves (2 T):
// cosines and sines of t turns by T.
static void add_power(double *power, const double *column, const double *waves, int T) {
    for (int k = 1; k <= T / 2; k++) {
        double re = 0, im = 0;
        for (int t = 0, angle = 0; t < T; t++, angle = (angle + k) % T) {
            re += column[t] * waves[angle];
            im += column[t] * waves[T + angle];
        }
        // Of a real wave, T-k says the same as k; T/2 is its own other half.
        power[k] += (2 * k == T ? 1 : 2) * (re * re + im * im) / T;
    }
}

// Of columns (C, T), which are overwritten. space: for min(T, C) singular values and `work` (5 (T + C)) of dgesvd.
static double effective_rank(double *columns, int T, int C, double *space) {
#ifdef LAPACK
    const int count = T < C ? T : C, one = 1, size = 5 * (T + C);
    double *values = space, *work = space + count, entropy = 0;
    int info = 0;
    dgesvd_("N", "N", &T, &C, columns, &T, values, NULL, &one, NULL, &one, work, &size, &info);
    const double total = dot(values, values, count);
    if (info != 0 || !(total > 0)) return NAN;
    for (int i = 0; i < count; i++) {
        const double share = values[i] * values[i] / total;
        entropy -= share > 0 ? share * log(share) : 0;
    }
    return exp(entropy);
#else
    return NAN;
#endif
}

bool spectrum(double *rank, double *power, const real *table, int T, int C, Error *error) {
    const size_t numbers = (size_t)T * (size_t)C;
    assert(numbers > 0 && T >= WAVE_LEAST);
    for (size_t n = 0; n < numbers; n++)
        if (!isfinite(table[n]))
            return fail_input(error,
                              "the table of %d positions holds a number that is not finite; take weights from before "
                              "the training went wrong",
                              T);
    double *columns = malloc((numbers + 6 * ((size_t)T + (size_t)C)) * sizeof *columns), variance = 0;
    if (!columns) return fail_run(error, "no memory for the spectrum of a table of %d positions and %d channels", T, C);
    double *waves = columns + numbers;
    for (int t = 0; t < T; t++) {
        waves[t] = cos(two_pi * t / T);
        waves[T + t] = sin(two_pi * t / T);
    }
    for (int k = 0; k <= T / 2; k++) power[k] = 0;
    for (int c = 0; c < C; c++) {
        double *column = columns + (size_t)c * (size_t)T;
        copy_column(column, table, T, C, c);
        centre(column, T);
        variance += dot(column, column, T);
        add_power(power, column, waves, T);
    }
    for (int k = 0; k <= T / 2; k++) power[k] /= variance;
    *rank = effective_rank(columns, T, C, waves);
    free(columns);
    return true;
}

static double product_of_rows(const real *table, int p, int q, int C) {
    const real *x = table + (size_t)p * (size_t)C, *y = table + (size_t)q * (size_t)C;
    double sum = 0;
    for (int c = 0; c < C; c++) sum += (double)x[c] * (double)y[c];
    return sum;
}

double translation_invariance(const real *table, int T, int C) {
    const double pairs = 0.5 * T * (T - 1);
    double sum = 0, squares = 0, within = 0;
    for (int distance = 1; distance < T; distance++) {
        double of_distance = 0, squares_of_distance = 0;
        for (int p = distance; p < T; p++) {
            const double product = product_of_rows(table, p, p - distance, C);
            of_distance += product;
            squares_of_distance += product * product;
        }
        sum += of_distance;
        squares += squares_of_distance;
        within += squares_of_distance - of_distance * of_distance / (T - distance);
    }
    const double variance = squares - sum * sum / pairs;
    return variance > 1e-12 * squares ? 1 - within / variance : NAN;
}

// Take from y its share along x, which has length 1 or 0.
static void remove_share(double *y, const double *x, int n) {
    const double product = dot(y, x, n);
    for (int i = 0; i < n; i++) y[i] -= product * x[i];
}

double shift_residual(const real *codes, int T, int C, int shift) {
    const int rows = T - shift;
    if (rows <= C) return NAN;
    double *X = malloc(((size_t)C + 1) * (size_t)rows * sizeof *X); // columns (C, rows), and one of Y
    if (!X) return NAN;
    double *y = X + (size_t)C * (size_t)rows, unexplained = 0, spread = 0;
    // Make the columns of X orthonormal (Gram and Schmidt, twice for precision); columns that the ones before explain
    // become 0.
    for (int c = 0; c < C; c++) {
        double *x = X + (size_t)c * (size_t)rows;
        copy_column(x, codes, rows, C, c);
        const double before = dot(x, x, rows);
        for (int other = 0; other < 2 * c; other++) remove_share(x, X + (size_t)(other % c) * (size_t)rows, rows);
        const double after = dot(x, x, rows), scale = after > 1e-10 * before ? 1 / sqrt(after) : 0;
        for (int r = 0; r < rows; r++) x[r] *= scale;
    }
    for (int c = 0; c < C; c++) {
        copy_column(y, codes + (size_t)shift * (size_t)C, rows, C, c);
        for (int other = 0; other < C; other++) remove_share(y, X + (size_t)other * (size_t)rows, rows);
        unexplained += dot(y, y, rows);
        copy_column(y, codes + (size_t)shift * (size_t)C, rows, C, c);
        centre(y, rows);
        spread += dot(y, y, rows);
    }
    free(X);
    return sqrt(unexplained / spread);
}
