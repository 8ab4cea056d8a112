// Shards that other processes change while they are read, that never end, or that are more than a process may open.
#include "data/corpus.h"
#include "data/source.h"
#include "tests/support/scratch.h"
#include "tests/support/support.h"

#include <fcntl.h>
#include <sys/resource.h>

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

static void batches_and_splits_pass_it_on(void **state) {
    Shard shards[2] = {open_plain()};
    int ids[TOKENS];
    Error error = {0};
    must(shard_from_tokens(&shards[1], "more", tokens, 100, &error), &error);
    const Split split = {shards, 2, TOKENS + 100};
    must(split_read(ids, &split, TOKENS - 50, 150, &error), &error);
    for (int i = 0; i < 150; i++) assert_int_equal(ids[i], i < 50 ? tokens[TOKENS - 50 + i] : tokens[i - 50]);
    assert_int_equal(truncate(plain, HEADER), 0);
    assert_false(split_read(ids, &split, TOKENS - 50, 150, &error));
    must(split_read(ids, &split, TOKENS, 100, &error), &error);
    shard_close(&shards[0]);
    shard_close(&shards[1]);
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

static void more_shards_than_open_files_are_taken(void **state) {
    enum { SHARDS = 60 };
    struct rlimit before, few;
    Corpus corpus;
    Error error = {0};
    scratch_remove(directory);
    assert_int_equal(mkdir(directory, 0777), 0);
    for (int i = 0; i <= SHARDS; i++) {
        char path[2 * SCRATCH_PATH];
        snprintf(path, sizeof path, "%s/%s_%06d.bin", directory, i < SHARDS ? "train" : "val", i);
        must(shard_write(path, tokens + i, 100, &error), &error);
    }
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    if (before.rlim_max != RLIM_INFINITY && before.rlim_max < 2 * SHARDS) {
        puts("this process may not open enough files");
        skip();
    }
    few = before;
    few.rlim_cur = 20;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    must(corpus_open(&corpus, directory, &error), &error);
    int id;
    for (int i = 0; i < SHARDS; i++) {
        must(split_read(&id, &corpus.train, (uint64_t)i * 100, 1, &error), &error);
        assert_int_equal(id, tokens[i]);
    }
    corpus_close(&corpus);
    // With a hard limit it is one sentence. Only a child may lose what it cannot have back.
    setrlimit(RLIMIT_NOFILE, &before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_cut_short_is_an_error),   cmocka_unit_test(what_is_overwritten_is_an_error),
        cmocka_unit_test(what_is_replaced_is_still_there), cmocka_unit_test(batches_and_splits_pass_it_on),
        cmocka_unit_test(a_pipe_is_refused_at_once),       cmocka_unit_test(more_shards_than_open_files_are_taken),
    };
    return cmocka_run_group_tests_name("shard_changed", tests, make_directory, remove_directory);
}
