// The one table of trainable tensors: it drives sizes, views, initial values, weight decay, checkpoints and tests.
#ifndef BITTER_TENSOR_H
#define BITTER_TENSOR_H

#include "base/error.h"
#include "num/real.h"

#include <stddef.h>
#include <stdint.h>

// What a layer is made of: GPT-2's layer norms, GELU and biases, or Llama's RMSNorms and SwiGLU without biases.
typedef enum { BLOCK_GPT2, BLOCK_LLAMA } Block;

static inline const char *block_name(Block block) {
    return block == BLOCK_LLAMA ? "llama" : "gpt2";
}

// Scores are used as they are, or multiplied by s log n, where s is trained for each head and n is the number of keys
// that the query sees: scalable softmax (Nakanishi 2025, 2501.19399).
typedef enum { SCALE_LOGITS_NONE, SCALE_LOGITS_LOG } ScaleLogits;

// --- attention windows: in which layers a query sees only the last keys ---

#define WINDOWS_CAPACITY 64 // layers of a period

typedef struct {
    int period;                 // layers until the windows repeat; 0 = every layer sees all keys
    int keys[WINDOWS_CAPACITY]; // of each layer of a period: how many keys a query sees, its own included; 0 = all
} Windows;

// Parse the text of --window, such as "64", "64*5,0" or "", for a model with `layers` layers. Fails (input) with the
// place in the text.
bool windows_parse(Windows *windows, const char *text, int layers, Error *error);

// The mean number of keys that a query sees, its own included, over a text of T tokens. `most` as in Windows.keys.
static inline double keys_seen_of(int T, int most) {
    if (most == 0 || most >= T) return (T + 1) / 2.0;
    return most - most * (most - 1.0) / (2.0 * T);
}

// The sizes that every part of the model is made from. Comments call them by letters: B sequences of T tokens (rows =
// B*T), V words of the vocabulary, L layers, C channels, H heads of d = C / H channels, K heads of keys and of values
// (K*d channels of each), W hidden channels of the MLP, F features that the schemes compute for each token.
typedef struct {
    int vocab;            // V
    int context;          // T, the trained length
    int layers;           // L
    int heads;            // H
    int width;            // C
    int random_positions; // 0, or training places its tokens at random coordinates below this
    Windows windows;      // of the layers
    int kv_heads;         // K, heads of keys and values; 0 = H (read it with key_heads)
    Block block;
    ScaleLogits scale_logits;
} Shape;

static inline int head_width(const Shape *shape) {
    return shape->width / shape->heads;
}

// How many keys a query of this layer sees, its own included; 0 = all.
static inline int window_of(const Shape *shape, int layer) {
    return shape->windows.period ? shape->windows.keys[layer % shape->windows.period] : 0;
}

// Grouped queries (Ainslie et al. 2023, 2305.13245): H heads of queries share K heads of keys and values.
static inline int key_heads(const Shape *shape) {
    return shape->kv_heads ? shape->kv_heads : shape->heads;
}

// The head of keys that a head of queries reads: consecutive heads of queries share one.
static inline int key_head_of(const Shape *shape, int head) {
    return head / (shape->heads / key_heads(shape));
}

// Channels of all heads of keys; the values have as many.
static inline int key_width(const Shape *shape) {
    return key_heads(shape) * head_width(shape);
}

// Channels of queries, keys and values side by side.
static inline int qkv_width(const Shape *shape) {
    return shape->width + 2 * key_width(shape);
}

#define MLP_RATIO 4 // the hidden layer of GPT-2's MLP is 4C wide

// The width W of an MLP's hidden layer. SwiGLU has three matrices where GPT-2 has two, so Llama's is two thirds as wide
// (Touvron et al. 2023, 2302.13971), rounded up to a multiple: of 256 in Meta's code, of 32 in llama2.c and here.
static inline int mlp_width(const Shape *shape) {
    const int wide = MLP_RATIO * shape->width;
    return shape->block == BLOCK_LLAMA ? (2 * wide / 3 + 31) / 32 * 32 : wide;
}

// The output width of the MLP's first matrix: SwiGLU needs a gate and a value for each hidden channel.
static inline int fc_width(const Shape *shape) {
    return shape->block == BLOCK_LLAMA ? 2 * mlp_width(shape) : mlp_width(shape);
}

typedef enum { INIT_ZERO, INIT_ONE, INIT_CONSTANT, INIT_NORMAL } Init;

typedef struct {
    char name[64];
    int rank, shape[2];
    Init init;
    double scale;         // standard deviation for INIT_NORMAL, the number for INIT_CONSTANT
    bool decay;           // weight decay applies
    bool position;        // belongs to the position scheme
    double rate;          // factor of the learning rate
    size_t offset, count; // numbers, inside each of the flat arrays (parameters, gradients, moments)
} Tensor;

typedef struct {
    Tensor *items; // (count)
    int count;
    size_t capacity;
    size_t total; // numbers of a flat array: all tensors with their alignment gaps (tensor_numbers leaves these out)
    bool failed;  // memory ran out: later additions do nothing, so that one tensors_check is enough
} TensorTable;

#define TENSOR_NUMBERS_MOST 1000000000 // of one tensor: some loops count them with an int

// Append a copy of `tensor`, with its offset, a multiple of 16 numbers, and its count computed. Returns its index.
int tensor_add(TensorTable *table, Tensor tensor);

// Are all tensors there, and none of them too large? Fails (run) when memory ran out, (input) when one has more than
// TENSOR_NUMBERS_MOST.
bool tensors_check(const TensorTable *table, Error *error);

// The tensor of that name, or NULL.
const Tensor *tensor_find(const TensorTable *table, const char *name);

// Numbers in all tensors, or only in those of the position scheme, without alignment gaps.
size_t tensor_numbers(const TensorTable *table, bool position_only);

// Initial values, a function of (seed, tensor's name, index): tensors that two models share start out equal.
void tensors_init(real *values, const TensorTable *table, uint64_t seed);

bool all_finite(const real *numbers, size_t count);
// The name of a tensor in `values` with a number that is not finite, or NULL: the last one, because a backward pass
// reaches the last layer first. One of the position scheme, whose tensors may come last, is named only if there is no
// other.
const char *tensors_nonfinite(const real *values, const TensorTable *table);

// Describe number n: "row 3, column 5" of a matrix with `columns` columns, or "number 3" of a vector (columns 0).
void number_place(char text[64], size_t n, size_t columns);

void tensors_free(TensorTable *table);

#endif
