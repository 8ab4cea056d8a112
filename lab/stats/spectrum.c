#include "lab/stats/spectrum.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined LAPACK && defined BLAS_ACCELERATE
#include <Accelerate/Accelerate.h>
#elif defined LAPACK
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *info);
#endif

static const double two_pi = 6.283185307179586;

static double sum_of_squares(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i] * values[i];
    return sum;
}

// --- the spectrum of a table ---
// columns (C, T) = the table (T, C) less its mean row, transposed.
static void centre(double *columns, const real *table, int T, int C) {
    for (size_t c = 0; c < (size_t)C; c++) {
        double *column = columns + c * (size_t)T, mean = 0;
        for (size_t t = 0; t < (size_t)T; t++) mean += (double)table[t * (size_t)C + c] / T;
        for (size_t t = 0; t < (size_t)T; t++) column[t] = (double)table[t * (size_t)C + c] - mean;
    }
}

// Add to power (T/2 + 1), from k = 1, what each frequency k/T has of the wave's (T) sum of squares. waves (2 T):
// cosines and sines of t turns by T.
static void add_power(double *power, const double *wave, const double *waves, int T) {
    for (int k = 1; k <= T / 2; k++) {
        double re = 0, im = 0;
        for (int t = 0, angle = 0; t < T; t++) {
            re += wave[t] * waves[angle];
            im += wave[t] * waves[T + angle];
            angle = (angle + k) % T;
        }
        // Of a real wave, T-k says the same as k; T/2 is its own other half.
        power[k] += (2 * k == T ? 1 : 2) * (re * re + im * im) / T;
    }
}

// The singular values (min(T, C)) of columns (C, T), which are overwritten; work (size).
static void singular_values(double *values, double *columns, int T, int C, double *work, int size) {
#ifdef LAPACK
    const int one = 1;
    int info = 0;
    dgesvd_("N", "N", &T, &C, columns, &T, values, NULL, &one, NULL, &one, work, &size, &info);
    if (info == 0) return;
#endif
    for (int i = 0; i < T && i < C; i++) values[i] = NAN;
}

static bool all_finite(const real *table, size_t count) {
    for (size_t n = 0; n < count; n++)
        if (!isfinite(table[n])) return false;
    return true;
}

bool spectrum_create(Spectrum *s, const real *table, int T, int C, Error *error) {
    const size_t numbers = (size_t)T * (size_t)C, room = 5 * ((size_t)T + (size_t)C); // as much as dgesvd needs
    assert(numbers > 0 && T >= WAVE_LEAST);
    *s = (Spectrum){.count = T < C ? T : C};
    if (!all_finite(table, numbers))
        return fail_input(error,
                          "the table of %d positions holds a number that is not finite; take weights from before the "
                          "training went wrong",
                          T);
    double *columns = malloc((numbers + room) * sizeof *columns), *waves = columns ? columns + numbers : NULL;
    s->values = calloc((size_t)s->count, sizeof *s->values);
    s->power = calloc((size_t)T / 2 + 1, sizeof *s->power);
    const bool ok = (columns && s->values && s->power) ||
                    fail_run(error, "no memory for the spectrum of a table of %d positions and %d channels", T, C);
    if (ok) {
        for (int t = 0; t < T; t++) {
            waves[t] = cos(two_pi * t / T);
            waves[T + t] = sin(two_pi * t / T);
        }
        centre(columns, table, T, C);
        const double all = sum_of_squares(columns, numbers);
        for (int c = 0; c < C; c++) add_power(s->power, columns + (size_t)c * (size_t)T, waves, T);
        for (int k = 0; k <= T / 2; k++) s->power[k] /= all;
        singular_values(s->values, columns, T, C, waves, (int)room);
    }
    free(columns);
    if (!ok) spectrum_free(s);
    return ok;
}

void spectrum_free(Spectrum *s) {
    free(s->values);
    free(s->power);
    *s = (Spectrum){0};
}

double effective_rank(const double *values, int count) {
    const double total = sum_of_squares(values, (size_t)count);
    double entropy = 0;
    for (int i = 0; i < count; i++) {
        const double share = values[i] * values[i] / total;
        entropy -= share > 0 ? share * log(share) : 0;
    }
    return total > 0 ? exp(entropy) : NAN;
}

double values_holding(const double *values, int count, double share) {
    const double wanted = share * sum_of_squares(values, (size_t)count);
    double held = 0;
    int n = 0;
    if (isnan(wanted)) return NAN;
    while (n < count && held < wanted) {
        held += values[n] * values[n];
        n++;
    }
    return n;
}

// --- rows with each other ---
static double dot(const real *x, const real *y, int C) {
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
            const double product = dot(table + (size_t)p * C, table + (size_t)(p - distance) * C, C);
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

// --- linear maps of rows ---
static double product_of(const double *Y, int y, const double *X, int x, int rows, int C) {
    double product = 0;
    for (int r = 0; r < rows; r++) product += Y[(size_t)r * C + y] * X[(size_t)r * C + x];
    return product;
}

// Take from column y of `Y` its share along column x of `X`, which has length 1 or 0. Both (rows, C).
static void remove_share(double *Y, int y, const double *X, int x, int rows, int C) {
    const double product = product_of(Y, y, X, x, rows, C);
    for (int r = 0; r < rows; r++) Y[(size_t)r * C + y] -= product * X[(size_t)r * C + x];
}

// Make the columns of `X` (rows, C) orthonormal (Gram and Schmidt, twice for precision); columns that the ones before
// explain become 0.
static void orthonormalise(double *X, int rows, int C) {
    for (int c = 0; c < C; c++) {
        const double before = product_of(X, c, X, c, rows, C);
        for (int pass = 0; pass < 2; pass++)
            for (int other = 0; other < c; other++) remove_share(X, c, X, other, rows, C);
        const double after = product_of(X, c, X, c, rows, C);
        const double scale = after > 1e-10 * before ? 1 / sqrt(after) : 0;
        for (int r = 0; r < rows; r++) X[(size_t)r * C + c] *= scale;
    }
}

double linear_residual(double *Y, double *X, int rows, int C) {
    if (rows <= C) return NAN;
    orthonormalise(X, rows, C);
    double unexplained = 0, spread = 0;
    for (int c = 0; c < C; c++) {
        double mean = 0;
        for (int r = 0; r < rows; r++) mean += Y[(size_t)r * C + c] / rows;
        for (int r = 0; r < rows; r++) spread += (Y[(size_t)r * C + c] - mean) * (Y[(size_t)r * C + c] - mean);
        for (int other = 0; other < C; other++) remove_share(Y, c, X, other, rows, C);
        unexplained += product_of(Y, c, Y, c, rows, C);
    }
    return sqrt(unexplained / spread);
}

double shift_residual(const real *codes, int T, int C, int shift) {
    const size_t rows = T > shift ? (size_t)(T - shift) : 0, n = rows * (size_t)C;
    double *X = calloc(n + 1, sizeof *X), *Y = calloc(n + 1, sizeof *Y), residual = NAN;
    for (size_t i = 0; X && Y && i < n; i++) {
        X[i] = (double)codes[i];
        Y[i] = (double)codes[i + (size_t)shift * (size_t)C];
    }
    if (X && Y && rows > 0) residual = linear_residual(Y, X, (int)rows, C);
    free(X);
    free(Y);
    return residual;
}
