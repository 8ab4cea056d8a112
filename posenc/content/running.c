#include "posenc/content/running.h"

Running running_forward(const ScoreBlock *block, const real *numbers, int stride, real *scratch) {
    const Running running = running_of(block, scratch);
    double sum = 0;
    for (int t = 0; t < block->columns; t++) {
        sum += (double)numbers[(size_t)t * stride];
        running.sum[t] = (real)sum;
        running.rest[t] = (real)(sum - (double)running.sum[t]);
    }
    return running;
}

// Number t is part of sum_u for all u >= t, so its gradient is dsum_u added up over these.
void running_backward(real *dnumbers, const real *dsum, const ScoreBlock *block, int stride) {
    double sum = 0;
    for (int t = block->columns - 1; t >= 0; t--) {
        sum += (double)dsum[t];
        dnumbers[(size_t)t * stride] += (real)sum;
    }
}
