// The tensors of a model as other programs name and arrange them. One table serves to write and to read.
#ifndef BITTER_EXCHANGE_TENSORS_H
#define BITTER_EXCHANGE_TENSORS_H

#include "exchange/target.h"

// The rows of our tensor that theirs has. The C + 2 K*d rows of our attn.qkv are q, k and v, the 2W rows of Llama's
// mlp.gate_up are gate and up. BY_HEAD: all of attn.qkv, as q, k and v of the first head, then of the second, ...
typedef enum { ALL_ROWS, BY_HEAD, QUERIES, KEYS, VALUES, GATE, UP } Part;

// One of their tensors, for a certain model.
typedef struct {
    char name[80];
    int rank, shape[2]; // theirs
    size_t count;       // numbers
    const Tensor *ours; // in gpt->tensors; NULL = a table of position codes that no scheme trains
    Part part;
    bool transposed; // (inputs, outputs)
    bool rotated;    // it has rows of q and k, in which pairs of channels turn
} ForeignTensor;

// The tensors of a model in the order of llm.c's checkpoints: for each kind, those of all layers.
typedef struct {
    ForeignTensor *items; // (count)
    int count;
    float *numbers; // of all tensors, one after the other; NULL where only the list was made
} ForeignTensors;

// Make the list. Fails (run) when memory is short.
bool foreign_list(ForeignTensors *tensors, Format format, Target target, const Gpt *gpt, Error *error);
// Make the list, with the model's numbers in the other program's arrangement: rotations of interleaved pairs become
// rotations of halves (for llama.cpp's llama, the other way round), and codes that a scheme adds to the embeddings
// become a table (context, C). Fails (run) when memory is short.
bool foreign_from_model(ForeignTensors *tensors, Format format, Target target, const Gpt *gpt, Error *error);
void foreign_free(ForeignTensors *tensors);

// Copy the numbers of one of their tensors into a model whose rotations, if it has any, pair the halves of a head.
void foreign_to_model(Gpt *gpt, const float *numbers, const ForeignTensor *tensor);

#endif
