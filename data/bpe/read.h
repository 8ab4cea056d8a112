// What the readers of several files share.
#ifndef BITTER_BPE_READ_H
#define BITTER_BPE_READ_H

#include "data/bpe/bpe.h"
#include "data/bpe/symbols.h"

#include <jansson.h>

// Add the tokens of {"token": id, ...}, written in symbols, but not the special ones, which have been added before.
// Fails (input) as bpe_add_token does, on ids that are not whole numbers and on what is no symbol.
bool bpe_add_vocabulary(Bpe *bpe, const Symbols *symbols, const json_t *vocabulary, const char *path, Error *error);

// Add a merge of two tokens in symbols, or of a text that has them with a space between. Fail (input) as bpe_add_merge
// does.
bool bpe_add_merge_parts(Bpe *bpe, const Symbols *symbols, const char *left, size_t left_size, const char *right,
                         size_t right_size, const char *path, Error *error);
bool bpe_add_merge_text(Bpe *bpe, const Symbols *symbols, const char *text, size_t size, const char *path,
                        Error *error);

#endif
