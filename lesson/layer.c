// One layer of a tiny model at work, in the module in double precision: the values at each place, and their gradients.
#include "base/random.h"
#include "lesson/shared.h"
#include "model/train_pass.h"

enum { T = 5, C = 8, H = 2, d = C / H };

// What lesson_layer returns twice: first values, then their gradients.
typedef struct {
    real token[T * C], x[T * C];          // the residual stream without and with a code
    real made[T * 3 * C], qkv[T * 3 * C]; // q, k and v before and after schemes change them
    real S0[H * T * T], S[H * T * T];     // scores q k^T / sqrt(d) before and after schemes change them; 0 where masked
    real P[H * T * T];                    // softmax(S)
    real heads[T * C], x_mid[T * C], x_out[T * C]; // P v; the residual stream after attention and after the MLP
} Places;

// S is log P, up to the constant lse that softmax subtracts. dP_ij = dheads_i . v_j, and through the softmax
// dS_ij = P_ij (dP_ij - sum over k of P_ik dP_ik). A bias adds to S0, so dS0 = dS.
static void attention_places(Places *y, Places *dy, const TrainPass *pass, Attention attention) {
    attention.P = y->P;
    attention_forward(&attention, &pass->tables, pass->buffers.scratch);
    for (int row = 0; row < H * T; row++) {
        const int i = row % T, first = row / T * d; // query and first channel of its head
        double sum = 0;
        for (int j = 0; j <= i; j++) {
            const int n = row * T + j, q = i * 3 * C + first, k = j * 3 * C + C + first;
            for (int c = 0; c < d; c++) y->S0[n] += y->qkv[q + c] * y->qkv[k + c] / sqrt(d);
            for (int c = 0; c < d; c++) dy->P[n] += dy->heads[i * C + first + c] * y->qkv[k + C + c];
            y->S[n] = log(y->P[n]) + attention.lse[row];
            sum += y->P[n] * dy->P[n];
        }
        for (int n = row * T; n <= row * T + i; n++) dy->S0[n] = dy->S[n] = y->P[n] * (dy->P[n] - sum);
    }
}

static void note_places(Places *y, Places *dy, Gpt *gpt, TrainPass *pass, const int *ids) {
    const LayerActivations *a = pass->layers;
    const LayerBuffers *b = &pass->buffers;
    const LayerWeights *w = gpt->w.layers;
    const Layer layer = train_layer(pass, gpt, 0);
    const Attention attention = layer_attention(&layer);
    real dnorm[T * C], through[T * C] = {0};
    train_pass_embed(pass, gpt, ids);
    memcpy(y->token, a->x, sizeof y->token);
    train_pass_forward(pass, gpt);
    loss_forward_backward(pass->nll, dnorm, gpt->dw.wte, pass->dnll, b->norm, gpt->w.wte, ids + 1, b->scratch, T, C, T);
    norm_backward(dy->x_out, dnorm, pass->x_final, gpt->w.lnfw, gpt->w.lnfb, pass->lnf_mean, pass->lnf_rstd, T, C);
    train_pass_backward(pass, gpt, ids, ids + 1);
    memcpy(y->x, a->x, sizeof y->x);
    memcpy(y->qkv, a->qkv, sizeof y->qkv);
    memcpy(y->heads, a->heads, sizeof y->heads);
    memcpy(y->x_mid, a->x_mid, sizeof y->x_mid);
    memcpy(y->x_out, pass->x_final, sizeof y->x_out);
    memcpy(dy->x, pass->dx, sizeof dy->x);
    memcpy(dy->token, pass->dx, sizeof dy->token);
    memcpy(dy->made, b->dqkv, sizeof dy->made);
    memcpy(dy->heads, b->dheads, sizeof dy->heads);
    // dx is the sum of the gradient that came past attention and the one that came through it.
    norm_backward(through, b->dnorm, a->x, w->ln1w, w->ln1b, a->ln1_mean, a->ln1_rstd, T, C);
    for (int n = 0; n < T * C; n++) dy->x_mid[n] = dy->x[n] - through[n];
    // Compute again what the layer has overwritten: q and k before the schemes, dq and dk after them.
    linear_forward(y->made, b->norm, w->qkvw, w->qkvb, T, C, 3 * C);
    attention_backward(&(AttentionGradient){dy->qkv, dy->qkv + C, dy->qkv + 2 * C, b->dfeatures, b->dheads, NULL},
                       &attention, &pass->tables, b->scratch);
    attention_places(y, dy, pass, attention);
}

int lesson_layer(double *places, const double *tokens) {
    static const Shape shape = {.vocab = T, .context = T, .layers = 1, .heads = H, .width = C};
    Error error;
    Mix mix;
    Gpt gpt = {0};
    TrainPass pass = {0};
    Places *y = (Places *)places;
    int ids[T + 1];
    const bool ok = mix_create(&mix, lesson_text(), &shape, &error) && gpt_create(&gpt, &shape, &mix, true, &error) &&
                    train_pass_create(&pass, &gpt, 1, T, &error);
    if (ok) {
        for (int t = 0; t <= T; t++) ids[t] = (int)tokens[t];
        memset(y, 0, 2 * sizeof *y);
        gpt_init(&gpt, 1);
        for (size_t n = 0; n < gpt.tensors.total; n++) gpt.params[n] += (real)(0.4 * random_normal(1, n));
        mix_project(&gpt.pos);
        pass.dnll[T - 1] = 1;
        note_places(&y[0], &y[1], &gpt, &pass, ids);
        places[2 * sizeof *y / sizeof *places] = pass.nll[T - 1];
    }
    train_pass_free(&pass);
    gpt_free(&gpt);
    return ok ? 0 : lesson_failed(&error);
}
