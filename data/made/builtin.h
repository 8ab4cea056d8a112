// Built-in corpora, which are generated: `builtin:NAME[:key=value,...]` wherever data is asked for. Each has its own
// file, and registry.c lists them. Some are text (tales), the others tasks: questions with known answers
// (data/made/task.h).
#ifndef BITTER_BUILTIN_H
#define BITTER_BUILTIN_H

#include "base/option.h"
#include "base/file/text.h"

#include <stdint.h>

typedef struct Builtin Builtin;
typedef struct Exercise Exercise; // data/made/task.h

// A corpus with its options, as the user asked for it.
typedef struct {
    const Builtin *builtin;
    long long bytes; // size of its plain text: documents 0, 1, ... until they have this many bytes together
    long long seed;
    long long min, max; // lengths of exercises, or of passkey documents
    // Options of single tasks:
    long long offset, keys, questions;
    double ignore;
    double share; // of a scattered corpus: its share of the tokens of the mixture
} BuiltinCorpus;

// An option row for the whole number `field` of a BuiltinCorpus.
#define BUILTIN_ROW(field, preset, least, most, help)                                                                  \
    INTEGER_ROW(#field, offsetof(BuiltinCorpus, field), preset, least, most, help)

struct Builtin {
    const char *name;
    const char *help;      // one sentence
    const Option *options; // rows over BuiltinCorpus; NULL = bytes and seed

    // Of text: append document `index`, a pure function of the corpus's options and index: ASCII, without an end
    // marker.
    void (*document)(Text *text, const BuiltinCorpus *corpus, uint64_t index);
    bool scattered; // beside other text, `bitter prepare` spreads the documents through its training tokens

    // Of a task: write an exercise of this length, whose random numbers are functions of key.
    void (*write)(Exercise *exercise, int length, uint64_t key);
    // The longest exercise of a length has fixed + each * length bytes, unless there is a function to count them.
    int fixed, each;
    int (*longest)(const BuiltinCorpus *task, int length);
    // (optional) Why there is no exercise of this length; NULL if there is one.
    const char *(*check)(const BuiltinCorpus *task, int length);
    const char *counts; // the unit of a length, such as "letters"; NULL = the corpus has no lengths
};

// NULL-terminated.
extern const Builtin *const builtins[];

extern const Builtin builtin_tales, builtin_passkey;
extern const Builtin builtin_copy, builtin_reverse, builtin_addition, builtin_sort, builtin_parity;
extern const Builtin builtin_recall, builtin_offset, builtin_duplicate, builtin_flipflop, builtin_grid;

#define BUILTIN_PREFIX "builtin:"

// Does `name` begin with "builtin:"?
bool is_builtin(const char *name);

// Take "NAME[:key=value,...]", with or without "builtin:" in front. Fails (input) on an unknown corpus or key, naming
// the nearest, on lengths that the task does not have, (run) on a size that this machine's memory does not hold as
// text and tokens.
bool builtin_choose(BuiltinCorpus *corpus, const char *specification, Error *error);

// Append document `index` of the corpus: a pure function of its options and index. Without memory, text->failed is set.
void builtin_document(Text *text, const BuiltinCorpus *corpus, uint64_t index);

#endif
