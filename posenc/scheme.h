// A scheme is what the user names: one immutable Scheme in each file. Also: what schemes, the registry and the help
// need to set one up. posenc/registry.h lists the schemes.
#ifndef BITTER_SCHEME_H
#define BITTER_SCHEME_H

#include "base/option.h"
#include "num/tensor.h"
#include "posenc/formula/formula.h"
#include "posenc/posenc.h"

typedef struct AttentionOp AttentionOp; // posenc/attention_op.h
typedef struct WeightsOp WeightsOp;     // likewise

// Where a scheme enters the model; NOWHERE: not at all, or as a control that only tells positions apart.
typedef enum { ENTERS_NOWHERE, ENTERS_EMBEDDING, ENTERS_ROTATION, ENTERS_BIAS, ENTERS_CONTENT } Enters;

struct Scheme {
    const char *name, *formula, *paper;
    const char *help;      // some sentences, for `--pos help`
    const Option *options; // rows over the scheme's options struct; NULL = none
    const Option *past;    // the row among `options` that --past sets; NULL = none
    const Option *trains;  // the row among `options` whose value 1 gives the scheme its params; NULL = there is none
    Enters enters;
    bool relative;      // a constant added to all coordinates changes nothing
    bool reads_queries; // its score hooks read q or k, and expect the values before a rotation
    bool has_corners;   // the loss has corners, where differences are not derivatives: gradcheck tries other seeds
    bool position_free; // reads no coordinates: positions come from contents, or not at all
    bool stretches;     // `bitter extend` can stretch its angles; see position_stretches for formulas

    const Family *family; // NULL = it does not enter the model
    const void *recipe;   // what the family asks of a scheme: an Angles, a Curve, a Code, Vectors, MakesOperands
    const AttentionOp *attention; // computes all scores of its layers; NULL = the model's own attention
    // With these options, turns the scores of its layers into weights; NULL = a softmax does.
    const WeightsOp *(*weights)(const Position *pos);

    // --- how it is set up ---
    //
    // The scheme that these options select instead, which then reads them again; NULL (or no function) = this one.
    const Scheme *(*meant)(const void *options);
    // NULL, or a sentence why this scheme cannot work with this model.
    const char *(*check)(const Position *pos);
    // The longest input that the scheme is defined for; 0 (or no function) = any.
    int (*max_length)(const Position *pos);
    // Would the same parameters mean something else if the model had been trained at another length? NULL: no.
    bool (*reads_context)(const Position *pos);
    // For schemes that treat windows of different lengths differently: a number that is the same for all lengths that
    // are treated the same. When it changes, the tables are filled again; otherwise tables and hooks must not depend on
    // tables->window. NULL: the length never matters.
    int (*length_class)(const Tables *tables, int length);
    // The floating point operations of the scheme for each token in training, forward and backward, in all layers: the
    // mean over a window of T. exp, log and the like count as one. Not counted: what is done once a step, such as
    // tables, and what backward recomputes. NULL: none.
    double (*operations)(const Position *pos, int T);
    // Announce trainable tensors with position_param(), in the order of pos->params.
    void (*params)(Position *pos, TensorTable *table);
    // Initial values that no Init describes: set pos->params. `seed` is the model's.
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

// The bound of --random-positions: positions are drawn below it. 0 = they are 0, 1, 2 ..., or the scheme reads none.
static inline int position_random_bound(const Position *pos) {
    return pos->scheme->position_free ? 0 : pos->shape.random_positions;
}

// How many different coordinates training uses: the context, or the bound of --random-positions.
static inline int position_span(const Position *pos) {
    return position_random_bound(pos) ? position_random_bound(pos) : pos->shape.context;
}

// Is it a code, which is added to the embeddings, before all layers?
static inline bool position_embeds(const Position *pos) {
    return pos->scheme->family && pos->scheme->family->embed_forward;
}

// An option that schemes with parameters share, over a struct S with a field `layers`.
#define LAYERS_OPTION "layers"
#define LAYERS_OPTION_ROW(S, preset)                                                                                   \
    {                                                                                                                  \
        LAYERS_OPTION, OPTION_CHOICE, offsetof(S, layers), preset, 0, 0, "shared|own", "WHOSE",                        \
            "shared: one set of parameters for all layers; own: a set for each layer"                                  \
    }

// The gate, an option of schemes whose family can multiply by it: over a struct S with a field `gate`. Training then
// learns which layers need positions, as one number g for each layer. It begins at 1, the scheme as designed; at 0 the
// layer has no positions (but xpos still fades with distance).
#define GATE_OPTION "gate"
#define GATE_OPTION_ROW(S, member)                                                                                     \
    {                                                                                                                  \
        GATE_OPTION, OPTION_CHOICE, offsetof(S, member), "none", 0, 0, "none|trained", "HOW",                          \
            "trained: a number for each layer, or one if the scheme is added to the embeddings, weighs it"             \
    }
#define GATE_TENSOR "layer_gate" // the scheme's last tensor

static inline int gate_count(const Position *pos) {
    return position_embeds(pos) ? 1 : pos->shape.layers;
}

// The gate of a layer, 1 where there are none; and where its gradient goes.
static inline real gate_of(const Position *pos, int layer) {
    return pos->gated ? pos->params[pos->param_count - 1][position_embeds(pos) ? 0 : layer] : 1;
}
static inline real *dgate_of(const Position *pos, int layer) {
    return &pos->dparams[pos->param_count - 1][position_embeds(pos) ? 0 : layer];
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

// The mean number of keys that a query sees, over a text of T tokens and the layers in which the scheme works; with
// `most`, no more than `most` keys of each query count.
double keys_seen_within(const Position *pos, int T, int most);
static inline double keys_seen(const Position *pos, int T) {
    return keys_seen_within(pos, T, 0);
}

// Heads, counted over all layers.
static inline double all_heads(const Position *pos) {
    return (double)pos->shape.layers * pos->shape.heads;
}

// Does the scheme of a parsed position have parameters of its own, with its options?
static inline bool position_trained(const Position *pos) {
    if (pos->written) return pos->written->params > 0;
    const Option *trains = pos->scheme->trains;
    return pos->scheme->params && (!trains || *(const int *)(pos->options + trains->offset) == 1);
}

// Does it have these, or gates?
static inline bool position_learned(const Position *pos) {
    return pos->gated || position_trained(pos);
}

// Can `bitter extend` stretch its angles? Those of a formula only if they are not trained, and the same in all heads.
static inline bool position_stretches(const Position *pos) {
    return pos->scheme->stretches && !position_trained(pos) && !(pos->written && formula_by_head(pos->written));
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

// The full specification, every option spelled out: "rope:base=10000,pairing=half". Gates and the options after them
// are left out at their presets, so that the text is the same as before these options existed.
void position_print(const Position *pos, char text[TEXT_CAPACITY]);

// For a scheme's params hook: one more tensor, called "pos.NAME" (see mix_params). A vector has 0 columns.
void position_param(Position *pos, TensorTable *table, const char *name, int rows, int columns, Init init,
                    double scale);

// For a scheme's init hook: the key of its random numbers. Parts of one mix that have the same scheme get different
// keys.
uint64_t position_key(const Position *pos, uint64_t seed);

// The longest input that the scheme is defined for; 0 = any.
int position_max_length(const Position *pos);

#endif
