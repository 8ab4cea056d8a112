#include "exchange/weights.h"

#include "base/file/crc.h"
#include "num/tensor.h"
#include "model/safetensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES_MOST = 8 };

// One entry of the header.
typedef struct {
    const char *name, *dtype;
    const json_t *shape;
    size_t begin, end; // bytes of the file's data
} Entry;

// The types of the format, and the bytes of a number.
static const struct {
    const char *name;
    size_t size;
} dtypes[] = {{"F32", 4}, {"F16", 2},  {"BF16", 2}, {"F64", 8}, {"I64", 8}, {"I32", 4},     {"I16", 2},    {"I8", 1},
              {"U8", 1},  {"BOOL", 1}, {"U16", 2},  {"U32", 4}, {"U64", 8}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};

// The size of a number, or 0.
static size_t size_of(const char *dtype) {
    for (size_t i = 0; dtype && i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(dtypes[i].name, dtype) == 0) return dtypes[i].size;
    return 0;
}

// Fails (input) unless type, shape and offsets agree.
static bool read_entry(Entry *entry, const char *name, json_t *object, size_t data_size, const char *path,
                       Error *error) {
    json_int_t begin = 0, end = 0;
    const json_t *shape = json_object_get(object, "shape");
    *entry = (Entry){.name = name, .dtype = json_string_value(json_object_get(object, "dtype")), .shape = shape};
    double bytes = (double)size_of(entry->dtype);
    if (bytes == 0)
        return fail_input(error, "%s: tensor %.80s has no data type of safetensors; the file is damaged", path, name);
    bool ok = json_is_array(shape) && json_array_size(shape) <= AXES_MOST &&
              json_unpack(object, "{s:[I,I!]}", "data_offsets", &begin, &end) == 0 && begin >= 0 && end >= begin &&
              (double)end <= (double)data_size;
    for (size_t axis = 0; ok && axis < json_array_size(shape); axis++) {
        const json_t *length = json_array_get(shape, axis);
        ok = json_is_integer(length) && json_integer_value(length) >= 0;
        bytes *= (double)json_integer_value(length);
    }
    entry->begin = (size_t)begin;
    entry->end = (size_t)end;
    return (ok && (double)(end - begin) == bytes) ||
           fail_input(error, "%s: tensor %.80s has a shape or data_offsets that cannot be; the file is damaged", path,
                      name);
}

static int by_place(const void *a, const void *b) {
    const Entry *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

// The tensors must lie one after the other and fill the data. Files that bitter wrote carry the CRC-32 of their data;
// those of other programs do not.
static bool check_entries(Entry *entries, const SavedWeights *weights, const char *path, Error *error) {
    const size_t data_size = weights->file.size - weights->start;
    const char *name,
        *crc = json_string_value(json_object_get(json_object_get(weights->header, "__metadata__"), "crc32"));
    char hex[CRC_CAPACITY];
    json_t *object;
    size_t count = 0, end = 0;
    json_object_foreach(weights->header, name, object) {
        if (strcmp(name, "__metadata__") == 0) continue;
        json_object_del(object, "used");
        if (!read_entry(&entries[count++], name, object, data_size, path, error)) return false;
    }
    qsort(entries, count, sizeof *entries, by_place);
    for (size_t i = 0; i < count; end = entries[i].end, i++)
        if (entries[i].begin != end)
            return fail_input(error,
                              "%s: tensor %.80s does not begin where the one before it ends; the file is damaged", path,
                              entries[i].name);
    if (end != data_size)
        return fail_input(error,
                          "%s holds %zu bytes of data, but its header says %zu; the file is cut short or damaged", path,
                          data_size, end);
    return !crc || strcmp(crc, crc_text(hex, crc_bytes(0, weights->file.bytes + weights->start, data_size))) == 0 ||
           fail_input(error, "%s: its data does not match its CRC-32 %.20s; the file is damaged, export the run again",
                      path, crc);
}

bool weights_open(SavedWeights *weights, const char *directory, Error *error) {
    char path[PATH_CAPACITY];
    *weights = (SavedWeights){0};
    if (!path_format(weights->directory, error, "%s", directory) ||
        !path_format(path, error, "%s/model.safetensors", directory))
        return false;
    if (path_missing(path))
        return fail_input(
            error,
            "%s has no model.safetensors; name a directory that transformers wrote, and if the model is in "
            "several files or a pickle there, save it again with save_pretrained(DIR, "
            "max_shard_size=\"50GB\")",
            directory);
    if (!file_read(&weights->file, path, error)) return false;
    weights->header = safetensors_header(&weights->start, &weights->file, path, error);
    if (!weights->header) return false;
    Entry *entries = calloc(json_object_size(weights->header) + 1, sizeof *entries);
    const bool ok = entries ? check_entries(entries, weights, path, error)
                            : fail_run(error, "%s: no memory for the list of its tensors", path);
    free(entries);
    return ok;
}

void weights_close(SavedWeights *weights) {
    free(weights->file.bytes);
    json_decref(weights->header);
    *weights = (SavedWeights){0};
}

// The number of 16 bits: 1 sign, 5 exponent and 10 fraction bits.
static float half_to_float(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                       : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                                      : ldexpf((float)fraction, -24);
    return bits >> 15 ? -size : size;
}

static float number_at(const uint8_t *bytes, const char *dtype) {
    uint32_t wide;
    uint16_t narrow;
    float number;
    memcpy(&narrow, bytes, sizeof narrow);
    if (strcmp(dtype, "F16") == 0) return half_to_float(narrow);
    wide = (uint32_t)narrow << 16;
    memcpy(&number, strcmp(dtype, "F32") == 0 ? (const void *)bytes : &wide, sizeof number);
    return number;
}

bool weights_copy(float *numbers, SavedWeights *weights, const char *name, int rank, int rows, int columns,
                  Error *error) {
    json_t *object = json_object_get(weights->header, name);
    const char *dot = strchr(name, '.'), *directory = weights->directory;
    Entry t;
    if (!object && dot) object = json_object_get(weights->header, dot + 1);
    if (!object) return fail_input(error, "%s has no tensor %s, which its config.json asks for", directory, name);
    if (!read_entry(&t, name, object, weights->file.size - weights->start, directory, error)) return false;
    char *shape = json_dumps(t.shape, JSON_COMPACT), wanted[32], place[64];
    snprintf(wanted, sizeof wanted, rank > 1 ? "[%d,%d]" : "[%d]", rows, columns);
    const bool same = shape && strcmp(shape, wanted) == 0;
    if (!same)
        fail_input(error, "%s: tensor %s is %.100s, but its config.json makes it %s", directory, name,
                   shape ? shape : "of another shape", wanted);
    free(shape);
    if (!same) return false;
    if (strcmp(t.dtype, "F32") != 0 && strcmp(t.dtype, "F16") != 0 && strcmp(t.dtype, "BF16") != 0)
        return fail_input(error, "%s: tensor %s is %s, but F32, F16 or BF16 was expected", directory, name, t.dtype);
    const uint8_t *bytes = weights->file.bytes + weights->start + t.begin;
    for (size_t n = 0; n < (size_t)rows * (size_t)columns; n++) {
        numbers[n] = number_at(bytes + n * size_of(t.dtype), t.dtype);
        if (isfinite(numbers[n])) continue;
        number_place(place, n, rank > 1 ? (size_t)columns : 0);
        return fail_input(error, "%s: %s of %s is %g, so the model is spoiled; use another one", directory, place, name,
                          (double)numbers[n]);
    }
    return json_object_set_new(object, "used", json_true()) == 0 || fail_run(error, "%s: no memory", directory);
}

static bool ends_with_any(const char *name, const char *const *endings) {
    while (*endings && !path_ends_with(name, *endings)) endings++;
    return *endings;
}

// Does the head differ from the embeddings? transformers uses such a head even where config.json says "tied".
static bool is_untied(const SavedWeights *weights, json_t *embedding, json_t *head) {
    json_int_t begin, end, head_begin, head_end;
    const uint8_t *data = weights->file.bytes + weights->start;
    return json_unpack(embedding, "{s:[I,I]}", "data_offsets", &begin, &end) != 0 ||
           json_unpack(head, "{s:[I,I]}", "data_offsets", &head_begin, &head_end) != 0 ||
           !json_equal(json_object_get(embedding, "dtype"), json_object_get(head, "dtype")) ||
           head_end - head_begin != end - begin || memcmp(data + begin, data + head_begin, (size_t)(end - begin)) != 0;
}

bool weights_all_used(const SavedWeights *weights, Error *error) {
    static const char *const buffers[] = {".attn.bias",          ".attn.masked_bias",
                                          ".attention.bias",     ".attention.masked_bias",
                                          "rotary_emb.inv_freq", NULL},
                             *const heads[] = {"lm_head.weight", "embed_out.weight", NULL},
                             *const embeddings[] = {"wte.weight", "embed_tokens.weight", "embed_in.weight", NULL};
    const char *name;
    json_t *object, *embedding = NULL;
    json_object_foreach(weights->header, name, object) {
        if (ends_with_any(name, embeddings)) embedding = object;
    }
    json_object_foreach(weights->header, name, object) {
        const bool head = ends_with_any(name, heads);
        if (head && is_untied(weights, embedding, object))
            return fail_input(
                error,
                "%s: %.80s differs from the token embeddings, but bitter's models use one matrix for both; "
                "import a model that was trained with tied embeddings",
                weights->directory, name);
        if (!head && !json_object_get(object, "used") && !ends_with_any(name, buffers) &&
            strcmp(name, "__metadata__") != 0)
            return fail_input(error, "%s has a tensor %.80s, for which bitter's model has no place", weights->directory,
                              name);
    }
    return true;
}
