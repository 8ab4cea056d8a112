// Position schemes: how a transformer learns where its tokens stand. One immutable Scheme per file; the model calls its
// hooks and knows none of them by name. To add a scheme: write its file, add it to `schemes` in posenc.c; gradcheck,
// the demo, --help and the tests find it there.
#ifndef BITTER_POSENC_H
#define BITTER_POSENC_H

#include "data/option.h"
#include "model/arena.h"
#include "model/tensor.h"

#include <stdalign.h>

#define OPTIONS_CAPACITY 256 // bytes of a scheme's own options
#define PARAMS_CAPACITY  8   // tensors of a scheme
#define TABLES_CAPACITY  4

typedef struct Scheme Scheme;

// A scheme at work in one model. `tables` belong to whoever runs the model (training and inference at another length
// each lay out their own); all else is shared.
typedef struct {
    const Scheme *scheme;
    alignas(16) unsigned char options[OPTIONS_CAPACITY]; // the scheme's own options struct
    Shape shape;
    int param_count;
    int tensors[PARAMS_CAPACITY];   // their indices in the model's tensor table
    real *params[PARAMS_CAPACITY];  // the values, and
    real *dparams[PARAMS_CAPACITY]; // their gradients; NULL where nothing is trained
    int positions;                  // tables hold coordinates 0 .. positions-1
    int batch;                      // sequences worked on side by side
    bool prepared;                  // the tables have been filled
    real *tables[TABLES_CAPACITY];  // derived from options and parameters by `prepare`, and
    real *dtables[TABLES_CAPACITY]; // their gradients, turned into dparams by `reduce`
} Position;

// A block of scaled attention scores S = q k^T / sqrt(head width) of one head of one sequence. Row i is the query of
// token columns - rows + i, column j the key of token j.
typedef struct {
    real *S; // (rows, columns), rows `stride` apart
    int stride, rows, columns;
    int layer, sequence, head;
    const int *query_at; // (rows) coordinates of the queries
    const int *key_at;   // (columns) coordinates of the keys; columns after a query's own are masked later
} ScoreBlock;

// A NULL hook is the identity. Rows are pos->batch sequences of equal length, one after the other; `at` is the
// coordinate at which each row's token stands. The hooks on rows are called by every thread of a team and do its share
// (model/team.h): forward and qk hooks by rows, embed_backward by columns; prepare and reduce by one thread alone.
struct Scheme {
    const char *name, *formula, *paper;
    const char *help;      // some sentences, for `--pos help` and docs
    const Option *options; // rows over the scheme's options struct; NULL = none

    // NULL, or a sentence why this scheme cannot work with this model.
    const char *(*check)(const Position *pos);
    // The longest input that the scheme is defined for; 0 (or no hook) = any.
    int (*max_length)(const Position *pos);
    // Announce trainable tensors with position_param(), in the order of pos->params.
    void (*params)(Position *pos, TensorTable *table);
    // Take tables (and, for training, dtables) for pos->positions coordinates from the arena.
    void (*layout)(Position *pos, Arena *arena, bool training);
    // Fill the tables: once where nothing is trained, else before every training pass and every new text.
    void (*prepare)(Position *pos);
    // After a backward pass: dtables -> dparams, accumulated; zero the dtables.
    void (*reduce)(Position *pos);

    // x (rows, C) += code(at).
    void (*embed_forward)(const Position *pos, real *x, const int *at, int rows);
    // dparams or dtables from dx (rows, C), which itself passes unchanged.
    void (*embed_backward)(const Position *pos, const real *dx, const int *at, int rows);

    // q and k (rows, C), rows `stride` apart, in place: new rows only, so that keys can be cached afterwards.
    void (*qk_forward)(const Position *pos, int layer, real *q, real *k, int stride, const int *at, int rows);
    // dq and dk in place, from gradients of the outputs to gradients of the inputs; q and k are the outputs of
    // qk_forward.
    void (*qk_backward)(const Position *pos, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                        const int *at, int rows);

    // Change a block of scores. Called from parallel threads, one (sequence, head) never from two at once.
    void (*score_forward)(const Position *pos, const ScoreBlock *block);
    // dtables from dS (same layout as block->S, masked entries 0), which passes on to q k^T unchanged. Threads: a slab
    // of the dtables per (sequence, head) keeps sums in a fixed order.
    void (*score_backward)(const Position *pos, const ScoreBlock *block, const real *dS);
};

// The registry, in the order in which tables show them; NULL-terminated.
extern const Scheme *const schemes[];

extern const Scheme scheme_none, scheme_learned, scheme_sinusoidal, scheme_rope, scheme_alibi;

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

// Lay out the tables of a copy of the model's Position for `positions` coordinates and `batch` sequences.
void position_layout(Position *pos, Arena *arena, int positions, int batch, bool training);

// Call before each training pass and each new text: fills the tables when they are due.
void position_prepare(Position *pos);

// The longest input that the scheme is defined for; 0 = any.
int position_max_length(const Position *pos);

#endif
