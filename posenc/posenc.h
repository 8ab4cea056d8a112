// Position schemes: how a transformer learns where its tokens stand. One immutable Scheme per file; the model calls its
// hooks and knows none of them by name. To add a scheme: write its file and name it in ALL_SCHEMES below; gradcheck,
// the demo, --help and the tests find it there.
#ifndef BITTER_POSENC_H
#define BITTER_POSENC_H

#include "base/option.h"
#include "model/base/arena.h"
#include "model/base/tensor.h"
#include "posenc/place.h"
#include "posenc/stretch/stretch.h"

#include <stdalign.h>

#define OPTIONS_CAPACITY 256 // bytes of a scheme's own options
#define PARAMS_CAPACITY  8   // tensors of a scheme
#define TABLES_CAPACITY  6   // tables of a scheme

typedef struct Scheme Scheme;

// Where a scheme enters the model.
typedef enum { ENTERS_NOWHERE, ENTERS_EMBEDDING, ENTERS_ROTATION, ENTERS_BIAS, ENTERS_CONTENT } Enters;

// A scheme set up for one model: what all who run that model share.
typedef struct {
    const Scheme *scheme;
    alignas(16) unsigned char options[OPTIONS_CAPACITY]; // the scheme's own options struct
    Shape shape;
    int sets; // of parameters: one for all layers, or one for each
    int param_count;
    int tensors[PARAMS_CAPACITY];   // their indices in the model's tensor table
    real *params[PARAMS_CAPACITY];  // the values, and
    real *dparams[PARAMS_CAPACITY]; // their gradients; NULL where nothing is trained
    PlaceRule rule;                 // how tokens tell lines and columns
    StretchRule stretch;            // of the rotations, past the trained length
} Position;

// The options struct S of a scheme: scheme_options(pos, RopeOptions)->base.
#define scheme_options(pos, S) ((const S *)(const void *)(pos)->options)

// What one runner of the model owns: tables for as many coordinates and sequences as it works on. A training pass and
// an inference at another length each lay out their own.
typedef struct {
    const Position *pos;
    const StretchRule *stretch;    // the model's, unless the runner tries out another
    int positions;                 // tables hold coordinates 0 .. positions-1
    int window;                    // length of the current window, on which some schemes' tables depend
    int batch;                     // sequences worked on side by side
    bool prepared;                 // the tables have been filled
    real *table[TABLES_CAPACITY];  // the scheme's own, which `prepare` makes from options and parameters, and
    real *dtable[TABLES_CAPACITY]; // their gradients, which `reduce` turns into dparams
    // Tables of the families that schemes share. Each family has its own members, which only its own file uses.
    struct {
        real *values; // (positions, C)
    } code;           // embedding/code.c
    struct {
        real *curves;  // (sets, H, 2 positions)
        real *dcurves; // (sets, H, positions)
        real *slabs;   // gradients of the layer at work (B, H, positions)
    } bias;            // bias/bias.c
    struct {
        real *cosine, *sine; // (positions, pairs)
        real *dtheta;        // (pairs), where the stretch learns
        real *slabs;         // the same of the layer at work (B, H, pairs)
    } rotary;                // rotation/rotate.c
    struct {
        real *slabs; // gradients of the layer at work (B, H, N, d)
    } vectors;       // content/vectors.c
} Tables;

// A block of scaled attention scores S = scale q k^T of one head of one sequence. Row i is the query of token
// columns - rows + i, column j the key of token j; columns after a query's own are masked later.
typedef struct {
    real *S; // (rows, columns), rows `stride` apart
    int stride, rows, columns;
    int layer, sequence, head;
    const Place *query_at; // (rows) coordinates of the queries; t rises within a sequence
    const Place *key_at;   // (columns) coordinates of the keys
    const real *q, *k;     // (rows, d) and (columns, d), rows q_stride and k_stride apart, as qk_forward left them
    int q_stride, k_stride;
    real scale;           // 1/sqrt(d)
    const real *features; // (columns, scheme->features), what input_forward made of each token
    real *scratch;        // (score_scratch) what score_forward leaves, score_backward of the same block finds
} ScoreBlock;

// How many keys row i's query sees: its own token's is the last.
static inline int block_seen(const ScoreBlock *block, int i) {
    return block->columns - block->rows + i + 1;
}

// How far key j, which it sees, is from row i's query; all from count-1 on count as count-1.
static inline int block_distance(const ScoreBlock *block, int i, int j, int count) {
    const int distance = block->query_at[i].t - block->key_at[j].t;
    return distance < count ? distance : count - 1;
}

// The scratch as an arena, which hands out what a dry run has counted for score_scratch.
static inline Arena scratch_of(const ScoreBlock *block) {
    return (Arena){.base = (unsigned char *)block->scratch};
}

// The gradients of a block.
typedef struct {
    real *dS;        // (rows, columns), rows block->stride apart, by the scores that score_forward left; masked: 0
    real *dq, *dk;   // (rows, d), (columns, d), strides as for q and k
    real *dfeatures; // (columns, scheme->features)
} ScoreGradient;

// The five routes by which gradients reach a scheme's parameters (path uses two of them):
//
//   learned                          dx -> embed_backward -> dparams
//   rope-learned                     dq, dk -> qk_backward -> slabs -> dtable -> reduce -> dparams
//   alibi-learned, t5, kerple,
//     table                          dS -> score_backward -> slabs -> score_reduce -> dtable -> reduce -> dparams
//   fire, shaw, cope,
//     transformer-xl, path           dS -> score_backward -> slabs -> score_reduce -> dparams
//   fox, path                        dS -> score_backward -> dfeatures -> input_backward -> dparams
//
// A slab holds what one sequence, or one head of it, adds, so that threads never write to the same numbers and the
// order of every sum is fixed; it is emptied after each layer. A dtable holds the gradient by a table, such as a curve
// over distances, and is turned into the gradient by the parameters once for all layers, when the backward pass is
// over.
//
// A NULL hook is the identity. Rows are tables->batch sequences of equal length, one after the other; `at` are the
// coordinates at which each row's token stands. The hooks on rows are called by every thread of a team and do its share
// (model/base/team.h): forward and qk hooks by rows, embed_backward by columns; init, project, prepare and reduce by
// one thread alone.
struct Scheme {
    const char *name, *formula, *paper;
    const char *help;      // some sentences, for `--pos help` and docs
    const Option *options; // rows over the scheme's options struct; NULL = none
    const Option *layers;  // of these, the LAYERS_OPTION_ROW, and the row that --past sets; NULL = there is none
    const Option *past;
    Enters enters;
    const char *designed; // of a learned scheme: the designed one whose numbers it learns; NULL = there is none
    bool relative;        // a constant added to all coordinates changes nothing
    bool own_scores; // score_forward writes S from q and k, score_backward writes dq and dk, instead of adding to them
    bool two_axes;   // reads lines and columns, not t
    bool bends;      // the loss has corners, across which a difference of two losses says nothing of the slope
    bool placeless;  // reads no coordinates: positions come from contents, or not at all

    // --- what a scheme of a family writes, to get the family's hooks (the _HOOKS macros) for the rest ---
    //
    // embedding/code.h: the code (C) that is added to the embedding of a token at coordinate t.
    void (*code)(real *code, const Tables *tables, int t);
    // rotation/rotate.h: radians a token by which a pair of channels turns. Such schemes `bitter extend` can stretch.
    double (*theta)(const Position *pos, int pair);
    // Or instead: rotate x, queries or `keys` (rows, C) of a layer, in place, `direction` (+1 or -1) times.
    void (*turn)(const Tables *tables, int layer, real *x, bool keys, int stride, const Place *at, int rows,
                 int direction);
    // bias/bias.h: the bias between tokens `distance` apart, and, where it is trained, what the parameters of this set
    // and head get: dparams += from bias_gradient() of every distance. Or instead of both, for one trained number a
    // bucket: the bucket of a distance; numbers rise from 0, and the one of INT_MAX is the last.
    double (*curve)(const Position *pos, int set, int head, int distance);
    void (*curve_backward)(const Tables *tables, int set, int head);
    int (*bucket)(const Position *pos, int distance);
    // content/vectors.h: how many trained vectors a set has that queries are multiplied with.
    int (*vectors)(const Position *pos);

    // --- hooks ---
    //
    // NULL, or a sentence why this scheme cannot work with this model.
    const char *(*check)(const Position *pos);
    // The longest input that the scheme is defined for; 0 (or no hook) = any.
    int (*max_length)(const Position *pos);
    // Windows of two lengths are treated alike when this returns the same number for both: tables and hooks may depend
    // on tables->window through that number only. No hook = they do not depend on it.
    int (*form)(const Tables *tables, int length);
    // Announce trainable tensors with position_param(), in the order of pos->params.
    void (*params)(Position *pos, TensorTable *table);
    // Initial values that no Init has: change pos->params. `seed` is the model's.
    void (*init)(Position *pos, uint64_t seed);
    // Move stored parameters (pos->params) into the range that the scheme is defined for. Their gradients are those of
    // the formula as if there were no bounds.
    void (*project)(Position *pos);
    // Take tables (and, for training, dtables) for tables->positions coordinates from the arena.
    void (*layout)(Tables *tables, Arena *arena, bool training);
    // Fill the tables: once where nothing is trained, else before every training pass and every new text.
    void (*prepare)(Tables *tables);
    // After a backward pass: dtables -> dparams, accumulated; zero the dtables.
    void (*reduce)(Tables *tables);

    // x (rows, C) += code(at).
    void (*embed_forward)(const Tables *tables, real *x, const Place *at, int rows);
    // dparams or dtables from dx (rows, C), which itself passes unchanged.
    void (*embed_backward)(const Tables *tables, const real *dx, const Place *at, int rows);

    // Numbers that input_forward makes of each token in each layer; they are cached like keys, so each may depend on
    // its own token alone.
    int (*features)(const Position *pos);
    // features (rows, F) from a layer's normalised input x (rows, C).
    void (*input_forward)(const Tables *tables, int layer, real *features, const real *x, int rows);
    // dx += by rows, and dparams by columns, from dfeatures.
    void (*input_backward)(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows);

    // q and k (rows, C), rows `stride` apart, in place: new rows only, so that keys can be cached afterwards.
    void (*qk_forward)(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows);
    // dq and dk in place, from gradients of the outputs to gradients of the inputs; q and k are the outputs of
    // qk_forward.
    void (*qk_backward)(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                        const Place *at, int rows);

    // Numbers of scratch for a block of at most `rows` queries and `columns` keys.
    size_t (*score_scratch)(const Tables *tables, int rows, int columns, bool training);
    // Add to a block of scores. Called from parallel threads, one (sequence, head) never from two at once, its blocks
    // in order.
    void (*score_forward)(const Tables *tables, const ScoreBlock *block);
    // From dS: dtables; and += dq, dk, dfeatures where the bias was made from them. dS then passes on to S = scale q
    // k^T, changed where a bias depended on S itself. block->S no longer holds the scores. One (sequence,
    // head) is never worked on by two threads, and its blocks come in order: a slab of the dtables for each keeps sums
    // in a fixed order.
    void (*score_backward)(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad);
    // After score_backward of all blocks of a layer, by every thread of the team: slabs -> dtables or dparams, each
    // thread its share; zero the slabs.
    void (*score_reduce)(const Tables *tables, int layer);
};

// The registry: every scheme by the name of its Scheme, in the order in which tables show them.
#define ALL_SCHEMES(entry)                                                                                             \
    entry(none) entry(random) entry(integer) entry(normalized) entry(binary) entry(sinusoidal) entry(learned)          \
        entry(rope) entry(partial) entry(prope) entry(xpos) entry(rope2d) entry(rope_learned) entry(alibi)             \
            entry(sandwich) entry(alibi_learned) entry(t5) entry(kerple) entry(fire) entry(table)                      \
                entry(transformer_xl) entry(shaw) entry(cope) entry(fox) entry(path)

#define DECLARE_SCHEME(name) extern const Scheme scheme_##name;
ALL_SCHEMES(DECLARE_SCHEME)

extern const Scheme *const schemes[]; // all of them, and NULL

// Randomised positions are below this; 0 = they are 0, 1, 2 ..., or nobody looks.
static inline int position_random(const Position *pos) {
    return pos->scheme->placeless ? 0 : pos->shape.random_positions;
}

// Coordinates that training uses: 0 .. this - 1. With randomised positions they are more than the context.
static inline int position_span(const Position *pos) {
    return position_random(pos) ? position_random(pos) : pos->shape.context;
}

// An option that schemes with parameters share, over a struct S with a field `layers`.
#define LAYERS_OPTION_ROW(S, preset)                                                                                   \
    {                                                                                                                  \
        "layers", OPTION_CHOICE, offsetof(S, layers), preset, 0, 0, "shared|own", "WHOSE",                             \
            "share one set of parameters among all layers, or train a set for each"                                    \
    }

// Which of the sets of parameters a layer uses.
static inline int position_set(const Position *pos, int layer) {
    return pos->sets > 1 ? layer : 0;
}

// Numbers of the scheme's features for each token and layer.
static inline int position_features(const Position *pos) {
    return pos->scheme->features ? pos->scheme->features(pos) : 0;
}

// Find the scheme of "NAME[:key=value,...]" and parse its options, without a model yet. Fails (input) with the nearest
// name or key.
bool position_parse(Position *pos, const char *specification, Error *error);

// The same for a scheme that need not be in the registry (tests, negative controls); `list` holds its "key=value,...".
bool position_parse_scheme(Position *pos, const Scheme *scheme, const char *list, Error *error);

// Set up a parsed scheme for a model of this shape. Fails (input) with the scheme's own sentence.
bool position_fit(Position *pos, const Shape *shape, Error *error);

// Parse and fit.
bool position_create(Position *pos, const char *specification, const Shape *shape, Error *error);

// The full specification, every option spelled out: "rope:base=10000,pairing=half".
void position_print(const Position *pos, char text[TEXT_CAPACITY]);

// For a scheme's params hook: one more tensor, called "pos.NAME".
void position_param(Position *pos, TensorTable *table, const char *name, int rows, int columns, Init init,
                    double scale);

// Call after whatever writes parameters (initial values, a checkpoint, a step of the optimiser): brings them into the
// scheme's range, so that all stored values are in it. Leaves values inside it as they are.
void position_project(Position *pos);

// Lay out the tables of one runner for `positions` coordinates and `batch` sequences. `pos` must outlive them.
void tables_layout(Tables *tables, const Position *pos, Arena *arena, int positions, int batch, bool training);

// Set the length of the current window: at most tables->positions, which it is without this call. Returns whether the
// scheme treats the new length differently from the old one; then the tables have to be prepared again, and keys and
// features made before are invalid. Does nothing where positions are randomised: those are spread over all coordinates
// at any length.
bool tables_window(Tables *tables, int length);

// Call before each training pass and each new text: fills the tables when they are due. Threads of a team may call it
// at the same time, each for tables of its own.
void tables_prepare(Tables *tables);

// The longest input that the scheme is defined for; 0 = any.
int position_max_length(const Position *pos);

#endif
