// Rotations as other programs describe them: a base and a kind of stretch.
#ifndef BITTER_EXCHANGE_ROTATIONS_H
#define BITTER_EXCHANGE_ROTATIONS_H

#include "train/train_options.h"
#include "model/gpt.h"

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
    int pairs, moving;                                  // pairs that have an angle, and those of them that turn
    int context, original;                              // how long windows may be, and were before they were stretched
    double factor, attention;                           // attention: of cosines and sines
    FormulaOptions formula;                             // of ROPE_YARN and ROPE_LLAMA3
    double for_long[PAIRS_MOST], for_short[PAIRS_MOST]; // of ROPE_FACTORS
} Rotations;

// The betas of yarn and the frequencies of llama3 where nothing else is said.
extern const FormulaOptions formula_defaults;

// The fraction x of `whole` for which (int)(x * whole) is `part`, which division alone does not always give.
double fraction_of(int part, int whole);

// Does this layer of a model rotate?
bool rotates_in(const Gpt *gpt, int layer);

// Describe the rotations of a model with at most one kind of them; without any, they are plain and turn nothing. Fails
// (input) when other programs have no such rotations; `name` is the run's.
bool rotations_of(Rotations *rotations, const Gpt *gpt, const char *name, Error *error);

// Set the scheme, the context and the stretch of a run: rope, or prope or partial where fewer of the `head_pairs` pairs
// of a head turn.
void rotations_to_options(TrainOptions *options, const Rotations *rotations, int head_pairs);

#endif
