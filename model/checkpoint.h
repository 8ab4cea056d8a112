// A model on disk, and all that a bit-exact resume needs.
#ifndef BITTER_CHECKPOINT_H
#define BITTER_CHECKPOINT_H

#include "model/gpt.h"

// The state of a training besides its tensors.
typedef struct {
    int64_t step;      // steps done
    int64_t rows;      // rows of batches drawn
    int64_t batch_crc; // CRC-32 of all inputs seen
    double seconds;    // time spent in training steps
    int64_t seed;      // of the run
    int64_t data_crc;  // CRC-32 of the run's data; the state fits no other seed or data
} Progress;

// The weights with the lowest validation loss so far.
typedef struct {
    int64_t step; // steps that they had been trained for; 0 = none yet
    double loss;  // their validation loss, in nats
} Best;

// model.safetensors: the parameters, one tensor each; best.safetensors: the same and `best`. `path` is replaced
// atomically.
bool model_save(const char *path, const Gpt *gpt, const Best *best, Error *error);
// Reading fails (input) on a file that is damaged, of another model, or has numbers that are not finite. Parameters are
// moved into the scheme's range (mix_project), where saved ones already are.
bool model_load(const char *path, Gpt *gpt, Best *best, Error *error);
// Read only *best, from a file for a model of this shape. gpt->grads is overwritten, and 0 afterwards. Fails likewise.
bool best_read(const char *path, Gpt *gpt, Best *best, Error *error);

// state.safetensors: parameters, both moments and progress in one file, so that one atomic rename replaces them all and
// they can never come from different steps.
bool state_save(const char *path, const Gpt *gpt, const Progress *progress, Error *error);
// Reading fails likewise, and on impossible second moments or progress. A file of an earlier version has no seed and no
// CRC-32 of the data, so those of *progress stay.
bool state_load(const char *path, Gpt *gpt, Progress *progress, Error *error);

#endif
