#include "lab/stats/spectrum.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double two_pi = 6.283185307179586;

// Add to power (T/2 + 1), from k = 1 on, the part of the sum of squares of wave (T) at frequency k/T. waves (2 T): the
// cosines, then the sines, of 2 pi t/T.
static void add_power(double *power, const double *wave, const double *waves, int T) {
    for (int k = 1; k <= T / 2; k++) {
        double re = 0, im = 0;
        for (int t = 0, angle = 0; t < T; t++) {
            re += wave[t] * waves[angle];
            im += wave[t] * waves[T + angle];
            angle = (angle + k) % T;
        }
        // The power of a real wave is the same at T-k as at k; T/2 is its own mirror image.
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
    for (int c = 0; c < C; c++) { // less its mean, which equal values have exactly
        double mean = (double)table[c];
        for (int t = 0; t < T; t++) mean += ((double)table[(size_t)t * (size_t)C + (size_t)c] - (double)table[c]) / T;
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
