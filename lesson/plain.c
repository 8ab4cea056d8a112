// A small GPT-2, trained on a text of your own: the whole trainer in one file, in plain loops, on one thread, with
// nothing but the C library.
//
//     cc -O2 lesson/plain.c -lm && ./a.out book.txt rope
//
// The second word says how the model knows where a token stands: none, learned, sinusoidal, rope or alibi. A position
// scheme enters in one of three places: a code that is added to the embeddings (position_code), a rotation of queries
// and keys (rotate), or a bias on attention scores (position_bias).
//
// How to read it: each forward function has its backward function right below. A name that begins with d is the
// gradient of the loss with respect to what the rest of the name says: dx[c] tells how much the loss grows for each
// unit that x[c] grows. Backward functions ADD to the gradients of their inputs, because a value that is used in two
// places receives a gradient from both; so all gradients start from 0 in every step.
//
// `bitter train` does the same, faster (model/). Tests compare its every activation and gradient with those of this
// file. This file is never optimised and never given a feature.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef REAL
#define REAL float // tests compare gradients in double, where rounding hides nothing
#endif
typedef REAL real;

enum {
    B = 8,     // sequences in a batch
    T = 64,    // tokens in a sequence: the context
    L = 2,     // layers
    H = 4,     // attention heads
    D = 16,    // channels of a head
    C = H * D, // channels of the residual stream
    F = 4 * C, // hidden channels of the MLP
    V = 257,   // size of the vocabulary: the 256 bytes, and a token that ends a document
    N = B * T, // tokens in a batch
};

typedef enum { NONE, LEARNED, SINUSOIDAL, ROPE, ALIBI } Scheme;
static const char *const scheme_names[] = {"none", "learned", "sinusoidal", "rope", "alibi"};

static Scheme scheme;
static int inputs[N], targets[N]; // row n = b T + t is token t of sequence b; targets[n] is the token that follows it

// --- what is trained, and what a forward pass computes ---

typedef struct {
    // Matrices: weight decay pulls these towards 0.
    real wte[V][C];         // token embeddings; also the output head
    real qkvw[L][3 * C][C]; // rows: queries of all heads, then keys, then values
    real projw[L][C][C];
    real fcw[L][F][C];
    real fcprojw[L][C][F];
    // The rest, without weight decay.
    real wpe[T][C]; // position embeddings, for the scheme `learned`
    real ln1w[L][C], ln1b[L][C];
    real qkvb[L][3 * C];
    real projb[L][C];
    real ln2w[L][C], ln2b[L][C];
    real fcb[L][F];
    real fcprojb[L][C];
    real lnfw[C], lnfb[C];
} Parameters;

enum { PARAMETERS = sizeof(Parameters) / sizeof(real), DECAYED = offsetof(Parameters, wpe) / sizeof(real) };

typedef struct {
    real x[L + 1][N][C];   // the residual stream before each layer, and after the last
    real ln1[L][N][C];     // layernorm(x)
    real qkv[L][N][3 * C]; // queries of all heads, keys, values; with rope, queries and keys are turned
    real P[L][B][H][T][T]; // attention weights: P[i][j] is the weight that query i gives to key j
    real heads[L][N][C];   // the outputs of all heads
    real proj[L][N][C];
    real x_mid[L][N][C]; // x + proj
    real ln2[L][N][C];   // layernorm(x_mid)
    real fc[L][N][F];
    real hidden[L][N][F]; // gelu(fc)
    real fcproj[L][N][C]; // the next x is x_mid + fcproj
    real lnf[N][C];       // layernorm(x[L])
    real logits[N][V];
    real nll[N]; // the loss of each token, in nats
} Activations;

static Parameters p, dp;          // parameters, and their gradients
static Parameters adam_m, adam_v; // AdamW's two moments
static Activations a, da;         // activations, and their gradients

// --- where position schemes enter ---

// Learned and sinusoidal positions: what is added to channel c of the token at t. (Vaswani et al. 2017)
static real position_code(int t, int c) {
    const int pair = c / 2;
    const double angle = t * pow(10000, -2.0 * pair / C), peak = 0.02 * sqrt(2); // 0.02: the size of the embeddings
    if (scheme == LEARNED) return p.wpe[t][c];
    if (scheme == SINUSOIDAL) return (real)(peak * (c % 2 == 0 ? sin(angle) : cos(angle)));
    return 0;
}

// RoPE: turn each pair of channels (i, i + D/2) of a query or key at t by the angle t theta_i, in place. (Su et al.
// 2021) Forward has direction +1. The product of a query at i and a key at j then depends on i - j alone, because the
// rotations of query and key differ by (i - j) theta.
//
// Backward is direction -1. Forward was y0 = x0 c - x1 s, y1 = x0 s + x1 c. x0 has factor c in y0 and factor s in y1,
// so dx0 = dy0 c + dy1 s; likewise dx1 = -dy0 s + dy1 c. That is the same rotation, by the negative angle.
static void rotate(real x[D], int t, int direction) {
    for (int i = 0; i < D / 2; i++) {
        const double angle = direction * (t * pow(10000, -2.0 * i / D));
        const real c = (real)cos(angle), s = (real)sin(angle), x0 = x[i], x1 = x[i + D / 2];
        x[i] = x0 * c - x1 * s;
        x[i + D / 2] = x0 * s + x1 * c;
    }
}

// ALiBi: the score of a query and a key falls with their distance, steeply in the first head, gently in the last.
// (Press et al. 2021) The slopes are not trained, so backward has nothing to do: dS passes unchanged to q and k.
static real position_bias(int h, int distance) {
    return scheme == ALIBI ? -(real)pow(2, -8.0 * (h + 1) / H) * (real)distance : 0;
}

// --- operations: forward, and backward right below ---

// out = in w^T + b (O), where b may be NULL.
static void linear_forward(int I, int O, real out[N][O], real in[N][I], real w[O][I], real *b) {
    for (int n = 0; n < N; n++)
        for (int o = 0; o < O; o++) {
            real sum = b ? b[o] : 0;
            for (int i = 0; i < I; i++) sum += in[n][i] * w[o][i];
            out[n][o] = sum;
        }
}

// Forward was out[o] = b[o] + sum of in[i] w[o][i]. The derivative by in[i] is w[o][i], and that by w[o][i] is in[i].
static void linear_backward(int I, int O, real din[N][I], real dw[O][I], real *db, real dout[N][O], real in[N][I],
                            real w[O][I]) {
    for (int n = 0; n < N; n++)
        for (int o = 0; o < O; o++) {
            for (int i = 0; i < I; i++) din[n][i] += dout[n][o] * w[o][i];
            for (int i = 0; i < I; i++) dw[o][i] += dout[n][o] * in[n][i];
            if (db) db[o] += dout[n][o];
        }
}

// The mean of a row's channels, and 1 / their standard deviation.
static void mean_and_rstd(real *mean, real *rstd, const real x[C]) {
    real sum = 0, squares = 0;
    for (int c = 0; c < C; c++) sum += x[c];
    *mean = sum / C;
    for (int c = 0; c < C; c++) squares += (x[c] - *mean) * (x[c] - *mean);
    *rstd = 1 / (real)sqrt(squares / C + (real)1e-5);
}

// out = norm * w + b, where norm = (x - mean) * rstd has mean 0 and standard deviation 1.
static void layernorm_forward(real out[N][C], real x[N][C], real w[C], real b[C]) {
    for (int n = 0; n < N; n++) {
        real mean, rstd;
        mean_and_rstd(&mean, &rstd, x[n]);
        for (int c = 0; c < C; c++) out[n][c] = (x[n][c] - mean) * rstd * w[c] + b[c];
    }
}

// Forward was out = norm * w + b, so dnorm = dout * w. Each x[c] moves norm in three ways: directly, through the mean,
// and through the deviation:
//     dx = rstd * (dnorm - average(dnorm) - norm * average(dnorm * norm)).
static void layernorm_backward(real dx[N][C], real dw[C], real db[C], real dout[N][C], real x[N][C], real w[C]) {
    for (int n = 0; n < N; n++) {
        real mean, rstd, norm[C], dnorm[C], by_mean = 0, by_deviation = 0;
        mean_and_rstd(&mean, &rstd, x[n]);
        for (int c = 0; c < C; c++) {
            norm[c] = (x[n][c] - mean) * rstd;
            dnorm[c] = dout[n][c] * w[c];
            by_mean += dnorm[c] / C;
            by_deviation += dnorm[c] * norm[c] / C;
            dw[c] += dout[n][c] * norm[c];
            db[c] += dout[n][c];
        }
        for (int c = 0; c < C; c++) dx[n][c] += rstd * (dnorm[c] - by_mean - norm[c] * by_deviation);
    }
}

// out = x (1 + tanh(u)) / 2 with u = sqrt(2/pi) (x + 0.044715 x^3).
static const real root = (real)0.7978845608028654, cubic = (real)0.044715; // sqrt(2/pi)
static void gelu_forward(real out[N][F], real x[N][F]) {
    for (int n = 0; n < N; n++)
        for (int f = 0; f < F; f++) {
            const real z = x[n][f], u = root * (z + cubic * z * z * z);
            out[n][f] = z * (1 + (real)tanh(u)) / 2;
        }
}

// Forward was out = x (1 + tanh(u)) / 2, a product. The derivative of tanh(u) is (1 - tanh(u)^2) du/dx.
static void gelu_backward(real dx[N][F], real dout[N][F], real x[N][F]) {
    for (int n = 0; n < N; n++)
        for (int f = 0; f < F; f++) {
            const real z = x[n][f], u = root * (z + cubic * z * z * z), du = root * (1 + 3 * cubic * z * z);
            const real tanh_u = (real)tanh(u);
            dx[n][f] += dout[n][f] * ((1 + tanh_u) / 2 + z * (1 - tanh_u * tanh_u) * du / 2);
        }
}

// out = x + branch.
static void residual_forward(real out[N][C], real x[N][C], real branch[N][C]) {
    for (int n = 0; n < N; n++)
        for (int c = 0; c < C; c++) out[n][c] = x[n][c] + branch[n][c];
}

// Forward was out = x + branch: both receive dout, unchanged.
static void residual_backward(real dx[N][C], real dbranch[N][C], real dout[N][C]) {
    for (int n = 0; n < N; n++)
        for (int c = 0; c < C; c++) {
            dx[n][c] += dout[n][c];
            dbranch[n][c] += dout[n][c];
        }
}

// P (count) = softmax(P): exp(P[j]) / sum of exp. Subtracting the largest changes nothing but keeps exp in range.
static void softmax_forward(real *P, int count) {
    real most = P[0], sum = 0;
    for (int j = 1; j < count; j++) most = P[j] > most ? P[j] : most;
    for (int j = 0; j < count; j++) sum += P[j] = (real)exp(P[j] - most);
    for (int j = 0; j < count; j++) P[j] /= sum;
}

// A score S[j] moves its own weight up and, through the sum, all weights down: dS = P * (dP - sum of P dP), which
// overwrites dP.
static void softmax_backward(real *dP, const real *P, int count) {
    real flow = 0;
    for (int j = 0; j < count; j++) flow += P[j] * dP[j];
    for (int j = 0; j < count; j++) dP[j] = P[j] * (dP[j] - flow);
}

// In each head, query i sees keys 0 to i, with scores S[j] = q . k[j] / sqrt(D) + bias and weights P = softmax(S). Its
// output is the sum of P[j] v[j].
static void attention_forward(real heads[N][C], real P[B][H][T][T], real qkv[N][3 * C]) {
    const real scale = (real)(1 / sqrt(D));
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int i = 0; i < T; i++) {
                const real *q = qkv[b * T + i] + h * D;
                real *P_i = P[b][h][i], *out = heads[b * T + i] + h * D;
                for (int j = 0; j <= i; j++) {
                    const real *k = qkv[b * T + j] + C + h * D;
                    real dot = 0;
                    for (int c = 0; c < D; c++) dot += q[c] * k[c];
                    P_i[j] = dot * scale + position_bias(h, i - j);
                }
                softmax_forward(P_i, i + 1);
                for (int c = 0; c < D; c++) out[c] = 0;
                for (int j = 0; j <= i; j++) {
                    const real *v = qkv[b * T + j] + 2 * C + h * D;
                    for (int c = 0; c < D; c++) out[c] += P_i[j] * v[c];
                }
            }
}

// Forward was out = sum of P[j] v[j], so dP[j] = dout . v[j] and dv[j] = P[j] dout. The softmax turns dP into dS. And
// S[j] = q . k[j] scale + bias, so dq = sum of dS[j] k[j] scale and dk[j] = dS[j] q scale.
static void attention_backward(real dqkv[N][3 * C], real dP[B][H][T][T], real dheads[N][C], real P[B][H][T][T],
                               real qkv[N][3 * C]) {
    const real scale = (real)(1 / sqrt(D));
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int i = 0; i < T; i++) {
                const real *q = qkv[b * T + i] + h * D, *P_i = P[b][h][i], *dout = dheads[b * T + i] + h * D;
                real *dq = dqkv[b * T + i] + h * D, *dP_i = dP[b][h][i], *dS = dP_i;
                for (int j = 0; j <= i; j++) {
                    const real *v = qkv[b * T + j] + 2 * C + h * D;
                    real *dv = dqkv[b * T + j] + 2 * C + h * D;
                    for (int c = 0; c < D; c++) dP_i[j] += dout[c] * v[c];
                    for (int c = 0; c < D; c++) dv[c] += P_i[j] * dout[c];
                }
                softmax_backward(dP_i, P_i, i + 1);
                for (int j = 0; j <= i; j++) {
                    const real *k = qkv[b * T + j] + C + h * D;
                    real *dk = dqkv[b * T + j] + C + h * D;
                    for (int c = 0; c < D; c++) dq[c] += dS[j] * k[c] * scale;
                    for (int c = 0; c < D; c++) dk[c] += dS[j] * q[c] * scale;
                }
            }
}

// Turn all queries and keys of a layer; in backward, their gradients.
static void rotate_all(real qkv[N][3 * C], int direction) {
    for (int n = 0; n < N; n++)
        for (int h = 0; h < H; h++) {
            rotate(qkv[n] + h * D, n % T, direction);     // the query
            rotate(qkv[n] + C + h * D, n % T, direction); // the key
        }
}

// x = the token's embedding, plus the code of its position.
static void embed_forward(real x[N][C]) {
    for (int n = 0; n < N; n++)
        for (int c = 0; c < C; c++) x[n][c] = p.wte[inputs[n]][c] + position_code(n % T, c);
}

// Each row of a table collects the gradients of all tokens that have read it.
static void embed_backward(real dx[N][C]) {
    for (int n = 0; n < N; n++)
        for (int c = 0; c < C; c++) {
            dp.wte[inputs[n]][c] += dx[n][c];
            if (scheme == LEARNED) dp.wpe[n % T][c] += dx[n][c];
        }
}

// The loss of a token is -log of the probability softmax(logits)[target]. Returns the mean over the batch.
static double loss_forward(real nll[N], real logits[N][V]) {
    double sum = 0;
    for (int n = 0; n < N; n++) {
        real probability[V];
        memcpy(probability, logits[n], sizeof probability);
        softmax_forward(probability, V);
        nll[n] = -(real)log(probability[targets[n]]);
        sum += nll[n];
    }
    return sum / N;
}

// Through log and softmax together, the gradient of a logit is its probability, minus 1 if it is the target's; divided
// by N, since the loss is a mean.
static void loss_backward(real dlogits[N][V], real logits[N][V]) {
    for (int n = 0; n < N; n++) {
        real probability[V];
        memcpy(probability, logits[n], sizeof probability);
        softmax_forward(probability, V);
        for (int token = 0; token < V; token++)
            dlogits[n][token] += (probability[token] - (real)(token == targets[n])) / N;
    }
}

// --- the model ---

static void layer_forward(int l) {
    layernorm_forward(a.ln1[l], a.x[l], p.ln1w[l], p.ln1b[l]);
    linear_forward(C, 3 * C, a.qkv[l], a.ln1[l], p.qkvw[l], p.qkvb[l]);
    if (scheme == ROPE) rotate_all(a.qkv[l], +1);
    attention_forward(a.heads[l], a.P[l], a.qkv[l]);
    linear_forward(C, C, a.proj[l], a.heads[l], p.projw[l], p.projb[l]);
    residual_forward(a.x_mid[l], a.x[l], a.proj[l]);

    layernorm_forward(a.ln2[l], a.x_mid[l], p.ln2w[l], p.ln2b[l]);
    linear_forward(C, F, a.fc[l], a.ln2[l], p.fcw[l], p.fcb[l]);
    gelu_forward(a.hidden[l], a.fc[l]);
    linear_forward(F, C, a.fcproj[l], a.hidden[l], p.fcprojw[l], p.fcprojb[l]);
    residual_forward(a.x[l + 1], a.x_mid[l], a.fcproj[l]);
}

// The operations of layer_forward in reverse order.
static void layer_backward(int l) {
    residual_backward(da.x_mid[l], da.fcproj[l], da.x[l + 1]);
    linear_backward(F, C, da.hidden[l], dp.fcprojw[l], dp.fcprojb[l], da.fcproj[l], a.hidden[l], p.fcprojw[l]);
    gelu_backward(da.fc[l], da.hidden[l], a.fc[l]);
    linear_backward(C, F, da.ln2[l], dp.fcw[l], dp.fcb[l], da.fc[l], a.ln2[l], p.fcw[l]);
    layernorm_backward(da.x_mid[l], dp.ln2w[l], dp.ln2b[l], da.ln2[l], a.x_mid[l], p.ln2w[l]);

    residual_backward(da.x[l], da.proj[l], da.x_mid[l]);
    linear_backward(C, C, da.heads[l], dp.projw[l], dp.projb[l], da.proj[l], a.heads[l], p.projw[l]);
    attention_backward(da.qkv[l], da.P[l], da.heads[l], a.P[l], a.qkv[l]);
    if (scheme == ROPE) rotate_all(da.qkv[l], -1);
    linear_backward(C, 3 * C, da.ln1[l], dp.qkvw[l], dp.qkvb[l], da.qkv[l], a.ln1[l], p.qkvw[l]);
    layernorm_backward(da.x[l], dp.ln1w[l], dp.ln1b[l], da.ln1[l], a.x[l], p.ln1w[l]);
}

// From inputs and targets to the mean loss.
static double forward(void) {
    embed_forward(a.x[0]);
    for (int l = 0; l < L; l++) layer_forward(l);
    layernorm_forward(a.lnf, a.x[L], p.lnfw, p.lnfb);
    linear_forward(C, V, a.logits, a.lnf, p.wte, NULL);
    return loss_forward(a.nll, a.logits);
}

// After forward(): the gradients of the mean loss, with respect to all activations and parameters.
static void backward(void) {
    memset(&da, 0, sizeof da);
    memset(&dp, 0, sizeof dp);
    loss_backward(da.logits, a.logits);
    linear_backward(C, V, da.lnf, dp.wte, NULL, da.logits, a.lnf, p.wte);
    layernorm_backward(da.x[L], dp.lnfw, dp.lnfb, da.lnf, a.x[L], p.lnfw);
    for (int l = L - 1; l >= 0; l--) layer_backward(l);
    embed_backward(da.x[0]);
}

// --- training ---

// xorshift64* (Vigna 2016): the next number in [0, 1).
static double uniform(void) {
    static uint64_t state = 1337;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (double)(state * 0x2545F4914F6CDD1Du >> 11) / 9007199254740992.0;
}

// Normal numbers with this standard deviation (Box and Muller 1958).
static void fill_normal(real *w, size_t count, double deviation) {
    for (size_t n = 0; n < count; n++) {
        const double length = sqrt(-2 * log(1 - uniform()));
        w[n] = (real)(deviation * length * cos(6.283185307179586 * uniform()));
    }
}

// GPT-2's initial values. The projections that add to the residual stream start smaller, since 2L branches add up.
static void initialise(void) {
    fill_normal((real *)&p, PARAMETERS, 0.02);
    fill_normal((real *)p.projw, L * C * C, 0.02 / sqrt(2 * L));
    fill_normal((real *)p.fcprojw, L * C * F, 0.02 / sqrt(2 * L));
    // From ln1w on there are biases, which start at 0, and gains, which start at 1.
    memset(p.ln1w, 0, sizeof p - offsetof(Parameters, ln1w));
    for (int c = 0; c < C; c++) {
        for (int l = 0; l < L; l++) p.ln1w[l][c] = p.ln2w[l][c] = 1;
        p.lnfw[c] = 1;
    }
}

// Step number 1, 2, 3 ... of AdamW (Loshchilov, Hutter 2017). A gradient with a norm above 1 is scaled to norm 1. m
// averages the last gradients and v their squares; both start from 0, which dividing by 1 - beta^step corrects.
static void adamw(double rate, int step) {
    const double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8, decay = 0.1;
    real *w = (real *)&p, *dw = (real *)&dp, *m = (real *)&adam_m, *v = (real *)&adam_v;
    double squares = 0;
    for (int n = 0; n < PARAMETERS; n++) squares += (double)dw[n] * dw[n];
    const double shrink = squares > 1 ? 1 / sqrt(squares) : 1;
    const double unbias1 = 1 - pow(beta1, step), unbias2 = 1 - pow(beta2, step);
    for (int n = 0; n < PARAMETERS; n++) {
        const double g = shrink * dw[n];
        m[n] = (real)(beta1 * m[n] + (1 - beta1) * g);
        v[n] = (real)(beta2 * v[n] + (1 - beta2) * g * g);
        if (n < DECAYED) w[n] *= (real)(1 - rate * decay);
        w[n] -= (real)(rate * (m[n] / unbias1) / (sqrt(v[n] / unbias2) + epsilon));
    }
}

// The learning rate rises for the first tenth of the steps, then falls along half a cosine to a tenth of its peak.
static double learning_rate(int step, int steps) {
    const int warmup = steps / 10;
    const double peak = 3e-3, low = peak / 10, falls = steps - 1 - warmup;
    if (step <= warmup) return peak * step / warmup;
    if (step == steps) return low;
    return low + (peak - low) * (1 + cos(3.141592653589793 * (step - 1 - warmup) / falls)) / 2;
}

// Returns the batch's mean loss, before the parameters move.
static double train_step(double rate, int step) {
    const double loss = forward();
    backward();
    adamw(rate, step);
    return loss;
}

// Sequence b of the batch begins at text[start].
static void read_sequence(int b, const unsigned char *text, long start) {
    for (int t = 0; t < T; t++) {
        inputs[b * T + t] = text[start + t];
        targets[b * T + t] = text[start + t + 1];
    }
}

static void random_batch(const unsigned char *text, long size) {
    for (int b = 0; b < B; b++) read_sequence(b, text, (long)(uniform() * (double)(size - T)));
}

// The mean loss of the first windows of a text, up to 20 batches of them.
static double evaluate(const unsigned char *text, long size) {
    const long batches = (size - 1) / N < 20 ? (size - 1) / N : 20;
    double sum = 0;
    for (long batch = 0; batch < batches; batch++) {
        for (int b = 0; b < B; b++) read_sequence(b, text, (batch * B + b) * T);
        sum += forward();
    }
    return sum / (double)batches;
}

#ifndef WITHOUT_MAIN // the tests have their own main()

static void fail(const char *what, const char *name) {
    fprintf(stderr, "%s%s\n", what, name);
    exit(2);
}

// Read up to 64 MB of text.
static unsigned char *read_text(long *size, const char *name) {
    static unsigned char text[1 << 26];
    FILE *file = fopen(name, "rb");
    if (!file) fail("cannot open ", name);
    *size = (long)fread(text, 1, sizeof text, file);
    fclose(file);
    if (*size < 20 * N) fail("at least 10 kB of text are needed, and there is less in ", name);
    return text;
}

int main(int argc, char **argv) {
    const int steps = argc > 3 ? atoi(argv[3]) : 500;
    if (argc < 3 || steps < 1)
        fail("give a text, none|learned|sinusoidal|rope|alibi, and perhaps a number of steps", "");
    while (strcmp(argv[2], scheme_names[scheme]) != 0)
        if (++scheme > ALIBI) fail("none, learned, sinusoidal, rope and alibi are the schemes here, not ", argv[2]);
    long size;
    const unsigned char *text = read_text(&size, argv[1]);
    const long train = size - size / 10; // the last tenth is held out
    initialise();
    printf("%s: %d parameters, %ld bytes of text\n", argv[2], PARAMETERS - (scheme == LEARNED ? 0 : T * C), size);
    for (int step = 1; step <= steps; step++) {
        random_batch(text, train);
        const double loss = train_step(learning_rate(step, steps), step);
        if (step == 1 || step % 10 == 0) printf("step %d: loss %.4f\n", step, loss);
        fflush(stdout);
    }
    const double loss = evaluate(text + train, size - train);
    printf("held-out text: loss %.4f, perplexity %.2f per byte\n", loss, exp(loss));
    return 0;
}
#endif
