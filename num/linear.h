// Linear layers, for the model and for position schemes that have their own. "By rows": each thread of the team does
// its own rows. "By columns": it sums over all rows and needs a barrier before it.
#ifndef BITTER_LINEAR_H
#define BITTER_LINEAR_H

#include "num/gemm.h"

// out (rows, O) = x (rows, C) weight^T + bias, weight (O, C), bias (O) or NULL. By rows; but if the rows are too few to
// share, such as the newest token of a text alone, threads share the columns, and barriers make x complete before and
// out after. So every thread of the team must call it.
void linear_forward(real *out, const real *x, const real *weight, const real *bias, int rows, int C, int O);
// dx (rows, C). By rows.
void linear_backward(real *dx, const real *dout, const real *weight, int rows, int C, int O);
// The same, but dx +=, where another path has left its gradient.
void linear_backward_add(real *dx, const real *dout, const real *weight, int rows, int C, int O);
// dweight +=, dbias += or NULL. By columns.
void linear_backward_weights(real *dweight, real *dbias, const real *dout, const real *x, int rows, int C, int O);

#endif
