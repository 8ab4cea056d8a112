// The operations that a GPT is made of. Throughout: outputs first, then inputs, then sizes; `dx` is the gradient of the
// loss with respect to x; rows = B*T tokens. "+=" marks outputs that are added to; all others are overwritten.
// gelu_forward and residual_forward may work in place.
//
// Every thread of a team calls every op and does its share (team.h). "By rows": each thread reads and writes only its
// own rows, so no barrier is needed between two such ops. "By columns": the op sums over all rows, so there must be a
// barrier between whatever wrote its inputs and the op. With the same number of threads, results are the same bit for
// bit.
#ifndef BITTER_OPS_H
#define BITTER_OPS_H

#include "model/ops/dropout.h"
#include "num/linear.h"
#include "num/real.h"
#include "posenc/mix.h"

#include <stdint.h>

// --- rows.c: by rows, but for norm_backward_weights ---

#define NORM_EPSILON 1e-5 // under the root of the norms

// out (rows, C) = (x - mean) * rstd * weight + bias, each row on its own: mean = average(x), rstd = 1 /
// sqrt(average((x - mean)^2) + NORM_EPSILON). mean and rstd (rows) are kept for backward. With bias NULL, as in Llama's
// block, it is the RMSNorm of llama.c, which has no mean.
void norm_forward(real *out, real *mean, real *rstd, const real *x, const real *weight, const real *bias, int rows,
                  int C);
// out again, from the mean and rstd that forward kept: cheaper to recompute in backward than to store for every layer.
void norm_again(real *out, const real *x, const real *mean, const real *rstd, const real *weight, const real *bias,
                int rows, int C);
// Adds to dx, which already holds the gradient that passes along the residual stream.
void norm_backward(real *dx, const real *dout, const real *x, const real *weight, const real *bias, const real *mean,
                   const real *rstd, int rows, int C);
// dweight +=, dbias +=. By columns.
void norm_backward_weights(real *dweight, real *dbias, const real *dout, const real *x, const real *mean,
                           const real *rstd, int rows, int C);

// out (rows, C) = x * (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2: the tanh form of Hendrycks, Gimpel 2016.
void gelu_forward(real *out, const real *x, int rows, int C);
// out as in forward; x is overwritten by the slope d out / d x. Both need the same exponential.
void gelu_and_slope(real *out, real *x, int rows, int C);
// dout *= slope: dx takes dout's place.
void gelu_backward(real *dout, const real *slope, int rows, int C);

// --- llama.c: likewise ---

// As norm_*, without a mean and a bias: out (rows, C) = x * rstd * weight, rstd = 1 / sqrt(average(x^2) +
// NORM_EPSILON).
void rmsnorm_forward(real *out, real *rstd, const real *x, const real *weight, int rows, int C);
void rmsnorm_again(real *out, const real *x, const real *rstd, const real *weight, int rows, int C);
void rmsnorm_backward(real *dx, const real *dout, const real *x, const real *weight, const real *rstd, int rows, int C);
void rmsnorm_backward_weights(real *dweight, const real *dout, const real *x, const real *rstd, int rows, int C);

// out (rows, C) = silu(gate) * up, silu(z) = z / (1 + exp(-z)); a row of `in` (rows, 2C) is gate, then up.
void swiglu_forward(real *out, const real *in, int rows, int C);
// din takes in's place, and out, made again, takes dout's: so only `in` has to be kept for backward.
void swiglu_backward(real *in, real *dout, int rows, int C);

// --- vocabulary.c ---

// x (rows, C) = wte[id], wte (V, C). By rows.
void tokens_forward(real *x, const int *ids, const real *wte, int rows, int C);
// dwte[id] += dx of every token with this id. By columns.
void tokens_backward(real *dwte, const real *dx, const int *ids, int rows, int C);

// The head and its cross-entropy, in blocks of rows. Threads share the rows of each block, so a barrier must stand
// before the losses; they end with one.
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

// attention_plain.c: the same as attention_forward and attention_backward, in plain loops on one thread, for readers
// and tests. Needs as much memory as there are scores in a head.
size_t attention_plain_scratch(const MixTables *tables, const Attention *attention);
void attention_plain_forward(const Attention *attention, const MixTables *tables, real *scratch);
void attention_plain_backward(const AttentionGradient *grad, const Attention *attention, const MixTables *tables,
                              real *scratch);

// block->S (rows, columns) = scale q k^T, then changed by the position schemes; `keys` is k^T (d, keys). Columns of
// tokens later than the query's are not masked yet. `scratch` is that of mix_scratch.
void scores_forward(const MixTables *tables, const ScoreBlock *block, const Packed *keys,
                    real *const scratch[PARTS_CAPACITY]);

#endif
