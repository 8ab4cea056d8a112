// Parts of attention that a scheme can replace: the scores, or the softmax. The model's attention calls the scheme's
// version; everything else in the layer stays the model's.
#ifndef BITTER_ATTENTION_OP_H
#define BITTER_ATTENTION_OP_H

#include "posenc/scheme.h"

// --- schemes that compute all scores of their layers themselves (Scheme.attention), such as path ---
//
// Such an op works on one head of one sequence at a time, whose blocks of queries come one after the other. Other
// schemes of the layer add to the scores, and get their gradients, as always.

// Such an op also finds the features of this many tokens before the first key that a query sees, if the text has them.
#define TOKENS_BEFORE 63

// A head at work.
typedef struct {
    const Tables *tables; // of the scheme
    ScoreBlock all;       // a block of all queries and keys, as the scheme's hooks see it, with its scratch memory
    int rows;             // the most queries of a block to come
    int before;           // tokens before key 0 whose features are there
    bool training;
} OwnHead;

// What takes the place of q and k of a head.
typedef struct {
    int width;       // of a new query or key
    real *q, *k;     // (queries, width), (keys, width)
    real *dq, *dk;   // their gradients; NULL = no backward pass will follow
    real *own;       // the scheme's memory
    real *packed[3]; // memory of packed operands; NULL where dq is
} Operands;

struct AttentionOp {
    // Called before the head's blocks, in forward and again in backward: write what they share to the scratch memory.
    // Without the hook `scores`, return the queries and keys whose scaled products the scores will be.
    Operands (*begin)(const OwnHead *head);
    // The scores of a block whose first key is number `first` of the head overwrite block->S.
    void (*scores)(const OwnHead *head, const ScoreBlock *block, int first);
    // Called before the blocks' backward passes: zero the gradients that these add to, dk of the operands or others.
    void (*begin_backward)(const OwnHead *head);
    // Backward of `scores`: dq += from dS; gradients of keys and features may wait for end_backward.
    void (*scores_backward)(const OwnHead *head, const ScoreGradient *grad, const ScoreBlock *block, int first);
    // After the backward passes of all blocks: dq, dk and dfeatures of the head +=.
    void (*end_backward)(const OwnHead *head, const ScoreGradient *grad);
};

// --- schemes that turn scores into weights without a softmax (Scheme.weights), such as stick-breaking ---
//
// Such an op works on one row at a time: the n keys that a query weighs, the nearest last. All others have weight 0.
// Dropout comes afterwards.
struct WeightsOp {
    bool own;                        // true: the last key is that of the query's own token; false: of the one before
    void (*forward)(real *S, int n); // S becomes the weights P
    void (*backward)(real *S, real *dP, int n); // S becomes P, and dP becomes dS
    // For measurements: S becomes log P, scores that a softmax would turn into weights in the same proportions.
    void (*logs)(real *S, int n);
};

#endif
