// The operations a GPT is made of, one file each, forward and backward side by side. Throughout: outputs first, then
// inputs, then sizes; `dx` is the gradient of the loss with respect to x; rows = B*T tokens. "+=" marks outputs
// that are added to; all others are overwritten. gelu_forward and residual_forward may work in place.
//
// Every thread of a team calls every op and does its share (team.h). "By rows": each thread reads and writes only its
// own rows, so no barrier is needed between two such ops. "By columns": the op sums over all rows, so there must be a
// barrier between whatever wrote its inputs and the op. With the same number of threads, results are the same bit for
// bit.
#ifndef BITTER_OPS_H
#define BITTER_OPS_H

#include "base/random.h"
#include "num/linear.h"
#include "num/real.h"
#include "posenc/pass.h"

#include <stdint.h>

// --- tokens.c: the embedding table ---
//
// x (rows, C) = wte[id], wte (V, C). By rows.
void tokens_forward(real *x, const int *ids, const real *wte, int rows, int C);
// dwte[id] += dx of every token with this id, dwte (V, C). By columns.
void tokens_backward(real *dwte, const real *dx, const int *ids, int rows, int C);

#define NORM_EPSILON 1e-5 // under the root of both norms

// --- layernorm.c: Ba, Kiros, Hinton 2016 ---
//
// out (rows, C) = (x - mean) * rstd * weight + bias, each row on its own: mean = average(x), rstd = 1 /
// sqrt(average((x - mean)^2) + NORM_EPSILON). mean and rstd (rows) are kept for backward. By rows.
void layernorm_forward(real *out, real *mean, real *rstd, const real *x, const real *weight, const real *bias, int rows,
                       int C);
// out again, from the mean and rstd that forward kept: cheaper to recompute in backward than to store for every layer.
// By rows.
void layernorm_again(real *out, const real *x, const real *mean, const real *rstd, const real *weight, const real *bias,
                     int rows, int C);
// Adds to dx, which already holds the gradient that passes along the residual stream. By rows.
void layernorm_backward(real *dx, const real *dout, const real *x, const real *weight, const real *mean,
                        const real *rstd, int rows, int C);
// dweight +=, dbias +=. By columns.
void layernorm_backward_weights(real *dweight, real *dbias, const real *dout, const real *x, const real *mean,
                                const real *rstd, int rows, int C);

// --- rmsnorm.c: Zhang, Sennrich 2019 ---
//
// As layer norm, without a mean and a bias: out (rows, C) = x * rstd * weight, rstd = 1 / sqrt(average(x^2) +
// NORM_EPSILON). rstd (rows) is kept for backward. By rows.
void rmsnorm_forward(real *out, real *rstd, const real *x, const real *weight, int rows, int C);
void rmsnorm_again(real *out, const real *x, const real *rstd, const real *weight, int rows, int C);
// dx +=. By rows.
void rmsnorm_backward(real *dx, const real *dout, const real *x, const real *weight, const real *rstd, int rows, int C);
// dweight +=. By columns.
void rmsnorm_backward_weights(real *dweight, const real *dout, const real *x, const real *rstd, int rows, int C);

// --- norm.c: the norm of the model's block ---
//
// With a bias a layer norm, without one (NULL) an RMSNorm, which leaves mean as it is.
void norm_forward(real *out, real *mean, real *rstd, const real *x, const real *weight, const real *bias, int rows,
                  int C);
void norm_again(real *out, const real *x, const real *mean, const real *rstd, const real *weight, const real *bias,
                int rows, int C);
// bias says only which norm it is.
void norm_backward(real *dx, const real *dout, const real *x, const real *weight, const real *bias, const real *mean,
                   const real *rstd, int rows, int C);
void norm_backward_weights(real *dweight, real *dbias, const real *dout, const real *x, const real *mean,
                           const real *rstd, int rows, int C);

// --- gelu.c: the tanh form, Hendrycks, Gimpel 2016 ---
//
// out (rows, C) = x * (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2. By rows, as all of them here.
void gelu_forward(real *out, const real *x, int rows, int C);
// out as in forward; x is overwritten by the slope d out / d x. Both need the same exponential.
void gelu_and_slope(real *out, real *x, int rows, int C);
// dout *= slope: dx takes dout's place.
void gelu_backward(real *dout, const real *slope, int rows, int C);

// --- swiglu.c: Shazeer 2020 (2002.05202) ---
//
// out (rows, C) = silu(gate) * up, silu(z) = z / (1 + exp(-z)); a row of `in` (rows, 2C) is gate, then up. By rows, as
// both of them.
void swiglu_forward(real *out, const real *in, int rows, int C);
// din takes in's place, and out, made again, takes dout's: so only `in` has to be kept for backward.
void swiglu_backward(real *in, real *dout, int rows, int C);

// --- residual.c: x + dropout(y) ---
//
// A dropout site: element n is kept with probability 1 - rate, decided by random_bits(key, n), and scaled by 1/(1 -
// rate). rate 0 is the identity.
typedef struct {
    double rate;
    uint64_t key;
} Dropout;

// The factor of element n: 0 or 1/(1 - rate).
static inline real dropout_factor(const Dropout *dropout, uint64_t n) {
    if (dropout->rate <= 0) return 1;
    return random_uniform(dropout->key, n) < dropout->rate ? 0 : (real)(1 / (1 - dropout->rate));
}

// out (rows, C) = x + dropout(y). By rows, as all of them here.
void residual_forward(real *out, const real *x, const real *y, const Dropout *dropout, int rows, int C);
// Returns the gradient of y: dout itself, or, where there is dropout, dy = dropout(dout). The gradient of x is dout.
const real *residual_backward(real *dy, const real *dout, const Dropout *dropout, int rows, int C);
// x = dropout(x) in place: forward on values, and backward on gradients.
void dropout_apply(real *x, const Dropout *dropout, int rows, int C);

// --- attention.c: causal multi-head attention in blocks of queries ---
//
#define QUERY_BLOCK 64 // rows of scores that are alive at a time: memory grows with T, not with T squared

// Attention of B sequences with H heads of d channels; K heads of keys and values serve H / K heads in a row each. The
// queries of a sequence belong to the last of its keys: query i sees keys 0 .. keys - queries + i, or only the last
// `window` of these.
typedef struct {
    real *out; // (B, queries, H*d)
    real *lse; // (B, H, queries) log of each softmax's denominator, kept for backward; NULL = not kept
    real
        *P; // (B, H, queries, forgotten + keys) weights before dropout of the keys up to a query's own; NULL = not kept
    const real *q, *k, *v;   // q (B, queries, H*d); k and v (B, key_batch, K*d)
    const real *features;    // (B, key_batch, F) what the schemes' input hooks made of each token
    const Place *query_at;   // (B, queries) coordinates
    const Place *key_at;     // (B, key_batch) coordinates
    int layer;               // for the position schemes
    int B, H, K, d;          // sequences, heads, heads of keys and values, head width
    int queries, keys;       // of each sequence
    int window;              // keys that a query sees, its own included; 0 = all
    int forgotten;           // tokens before the first key, which P has columns for
    int key_batch;           // how many keys each sequence has room for; the first `keys` are used
    int q_stride, kv_stride; // distance of two rows of q, and of k and v, in numbers
    Dropout dropout;         // of the attention weights
} Attention;

// The gradients of the same.
typedef struct {
    real *dq, *dk, *dv; // laid out as q, k and v; overwritten
    real *dfeatures;    // laid out as features; added to
    const real *dout;   // (B, queries, H*d)
} AttentionGradient;

// Numbers of scratch that attention needs for all threads, with heads of d channels.
size_t attention_scratch(const MixTables *tables, int keys, int d, bool training);

// out = softmax(causal(scores)) v, with scores from scores_forward. Threads share heads and blocks of queries, so a
// barrier must stand before the call; it ends with one.
void attention_forward(const Attention *attention, const MixTables *tables, real *scratch);
// Wants a barrier before it and ends with one. Needs queries == keys. Scores are recomputed block by block (Dao et al.
// 2022, without tiling the keys). Each thread takes whole heads of keys, so B * K should be at least the number of
// threads.
void attention_backward(const AttentionGradient *grad, const Attention *attention, const MixTables *tables,
                        real *scratch);

// What a scheme brings that computes all scores of its layers itself, instead of adding to scale q k^T
// (Scheme.attention; path is one). attention_forward and attention_backward hand their arguments on to it; `own` says
// which part of the mix it is, and the first of the features that are its own. model/ops/blocks.h has what such ops
// share. Other schemes of the layer add to the scores by mix_score_forward, and get their gradients by
// mix_score_backward.
struct AttentionOp {
    void (*forward)(const Attention *a, const MixTables *tables, const Call *own, real *scratch);
    void (*backward)(const AttentionGradient *grad, const Attention *a, const MixTables *tables, const Call *own,
                     real *scratch);
    // Only the scores of a block, its keys being all there are: for measurements, not for training.
    void (*scores)(const Tables *tables, const ScoreBlock *block);
};

// How many tokens before the first key that a query sees such an op finds the features of, as far as there are so many.
#define TOKENS_BEFORE 63

// attention_plain.c: the same as attention_forward and attention_backward, in plain loops on one thread, for readers
// and tests; not for layers with an op of a scheme's own. Needs as much memory as there are scores in a head.
size_t attention_plain_scratch(const MixTables *tables, const Attention *attention);
void attention_plain_forward(const Attention *attention, const MixTables *tables, real *scratch);
void attention_plain_backward(const AttentionGradient *grad, const Attention *attention, const MixTables *tables,
                              real *scratch);

// block->S (rows, columns) = scale q k^T, then changed by the position schemes; `keys` is k^T (d, keys). Columns of
// tokens later than the query's are not masked yet. `scratch` is that of mix_scratch.
void scores_forward(const MixTables *tables, const ScoreBlock *block, const Packed *keys,
                    real *const scratch[PARTS_CAPACITY]);

// --- loss.c: tied head and cross-entropy, in blocks of rows ---
//
// Threads share the rows of each block, so a barrier must stand before the losses; they end with one.
#define LOSS_BLOCK 256 // rows of logits that are alive at a time

// How many reals of scratch the losses need.
size_t loss_scratch(int V);
// logits (rows, V) = x (rows, C) wte^T. By rows.
void logits_forward(real *logits, const real *x, const real *wte, int rows, int C, int V);
// nll (rows) = -log softmax(x wte^T)[target]
void loss_forward(double *nll, const real *x, const real *wte, const int *targets, real *scratch, int rows, int C,
                  int V);
// Forward and backward in one pass, because the logits are too large to keep. Out: nll (rows) as above, dx (rows, C),
// and dwte (V, C) +=. In: dnll (rows), the weight of each nll in the total loss.
void loss_forward_backward(double *nll, real *dx, real *dwte, const real *dnll, const real *x, const real *wte,
                           const int *targets, real *scratch, int rows, int C, int V);

#endif
