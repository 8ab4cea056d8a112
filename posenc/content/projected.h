// For schemes whose features are made from a linear layer of the normalised input: z = x w^T + b, as many numbers for
// each token as the scheme's hook `features` says, with weights of their own in each layer.
#ifndef BITTER_PROJECTED_H
#define BITTER_PROJECTED_H

#include "posenc/scheme.h"

enum { PROJECTED_W, PROJECTED_B }; // params (layers * F, inputs), (layers, F)

// Hooks: the parameters, w from N(0, 0.02) and b = 0; memory for dz.
void projected_params(Position *pos, TensorTable *table);
void projected_layout(Tables *tables, Arena *arena, bool training);

// For input_forward: z in the place of the features. By rows.
void projected_forward(const Tables *tables, int layer, real *z, const real *x, int rows);

// For layer_backward: where the scheme writes dz (rows, F) of its own rows; then dx += by rows and, after a barrier, dw
// and db by columns.
static inline real *projected_dz(const Tables *tables) {
    return tables->dtable[0];
}
void projected_backward(const Tables *tables, int layer, real *dx, const real *x, int rows);

// What this layer costs a token, forward and backward, in all layers of the model.
double projected_operations(const Position *pos);

#endif
