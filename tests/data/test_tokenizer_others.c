// Tokenizers in Hugging Face's files, and tokens that came without one.
#include "tests/data/tokenizers.h"

#include <jansson.h>

static const char mixed[] = "b\x7F\xC2\x80\xED\x9F\xBF\xF4\x8F\xBF\xBF\n\"\\a";

// The file for Hugging Face's tokenizers has the same ids. scripts/interop.sh tests what their programs read from it.
static void files_for_others_have_the_same_ids(void **state) {
    static const struct {
        int id;
        const char *symbol;
    } symbols[] = {{'a', "a"},         {' ', "\xC4\xA0"},  {0, "\xC4\x80"},
                   {0xA1, "\xC2\xA1"}, {0xAD, "\xC5\x83"}, {0xFF, "\xC3\xBF"}};
    Error error;
    Tokenizer bytes = create(TOKENIZER_BYTES, "", 0), chars = create(TOKENIZER_CHARS, "b\"\xC3\xA9", 4);
    json_t *root = tokenizer_to_hf(&bytes, &error);
    const json_t *vocab = json_object_get(json_object_get(root, "model"), "vocab");
    assert_int_equal(json_object_size(vocab), 257);
    for (size_t i = 0; i < COUNT(symbols); i++)
        assert_int_equal(json_integer_value(json_object_get(vocab, symbols[i].symbol)), symbols[i].id);
    const json_t *end = json_array_get(json_object_get(root, "added_tokens"), 0);
    assert_int_equal(json_integer_value(json_object_get(end, "id")), 256);
    json_decref(root);
    root = tokenizer_to_hf(&chars, &error);
    vocab = json_object_get(json_object_get(root, "model"), "vocab");
    assert_int_equal(json_object_size(vocab), 3);
    assert_int_equal(json_integer_value(json_object_get(vocab, "\xC3\xA9")), 2);
    json_decref(root);
    tokenizer_free(&bytes);
    tokenizer_free(&chars);
}

// The file for Hugging Face's tokenizers is read back as the original tokenizer.
static void files_for_others_give_equal_tokenizers(void **state) {
    Tokenizer tokenizers[] = {create(TOKENIZER_BYTES, "", 0), create(TOKENIZER_CHARS, mixed, sizeof mixed - 1)};
    for (int i = 0; i < 2; i++) {
        Tokenizer again;
        Error error;
        json_t *root = tokenizer_to_hf(&tokenizers[i], &error);
        assert_int_equal(json_dump_file(root, json, 0), 0);
        json_decref(root);
        must(tokenizer_read(&again, json, &error), &error);
        assert_true(tokenizer_same(&tokenizers[i], &again));
        tokenizer_free(&again);
        tokenizer_free(&tokenizers[i]);
    }
}

// Not every file without merges is a tokenizer of single characters.
static void other_files_without_merges_are_refused(void **state) {
    static const char *const parts[][3] = {{"{\"type\":\"Lowercase\"}", "BPE", "{\"a\":0,\"b\":1}"},
                                           {"null", "WordLevel", "{\"a\":0,\"b\":1}"},
                                           {"null", "BPE", "{\"a\":0,\"bc\":1,\"\":2}"}};
    for (size_t i = 0; i < COUNT(parts); i++) {
        char text[256];
        Tokenizer tokenizer;
        Error error;
        const int size = snprintf(text, sizeof text,
                                  "{\"normalizer\":%s,\"pre_tokenizer\":null,\"decoder\":{\"type\":\"Fuse\"},"
                                  "\"added_tokens\":[],\"model\":{\"type\":\"%s\",\"vocab\":%s,\"merges\":[]}}",
                                  parts[i][0], parts[i][1], parts[i][2]);
        scratch_write(json, text, (size_t)size);
        assert_false(tokenizer_read(&tokenizer, json, &error));
        assert_int_equal(error.kind, ERROR_INPUT);
    }
}

static void the_vocabulary_of_tokens_alone_is_stated(void **state) {
    static const char text[] = "{\"tokenizer\": \"none\", \"vocab_size\": 300}";
    const char *token;
    Tokenizer tokenizer, again;
    Error error;
    scratch_write(json, text, sizeof text - 1);
    must(tokenizer_read(&tokenizer, json, &error), &error);
    assert_int_equal(tokenizer.kind, TOKENIZER_NONE);
    assert_int_equal(tokenizer.vocab_size, 300);
    assert_int_equal(tokenizer_decode(&token, &tokenizer, 299), 5);
    assert_memory_equal(token, "<299>", 5);
    must(tokenizer_write(&tokenizer, json, &error), &error);
    must(tokenizer_read(&again, json, &error), &error);
    assert_true(tokenizer_same(&tokenizer, &again));
    tokenizer_free(&again);
    expect_refused(tokenizer_find(&again, json, &error), &error, "without their tokenizer");
    tokenizer_free(&tokenizer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_for_others_have_the_same_ids),
        cmocka_unit_test(files_for_others_give_equal_tokenizers),
        cmocka_unit_test(other_files_without_merges_are_refused),
        cmocka_unit_test(the_vocabulary_of_tokens_alone_is_stated),
    };
    return cmocka_run_group_tests(tests, make_paths, remove_directory);
}
