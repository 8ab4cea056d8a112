#define PCRE2_CODE_UNIT_WIDTH 8
#include "data/bpe/bpe.h"

#include "base/interrupt.h"
#include "base/utf8.h"

#include <pcre2.h>
#include <stdlib.h>

enum { WORDS_BETWEEN_CHECKS = 65536 };

// White space as Unicode defines it; \s of PCRE2 would also include U+180E.
#define SPACES "\\t-\\r \\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}"

// GPT-2's pattern of a word.
static const char pattern[] = "'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^" SPACES "\\p{L}\\p{N}]+|[" SPACES
                              "]+(?![^" SPACES "])|[" SPACES "]+";

struct Splitter {
    pcre2_code *code;
    pcre2_match_data *match;
};

Splitter *splitter_create(Error *error) {
    int mistake;
    PCRE2_SIZE where;
    Splitter *splitter = calloc(1, sizeof *splitter);
    if (splitter)
        splitter->code = pcre2_compile((PCRE2_SPTR)pattern, sizeof pattern - 1, PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED,
                                       &mistake, &where, NULL);
    if (splitter && splitter->code) {
        pcre2_jit_compile(splitter->code, PCRE2_JIT_COMPLETE); // if this fails, matching is only slower
        splitter->match = pcre2_match_data_create(1, NULL);
    }
    if (splitter && splitter->match) return splitter;
    fail_run(error, "no memory to split text into words");
    splitter_free(splitter);
    return NULL;
}

void splitter_free(Splitter *splitter) {
    if (!splitter) return;
    pcre2_match_data_free(splitter->match);
    pcre2_code_free(splitter->code);
    free(splitter);
}

// How many bytes at the start of the text are UTF-8 (if `valid`) or are not (else).
static size_t same_bytes(const char *text, size_t size, bool valid) {
    size_t at = 0;
    while (at < size) {
        uint32_t character;
        const int length = utf8_decode(&character, text + at, size - at);
        if ((length > 0) != valid) break;
        at += valid ? (size_t)length : 1;
    }
    return at;
}

// Split a text that is valid UTF-8.
static bool split_valid(Splitter *splitter, const char *text, size_t size, TakeWord take, void *context, Error *error) {
    for (size_t at = 0, words = 0; at < size; words++) {
        if ((words + 1) % WORDS_BETWEEN_CHECKS == 0 && !stop_check(&stop_at_signal, error)) return false;
        const int found =
            pcre2_match(splitter->code, (PCRE2_SPTR)text, size, at, PCRE2_NO_UTF_CHECK, splitter->match, NULL);
        const size_t end = found > 0 ? pcre2_get_ovector_pointer(splitter->match)[1] : 0;
        if (end <= at) return fail_run(error, "cannot split a text of %zu bytes into words (PCRE2: %d)", size, found);
        if (!take(context, text + at, end - at, error)) return false;
        at = end;
    }
    return true;
}

bool split(Splitter *splitter, const char *text, size_t size, TakeWord take, void *context, Error *error) {
    bool ok = true, valid = true;
    for (size_t at = 0; ok && at < size; valid = !valid) {
        const size_t length = same_bytes(text + at, size - at, valid);
        if (length > 0)
            ok = valid ? split_valid(splitter, text + at, length, take, context, error)
                       : take(context, text + at, length, error);
        at += length;
    }
    return ok;
}
