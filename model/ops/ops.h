// The operations that a GPT is made of. Throughout: outputs first, then inputs, then sizes; `dx` is the gradient of the
// loss with respect to x; rows = B*T tokens. "+=" marks outputs that are added to; all others are overwritten.
// residual_forward (dropout.h) may work in place.
//
// Every thread of a team calls every op and does its share (team.h). "By rows": each thread reads and writes only its
// own rows, so no barrier is needed between two such ops. "By columns": the op sums over all rows, so there must be a
// barrier between whatever wrote its inputs and the op.
#ifndef BITTER_OPS_H
#define BITTER_OPS_H

#include "model/ops/dropout.h"
#include "num/linear.h"
#include "num/real.h"

// --- ops.c: by rows, but for norm_backward_weights ---

#define NORM_EPSILON 1e-5 // added under the square root in the norms

// out (rows, C) = (x - mean) * rstd * weight + bias, each row on its own: mean = average(x), rstd = 1 /
// sqrt(average((x - mean)^2) + NORM_EPSILON). mean and rstd (rows) are kept for backward. With bias NULL, as in Llama's
// block, it is the RMSNorm, whose mean is 0.
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

// out (rows, C) = x * (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2: the tanh form of Hendrycks, Gimpel 2016. x is
// overwritten by the slope d out / d x: both need the same exponential.
void gelu_forward(real *out, real *x, int rows, int C);
// dout *= slope: dx takes dout's place.
void gelu_backward(real *dout, const real *slope, int rows, int C);

// --- llama.c: likewise ---

// out (rows, C) = silu(gate) * up, silu(z) = z / (1 + exp(-z)); a row of `in` (rows, 2C) is gate, then up.
void swiglu_forward(real *out, const real *in, int rows, int C);
// Overwrites `in` with din, and dout with out, which is recomputed: so only `in` has to be kept for backward.
void swiglu_backward(real *in, real *dout, int rows, int C);

// --- ops.c: tokens ---

// x (rows, C) = wte[id], wte (V, C). By rows.
void tokens_forward(real *x, const int *ids, const real *wte, int rows, int C);
// dwte[id] += dx of every token with this id. By columns.
void tokens_backward(real *dwte, const real *dx, const int *ids, int rows, int C);

// The head and its cross-entropy, in blocks of rows. Threads share the rows of each block, so there must be a barrier
// before the losses; they end with one.
#define LOSS_BLOCK 256 // rows of logits held at a time

size_t loss_scratch(int V); // reals
// logits (rows, V) = x (rows, C) wte^T. By rows.
void logits_forward(real *logits, const real *x, const real *wte, int rows, int C, int V);
// nll (rows) = -log softmax(x wte^T)[target]
void loss_forward(double *nll, const real *x, const real *wte, const int *targets, real *scratch, int rows, int C,
                  int V);
// Forward and backward in one pass, because the logits are too large to keep. Out: nll (rows) as above, dx (rows, C),
// and dwte (V, C) +=. In: dnll (rows), the weight of each nll in the total loss.
void loss_forward_backward(double *nll, real *dx, real *dwte, const real *dnll, const real *x, const real *wte,
                           const int *targets, real *scratch, int rows, int C, int V);

#endif
