// Shards that other processes change after they were read, or that never end.
#include "data/corpus.h"
#include "tests/support/directory.h"
#include "tests/support/support.h"

enum { TOKENS = 10000, VOCAB = 257 };

static char plain[SCRATCH_PATH + 32];
static uint16_t tokens[TOKENS];

static int make_tokens(void **state) {
    make_directory(state);
    snprintf(plain, sizeof plain, "%s/train.bin", directory);
    for (int i = 0; i < TOKENS; i++) tokens[i] = (uint16_t)(i % VOCAB);
    return 0;
}

static Shard open_plain(void) {
    Shard shard = {0};
    Error error;
    must(shard_write(plain, tokens, TOKENS, &error) && shard_open(&shard, plain, VOCAB, &error), &error);
    return shard;
}

// A run trains on the tokens that were checked when it began, whatever happens to the file.
static void what_was_read_stays(void **state) {
    Error error;
    Shard shard = open_plain();
    const uint16_t beyond[] = {VOCAB, VOCAB};
    assert_int_equal(truncate(plain, 0), 0);
    for (int i = 0; i < TOKENS; i++) assert_int_equal(shard.tokens[i], tokens[i]);
    must(shard_write(plain, beyond, 2, &error), &error);
    for (int i = 0; i < TOKENS; i++) assert_int_equal(shard.tokens[i], tokens[i]);
    shard_close(&shard);
}

// Opened before anybody writes, a pipe would block for ever: `open` in the test's name would hang.
static void a_pipe_is_refused_at_once(void **state) {
    Shard shard;
    Buffer buffer;
    Error error = {0};
    unlink(plain);
    assert_int_equal(mkfifo(plain, 0600), 0);
    expect_refused(shard_open(&shard, plain, VOCAB, &error), &error, "is not a regular file");
    assert_false(file_read(&buffer, plain, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    unlink(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_read_stays),
        cmocka_unit_test(a_pipe_is_refused_at_once),
    };
    return cmocka_run_group_tests_name("shard_changed", tests, make_tokens, remove_directory);
}
