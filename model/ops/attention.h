// Causal multi-head attention: fast, in blocks of queries (attention.c), and plain (attention_plain.c).
#ifndef BITTER_ATTENTION_H
#define BITTER_ATTENTION_H

#include "model/ops/dropout.h"
#include "num/gemm.h"
#include "posenc/pass.h"

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

#endif
