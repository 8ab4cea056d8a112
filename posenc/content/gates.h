// What fox, cable and selective share (path has only the gates, stick-breaking their log_sigmoid): numbers that a
// linear layer computes from each token, z = x w^T + b, with its own weights in each layer of the model; sums of such
// numbers over the tokens between a key and a query; and gates, where each token keeps a fraction f of everything
// before it.
#ifndef BITTER_GATES_H
#define BITTER_GATES_H

#include "posenc/scheme.h"

// --- a linear layer that computes the features: as many as the scheme's feature_count says ---
enum { PROJECTED_W, PROJECTED_B }; // params (layers * F, inputs), (layers, F)

// Hooks: the parameters, w from N(0, 0.02) and b = 0; memory for dz.
void projected_params(Position *pos, TensorTable *table);
void projected_layout(Tables *tables, Arena *arena, bool training);

// What a scheme makes of z, where f is the feature's number among the token's F; and dz.
typedef real Feature(real z, int f, int F);
typedef real FeatureBackward(real dfeature, real feature, int f, int F);

// For input_forward: features = forward(z). By rows.
void projected_forward(const Tables *tables, int layer, real *features, const real *x, int rows, Feature *forward);
// For layer_backward: from dz = backward(dfeatures, features), adds to dx by rows and, after a barrier, to dw and db by
// columns.
void projected_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                        const real *x, int rows, FeatureBackward *backward);

// What this layer costs a token, forward and backward, in all layers of the model.
double projected_operations(const Position *pos);

// --- running sums of a number of each token, such as fox's log f or cable's step ---
//
// sum_t is the sum over the tokens 0 .. t of a block. These sums grow with the text while the differences that matter
// stay small, so each is held as two numbers: the sum rounded to a real, and the rest.
typedef struct {
    real *sum, *rest; // (columns)
} Running;

// How many reals of scratch memory the sums of a block with `columns` columns need.
static inline size_t running_scratch(int columns) {
    return 2 * (size_t)columns;
}

// The sums of `numbers`, one for each column, `stride` apart; they lie in `scratch`, where running_of finds them again.
Running running_forward(const ScoreBlock *block, const real *numbers, int stride, real *scratch);
static inline Running running_of(const ScoreBlock *block, real *scratch) {
    return (Running){scratch, scratch + block->columns};
}

// number_{j+1} + ... + number_i
static inline real running_between(Running running, int i, int j) {
    return (running.sum[i] - running.sum[j]) + (running.rest[i] - running.rest[j]);
}

// From the gradients of the sums, dsum (columns), add to those of the numbers, `stride` apart.
void running_backward(real *dnumbers, const real *dsum, const ScoreBlock *block, int stride);

// --- gates: FoX's forgetting, which path can have as well ---
//
// log f = log(sigmoid(z)); and dz from dlog_f, the gradients with respect to z and log f.
real log_sigmoid(real z);
real log_sigmoid_backward(real dlog_f, real log_f);

#define LOG_SIGMOID_OPERATIONS 10 // of a gate, forward and backward, with its bias

// For score hooks: forward adds to block->S. `log_f` are the features of the block's tokens for its head, `stride`
// numbers apart; backward adds to their gradients. `scratch` holds running_scratch() numbers; backward does not read
// what forward left there.
void forget_forward(const ScoreBlock *block, const real *log_f, int stride, real *scratch);
void forget_backward(real *dlog_f, const real *dS, const ScoreBlock *block, int stride, real *scratch);

// The operations of these two for each token, in one head whose queries see `keys` keys.
double forget_operations(double keys);

#endif
