// Batches: every window once an epoch, the same for the same seed, resumable from two counters, and provably so.
#include "data/batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 20000 };

// A stream whose token i is i, so that a row tells where it came from; in two shards, for rows that cross the border.
typedef struct {
    uint16_t tokens[MOST];
    Shard shards[2];
    Split split;
} Stream;

static Stream *make_stream(uint64_t count) {
    Stream *stream = calloc(1, sizeof *stream);
    for (int i = 0; i < MOST; i++) stream->tokens[i] = (uint16_t)i;
    size_t first = (size_t)count / 3;
    stream->shards[0] = (Shard){.tokens = stream->tokens, .count = first};
    stream->shards[1] = (Shard){.tokens = stream->tokens + first, .count = (size_t)count - first};
    stream->split = (Split){.shards = stream->shards, .shard_count = 2, .count = count};
    return stream;
}

static Batches start(const Stream *stream, int T, uint64_t seed) {
    Batches batches;
    Error error;
    if (!batches_start(&batches, &stream->split, "x", T, seed, &error)) fail_msg("%s", error.message);
    return batches;
}

// The next row's first input; checks that it is a window of the stream and that targets follow inputs.
static int next_row(Batches *batches) {
    int inputs[512], targets[512];
    batches_next(inputs, targets, batches, 1);
    for (int t = 0; t < batches->T; t++) {
        assert_int_equal(inputs[t], inputs[0] + t);
        assert_int_equal(targets[t], inputs[t] + 1);
    }
    assert_in_range(inputs[0], 0, (int)batches->split->count - batches->T - 1);
    return inputs[0];
}

// The windows of an epoch by the rule in words: all T shifts and one window less, or the only one.
static int windows_of(int count, int T) {
    return count / T >= 2 ? count / T - 1 : 1;
}

static void every_window_comes_once_an_epoch(void **state) {
    (void)state;
    static const int lengths[] = {1, 2, 3, 8, 31, 256};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const int T = lengths[i];
        for (int count = T + 1; count <= 12 * T + 3; count += 1 + T / 5) {
            Stream *stream = make_stream((uint64_t)count);
            Batches batches = start(stream, T, 7);
            const int windows = windows_of(count, T);
            for (int epoch = 0; epoch < 4; epoch++) {
                bool *seen = calloc((size_t)windows, sizeof *seen);
                const int shift = next_row(&batches) % T;
                batches.cursor--;
                for (int row = 0; row < windows; row++) {
                    int first = next_row(&batches);
                    assert_int_equal(first % T, shift);
                    assert_in_range(first / T, 0, windows - 1);
                    assert_false(seen[first / T]);
                    seen[first / T] = true;
                }
                free(seen);
            }
            assert_int_equal(batches.cursor, 4 * windows);
            free(stream);
        }
    }
}

static void shifts_reach_every_token(void **state) {
    (void)state;
    static const int counts[] = {9, 12, 15, 16, 17, 100}; // with T = 8: one window, then more
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        Stream *stream = make_stream((uint64_t)counts[i]);
        Batches batches = start(stream, 8, 3);
        bool first_seen[MOST] = {false};
        for (int row = 0; row < 5000; row++) first_seen[next_row(&batches)] = true;
        const int shifts = counts[i] - 8 * windows_of(counts[i], 8);
        for (int shift = 0; shift < 8; shift++) assert_int_equal(first_seen[shift], shift < shifts);
        free(stream);
    }
}

static void order_changes_with_epoch_and_seed(void **state) {
    (void)state;
    enum { T = 10, ROWS = 500 };
    Stream *stream = make_stream(T * (ROWS + 1));
    Batches one = start(stream, T, 1), two = start(stream, T, 2);
    int epochs[2][ROWS], other[ROWS], same_epoch = 0, same_seed = 0, in_order = 0;
    for (int epoch = 0; epoch < 2; epoch++)
        for (int row = 0; row < ROWS; row++) epochs[epoch][row] = next_row(&one) / T;
    for (int row = 0; row < ROWS; row++) other[row] = next_row(&two) / T;
    for (int row = 0; row < ROWS; row++) {
        same_epoch += epochs[0][row] == epochs[1][row];
        same_seed += epochs[0][row] == other[row];
        in_order += row > 0 && epochs[0][row] == epochs[0][row - 1] + 1;
    }
    assert_in_range(same_epoch, 0, 10);
    assert_in_range(same_seed, 0, 10);
    assert_in_range(in_order, 0, 10);
    free(stream);
}

static void same_seed_same_batches_however_cut(void **state) {
    (void)state;
    enum { T = 16, B = 6, ROUNDS = 50 };
    Stream *stream = make_stream(1000);
    Batches wide = start(stream, T, 5), narrow = start(stream, T, 5);
    for (int round = 0; round < ROUNDS; round++) {
        int inputs[B * T], targets[B * T], row_inputs[T], row_targets[T];
        batches_next(inputs, targets, &wide, B);
        for (int b = 0; b < B; b++) {
            batches_next(row_inputs, row_targets, &narrow, 1);
            assert_memory_equal(inputs + b * T, row_inputs, sizeof row_inputs);
            assert_memory_equal(targets + b * T, row_targets, sizeof row_targets);
        }
        assert_int_equal(wide.crc, narrow.crc);
        assert_int_equal(wide.cursor, narrow.cursor);
    }
    free(stream);
}

static void two_counters_resume(void **state) {
    (void)state;
    enum { T = 16, B = 3 };
    Stream *stream = make_stream(500);
    Batches whole = start(stream, T, 9);
    for (int step = 0; step < 40; step++) {
        int inputs[B * T], targets[B * T], again[B * T];
        Batches resumed = start(stream, T, 9);
        resumed.cursor = whole.cursor;
        resumed.crc = whole.crc;
        batches_next(inputs, targets, &whole, B);
        batches_next(again, targets, &resumed, B);
        assert_memory_equal(inputs, again, sizeof inputs);
        assert_int_equal(whole.crc, resumed.crc);
    }
    free(stream);
}

// The checksum after 20 rows.
static uint32_t checksum(const Stream *stream, int T, uint64_t seed) {
    Batches batches = start(stream, T, seed);
    int inputs[512], targets[512];
    for (int row = 0; row < 20; row++) batches_next(inputs, targets, &batches, 1);
    return batches.crc;
}

static void the_checksum_tells_streams_apart(void **state) {
    (void)state;
    Stream *stream = make_stream(2000), *changed = make_stream(2000), *shorter = make_stream(1900);
    for (int i = 0; i < MOST; i += 50) changed->tokens[i]++;
    const uint32_t crc = checksum(stream, 64, 1);
    assert_int_equal(checksum(stream, 64, 1), crc);
    assert_int_not_equal(checksum(stream, 64, 2), crc);
    assert_int_not_equal(checksum(stream, 32, 1), crc);
    assert_int_not_equal(checksum(changed, 64, 1), crc);
    assert_int_not_equal(checksum(shorter, 64, 1), crc);
    assert_int_equal(start(stream, 64, 1).crc, 0);
    free(stream);
    free(changed);
    free(shorter);
}

// A change here would make every published run irreproducible.
static void batches_have_not_changed(void **state) {
    (void)state;
    Stream *stream = make_stream(1000);
    Batches batches = start(stream, 32, 1337);
    static const int first[] = {738, 2, 546, 642, 162, 514, 194, 866};
    for (size_t row = 0; row < sizeof first / sizeof *first; row++) assert_int_equal(next_row(&batches), first[row]);
    free(stream);
}

static void a_stream_shorter_than_a_window_is_refused(void **state) {
    (void)state;
    Batches batches;
    Error error = {0};
    Stream *stream = make_stream(64);
    assert_false(batches_start(&batches, &stream->split, "the validation split", 64, 1, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_non_null(strstr(error.message, "the validation split has 64 tokens"));
    assert_non_null(strstr(error.message, "need 65"));
    assert_true(batches_start(&batches, &stream->split, "x", 63, 1, &error));
    assert_int_equal(next_row(&batches), 0);
    assert_int_equal(next_row(&batches), 0);
    free(stream);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_window_comes_once_an_epoch),
        cmocka_unit_test(shifts_reach_every_token),
        cmocka_unit_test(order_changes_with_epoch_and_seed),
        cmocka_unit_test(same_seed_same_batches_however_cut),
        cmocka_unit_test(two_counters_resume),
        cmocka_unit_test(the_checksum_tells_streams_apart),
        cmocka_unit_test(batches_have_not_changed),
        cmocka_unit_test(a_stream_shorter_than_a_window_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
