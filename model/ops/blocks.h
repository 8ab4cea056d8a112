// Attention in blocks of queries: what the standard op (attention.c) and the ops that schemes bring have in common. An
// op makes the scores of a block; from there to the outputs, and back to the gradients of the scores, the way is here.
#ifndef BITTER_BLOCKS_H
#define BITTER_BLOCKS_H

#include "model/ops/attention.h"
#include "model/ops/softmax.h"

// One thread's scratch memory, for one head at a time.
typedef struct {
    real *S, *dS;                  // (QUERY_BLOCK, keys) a block of scores and, in training, of their gradients
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
QueryBlock block_of(const Attention *a, int b, int h, int first, int most_rows);

// Its scores, in scratch->S, for the hooks of schemes.
ScoreBlock scores_of(const Scratch *scratch, const QueryBlock *block, const Attention *a, const MixTables *tables);

// From its scores to its outputs: mask, softmax (which overwrites the scores), dropout, P v. `values` is v (keys, d) of
// the head, whose row `from` is the block's first key.
void block_outputs(const Attention *a, const QueryBlock *block, const ScoreBlock *scores, const Packed *values,
                   int from);

// The same backward, in training, from the scores made again: dP (rows, columns) becomes dS, and dv +=. The packed
// operands are v^T (d, keys) and dout (queries, d) of the head.
void block_outputs_backward(const AttentionGradient *grad, const Attention *a, const QueryBlock *block,
                            const ScoreBlock *scores, real *dP, const Packed *v_transposed, const Packed *dout);

// The gradients of the block's scores, queries, keys and features, for the hooks of schemes.
ScoreGradient score_gradient_of(const AttentionGradient *grad, const QueryBlock *block, real *dS,
                                const MixTables *tables);

// dk = dv = 0 of a sequence's head of keys.
void keys_zero(const AttentionGradient *grad, const Attention *a, int b, int kv);

#endif
