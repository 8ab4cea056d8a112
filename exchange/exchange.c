#include "exchange/exchange.h"

#include "train/config.h"

// The tokenizer of a file or a directory, or none if there is no file. Fails (input) when the model has more than
// `padding` embeddings that are no token's, or too few.
static bool find_tokenizer(Tokenizer *tokenizer, int vocab, int padding, const char *path, Error *error) {
    if (path_missing(path)) return tokenizer_create_none(tokenizer, vocab, error);
    return tokenizer_find(tokenizer, path, error) &&
           ((tokenizer->vocab_size <= vocab && tokenizer->vocab_size >= vocab - padding) ||
            fail_input(error,
                       "%s has %d tokens, but the model %d; remove the file to import the model without a tokenizer",
                       path, tokenizer->vocab_size, vocab));
}

bool imported_create(Run *run, int vocab, int padding, const char *path, const char *tokenizer, Error *error) {
    Shape shape;
    Mix pos;
    Error reason;
    if (!find_tokenizer(&run->tokenizer, vocab, padding, tokenizer, error)) return false;
    vocab = run->tokenizer.vocab_size;
    if (!shape_of(&shape, &run->options, vocab, error)) return false;
    if (!shape_check(&shape, &reason))
        return fail_input(
            error, "%s describes a model with a matrix of more than 10^9 numbers; bitter has no such model", path);
    if (!mix_create(&pos, run->options.pos, &shape, &reason))
        return fail_input(error, "%s: %.900s", path, reason.message);
    if (!stretch_apply(&pos, &run->options.stretch.rule, path, error)) return false;
    mix_print(&pos, run->options.pos);
    return gpt_create(&run->gpt, &shape, &pos, false, error);
}
