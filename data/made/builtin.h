// Built-in corpora, which are generated: `builtin:NAME[:key=value,...]` in place of a data directory. Some are text
// (tales), the others tasks: exercises with known answers. tasks.c lists all of them.
#ifndef BITTER_BUILTIN_H
#define BITTER_BUILTIN_H

#include "base/option.h"
#include "base/file/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Builtin Builtin;
typedef struct Exercise Exercise;

// A corpus with its options, as the user asked for it.
typedef struct {
    const Builtin *builtin;
    long long bytes; // size of its plain text: documents 0, 1, ... until they have this many bytes in all
    long long seed;
    long long min, max; // lengths of exercises, or of passkey documents
    // Options of single tasks:
    long long offset, keys, questions;
    double ignore;
    double share; // of `train --documents`: the share of windows that begin with a document; 0 = not given
} BuiltinCorpus;

// An option row for the whole number `field` of a BuiltinCorpus.
#define BUILTIN_ROW(field, preset, least, most, help)                                                                  \
    INTEGER_ROW(#field, offsetof(BuiltinCorpus, field), preset, least, most, help)

struct Builtin {
    const char *name;
    const char *help;      // one sentence
    const Option *options; // rows over BuiltinCorpus

    // For text: append document `index`, a pure function of the corpus's options and index: ASCII, without an end
    // marker.
    void (*document)(Text *text, const BuiltinCorpus *corpus, uint64_t index);
    const char *counts; // the unit of a length, such as "letters"; NULL = the corpus has no lengths

    // For a task: write an exercise of this length, whose random numbers are functions of key.
    void (*write)(Exercise *exercise, int length, uint64_t key);
    // The longest exercise of a length has fixed + each * length bytes, or longest(task, length) if that is not NULL.
    int fixed, each;
    int (*longest)(const BuiltinCorpus *task, int length);
};

// All built-in corpora; after the last comes a row with the name NULL.
extern const Builtin builtins[];
enum { BUILTIN_TALES, BUILTIN_PASSKEY }; // indices

void tales_document(Text *text, const BuiltinCorpus *corpus, uint64_t index);
void passkey_document(Text *text, const BuiltinCorpus *corpus, uint64_t index);
extern const Option passkey_options[];

static inline bool is_passkey(const BuiltinCorpus *corpus) {
    return corpus->builtin == &builtins[BUILTIN_PASSKEY];
}

#define BUILTIN_PREFIX "builtin:"

// Does `name` begin with "builtin:"?
bool is_builtin(const char *name);

// Take "NAME[:key=value,...]", with or without "builtin:" in front. Fails (input) on an unknown corpus or key, naming
// the nearest, and on lengths that the task does not have.
bool builtin_choose(BuiltinCorpus *corpus, const char *specification, Error *error);

// Fail (input): `option` was given `name`, which is not a task; the message lists the tasks.
bool fail_no_task(const char *option, const char *name, Error *error);

// Fails (input) when one of these keys ("min,max") was given a value other than its preset, where it would have no
// effect; `why` says what does have one.
bool builtin_check_unused(const BuiltinCorpus *corpus, const char *keys, const char *specification, const char *why,
                          Error *error);

// Fails (input) when a corpus that is to be text has options that only `train --documents` takes.
bool builtin_check_text(const BuiltinCorpus *corpus, const char *specification, Error *error);

// To be called before the text is made: fails (run) when this machine's memory cannot hold the text and its tokens.
bool builtin_check_memory(const BuiltinCorpus *corpus, const char *specification, Error *error);

// Append document `index` of the corpus: a pure function of its options and index. Without memory, text->failed is set.
void builtin_document(Text *text, const BuiltinCorpus *corpus, uint64_t index);

// --- exercises ---

// A document, and which of its bytes a model has to predict. Consecutive asked bytes are one answer; given bytes
// separate answers.
struct Exercise {
    const BuiltinCorpus *task; // set while it is written, for the task's options
    Text text;
    Text asked; // (text.size) 1 for a byte of an answer, 0 for a given byte
};

// For writers: append, as printf does, given bytes or, if `asked`, bytes of an answer.
void exercise_print(Exercise *exercise, bool asked, const char *format, ...) FORMAT_CHECK(3, 4);

static inline bool is_task(const BuiltinCorpus *corpus) {
    return corpus->builtin && corpus->builtin->write;
}

// The key of the stream of exercises for a purpose ("train", "test"). Different purposes give independent streams.
uint64_t task_stream(const BuiltinCorpus *task, const char *purpose);

// The length of exercise `index` of a stream: uniform in min..max.
int task_length(const BuiltinCorpus *task, uint64_t stream, uint64_t index);

// Replace *exercise by number `index` of the stream, with this length: a pure function of all arguments.
void task_write(Exercise *exercise, const BuiltinCorpus *task, uint64_t stream, uint64_t index, int length);

// Why there is no exercise of this length; NULL if there is one.
const char *task_objection(const BuiltinCorpus *task, int length);

// The number of input tokens of the longest exercise of this length: the end token and its bytes.
int task_tokens(const BuiltinCorpus *task, int length);

// Up to `most` lengths from `first` to `last`, evenly spaced, or all lengths if there are no more than that, into
// lengths (most). Returns how many.
int task_lengths(int *lengths, int most, int first, int last);

// Allocate memory for any exercise up to this length, so that writing never fails. Fails (run) without memory.
bool exercise_create(Exercise *exercise, const BuiltinCorpus *task, int length, Error *error);
void exercise_free(Exercise *exercise); // may be called on {0}

// The exercise as a model reads it, in n = bytes + 1 tokens; returns n. inputs (n) are the end token and the bytes,
// targets (n) the bytes and the end token. `scored` (n) says which targets belong to an answer; after an answer at the
// end, the end token does too, so that the model has to learn to stop there.
int exercise_row(int *inputs, int *targets, bool *scored, const Exercise *exercise, int end);

// --- the passkey test (Mohtashami, Jaggi 2023, 2305.16300, in the words of YaRN's evaluation): a number is given once
// in a long text without other information, and asked for at the end of the text ---

#define PASSKEY_MOST 50000 // keys are 1 .. this

#define PASSKEY_TASK                                                                                                   \
    "There is an important info hidden inside a lot of irrelevant text. Find it and memorize them. I will quiz you "   \
    "about the important information there."
#define PASSKEY_GARBAGE  "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again."
#define PASSKEY_NEEDLE   "The pass key is %d. Remember it. %d is the pass key."
#define PASSKEY_QUESTION "What is the pass key? The pass key is"

// The length in characters of the longest prompt without garbage, so that every key has a prompt of this length: five
// lines, two of them empty.
#define PASSKEY_SHORTEST                                                                                               \
    ((int)sizeof PASSKEY_TASK "\n\n" PASSKEY_NEEDLE "\n\n" PASSKEY_QUESTION - 1 +                                      \
     2 * (int)(sizeof "50000" - sizeof "%d"))

// Key number `index` of this seed, uniform in 1 .. PASSKEY_MOST.
int passkey_key(uint64_t seed, uint64_t index);

// Append a prompt of `length` characters, at least PASSKEY_SHORTEST: garbage, cut to reach the length exactly, with the
// share `depth` (0 to 1) of it before the line with the key.
void passkey_prompt(Text *text, int key, int length, double depth);

// Is the first number in a continuation of the prompt the key?
bool passkey_right(const char *continuation, size_t size, int key);

#endif
