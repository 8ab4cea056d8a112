// safetensors files are read back bit for bit and laid out as the format says; a damaged or wrong file is never
// accepted, and changes nothing.
#include "model/safetensors.h"
#include "tests/support/directory.h"
#include "tests/support/support.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <zlib.h>

static char path[SCRATCH_PATH + 32];

static int make_paths(void **state) {
    make_directory(state);
    snprintf(path, sizeof path, "%s/model.safetensors", directory);
    return 0;
}

// A file of three small tensors of every type, so that each of its bits can be tried.
typedef struct {
    float weight[6];
    double second[2];
    int64_t counters[3];
} Numbers;

enum { TENSORS = 3 };

static const Numbers original = {{1.5f, -0.0f, 3e-42f, 1e38f, -7, 0.1f}, {1.0 / 3, -1e300}, {42, INT64_MIN, INT64_MAX}};

static void list_of(SafeTensor tensors[TENSORS], Numbers *numbers) {
    tensors[0] = (SafeTensor){"weight", DTYPE_F32, 2, {2, 3}, numbers->weight, false, false};
    tensors[1] = (SafeTensor){"second", DTYPE_F64, 1, {2}, numbers->second, false, false};
    tensors[2] = (SafeTensor){"counters", DTYPE_I64, 1, {3}, numbers->counters, false, false};
}

static Buffer write_original(void) {
    Numbers numbers = original;
    SafeTensor tensors[TENSORS];
    Error error;
    list_of(tensors, &numbers);
    must(safetensors_write(path, tensors, TENSORS, &error), &error);
    return read_file(path);
}

// Read into memory full of 0xA5. Taken: it must hold exactly the original; refused: it must be untouched.
static bool read_exactly_or_not(const SafeTensor *list, Numbers *numbers, Error *error) {
    Numbers untouched;
    memset(&untouched, 0xA5, sizeof untouched);
    *numbers = untouched;
    *error = (Error){0};
    const bool taken = safetensors_read(path, list, TENSORS, error);
    assert_memory_equal(numbers, taken ? &original : &untouched, sizeof *numbers);
    if (!taken) assert_int_equal(error->kind, ERROR_INPUT);
    if (!taken) assert_non_null(strstr(error->message, path));
    return taken;
}

static bool taken(void) {
    Numbers numbers;
    SafeTensor tensors[TENSORS];
    Error error;
    list_of(tensors, &numbers);
    return read_exactly_or_not(tensors, &numbers, &error);
}

static void every_type_comes_back_to_the_bit(void **state) {
    free(write_original().bytes);
    assert_true(taken());
    assert_int_equal(scratch_count(directory), 1); // no temporary file stays
}

static void check_entry(const json_t *header, const SafeTensor *tensor, const char *dtype, json_int_t begin,
                        json_int_t end) {
    const json_t *entry = json_object_get(header, tensor->name), *shape = json_object_get(entry, "shape");
    const json_t *offsets = json_object_get(entry, "data_offsets");
    assert_int_equal(json_object_size(entry), 3);
    assert_string_equal(json_string_value(json_object_get(entry, "dtype")), dtype);
    assert_int_equal(json_array_size(shape), tensor->rank);
    for (int axis = 0; axis < tensor->rank; axis++)
        assert_int_equal(json_integer_value(json_array_get(shape, (size_t)axis)), tensor->shape[axis]);
    assert_int_equal(json_array_size(offsets), 2);
    assert_int_equal(json_integer_value(json_array_get(offsets, 0)), begin);
    assert_int_equal(json_integer_value(json_array_get(offsets, 1)), end);
}

static void the_layout_is_safetensors_s(void **state) {
    Buffer file = write_original();
    uint64_t N = 0;
    for (int i = 7; i >= 0; i--) N = N << 8 | file.bytes[i]; // little-endian
    assert_int_equal(N % 8, 0);
    assert_int_equal(file.size, 8 + N + 24 + 16 + 24);
    assert_int_equal(file.bytes[8], '{');
    json_t *header = json_loadb((const char *)file.bytes + 8, N, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_object(header));
    assert_int_equal(json_object_size(header), TENSORS + 1);
    Numbers numbers = original;
    SafeTensor tensors[TENSORS];
    list_of(tensors, &numbers);
    check_entry(header, &tensors[0], "F32", 0, 24);
    check_entry(header, &tensors[1], "F64", 24, 40);
    check_entry(header, &tensors[2], "I64", 40, 64);
    assert_memory_equal(file.bytes + 8 + N, original.weight, 24);
    assert_memory_equal(file.bytes + 8 + N + 24, original.second, 16);
    assert_memory_equal(file.bytes + 8 + N + 40, original.counters, 24);

    json_t *metadata = json_object_get(header, "__metadata__"), *value;
    const char *key;
    json_object_foreach(metadata, key, value) assert_true(json_is_string(value));
    assert_string_equal(json_string_value(json_object_get(metadata, "format")), "pt");
    char crc[9];
    snprintf(crc, sizeof crc, "%08" PRIx32, (uint32_t)crc32(0, file.bytes + 8 + N, 64));
    assert_string_equal(json_string_value(json_object_get(metadata, "crc32")), crc);
    json_decref(header);
    free(file.bytes);
}

// The damage is done in place, because writing a new file would wait for the disk each time.
static void every_shorter_file_is_refused(void **state) {
    Buffer file = write_original();
    for (size_t size = file.size; size-- > 0;) {
        assert_int_equal(truncate(path, (off_t)size), 0);
        if (taken()) fail_msg("taken when cut to %zu of %zu bytes", size, file.size);
    }
    free(file.bytes);
}

static void no_flipped_bit_changes_a_number(void **state) {
    Buffer file = write_original();
    const size_t header = 8, data = file.size - 64;
    int harmless = 0;
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        flip_bit(path, bit);
        if (taken()) {
            if (bit / 8 < header || bit / 8 >= data) fail_msg("bit %zu of the size or the data may flip", bit);
            harmless++;
        }
        flip_bit(path, bit);
    }
    assert_true(harmless <= 8); // the CRC's letters may change their case
    free(file.bytes);
}

// A file with this header, padded, before the original's 64 bytes of data.
static bool header_taken(const char *header) {
    Buffer file = write_original();
    const uint64_t length = strlen(header);
    uint8_t *crafted = malloc(8 + length + 64);
    memcpy(crafted, &length, 8);
    memcpy(crafted + 8, header, length);
    memcpy(crafted + 8 + length, file.bytes + file.size - 64, 64);
    scratch_write(path, crafted, 8 + length + 64);
    free(crafted);
    free(file.bytes);
    return taken();
}

#define WEIGHT        "\"weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}"
#define SECOND        "\"second\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[24,40]}"
#define COUNTERS      "\"counters\":{\"dtype\":\"I64\",\"shape\":[3],\"data_offsets\":[40,64]}"
#define METADATA(CRC) "\"__metadata__\":{\"format\":\"pt\",\"crc32\":\"" CRC "\"}"

static void crafted_headers_are_refused(void **state) {
    Buffer file = write_original();
    char crc[9], header[1024];
    snprintf(crc, sizeof crc, "%08" PRIx32, (uint32_t)crc32(0, file.bytes + file.size - 64, 64));
    free(file.bytes);
    static const char *const good[] = {"{" WEIGHT "," SECOND "," COUNTERS "," METADATA("%s") "}",
                                       "{ " METADATA("%s") ", " COUNTERS ",\n" SECOND ", " WEIGHT
                                                           " }  "}; // another writer's order and spaces
    for (size_t i = 0; i < COUNT(good); i++) {
        snprintf(header, sizeof header, good[i], crc);
        if (!header_taken(header)) fail_msg("refused: %s", header);
    }
    static const char *const bad[] = {
        "{" WEIGHT "," SECOND "," COUNTERS "}",
        "{" WEIGHT "," SECOND "," COUNTERS ",\"__metadata__\":{\"format\":\"pt\"}}",
        "{" WEIGHT "," SECOND "," COUNTERS ",\"__metadata__\":{\"format\":\"pt\",\"crc32\":7}}",
        "{" WEIGHT "," SECOND "," COUNTERS "," METADATA("00000000") "}",
        "{" WEIGHT "," SECOND "," COUNTERS "," METADATA("") "}",
        "{" WEIGHT "," WEIGHT "," SECOND "," COUNTERS "," METADATA("%s") "}",
        "{" WEIGHT "," SECOND "," METADATA("%s") "}",
        "{" WEIGHT "," SECOND "," COUNTERS ",\"more\":{}," METADATA("%s") "}",
        "{\"weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[-24,0]}," SECOND "," COUNTERS
        "," METADATA("%s") "}",
        "{\"weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[24,0]}," SECOND "," COUNTERS
        "," METADATA("%s") "}",
        "{\"weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0]}," SECOND "," COUNTERS
        "," METADATA("%s") "}",
        "{\"weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[8,32]}," SECOND "," COUNTERS
        "," METADATA("%s") "}",
        "{\"weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,9223372036854775807]}," SECOND "," COUNTERS
        "," METADATA("%s") "}",
        "{\"weight\":{\"dtype\":\"F32\",\"shape\":[3,2],\"data_offsets\":[0,24]}," SECOND "," COUNTERS
        "," METADATA("%s") "}",
        "{\"weight\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[0,24]}," SECOND "," COUNTERS
        "," METADATA("%s") "}",
        "{\"weight\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,24]}," SECOND "," COUNTERS
        "," METADATA("%s") "}",
        "{\"weight\":7," SECOND "," COUNTERS "," METADATA("%s") "}",
        "["
        "1"
        "]",
        "null",
        "{}",
        "{",
        "  "};
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(header, sizeof header, bad[i], crc);
        if (header_taken(header)) fail_msg("taken: %s", header);
    }
}

static void impossible_header_sizes_are_refused(void **state) {
    static const uint64_t sizes[] = {0, 1, 100000001, UINT64_MAX, UINT64_MAX - 7, (uint64_t)1 << 63};
    Buffer file = write_original();
    for (size_t i = 0; i < COUNT(sizes); i++) {
        memcpy(file.bytes, &sizes[i], 8);
        scratch_write(path, file.bytes, file.size);
        assert_false(taken());
    }
    free(file.bytes);
}

static void expect_refusal(const SafeTensor *tensors, int count, const char *part) {
    Error error = {0};
    expect_refused(safetensors_read(path, tensors, count, &error), &error, part);
}

static void another_list_of_tensors_is_refused(void **state) {
    free(write_original().bytes);
    Numbers numbers, untouched;
    memset(&untouched, 0xA5, sizeof untouched);
    numbers = untouched;
    SafeTensor list[TENSORS + 1];
    list_of(list, &numbers);
    list[TENSORS] = (SafeTensor){"absent", DTYPE_F32, 1, {1}, numbers.weight, false, false};
    expect_refusal(list, TENSORS + 1, "lacks the tensor absent");
    expect_refusal(list, TENSORS - 1, "holds 3 tensors, but config.json asks for 2");
    list[0].dtype = DTYPE_F64;
    expect_refusal(list, TENSORS, "weight");
    list[0] = (SafeTensor){"weight", DTYPE_F32, 2, {3, 2}, numbers.weight, false, false};
    expect_refusal(list, TENSORS, "[3,2]");
    list[0] = (SafeTensor){"weight", DTYPE_F32, 1, {6}, numbers.weight, false, false};
    expect_refusal(list, TENSORS, "[6]");
    assert_memory_equal(&numbers, &untouched, sizeof numbers);
}

// Files are limited to 300 bytes, as if the disk were full in the middle of the write.
static void a_failed_write_leaves_the_old_file(void **state) {
    Buffer before = write_original(), after;
    Numbers other = original;
    SafeTensor tensors[TENSORS];
    Error error = {0};
    struct rlimit limit, tight;
    list_of(tensors, &other);
    other.weight[0] = 2;
    assert_true(before.size > 300);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    tight = limit;
    tight.rlim_cur = 300;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const bool written = safetensors_write(path, tensors, TENSORS, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_false(written);
    assert_int_equal(error.kind, ERROR_RUN);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(scratch_count(directory), 1); // no temporary file stays
    after = read_file(path);
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.bytes, before.bytes, before.size);
    free(before.bytes);
    free(after.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_comes_back_to_the_bit),   cmocka_unit_test(the_layout_is_safetensors_s),
        cmocka_unit_test(every_shorter_file_is_refused),      cmocka_unit_test(no_flipped_bit_changes_a_number),
        cmocka_unit_test(crafted_headers_are_refused),        cmocka_unit_test(impossible_header_sizes_are_refused),
        cmocka_unit_test(another_list_of_tensors_is_refused), cmocka_unit_test(a_failed_write_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, make_paths, remove_directory);
}
