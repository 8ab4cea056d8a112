// Causal multi-head attention: fast, in blocks of queries (attention.c), and plain (attention_plain.c).
#ifndef BITTER_ATTENTION_H
#define BITTER_ATTENTION_H

#include "model/ops/dropout.h"
#include "num/gemm.h"
#include "posenc/mix.h"

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
