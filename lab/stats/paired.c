#include "lab/stats/paired.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#define LEVEL 0.05 // of every test; intervals hold 1 - LEVEL
#define POWER 0.8

// Summed from the first value on, so that equal values have exactly their own mean and no spread.
static double mean_of(const double *values, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += values[i] - values[0];
    return values[0] + sum / n;
}

static double sd_of(const double *values, int n) {
    const double mean = mean_of(values, n);
    double squares = 0;
    for (int i = 0; i < n; i++) squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / (n - 1));
}

static bool all_finite(const double *values, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

static Paired nothing_of(int n) {
    return (Paired){n, NAN, NAN, NAN, NAN, NAN, {NAN, NAN}};
}

// p and t of mean, se and df.
static void test_mean(Paired *paired) {
    const double errors = paired->mean == 0 ? 0 : paired->mean / paired->se; // a mean of 0 is right even where se is 0
    paired->p = 2 * t_cdf(-fabs(errors), paired->df);
    paired->t = paired_interval(paired, 1);
}

Paired paired_summary(const double *differences, int n) {
    assert(n >= 0 && n <= SEEDS_MOST);
    Paired paired = nothing_of(n);
    if (!all_finite(differences, n)) return paired;
    if (n == 1) paired.mean = differences[0];
    if (n < 2) return paired;
    paired.mean = mean_of(differences, n);
    paired.sd = sd_of(differences, n);
    paired.se = paired.sd / sqrt(n);
    paired.df = n - 1;
    test_mean(&paired);
    return paired;
}

Paired unpaired_summary(const double *a, int na, const double *b, int nb) {
    assert(na >= 0 && nb >= 0);
    Paired gap = nothing_of(na < nb ? na : nb);
    if (gap.n < 1 || !all_finite(a, na) || !all_finite(b, nb)) return gap;
    gap.mean = mean_of(a, na) - mean_of(b, nb);
    if (gap.n < 2) return gap;
    const double sd_a = sd_of(a, na), sd_b = sd_of(b, nb);
    const double error_a = sd_a * sd_a / na, error_b = sd_b * sd_b / nb, errors = error_a + error_b;
    const double share = errors > 0 ? error_a / errors : (na - 1.0) / (na + nb - 2.0), rest = 1 - share;
    gap.sd = hypot(sd_a, sd_b);
    gap.se = sqrt(errors);
    gap.df = fmax(1 / (share * share / (na - 1) + rest * rest / (nb - 1)), gap.n - 1);
    test_mean(&gap);
    return gap;
}

Interval paired_interval(const Paired *paired, double comparisons) {
    assert(comparisons >= 1);
    if (!isfinite(paired->se)) return (Interval){NAN, NAN};
    const double half = -t_quantile(LEVEL / 2 / comparisons, paired->df) * paired->se;
    return (Interval){paired->mean - half, paired->mean + half};
}

double paired_adjusted(const Paired *paired, double comparisons) {
    return comparisons * paired->p > 1 ? 1 : comparisons * paired->p;
}

Verdict paired_verdict(const Paired *paired, double comparisons) {
    const Interval interval = paired_interval(paired, comparisons);
    return interval.high < 0 ? VERDICT_BETTER : interval.low > 0 ? VERDICT_WORSE : VERDICT_UNRESOLVED;
}

const char *verdict_words(Verdict verdict) {
    static const char *const words[] = {
        [VERDICT_UNRESOLVED] = "not resolved", [VERDICT_BETTER] = "better", [VERDICT_WORSE] = "worse"};
    return words[verdict];
}

double resolvable(double se, double df, double comparisons) {
    assert(comparisons >= 1);
    if (!(df >= 1)) return NAN;
    const double critical = -t_quantile(LEVEL / 2 / comparisons, df);
    double low = 0, high = 1;
    while (t_power(high, critical, df) < POWER) high *= 2;
    for (int halving = 0; halving < 50; halving++) {
        const double middle = low + (high - low) / 2;
        *(t_power(middle, critical, df) < POWER ? &low : &high) = middle;
    }
    return high * se;
}

Interval blocks_interval(const double *gaps, int blocks, int seeds) {
    if (seeds < 1 || blocks < BLOCKS_LEAST) return (Interval){NAN, NAN};
    int length = 1;
    while (length * length * length < blocks) length++;
    const double first = mean_of(gaps, seeds), runs = (double)blocks / length;
    double mean = 0, squares = 0; // of gaps less the first one, so that equal gaps have exactly no spread
    for (int b = 0; b < blocks; b++) mean += (mean_of(gaps + (ptrdiff_t)b * seeds, seeds) - first) / blocks;
    for (int b = 0; b < blocks; b++) {
        double run = 0;
        for (int i = 0; i < length; i++)
            run += (mean_of(gaps + (ptrdiff_t)((b + i) % blocks) * seeds, seeds) - first) / length;
        squares += (run - mean) * (run - mean) / blocks;
    }
    const double half = t_quantile(0.975, runs - 1) * sqrt(squares / (runs - 1));
    if (!isfinite(half)) return (Interval){NAN, NAN};
    return (Interval){first + mean - half, first + mean + half};
}

Paired texts_summary(const double *gaps, int texts, int seeds) {
    assert(texts >= 0 && texts <= SEEDS_MOST && seeds >= 1);
    double means[SEEDS_MOST];
    for (int text = 0; text < texts; text++) means[text] = mean_of(gaps + (ptrdiff_t)text * seeds, seeds);
    return paired_summary(means, texts);
}
