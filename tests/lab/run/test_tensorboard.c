// The event file for TensorBoard: its records, what a resumed run keeps of it, and damaged files. TensorBoard itself
// reads such files in tests/interop/tensorboard.py.
#include "base/file/crc.h"
#include "base/file/text.h"
#include "lab/run/tensorboard.h"
#include "tests/lab/run/made_run.h"

#include <math.h>

// Written by TensorBoard's own code, with 1700000000 as the time: the version, and `loss/val` = 2.5 at step 7.
static const unsigned char version[] = "\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09\0\0\0\x40\xfc\x54\xd9\x41\x1a\x0d"
                                       "brain.Event:2\xec\xed\x8f\x9d";
static const unsigned char loss[] = "\x1e\0\0\0\0\0\0\0\xd9\xdc\x12\x32\x09\0\0\0\x40\xfc\x54\xd9\x41\x10\x07\x2a\x11"
                                    "\x0a\x0f\x0a\x08loss/val\x15\0\0\x20\x40\x6e\xf7\xdd\xac";
enum { VERSION_SIZE = sizeof version - 1, LOSS_SIZE = sizeof loss - 1 };

enum { PATH = SCRATCH_PATH + 128 };

static void path_of(char path[PATH], const char *seconds) {
    snprintf(path, PATH, "%s/events.out.tfevents.%s", run_directory, seconds);
}

static void read_text(Text *text, const char *path) {
    Buffer file = {0};
    Error error;
    must(file_read(&file, path, &error), &error);
    *text = (Text){0};
    text_add(text, (const char *)file.bytes, file.size);
    free(file.bytes);
}

static uint32_t masked(const void *bytes, size_t size) {
    const uint32_t crc = crc32c_bytes(bytes, size);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

// The number of records; all are whole.
static int count_records(const Text *text) {
    int count = 0;
    for (size_t at = 0; at < text->size; count++) {
        uint64_t size;
        uint32_t crc;
        assert_true(text->size - at >= 16);
        memcpy(&size, text->bytes + at, 8);
        memcpy(&crc, text->bytes + at + 8, 4);
        assert_int_equal(crc, masked(text->bytes + at, 8));
        assert_true(size <= text->size - at - 16);
        memcpy(&crc, text->bytes + at + 12 + size, 4);
        assert_int_equal(crc, masked(text->bytes + at + 12, size));
        at += 16 + size;
    }
    return count;
}

static bool holds(const Text *text, const void *bytes, size_t size) {
    for (size_t at = 0; at + size <= text->size; at++)
        if (memcmp(text->bytes + at, bytes, size) == 0) return true;
    return false;
}

static bool has_number(const Text *text, const char *tag, double number) {
    char value[100];
    const float rounded = (float)number;
    const int length = snprintf(value, sizeof value, "\x0a%c%s\x15", (char)strlen(tag), tag);
    memcpy(value + length, &rounded, 4);
    return holds(text, value, (size_t)length + 4);
}

static bool open_at(RunLog *events, long long step, Error *error) {
    options.tensorboard = true;
    trainer.progress.step = step;
    return tensorboard_open(events, &trainer, error);
}

// A file of an earlier session with these bytes -> what a session from `step` on leaves of it.
static void cut_at(Text *text, const void *bytes, size_t size, long long step) {
    char path[PATH];
    RunLog events;
    Error error;
    path_of(path, "1700000000.bitter");
    scratch_write(path, bytes, size);
    must(open_at(&events, step, &error), &error);
    log_close(&events);
    assert_string_not_equal(events.path, path);
    unlink(events.path);
    read_text(text, path);
}

// The same, which is refused, and nothing of it is changed.
static void expect_kept(const void *bytes, size_t size, long long step) {
    char path[PATH];
    Text text;
    RunLog events;
    Error error;
    path_of(path, "1700000000.bitter");
    scratch_write(path, bytes, size);
    expect_refused(open_at(&events, step, &error), &error, "is damaged");
    read_text(&text, path);
    assert_int_equal(text.size, size);
    assert_memory_equal(text.bytes, bytes, size);
    text_free(&text);
}

static void checksums_are_castagnolis(void **state) {
    assert_int_equal(crc32c_bytes("123456789", 9), 0xe3069283u);
    assert_int_equal(crc32c_bytes("", 0), 0);
}

static void numbers_and_histograms_are_written(void **state) {
    Text text;
    RunLog events;
    Error error;
    StepReport report = {.loss = 2.5, .learning_rate = 0.25, .gradient_norm = 3, .tokens = 8, .seconds = 2};
    report.validation = (Validation){NAN, NAN, NAN};
    must(open_at(&events, 0, &error), &error);
    trainer.progress.step = 300;
    must(tensorboard_row(&events, &trainer, &report, &error), &error);
    read_text(&text, events.path);
    assert_int_equal(count_records(&text), 4); // version, session, histograms of step 0, this step
    assert_true(has_number(&text, "loss/train", 2.5));
    assert_true(has_number(&text, "training/lr", 0.25));
    assert_true(has_number(&text, "training/grad_norm", 3));
    assert_true(has_number(&text, "training/tokens_per_second", 4));
    assert_true(holds(&text, "\x10\xac\x02", 3)); // step 300
    assert_true(holds(&text, "\x0a\x0fpositions/table\x2a", 18));
    assert_false(holds(&text, "loss/val", 8));
    text_free(&text);
    report.validation = (Validation){1.5, 0.75, NAN};
    must(tensorboard_row(&events, &trainer, &report, &error), &error);
    log_close(&events);
    read_text(&text, events.path);
    assert_int_equal(count_records(&text), 5);
    assert_true(has_number(&text, "loss/val", 1.5));
    assert_true(has_number(&text, "right/val", 0.75));
    text_free(&text);
}

// The numbers 0 to 31: every bucket has one, and two buckets have two.
static void buckets_hold_all_numbers(void **state) {
    Text text;
    RunLog events;
    Error error;
    double head[] = {0, 31, 32, 496, 10416}, limit = 0, sum = 0;
    for (int i = 0; i < 32; i++) trainer.gpt.pos.part[0].params[0][i] = (real)i;
    must(open_at(&events, 0, &error), &error);
    log_close(&events);
    read_text(&text, events.path);
    for (int field = 1; field <= 5; field++) {
        char bytes[9] = {(char)(field << 3 | 1)};
        memcpy(bytes + 1, &head[field - 1], 8);
        assert_true(holds(&text, bytes, 9));
    }
    const char *counts = text.bytes + text.size - 4 - 30 * 8, *limits = counts - 3 - 30 * 8; // the last field of all
    for (int b = 0; b < 30; b++) {
        double count, next;
        memcpy(&count, counts + 8 * b, 8);
        memcpy(&next, limits + 8 * b, 8);
        assert_true(count == 1 || count == 2);
        assert_true(next > limit);
        sum += count;
        limit = next;
    }
    assert_true(sum == 32 && limit == 31);
    text_free(&text);
}

static void events_after_the_checkpoint_are_cut(void **state) {
    char foreign[PATH];
    unsigned char file[VERSION_SIZE + LOSS_SIZE];
    Text text;
    RunLog events;
    Error error;
    memcpy(file, version, VERSION_SIZE);
    memcpy(file + VERSION_SIZE, loss, LOSS_SIZE);
    path_of(foreign, "1700000000.other");
    scratch_write(foreign, file, sizeof file);
    for (long long step = 0; step <= 8; step++) {
        cut_at(&text, file, sizeof file, step);
        assert_int_equal(text.size, VERSION_SIZE + (step >= 7 ? LOSS_SIZE : 0));
        assert_memory_equal(text.bytes, file, text.size);
        text_free(&text);
    }
    read_text(&text, foreign);
    assert_int_equal(text.size, sizeof file);
    text_free(&text);
    must(open_at(&events, 300, &error), &error);
    log_close(&events);
    read_text(&text, events.path);
    assert_int_equal(count_records(&text), 2);                    // no histograms but at the start
    assert_true(holds(&text, "\x10\xad\x02\x3a\x02\x08\x01", 7)); // SessionLog START at step 301
    text_free(&text);
}

static void without_the_option_there_is_no_file(void **state) {
    StepReport report = {.validation = {NAN, NAN}};
    const int before = scratch_count(run_directory);
    RunLog events;
    Error error;
    options.tensorboard = false;
    must(tensorboard_open(&events, &trainer, &error), &error);
    assert_null(events.stream);
    must(tensorboard_row(&events, &trainer, &report, &error), &error);
    log_close(&events);
    assert_int_equal(scratch_count(run_directory), before);
}

// TensorBoard reads files in the order of their names, so that a new one comes last even if the clock was set back.
static void a_new_file_is_the_last(void **state) {
    char path[PATH], next[PATH];
    RunLog events;
    Error error;
    path_of(path, "9999999998.bitter");
    path_of(next, "9999999999.bitter");
    scratch_write(path, "", 0);
    must(open_at(&events, 1, &error), &error);
    log_close(&events);
    assert_string_equal(events.path, next);
}

// Every truncation and every flipped bit: the records before it stay. Before the checkpoint's summary, a flipped bit is
// no kill's, and nothing is cut.
static void what_is_damaged_is_cut(void **state) {
    enum { SIZE = VERSION_SIZE + 2 * LOSS_SIZE };
    unsigned char file[SIZE], damaged[SIZE];
    Text text;
    memcpy(file, version, VERSION_SIZE);
    memcpy(file + VERSION_SIZE, loss, LOSS_SIZE);
    memcpy(file + VERSION_SIZE + LOSS_SIZE, loss, LOSS_SIZE);
    for (size_t at = 0; at < SIZE; at++) {
        const size_t kept = at < VERSION_SIZE               ? 0
                            : at < VERSION_SIZE + LOSS_SIZE ? VERSION_SIZE
                                                            : VERSION_SIZE + LOSS_SIZE;
        cut_at(&text, file, at, 7);
        assert_int_equal(text.size, kept);
        text_free(&text);
        for (int bit = 0; bit < 8; bit++) {
            memcpy(damaged, file, SIZE);
            damaged[at] ^= (unsigned char)(1 << bit);
            if (at < VERSION_SIZE + LOSS_SIZE) {
                expect_kept(damaged, SIZE, 7);
                continue;
            }
            cut_at(&text, damaged, SIZE, 7);
            assert_int_equal(text.size, kept);
            text_free(&text);
        }
    }
}

// Right checksums over nonsense: what is no summary stays, and what states a wrong length does not.
static void hostile_records_are_survived(void **state) {
    static const struct {
        const char *event;
        size_t size;
        uint64_t stated; // the length that the record states
        bool stays;
    } cases[] = {
        {"", 0, 0, true},
        {"", 0, UINT64_MAX, false},
        {"", 0, UINT64_MAX - 15, false},
        {"", 0, 1, false},
        {"\x09", 1, 1, true},
        {"\x09tttttttt", 9, 9, true},
        {"\x09tttttttt\x10", 10, 10, true},
        {"\x09tttttttt\x10\xff\xff", 12, 12, true},
        {"\x09tttttttt\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x2a", 22, 22, true},
        {"\x09tttttttt\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x2a", 20, 20, false}, // the largest step
        {"\x09tttttttt\x10\x08", 11, 11, true},
        {"\x0atttttttt\x10\x08\x2a", 12, 12, true},
        {"\x09tttttttt\x10\x08\x2a", 12, 12, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char record[64];
        Text text;
        const uint32_t first = masked(&cases[i].stated, 8), second = masked(cases[i].event, cases[i].size);
        memcpy(record, &cases[i].stated, 8);
        memcpy(record + 8, &first, 4);
        memcpy(record + 12, cases[i].event, cases[i].size);
        memcpy(record + 12 + cases[i].size, &second, 4);
        cut_at(&text, record, 16 + cases[i].size, 7);
        assert_int_equal(text.size, cases[i].stays ? 16 + cases[i].size : 0);
        text_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_are_castagnolis),
        cmocka_unit_test_setup_teardown(numbers_and_histograms_are_written, make_run, remove_run),
        cmocka_unit_test_setup_teardown(buckets_hold_all_numbers, make_run, remove_run),
        cmocka_unit_test_setup_teardown(events_after_the_checkpoint_are_cut, make_run, remove_run),
        cmocka_unit_test_setup_teardown(without_the_option_there_is_no_file, make_run, remove_run),
        cmocka_unit_test_setup_teardown(a_new_file_is_the_last, make_run, remove_run),
        cmocka_unit_test_setup_teardown(what_is_damaged_is_cut, make_run, remove_run),
        cmocka_unit_test_setup_teardown(hostile_records_are_survived, make_run, remove_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
