#include "lab/stats/fit.h"

#include <math.h>
#include <stddef.h>

// Columns of `X` (rows, C) made orthonormal (Gram and Schmidt, twice for precision); columns that others explain
// become 0.
static void orthonormalise(double *X, int rows, int C) {
    for (int c = 0; c < C; c++) {
        double before = 0, after = 0;
        for (int r = 0; r < rows; r++) before += X[(size_t)r * C + c] * X[(size_t)r * C + c];
        for (int pass = 0; pass < 2; pass++)
            for (int other = 0; other < c; other++) {
                double product = 0;
                for (int r = 0; r < rows; r++) product += X[(size_t)r * C + c] * X[(size_t)r * C + other];
                for (int r = 0; r < rows; r++) X[(size_t)r * C + c] -= product * X[(size_t)r * C + other];
            }
        for (int r = 0; r < rows; r++) after += X[(size_t)r * C + c] * X[(size_t)r * C + c];
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
        for (int other = 0; other < C; other++) {
            double product = 0;
            for (int r = 0; r < rows; r++) product += Y[(size_t)r * C + c] * X[(size_t)r * C + other];
            for (int r = 0; r < rows; r++) Y[(size_t)r * C + c] -= product * X[(size_t)r * C + other];
        }
        for (int r = 0; r < rows; r++) unexplained += Y[(size_t)r * C + c] * Y[(size_t)r * C + c];
    }
    return sqrt(unexplained / spread);
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
