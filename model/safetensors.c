#include "model/safetensors.h"

#include "base/file/crc.h"
#include "num/tensor.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_MOST 100000000 // bytes, as the format says

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {[DTYPE_F32] = {"F32", 4}, [DTYPE_F64] = {"F64", 8}, [DTYPE_I64] = {"I64", 8}};

static size_t bytes_of(const SafeTensor *tensor) {
    size_t bytes = dtypes[tensor->dtype].size;
    for (int axis = 0; axis < tensor->rank; axis++) bytes *= (size_t)tensor->shape[axis];
    return bytes;
}

// {dtype, shape, data_offsets} of each tensor, in the order of the list and without gaps. *size = bytes of all tensors.
static json_t *header_of(size_t *size, const SafeTensor *tensors, int count) {
    json_t *header = json_object();
    *size = 0;
    for (const SafeTensor *t = tensors; t < tensors + count; t++) {
        json_t *shape = json_array();
        for (int axis = 0; axis < t->rank; axis++) json_array_append_new(shape, json_integer(t->shape[axis]));
        const size_t begin = *size;
        *size += bytes_of(t);
        json_object_set_new(header, t->name,
                            json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtypes[t->dtype].name, "shape", shape,
                                      "data_offsets", (json_int_t)begin, (json_int_t)*size));
    }
    return header;
}

// Fails (input) because a tensor is not the one that was expected.
static bool fail_entry(const char *path, const char *name, const json_t *found, const json_t *wanted, Error *error) {
    char *texts[] = {json_dumps(found, JSON_COMPACT | JSON_ENCODE_ANY), json_dumps(wanted, JSON_COMPACT)};
    fail_input(error, "%s: tensor %s is %.200s, but config.json asks for %.200s; the two files do not belong together",
               path, name, texts[0] ? texts[0] : "", texts[1] ? texts[1] : "");
    free(texts[0]);
    free(texts[1]);
    return false;
}

// Does the header describe these tensors?
static bool check_header(size_t *size, const json_t *header, const SafeTensor *tensors, int count, const char *path,
                         Error *error) {
    json_t *wanted = header_of(size, tensors, count);
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        if (!json_object_get(header, tensors[i].name))
            ok = fail_input(error,
                            "%s lacks the tensor %s that config.json asks for; the two files do not belong together",
                            path, tensors[i].name);
    if (ok && json_object_size(header) != (size_t)count + 1)
        ok =
            fail_input(error, "%s holds %zu tensors, but config.json asks for %d; the two files do not belong together",
                       path, json_object_size(header) - 1, count);
    for (int i = 0; ok && i < count; i++) {
        const char *name = tensors[i].name;
        const json_t *found = json_object_get(header, name), *own = json_object_get(wanted, name);
        ok = json_equal(found, own) || fail_entry(path, name, found, own, error);
    }
    json_decref(wanted);
    return ok;
}

// A number at `bytes`, which may be unaligned.
static double number_at(const uint8_t *bytes, Dtype dtype) {
    union {
        float f32;
        double f64;
        int64_t i64;
    } number;
    memcpy(&number, bytes, dtypes[dtype].size);
    return dtype == DTYPE_F32 ? (double)number.f32 : dtype == DTYPE_F64 ? number.f64 : (double)number.i64;
}

// A checksum says that the numbers are those that were written, not that they are any good.
static bool check_numbers(const uint8_t *data, const SafeTensor *tensors, int count, const char *path, Error *error) {
    for (int i = 0; i < count; i++) {
        const SafeTensor *t = &tensors[i];
        const size_t size = dtypes[t->dtype].size, numbers = bytes_of(t) / size;
        for (size_t n = 0; n < numbers; n++, data += size) {
            const double number = number_at(data, t->dtype);
            if (isfinite(number) && !(t->nonnegative && number < 0)) continue;
            char place[64];
            number_place(place, n, t->rank > 1 ? (size_t)t->shape[t->rank - 1] : 0);
            return fail_input(
                error,
                "%s: %s of %s is %g, which no sound model has; use another checkpoint, or a smaller --lr in "
                "a new run",
                path, place, t->name, number);
        }
    }
    return true;
}

bool safetensors_write(const char *path, const SafeTensor *tensors, int count, Error *error) {
    for (int i = 0; i < count; i++) // what would be refused when it is read
        if (!check_numbers(tensors[i].data, &tensors[i], 1, path, error)) {
            error->kind = ERROR_NONFINITE;
            return false;
        }
    size_t size;
    uint32_t crc = 0;
    char hex[CRC_CAPACITY];
    json_t *header = header_of(&size, tensors, count);
    for (int i = 0; i < count; i++) crc = crc_bytes(crc, tensors[i].data, bytes_of(&tensors[i]));
    json_object_set_new(header, "__metadata__", json_pack("{s:s, s:s}", "format", "pt", "crc32", crc_text(hex, crc)));
    char *text = json_dumps(header, JSON_COMPACT);
    json_decref(header);
    if (!text) return fail_run(error, "cannot write %s: no memory for its header", path);
    uint64_t length = strlen(text), padded = (length + 7) / 8 * 8;

    AtomicFile file;
    bool ok = atomic_open(&file, path, error);
    ok = ok && atomic_write(&file, &padded, sizeof padded, error) && atomic_write(&file, text, length, error) &&
         atomic_write(&file, "        ", padded - length, error);
    for (int i = 0; ok && i < count; i++) ok = atomic_write(&file, tensors[i].data, bytes_of(&tensors[i]), error);
    ok = ok && atomic_commit(&file, error);
    free(text);
    return ok;
}

json_t *safetensors_header(size_t *start, const Buffer *file, const char *path, Error *error) {
    uint64_t length = 0;
    if (file->size >= sizeof length) memcpy(&length, file->bytes, sizeof length);
    if (length < 2 || length > HEADER_MOST || length > file->size - sizeof length) {
        fail_input(error, "%s is not a safetensors file, or is cut short (%zu bytes); use another checkpoint", path,
                   file->size);
        return NULL;
    }
    json_t *header = json_loadb((const char *)file->bytes + sizeof length, length, JSON_REJECT_DUPLICATES, NULL);
    *start = sizeof length + length;
    if (json_is_object(header)) return header;
    fail_input(error, "%s: its header is not JSON; the file is damaged, use another checkpoint", path);
    json_decref(header);
    return NULL;
}

static bool read_tensors(const Buffer *file, json_t **header, const SafeTensor *tensors, int count, const char *path,
                         Error *error) {
    size_t start, size;
    const char *format, *crc;
    char hex[CRC_CAPACITY];
    *header = safetensors_header(&start, file, path, error);
    if (!*header) return false;
    if (json_unpack(*header, "{s:{s:s, s:s}}", "__metadata__", "format", &format, "crc32", &crc) ||
        strcmp(format, "pt"))
        return fail_input(error, "%s has no crc32 in its __metadata__, so it was not written by bitter, or is damaged",
                          path);
    if (tensors->optional && !json_object_get(*header, tensors->name)) {
        tensors++;
        count--;
    }
    if (!check_header(&size, *header, tensors, count, path, error)) return false;
    const uint8_t *data = file->bytes + start;
    if (file->size - start != size || strcmp(crc, crc_text(hex, crc_bytes(0, data, size))) != 0)
        return fail_input(error,
                          "%s: its %zu bytes of data, of %zu, do not match its CRC-32 %.20s; the file is cut short or "
                          "damaged, use another checkpoint",
                          path, file->size - start, size, crc);
    if (!check_numbers(data, tensors, count, path, error)) return false;
    for (int i = 0; i < count; data += bytes_of(&tensors[i]), i++) memcpy(tensors[i].data, data, bytes_of(&tensors[i]));
    return true;
}

bool safetensors_read(const char *path, const SafeTensor *tensors, int count, Error *error) {
    Buffer file;
    json_t *header = NULL;
    const bool ok = file_read(&file, path, error) && read_tensors(&file, &header, tensors, count, path, error);
    json_decref(header);
    free(file.bytes);
    return ok;
}
