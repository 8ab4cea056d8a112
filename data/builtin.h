// Corpora that need no download: `builtin:NAME[:key=value,...]` wherever data is asked for. One file per corpus, one
// registry in builtin.c.
#ifndef BITTER_BUILTIN_H
#define BITTER_BUILTIN_H

#include "data/option.h"
#include "data/text.h"

#include <stdint.h>

typedef struct {
    const char *name;
    const char *help; // one sentence
    // Append document `index` of the corpus with this seed, a pure function of both: ASCII, without an end marker.
    void (*document)(Text *text, uint64_t seed, uint64_t index);
} Builtin;

// NULL-terminated.
extern const Builtin *const builtins[];

extern const Builtin builtin_tales;

#define BUILTIN_PREFIX "builtin:"

// Does this name a built-in corpus, not a file or directory?
bool is_builtin(const char *name);

// A corpus asked for: documents 0, 1, ... until they hold at least `bytes` bytes together.
typedef struct {
    const Builtin *builtin;
    long long bytes, seed;
} BuiltinCorpus;

// Take "NAME[:bytes=N,seed=N]", with or without "builtin:" in front. Fails (input) on an unknown corpus or key, naming
// the nearest, and on a size that this machine's memory does not hold as text and tokens.
bool builtin_choose(BuiltinCorpus *corpus, const char *specification, Error *error);

// The documents of such a corpus, one Text each; the caller frees each and the array. Fails as builtin_choose does, and
// (run) when memory runs out.
bool builtin_generate(Text **documents, size_t *count, const char *specification, Error *error);

#endif
