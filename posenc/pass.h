// The position schemes of a model in a pass: their tables, and their hooks, called for the parts that work in a layer.
#ifndef BITTER_PASS_H
#define BITTER_PASS_H

#include "posenc/mix.h"

// One entry of the list that a pass walks in each layer: a part that works there.
typedef struct {
    const Family *family;
    const AttentionOp *attention; // that the part brings; NULL = none
    int part;
    int layer;   // the number of the layer among the part's own
    int feature; // the first of the token's features that is the part's own
} Call;

// What happens in one layer.
typedef struct {
    Call calls[PARTS_CAPACITY];
    int count;
    const Call *own;          // the part that brings the layer's attention op; NULL = none, it is the model's
    const WeightsOp *weights; // of the part that makes weights of the scores; NULL = a softmax does
    bool changes;             // a part adds to the scores, or makes weights of them
    bool reads_queries;       // a part adds to the gradients of queries, in score_backward
} LayerCalls;

// The tables of all parts, and what is called in each layer. Each TrainPass and each Inference has its own.
typedef struct {
    const Mix *mix;
    Tables part[PARTS_CAPACITY];
    LayerCalls *layers; // (L)
} MixTables;

// --- tables of one part (tables_*) and of all (mix_*) ---
//
// Lay out tables for `positions` coordinates and `batch` sequences. `pos` must outlive them.
void tables_layout(Tables *tables, const Position *pos, Arena *arena, int positions, int batch, bool training);

// Fill the tables if that has not been done, or if parameters may have changed. Call it before each training pass and
// each new text. Threads of a team may call it at the same time, each for tables of its own.
void tables_prepare(Tables *tables);

void mix_layout(MixTables *tables, const Mix *mix, Arena *arena, int positions, int batch, bool training);
void mix_prepare(MixTables *tables);

// Set the length of the current window, at most tables->positions (the default). Returns whether a scheme treats the
// new length differently from the old one; then the tables have to be prepared again, and keys and features made before
// are invalid. Does nothing if positions are randomised: those are spread over all coordinates at any length.
bool mix_window(MixTables *tables, int length);

// --- hooks: as in Family, called for the parts that work in this layer, backward in reverse order. Layers are those of
// the model; features (rows, mix->features). ---
void mix_embed_forward(const MixTables *tables, real *x, const Place *at, int rows);
void mix_embed_backward(const MixTables *tables, const real *dx, const Place *at, int rows);
void mix_input_forward(const MixTables *tables, int layer, real *features, const real *x, int rows);
void mix_layer_backward(const MixTables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                        const real *x, int rows);
void mix_qk_forward(const MixTables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows);
void mix_qk_backward(const MixTables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                     const Place *at, int rows);

// Take the scratch memory of each part's blocks from the arena.
void mix_scratch(real *scratch[PARTS_CAPACITY], const MixTables *tables, Arena *arena, int rows, int columns,
                 bool training);
// block->features are those of the block's first key, of all parts; block->scratch is taken from `scratch`.
void mix_score_forward(const MixTables *tables, const ScoreBlock *block, real *const scratch[PARTS_CAPACITY]);
void mix_score_backward(const MixTables *tables, const ScoreBlock *block, const ScoreGradient *grad,
                        real *const scratch[PARTS_CAPACITY]);

// The block as a part sees it: its own layer, features and scratch.
ScoreBlock mix_block(const Call *call, const ScoreBlock *block, real *const scratch[PARTS_CAPACITY]);

#endif
