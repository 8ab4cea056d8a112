// Shards that other processes change while they are read, or that never end.
#include "data/shard.h"
#include "tests/support/scratch.h"
#include "tests/support/support.h"

#include <fcntl.h>

enum { TOKENS = 10000, VOCAB = 257, HEADER = 1024 };

static char directory[SCRATCH_PATH], plain[SCRATCH_PATH + 32];
static uint16_t tokens[TOKENS];

static int make_directory(void **state) {
    scratch_make(directory);
    snprintf(plain, sizeof plain, "%s/train.bin", directory);
    for (int i = 0; i < TOKENS; i++) tokens[i] = (uint16_t)(i % VOCAB);
    return 0;
}

static int remove_directory(void **state) {
    scratch_remove(directory);
    return 0;
}

static Shard open_plain(void) {
    Shard shard;
    Error error;
    must(shard_write(plain, tokens, TOKENS, &error) && shard_open(&shard, plain, VOCAB, &error), &error);
    return shard;
}

static void expect_changed(const Shard *shard, int offset, int count) {
    int ids[TOKENS];
    Error error = {0};
    assert_false(shard_read(ids, shard, (size_t)offset, (size_t)count, &error));
    assert_int_equal(error.kind, ERROR_RUN);
    assert_non_null(strstr(error.message, plain));
    assert_non_null(strstr(error.message, "changed while it was in use"));
}

static void what_is_cut_short_is_an_error(void **state) {
    int ids[TOKENS];
    Error error;
    Shard shard = open_plain();
    assert_int_equal(truncate(plain, HEADER + 2 * 5000 + 1), 0);
    must(shard_read(ids, &shard, 4000, 1000, &error), &error);
    for (int i = 0; i < 1000; i++) assert_int_equal(ids[i], tokens[4000 + i]);
    expect_changed(&shard, 4000, 1001);
    expect_changed(&shard, 0, TOKENS);
    assert_int_equal(truncate(plain, 0), 0);
    expect_changed(&shard, 0, 1);
    shard_close(&shard);
}

static void what_is_overwritten_is_an_error(void **state) {
    int ids[TOKENS];
    Error error;
    Shard shard = open_plain();
    const uint16_t beyond = VOCAB;
    const int file = open(plain, O_WRONLY);
    assert_true(pwrite(file, &beyond, sizeof beyond, HEADER + 2 * 7777) == sizeof beyond);
    close(file);
    must(shard_read(ids, &shard, 0, 7777, &error) && shard_read(ids, &shard, 7778, TOKENS - 7778, &error), &error);
    expect_changed(&shard, 7777, 1);
    expect_changed(&shard, 0, TOKENS);
    shard_close(&shard);
}

// A new file of that name is another one: what was opened is read to the end.
static void what_is_replaced_is_still_there(void **state) {
    int ids[TOKENS];
    Error error;
    Shard shard = open_plain();
    const uint16_t other[] = {1, 2, 3};
    must(shard_write(plain, other, COUNT(other), &error) && shard_read(ids, &shard, 0, TOKENS, &error), &error);
    for (int i = 0; i < TOKENS; i++) assert_int_equal(ids[i], tokens[i]);
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
        cmocka_unit_test(what_is_cut_short_is_an_error),
        cmocka_unit_test(what_is_overwritten_is_an_error),
        cmocka_unit_test(what_is_replaced_is_still_there),
        cmocka_unit_test(a_pipe_is_refused_at_once),
    };
    return cmocka_run_group_tests_name("shard_changed", tests, make_directory, remove_directory);
}
