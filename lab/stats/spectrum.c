#include "lab/stats/spectrum.h"

#include "lab/stats/curves.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

static const double two_pi = 6.283185307179586;

static double sum_of_squares(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i] * values[i];
    return sum;
}

// --- waves ---
typedef struct {
    double *cosines, *sines; // (T) of t turns by T
    double *wave;            // (T) at work
    double *f, *g;           // (T) cosine and sine of a frequency
    double *power;           // (T/2 + 1)
    int T;
} Waves;

static bool waves_create(Waves *w, int T, Error *error) {
    double *room = malloc(6 * (size_t)T * sizeof *room);
    *w = (Waves){.T = T, .cosines = room};
    if (!room) return fail_run(error, "no memory for waves over %d positions", T);
    w->sines = w->cosines + T;
    w->wave = w->sines + T;
    w->f = w->wave + T;
    w->g = w->f + T;
    w->power = w->g + T;
    for (int t = 0; t < T; t++) {
        w->cosines[t] = cos(two_pi * t / T);
        w->sines[t] = sin(two_pi * t / T);
    }
    return true;
}

static void waves_free(Waves *w) {
    free(w->cosines);
}

// Add to power (T/2 + 1), from k = 1, what each frequency k/T has of the wave's sum of squares.
static void add_power(double *power, const Waves *w) {
    for (int k = 1; k <= w->T / 2; k++) {
        double re = 0, im = 0;
        for (int t = 0, angle = 0; t < w->T; t++) {
            re += w->wave[t] * w->cosines[angle];
            im += w->wave[t] * w->sines[angle];
            angle = (angle + k) % w->T;
        }
        // Of a real wave, T-k says the same as k; T/2 is its own other half.
        power[k] += (2 * k == w->T ? 1 : 2) * (re * re + im * im) / w->T;
    }
}

// power (T/2 + 1), from columns (C, T) around their means.
static void table_power(double *power, Waves *w, const double *columns, int C) {
    const int T = w->T;
    const double all = sum_of_squares(columns, (size_t)T * (size_t)C);
    memset(power, 0, (size_t)(T / 2 + 1) * sizeof *power);
    for (int c = 0; c < C; c++) {
        memcpy(w->wave, columns + (size_t)c * (size_t)T, (size_t)T * sizeof *columns);
        add_power(power, w);
    }
    for (int k = 0; k <= T / 2; k++) power[k] /= all;
}

// columns (C, T) = the table (T, C) less its mean row, transposed.
static void centre(double *columns, const real *table, int T, int C) {
    for (size_t c = 0; c < (size_t)C; c++) {
        double *column = columns + c * (size_t)T, mean = 0;
        for (size_t t = 0; t < (size_t)T; t++) mean += (double)table[t * (size_t)C + c] / T;
        for (size_t t = 0; t < (size_t)T; t++) column[t] = (double)table[t * (size_t)C + c] - mean;
    }
}

// --- the spectrum of a table ---
// Turn columns x and y (T) until they are at right angles, the longer one first. False when they are already, or when
// the square of a length is at most `nothing`.
static bool rotate(double *x, double *y, double nothing, int T) {
    double xx = 0, yy = 0, xy = 0;
#pragma omp simd reduction(+ : xx, yy, xy)
    for (int t = 0; t < T; t++) {
        xx += x[t] * x[t];
        yy += y[t] * y[t];
        xy += x[t] * y[t];
    }
    const bool upright = fabs(xy) <= 1e-14 * sqrt(xx * yy) || xx <= nothing || yy <= nothing;
    if (upright && xx >= yy) return false;
    const double angle = 0.5 * atan2(2 * xy, xx - yy), cosine = cos(angle), sine = sin(angle);
#pragma omp simd
    for (int t = 0; t < T; t++) {
        const double old_x = x[t], old_y = y[t];
        x[t] = cosine * old_x + sine * old_y;
        y[t] = cosine * old_y - sine * old_x;
    }
    return true;
}

// One-sided Jacobi (Hestenes 1958): the columns (C, T) are turned in pairs until all are at right angles. Then their
// lengths are the singular values, and their directions the left singular vectors; where the value is 0 beside the
// largest, the vector is 0, too.
static bool decompose(Spectrum *s, double *columns, int C, Error *error) {
    const size_t T = (size_t)s->T;
    const double nothing = 1e-28 * sum_of_squares(columns, (size_t)C * T);
    bool turned = true;
    for (int sweep = 0; turned && sweep < 60; sweep++) {
        turned = false;
        for (int i = 0; i < C; i++)
            for (int j = i + 1; j < C; j++)
                turned |= rotate(columns + (size_t)i * T, columns + (size_t)j * T, nothing, s->T);
    }
    if (turned) return fail_run(error, "the singular values of a table of %d positions did not converge", s->T);
    for (int i = 0; i < s->count; i++) {
        const double *column = columns + (size_t)i * T;
        s->values[i] = sqrt(sum_of_squares(column, T));
        const double scale = s->values[i] * s->values[i] > nothing ? 1 / s->values[i] : 0;
        for (size_t t = 0; t < T; t++) s->vectors[t * (size_t)s->count + (size_t)i] = scale * column[t];
    }
    return true;
}

static bool all_finite(const real *table, size_t count) {
    for (size_t n = 0; n < count; n++)
        if (!isfinite(table[n])) return false;
    return true;
}

bool spectrum_create(Spectrum *s, const real *table, int T, int C, Error *error) {
    const size_t numbers = (size_t)T * (size_t)C;
    assert(numbers > 0);
    *s = (Spectrum){.T = T, .count = T < C ? T : C};
    if (!all_finite(table, numbers))
        return fail_input(error,
                          "the table of %d positions holds a number that is not finite; take weights from before the "
                          "training went wrong",
                          T);
    double *columns = calloc(numbers, sizeof *columns);
    Waves waves = {0};
    s->values = malloc((size_t)s->count * sizeof *s->values);
    s->vectors = malloc((size_t)T * (size_t)s->count * sizeof *s->vectors);
    s->power = malloc(((size_t)T / 2 + 1) * sizeof *s->power);
    bool ok = (columns && s->values && s->vectors && s->power) ||
              fail_run(error, "no memory for the spectrum of a table of %d positions and %d channels", T, C);
    ok = ok && waves_create(&waves, T, error);
    if (ok) {
        centre(columns, table, T, C);
        table_power(s->power, &waves, columns, C);
        ok = decompose(s, columns, C, error);
    }
    waves_free(&waves);
    free(columns);
    if (!ok) spectrum_free(s);
    return ok;
}

void spectrum_free(Spectrum *s) {
    free(s->values);
    free(s->vectors);
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

int values_holding(const double *values, int count, double share) {
    const double wanted = share * sum_of_squares(values, (size_t)count);
    double held = 0;
    int n = 0;
    while (n < count && held < wanted) {
        held += values[n] * values[n];
        n++;
    }
    return n;
}

// --- the strongest waves ---
// What a cosine and a sine of this frequency leave of the wave's sum of squares.
static double left_by(void *context, double frequency) {
    const Waves *w = context;
    double offset, weights[2];
    for (int t = 0; t < w->T; t++) {
        w->f[t] = cos(two_pi * frequency * t);
        w->g[t] = sin(two_pi * frequency * t);
    }
    return least_squares(&offset, weights, w->wave, w->f, w->g, w->T);
}

static Peak strongest(Waves *w) {
    double offset, weights[2];
    const double all = least_squares(&offset, weights, w->wave, NULL, NULL, w->T), T = w->T;
    if (!(all > 1e-12)) return (Peak){NAN, NAN}; // the constant, which no centred table has
    int k = 1;
    memset(w->power, 0, (size_t)(w->T / 2 + 1) * sizeof *w->power);
    add_power(w->power, w);
    for (int other = 2; other <= w->T / 2; other++)
        if (w->power[other] > w->power[k]) k = other;
    const double frequency = least_between(fmax((k - 1) / T, 0.5 / T), fmin((k + 1) / T, 0.5), left_by, w);
    return (Peak){frequency, 1 - left_by(w, frequency) / all};
}

bool spectrum_peaks(Peak *peaks, const Spectrum *s, int count, Error *error) {
    Waves waves;
    assert(count <= s->count && s->T >= WAVE_LEAST);
    if (!waves_create(&waves, s->T, error)) return false;
    for (int n = 0; n < count; n++) {
        for (int t = 0; t < s->T; t++) waves.wave[t] = s->vectors[(size_t)t * s->count + n];
        peaks[n] = strongest(&waves);
    }
    waves_free(&waves);
    return true;
}

// --- rows with each other ---
static double dot(const real *x, const real *y, int C) {
    double sum = 0;
    for (int c = 0; c < C; c++) sum += (double)x[c] * (double)y[c];
    return sum;
}

int similarity(double *cells, const real *table, int T, int C, int most) {
    const int n = T < most ? T : most;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const real *x = table + (size_t)((long long)i * T / n) * C, *y = table + (size_t)((long long)j * T / n) * C;
            cells[(size_t)i * n + j] = dot(x, y, C) / sqrt(dot(x, x, C) * dot(y, y, C));
        }
    return n;
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
