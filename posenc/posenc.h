// Position schemes: how a transformer learns where its tokens stand. A scheme is what the user names: one immutable
// Scheme a file. Its family is how it enters the model: as a code that is added to the embeddings
// (embedding/code.h), a rotation of queries and keys (rotation/rotate.h), a bias on scores (bias/bias.h), or by hooks
// of its own. The model calls the hooks of families and knows no scheme by name. posenc/registry.h lists the schemes.
#ifndef BITTER_POSENC_H
#define BITTER_POSENC_H

#include "base/option.h"
#include "num/arena.h"
#include "num/tensor.h"
#include "posenc/place.h"
#include "posenc/stretch/stretch.h"

#include <stdalign.h>

#define LAYERS_CAPACITY  256 // layers of a model whose schemes differ from layer to layer
#define OPTIONS_CAPACITY 256 // bytes of a scheme's own options
#define PARAMS_CAPACITY  8   // tensors of a scheme
#define TABLES_CAPACITY  6   // tables of a scheme

typedef struct Scheme Scheme;
typedef struct AttentionOp AttentionOp; // model/ops/ops.h

// Where a scheme enters the model.
typedef enum { ENTERS_NOWHERE, ENTERS_EMBEDDING, ENTERS_ROTATION, ENTERS_BIAS, ENTERS_CONTENT } Enters;

// A set of layers: bit l % 64 of word l / 64.
typedef struct {
    uint64_t words[LAYERS_CAPACITY / 64];
} LayerSet;

static inline bool has_layer(const LayerSet *set, int layer) {
    return set->words[layer / 64] >> layer % 64 & 1;
}

static inline void add_layer(LayerSet *set, int layer) {
    set->words[layer / 64] |= (uint64_t)1 << layer % 64;
}

// One position scheme set up for one model: its options, parameters and gradients. All training passes and inferences
// of the model share it. (The position of a single token is a Place.)
//
// The scheme may work in some of the model's layers only (posenc/mix.h). It knows of no others: its shape has as many
// layers as are its own, and hooks count layers among these. Only shape.windows are those of the model's layers.
typedef struct {
    const Scheme *scheme;
    alignas(16) unsigned char options[OPTIONS_CAPACITY]; // the scheme's own options struct
    bool gated; // gate=trained: one trained number for each layer, or for codes one in all, weighs the scheme
    Shape shape;
    bool everywhere; // in all layers; otherwise in ...
    LayerSet layers; // ... these of the model's
    int sets;        // sets of parameters: 1, shared by all layers, or one for each layer
    int param_count;
    int earlier;                    // parts of the mix that stand before this one and have the same scheme
    char prefix[32];                // of the names of its tensors
    int tensors[PARAMS_CAPACITY];   // indices of the scheme's tensors in the model's tensor table
    real *params[PARAMS_CAPACITY];  // values of these tensors
    real *dparams[PARAMS_CAPACITY]; // gradients of these tensors; NULL if the model is not trained
    StretchRule stretch;            // of the rotations, past the trained length
} Position;

// The options struct S of a scheme: scheme_options(pos, RopeOptions)->base.
#define scheme_options(pos, S) ((const S *)(const void *)(pos)->options)

// Numbers computed from a scheme's options and parameters, such as cosines, and in training the gradients with respect
// to them. Each TrainPass and each Inference has its own, for as many coordinates and sequences as it works on.
typedef struct {
    const Position *pos;
    const StretchRule *stretch; // the model's, or one that a search of factors tries out
    int positions;              // tables hold coordinates 0 .. positions-1
    int window;                 // length of the current window, on which some schemes' tables depend
    int batch;                  // sequences worked on side by side
    int feature_stride;         // numbers from one token's features to the next token's
    bool prepared;              // `prepare` has filled the tables
    // Those of the family, which numbers them in its own file:
    real *table[TABLES_CAPACITY];  // made by its hook `prepare`, or scratch of the layer at work
    real *dtable[TABLES_CAPACITY]; // what else its backward pass needs: gradients, or slabs (see below)
} Tables;

// A block of scaled attention scores S = scale q k^T of one head of one sequence. Column j is the j-th key of those
// that its queries see, and row i the query of the token whose key is column columns - rows + i. Columns of later
// tokens are masked afterwards, and so are those that have left the query's window.
typedef struct {
    real *S; // (rows, columns), rows `stride` apart
    int stride, rows, columns;
    int window; // columns that a query sees, its own included; 0 = all
    int layer, sequence, head;
    const Place *query_at; // (rows) coordinates of the queries; t rises within a sequence
    const Place *key_at;   // (columns) coordinates of the keys
    const real *q, *k;     // (rows, d) and (columns, d), rows q_stride and k_stride apart, as qk_forward left them
    int q_stride, k_stride;
    real scale;           // 1/sqrt(d)
    const real *features; // (columns, scheme->feature_count), rows tables->feature_stride apart, what input_forward
                          // made of tokens
    real *scratch;        // (score_scratch) score_backward finds here what score_forward of the same block left
} ScoreBlock;

// How many keys row i's query sees; the last is that of its own token.
static inline int block_seen(const ScoreBlock *block, int i) {
    return block->columns - block->rows + i + 1;
}

// The distance from key j to row i's query, which must see this key; distances above count-1 become count-1.
static inline int block_distance(const ScoreBlock *block, int i, int j, int count) {
    const int distance = block->query_at[i].t - block->key_at[j].t;
    return distance < count ? distance : count - 1;
}

// Do the keys stand at consecutive positions? Then a row reads consecutive entries of a table of distances.
static inline bool block_consecutive(const ScoreBlock *block) {
    return block->key_at[block->columns - 1].t - block->key_at[0].t == block->columns - 1;
}

// The block's scratch as an arena, for schemes that keep several arrays there. Their score_scratch finds the size by
// the same layout on an arena without memory, which only counts.
static inline Arena scratch_of(const ScoreBlock *block) {
    return (Arena){.base = (unsigned char *)block->scratch};
}

// The gradients of the loss with respect to a block's scores, queries, keys and features.
typedef struct {
    real *dS;        // (rows, columns), rows block->stride apart: of the scores after score_forward; 0 where masked
    real *dq, *dk;   // (rows, d), (columns, d), strides as for q and k
    real *dfeatures; // (columns, scheme->feature_count), rows as for features
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
// By which way gradients reach parameters:
//   codes         dx -> embed_backward -> dparams
//   rotations     dq, dk -> qk_backward -> slabs -> dtheta; after all layers -> dparams
//   biases        dS -> score_backward -> slabs -> layer_backward -> dcurves; after all layers -> dparams
//   contents      dS -> score_backward -> slabs -> layer_backward -> dparams
//                 dS -> score_backward -> dfeatures -> layer_backward -> dparams
//
// A slab is the partial sum of one sequence, or of one head of it. So threads never add to the same numbers, and the
// order of every sum is fixed. It is zeroed after each layer.
typedef struct {
    // Take tables (and, for training, dtables) for tables->positions coordinates from the arena.
    void (*layout)(Tables *tables, Arena *arena, bool training);
    // Fill the tables: once where nothing is trained, else before every training pass and every new text.
    void (*prepare)(Tables *tables);

    // x (rows, C) += code(at).
    void (*embed_forward)(const Tables *tables, real *x, const Place *at, int rows);
    // Add to dparams or dtables, from dx (rows, C); dx itself goes on unchanged to the token embeddings.
    void (*embed_backward)(const Tables *tables, const real *dx, const Place *at, int rows);

    // features (rows, F), rows tables->feature_stride apart, from a layer's normalised input x (rows, C). They are
    // cached like keys, so each may depend on its own token only.
    void (*input_forward)(const Tables *tables, int layer, real *features, const real *x, int rows);
    // The end of a layer's backward pass: dx += by rows, and dparams by columns, from dfeatures; add the slabs of
    // score_backward to dtables or dparams, and zero them. Layers come from the last to the first: with the scheme's
    // layer 0, what dtables have collected in all layers goes on to dparams, and dtables become 0 again.
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

struct Scheme {
    const char *name, *formula, *paper;
    const char *help;      // some sentences, for `--pos help`
    const Option *options; // rows over the scheme's options struct; NULL = none
    const Option *layers;  // the LAYERS_OPTION_ROW among `options`; NULL = none
    const Option *past;    // the row among `options` that --past sets; NULL = none
    const Option *trains;  // the row among `options` whose value 1 gives the scheme its params; NULL = there is none
    Enters enters;
    const char *compared_with; // of a learned scheme: the designed scheme that reports compare it with; NULL = none
    bool relative;             // a constant added to all coordinates changes nothing
    bool reads_queries;        // its score hooks read q or k, and mean the values before a rotation
    bool two_axes;             // reads lines and columns, not t
    bool has_corners; // the loss has corners, where differences are no slopes: gradcheck then tries other seeds
    bool placeless;   // reads no coordinates: positions come from contents, or not at all

    const Family *family;         // NULL = it does not enter the model
    const AttentionOp *attention; // computes all scores of its layers, with those that other schemes add; NULL = as if
                                  // there were no scheme, S = scale q k^T

    // --- what a scheme writes for its family ---
    //
    // Codes: the code (C) that is added to the embedding of a token at coordinate t; and, if it is trained, the
    // gradient (C) that belongs to it. A scheme with params but no dcode has one trained factor of its code, params[0].
    void (*code)(real *code, const Tables *tables, int t);
    real *(*dcode)(const Position *pos, int t);
    // Rotations: the angle, in radians, by which a pair of channels turns from one token to the next; if it is trained,
    // dparams from dtheta (pairs); whether heads have angles of their own; and the factor by which queries grow, and
    // keys shrink, at t of `positions` (NULL = 1).
    double (*theta)(const Position *pos, int set, int head, int pair);
    void (*theta_backward)(const Position *pos, int set, int head, const real *dtheta);
    bool by_head;
    double (*growth)(const Position *pos, int pair, int t, int positions);
    // Biases: the bias between two tokens `distance` apart; if it is trained, add to dparams of this set and head, from
    // bias_gradient() of every distance.
    double (*curve)(const Position *pos, int set, int head, int distance);
    void (*curve_backward)(const Tables *tables, int set, int head);
    // Instead of both (LOOKUP_SCHEME): which of the trained numbers 0, 1, 2 ... is the bias at this distance;
    // bucket(INT_MAX) is the last one.
    int (*bucket)(const Position *pos, int distance);
    // content/vectors.h: how many trained vectors a set has that queries are multiplied with.
    int (*vectors)(const Position *pos);

    // --- how it is set up ---
    //
    // NULL, or a sentence why this scheme cannot work with this model.
    const char *(*check)(const Position *pos);
    // The longest input that the scheme is defined for; 0 (or no function) = any.
    int (*max_length)(const Position *pos);
    // For schemes that treat windows of different lengths differently: a number that is the same for all lengths that
    // are treated the same. When it changes, the tables are made again; otherwise tables and hooks must not depend on
    // tables->window. NULL: the length never matters.
    int (*length_class)(const Tables *tables, int length);
    // The floating point operations that the scheme costs a token in training, forward and backward, in all layers: the
    // mean over a window of T. exp, log and the like count as one. Not counted is what is done once a step, such as
    // tables, and what backward computes again. NULL: none.
    double (*operations)(const Position *pos, int T);
    // Announce trainable tensors with position_param(), in the order of pos->params.
    void (*params)(Position *pos, TensorTable *table);
    // Initial values that no Init has: change pos->params. `seed` is the model's.
    void (*init)(Position *pos, uint64_t seed);
    // Move stored parameters (pos->params) into the range that the scheme is defined for. The hooks need not know this
    // range: gradients are those of the formula, also at its bounds.
    void (*project)(Position *pos);
    // How many numbers input_forward computes for each token in each layer.
    int (*feature_count)(const Position *pos);
    // How many reals of scratch memory a block needs that has at most `rows` queries and `columns` keys; in training
    // these are all keys of the head.
    size_t (*score_scratch)(const Tables *tables, int rows, int columns, bool training);
};

// The number of a layer of the model among those in which the scheme works; -1 = it does not work there.
int position_layer(const Position *pos, int layer);

// The bound of --random-positions: positions are drawn below it. 0 = they are 0, 1, 2 ..., or the scheme reads none.
static inline int position_random_bound(const Position *pos) {
    return pos->scheme->placeless ? 0 : pos->shape.random_positions;
}

// How many different coordinates training uses: the context, or the bound of --random-positions.
static inline int position_span(const Position *pos) {
    return position_random_bound(pos) ? position_random_bound(pos) : pos->shape.context;
}

// An option that schemes with parameters share, over a struct S with a field `layers`.
#define LAYERS_OPTION_ROW(S, preset)                                                                                   \
    {                                                                                                                  \
        "layers", OPTION_CHOICE, offsetof(S, layers), preset, 0, 0, "shared|own", "WHOSE",                             \
            "shared: one set of parameters for all layers; own: a set for each layer"                                  \
    }

// An option of schemes whose family has a factor that a gate can be: over a struct S with a field `gate`. Which layers
// need positions is then learned, as one number g a layer, which begins at 1, the scheme as it was designed; at 0 the
// layer has no positions (but xpos still fades with distance).
#define GATE_OPTION "gate"
#define GATE_OPTION_ROW(S, member)                                                                                     \
    {                                                                                                                  \
        GATE_OPTION, OPTION_CHOICE, offsetof(S, member), "none", 0, 0, "none|trained", "HOW",                          \
            "trained: a number for each layer weighs the scheme"                                                       \
    }
#define GATE_TENSOR "layer_gate" // the scheme's last tensor

static inline int gate_count(const Position *pos) {
    return pos->scheme->code ? 1 : pos->shape.layers;
}

// The gate of a layer, 1 where there are none; and where its gradient goes.
static inline real gate_of(const Position *pos, int layer) {
    return pos->gated ? pos->params[pos->param_count - 1][pos->scheme->code ? 0 : layer] : 1;
}
static inline real *dgate_of(const Position *pos, int layer) {
    return &pos->dparams[pos->param_count - 1][pos->scheme->code ? 0 : layer];
}

// How many keys a query sees, as the mean over a text of T tokens and over the layers in which the scheme works; with
// `most`, at most so many of each query's.
double keys_seen_within(const Position *pos, int T, int most);
static inline double keys_seen(const Position *pos, int T) {
    return keys_seen_within(pos, T, 0);
}

// Heads, counted over all layers.
static inline double all_heads(const Position *pos) {
    return (double)pos->shape.layers * pos->shape.heads;
}

// Has the scheme of a parsed position parameters of its own, with its options?
static inline bool position_trained(const Position *pos) {
    const Option *trains = pos->scheme->trains;
    return pos->scheme->params && (!trains || *(const int *)(pos->options + trains->offset) == 1);
}

// Has it these, or gates?
static inline bool position_learned(const Position *pos) {
    return pos->gated || position_trained(pos);
}

// Can `bitter extend` stretch it? Angles that are designed, the same in all layers and heads, without growth.
static inline bool position_stretches(const Position *pos) {
    const Scheme *s = pos->scheme;
    return s->theta && !s->theta_backward && !s->growth && !s->two_axes;
}

// The name of the designed scheme that a learned position is compared with: `compared_with`, or the scheme itself where
// an option gives it parameters. NULL = the position is designed, or there is none.
static inline const char *position_designed(const Position *pos) {
    const bool by_option = pos->scheme->trains || !position_trained(pos);
    return !position_learned(pos) ? NULL : by_option ? pos->scheme->name : pos->scheme->compared_with;
}

// Which of the sets of parameters a layer uses.
static inline int position_set(const Position *pos, int layer) {
    return pos->sets > 1 ? layer : 0;
}

// How many features the scheme has for each token and layer.
static inline int position_features(const Position *pos) {
    return pos->scheme->feature_count ? pos->scheme->feature_count(pos) : 0;
}

// Parse "key=value,..." into the options of a scheme; position_fit then sets it up for a model. Fails (input, see
// base/error.h) with the nearest key.
bool position_parse_options(Position *pos, const Scheme *scheme, const char *list, Error *error);

// Set up a parsed scheme for its layers, of which there are as many as `shape` says. Fails (input) with the scheme's
// own sentence.
bool position_fit(Position *pos, const Shape *shape, Error *error);

// The full specification, every option spelled out: "rope:base=10000,pairing=half".
void position_print(const Position *pos, char text[TEXT_CAPACITY]);

// For a scheme's params hook: one more tensor, called "pos.NAME" (see mix_params). A vector has 0 columns.
void position_param(Position *pos, TensorTable *table, const char *name, int rows, int columns, Init init,
                    double scale);

// For a scheme's init hook: the key of its random numbers, `purpose` being the scheme's name. Parts of one mix that
// have the same scheme get different keys.
uint64_t position_key(const Position *pos, uint64_t seed, const char *purpose);

// Lay out tables for `positions` coordinates and `batch` sequences. `pos` must outlive them.
void tables_layout(Tables *tables, const Position *pos, Arena *arena, int positions, int batch, bool training);

// Set the length of the current window, at most tables->positions (the default). Returns whether the scheme treats the
// new length differently from the old one; then the tables have to be prepared again, and keys and features made before
// are invalid. Does nothing if positions are randomised: those are spread over all coordinates at any length.
bool tables_window(Tables *tables, int length);

// Fill the tables if that has not been done, or if parameters may have changed. Call it before each training pass and
// each new text. Threads of a team may call it at the same time, each for tables of its own.
void tables_prepare(Tables *tables);

// The longest input that the scheme is defined for; 0 = any.
int position_max_length(const Position *pos);

#endif
