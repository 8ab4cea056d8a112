#include "data/scatter.h"

// Document tokens per token of text.
static double ratio_of(const BuiltinCorpus *corpus) {
    return corpus->share / (1 - corpus->share);
}

// Replace *document by number `index`.
static bool write_document(Text *document, const BuiltinCorpus *corpus, uint64_t index, const char *name,
                           Error *error) {
    document->size = 0;
    builtin_document(document, corpus, index);
    return !document->failed || fail_run(error, "%s: no memory for a document", name);
}

// Append one document, with end tokens around it.
static bool add_document(Tokens *mixed, const Tokenizer *tokenizer, const Text *document, const char *name,
                         Error *error) {
    const int end = tokenizer_end(tokenizer);
    const uint16_t mark = (uint16_t)end;
    const bool inside = end >= 0 && mixed->ids[mixed->count - 1] != mark;
    return (!inside || tokens_add(mixed, &mark, 1, error)) &&
           tokenizer_encode(mixed, tokenizer, document->bytes, document->size, name, error) &&
           (end < 0 || tokens_add(mixed, &mark, 1, error));
}

// A document is inserted at the first line end at which inserting it brings the share closer to the wanted one.
static bool mix(Tokens *mixed, size_t *documents, Text *next, const uint16_t *text, size_t count,
                const Tokenizer *tokenizer, const BuiltinCorpus *corpus, const char *name, Error *error) {
    const int end = tokenizer_end(tokenizer), newline = tokenizer_newline(tokenizer);
    const double ratio = ratio_of(corpus);
    size_t copied = 0, added = 0; // tokens of the text, and of documents
    for (size_t read = 1; read <= count; read++) {
        const bool line = text[read - 1] == newline && !(read < count && text[read] == end);
        if (!line && text[read - 1] != end) continue;
        while ((double)added + (double)next->size / 2 < ratio * (double)read) {
            if (!tokens_add(mixed, text + copied, read - copied, error)) return false;
            copied = read;
            const size_t before = mixed->count;
            if (!add_document(mixed, tokenizer, next, name, error)) return false;
            added += mixed->count - before;
            if (!write_document(next, corpus, ++*documents, name, error)) return false;
        }
    }
    return tokens_add(mixed, text + copied, count - copied, error);
}

bool scatter(Tokens *mixed, size_t *documents, const uint16_t *text, size_t count, const Tokenizer *tokenizer,
             const BuiltinCorpus *corpus, const char *name, Error *error) {
    Text next = {0};
    *documents = 0;
    bool ok = write_document(&next, corpus, 0, name, error) &&
              mix(mixed, documents, &next, text, count, tokenizer, corpus, name, error);
    if (ok && *documents == 0)
        ok = fail_input(error,
                        "%s: the other text has %zu tokens for training, and no document found a place at the end of "
                        "one of its lines; give more text, or a larger share=N",
                        name, count);
    text_free(&next);
    return ok;
}

bool scatter_extend(Tokenizer *tokenizer, const BuiltinCorpus *corpus, const char *name, size_t most, Error *error) {
    Text document = {0};
    bool ok = true;
    double size = 0;
    for (uint64_t index = 0; ok && size <= ratio_of(corpus) * (double)most; index++) {
        ok = write_document(&document, corpus, index, name, error) &&
             tokenizer_extend(tokenizer, document.bytes, document.size, name, error);
        size += (double)document.size;
    }
    text_free(&document);
    return ok;
}
