// Text to ids and back; and tokenizer.json: which files are accepted, and which are refused. tests/fuzz damages them.
#include "tests/data/tokenizers.h"

#include "base/file/file.h"
#include "base/random.h"
#include "base/utf8.h"

static Tokens encode(const Tokenizer *tokenizer, const char *text, size_t size) {
    Tokens tokens = {0};
    Error error;
    must(tokenizer_encode(&tokens, tokenizer, text, size, "a.txt", &error), &error);
    return tokens;
}

static void expect_decoded(const Tokenizer *tokenizer, const Tokens *tokens, const char *text, size_t size) {
    char *decoded = malloc(16 * tokens->count + 16);
    size_t length = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        const char *bytes;
        const size_t taken = tokenizer_decode(&bytes, tokenizer, tokens->ids[i]);
        memcpy(decoded + length, bytes, taken);
        length += taken;
    }
    assert_int_equal(length, size);
    assert_memory_equal(decoded, text, size);
    free(decoded);
}

static void bytes_are_their_values(void **state) {
    char text[256];
    const char *decoded;
    for (int i = 0; i < 256; i++) text[i] = (char)i;
    Tokenizer tokenizer = create(TOKENIZER_BYTES, text, sizeof text);
    assert_int_equal(tokenizer.vocab_size, 257);
    assert_int_equal(tokenizer_end(&tokenizer), 256);
    Tokens tokens = encode(&tokenizer, text, sizeof text);
    assert_int_equal(tokens.count, 256);
    for (int i = 0; i < 256; i++) assert_int_equal(tokens.ids[i], i);
    expect_decoded(&tokenizer, &tokens, text, sizeof text);
    assert_int_equal(tokenizer_decode(&decoded, &tokenizer, 256), 0);
    tokens_free(&tokens);
    tokenizer_free(&tokenizer);
}

// One to four bytes, the first and last of each length, and U+0000.
static const char mixed[] = "b\0a\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xF0\x90\x80\x80"
                            "\xF4\x8F\xBF\xBF\n\"\\a";
static const uint32_t mixed_characters[] = {0,     '\n',  '"',    '\\',   'a',    'b',     0x7F,    0x80,
                                            0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF};
enum { MIXED = sizeof mixed - 1, MIXED_VOCAB = COUNT(mixed_characters) };

static void chars_are_the_sorted_set(void **state) {
    Tokenizer tokenizer = create(TOKENIZER_CHARS, mixed, MIXED);
    assert_int_equal(tokenizer.vocab_size, MIXED_VOCAB);
    for (int i = 0; i < MIXED_VOCAB; i++) assert_int_equal(tokenizer.texts[i].character, mixed_characters[i]);
    assert_int_equal(tokenizer_end(&tokenizer), -1);
    Tokens tokens = encode(&tokenizer, mixed, MIXED);
    assert_int_equal(tokens.ids[0], 5);
    assert_int_equal(tokens.ids[1], 0);
    assert_int_equal(tokens.ids[tokens.count - 1], 4);
    expect_decoded(&tokenizer, &tokens, mixed, MIXED);
    tokens_free(&tokens);
    tokenizer_free(&tokenizer);
}

static void extending_keeps_the_set_sorted(void **state) {
    Error error;
    Tokenizer tokenizer = create(TOKENIZER_CHARS, "ac", 2);
    assert_true(tokenizer_extend(&tokenizer,
                                 "b\xC3\xA9"
                                 "a",
                                 4, "b.txt", &error));
    Tokens tokens = encode(&tokenizer, "abc\xC3\xA9", 5);
    assert_int_equal(tokenizer.vocab_size, 4);
    for (int i = 0; i < 4; i++) assert_int_equal(tokens.ids[i], i);
    tokens_free(&tokens);
    tokenizer_free(&tokenizer);
}

// One past each border of what is UTF-8.
static void what_is_not_utf8_is_refused(void **state) {
    static const char *const bad[] = {"\x80",
                                      "\xBF",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xC2",
                                      "\xC2\x41",
                                      "\xE0\x9F\xBF",
                                      "\xE0\xA0",
                                      "\xE1\x80\x41",
                                      "\xED\xA0\x80",
                                      "\xED\xBF\xBF",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF0\x90\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xF8\x88\x80\x80\x80",
                                      "\xFF"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        char text[16];
        Tokenizer tokenizer, known = create(TOKENIZER_CHARS, "a\n", 2);
        Tokens tokens = {0};
        Error error = {0};
        size_t size = 3 + strlen(bad[i]);
        memset(text, 0x80, sizeof text); // what follows the text would complete a character that is cut off
        memcpy(text, "a\na", 3);
        memcpy(text + 3, bad[i], size - 3);
        if (tokenizer_create(&tokenizer, TOKENIZER_CHARS, &error) &&
            tokenizer_extend(&tokenizer, text, size, "a.txt", &error))
            fail_msg("case %zu was taken", i);
        assert_int_equal(error.kind, ERROR_INPUT);
        assert_non_null(strstr(error.message, "a.txt, line 2, byte 2: 0x"));
        expect_refused(tokenizer_encode(&tokens, &known, text, size, "a.txt", &error), &error,
                       "a.txt, line 2, byte 2: 0x");
        assert_int_equal(tokens.count, 0);
        tokens_free(&tokens);
        tokenizer_free(&tokenizer);
        tokenizer_free(&known);
    }
}

static void unknown_characters_are_named(void **state) {
    Error error;
    Tokens tokens = {0};
    Tokenizer tokenizer = create(TOKENIZER_CHARS, "ab\n", 3);
    expect_refused(tokenizer_encode(&tokens, &tokenizer, "ab\na\xC3\xA9", 6, "b.txt", &error), &error,
                   "b.txt, line 2, byte 2: the character '\xC3\xA9' U+00E9");
    expect_refused(tokenizer_encode(&tokens, &tokenizer, "\t", 1, "b.txt", &error), &error, "character U+0009");
    assert_int_equal(tokens.count, 0);
    tokens_free(&tokens);
    tokenizer_free(&tokenizer);
    tokenizer = create(TOKENIZER_NONE, "", 0);
    expect_refused(tokenizer_encode(&tokens, &tokenizer, "a", 1, "b.txt", &error), &error, "without a tokenizer");
    tokenizer_free(&tokenizer);
}

// The first `count` characters that are neither surrogates nor ASCII, as UTF-8.
static char *many_characters(size_t *size, int count) {
    char *text = malloc(4 * (size_t)count);
    *size = 0;
    for (uint32_t c = 0x80; count > 0; c++) {
        if (c >= 0xD800 && c < 0xE000) continue;
        *size += (size_t)utf8_encode(text + *size, c);
        count--;
    }
    return text;
}

static void the_vocabulary_ends_at_65536(void **state) {
    size_t size;
    Error error;
    char *text = many_characters(&size, 65536);
    Tokenizer tokenizer = create(TOKENIZER_CHARS, text, size);
    assert_int_equal(tokenizer.vocab_size, 65536);
    Tokens tokens = encode(&tokenizer, text, size);
    assert_int_equal(tokens.count, 65536);
    assert_int_equal(tokens.ids[65535], 65535);
    tokens_free(&tokens);
    expect_refused(tokenizer_extend(&tokenizer, "a", 1, "b.txt", &error), &error, "b.txt has more than 65536");
    tokenizer_free(&tokenizer);
    free(text);
}

static void ids_without_tokenizer_print_as_numbers(void **state) {
    const char *text;
    Tokenizer tokenizer = create(TOKENIZER_NONE, "", 0);
    assert_int_equal(tokenizer.vocab_size, 50257);
    assert_int_equal(tokenizer_decode(&text, &tokenizer, 50256), 7);
    assert_memory_equal(text, "<50256>", 7);
    assert_int_equal(tokenizer_end(&tokenizer), -1);
    tokenizer_free(&tokenizer);
}

static void expect_equal(const Tokenizer *a, const Tokenizer *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->vocab_size, b->vocab_size);
    for (int i = 0; a->kind == TOKENIZER_CHARS && i < a->vocab_size; i++)
        assert_int_equal(a->texts[i].character, b->texts[i].character);
}

static void files_give_equal_tokenizers(void **state) {
    Tokenizer tokenizers[] = {create(TOKENIZER_BYTES, "", 0), create(TOKENIZER_NONE, "", 0),
                              create(TOKENIZER_CHARS, mixed, MIXED)};
    for (int i = 0; i < 3; i++) {
        Tokenizer again;
        Error error;
        must(tokenizer_write(&tokenizers[i], json, &error), &error);
        must(tokenizer_read(&again, json, &error), &error);
        expect_equal(&tokenizers[i], &again);
        tokenizer_free(&again);
        tokenizer_free(&tokenizers[i]);
    }
}

// Write `bytes` as tokenizer.json and read it; an accepted tokenizer must be in order. Returns whether it was accepted.
static bool survives(Error *error, const char *bytes, size_t size) {
    Tokenizer tokenizer;
    scratch_write(json, bytes, size);
    bool taken = tokenizer_read(&tokenizer, json, error);
    if (taken) {
        assert_in_range(tokenizer.vocab_size, 1, 65536);
        for (int i = 1; tokenizer.kind == TOKENIZER_CHARS && i < tokenizer.vocab_size; i++)
            assert_true(tokenizer.texts[i - 1].character < tokenizer.texts[i].character);
        tokenizer_free(&tokenizer);
    } else {
        assert_int_equal(error->kind, ERROR_INPUT);
        assert_non_null(strstr(error->message, "tokenizer.json"));
    }
    return taken;
}

static void wrong_fields_are_refused(void **state) {
    static const struct {
        const char *text, *part;
    } cases[] = {{"", "not JSON"},
                 {"[]", "\"tokenizer\" is missing"},
                 {"{\"tokenizer\": 5}", "\"tokenizer\" is missing"},
                 {"{\"tokenizer\": \"bpe\", \"vocab_size\": 257}", "\"tokenizer\" is bpe"},
                 {"{\"tokenizer\": \"bytes\"}", "\"vocab_size\" must be 257"},
                 {"{\"tokenizer\": \"bytes\", \"vocab_size\": 256}", "\"vocab_size\" must be 257"},
                 {"{\"tokenizer\": \"bytes\", \"vocab_size\": 257.0}", "\"vocab_size\" must be 257"},
                 {"{\"tokenizer\": \"bytes\", \"tokenizer\": \"bytes\", \"vocab_size\": 257}", "not JSON"},
                 {"{\"tokenizer\": \"none\"}", "the number of different tokens, 1 to 65536"},
                 {"{\"tokenizer\": \"none\", \"vocab_size\": 0}", "the number of different tokens"},
                 {"{\"tokenizer\": \"none\", \"vocab_size\": 65537}", "the number of different tokens"},
                 {"{\"model\": 5}", "no \"model\""},
                 {"{\"tokenizer\": \"chars\", \"vocab_size\": 2}", "\"characters\" must be a string"},
                 {"{\"tokenizer\": \"chars\", \"vocab_size\": 0, \"characters\": \"\"}", "at least one"},
                 {"{\"tokenizer\": \"chars\", \"vocab_size\": 2, \"characters\": \"ba\"}", "rising"},
                 {"{\"tokenizer\": \"chars\", \"vocab_size\": 1, \"characters\": \"aa\"}", "distinct"},
                 {"{\"tokenizer\": \"chars\", \"vocab_size\": 3, \"characters\": \"ab\"}", "must be 2"},
                 {"{\"tokenizer\": \"chars\", \"vocab_size\": 1, \"characters\": \"\\ud800\"}", "not JSON"},
                 {"{\"tokenizer\": \"bytes\", \"vocab_size\": 257} x", "not JSON"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Error error = {0};
        if (survives(&error, cases[i].text, strlen(cases[i].text))) fail_msg("%s was taken", cases[i].text);
        if (!strstr(error.message, cases[i].part)) fail_msg("no '%s' in: %s", cases[i].part, error.message);
    }
    Tokenizer tokenizer;
    Error error;
    assert_false(tokenizer_read(&tokenizer, "/no/such/tokenizer.json", &error));
    assert_int_equal(error.kind, ERROR_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_their_values),
        cmocka_unit_test(chars_are_the_sorted_set),
        cmocka_unit_test(extending_keeps_the_set_sorted),
        cmocka_unit_test(what_is_not_utf8_is_refused),
        cmocka_unit_test(unknown_characters_are_named),
        cmocka_unit_test(the_vocabulary_ends_at_65536),
        cmocka_unit_test(ids_without_tokenizer_print_as_numbers),
        cmocka_unit_test(files_give_equal_tokenizers),
        cmocka_unit_test(wrong_fields_are_refused),
    };
    return cmocka_run_group_tests(tests, make_paths, remove_directory);
}
