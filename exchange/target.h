// The architecture that a model becomes in another program, and its rotations there.
#ifndef BITTER_EXCHANGE_TARGET_H
#define BITTER_EXCHANGE_TARGET_H

#include "model/gpt.h"

typedef enum { FORMAT_HF, FORMAT_GGUF, FORMAT_LLMC } Format;
#define FORMAT_NAMES "hf|gguf|llm.c"

// Architectures of other programs that compute what this model computes.
typedef enum {
    NO_TARGET,
    TARGET_GPT2,
    TARGET_STARCODER2,
    TARGET_LLAMA,
    TARGET_MISTRAL, // llama with the same window in all layers
    TARGET_SMOLLM3, // llama with layers without rotations, and with or without a window
    TARGET_GPT_NEOX,
    TARGET_MPT,
    TARGETS
} Target;

// Does it have Llama's block?
static inline bool is_llama(Target target) {
    return target == TARGET_LLAMA || target == TARGET_MISTRAL || target == TARGET_SMOLLM3;
}

// Rotations as other programs describe them: a base and a kind of stretch.
typedef enum {
    ROPE_PLAIN,
    ROPE_PROPORTIONAL, // only the fastest pairs turn
    ROPE_LINEAR,       // pi
    ROPE_DYNAMIC,
    ROPE_YARN,
    ROPE_LLAMA3,
    ROPE_FACTORS // a factor for each pair, in windows of up to `original` tokens and in longer ones
} RopeKind;

typedef struct {
    RopeKind kind;
    double base;
    int pairs, moving;                                  // pairs that have an angle, and how many of them turn
    int context, original;                              // the longest window, now and before the stretch
    double factor, attention;                           // attention: of cosines and sines
    FormulaOptions formula;                             // of ROPE_YARN and ROPE_LLAMA3
    double for_long[PAIRS_MOST], for_short[PAIRS_MOST]; // of ROPE_FACTORS
} Rotations;

#define STANDS_STILL 1e9 // the factor of a pair that does not turn

// Does this layer of a model rotate?
bool rotates_in(const Gpt *gpt, int layer);

// The architecture that this model becomes, and its rotations: plain ones that turn nothing where it has none. Fails
// (input) when the format has no such model, saying why and what to do instead; `name` is the run's.
bool find_target(Target *target, Rotations *rotations, Format format, const Gpt *gpt, const char *name, Error *error);

#endif
