#include "model/adamw.h"

double gradient_norm(const Gpt *gpt) {
    double total = 0;
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i];
        const real *g = gpt->grads + t->offset;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t n = 0; n < t->count; n++) sum += (double)g[n] * (double)g[n];
        total += sum;
    }
    return sqrt(total);
}

const char *gradient_nonfinite(const Gpt *gpt) {
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i];
        for (size_t n = 0; n < t->count; n++)
            if (!isfinite(gpt->grads[t->offset + n])) return t->name;
    }
    return NULL;
}

void adamw_step(Gpt *gpt, const AdamW *adamw, double learning_rate, double norm, long long step) {
    const real shrink = (real)(adamw->clip > 0 && norm > adamw->clip ? adamw->clip / norm : 1);
    const real beta1 = (real)adamw->beta1, beta2 = (real)adamw->beta2, epsilon = (real)adamw->epsilon;
    // m / (1 - beta1^t) and v / (1 - beta2^t) undo the moments' start from zero.
    const real rate = (real)(learning_rate / (1 - pow(adamw->beta1, (double)step)));
    const real unbias = (real)(1 / sqrt(1 - pow(adamw->beta2, (double)step)));
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i];
        const real keep = (real)(1 - (t->decay ? learning_rate * adamw->weight_decay : 0));
        real *w = gpt->params + t->offset, *m = gpt->m + t->offset, *v = gpt->v + t->offset;
        const real *grad = gpt->grads + t->offset;
#pragma omp parallel for simd if (t->count > 10000)
        for (size_t n = 0; n < t->count; n++) {
            const real g = shrink * grad[n];
            m[n] = beta1 * m[n] + (1 - beta1) * g;
            v[n] = beta2 * v[n] + (1 - beta2) * g * g;
            w[n] = keep * w[n] - rate * m[n] / (unbias * real_sqrt(v[n]) + epsilon);
        }
    }
}

double cosine_schedule(long long step, long long steps, long long warmup, double high, double low) {
    if (step < warmup) return high * (double)(step + 1) / (double)warmup;
    if (steps <= warmup) return high;
    double progress = (double)(step - warmup) / (double)(steps - warmup);
    if (progress > 1) progress = 1;
    return low + (high - low) * 0.5 * (1 + cos(3.141592653589793 * progress));
}
