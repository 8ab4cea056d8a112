#include "base/random.h"
#include "lab/stats/paired.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL           0.05 // of every test; intervals hold 1 - LEVEL
#define DRAWS           10000
#define ENUMERATED_MOST 8 // 8 values have 6435 resamples, 9 have 24310: more than DRAWS
#define POWER           0.8

// Summed from the first value on, so that equal values have exactly their own mean and no spread.
static void mean_and_sd(double *mean, double *sd, const double *values, int n) {
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) sum += values[i] - values[0];
    *mean = values[0] + sum / n;
    for (int i = 0; i < n; i++) squares += (values[i] - *mean) * (values[i] - *mean);
    *sd = sqrt(squares / (n - 1));
}

// How many standard errors `distance` is; 0 is none of them even where there is no error.
static double in_errors(double distance, double sd, int n) {
    return distance == 0 ? 0 : distance / (sd / sqrt(n));
}

typedef struct {
    double t;      // how far the resample's mean is from the mean of the differences, in its own standard errors
    double weight; // how many of the resamples in order are this one
} Resample;

static Resample resample(const double *differences, const int *chosen, int n, double mean) {
    double values[SEEDS_MOST], other, sd, weight = 1;
    values[0] = differences[chosen[0]];
    for (int i = 1, run = 1; i < n; i++) {
        values[i] = differences[chosen[i]];
        run = chosen[i] == chosen[i - 1] ? run + 1 : 1;
        weight = weight * (i + 1) / run; // in the end n! by the factorials of the runs; whole at every step
    }
    mean_and_sd(&other, &sd, values, n);
    return (Resample){in_errors(other - mean, sd, n), weight};
}

// All of them: chosen[] runs through the sequences that never fall, each once.
static int enumerate_resamples(Resample *resamples, const double *differences, int n, double mean) {
    int chosen[ENUMERATED_MOST] = {0};
    for (int count = 0;;) {
        assert(count < DRAWS);
        resamples[count++] = resample(differences, chosen, n, mean);
        int rising = n - 1;
        while (rising >= 0 && chosen[rising] == n - 1) rising--;
        if (rising < 0) return count;
        const int next = chosen[rising] + 1;
        for (int i = rising; i < n; i++) chosen[i] = next;
    }
}

static int draw_resamples(Resample *resamples, const double *differences, int n, double mean) {
    Random random = {.key = random_key(0, "bootstrap")};
    for (int count = 0; count < DRAWS; count++) {
        int chosen[SEEDS_MOST] = {0};
        for (int i = 0; i < n; i++) chosen[i] = random_below(&random, n);
        resamples[count] = resample(differences, chosen, n, mean);
        resamples[count].weight = 1; // a likely resample is drawn more often
    }
    return DRAWS;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_t(const void *a, const void *b) {
    return by_value(&((const Resample *)a)->t, &((const Resample *)b)->t);
}

Interval bootstrap_interval(const double *differences, int n) {
    assert(n >= 2 && n <= SEEDS_MOST);
    Resample resamples[DRAWS];
    double sorted[SEEDS_MOST], mean, sd, total = 0, below = 0, above = 0;
    memcpy(sorted, differences, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value); // the order of the seeds must not matter
    mean_and_sd(&mean, &sd, sorted, n);
    const int count = n <= ENUMERATED_MOST ? enumerate_resamples(resamples, sorted, n, mean)
                                           : draw_resamples(resamples, sorted, n, mean);
    qsort(resamples, (size_t)count, sizeof *resamples, by_t);
    for (int i = 0; i < count; i++) total += resamples[i].weight;
    int first = -1, last = count;
    while (below < LEVEL / 2 * total) below += resamples[++first].weight;
    while (above < LEVEL / 2 * total) above += resamples[--last].weight;
    // Means of resamples err from this mean as it errs from the truth: one that is far too high means a low truth.
    const double error = sd / sqrt(n);
    return (Interval){mean - resamples[last].t * error, mean - resamples[first].t * error};
}

static bool all_finite(const double *values, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

static Paired nothing_of(int n) {
    return (Paired){n, NAN, NAN, NAN, NAN, NAN, {NAN, NAN}, {NAN, NAN}};
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
    mean_and_sd(&paired.mean, &paired.sd, differences, n);
    paired.se = paired.sd / sqrt(n);
    paired.df = n - 1;
    test_mean(&paired);
    paired.bootstrap = bootstrap_interval(differences, n);
    return paired;
}

Paired unpaired_summary(const double *a, int na, const double *b, int nb) {
    assert(na >= 0 && nb >= 0);
    Paired gap = nothing_of(na < nb ? na : nb);
    if (gap.n < 1 || !all_finite(a, na) || !all_finite(b, nb)) return gap;
    double mean_a, mean_b, sd_a, sd_b;
    mean_and_sd(&mean_a, &sd_a, a, na);
    mean_and_sd(&mean_b, &sd_b, b, nb);
    gap.mean = mean_a - mean_b;
    if (gap.n < 2) return gap;
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

// Does a test at one of the looks find a difference? critical[n] is the |t| that a test of n differences needs,
// INFINITY where there is none.
static bool peek(const double *critical, int most, Random *random) {
    double mean = 0, squares = 0; // of all differences so far (Welford 1962)
    for (int n = 1; n <= most; n++) {
        const double difference = random_normal(random->key, random->counter++), step = difference - mean;
        mean += step / n;
        squares += step * (difference - mean);
        if (n > 1 && fabs(mean) >= critical[n] * sqrt(squares / (n - 1) / n)) return true;
    }
    return false;
}

double peeking_error(const int *looks, int count) {
    enum { EXPERIMENTS = 100000 };
    double critical[SEEDS_MOST + 1];
    int most = 0, found = 0;
    for (int n = 0; n <= SEEDS_MOST; n++) critical[n] = INFINITY;
    for (int i = 0; i < count; i++) {
        assert(looks[i] <= SEEDS_MOST);
        if (looks[i] < 2) continue;
        critical[looks[i]] = -t_quantile(LEVEL / 2, looks[i] - 1);
        if (looks[i] > most) most = looks[i];
    }
    Random random = {.key = random_key(0, "peeking")};
    for (int experiment = 0; experiment < EXPERIMENTS; experiment++) found += peek(critical, most, &random);
    return found / (double)EXPERIMENTS;
}

Verdict verdict(double mean, double p) {
    if (!(p <= LEVEL)) return VERDICT_UNRESOLVED;
    return mean < 0 ? VERDICT_BETTER : VERDICT_WORSE;
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

double paired_resolvable(double sd, int n, int comparisons) {
    return n < 2 ? NAN : resolvable(sd / sqrt(n), n - 1, comparisons);
}

// The largest distance of a mean gap from the line with this slope through the middle of all.
static double misfit_of(const double *x, const double *gaps, double center, double slope, int seeds, int points) {
    double middle = 0, most = 0;
    for (int n = 0; n < seeds * points; n++) middle += (gaps[n] - gaps[0]) / (seeds * points);
    for (int k = 0; k < points; k++) {
        double off = -(middle + slope * (x[k] - center));
        for (int s = 0; s < seeds; s++) off += (gaps[(size_t)s * points + k] - gaps[0]) / seeds;
        if (!(fabs(off) <= most)) most = fabs(off);
    }
    return most;
}

Trend trend_fit(const double *x, const double *gaps, int seeds, int points) {
    assert(seeds >= 0 && seeds <= SEEDS_MOST);
    double slopes[SEEDS_MOST] = {0}, bends[SEEDS_MOST] = {0}, firsts[SEEDS_MOST] = {0}, lasts[SEEDS_MOST] = {0};
    double center = 0, spread = 0, third = 0;
    int least = 0, most = 0;
    for (int k = 0; k < points; k++) center += x[k] / points;
    for (int k = 0; k < points; k++) {
        const double u = x[k] - center;
        spread += u * u;
        third += u * u * u;
        if (x[k] < x[least]) least = k;
        if (x[k] > x[most]) most = k;
    }
    const bool moves = points > 0 && x[most] > x[least];
    for (int s = 0; s < seeds; s++) {
        const double *gap = gaps + (size_t)s * points; // (points)
        double product = 0, curved = 0, curvature = 0;
        for (int k = 0; k < points; k++) {
            const double u = x[k] - center, from_first = gap[k] - gap[0]; // so that equal gaps have exactly no slope
            const double parabola = u * u - third / spread * u - spread / points; // at right angles to all lines
            product += u * from_first;
            curved += parabola * from_first;
            curvature += parabola * parabola;
        }
        slopes[s] = moves ? product / spread : NAN;
        bends[s] = moves && curvature > 1e-12 * spread * spread ? curved / curvature : NAN;
        firsts[s] = moves ? gap[least] : NAN;
        lasts[s] = moves ? gap[most] : NAN;
    }
    Trend trend = {.slope = paired_summary(slopes, seeds),
                   .first = paired_summary(firsts, seeds),
                   .last = paired_summary(lasts, seeds),
                   .bend = paired_summary(bends, seeds)};
    trend.misfit = misfit_of(x, gaps, center, trend.slope.mean, seeds, points);
    return trend;
}

// Of a mean that differs from 0 at this p-value; 0 of one that is not known to.
static int sign_of(double mean, double p) {
    return !(p <= LEVEL) ? 0 : mean > 0 ? 1 : -1;
}

// The word for signs that are 0 where they are not known.
static TrendVerdict word_of(const Trend *trend, int way, int first, int last) {
    if (way == 0 || (first == 0 && last == 0)) return TREND_UNRESOLVED;
    if (!(way * (trend->last.mean - trend->first.mean) > 0)) return TREND_UNRESOLVED;
    if (first == -way && last == way) return TREND_CROSSING;
    return first == -way || last == -way ? TREND_CLOSING : TREND_OPENING;
}

TrendVerdict trend_verdict(const Trend *trend, double p) {
    return word_of(trend, sign_of(trend->slope.mean, p), sign_of(trend->first.mean, trend->first.p),
                   sign_of(trend->last.mean, trend->last.p));
}

static int known_sign(const Paired *paired, double comparisons) {
    const Verdict verdict = paired_verdict(paired, comparisons);
    return verdict == VERDICT_UNRESOLVED ? 0 : verdict == VERDICT_WORSE ? 1 : -1;
}

TrendVerdict trend_called(const Trend *trend, double slopes, double gaps) {
    return word_of(trend, known_sign(&trend->slope, slopes), known_sign(&trend->first, gaps),
                   known_sign(&trend->last, gaps));
}

bool trend_is_bent(const Trend *trend) {
    return trend->bend.p <= LEVEL;
}

const char *trend_words(TrendVerdict verdict) {
    static const char *const words[] = {[TREND_UNRESOLVED] = "not resolved",
                                        [TREND_CLOSING] = "closing",
                                        [TREND_OPENING] = "opening",
                                        [TREND_CROSSING] = "crossing"};
    return words[verdict];
}
