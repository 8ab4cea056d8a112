// gate=trained, an option of any scheme: which layers need positions is learned, as one number g for each layer, which
// begins at 1, the scheme as it was designed; with 0 the layer has no positions.
//
//   a scheme that changes scores, S to F(S)    S -> g F(S) + (1 - g) S
//   a rotation by the angle t theta            by g t theta
//   a code added to the embeddings             x += g code, with one g: there is one place for it
//
// The schemes know nothing of it: these functions stand around their hooks, and mix.c calls them in the place of the
// hooks for a part with `gated`. Layers, heads and threads are as in the hooks.
#ifndef BITTER_GATE_H
#define BITTER_GATE_H

#include "posenc/posenc.h"

// One of the three ways. Functions that a way does not need are NULL.
struct Gated {
    void (*layout)(Tables *tables, Arena *arena, bool training);
    void (*prepare)(Tables *tables);
    void (*reduce)(Tables *tables);
    double (*operations)(const Position *pos, int T); // those of the gates alone
    const char *(*complaint)(const Position *pos);    // (optional) why the scheme's options need other text; or NULL
    void (*embed_forward)(const Tables *tables, real *x, const Place *at, int rows);
    void (*embed_backward)(const Tables *tables, const real *dx, const Place *at, int rows);
    void (*qk_forward)(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows);
    void (*qk_backward)(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                        const Place *at, int rows);
    // `scratch` is beside the scheme's own; backward finds there what forward of the same block left.
    size_t (*score_scratch)(int rows, int columns);
    void (*score_forward)(const Tables *tables, const ScoreBlock *block, real *scratch);
    void (*score_backward)(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad, real *scratch);
    void (*score_reduce)(const Tables *tables, int layer);
};

// NULL where the part has no gates.
const Gated *gated_of(const Position *pos);

// Take the option "gate" out of a list "key=value,..." of the scheme with this name: `rest` is what is left of it.
// Fails (input) where it has no such value, or is there twice.
bool gate_parse(bool *gated, char rest[TEXT_CAPACITY], const char *list, const char *owner, Error *error);

// Fails (input) if the part has gates, and the scheme nothing that they could weigh.
bool gate_check(const Position *pos, Error *error);

// The part's last tensor. 1 at the start.
#define GATE_TENSOR "layer_gate"
void gate_params(Position *pos, TensorTable *table);

// The gates of a part, of all its layers (L), or of codes that are added to the embeddings (1); and their gradients.
static inline const real *gates_of(const Position *pos) {
    return pos->params[pos->param_count - 1];
}
static inline real *dgates_of(const Position *pos) {
    return pos->dparams[pos->param_count - 1];
}
static inline int gate_count(const Position *pos) {
    return pos->scheme->embed_forward ? 1 : pos->shape.layers;
}

#endif
