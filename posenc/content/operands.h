// An attention op for schemes that replace the queries and keys of each head before their product: pope makes them
// twice as wide, and selective turns them by angles that are sums over tokens. The qk hooks of a family can do neither,
// because they work in place and on each token by itself.
//
// The key cache holds the model's keys, because the new ones have another width, or differ between heads that share
// keys. So inference recomputes the new keys of a head for each block of queries that needs them.
#ifndef BITTER_OPERANDS_H
#define BITTER_OPERANDS_H

#include "posenc/attention_op.h"

// What a scheme writes, as its recipe. `head` is a block of all queries and keys that the head has, as the scheme's
// hooks see it; head->q and head->k are the model's. `backward` finds in the operands what `forward` left.
typedef struct {
    int wide;                  // width of a new query or key, in head widths
    int own_rows, own_vectors; // memory that the scheme needs for itself: arrays (columns, d), arrays (d)
    void (*forward)(const Tables *tables, const ScoreBlock *head, const Operands *to); // overwrites to->q and to->k
    // From the gradients from->dq and from->dk, which it may overwrite, add to those of head->q, head->k and
    // head->features, and to slabs of this sequence and head.
    void (*backward)(const Tables *tables, const ScoreBlock *head, const ScoreGradient *grad, const Operands *from);
} MakesOperands;

#define OPERANDS_SCHEME(...)                                                                                           \
    .attention = &operands_attention, .score_scratch = operands_scratch, .enters = ENTERS_CONTENT, .relative = true,   \
    .reads_queries = true, .recipe = &(const MakesOperands) {                                                          \
        __VA_ARGS__                                                                                                    \
    }

extern const AttentionOp operands_attention;
// Numbers that a thread needs for the operands of a head with `rows` queries and `columns` keys.
size_t operands_scratch(const Tables *tables, int rows, int columns, bool training);

#endif
