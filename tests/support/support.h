// What all tests share: random numbers, comparisons that fail on NaN, expected refusals, and central differences.
#ifndef BITTER_SUPPORT_H
#define BITTER_SUPPORT_H

#include "base/error.h"
#include "base/file/file.h"
#include "base/random.h"
#include "num/real.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// A test's output comes in the log before the line that says how it ended; cmocka prints errors to stderr.
__attribute__((constructor)) static void print_by_lines(void) {
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

// Fail the test with the error's own sentence unless `ok`.
static inline void must(bool ok, const Error *error) {
    if (!ok) fail_msg("%s", error->message);
}

// Expect a refusal as bad input, with a sentence that contains `part`.
static inline void expect_refused(bool accepted, const Error *error, const char *part) {
    if (accepted) fail_msg("accepted, but it should have been refused with: %s", part);
    assert_int_equal(error->kind, ERROR_INPUT);
    if (!strstr(error->message, part)) fail_msg("no '%s' in: %s", part, error->message);
}

// New memory for `count` normal numbers, different for every `name`; the caller frees it.
static inline real *random_reals(size_t count, const char *name, double scale) {
    real *values = malloc(count * sizeof *values);
    assert_non_null(values);
    const uint64_t key = random_key(7, name);
    for (size_t n = 0; n < count; n++) values[n] = (real)(scale * random_normal(key, n));
    return values;
}

// A random matrix (rows, columns) in rows of `stride` whose padding is NaN, so that reading it shows.
static inline real *stored(const char *name, int rows, int columns, int stride) {
    real *values = random_reals((size_t)rows * stride, name, 1);
    for (int r = 0; r < rows; r++)
        for (int c = columns; c < stride; c++) values[(size_t)r * stride + c] = NAN;
    return values;
}

// New memory full of NaN, for outputs that must be overwritten.
static inline real *nan_reals(size_t count) {
    real *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (size_t n = 0; n < count; n++) values[n] = NAN;
    return values;
}

static inline real *copy_reals(const real *values, size_t count) {
    real *copy = malloc(count * sizeof *copy);
    assert_non_null(copy);
    return memcpy(copy, values, count * sizeof *copy);
}

static inline void expect_near(const char *name, size_t at, double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%s[%zu] is %.17g, expected %.17g within %g", name, at, found, expected, tolerance);
}

static inline void expect_all_near(const char *name, const real *found, const real *expected, size_t count,
                                   double tolerance) {
    for (size_t n = 0; n < count; n++) expect_near(name, n, (double)found[n], (double)expected[n], tolerance);
}

static inline double root_mean_square(const real *values, size_t count) {
    double squares = 0;
    for (size_t n = 0; n < count; n++) squares += (double)values[n] * (double)values[n];
    return sqrt(squares / (double)count);
}

// Compare each of grads (count) with the four-point central difference of `loss` with respect to values (count), which
// are restored. The tolerance is relative to the larger of the two, or to the RMS gradient if both are smaller.
static inline void expect_gradient(const char *name, const real *grads, real *values, size_t count,
                                   double (*loss)(void *op), void *op, double tolerance) {
    static const double points[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1}, step = 1e-3;
    const double typical = root_mean_square(grads, count);
    assert_true(isfinite(typical));
    for (size_t n = 0; n < count; n++) {
        const real value = values[n];
        double sum = 0;
        for (size_t i = 0; i < COUNT(points); i++) {
            values[n] = value + (real)(points[i] * step);
            sum += weights[i] * loss(op);
        }
        values[n] = value;
        const double numeric = sum / (12 * step), size = fmax(fmax(fabs((double)grads[n]), fabs(numeric)), typical);
        assert_true(isfinite(numeric));
        expect_near(name, n, (double)grads[n], numeric, tolerance * size);
    }
}

static inline void expect_text(const char *text, const char *part) {
    if (!strstr(text, part)) fail_msg("there is no\n%s\nin\n%s", part, text);
}

// All of a file; the caller frees its bytes.
static inline Buffer read_file(const char *path) {
    Buffer file;
    Error error;
    must(file_read(&file, path, &error), &error);
    return file;
}

// Flip one bit of a file, in place; a second time restores it.
static inline void flip_bit(const char *path, uint64_t bit) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, (long)(bit / 8), SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, (long)(bit / 8), SEEK_SET);
    fputc(byte ^ 1 << bit % 8, file);
    assert_int_equal(fclose(file), 0);
}

#endif
