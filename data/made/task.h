// Tasks: built-in corpora of exercises with known answers. Each has a file, task/NAME.c, which writes an exercise.
#ifndef BITTER_TASK_H
#define BITTER_TASK_H

#include "base/random.h"
#include "data/made/builtin.h"

#include <stddef.h>

// A document, and which of its bytes a model has to find. Consecutive asked bytes are one answer; given bytes separate
// answers.
struct Exercise {
    const BuiltinCorpus *task; // set while it is written, for the task's options
    Text text;
    Text asked; // (text.size) 1 for a byte of an answer, 0 for one that is given
};

// For writers: append like printf.
void given(Exercise *exercise, const char *format, ...) FORMAT_CHECK(2, 3);
void asked(Exercise *exercise, const char *format, ...) FORMAT_CHECK(2, 3);

// Random number i of `key`, uniform in 0..n-1. A writer that needs a symbol again draws it again.
static inline int draw(uint64_t key, int i, int n) {
    return (int)(random_uniform(key, (uint64_t)i) * n);
}

// A lower-case letter.
static inline char draw_letter(uint64_t key, int i) {
    return (char)('a' + draw(key, i, 26));
}

// A task's options begin with these rows.
#define TASK_OPTION_ROWS(shortest, longest)                                                                            \
    BUILTIN_ROW(min, shortest, 1, 10000, "shortest length to train on"),                                               \
        BUILTIN_ROW(max, longest, 1, 10000, "longest length to train on"),                                             \
        BUILTIN_ROW(bytes, "1e6", 1000, 1e12, "size of its plain text; training makes exercises of its own"),          \
        BUILTIN_ROW(seed, "1337", 0, 1e15, "random seed of the exercises")

static inline bool is_task(const BuiltinCorpus *corpus) {
    return corpus->builtin && corpus->builtin->write;
}

// The key of the stream of exercises for a purpose ("train", "test"). Streams are independent of each other.
uint64_t task_stream(const BuiltinCorpus *task, const char *purpose);

// The length of exercise `index` of a stream: uniform in min..max.
int task_length(const BuiltinCorpus *task, uint64_t stream, uint64_t index);

// Replace *exercise by number `index` of the stream with this length, a pure function of all of them.
void task_write(Exercise *exercise, const BuiltinCorpus *task, uint64_t stream, uint64_t index, int length);

// The number of input tokens of the longest exercise of this length: the end token and its bytes.
int task_tokens(const BuiltinCorpus *task, int length);

// Up to `most` lengths from `first` to `last`, evenly spaced, all of them if there are so few, into lengths (most).
// Returns how many.
int task_lengths(int *lengths, int most, int first, int last);

// Allocate memory for any exercise up to this length, so that writing never fails. Fails (run) without memory.
bool exercise_create(Exercise *exercise, const BuiltinCorpus *task, int length, Error *error);
void exercise_free(Exercise *exercise); // may be called on {0}

// The exercise as a model reads it, in n = bytes + 1 tokens; returns n. inputs (n) are the end token and the bytes,
// targets (n) the bytes and the end token. `scored` (n) says which targets belong to an answer: the end token does if
// an answer stands at the end, so that the model has to learn to stop there.
int exercise_row(int *inputs, int *targets, bool *scored, const Exercise *exercise, int end);

#endif
