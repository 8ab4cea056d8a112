// Causal multi-head attention, in blocks of queries. lesson/plain.c has it in plain loops;
// tests/model/ops/attention_plain.h has all that is here in plain loops, and tests compare this file with it.
#ifndef BITTER_ATTENTION_H
#define BITTER_ATTENTION_H

#include "model/ops/dropout.h"
#include "num/gemm.h"
#include "posenc/pass.h"

#define QUERY_BLOCK 64 // rows of scores held at a time: memory grows with T, not with T squared

// Attention of B sequences with H heads of d channels; each of the K heads of keys and values serves H / K consecutive
// heads of queries. The queries of a sequence belong to the last of its keys: query i sees keys 0 .. keys - queries
// + i, or only the last `window` of these.
typedef struct {
    real *out; // (B, queries, H*d)
    real *lse; // (B, H, queries) log of each softmax's denominator (0 of a WeightsOp), for backward; NULL = not kept
    real *P;   // (B, H, queries, forgotten + keys) weights before dropout, up to each query's own key; NULL = not kept
    const real *q, *k, *v;   // q (B, queries, H*d); k and v (B, key_batch, K*d)
    const real *logit_scale; // (H) s, where scores are multiplied by s log(keys that a query sees); NULL = they are not
    const real *features;    // (B, key_batch, F) from the schemes' input hooks
    const Place *query_at;   // (B, queries) coordinates
    const Place *key_at;     // (B, key_batch) coordinates
    int layer;               // for the position schemes
    int B, H, K, d;          // sequences, heads, heads of keys and values, head width
    int queries, keys;       // of each sequence
    int window;              // keys that a query sees, its own included; 0 = all
    int forgotten;           // tokens before the first key; P has columns for them
    int key_batch;           // how many keys each sequence has room for; the first `keys` are used
    int q_stride, kv_stride; // distance of two rows of q, and of k and v, in numbers
    Dropout dropout;         // of the attention weights
} Attention;

// The gradients of an Attention.
typedef struct {
    real *dq, *dk, *dv; // laid out as q, k and v; overwritten
    real *dfeatures;    // laid out as features; added to
    const real *dout;   // (B, queries, H*d)
    real *dlogit_scale; // (B, H, queries) each query's part of logit_scale's gradient, if there is one; overwritten
} AttentionGradient;

// Numbers of scratch that attention needs for all threads, with heads of d channels.
size_t attention_scratch(const MixTables *tables, int keys, int d, bool training);

// out = softmax(causal(scores)) v, with scores q k^T / sqrt(d) that the position schemes have changed. Threads share
// heads and blocks of queries, so there must be a barrier before the call; it ends with one.
void attention_forward(const Attention *attention, const MixTables *tables, real *scratch);
// Needs a barrier before it and ends with one. Needs queries == keys. Scores are recomputed block by block (Dao et al.
// 2022, without tiling the keys). Each thread takes whole heads of keys, so B * K should be at least the number of
// threads.
void attention_backward(const AttentionGradient *grad, const Attention *attention, const MixTables *tables,
                        real *scratch);

// --- for the files of attention ---

// One block of queries of one head of one sequence.
typedef struct {
    int b, h, first, rows;      // queries first .. first+rows-1 see ...
    int from, columns;          // ... at most keys from .. from+columns-1
    size_t q_at, kv_at, out_at; // offsets of the first query, of the first of these keys, and of the first output
    size_t token;               // row of the first of these keys, counted over all sequences
} QueryBlock;

// How many of the columns up to a query's own, `seen` of them, have left its window.
static inline int left_window(int seen, int window) {
    return window && seen > window ? seen - window : 0;
}

// Rows of scores have room for a multiple of this many keys, because a remainder shorter than a vector is slow. So the
// softmax of a row also works on some numbers beyond the last key that its query sees.
#define TOGETHER 32

static inline int round_up(int keys) {
    return (keys + TOGETHER - 1) / TOGETHER * TOGETHER;
}

#endif
