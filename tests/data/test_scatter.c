// Documents scattered through another text: how many there are and where, that each is whole, and that nothing else
// changes.
#include "data/scatter.h"
#include "tests/support/support.h"

#include <string.h>

// Lines of 0 to 79 characters, 3 to 6 of them a document where there are marks.
static void text_make(Tokens *tokens, const Tokenizer *tokenizer, size_t count) {
    const int end = tokenizer_end(tokenizer), newline = tokenizer_newline(tokenizer);
    Error error;
    for (uint64_t line = 0; tokens->count < count; line++) {
        uint16_t ids[128];
        size_t size = (size_t)(random_uniform(3, line) * 80);
        for (size_t i = 0; i < size; i++) ids[i] = (uint16_t)(newline + 1 + (int)(i + line) % 20);
        ids[size++] = (uint16_t)newline;
        if (end >= 0 && line % 5 == 4) ids[size++] = (uint16_t)end;
        must(tokens_add(tokens, ids, size, &error), &error);
    }
    tokens->count = count; // as validation cuts it off: anywhere
}

typedef struct {
    BuiltinCorpus corpus;
    Tokenizer tokenizer;
    Tokens text, mixed;
    size_t documents;
} Mixture;

static void mixture_make(Mixture *m, TokenizerKind kind, const char *specification, size_t count) {
    static const char characters[] = "\nabcdefghijklmnopqrstuvwxyz";
    Error error;
    *m = (Mixture){0};
    must(builtin_choose(&m->corpus, specification, &error), &error);
    must(tokenizer_create(&m->tokenizer, kind, characters, sizeof characters - 1, "test", &error), &error);
    must(scatter_extend(&m->tokenizer, &m->corpus, specification, count, &error), &error);
    text_make(&m->text, &m->tokenizer, count);
    must(
        scatter(&m->mixed, &m->documents, m->text.ids, m->text.count, &m->tokenizer, &m->corpus, specification, &error),
        &error);
}

static void mixture_free(Mixture *m) {
    tokenizer_free(&m->tokenizer);
    tokens_free(&m->text);
    tokens_free(&m->mixed);
}

// Document `index` as tokens.
static void document_of(Tokens *tokens, const Mixture *m, uint64_t index) {
    Text text = {0};
    Error error;
    builtin_document(&text, &m->corpus, index);
    must(tokenizer_encode(tokens, &m->tokenizer, text.bytes, text.size, "test", &error), &error);
    text_free(&text);
}

static bool stands_at(const Tokens *document, const Tokens *mixed, size_t at) {
    return mixed->count - at >= document->count &&
           memcmp(mixed->ids + at, document->ids, document->count * sizeof *document->ids) == 0;
}

// Walk through the mixture and the text side by side: where they part, the next document must stand, whole and on its
// own. starts (m->documents) is where in the text.
static void take_out(size_t *starts, const Mixture *m) {
    const int end = tokenizer_end(&m->tokenizer), newline = tokenizer_newline(&m->tokenizer);
    const uint16_t *mixed = m->mixed.ids, *text = m->text.ids;
    size_t at = 0, read = 0;
    Tokens next = {0};
    document_of(&next, m, 0);
    for (uint64_t index = 0; at < m->mixed.count;) {
        const bool own = read < m->text.count && text[read] == end; // the mark is the text's
        const bool inside = end >= 0 && at > 0 && mixed[at] == end && mixed[at - 1] == newline && !own;
        const bool apart = end < 0 || inside || (at > 0 && mixed[at - 1] == end);
        if (!(apart && index < m->documents && stands_at(&next, &m->mixed, at + inside))) {
            assert_true(read < m->text.count);
            assert_int_equal(mixed[at++], text[read++]);
            continue;
        }
        assert_true(at > 0 && (mixed[at - 1] == newline || mixed[at - 1] == end));
        at += inside + next.count;
        if (end >= 0) assert_int_equal(mixed[at++], end);
        starts[index++] = read;
        next.count = 0;
        document_of(&next, m, index);
    }
    assert_int_equal(read, m->text.count);
    tokens_free(&next);
}

static void expect_mixture(TokenizerKind kind, const char *specification, size_t count) {
    Mixture m;
    mixture_make(&m, kind, specification, count);
    const double share = m.corpus.share, ratio = share / (1 - share);
    size_t *starts = calloc(m.documents, sizeof *starts);
    assert_non_null(starts);
    take_out(starts, &m);
    const double found = (double)(m.mixed.count - m.text.count) / (double)m.mixed.count;
    expect_near("share", 0, found, share, 600 / (double)m.mixed.count);
    // Evenly: between two that follow each other lies the text that one takes, 255 to 512 tokens of documents worth,
    // and the rest of a line.
    for (size_t i = 1; i < m.documents; i++) {
        assert_true(starts[i] >= starts[i - 1]);
        expect_near("distance", i, (double)(starts[i] - starts[i - 1]), 384 / ratio, 130 / ratio + 82);
    }
    free(starts);
    mixture_free(&m);
}

static void bytes_are_scattered_between_marks(void **state) {
    expect_mixture(TOKENIZER_BYTES, "passkey", 500000);
    expect_mixture(TOKENIZER_BYTES, "passkey:share=0.5,seed=2", 100000);
}

static void chars_are_scattered_between_lines(void **state) {
    expect_mixture(TOKENIZER_CHARS, "passkey", 500000);
    expect_mixture(TOKENIZER_CHARS, "passkey:share=0.2", 300000);
}

// A mark that already ends a document of the text is not doubled, and no document comes between a line and its mark.
static void there_are_no_empty_documents(void **state) {
    Mixture m;
    mixture_make(&m, TOKENIZER_BYTES, "passkey:share=0.6", 200000);
    for (size_t i = 1; i < m.mixed.count; i++) assert_false(m.mixed.ids[i] == 256 && m.mixed.ids[i - 1] == 256);
    mixture_free(&m);
}

// The last token may be where a line ends; then a document that is due follows it.
static void the_end_of_the_text_is_a_place_too(void **state) {
    enum { SIZE = 3000 };
    char text[SIZE + 1];
    Mixture m = {0};
    Error error;
    memset(text, 'a', SIZE);
    text[SIZE - 1] = '\n';
    must(builtin_choose(&m.corpus, "passkey:share=0.2,min=300,max=300", &error), &error);
    must(tokenizer_create(&m.tokenizer, TOKENIZER_BYTES, "", 0, "test", &error), &error);
    must(tokenizer_encode(&m.text, &m.tokenizer, text, SIZE, "test", &error), &error);
    must(scatter(&m.mixed, &m.documents, m.text.ids, SIZE, &m.tokenizer, &m.corpus, "test", &error), &error);
    assert_int_equal(m.documents, 2); // of 302 and 301 tokens, where 750 are due
    assert_int_equal(m.mixed.count, SIZE + 302 + 301);
    size_t starts[2];
    take_out(starts, &m);
    assert_true(starts[0] == SIZE && starts[1] == SIZE);
    mixture_free(&m);
}

static void text_without_a_place_is_refused(void **state) {
    static const struct {
        const char *text;
        size_t repeated;
    } cases[] = {{"no line ends here ", 1000}, {"short\n", 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Mixture m = {0};
        Error error = {0};
        must(builtin_choose(&m.corpus, "passkey", &error), &error);
        must(tokenizer_create(&m.tokenizer, TOKENIZER_BYTES, "", 0, "test", &error), &error);
        for (size_t n = 0; n < cases[i].repeated; n++)
            must(tokenizer_encode(&m.text, &m.tokenizer, cases[i].text, strlen(cases[i].text), "test", &error), &error);
        expect_refused(scatter(&m.mixed, &m.documents, m.text.ids, m.text.count, &m.tokenizer, &m.corpus,
                               "builtin:passkey", &error),
                       &error, "builtin:passkey");
        assert_non_null(strstr(error.message, "share=N"));
        mixture_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_scattered_between_marks), cmocka_unit_test(chars_are_scattered_between_lines),
        cmocka_unit_test(there_are_no_empty_documents),      cmocka_unit_test(the_end_of_the_text_is_a_place_too),
        cmocka_unit_test(text_without_a_place_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
