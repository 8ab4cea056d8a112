// An event file is a sequence of records (TensorFlow's TFRecord), each of which holds one Event, a message of protocol
// buffers. tensorflow/core/lib/io/record_writer.cc, util/event.proto and framework/summary.proto define them.
#include "lab/run/tensorboard.h"

#include "base/file/crc.h"
#include "base/file/text.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PREFIX  "events.out.tfevents."
#define SUFFIX  ".bitter"
#define BUCKETS 30 // of a histogram, as many as TensorBoard's own writer makes

// The key of a field: its number and the type of what follows.
#define FIXED64(field) ((char)((field) << 3 | 1))
#define VARINT(field)  ((char)((field) << 3 | 0))
#define BYTES(field)   ((char)((field) << 3 | 2))
#define FIXED32(field) ((char)((field) << 3 | 5))
enum { EVENT_TIME = 1, EVENT_STEP = 2, EVENT_VERSION = 3, EVENT_SUMMARY = 5, EVENT_SESSION = 7 };
enum { SUMMARY_VALUE = 1, VALUE_TAG = 1, VALUE_NUMBER = 2, VALUE_HISTOGRAM = 5 };

// --- protocol buffers ---

static void put_varint(Text *out, char key, uint64_t value) {
    char bytes[11] = {key};
    size_t size = 1;
    for (; value > 127; value >>= 7) bytes[size++] = (char)(value | 128);
    bytes[size++] = (char)value;
    text_add(out, bytes, size);
}

static void put_double(Text *out, char key, double value) {
    text_add(out, &key, 1);
    text_add(out, (const char *)&value, sizeof value);
}

static void put_bytes(Text *out, char key, const void *bytes, size_t size) {
    put_varint(out, key, size);
    text_add(out, bytes, size);
}

// Add `part` as a field of `out`, and release it.
static void put_message(Text *out, char key, Text *part) {
    put_bytes(out, key, part->bytes, part->size);
    out->failed = out->failed || part->failed;
    text_free(part);
}

// Add a value to a summary: its tag, and the field that `field` holds. Releases `field`.
static void put_value(Text *summary, const char *tag, Text *field) {
    Text value = {0};
    put_bytes(&value, BYTES(VALUE_TAG), tag, strlen(tag));
    text_add(&value, field->bytes, field->size);
    value.failed = value.failed || field->failed;
    text_free(field);
    put_message(summary, BYTES(SUMMARY_VALUE), &value);
}

static void put_number(Text *summary, const char *tag, double number) {
    const float value = (float)number;
    const char key = FIXED32(VALUE_NUMBER);
    Text field = {0};
    text_add(&field, &key, 1);
    text_add(&field, (const char *)&value, sizeof value);
    put_value(summary, tag, &field);
}

// A histogram of finite numbers (count > 0), in buckets of equal width from the smallest to the largest.
static void put_histogram(Text *summary, const char *tag, const real *numbers, size_t count) {
    double least = numbers[0], most = numbers[0], sum = 0, squares = 0, limits[BUCKETS], found[BUCKETS] = {0};
    for (size_t i = 0; i < count; i++) {
        const double x = numbers[i];
        least = fmin(least, x);
        most = fmax(most, x);
        sum += x;
        squares += x * x;
    }
    for (int b = 0; b < BUCKETS; b++) limits[b] = least + (most - least) * (b + 1) / BUCKETS;
    for (size_t i = 0; i < count; i++) {
        int b = 0;
        while (b < BUCKETS - 1 && (double)numbers[i] > limits[b]) b++;
        found[b]++;
    }
    Text histogram = {0}, field = {0};
    put_double(&histogram, FIXED64(1), least);
    put_double(&histogram, FIXED64(2), most);
    put_double(&histogram, FIXED64(3), (double)count);
    put_double(&histogram, FIXED64(4), sum);
    put_double(&histogram, FIXED64(5), squares);
    put_bytes(&histogram, BYTES(6), limits, sizeof limits);
    put_bytes(&histogram, BYTES(7), found, sizeof found);
    put_message(&field, BYTES(VALUE_HISTOGRAM), &histogram);
    put_value(summary, tag, &field);
}

static void put_positions(Text *summary, const Gpt *gpt) {
    const Tensor *tensor;
    for (int i = 0; (tensor = gpt_position_tensor(gpt, i)); i++) {
        char tag[sizeof tensor->name + 16];
        snprintf(tag, sizeof tag, "positions/%s", strchr(tensor->name, '.') + 1);
        put_histogram(summary, tag, gpt->params + tensor->offset, tensor->count);
    }
}

// --- records ---

// The checksum of a record: masked, because records may hold records.
static uint32_t masked_crc(const void *bytes, size_t size) {
    const uint32_t crc = crc32c_bytes(bytes, size);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void put_record(Text *out, const void *bytes, size_t size) {
    const uint64_t length = size;
    const uint32_t length_crc = masked_crc(&length, sizeof length), crc = masked_crc(bytes, size);
    text_add(out, (const char *)&length, sizeof length);
    text_add(out, (const char *)&length_crc, sizeof length_crc);
    text_add(out, bytes, size);
    text_add(out, (const char *)&crc, sizeof crc);
}

// Append a record whose event has the field `key` with this content. Releases `content`.
static void put_event(Text *out, long long step, char key, Text *content) {
    struct timespec now;
    Text event = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    put_double(&event, FIXED64(EVENT_TIME), (double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
    if (step > 0) put_varint(&event, VARINT(EVENT_STEP), (uint64_t)step);
    put_message(&event, key, content);
    if (!event.failed) put_record(out, event.bytes, event.size);
    out->failed = out->failed || event.failed;
    text_free(&event);
}

// What a file begins with: its version, and a SessionLog with status START. TensorBoard then forgets the events after
// `step` that it has read in this directory before. At step 0, histograms follow.
static void put_start(Text *out, const Gpt *gpt, long long step) {
    static const char version[] = "brain.Event:2";
    Text content = {0};
    text_add(&content, version, strlen(version));
    put_event(out, 0, BYTES(EVENT_VERSION), &content);
    put_varint(&content, VARINT(1), 1);
    put_event(out, step > 0 ? step + 1 : 0, BYTES(EVENT_SESSION), &content);
    if (step > 0 || !gpt_position_tensor(gpt, 0)) return;
    put_positions(&content, gpt);
    put_event(out, 0, BYTES(EVENT_SUMMARY), &content);
}

static bool write_text(RunLog *log, Text *text, Error *error) {
    const bool enough = !text->failed;
    const bool ok = enough && fwrite(text->bytes, 1, text->size, log->stream) == text->size && fflush(log->stream) == 0;
    text_free(text);
    return ok || (enough ? log_failed(log, error) : fail_run(error, "no memory for an event of %s", log->path));
}

bool tensorboard_row(RunLog *events, const Trainer *trainer, const StepReport *report, Error *error) {
    Text summary = {0}, record = {0};
    if (!events->stream) return true;
    put_number(&summary, "loss/train", report->loss);
    put_number(&summary, "training/lr", report->learning_rate);
    put_number(&summary, "training/grad_norm", report->gradient_norm);
    put_number(&summary, "training/tokens_per_second", (double)report->tokens / report->seconds);
    if (!isnan(report->validation.right)) put_number(&summary, "right/val", report->validation.right);
    if (!isnan(report->validation.loss)) {
        put_number(&summary, "loss/val", report->validation.loss);
        put_positions(&summary, &trainer->gpt);
    }
    put_event(&record, (long long)trainer->progress.step, BYTES(EVENT_SUMMARY), &summary);
    return write_text(events, &record, error);
}

// --- what a resumed run keeps ---

// The step of an event with a summary, as put_event writes it; -1 for any other.
static long long summary_step(const uint8_t *event, uint64_t size) {
    uint64_t at = 1 + sizeof(double), step = 0;
    if (at >= size || event[0] != FIXED64(EVENT_TIME)) return -1;
    if (event[at] == VARINT(EVENT_STEP)) {
        int shift = 0;
        do {
            if (++at >= size || shift > 56) return -1;
            step |= (uint64_t)(event[at] & 127) << shift;
            shift += 7;
        } while (event[at] & 128);
        at++;
    }
    return at < size && event[at] == BYTES(EVENT_SUMMARY) ? (long long)step : -1;
}

static uint32_t stored_crc(const uint8_t *at) {
    uint32_t crc;
    memcpy(&crc, at, sizeof crc);
    return crc;
}

// The bytes of an event file up to the first summary after `step`, or the first record that is damaged or incomplete.
// *damaged is set to whether a damaged record stands before the summary of `step`, which was on disk when the
// checkpoint was saved; what a killed process wrote after it may end in anything.
static size_t kept_bytes(bool *damaged, const Buffer *file, long long step) {
    const size_t head = sizeof(uint64_t) + sizeof(uint32_t), tail = sizeof(uint32_t);
    size_t at = 0;
    long long last = -1;
    *damaged = false;
    while (file->size - at >= head + tail) {
        const uint8_t *record = file->bytes + at, *event = record + head;
        uint64_t size;
        memcpy(&size, record, sizeof size);
        const bool sized = masked_crc(record, sizeof size) == stored_crc(record + sizeof size);
        if (sized && size > file->size - at - head - tail) break;
        if (!sized || masked_crc(event, size) != stored_crc(event + size)) {
            *damaged = last < step;
            break;
        }
        const long long here = summary_step(event, size);
        if (here > step) break;
        if (here > last) last = here;
        at += head + size + tail;
    }
    return at;
}

static bool cut(const char *path, long long step, Error *error) {
    Buffer file = {0};
    if (!file_read(&file, path, error)) return false;
    bool damaged;
    const size_t kept = kept_bytes(&damaged, &file, step);
    free(file.bytes);
    if (damaged)
        return fail_input(error, "%s is damaged at byte %zu; restore it, or remove it to go on without its events",
                          path, kept);
    return kept == file.size || truncate(path, (off_t)kept) == 0 ||
           fail_run(error, "cannot shorten %s: %s", path, strerror(errno));
}

// Cut all event files of the directory, and set *newest to the largest SECONDS of their names, or to 0.
static bool cut_all(long long *newest, const char *directory, long long step, Error *error) {
    bool ok = true;
    *newest = 0;
    DIR *entries = opendir(directory);
    if (!entries) return fail_run(error, "cannot list %s: %s; check the disk", directory, strerror(errno));
    for (const struct dirent *entry; (entry = directory_next(entries));) {
        long long seconds;
        char path[PATH_CAPACITY], end;
        if (!path_ends_with(entry->d_name, SUFFIX)) continue;
        if (sscanf(entry->d_name, PREFIX "%18lld%c", &seconds, &end) != 2 || end != '.') continue;
        if (seconds > *newest) *newest = seconds;
        ok = ok && path_format(path, error, "%s/%s", directory, entry->d_name) && cut(path, step, error);
    }
    return directory_end(entries, directory, error) && ok;
}

bool tensorboard_open(RunLog *events, const Trainer *trainer, Error *error) {
    const char *directory = trainer->options->out;
    const long long step = (long long)trainer->progress.step;
    Text start = {0};
    long long newest;
    AtomicFile file;
    *events = (RunLog){0};
    if (!trainer->options->tensorboard) return true;
    if (!cut_all(&newest, directory, step > 0 ? step : -1, error)) return false;
    const long long now = (long long)time(NULL);
    put_start(&start, &trainer->gpt, step);
    // TensorBoard reads the files of a directory in the order of their names.
    const bool ok =
        path_format(events->path, error, "%s/" PREFIX "%lld" SUFFIX, directory, now > newest ? now : newest + 1) &&
        (!start.failed || fail_run(error, "no memory for the events of %s", directory)) &&
        atomic_open(&file, events->path, error) && atomic_write(&file, start.bytes, start.size, error) &&
        atomic_commit(&file, error);
    text_free(&start);
    if (!ok) return false;
    events->stream = file_append(events->path);
    return events->stream || fail_run(error, "cannot append to %s: %s", events->path, strerror(errno));
}
