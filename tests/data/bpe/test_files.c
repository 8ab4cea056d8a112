// Other programs' files: the same vocabulary from each of them, and what is refused; tests/fuzz damages them.
#include "base/random.h"
#include "data/bpe/bpe.h"
#include "data/tokenizer.h"
#include "tests/support/directory.h"
#include "tests/support/support.h"

#include <jansson.h>
#include <unistd.h>

static char vocabulary[SCRATCH_PATH + 32], merges[SCRATCH_PATH + 32], json[SCRATCH_PATH + 32];

static const char text[] = "the cat that the cat hated, and the hat that the cat ate; 'tis that's the that; he sat "
                           "there, as they ate hats, and that was that\n\n \xC3\xA9\xC3\xA9";

static Bpe trained(void) {
    BpeWords words = {0};
    Bpe bpe = {0};
    Error error;
    must(bpe_words_add(&words, text, sizeof text - 1, &error) && bpe_begin(&bpe, &error) &&
             bpe_train(&bpe, &words, 275, &error),
         &error);
    bpe_words_free(&words);
    return bpe;
}

// encoder.json and vocab.bpe of the vocabulary.
static void write_gpt2(const Bpe *bpe) {
    Text lines = {0};
    json_t *root = json_object();
    text_print(&lines, "#version: 0.2\n");
    for (int id = 0; id < bpe->vocab_size; id++) {
        const BpeToken token = bpe->tokens[id];
        Text name = {0};
        if (token.special)
            text_add(&name, bpe->text.bytes + token.start, token.size);
        else
            bpe_add_symbols(&name, bpe->text.bytes + token.start, token.size);
        text_add(&name, "", 1);
        json_object_set_new(root, name.bytes, json_integer(id));
        text_free(&name);
    }
    for (int i = 0; i < bpe->merge_count; i++) {
        const BpeToken left = bpe->tokens[bpe->merges[i].left], right = bpe->tokens[bpe->merges[i].right];
        bpe_add_symbols(&lines, bpe->text.bytes + left.start, left.size);
        text_print(&lines, " ");
        bpe_add_symbols(&lines, bpe->text.bytes + right.start, right.size);
        text_print(&lines, "\n");
    }
    char *dump = json_dumps(root, 0);
    scratch_write(vocabulary, dump, strlen(dump));
    scratch_write(merges, lines.bytes, lines.size);
    free(dump);
    json_decref(root);
    text_free(&lines);
}

static int make_files(void **state) {
    Error error;
    Bpe bpe = trained();
    Tokenizer tokenizer;
    make_directory(state);
    snprintf(vocabulary, sizeof vocabulary, "%s/encoder.json", directory);
    snprintf(merges, sizeof merges, "%s/vocab.bpe", directory);
    snprintf(json, sizeof json, "%s/other.json", directory);
    write_gpt2(&bpe);
    must(tokenizer_create(&tokenizer, TOKENIZER_BPE, &error), &error);
    bpe_free(&tokenizer.bpe);
    tokenizer.bpe = bpe;
    tokenizer.vocab_size = bpe.vocab_size;
    must(tokenizer_write(&tokenizer, json, &error), &error);
    tokenizer_free(&tokenizer);
    return 0;
}

// A tokenizer that was read must be able to encode any text, and give its bytes back.
static void use(const Tokenizer *tokenizer) {
    Error error;
    Tokens tokens = {0};
    size_t at = 0;
    must(tokenizer_encode(&tokens, tokenizer, text, sizeof text - 1, "text", &error), &error);
    for (size_t i = 0; i < tokens.count; i++) {
        const char *bytes;
        assert_in_range(tokens.ids[i], 0, tokenizer->vocab_size - 1);
        const size_t size = tokenizer_decode(&bytes, tokenizer, tokens.ids[i]);
        assert_memory_equal(bytes, text + at, size);
        at += size;
    }
    assert_int_equal(at, sizeof text - 1);
    tokens_free(&tokens);
}

static void every_file_gives_the_same_vocabulary(void **state) {
    const char *const paths[] = {directory, json};
    Bpe bpe = trained();
    assert_true(bpe.merge_count > 10);
    for (size_t i = 0; i < COUNT(paths); i++) {
        Error error;
        Tokenizer tokenizer;
        must(tokenizer_find(&tokenizer, paths[i], &error), &error);
        assert_int_equal(tokenizer.kind, TOKENIZER_BPE);
        assert_int_equal(tokenizer_end(&tokenizer), bpe.vocab_size - 1);
        assert_int_equal(tokenizer_newline(&tokenizer), bpe.bytes['\n']);
        assert_true(bpe_same(&tokenizer.bpe, &bpe));
        use(&tokenizer);
        tokenizer_free(&tokenizer);
    }
    bpe_free(&bpe);
}

// Give the file's lines other ends, and a byte order mark at the start.
static void as_windows_writes(const char *file) {
    const Buffer whole = read_file(file);
    Text changed = {0};
    text_add(&changed, "\xEF\xBB\xBF", 3);
    for (size_t i = 0; i < whole.size; i++) {
        if (whole.bytes[i] == '\n') text_add(&changed, "\r", 1);
        text_add(&changed, (const char *)&whole.bytes[i], 1);
    }
    scratch_write(file, changed.bytes, changed.size);
    text_free(&changed);
    free(whole.bytes);
}

static void names_marks_and_line_ends_do_not_matter(void **state) {
    char vocab_json[SCRATCH_PATH + 32], merges_txt[SCRATCH_PATH + 32];
    snprintf(vocab_json, sizeof vocab_json, "%s/vocab.json", directory);
    snprintf(merges_txt, sizeof merges_txt, "%s/merges.txt", directory);
    as_windows_writes(vocabulary);
    as_windows_writes(merges);
    as_windows_writes(json);
    every_file_gives_the_same_vocabulary(state);
    assert_true(rename(vocabulary, vocab_json) == 0 && rename(merges, merges_txt) == 0);
    every_file_gives_the_same_vocabulary(state);
    assert_true(rename(vocab_json, vocabulary) == 0 && rename(merges_txt, merges) == 0);
}

// Comparing each token with all others would take minutes.
static void many_special_tokens_are_read(void **state) {
    enum { NAME = 1000, SPECIAL = BPE_VOCAB_MOST - 256 };
    char name[NAME + 1];
    Bpe bpe;
    Error error;
    alarm(60);
    must(bpe_begin(&bpe, &error), &error);
    for (int id = 0; id < 256; id++)
        must(bpe_add_token(&bpe, id, &(char){(char)id}, 1, false, "the file", &error), &error);
    for (int id = 256; id < BPE_VOCAB_MOST; id++) {
        snprintf(name, sizeof name, "%0*d", NAME, id);
        must(bpe_add_token(&bpe, id, name, NAME, true, "the file", &error), &error);
    }
    must(bpe_complete(&bpe, "the file", &error), &error);
    alarm(0);
    bpe_free(&bpe);
}

// Replace the first `from` in the file by `to`, and expect the refusal of `path` with `part`.
static void refuse(const char *file, const char *from, const char *to, const char *path, const char *part) {
    Buffer whole = read_file(file);
    const char *found = strstr((char *)whole.bytes, from);
    if (!found) fail_msg("no '%s' in %s", from, file);
    Text changed = {0};
    text_add(&changed, (char *)whole.bytes, (size_t)(found - (char *)whole.bytes));
    text_add(&changed, to, strlen(to));
    text_add(&changed, found + strlen(from), strlen(found + strlen(from)));
    scratch_write(file, changed.bytes, changed.size);
    Tokenizer tokenizer;
    Error error = {0};
    expect_refused(tokenizer_find(&tokenizer, path, &error), &error, part);
    scratch_write(file, whole.bytes, whole.size);
    text_free(&changed);
    free(whole.bytes);
}

static void others_of_hugging_face_are_refused(void **state) {
    static const struct {
        const char *from, *to, *part;
    } cases[] = {
        {"\"normalizer\": null", "\"normalizer\": {\"type\": \"NFC\"}", "it normalizes text"},
        {"\"pre_tokenizer\": {\n    \"type\": \"ByteLevel\"", "\"pre_tokenizer\": {\"type\": \"Whitespace\"",
         "not ByteLevel"},
        {"\"add_prefix_space\": false", "\"add_prefix_space\": true", "begins every text with a space"},
        {"\"use_regex\": true", "\"use_regex\": false", "as GPT-2 does"},
        {"\"type\": \"BPE\"", "\"type\": \"Unigram\"", "not a BPE"},
        {"\"dropout\": null", "\"dropout\": 0.1", "at random"},
        {"\"end_of_word_suffix\": null", "\"end_of_word_suffix\": \"</w>\"", "marks the parts of words"},
        {"\"ignore_merges\": false", "\"ignore_merges\": true", "ignores merges"},
        {"\"special\": true", "\"special\": false", "is not special"},
        {"\"merges\": [", "\"merges\": {}, \"x\": [", "no list of merges"},
        {"\"merges\": [", "\"merges\": [7,", "merge 1 is not two tokens"},
        {"\"merges\": [", "\"merges\": [[\"a\", \"b\", \"c\"],", "merge 1 is not two tokens"},
        {"\"merges\": [", "\"merges\": [\"z z\",", "not in the vocabulary"},
        {"\"merges\": [", "\"merges\": [\"t h\", \"t h\",", "repeats merge 1"},
        {"\"vocab\": {", "\"vocab\": {\"zz\": 70000,", "ids from 0 to 65535"},
        {"\"vocab\": {", "\"vocab\": {\"zz\": 1.5,", "not a whole number"},
        {"\"vocab\": {", "\"vocab\": {\"zz\": 5,", "two tokens have the id 5"},
        {"\"vocab\": {", "\"vocab\": {\"zz\": 500,", "no token has the id"},
        {"\"vocab\": {", "\"vocab\": {\"z z\": 500,", "stands for no byte"},
        {"\"vocab\": {", "\"vocab\": [], \"x\": {", "a vocabulary {\"token\": id, ...} was expected"},
        {"\"!\": 0", "\"zz\": 0", "no token for the byte 0x21"},
        {"\"added_tokens\": [", "\"added_tokens\": {}, \"x\": [", "not a list"},
        {"\"added_tokens\": [", "\"added_tokens\": [{\"id\": 272, \"content\": \"\u0120\", \"special\": true},",
         "is written like another token"},
        {"\"added_tokens\": [", "\"added_tokens\": [{\"id\": 272, \"content\": \"<|endoftext|>\", \"special\": true},",
         "has the same bytes as another"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) refuse(json, cases[i].from, cases[i].to, json, cases[i].part);
}

// Every pair of runs of the letter a is joined into a longer run.
static void too_many_merges_are_refused(void **state) {
    enum { LONGEST = 400 };
    char letters[LONGEST];
    Bpe bpe;
    Error error = {0};
    bool ok = bpe_begin(&bpe, &error);
    memset(letters, 'a', sizeof letters);
    for (size_t size = 1; ok && size <= LONGEST; size++)
        ok = bpe_add_token(&bpe, (long long)size, letters, size, false, "the file", &error);
    must(ok, &error);
    for (size_t left = 1; ok && left < LONGEST; left++)
        for (size_t right = 1; ok && left + right <= LONGEST; right++)
            ok = bpe_add_merge(&bpe, letters, left, left + right, "the file", &error);
    expect_refused(ok, &error, "more than 65536 merges");
    bpe_free(&bpe);
}

static void wrong_files_are_refused(void **state) {
    char nothing[SCRATCH_PATH + 32];
    Tokenizer tokenizer;
    Error error = {0};
    refuse(merges, "t h\n", "th\n", directory, "is not two tokens");
    refuse(merges, "\n", "\nzz zz\n", directory, "vocab.bpe: merge 1 joins or makes a token that is not");
    refuse(vocabulary, "{", "[", directory, "encoder.json, line 1: not JSON");
    refuse(vocabulary, "\"!\": 0", "\"!\": \"0\"", directory, "not a whole number");
    snprintf(nothing, sizeof nothing, "%s/nothing", directory);
    expect_refused(tokenizer_find(&tokenizer, nothing, &error), &error, "nothing");
    mkdir(nothing, 0777);
    expect_refused(tokenizer_find(&tokenizer, nothing, &error), &error, "has no tokenizer.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_gives_the_same_vocabulary),
        cmocka_unit_test(many_special_tokens_are_read),
        cmocka_unit_test(others_of_hugging_face_are_refused),
        cmocka_unit_test(too_many_merges_are_refused),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(names_marks_and_line_ends_do_not_matter),
    };
    return cmocka_run_group_tests(tests, make_files, remove_directory);
}
