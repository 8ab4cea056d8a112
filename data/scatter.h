// Documents of one corpus spread through the text of another: a few percent of passkey tests through a book.
#ifndef BITTER_SCATTER_H
#define BITTER_SCATTER_H

#include "data/made/builtin.h"
#include "data/tokenizer.h"

// Append to *mixed the text (count tokens) with documents 0, 1, ... of the corpus spread evenly through it, so that
// they make up corpus->share of the tokens. Each is inserted where a line or a document of the text ends, as a document
// of its own, between end tokens if the tokenizer has one. *documents is set to their number. Fails (input), naming the
// corpus `name`, when there is no place for any; (run) when memory runs out.
bool scatter(Tokens *mixed, size_t *documents, const uint16_t *text, size_t count, const Tokenizer *tokenizer,
             const BuiltinCorpus *corpus, const char *name, Error *error);

// Add to the tokenizer the characters of all documents that scatter() may put into a text of at most `most` tokens.
// Fails as tokenizer_extend does.
bool scatter_extend(Tokenizer *tokenizer, const BuiltinCorpus *corpus, const char *name, size_t most, Error *error);

#endif
