// Batches: every window occurs once in an epoch, and every exercise only once; the same seed gives the same batches,
// two counters are enough to continue, and a checksum proves which text was seen.
#include "data/batch.h"
#include "tests/support/support.h"

#include <zlib.h>

enum { MOST = 20000 };

// A stream whose token i is i, so that a row shows where it came from; in two shards, for rows that cross the border.
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
    must(batches_start(&batches, &stream->split, "x", T, seed, &error), &error);
    return batches;
}

// batches_next, which cannot fail on tokens in memory.
static int next_rows(int *inputs, int *targets, bool *scored, Batches *batches, int B) {
    Error error;
    const int length = batches_next(inputs, targets, scored, batches, B, &error);
    if (length == 0) fail_msg("%s", error.message);
    return length;
}

// The next row's first input; checks that it is a window of the stream and that targets follow inputs.
static int next_row(Batches *batches) {
    int inputs[512], targets[512];
    bool scored[512] = {false};
    assert_int_equal(next_rows(inputs, targets, scored, batches, 1), batches->T);
    for (int t = 0; t < batches->T; t++) {
        assert_true(scored[t]);
        assert_int_equal(inputs[t], inputs[0] + t);
        assert_int_equal(targets[t], inputs[t] + 1);
    }
    assert_in_range(inputs[0], 0, (int)batches->split->count - batches->T - 1);
    return inputs[0];
}

// The windows of an epoch: with all T shifts one window less than fit, or the only one.
static int windows_of(int count, int T) {
    return count / T >= 2 ? count / T - 1 : 1;
}

static void every_window_comes_once_an_epoch(void **state) {
    static const int lengths[] = {1, 2, 3, 8, 31, 256};
    for (size_t i = 0; i < COUNT(lengths); i++) {
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
    static const int counts[] = {9, 12, 15, 16, 17, 100}; // with T = 8: one window, then more
    for (size_t i = 0; i < COUNT(counts); i++) {
        Stream *stream = make_stream((uint64_t)counts[i]);
        Batches batches = start(stream, 8, 3);
        bool first_seen[MOST] = {false};
        for (int row = 0; row < 5000; row++) first_seen[next_row(&batches)] = true;
        const int shifts = counts[i] - 8 * windows_of(counts[i], 8);
        for (int shift = 0; shift < 8; shift++) assert_int_equal(first_seen[shift], shift < shifts);
        free(stream);
    }
}

static void same_seed_same_batches_however_cut(void **state) {
    enum { T = 16, B = 6, ROUNDS = 50 };
    Stream *stream = make_stream(1000);
    Batches wide = start(stream, T, 5), narrow = start(stream, T, 5);
    for (int round = 0; round < ROUNDS; round++) {
        int inputs[B * T], targets[B * T], row_inputs[T], row_targets[T];
        bool scored[B * T];
        next_rows(inputs, targets, scored, &wide, B);
        for (int b = 0; b < B; b++) {
            next_rows(row_inputs, row_targets, scored, &narrow, 1);
            assert_memory_equal(inputs + b * T, row_inputs, sizeof row_inputs);
            assert_memory_equal(targets + b * T, row_targets, sizeof row_targets);
        }
        assert_int_equal(wide.crc, narrow.crc);
        assert_int_equal(wide.cursor, narrow.cursor);
    }
    free(stream);
}

static void two_counters_resume(void **state) {
    enum { T = 16, B = 3 };
    Stream *stream = make_stream(500);
    Batches whole = start(stream, T, 9);
    for (int step = 0; step < 40; step++) {
        int inputs[B * T], targets[B * T], again[B * T];
        bool scored[B * T];
        Batches resumed = start(stream, T, 9);
        batches_resume(&resumed, whole.cursor, whole.crc);
        next_rows(inputs, targets, scored, &whole, B);
        next_rows(again, targets, scored, &resumed, B);
        assert_memory_equal(inputs, again, sizeof inputs);
        assert_int_equal(whole.crc, resumed.crc);
    }
    free(stream);
}

// A change here would make every published run irreproducible.
static void batches_have_not_changed(void **state) {
    Stream *stream = make_stream(1000);
    Batches batches = start(stream, 32, 1337);
    static const int first[] = {738, 2, 546, 642, 162, 514, 194, 866};
    for (size_t row = 0; row < COUNT(first); row++) assert_int_equal(next_row(&batches), first[row]);
    assert_int_equal(batches.crc, 0x7a00451f); // of the same numbers by another program
    free(stream);
}

static void one_row_in_twenty_by_default(void **state) {
    enum { T = 300, ROWS = 1000 };
    Stream *stream = make_stream(MOST);
    Batches plain = start(stream, T, 3), batches = start(stream, T, 3);
    BuiltinCorpus corpus;
    Tokenizer tokenizer;
    Error error;
    int windows[T], inputs[T], targets[T], count = 0;
    bool scored[T];
    must(builtin_choose(&corpus, "builtin:passkey:min=260,max=299", &error), &error);
    must(tokenizer_create(&tokenizer, TOKENIZER_BYTES, &error), &error);
    must(batches_documents(&batches, &corpus, &tokenizer, &error), &error);
    for (int row = 0; row < ROWS; row++) {
        next_rows(windows, targets, scored, &plain, 1);
        next_rows(inputs, targets, scored, &batches, 1);
        count += inputs[0] != windows[0];
    }
    assert_in_range(count, 22, 78); // 50, and 4 times their spread
    batches_end(&batches);
    tokenizer_free(&tokenizer);
    free(stream);
}

// A row is a window of the stream, whose first tokens may be replaced by a document, whole and between end marks; its
// targets follow its inputs as elsewhere.
static void some_rows_begin_with_a_document(void **state) {
    enum { T = 300, ROWS = 400 };
    Stream *stream = make_stream(MOST);
    Batches plain = start(stream, T, 3), batches = start(stream, T, 3), resumed = start(stream, T, 3);
    BuiltinCorpus corpus;
    Tokenizer tokenizer;
    Error error;
    int windows[T], ignored[T], inputs[T], targets[T], again[T], count = 0;
    bool scored[T];
    must(builtin_choose(&corpus, "builtin:passkey:share=0.3,min=260,max=299", &error), &error);
    must(tokenizer_create(&tokenizer, TOKENIZER_BYTES, &error), &error);
    must(batches_documents(&batches, &corpus, &tokenizer, &error), &error);
    must(batches_documents(&resumed, &corpus, &tokenizer, &error), &error);
    for (int row = 0; row < ROWS; row++) {
        Text document = {0};
        builtin_document(&document, &corpus, (uint64_t)row);
        next_rows(windows, ignored, scored, &plain, 1);
        next_rows(inputs, targets, scored, &batches, 1);
        const bool begins = inputs[0] != windows[0];
        const int length = begins ? (int)document.size + 2 : 0; // with its marks
        count += begins;
        for (int t = 0; t < T; t++) {
            const int expected = t >= length                 ? windows[t]
                                 : t == 0 || t == length - 1 ? tokenizer_end(&tokenizer)
                                                             : document.bytes[t - 1];
            assert_int_equal(inputs[t], expected);
            assert_true(scored[t]);
            if (t > 0) assert_int_equal(targets[t - 1], inputs[t]);
        }
        assert_int_equal(targets[T - 1], length == T + 1 ? tokenizer_end(&tokenizer) : windows[T - 1] + 1);
        text_free(&document);
        batches_resume(&resumed, (uint64_t)row, 0);
        next_rows(again, ignored, scored, &resumed, 1);
        assert_memory_equal(again, inputs, sizeof again);
    }
    assert_in_range(count, 80, 160); // 120, and 4 times their spread
    corpus.max = 300;
    assert_false(batches_documents(&batches, &corpus, &tokenizer, &error));
    assert_non_null(strstr(error.message, "max=299"));
    batches_end(&batches);
    batches_end(&resumed);
    tokenizer_free(&tokenizer);
    free(stream);
}

static void a_stream_shorter_than_a_window_is_refused(void **state) {
    Batches batches;
    Error error = {0};
    Stream *stream = make_stream(64);
    expect_refused(batches_start(&batches, &stream->split, "the validation split", 64, 1, &error), &error,
                   "the validation split has 64 tokens");
    assert_non_null(strstr(error.message, "need 65"));
    assert_true(batches_start(&batches, &stream->split, "x", 63, 1, &error));
    assert_int_equal(next_row(&batches), 0);
    assert_int_equal(next_row(&batches), 0);
    free(stream);
}

enum { END = 256 };

static BuiltinCorpus choose(const char *specification) {
    BuiltinCorpus task;
    Error error;
    must(builtin_choose(&task, specification, &error), &error);
    return task;
}

static Batches start_task(const BuiltinCorpus *task, uint64_t stream) {
    Batches batches;
    Error error;
    must(batches_start_task(&batches, task, stream, END, &error), &error);
    return batches;
}

// Row b of a batch whose rows have `length` tokens holds exercise `index` of the stream and nothing else.
static void check_row(const int *inputs, const int *targets, const bool *scored, int length, const Batches *batches,
                      uint64_t index) {
    Exercise exercise = {0};
    const BuiltinCorpus *task = &batches->task;
    task_write(&exercise, task, batches->key, index, task_length(task, batches->key, index));
    const int size = (int)exercise.text.size;
    assert_true(size < length);
    for (int t = 0; t < length; t++) {
        const bool asked_for = t < size ? exercise.asked.bytes[t] : t == size && exercise.asked.bytes[size - 1];
        assert_int_equal(inputs[t], t == 0 || t > size ? END : exercise.text.bytes[t - 1]);
        assert_int_equal(targets[t], t < size ? exercise.text.bytes[t] : END);
        assert_int_equal(scored[t], asked_for);
    }
    exercise_free(&exercise);
}

enum { ROWS = 8, LONGEST = 200 };

static void a_batch_of_a_task_has_an_exercise_a_row(void **state) {
    static const char *const names[] = {"copy:max=20", "addition", "flipflop:min=2,max=60", "grid", "parity"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const BuiltinCorpus task = choose(names[i]);
        Batches batches = start_task(&task, 42);
        bool shorter = false;
        uint32_t crc = 0;
        for (int round = 0; round < 50; round++) {
            int inputs[ROWS * LONGEST], targets[ROWS * LONGEST], longest = 0;
            bool scored[ROWS * LONGEST];
            const int B = 1 + round % ROWS;
            const uint64_t first = batches.cursor;
            const int length = next_rows(inputs, targets, scored, &batches, B);
            for (int b = 0; b < B; b++) {
                const size_t row = (size_t)b * (size_t)length;
                check_row(inputs + row, targets + row, scored + row, length, &batches, first + (uint64_t)b);
                int size = length; // of what is not padding
                while (size > 1 && inputs[(int)row + size - 1] == END) size--;
                if (size > longest) longest = size;
                crc = (uint32_t)crc32(crc, (const Bytef *)(inputs + row), (uInt)((size_t)size * sizeof *inputs));
            }
            assert_int_equal(length, longest);
            assert_int_equal(batches.crc, crc);
            assert_int_equal(batches.cursor, first + (uint64_t)B);
            shorter = shorter || length < batches.T;
        }
        assert_true(shorter);
        batches_end(&batches);
    }
}

static void exercises_are_the_same_however_cut_and_resumed(void **state) {
    const BuiltinCorpus task = choose("copy:max=20");
    Batches wide = start_task(&task, 42), narrow = start_task(&task, 42), other = start_task(&task, 43);
    int inputs[ROWS * LONGEST], targets[ROWS * LONGEST];
    bool scored[ROWS * LONGEST];
    uint64_t tokens = 0;
    for (int round = 0; round < 20; round++) {
        next_rows(inputs, targets, scored, &wide, ROWS);
        for (int b = 0; b < ROWS; b++) tokens += (uint64_t)next_rows(inputs, targets, scored, &narrow, 1);
        assert_int_equal(wide.crc, narrow.crc);
        assert_int_equal(wide.exercise_tokens, tokens);
        Batches resumed = start_task(&task, 42);
        batches_resume(&resumed, wide.cursor, wide.crc);
        assert_int_equal(resumed.exercise_tokens, tokens);
        int again[ROWS * LONGEST];
        Batches ahead = wide;
        const int length = next_rows(inputs, targets, scored, &ahead, ROWS);
        assert_int_equal(next_rows(again, targets, scored, &resumed, ROWS), length);
        assert_memory_equal(inputs, again, (size_t)(ROWS * length) * sizeof *inputs);
        assert_int_equal(resumed.crc, ahead.crc);
        assert_int_equal(resumed.exercise_tokens, ahead.exercise_tokens);
        wide.exercise = ahead.exercise; // which may have moved
        batches_end(&resumed);
    }
    for (int round = 0; round < 20; round++) next_rows(inputs, targets, scored, &other, ROWS);
    assert_int_not_equal(other.crc, wide.crc);
    batches_end(&wide);
    batches_end(&narrow);
    batches_end(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_window_comes_once_an_epoch),
        cmocka_unit_test(shifts_reach_every_token),
        cmocka_unit_test(same_seed_same_batches_however_cut),
        cmocka_unit_test(two_counters_resume),
        cmocka_unit_test(batches_have_not_changed),
        cmocka_unit_test(some_rows_begin_with_a_document),
        cmocka_unit_test(one_row_in_twenty_by_default),
        cmocka_unit_test(a_stream_shorter_than_a_window_is_refused),
        cmocka_unit_test(a_batch_of_a_task_has_an_exercise_a_row),
        cmocka_unit_test(exercises_are_the_same_however_cut_and_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
