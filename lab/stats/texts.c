#include "lab/stats/texts.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

// The mean over the seeds of one block; gaps (seeds, blocks).
static double block_gap(const double *gaps, int seeds, int blocks, int block) {
    double sum = 0;
    for (int s = 0; s < seeds; s++) sum += gaps[(size_t)s * blocks + block];
    return sum / seeds;
}

Interval blocks_interval(const double *gaps, int seeds, int blocks) {
    if (seeds < 1 || blocks < BLOCKS_LEAST) return (Interval){NAN, NAN};
    int length = 1;
    while (length * length * length < blocks) length++;
    const double first = block_gap(gaps, seeds, blocks, 0), runs = (double)blocks / length;
    double mean = 0, squares = 0; // of gaps less the first one, so that equal gaps have exactly no spread
    for (int b = 0; b < blocks; b++) mean += (block_gap(gaps, seeds, blocks, b) - first) / blocks;
    for (int b = 0; b < blocks; b++) {
        double run = 0;
        for (int i = 0; i < length; i++) run += (block_gap(gaps, seeds, blocks, (b + i) % blocks) - first) / length;
        squares += (run - mean) * (run - mean) / blocks;
    }
    const double half = t_quantile(0.975, runs - 1) * sqrt(squares / (runs - 1));
    if (!isfinite(half)) return (Interval){NAN, NAN};
    return (Interval){first + mean - half, first + mean + half};
}

Paired texts_summary(const double *gaps, int texts, int seeds) {
    assert(texts >= 0 && texts <= SEEDS_MOST && seeds >= 1);
    double means[SEEDS_MOST];
    for (int text = 0; text < texts; text++) {
        const double *gap = gaps + (size_t)text * seeds; // (seeds)
        double sum = 0;
        for (int s = 0; s < seeds; s++) sum += gap[s] - gap[0];
        means[text] = gap[0] + sum / seeds;
    }
    return paired_summary(means, texts);
}
