#include "cmd/prepare/tokens.h"

#include "base/interrupt.h"
#include "base/option.h"
#include "base/utf8.h"
#include "data/bpe/trainer.h"
#include "data/scatter.h"
#include "train/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool choose_bpe(TokenizerChoice *choice, const char *number, Error *error) {
    char *end;
    const long size = strtol(number, &end, 10);
    if (*number < '0' || *number > '9' || *end || size < BPE_VOCAB_LEAST || size > BPE_VOCAB_MOST)
        return fail_input(error,
                          "--tokenizer bpe:%s: a whole number of tokens from %d to %d was expected behind the "
                          "colon, such as bpe:4096",
                          number, BPE_VOCAB_LEAST, BPE_VOCAB_MOST);
    *choice = (TokenizerChoice){.kind = TOKENIZER_BPE, .vocab_size = (int)size};
    return true;
}

bool tokenizer_choose(TokenizerChoice *choice, const char *text, Error *error) {
    static const TokenizerKind kinds[] = {TOKENIZER_BYTES, TOKENIZER_CHARS};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        *choice = (TokenizerChoice){.kind = kinds[i]};
        if (!*text || strcmp(text, tokenizer_kind_name(kinds[i])) == 0) return true;
    }
    if (strncmp(text, "bpe:", 4) == 0) return choose_bpe(choice, text + 4, error);
    RunPaths run;
    if (!run_paths(&run, text, error)) return false;
    *choice = (TokenizerChoice){0};
    memcpy(choice->path, run.directory, sizeof choice->path);
    if (!path_missing(choice->path)) return true;
    static const char *const names[] = {"bytes", "chars", "bpe:4096"};
    const char *nearest = nearest_name(text, names, sizeof names / sizeof *names);
    return fail_input(error,
                      "--tokenizer: give bytes, chars, bpe:N (such as bpe:4096) or the path of a run, of data or of a "
                      "tokenizer, not '%s', which is no file or directory%s%s%s",
                      text, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

// --- the tokenizer ---

static bool make_chars(Tokenizer *tokenizer, const InputTexts *texts, Error *error) {
    bool ok = tokenizer_create(tokenizer, TOKENIZER_CHARS, "", 0, "", error);
    for (size_t i = 0; ok && i < texts->count; i++) {
        const Document *document = &texts->documents[i];
        ok = stop_check(&stop_at_signal, error) &&
             tokenizer_extend(tokenizer, document->text.bytes, document->text.size, document->name, error);
    }
    return ok && (!texts->scattered_name ||
                  scatter_extend(tokenizer, &texts->scattered, texts->scattered_name, texts->bytes, error));
}

static bool make_bpe(Tokenizer *tokenizer, const InputTexts *texts, int vocab_size, Error *error) {
    BpeWords words = {0};
    bool ok = tokenizer_create_bpe(tokenizer, error);
    for (size_t i = 0; ok && i < texts->count; i++) {
        const Text *text = &texts->documents[i].text;
        ok = stop_check(&stop_at_signal, error) && bpe_words_add(&words, text->bytes, text->size, error);
    }
    if (words.longest > BPE_WORD_SLOW)
        fprintf(stderr,
                "bitter prepare: a word of the text has %zu bytes, and bpe:N is slow with such words; bytes is not\n",
                words.longest);
    ok = ok && bpe_train(&tokenizer->bpe, &words, vocab_size, error);
    tokenizer->vocab_size = tokenizer->bpe.vocab_size;
    bpe_words_free(&words);
    return ok;
}

static bool make_tokenizer(Tokenizer *tokenizer, const InputTexts *texts, const TokenizerChoice *choice, Error *error) {
    if (*choice->path) return tokenizer_find(tokenizer, choice->path, error);
    if (choice->kind == TOKENIZER_CHARS) return make_chars(tokenizer, texts, error);
    if (choice->kind == TOKENIZER_BPE) return make_bpe(tokenizer, texts, choice->vocab_size, error);
    return tokenizer_create(tokenizer, choice->kind, "", 0, "", error);
}

// --- the tokens ---

bool encode_texts(Tokens *tokens, Tokenizer *tokenizer, UnknownCharacters *unknown, InputTexts *texts,
                  const TokenizerChoice *choice, Error *error) {
    bool ok = make_tokenizer(tokenizer, texts, choice, error);
    const int end = ok ? tokenizer_end(tokenizer) : -1;
    const uint16_t end_token = (uint16_t)end;
    for (size_t i = 0; ok && i < texts->count; i++) {
        Document *document = &texts->documents[i];
        ok = stop_check(&stop_at_signal, error) &&
             tokenizer_encode_known(tokens, unknown, tokenizer, document->text.bytes, document->text.size,
                                    document->name, error) &&
             (end < 0 || tokens_add(tokens, &end_token, 1, error));
        text_free(&document->text);
    }
    const unsigned long long known = tokens->count, all = known + unknown->total;
    return ok && (unknown->total <= known ||
                  fail_input(error,
                             "--tokenizer %s: it knows only %llu of the text's %llu characters; give the tokenizer of "
                             "a similar text, or bytes or bpe:N, which take any text",
                             choice->path, known, all));
}

void print_unknown(const UnknownCharacters *unknown, size_t known) {
    char text[5] = "";
    if (unknown->total == 0) return;
    text[utf8_encode(text, unknown->first)] = '\0';
    printf("left out     %llu of %llu characters, which the tokenizer does not know; the first: '%s' U+%04X\n",
           (unsigned long long)unknown->total, (unsigned long long)(unknown->total + known),
           is_plain(text) ? text : "", (unsigned)unknown->first);
}
