// Position schemes: how a transformer learns where its tokens stand. A scheme is what the user names (posenc/scheme.h).
// Its family is how it enters the model: as a code that is added to the embeddings (embedding/code.h), a rotation of
// queries and keys (rotation/rotate.h), a bias on scores (bias/bias.h), or by hooks of its own. The model calls the
// hooks of families (posenc/pass.h) and knows no scheme by name, but for gpt_transfer, which takes over the first rows
// of a longer table.
#ifndef BITTER_POSENC_H
#define BITTER_POSENC_H

#include "num/arena.h"
#include "num/rounding.h"
#include "num/tensor.h"
#include "posenc/stretch/stretch.h"

#include <stdalign.h>

#define LAYERS_CAPACITY  256 // layers of a model whose schemes differ from layer to layer
#define OPTIONS_CAPACITY 128 // bytes of a scheme's own options
#define PARAMS_CAPACITY  8   // tensors of a scheme
#define TABLES_CAPACITY  6   // tables of a scheme

// Where a token stands: the coordinates that travel with it to every scheme. t counts tokens. The others locate the
// token in text that has lines (a grid written row by row, a poem, code): the column in its line, the line in its page,
// the page in its document, and the document, each counted from 0.
typedef struct {
    int t, column, line, page, document;
} Place;

typedef enum { AXIS_T, AXIS_DOCUMENT, AXIS_PAGE, AXIS_LINE, AXIS_COLUMN } Axis;

static inline int place_on(const Place *place, Axis axis) {
    return axis == AXIS_T          ? place->t
           : axis == AXIS_DOCUMENT ? place->document
           : axis == AXIS_PAGE     ? place->page
           : axis == AXIS_LINE     ? place->line
                                   : place->column;
}

typedef struct Scheme Scheme;

// One position scheme set up for one model: its options, parameters and gradients. All training passes and inferences
// of the model share it. (The position of a single token is a Place.)
//
// The scheme may work in only some of the model's layers (posenc/mix.h). shape.layers is then the number of these, and
// hooks count layers among them. Only shape.windows still describes all layers of the model.
typedef struct {
    const Scheme *scheme;
    alignas(16) unsigned char options[OPTIONS_CAPACITY]; // the scheme's own options struct
    const struct Formula *written; // the scheme's formula (posenc/formula/), if the user wrote one; NULL = none
    bool gated; // gate=trained: a trained number for each layer, or for codes one in all, weighs the scheme
    Shape shape;
    bool everywhere;              // works in all layers of the model
    bool layers[LAYERS_CAPACITY]; // if not everywhere: the layers of the model in which it works
    int sets;                     // sets of parameters: 1, shared by all layers, or one for each layer
    int param_count;
    int earlier;                    // parts of the mix that stand before this one and have the same scheme
    char prefix[32];                // of the names of its tensors
    int tensors[PARAMS_CAPACITY];   // indices of the scheme's tensors in the model's tensor table
    real *params[PARAMS_CAPACITY];  // values of these tensors
    real *dparams[PARAMS_CAPACITY]; // gradients of these tensors; NULL if the model is not trained
    StretchRule stretch;            // of the rotations, past the trained length
    NumberFormat held_as;           // format in which `prepare` holds what it computes from coordinates: float,
                                    // except in `eval --positions-as`, where nothing is trained
} Position;

// The options struct S of a scheme: scheme_options(pos, RopeOptions)->base.
#define scheme_options(pos, S) ((const S *)(const void *)(pos)->options)

// Numbers computed from a scheme's options and parameters, such as cosines, and in training the gradients with respect
// to them. Each TrainPass and each Inference has its own, for as many coordinates and sequences as it works on.
typedef struct {
    const Position *pos;
    const StretchRule *stretch; // the model's, or one that a search is trying
    int positions;              // tables hold coordinates 0 .. positions-1
    int window;                 // length of the current window, on which some schemes' tables depend
    int batch;                  // sequences worked on side by side
    int feature_stride;         // numbers from one token's features to the next token's
    bool prepared;              // `prepare` has filled the tables
    // The tables of the family, which numbers them in its own file:
    real *table[TABLES_CAPACITY];  // made by its hook `prepare`, or scratch of the layer at work
    real *dtable[TABLES_CAPACITY]; // what else its backward pass needs: gradients, or slabs (see below)
} Tables;

// A block of scaled attention scores S = scale q k^T of one head of one sequence. Column j is the j-th key of those
// that its queries see, and row i the query of the token whose key is column columns - rows + i. Columns of later
// tokens are masked afterwards, and so are those that have left the query's window.
typedef struct {
    real *S; // (rows, columns), rows `stride` apart
    int stride, rows, columns;
    int layer, sequence, head;
    const Place *query_at; // (rows) coordinates of the queries; t rises within a sequence
    const Place *key_at;   // (columns) coordinates of the keys
    const real *q, *k;     // (rows, d) and (columns, d), rows q_stride and k_stride apart, as qk_forward left them
    int q_stride, k_stride;
    real scale;           // 1/sqrt(d)
    const real *features; // (columns, position_features(pos)) from input_forward, rows tables->feature_stride apart
    real *scratch;        // (score_scratch) score_backward finds here what score_forward of the same block left
} ScoreBlock;

// How many keys row i's query sees; the last is that of its own token.
static inline int block_seen(const ScoreBlock *block, int i) {
    return block->columns - block->rows + i + 1;
}

// The gradients of the loss with respect to a block's scores, queries, keys and features.
typedef struct {
    real *dS;        // (rows, columns), rows block->stride apart: of the scores after score_forward; 0 where masked
    real *dq, *dk;   // (rows, d), (columns, d), strides as for q and k
    real *dfeatures; // (columns, position_features(pos)), rows as for features
} ScoreGradient;

// How the schemes of a family enter the model. A hook that is NULL does nothing. Rows are the tokens of tables->batch
// sequences of equal length, one sequence after the other; at[r] are the coordinates of row r's token.
//
// Who calls a hook, and on what it works (num/team.h):
//   embed_forward, input_forward, qk_*  every thread of a team, each on its share of the rows; sums for parameters
//                                     are shared out by columns or by heads, after a barrier
//   embed_backward, layer_backward    every thread of a team, each on its share of the columns (dx: of the rows)
//   score_forward, score_backward     one thread for each block of scores
//   prepare                           one thread alone
//
// How gradients reach parameters:
//   codes         dx -> embed_backward -> dparams
//   rotations     dq, dk -> qk_backward -> slabs -> dtheta; after all layers -> dparams
//   biases        dS -> score_backward -> slabs -> layer_backward -> dcurves; after all layers -> dparams
//   contents      dS -> score_backward -> slabs -> layer_backward -> dparams
//                 dS -> score_backward -> dfeatures -> layer_backward -> dparams
//
// A slab is the partial sum of one sequence, or of one head of it. So threads never add to the same numbers, and the
// order of every sum is fixed. Slabs are zeroed after each layer.
typedef struct {
    // Take tables (and, for training, dtables) for tables->positions coordinates from the arena.
    void (*layout)(Tables *tables, Arena *arena, bool training);
    // Fill the tables: once where nothing is trained, else before every training pass and every new text. What is
    // computed from coordinates is rounded to pos->held_as: angles before their sines and cosines, and then all tables.
    void (*prepare)(Tables *tables);
    const char *rounds; // what `prepare` rounds, in words that follow the scheme's name and a colon; NULL = nothing

    // x (rows, C) += code(at).
    void (*embed_forward)(const Tables *tables, real *x, const Place *at, int rows);
    // Add to dparams or dtables, from dx (rows, C); dx itself goes on unchanged to the token embeddings.
    void (*embed_backward)(const Tables *tables, const real *dx, const Place *at, int rows);

    // features (rows, F), rows tables->feature_stride apart, from a layer's normalised input x (rows, C). They are
    // cached like keys, so each may depend on its own token only.
    void (*input_forward)(const Tables *tables, int layer, real *features, const real *x, int rows);
    // The end of a layer's backward pass: dx += by rows, and dparams by columns, from dfeatures; add the slabs of
    // score_backward to dtables or dparams, and zero them. Layers come from the last to the first: at the scheme's
    // layer 0, what dtables have collected in all layers goes on to dparams, and dtables are zeroed.
    void (*layer_backward)(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows);

    // q (rows, H*d) and k (rows, K*d), rows `stride` apart, in place: new rows only, so that keys can be cached
    // afterwards. There may be fewer key heads K than heads H.
    void (*qk_forward)(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows);
    // dq and dk in place, from gradients of the outputs to gradients of the inputs; q and k are the outputs of
    // qk_forward.
    void (*qk_backward)(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                        const Place *at, int rows);

    // Add to a block of scores. Several threads call this at once, for different blocks.
    void (*score_forward)(const Tables *tables, const ScoreBlock *block);
    // From dS, add to dtables; and to dq, dk and dfeatures if the bias was made from q, k and features. If it depended
    // on S itself, also change dS, which is passed on to S = scale q k^T afterwards. block->S no longer holds the
    // scores. Several threads call this at once, but the blocks of one sequence and head come from one thread, in
    // order: so each (sequence, head) needs a slab of its own.
    void (*score_backward)(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad);
} Family;

// The number of a layer of the model among those in which the scheme works; -1 = it does not work there.
int position_layer(const Position *pos, int layer);

// Which of the sets of parameters a layer uses.
static inline int position_set(const Position *pos, int layer) {
    return pos->sets > 1 ? layer : 0;
}

#endif
