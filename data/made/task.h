// Tasks: built-in corpora of exercises with known answers. One file a task (task/NAME.c): what it writes, and how long
// that can get.
#ifndef BITTER_TASK_H
#define BITTER_TASK_H

#include "base/random.h"
#include "data/made/builtin.h"

#include <stddef.h>

// A document that knows which of its bytes a model has to find. A run of asked bytes is one answer; what is given
// separates answers.
struct Exercise {
    Text text;
    Text asked; // (text.size) 1 for a byte of an answer, 0 for one that is given
};

// For writers: append like printf.
void given(Exercise *exercise, const char *format, ...) FORMAT_CHECK(2, 3);
void asked(Exercise *exercise, const char *format, ...) FORMAT_CHECK(2, 3);

// Number i of those that `key` stands for, uniform in 0..n-1. A writer that needs its symbols twice draws them twice.
static inline int draw(uint64_t key, int i, int n) {
    return (int)(random_uniform(key, (uint64_t)i) * n);
}

// One of 26.
static inline char draw_letter(uint64_t key, int i) {
    return (char)('a' + draw(key, i, 26));
}

// A task's options begin with these rows.
#define TASK_OPTION_ROWS(shortest, longest)                                                                            \
    {                                                                                                                  \
        "min",                                                                                                         \
        OPTION_INTEGER,                                                                                                \
        offsetof(BuiltinCorpus, min),                                                                                  \
        shortest,                                                                                                      \
        1,                                                                                                             \
        10000,                                                                                                         \
        NULL,                                                                                                          \
        "N",                                                                                                           \
        "shortest length to train on"},                                                                                \
        {"max",                                                                                                        \
         OPTION_INTEGER,                                                                                               \
         offsetof(BuiltinCorpus, max),                                                                                 \
         longest,                                                                                                      \
         1,                                                                                                            \
         10000,                                                                                                        \
         NULL,                                                                                                         \
         "N",                                                                                                          \
         "longest length to train on"},                                                                                \
        {"bytes",                                                                                                      \
         OPTION_INTEGER,                                                                                               \
         offsetof(BuiltinCorpus, bytes),                                                                               \
         "1e6",                                                                                                        \
         1000,                                                                                                         \
         1e12,                                                                                                         \
         NULL,                                                                                                         \
         "N",                                                                                                          \
         "size of its plain text; training makes its own"},                                                            \
    {                                                                                                                  \
        "seed", OPTION_INTEGER, offsetof(BuiltinCorpus, seed), "1337", 0, 1e15, NULL, "N", "which exercises"           \
    }

static inline bool is_task(const BuiltinCorpus *corpus) {
    return corpus->builtin && corpus->builtin->write;
}

// Exercises of different purposes ("train", "test") have nothing in common but chance.
uint64_t task_stream(const BuiltinCorpus *task, const char *purpose);

// The length of exercise `index` of a stream: uniform in min..max.
int task_length(const BuiltinCorpus *task, uint64_t stream, uint64_t index);

// Replace *exercise by number `index` of the stream with this length, a pure function of all of them.
void task_write(Exercise *exercise, const BuiltinCorpus *task, uint64_t stream, uint64_t index, int length);

// The tokens of a model's input for the longest exercise of this length: its bytes behind the end token.
int task_tokens(const BuiltinCorpus *task, int length);

// Memory for any exercise up to this length, so that writing never fails. Fails (run) when there is none.
bool exercise_create(Exercise *exercise, const BuiltinCorpus *task, int length, Error *error);
void exercise_free(Exercise *exercise); // harmless on {0}

// The exercise as a model reads it, n = bytes + 1 tokens, which are returned: inputs (n) are the mark between documents
// and the bytes, targets (n) the bytes and the mark. `scored` (n) tells which targets belong to an answer; the mark
// that ends the document does when an answer ends it, so that it must not go on for too long.
int exercise_row(int *inputs, int *targets, bool *scored, const Exercise *exercise, int end);

#endif
