// Documents of one corpus spread through the text of another: a few per cent of passkey tests through a book.
#ifndef BITTER_SCATTER_H
#define BITTER_SCATTER_H

#include "data/made/builtin.h"
#include "data/tokenizer.h"

// Append to *mixed the text (count tokens), and evenly in it documents 0, 1, ... of the corpus, until corpus->share of
// the tokens are theirs. Each stands where a line or a document of the text ends, as a document of its own: between the
// marks of the tokenizer, where it has one. *documents is how many there are. Fails (input), naming `name`, the
// corpus, when not one found a place, (run) when memory runs out.
bool scatter(Tokens *mixed, size_t *documents, const uint16_t *text, size_t count, const Tokenizer *tokenizer,
             const BuiltinCorpus *corpus, const char *name, Error *error);

// Make the characters of the documents known that a text of at most `most` tokens can take. Fails as tokenizer_extend
// does.
bool scatter_extend(Tokenizer *tokenizer, const BuiltinCorpus *corpus, const char *name, size_t most, Error *error);

#endif
