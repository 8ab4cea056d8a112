#include "lab/stats/fit.h"

#include <math.h>
#include <stdlib.h>

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
    double *X = malloc((n + 1) * sizeof *X), *Y = malloc((n + 1) * sizeof *Y), residual = NAN;
    for (size_t i = 0; X && Y && i < n; i++) {
        X[i] = (double)codes[i];
        Y[i] = (double)codes[i + (size_t)shift * (size_t)C];
    }
    if (X && Y && rows > 0) residual = linear_residual(Y, X, (int)rows, C);
    free(X);
    free(Y);
    return residual;
}

double rank_correlation(const double *values, int count) {
    double product = 0, squares = 0, places = 0;
    for (int i = 0; i < count; i++) {
        double rank = 0;
        for (int j = 0; j < count; j++) rank += values[j] < values[i] ? 1 : values[j] == values[i] ? 0.5 : 0;
        const double off = rank - 0.5 * count, place = i - 0.5 * (count - 1);
        product += off * place;
        squares += off * off;
        places += place * place;
    }
    return squares > 0 ? product / sqrt(squares * places) : NAN;
}
