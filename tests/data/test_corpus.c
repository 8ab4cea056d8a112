// Data directories: shards are joined in order, llm.c's shards are accepted, incomplete or wrong directories are
// refused; and built-in data.
#include "base/random.h"
#include "data/corpus.h"
#include "tests/support/directory.h"
#include "tests/support/support.h"

enum { COUNT = 300, VOCAB = 257 };

static uint16_t tokens[COUNT];

static int make_tokens(void **state) {
    make_directory(state);
    for (uint64_t i = 0; i < COUNT; i++) tokens[i] = (uint16_t)(random_bits(1, i) % VOCAB);
    return 0;
}

static void training_share_is_exact(void **state) {
    assert_int_equal(corpus_training_count(1115394, 0.1), 1003854);
    assert_int_equal(corpus_training_count(10, 0.1), 9);
    assert_int_equal(corpus_training_count(10, 0), 10);
    assert_int_equal(corpus_training_count(10, 1), 0);
    assert_int_equal(corpus_training_count(0, 0.1), 0);
    for (uint64_t percent = 0; percent <= 100; percent++)
        for (uint64_t count = 1; count < 3000000000; count = count * 3 + 1)
            assert_int_equal(corpus_training_count(count, (double)percent / 100), count * (100 - percent) / 100);
}

// A file of `count` tokens from tokens[offset] on, in the directory.
static void add_shard(const char *name, int offset, size_t count) {
    char path[2 * SCRATCH_PATH];
    Error error;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    must(shard_write(path, tokens + offset, count, &error), &error);
}

static void add_tokenizer(TokenizerKind kind) {
    char path[2 * SCRATCH_PATH];
    Tokenizer tokenizer;
    Error error;
    snprintf(path, sizeof path, "%s/tokenizer.json", directory);
    assert_true(tokenizer_create(&tokenizer, kind, &error) && tokenizer_extend(&tokenizer, "abc", 3, "a.txt", &error));
    assert_true(tokenizer_write(&tokenizer, path, &error));
    tokenizer_free(&tokenizer);
}

static int make_empty_directory(void **state) {
    scratch_remove(directory);
    return mkdir(directory, 0777);
}

static void expect_refusal(const char *part) {
    Corpus corpus;
    Error error = {0};
    expect_refused(corpus_open(&corpus, directory, &error), &error, part);
}

static void shards_join_in_the_order_of_their_names(void **state) {
    add_tokenizer(TOKENIZER_BYTES);
    add_shard("train_000002.bin", 200, 50);
    add_shard("train_000000.bin", 0, 150);
    add_shard("train_000001.bin", 150, 50);
    add_shard("val_000000.bin", 250, 50);
    Corpus corpus;
    Error error;
    must(corpus_open(&corpus, directory, &error), &error);
    assert_string_equal(corpus.name, directory);
    assert_int_equal(corpus.tokenizer.vocab_size, VOCAB);
    assert_int_equal(corpus.train.shard_count, 3);
    assert_int_equal(corpus.train.count, 250);
    assert_int_equal(corpus.val.count, 50);
    for (uint64_t offset = 0; offset <= 250; offset++) {
        for (size_t count = 0; count <= 250 - offset; count += 7) {
            int ids[251];
            ids[count] = -1;
            split_read(ids, &corpus.train, offset, count);
            for (size_t i = 0; i < count; i++) assert_int_equal(ids[i], tokens[offset + i]);
            assert_int_equal(ids[count], -1);
        }
    }
    corpus_close(&corpus);
}

static void llm_c_directories_are_taken(void **state) {
    add_shard("tiny_shakespeare_train.bin", 0, 200);
    add_shard("tiny_shakespeare_val.bin", 200, 100);
    Corpus corpus;
    Error error;
    must(corpus_open(&corpus, directory, &error), &error);
    assert_int_equal(corpus.tokenizer.kind, TOKENIZER_NONE);
    assert_int_equal(corpus.tokenizer.vocab_size, 50257);
    assert_int_equal(corpus.train.count, 200);
    assert_int_equal(corpus.val.count, 100);
    corpus_close(&corpus);
}

static void incomplete_directories_are_refused(void **state) {
    Corpus corpus;
    Error error;
    expect_refusal("has no train shard");
    add_shard("train_000000.bin", 0, 200);
    expect_refusal("has no val shard");
    add_shard("val_000000.bin", 200, 100);
    add_tokenizer(TOKENIZER_CHARS);
    expect_refusal("but the vocabulary has 3");
    add_tokenizer(TOKENIZER_BYTES);
    scratch_remove(directory);
    expect_refusal("bitter prepare");
    scratch_write(directory, "text", 4);
    expect_refusal("bitter prepare");
    unlink(directory);
    assert_int_equal(mkdir(directory, 0777), 0);
    char longest[2 * PATH_CAPACITY];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    assert_false(corpus_open(&corpus, longest, &error));
}

static void builtin_data_splits_nine_to_one(void **state) {
    Corpus corpus, again;
    Error error;
    must(corpus_open(&corpus, "builtin:tales:bytes=20000", &error), &error);
    assert_true(corpus_open(&again, "builtin:tales:bytes=20000", &error));
    uint64_t count = corpus.train.count + corpus.val.count;
    assert_true(count > 20000);
    assert_int_equal(corpus.train.count, count * 9 / 10);
    assert_int_equal(corpus.train.shards[0].crc, again.train.shards[0].crc);
    assert_int_equal(corpus.val.shards[0].tokens[corpus.val.count - 1], 256);
    corpus_close(&corpus);
    corpus_close(&again);
    expect_refused(corpus_open(&corpus, "builtin:tails", &error), &error, "tales");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_share_is_exact),
        cmocka_unit_test_setup(shards_join_in_the_order_of_their_names, make_empty_directory),
        cmocka_unit_test_setup(llm_c_directories_are_taken, make_empty_directory),
        cmocka_unit_test_setup(incomplete_directories_are_refused, make_empty_directory),
        cmocka_unit_test(builtin_data_splits_nine_to_one),
    };
    return cmocka_run_group_tests(tests, make_tokens, remove_directory);
}
