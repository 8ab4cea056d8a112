// What a scheme brings that takes the place of a part of attention: of the scores, or of the softmax. The model's
// attention calls it; everything else of the layer stays the model's.
#ifndef BITTER_ATTENTION_OP_H
#define BITTER_ATTENTION_OP_H

#include "posenc/scheme.h"

// --- what a scheme brings that computes all scores of its layers itself (Scheme.attention; path is one) ---
//
// It works on one head of one sequence at a time, whose blocks of queries come one after the other. Other schemes of
// the layer add to the scores, and get their gradients, as always.

// How many tokens before the first key that a query sees such an op finds the features of, as far as there are so many.
#define TOKENS_BEFORE 63

// A head at work.
typedef struct {
    const Tables *tables; // of the scheme
    ScoreBlock all;       // a block of all queries and keys, as the scheme's hooks see it, with its scratch memory
    int rows;             // of the blocks to come, at most
    int before;           // tokens before key 0 whose features are there
    bool training;
} OwnHead;

// What takes the place of q and k of a head.
typedef struct {
    int width;       // of a new query or key
    real *q, *k;     // (queries, width), (keys, width)
    real *dq, *dk;   // the same, of their gradients; NULL = no backward pass will follow
    real *own;       // the scheme's memory
    real *packed[3]; // memory of packed operands; NULL where dq is
} Operands;

struct AttentionOp {
    // Before the head's blocks, forward and once more backward: what they share goes to the scratch memory. Without the
    // hook `scores`, it returns what the scores will be scaled products of.
    Operands (*begin)(const OwnHead *head);
    // The scores of a block whose first key is number `first` of the head overwrite block->S.
    void (*scores)(const OwnHead *head, const ScoreBlock *block, int first);
    // Before the blocks' backward passes: zeros in the gradients that these add to, dk of the operands or others.
    void (*begin_backward)(const OwnHead *head);
    // Goes with `scores`: dq += from dS; whatever belongs to keys and features may wait for ...
    void (*scores_backward)(const OwnHead *head, const ScoreGradient *grad, const ScoreBlock *block, int first);
    // ... when the blocks are done: dq, dk and dfeatures of the head +=.
    void (*end_backward)(const OwnHead *head, const ScoreGradient *grad);
};

// --- what a scheme brings that makes weights otherwise than by a softmax (Scheme.weights; stick-breaking is one) ---
//
// It works on one row at a time, whose n keys are those that a query weighs, the nearest last; the weights of others
// are 0. Dropout comes afterwards.
struct WeightsOp {
    bool own;                        // the last key is that of the query's own token; if not, of the one before
    void (*forward)(real *S, int n); // S becomes the weights P
    void (*backward)(real *S, real *dP, int n); // S becomes P, and dP becomes dS
    // S becomes log P: for measurements, as the scores of which a softmax would make weights in these proportions.
    void (*logs)(real *S, int n);
};

#endif
