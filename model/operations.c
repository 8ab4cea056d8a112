#include "model/gpt.h"

#include <assert.h>

// Operations of loops in ops/, forward and backward together.
enum {
    LAYERNORM = 8 + 19, // for each channel
    RMSNORM = 4 + 11,
    GELU = 19 + 1, // for each hidden channel; the slope is computed in forward
    SWIGLU = 6 + 6,
    SOFTMAX = 5 + 2,      // for each weight
    NLL = 5,              // for each logit
    SCALED_LOGIT = 1 + 3, // for each weight
    ADDED_BIAS = 1 + 1    // for each output of a product
};

// Forward and backward together: the products with all weights, attention to the tokens before, the rest of each layer,
// and the position schemes. exp, roots and the like count as one operation. Not counted: dropout, what backward
// recomputes, and what is done once a step, such as AdamW and tables.
double gpt_operations(const Shape *shape, const Mix *pos, int T) {
    const double C = shape->width, V = shape->vocab, L = shape->layers, H = shape->heads, qkv = qkv_width(shape),
                 fc = fc_width(shape), hidden = mlp_width(shape);
    const bool llama = shape->block == BLOCK_LLAMA;
    const int norm = llama ? RMSNORM : LAYERNORM, activation = llama ? SWIGLU : GELU;
    assert(pos->shape.width == shape->width && pos->shape.layers == shape->layers);
    const int scaled = shape->scale_logits ? SCALED_LOGIT : 0;
    const double biases = llama ? 0 : qkv + C + fc + C;
    // A product with a matrix is one multiplication and one addition for each of its numbers; backward has two such
    // products, for the gradients of the input and of the matrix.
    const double products = 3 * 2 * (L * C * (qkv + C + fc + hidden) + V * C);
    // Every key that a query sees takes part in two products of d numbers in each head, q k^T and P v; dout . out is
    // needed once a query.
    double keys = 0; // in all layers
    for (int l = 0; l < shape->layers; l++) keys += keys_seen_of(T, window_of(shape, l));
    const double attention = keys * (3 * 2 * 2 * C + (SOFTMAX + scaled) * H) + L * 2 * C;
    const double layers = L * (2 * norm * C + activation * hidden + ADDED_BIAS * biases + 2 * C); // the last: residuals
    const double ends = C + norm * C + NLL * V; // the gradients of the token embeddings; the last norm; the loss
    return products + attention + layers + ends + mix_operations(pos, T);
}
