// What the readers of several files share.
#ifndef BITTER_BPE_READ_H
#define BITTER_BPE_READ_H

#include "data/bpe/bpe.h"
#include "data/bpe/symbols.h"

#include <jansson.h>

// Add the tokens of {"token": id, ...}, written in symbols, but not the special ones, which have been added before.
// Fails (input) as bpe_add_token does, on ids that are not whole numbers and on what is no symbol.
bool bpe_add_vocabulary(Bpe *bpe, const Symbols *symbols, const json_t *vocabulary, const char *path, Error *error);

// Add a merge: two tokens, in symbols, with a space between them. Fails (input) as bpe_add_merge does.
bool bpe_add_merge_text(Bpe *bpe, const Symbols *symbols, const char *text, size_t size, const char *path,
                        Error *error);

#endif
