// Shards are read back as they were written, and every kind of wrong file is refused.
#include "base/random.h"
#include "data/corpus.h"
#include "tests/support/directory.h"
#include "tests/support/support.h"

#include <zlib.h>

enum { COUNT = 300, VOCAB = 257, HEADER = 1024, SIZE = HEADER + 2 * COUNT };

static char plain[SCRATCH_PATH + 32];
static uint16_t tokens[COUNT];

static int make_tokens(void **state) {
    make_directory(state);
    snprintf(plain, sizeof plain, "%s/train_000000.bin", directory);
    for (uint64_t i = 0; i < COUNT; i++) tokens[i] = (uint16_t)(random_bits(1, i) % VOCAB);
    tokens[7] = VOCAB - 1;
    return 0;
}

static void write_shard(const char *path) {
    Error error;
    must(shard_write(path, tokens, COUNT, &error), &error);
}

static void expect_tokens(const Shard *shard) {
    for (int t = 0; t < COUNT; t++) assert_int_equal(shard->tokens[t], tokens[t]);
}

static void shards_are_read_back(void **state) {
    Shard shard;
    Error error;
    write_shard(plain);
    must(shard_open(&shard, plain, VOCAB, &error), &error);
    assert_int_equal(shard.count, COUNT);
    expect_tokens(&shard);
    assert_int_equal(shard.crc, crc32(0, (const Bytef *)tokens, sizeof tokens));
    assert_string_equal(shard.path, plain);
    shard_close(&shard);
}

static void the_bytes_are_llm_c_s(void **state) {
    write_shard(plain);
    Buffer file = read_file(plain);
    assert_int_equal(file.size, SIZE);
    static const uint8_t head[] = {0x88, 0xD8, 0x34, 0x01, 1, 0, 0, 0, COUNT & 255, COUNT >> 8, 0, 0};
    assert_memory_equal(file.bytes, head, sizeof head);
    for (int i = sizeof head; i < HEADER; i++) assert_int_equal(file.bytes[i], 0);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(file.bytes[HEADER + 2 * i] | file.bytes[HEADER + 2 * i + 1] << 8, tokens[i]);
    free(file.bytes);
}

// Make `bytes` the plain shard and expect its refusal with `part` in the message.
static void refuse(const void *bytes, size_t size, const char *part) {
    Shard shard;
    Error error = {0};
    scratch_write(plain, bytes, size);
    expect_refused(shard_open(&shard, plain, VOCAB, &error), &error, part);
    assert_non_null(strstr(error.message, plain));
    assert_null(shard.memory);
    assert_null(shard.tokens);
}

static void wrong_headers_are_refused(void **state) {
    static const struct {
        int field;
        int32_t value;
        const char *part;
    } cases[] = {{0, 20240801, "begins with 20240801"},
                 {1, 2, "version 2, and not"},
                 {2, 0, "says 0 tokens"},
                 {2, -5, "says -5 tokens"},
                 {2, INT32_MIN, "says -2147483648 tokens"},
                 {2, COUNT + 1, "cut short"},
                 {2, INT32_MAX, "cut short"},
                 {2, COUNT - 1, "too long"}};
    write_shard(plain);
    Buffer whole = read_file(plain);
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t *field = whole.bytes + 4 * cases[i].field, before[4];
        memcpy(before, field, sizeof before);
        memcpy(field, &cases[i].value, sizeof before);
        refuse(whole.bytes, whole.size, cases[i].part);
        memcpy(field, before, sizeof before);
    }
    free(whole.bytes);
}

static void wrong_sizes_are_refused(void **state) {
    write_shard(plain);
    Buffer whole = read_file(plain);
    refuse("", 0, "has 0 bytes");
    for (size_t size = 1; size < whole.size; size++) refuse(whole.bytes, size, "cut short");
    refuse(whole.bytes, whole.size + 1, "too long"); // the 0 that follows a Buffer
    free(whole.bytes);
}

static void tokens_beyond_the_vocabulary_are_refused(void **state) {
    Shard shard;
    Error error;
    write_shard(plain);
    expect_refused(shard_open(&shard, plain, VOCAB - 1, &error), &error, "token 7 is 256, but the vocabulary has 256");
    assert_true(shard_open(&shard, plain, 65536, &error));
    shard_close(&shard);
}

static void what_is_no_file_is_refused(void **state) {
    Shard shard;
    Error error;
    char path[SCRATCH_PATH + 32];
    expect_refused(shard_open(&shard, "/no/such.bin", VOCAB, &error), &error, "/no/such.bin");
    expect_refused(shard_open(&shard, directory, VOCAB, &error), &error, "not a regular file");
    snprintf(path, sizeof path, "%s/none/train_000000.bin", directory);
    assert_false(shard_write(path, tokens, COUNT, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_are_read_back),
        cmocka_unit_test(the_bytes_are_llm_c_s),
        cmocka_unit_test(wrong_headers_are_refused),
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(tokens_beyond_the_vocabulary_are_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
    };
    return cmocka_run_group_tests(tests, make_tokens, remove_directory);
}
