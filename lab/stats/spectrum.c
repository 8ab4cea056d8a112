#include "lab/stats/spectrum.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double two_pi = 6.283185307179586;

// --- the spectrum of a table ---
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

double *power_spectrum(const real *table, int T, int C, Error *error) {
    assert(C > 0 && T >= WAVE_LEAST);
    if (!all_finite(table, (size_t)T * (size_t)C)) {
        fail_input(error,
                   "the table of %d positions holds a number that is not finite; take weights from before the training "
                   "went wrong",
                   T);
        return NULL;
    }
    double *power = calloc((size_t)T / 2 + 1, sizeof *power), *wave = malloc(3 * (size_t)T * sizeof *wave), all = 0;
    if (!power || !wave) {
        fail_run(error, "no memory for the spectrum of a table of %d positions", T);
        free(power);
        free(wave);
        return NULL;
    }
    double *waves = wave + T; // (2 T)
    for (int t = 0; t < T; t++) {
        waves[t] = cos(two_pi * t / T);
        waves[T + t] = sin(two_pi * t / T);
    }
    for (int c = 0; c < C; c++) { // less its mean
        double mean = 0;
        for (int t = 0; t < T; t++) mean += (double)table[(size_t)t * (size_t)C + (size_t)c] / T;
        for (int t = 0; t < T; t++) {
            wave[t] = (double)table[(size_t)t * (size_t)C + (size_t)c] - mean;
            all += wave[t] * wave[t];
        }
        add_power(power, wave, waves, T);
    }
    for (int k = 0; k <= T / 2; k++) power[k] /= all;
    free(wave);
    return power;
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
