// The options of a training run.
#ifndef BITTER_TRAIN_OPTIONS_H
#define BITTER_TRAIN_OPTIONS_H

#include "base/option.h"
#include "num/tensor.h"
#include "posenc/scheme.h"

#include <stddef.h>

// Rows that several commands share, over a struct S with fields of these names.
#define MODEL_OPTION_ROWS(S)                                                                                           \
    TEXT_ROW("pos", offsetof(S, pos), "rope", "SCHEME",                                                                \
             "position scheme or formula; `bitter train --pos help` lists them"),                                      \
        INTEGER_ROW("layers", offsetof(S, layers), "4", 1, 1000, "transformer blocks"),                                \
        INTEGER_ROW("heads", offsetof(S, heads), "4", 1, 1000, "attention heads; must divide --width"),                \
        KV_HEADS_OPTION_ROW(S), BLOCK_OPTION_ROW(S), SCALE_LOGITS_OPTION_ROW(S),                                       \
        INTEGER_ROW("width", offsetof(S, width), "128", 1, 20000, "channels of the residual stream"),                  \
        INTEGER_ROW("context", offsetof(S, context), "256", 1, 10000000, "tokens of a training window"),               \
        WINDOW_OPTION_ROW(S), INTEGER_ROW("batch", offsetof(S, batch), "8", 1, 100000, "windows in a batch")
#define WINDOW_OPTION_ROW(S)                                                                                           \
    TEXT_ROW("window", offsetof(S, window), NULL, "KEYS",                                                              \
             "most recent keys that a query sees, its own included; by layers as in 64*5,0: five layers with 64, one " \
             "with all; by default all keys")
#define KV_HEADS_OPTION_ROW(S)                                                                                         \
    INTEGER_ROW("kv-heads", offsetof(S, kv_heads), "0", 0, 1000,                                                       \
                "heads of keys and values, shared by groups of heads; must divide --heads; 0 = as many as --heads")
#define BLOCK_OPTION_ROW(S)                                                                                            \
    CHOICE_ROW("block", offsetof(S, block), "gpt2", "gpt2|llama", NULL,                                                \
               "gpt2: layer norm, GELU, biases; llama: RMSNorm, SwiGLU, no biases")
#define SCALE_LOGITS_OPTION_ROW(S)                                                                                     \
    CHOICE_ROW("scale-logits", offsetof(S, scale_logits), "none", "none|log", NULL,                                    \
               "log: multiply attention scores by s log n, with s trained for each head and n the keys that a query "  \
               "sees")
#define THREADS_OPTION_ROW(S)                                                                                          \
    INTEGER_ROW("threads", offsetof(S, threads), "0", 0, 1024,                                                         \
                "threads to compute with; 0 = all cores that may be used")
#define PRECISION_OPTION_ROW(S)                                                                                        \
    CHOICE_ROW("precision", offsetof(S, precision), "float", "float|bf16", NULL,                                       \
               "bf16: round the operands of linear layers to bfloat16, where that is faster")

typedef enum { PRECISION_FLOAT, PRECISION_BF16 } Precision;

// The training tokens that a model usually gets for each of its parameters.
#define TOKENS_PER_PARAMETER 20

typedef struct {
    char data[TEXT_CAPACITY], documents[TEXT_CAPACITY], pos[TEXT_CAPACITY], window[TEXT_CAPACITY];
    long long layers, heads, kv_heads, width, context, batch, random_positions, accumulate, steps, warmup, seed,
        threads;
    int precision;    // a Precision
    int block;        // a Block
    int scale_logits; // a ScaleLogits
    double lr, min_lr, weight_decay, beta1, beta2, clip, dropout;
    long long eval_every, eval_tokens, patience, sample_every, save_every;
    char out[TEXT_CAPACITY], init[TEXT_CAPACITY];
    bool resume;
    StretchRule stretch;   // no option, but what `bitter extend` wrote into a run
    long long cosine_from; // no option either: the steps done when --resume --steps began a new cosine, or 0
} TrainOptions;

extern const Option train_options[];

// May this option differ between a run and its resumption? --data may, since the contents are compared; --threads,
// which changes only the last bits; and --precision, which changes more, so the user is told. --eval-tokens may not,
// because validation losses are compared.
bool option_free_on_resume(const char *name);

// The first option, from row `from` of train_options on, whose values in a and b differ; NULL when there is none.
// Writes the two values to x and y.
const Option *options_difference(char x[TEXT_CAPACITY], char y[TEXT_CAPACITY], const Option *from,
                                 const TrainOptions *a, const TrainOptions *b);

// The sizes of the model. Fails (input) when --window cannot be understood; shape_check does the rest.
bool shape_of(Shape *shape, const TrainOptions *options, int vocab, Error *error);
// The same without windows.
Shape sizes_of(const TrainOptions *options, int vocab);

// Fails (input), naming the option, when a name is not UTF-8 or has control characters, which a terminal would obey.
bool name_check(const char *option, const char *name, Error *error);

// Fails (input) on options that do not go together, and on names that config.json cannot hold.
bool train_options_check(const TrainOptions *options, Error *error);

#endif
