#include "lab/stats/paired.h"

#include "base/random.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define LEVEL 0.05 // of every test; intervals hold 1 - LEVEL
#define POWER 0.8

// Without `alone`.
static Paired summary(const double *differences, int n) {
    assert(n >= 0 && n <= SEEDS_MOST);
    Paired paired = {.n = n, .estimate = NAN, .mean = NAN, .sd = NAN, .alone = {NAN, NAN}};
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(differences[i])) return paired;
        sum += differences[i] - differences[0]; // so that equal values have exactly their own mean and no spread
    }
    if (n < 1) return paired;
    memcpy(paired.sorted, differences, (size_t)n * sizeof *differences);
    sort_rising(paired.sorted, n);
    const double low = paired.sorted[(n - 1) / 2], high = paired.sorted[n / 2];
    paired.estimate = low + (high - low) / 2;
    paired.mean = differences[0] + sum / n;
    if (n < 2) return paired;
    for (int i = 0; i < n; i++) squares += (differences[i] - paired.mean) * (differences[i] - paired.mean);
    paired.sd = sqrt(squares / (n - 1));
    return paired;
}

Paired paired_summary(const double *differences, int n) {
    Paired paired = summary(differences, n);
    if (isfinite(paired.sd)) paired.alone = paired_interval(&paired, 1);
    return paired;
}

// The probability that [x_k, x_n+1-k] holds the median: that k to n - k of n tosses of a coin are heads.
static double level_of(int k, int n) {
    double fewer = 0, term = pow(0.5, n); // the probability of fewer than k heads, and of just `heads`
    for (int heads = 0; heads < k; heads++) {
        fewer += term;
        term *= (double)(n - heads) / (heads + 1);
    }
    return 1 - 2 * fewer;
}

// Returns the k of the narrowest such interval with at least this level, or 0 if n is too small. *share: how far to go
// from it towards the next narrower one until the level is just reached (Hettmansperger, Sheather 1986).
static int order_of(double *share, double level, int n) {
    int k = n / 2;
    while (k > 0 && level_of(k, n) < level) k--;
    const double above = (level_of(k, n) - level) / (level_of(k, n) - level_of(k + 1, n));
    *share = (n - k) * above / (k + (n - 2 * k) * above);
    return k;
}

bool paired_exact(const Paired *paired, double comparisons) {
    double share;
    return order_of(&share, 1 - LEVEL / comparisons, paired->n) > 0;
}

int paired_enough(double comparisons) {
    Paired paired = {.n = 1};
    while (!paired_exact(&paired, comparisons)) paired.n++;
    return paired.n;
}

// How the interval of n differences is made: from the k-th difference from either end, or, if k is 0, by Student's t.
typedef struct {
    int k;
    double share, t;
} Method;

static Method method_of(int n, double comparisons) {
    Method method = {.t = NAN};
    method.k = order_of(&method.share, 1 - LEVEL / comparisons, n);
    if (method.k == 0) method.t = student_t(LEVEL / 2 / comparisons, n - 1);
    return method;
}

static Interval interval_by(const Method *method, const Paired *paired) {
    const double *x = paired->sorted, share = method->share;
    const int n = paired->n, k = method->k;
    if (k > 0) return (Interval){x[k - 1] + share * (x[k] - x[k - 1]), x[n - k] - share * (x[n - k] - x[n - k - 1])};
    const double half = method->t * paired->sd / sqrt(n);
    return (Interval){fmin(paired->mean - half, x[0]), fmax(paired->mean + half, x[n - 1])};
}

Interval paired_interval(const Paired *paired, double comparisons) {
    assert(comparisons >= 1);
    if (!isfinite(paired->sd)) return (Interval){NAN, NAN};
    const Method method = method_of(paired->n, comparisons);
    return interval_by(&method, paired);
}

Verdict paired_verdict(const Paired *paired, double comparisons) {
    const Interval interval = paired_interval(paired, comparisons);
    return isnan(paired->estimate) ? VERDICT_DIVERGED
           : isnan(interval.low)   ? VERDICT_ONE_SEED
           : interval.high < 0     ? VERDICT_BETTER
           : interval.low > 0      ? VERDICT_WORSE
                                   : VERDICT_UNRESOLVED;
}

const char *verdict_words(Verdict verdict) {
    static const char *const words[] = {"better", "worse", "not resolved", "one seed cannot tell", "diverged"};
    return words[verdict];
}

// A true difference shifts the interval by just as much. So of a study drawn without a difference, minus the low end is
// the smallest difference that it would have found.
double resolvable(const Paired *paired, double comparisons) {
    enum { STUDIES = 10000 };
    assert(comparisons >= 1);
    if (isnan(paired->sd)) return NAN;
    const Method method = method_of(paired->n, comparisons);
    const uint64_t key = random_key(1, "resolvable");
    double noise[SEEDS_MOST], found[STUDIES];
    for (int study = 0; study < STUDIES; study++) {
        for (int i = 0; i < paired->n; i++) noise[i] = random_normal(key, (uint64_t)(study * SEEDS_MOST + i));
        const Paired drawn = summary(noise, paired->n);
        found[study] = -interval_by(&method, &drawn).low;
    }
    sort_rising(found, STUDIES);
    return paired->sd * found[(int)(POWER * STUDIES)];
}

Paired texts_summary(const double *gaps, int texts, int seeds) {
    assert(texts >= 0 && texts <= SEEDS_MOST && seeds >= 1);
    double medians[SEEDS_MOST];
    for (int text = 0; text < texts; text++)
        medians[text] = paired_summary(gaps + (ptrdiff_t)text * seeds, seeds).estimate;
    return paired_summary(medians, texts);
}
