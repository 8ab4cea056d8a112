#include "lab/stats/curves.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double two_pi = 6.283185307179586;

// --- the families ---
static double linear(double d, double p) {
    return d;
}

static double logarithm(double d, double p) {
    return log1p(p * d);
}

static double exponential(double d, double p) {
    return exp(-d / p);
}

static double cosine(double d, double p) {
    return cos(two_pi * p * d);
}

static double sine(double d, double p) {
    return sin(two_pi * p * d);
}

typedef struct {
    const char *name, *formula;
    int parameters;
    double (*f)(double d, double p), (*g)(double d, double p); // what the weights multiply; NULL = nothing
} FamilyRow;

static const FamilyRow families[FAMILIES] = {
    [FAMILY_CONSTANT] = {"constant", "a", 1, NULL, NULL},
    [FAMILY_LINEAR] = {"linear", "a + r d", 2, linear, NULL},
    [FAMILY_LOG] = {"log", "a + r log(1 + p d)", 3, logarithm, NULL},
    [FAMILY_POWER] = {"power", "a + r d^p", 3, pow, NULL},
    [FAMILY_EXPONENTIAL] = {"exponential", "a + r exp(-d/p)", 3, exponential, NULL},
    [FAMILY_FOURIER] = {"fourier", "a + r cos(2 pi p d) + s sin(2 pi p d)", 4, cosine, sine},
};

const char *family_name(CurveFamily family) {
    return families[family].name;
}

const char *family_formula(CurveFamily family) {
    return families[family].formula;
}

double curve_value(CurveFamily family, const CurveFit *fit, double distance) {
    const FamilyRow *row = &families[family];
    double value = fit->offset;
    if (row->f) value += fit->weights[0] * row->f(distance, fit->shape);
    if (row->g) value += fit->weights[1] * row->g(distance, fit->shape);
    return value;
}

// --- least squares ---
static double mean_of(const double *values, int count) {
    double sum = 0;
    for (int i = 0; values && i < count; i++) sum += values[i];
    return sum / count;
}

// The sum of products of x and y, each less its mean; 0 where one is missing.
static double product(const double *x, double x_mean, const double *y, double y_mean, int count) {
    double sum = 0;
    for (int i = 0; x && y && i < count; i++) sum += (x[i] - x_mean) * (y[i] - y_mean);
    return sum;
}

// Least squares: the offset and weights with which offset + weights[0] f + weights[1] g comes nearest to y, each
// (count); f and g may be NULL. A constant function, or a multiple of the other one, gets weight 0. Returns the sum of
// squared errors.
static double least_squares(double *offset, double weights[2], const double *y, const double *f, const double *g,
                            int count) {
    const double ym = mean_of(y, count), fm = mean_of(f, count), gm = mean_of(g, count), nothing = 1e-18 * count;
    const double ff = product(f, fm, f, fm, count), fg = product(f, fm, g, gm, count),
                 gg = product(g, gm, g, gm, count);
    const double fy = product(f, fm, y, ym, count), gy = product(g, gm, y, ym, count);
    // g's share in f comes off first (Gram and Schmidt), which leaves two fits of one function each.
    const double slope = ff > nothing ? fg / ff : 0, own = gg - slope * fg;
    weights[1] = own > nothing && own > 1e-12 * gg ? (gy - slope * fy) / own : 0;
    weights[0] = ff > nothing ? fy / ff - slope * weights[1] : 0;
    *offset = ym - weights[0] * fm - weights[1] * gm;
    double left = 0;
    for (int i = 0; i < count; i++) {
        const double error = y[i] - *offset - (f ? weights[0] * f[i] : 0) - (g ? weights[1] * g[i] : 0);
        left += error * error;
    }
    return left;
}

// The minimum of f between low and high, if f has one valley there (golden sections, Kiefer 1953): to 1e-10 of their
// distance, unless the rounding of f blurs it.
static double least_between(double low, double high, double (*f)(void *context, double x), void *context) {
    const double golden = 0.6180339887498949;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double f_a = f(context, a), f_b = f(context, b);
    for (int section = 0; section < 48; section++) {
        if (f_a <= f_b) {
            high = b, b = a, f_b = f_a;
            f_a = f(context, a = high - golden * (high - low));
        } else {
            low = a, a = b, f_a = f_b;
            f_b = f(context, b = low + golden * (high - low));
        }
    }
    return (low + high) / 2;
}

// --- one family ---
typedef struct {
    const double *curve; // (n)
    double spread;       // its standard deviation
    double *even;        // (count) the curve at even distances
    double *f, *g;       // (count) the functions there
    int n, count;
} Fitting;

// The best fit of this shape at even distances; returns the sum of squares that are left.
static double fit_shape(CurveFit *fit, const Fitting *at, CurveFamily family, double shape) {
    const FamilyRow *row = &families[family];
    fit->shape = shape;
    for (int i = 0; i < at->count; i++) {
        if (row->f) at->f[i] = row->f(2 * i, shape);
        if (row->g) at->g[i] = row->g(2 * i, shape);
    }
    return least_squares(&fit->offset, fit->weights, at->even, row->f ? at->f : NULL, row->g ? at->g : NULL, at->count);
}

// Where shapes are searched: u = 0..1 in `steps` steps, evenly, or by equal factors.
typedef struct {
    double low, high;
    int steps;
    bool factors;
} Range;

static Range range_of(CurveFamily family, int n) {
    switch (family) {
    case FAMILY_LOG:
        return (Range){1.0 / n, 100, 64, true};
    case FAMILY_POWER:
        return (Range){0.05, 2, 64, true};
    case FAMILY_EXPONENTIAL:
        return (Range){0.5, n, 64, true};
    case FAMILY_FOURIER:
        return (Range){1.0 / n, 0.25, n, false}; // a quarter of what tells two waves of n tokens apart
    default:
        return (Range){0};
    }
}

static double shape_at(const Range *range, double u) {
    return range->factors ? range->low * pow(range->high / range->low, u) : range->low + (range->high - range->low) * u;
}

typedef struct {
    CurveFit *fit;
    const Fitting *at;
    CurveFamily family;
    Range range;
} ShapeSearch;

static double left_at(void *context, double u) {
    const ShapeSearch *search = context;
    return fit_shape(search->fit, search->at, search->family, shape_at(&search->range, u));
}

// The best on the grid, and then between its two neighbours.
static void search_shape(CurveFit *fit, const Fitting *at, CurveFamily family) {
    ShapeSearch search = {fit, at, family, range_of(family, at->n)};
    const double step = 1.0 / search.range.steps;
    double least = INFINITY, on_grid = 0;
    for (int n = 0; n <= search.range.steps; n++) {
        const double left = left_at(&search, n * step);
        if (left < least) least = left, on_grid = n * step;
    }
    const double u = least_between(fmax(on_grid - step, 0), fmin(on_grid + step, 1), left_at, &search);
    left_at(&search, u); // leaves the fit there
}

// Root mean square error at odd distances, by the spread.
static double held_out_error(const CurveFit *fit, const Fitting *at, CurveFamily family) {
    const int judges = at->n / 2;
    double squares = 0;
    for (int d = 1; d < at->n; d += 2) squares += pow(at->curve[d] - curve_value(family, fit, d), 2);
    return sqrt(squares / judges) / at->spread;
}

// Schwarz's criterion (1978), with the errors at odd distances: log of the error, and a price for each parameter.
// NAN is not less than anything.
static CurveFamily best_family(const CurveFits *fits, int judges) {
    double least = INFINITY;
    CurveFamily best = FAMILY_CONSTANT;
    for (int family = 0; family < FAMILIES; family++) {
        const double price = families[family].parameters * log(judges) / (2 * judges);
        const double score = log(fits->fits[family].error) + price;
        if (score < least) least = score, best = (CurveFamily)family;
    }
    return best;
}

// The standard deviation, or NAN where it is nothing but rounding.
static double spread_of(const double *curve, int n) {
    const double mean = mean_of(curve, n), spread = sqrt(product(curve, mean, curve, mean, n) / n);
    return spread > 1e-12 * fabs(mean) ? spread : NAN;
}

bool curves_fit(CurveFits *fits, const double *curve, int n, Error *error) {
    assert(n >= CURVE_LEAST);
    Fitting at = {.curve = curve, .spread = spread_of(curve, n), .n = n, .count = (n + 1) / 2};
    double *room = malloc(3 * (size_t)at.count * sizeof *room);
    if (!room) return fail_run(error, "no memory to fit a curve of %d distances", n);
    at.even = room;
    at.f = room + at.count;
    at.g = at.f + at.count;
    for (int i = 0; i < at.count; i++) at.even[i] = curve[2 * i];
    for (int family = 0; family < FAMILIES; family++) {
        CurveFit *fit = &fits->fits[family];
        if (range_of((CurveFamily)family, n).steps > 0)
            search_shape(fit, &at, (CurveFamily)family);
        else
            fit_shape(fit, &at, (CurveFamily)family, NAN);
        fit->error = held_out_error(fit, &at, (CurveFamily)family);
    }
    fits->best = best_family(fits, n / 2);
    free(room);
    return true;
}
