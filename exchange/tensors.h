// The tensors of a model as other programs name and arrange them. The same tables serve to write and to read.
#ifndef BITTER_EXCHANGE_TENSORS_H
#define BITTER_EXCHANGE_TENSORS_H

#include "model/gpt.h"

// Architectures of other programs that compute what this model computes.
typedef enum {
    NO_HOME,
    HOME_GPT2,
    HOME_STARCODER2,
    HOME_LLAMA,
    HOME_MISTRAL, // llama with the same window in all layers
    HOME_SMOLLM3, // llama with layers without rotations, and with or without a window
    HOME_GPT_NEOX,
    HOME_MPT,
    HOMES
} Home;

// Does it have Llama's block?
static inline bool is_llama(Home home) {
    return home == HOME_LLAMA || home == HOME_MISTRAL || home == HOME_SMOLLM3;
}

// How the rows of their tensor follow from the rows of ours. The C + 2 K*d rows of our attn.qkv are q, k and v, the 2W
// rows of Llama's mlp.gate_up are gate and up.
typedef enum {
    AS_IS,
    TRANSPOSED,     // (inputs, outputs)
    ROTATED,        // all rows of attn.qkv, with the pairs of q and k as halves of a head
    QUERIES,        // the rows of q, likewise
    KEYS,           // the rows of k, likewise
    VALUES,         // the rows of v
    QUERIES_PAIRED, // the rows of q, with pairs side by side
    KEYS_PAIRED,    // the rows of k, likewise
    BY_HEAD,        // 3C rows: q, k and v of the first head, then of the second, ...; pairs as halves
    GATE,           // the rows of gate
    UP              // the rows of up
} Arrangement;

// A row of a table; theirs == NULL ends it. '#' stands for the number of a layer.
typedef struct {
    const char *theirs, *ours;
    Arrangement arrangement;
} TensorName;

#define POSITION_TABLE "pos.table" // ours, for the table of position codes that gpt2 has

extern const TensorName *const hf_tensors[HOMES];   // as transformers names them; NULL where it has no such home
extern const TensorName *const gguf_tensors[HOMES]; // as llama.cpp does

// One of their tensors, for a certain model.
typedef struct {
    char name[80];
    int rank, shape[2]; // theirs
    size_t count;       // numbers
    const Tensor *ours; // in gpt->tensors; NULL = a table of position codes that no scheme trains
    Arrangement arrangement;
} ForeignTensor;

// The tensors of a table for a model, in the order of the table, of each row those of all layers.
typedef struct {
    ForeignTensor *items; // (count)
    int count;
    float *numbers; // of all tensors, one after the other; NULL where only the list was made
} ForeignTensors;

// Make the list. Fails (run) when memory is short.
bool foreign_list(ForeignTensors *tensors, const TensorName *names, const Gpt *gpt, Error *error);
// Make the list with the model's numbers in their arrangement: rotations of interleaved pairs become those of halves,
// and the codes of a scheme that adds a code to the embeddings become a table (context, C). Fails (run) likewise.
bool foreign_from_model(ForeignTensors *tensors, const TensorName *names, const Gpt *gpt, Error *error);
void foreign_free(ForeignTensors *tensors);

// Copy the numbers of one of their tensors into a model whose rotations, if it has any, are of halves.
void foreign_to_model(Gpt *gpt, const float *numbers, const ForeignTensor *tensor);

#endif
