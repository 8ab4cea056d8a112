// Causal multi-head attention, in blocks of queries. In plain loops it is lesson/plain.c's, and, with all that is
// here, that of tests/model/ops/attention_plain.h, with which tests compare.
#ifndef BITTER_ATTENTION_H
#define BITTER_ATTENTION_H

#include "model/ops/dropout.h"
#include "model/ops/softmax.h"
#include "num/gemm.h"
#include "posenc/pass.h"

#define QUERY_BLOCK 64 // rows of scores that are alive at a time: memory grows with T, not with T squared

// Attention of B sequences with H heads of d channels; K heads of keys and values serve H / K heads in a row each. The
// queries of a sequence belong to the last of its keys: query i sees keys 0 .. keys - queries + i, or only the last
// `window` of these.
typedef struct {
    real *out; // (B, queries, H*d)
    real *lse; // (B, H, queries) log of each softmax's denominator (0 of a WeightsOp), for backward; NULL = not kept
    real
        *P; // (B, H, queries, forgotten + keys) weights before dropout of the keys up to a query's own; NULL = not kept
    const real *q, *k, *v;   // q (B, queries, H*d); k and v (B, key_batch, K*d)
    const real *logit_scale; // (H) s, where scores are multiplied by s log(keys that a query sees); NULL = they are not
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
    real *dlogit_scale; // (B, H, queries) what each query adds to that of logit_scale, if there is one; overwritten
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
// (Scheme.attention; path is one). attention_forward and attention_backward share out the work, and hand it on to the
// op; `own` says which part of the mix it is, and the first of the features that are its own. Below is what such ops
// share. Other schemes of the layer add to the scores by mix_score_forward, and get their gradients by
// mix_score_backward.
struct AttentionOp {
    // The outputs of queries first to end of a head of a sequence: of all in training, else of at most QUERY_BLOCK.
    void (*forward)(const Attention *a, const MixTables *tables, const Call *own, int b, int h, int first, int end,
                    real *scratch);
    // The gradients of a head of a sequence: overwrites dq, and adds to dk and dv, because heads may share these.
    void (*backward)(const AttentionGradient *grad, const Attention *a, const MixTables *tables, const Call *own, int b,
                     int h, real *scratch);
    // Only the scores of a block, its keys being all there are: for measurements, not for training.
    void (*scores)(const Tables *tables, const ScoreBlock *block);
};

// What a scheme brings that makes weights of scores otherwise than by a softmax (Scheme.weights; stick-breaking is
// one). It works on one row at a time, whose n keys are those that a query weighs, the nearest last; the weights of
// others are 0. Dropout comes afterwards.
struct WeightsOp {
    bool own;                        // the last key is that of the query's own token; if not, of the one before
    void (*forward)(real *S, int n); // S becomes the weights P
    void (*backward)(real *S, real *dP, int n); // S becomes P, and dP becomes dS
    // S becomes log P: for measurements, as the scores of which a softmax would make weights in these proportions.
    void (*logs)(real *S, int n);
};

// How many tokens before the first key that a query sees such an op finds the features of, as far as there are so many.
#define TOKENS_BEFORE 63

// block->S (rows, columns) = scale q k^T, then changed by the position schemes; `keys` is k^T (d, keys). Columns of
// tokens later than the query's are not masked yet. `scratch` is that of mix_scratch.
void scores_forward(const MixTables *tables, const ScoreBlock *block, const Packed *keys,
                    real *const scratch[PARTS_CAPACITY]);

// --- what the standard op and the ops that schemes bring have in common ---
//
// An op makes the scores of a block of queries; from there to the outputs, and back to the gradients of the scores, the
// way is here.
// One thread's scratch memory, for one head at a time.
typedef struct {
    real *S;                       // (QUERY_BLOCK + 1, keys) a block of scores, and room for a copy of one row
    real *dS;                      // (QUERY_BLOCK, keys) in training: their gradients
    real *schemes[PARTS_CAPACITY]; // (mix_scratch) of the position schemes
    real *packed[5];               // in training: operands that all blocks of a head share
} Scratch;

// The calling thread's part of the scratch that attention has.
Scratch own_scratch(real *scratch, const Attention *a, const MixTables *tables);

// One block of queries of one head of one sequence.
typedef struct {
    int b, h, first, rows;      // queries first .. first+rows-1 see ...
    int from, columns;          // ... at most keys from .. from+columns-1
    size_t q_at, kv_at, out_at; // offsets of the first query, of the first of these keys, and of the first output
    size_t token;               // row of the first of these keys, counted over all sequences
} QueryBlock;

// The block of at most so many queries that begins with query `first`. In training, `from` is a multiple of
// PACKED_COLUMNS.
QueryBlock query_block_of(const Attention *a, int b, int h, int first, int most_rows);

// Its scores, in scratch->S, for the hooks of schemes.
ScoreBlock scores_of(const Scratch *scratch, const QueryBlock *block, const Attention *a, const MixTables *tables);

// Products of a block, rows `ldc` apart, whose last query sees `columns` keys. C (rows, columns) = alpha A (rows, w) *
// packed (w, keys). Keys that no query of a strip of the block sees become 0 without being computed.
void product_to_keys(real *C, int ldc, real alpha, Matrix A, const Packed *packed, int rows, int columns, int window);
// C (rows, w) = beta C + alpha A (rows, columns) * packed (keys, w). A must be 0 at keys that a row does not see. Row
// `from` of packed is the block's first key.
void product_of_keys(real *C, int ldc, real beta, real alpha, Matrix A, const Packed *packed, int from, int rows,
                     int columns, int window);
// out (keys, w), rows `stride` apart, += scale grad^T rows, where grad (rows, columns) is the block's dS or P, out dk
// or dv from the block's first key on, and `rows` (queries, w) all q or dout of the head.
void add_transposed(real *out, int stride, real scale, const real *grad, const Packed *rows, const QueryBlock *block,
                    int window);

// From its scores to its outputs: logit_scale, mask, softmax or the layer's WeightsOp (which overwrite the scores),
// dropout, P v. `values` is v (keys, d) of the head, whose row `from` is the block's first key.
void block_outputs(const Attention *a, const MixTables *tables, const QueryBlock *block, const ScoreBlock *scores,
                   const Packed *values, int from);

// The same backward, in training, from the scores made again: dP (rows, columns) becomes dS, and dv +=. The packed
// operands are v^T (d, keys) and dout (queries, d) of the head.
void block_outputs_backward(const AttentionGradient *grad, const Attention *a, const MixTables *tables,
                            const QueryBlock *block, const ScoreBlock *scores, real *dP, const Packed *v_transposed,
                            const Packed *dout);

// A row's number among the rows of all heads: the index of its log-sum-exp, and, times the number of keys, that of its
// first dropout factor. The factor by which dropout multiplies an attention weight.
size_t attention_row(const QueryBlock *block, const Attention *a, int row);
real weight_dropout(const QueryBlock *block, const Attention *a, int row, int column);

// The gradients of the block's scores, queries, keys and features, for the hooks of schemes.
ScoreGradient score_gradient_of(const AttentionGradient *grad, const QueryBlock *block, real *dS,
                                const MixTables *tables);

// --- attention_weights.c: a row whose weights are no plain softmax of the scores ---
//
// Scores times s log n (--scale-logits log), and weights that a scheme makes (WeightsOp). One row `i` of a block at a
// time, whose query sees the columns up to `seen`.
//
// The first so many scores of the row, S_j *= s log n, where n is the number of keys that the query sees, and s that of
// the head. (Nakanishi 2025, 2501.19399)
void scale_logits(real *S, int count, const Attention *a, const QueryBlock *block, int seen);
// dS_j *= s log n in place, and the query's part of ds, from the scores S before.
void scale_logits_backward(const AttentionGradient *grad, real *dS, const real *S, const Attention *a,
                           const QueryBlock *block, int i, int seen);

// As softmax_row in place, with the weights that a scheme makes of the scores. Returns 0: there is no denominator.
real weights_row(real *S, const WeightsOp *op, int seen, int stride);
// In: the scores S, and dP. Out, in their places: the weights after dropout, and dS.
void weights_backward_row(real *S, real *dP, const WeightsOp *op, const QueryBlock *block, const Attention *a, int i);

// --- attention_long.c: inference over very many keys ---
//
// Where there are very many keys, TALL queries look at TILE of them together: their scores stay in the cache, and the
// products pack these keys and values once for all of the queries.
#define TALL      (4 * QUERY_BLOCK)
#define TILE      512
#define VERY_MANY (8 * TILE)

// Queries go through their keys in tiles only if nobody needs their weights (no lse, no P, no dropout) and no scheme
// changes their scores.
bool goes_in_tiles(const Attention *a, const MixTables *tables, const QueryBlock *block);

// As block_outputs, of at most TALL queries, with the softmax of Milakov, Gimelshein 2018 (1805.02867): where a later
// tile has a larger score, what was added up before is scaled down.
void block_forward_in_tiles(const Attention *a, const QueryBlock *block, const Scratch *scratch);

#endif
