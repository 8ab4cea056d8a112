#include "model/gpt.h"

#include "num/team.h"

#include <assert.h>

double gradient_norm(const Gpt *gpt) {
    double parts[THREADS_MOST] = {0}; // one per thread, added in order: as many threads give the same bits
#pragma omp parallel
    {
        double part = 0;
        assert(omp_get_num_threads() <= THREADS_MOST);
        for (int i = 0; i < gpt->tensors.count; i++) {
            const Tensor *t = &gpt->tensors.items[i];
            const real *g = gpt->grads + t->offset;
            const Share own = share_columns((int)t->count);
#pragma omp simd reduction(+ : part)
            for (int n = own.begin; n < own.end; n++) part += (double)g[n] * (double)g[n];
        }
        parts[omp_get_thread_num()] = part;
    }
    double total = 0;
    for (int thread = 0; thread < THREADS_MOST; thread++) total += parts[thread];
    return sqrt(total);
}

void adamw_step(Gpt *gpt, const AdamW *adamw, double learning_rate, double norm, long long step) {
    const real shrink = (real)(adamw->clip > 0 && norm > adamw->clip ? adamw->clip / norm : 1);
    const real beta1 = (real)adamw->beta1, beta2 = (real)adamw->beta2, epsilon = (real)adamw->epsilon;
    // m / (1 - beta1^t) and v / (1 - beta2^t) correct the bias of moments that start at zero.
    const double rate = learning_rate / (1 - pow(adamw->beta1, (double)step));
    const real unbias = (real)(1 / sqrt(1 - pow(adamw->beta2, (double)step)));
    // With lr = rate factor * learning_rate and g the clipped gradient,
    //     m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2,
    //     w = (1 - learning_rate decay) w - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon).
    // In the last line, keep is the first factor, pace = lr / (1 - beta1^t), and unbias = 1 / sqrt(1 - beta2^t).
#pragma omp parallel
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i];
        const real pace = (real)(t->rate * rate);
        const real keep = (real)(1 - (t->decay ? learning_rate * adamw->weight_decay : 0));
        real *w = gpt->params + t->offset, *m = gpt->m + t->offset, *v = gpt->v + t->offset;
        real *grad = gpt->grads + t->offset;
        const Share own = share_columns((int)t->count);
#pragma omp simd
        for (int n = own.begin; n < own.end; n++) {
            const real g = shrink * grad[n];
            m[n] = beta1 * m[n] + (1 - beta1) * g;
            v[n] = beta2 * v[n] + (1 - beta2) * g * g;
            w[n] = keep * w[n] - pace * m[n] / (unbias * real_sqrt(v[n]) + epsilon);
            grad[n] = 0;
        }
    }
    mix_project(&gpt->pos);
}

double cosine_schedule(long long step, long long steps, long long warmup, double high, double low) {
    if (step < warmup) return high * (double)(step + 1) / (double)warmup;
    if (step >= steps - 1) return low;
    const double progress = (double)(step - warmup) / (double)(steps - 1 - warmup);
    return low + (high - low) * 0.5 * (1 + cos(3.141592653589793 * progress));
}
