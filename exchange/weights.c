#include "exchange/weights.h"

#include "base/file/crc.h"
#include "num/tensor.h"
#include "model/safetensors.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 1000, AXES_MOST = 8 };

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

// One entry of a header. Fails (input) unless type, shape and place agree.
static bool read_entry(WeightTensor *tensor, const char *name, json_t *entry, const uint8_t *data, size_t data_size,
                       const char *path, Error *error) {
    json_int_t begin = 0, end = 0;
    *tensor = (WeightTensor){.name = name,
                             .dtype = json_string_value(json_object_get(entry, "dtype")),
                             .shape = json_object_get(entry, "shape")};
    double bytes = (double)size_of(tensor->dtype);
    if (bytes == 0)
        return fail_input(error, "%s: tensor %.80s has no data type of safetensors; the file is damaged", path, name);
    bool ok = json_is_array(tensor->shape) && json_array_size(tensor->shape) <= AXES_MOST &&
              json_unpack(entry, "{s:[I,I!]}", "data_offsets", &begin, &end) == 0 && begin >= 0 && end >= begin &&
              (double)end <= (double)data_size;
    for (size_t axis = 0; ok && axis < json_array_size(tensor->shape); axis++) {
        const json_t *length = json_array_get(tensor->shape, axis);
        ok = json_is_integer(length) && json_integer_value(length) >= 0;
        bytes *= (double)json_integer_value(length);
    }
    if (!ok || (double)(end - begin) != bytes)
        return fail_input(error, "%s: tensor %.80s has a shape or data_offsets that cannot be; the file is damaged",
                          path, name);
    tensor->begin = (size_t)begin;
    tensor->end = (size_t)end;
    tensor->data = data + begin;
    return true;
}

static int by_place(const void *a, const void *b) {
    const WeightTensor *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

// Add the tensors of one file. They must lie one after the other and fill the data.
static bool add_tensors(SavedWeights *weights, const json_t *header, const Buffer *file, size_t start, const char *path,
                        Error *error) {
    const size_t data_size = file->size - start;
    WeightTensor *larger =
        realloc(weights->items, ((size_t)weights->count + json_object_size(header) + 1) * sizeof *larger);
    if (!larger) return fail_run(error, "%s: no memory for the list of its tensors", path);
    weights->items = larger;
    WeightTensor *first = larger + weights->count;
    const char *name;
    json_t *entry;
    int count = 0;
    json_object_foreach((json_t *)header, name, entry) {
        if (strcmp(name, "__metadata__") == 0) continue;
        if (!read_entry(&first[count++], name, entry, file->bytes + start, data_size, path, error)) return false;
    }
    qsort(first, (size_t)count, sizeof *first, by_place);
    size_t end = 0;
    for (int i = 0; i < count; end = first[i].end, i++)
        if (first[i].begin != end)
            return fail_input(error,
                              "%s: tensor %.80s does not begin where the one before it ends; the file is damaged", path,
                              first[i].name);
    weights->count += count;
    return end == data_size ||
           fail_input(error, "%s holds %zu bytes of data, but its header says %zu; the file is cut short or damaged",
                      path, data_size, end);
}

// Files that bitter wrote carry the CRC-32 of their data; those of other programs do not.
static bool check_crc(const json_t *header, const Buffer *file, size_t start, const char *path, Error *error) {
    const char *crc = json_string_value(json_object_get(json_object_get(header, "__metadata__"), "crc32"));
    char hex[CRC_CAPACITY];
    return !crc || strcmp(crc, crc_text(hex, crc_bytes(0, file->bytes + start, file->size - start))) == 0 ||
           fail_input(error, "%s: its data does not match its CRC-32 %.20s; the file is damaged, export the run again",
                      path, crc);
}

static bool open_file(SavedWeights *weights, const char *name, Error *error) {
    char path[PATH_CAPACITY];
    WeightFile *files = realloc(weights->files, (size_t)(weights->file_count + 1) * sizeof *files);
    if (!files) return fail_run(error, "no memory for a list of files");
    weights->files = files;
    WeightFile *file = &files[weights->file_count];
    size_t start;
    if (!path_format(path, error, "%s/%s", weights->directory, name) || !file_read(&file->bytes, path, error))
        return false;
    weights->file_count++;
    file->header = safetensors_header(&start, &file->bytes, path, error);
    return file->header && add_tensors(weights, file->header, &file->bytes, start, path, error) &&
           check_crc(file->header, &file->bytes, start, path, error);
}

// The files of an index, each once: {"weight_map": {tensor: file}}.
static bool open_index(SavedWeights *weights, const char *path, Error *error) {
    Buffer file;
    if (!file_read(&file, path, error)) return false;
    json_t *index = json_loadb((const char *)file.bytes, file.size, JSON_REJECT_DUPLICATES, NULL), *value,
           *opened = json_object();
    free(file.bytes);
    const json_t *map = json_object_get(index, "weight_map");
    const char *tensor;
    bool ok = json_object_size(map) > 0 || fail_input(error, "%s has no \"weight_map\"; the file is damaged", path);
    json_object_foreach((json_t *)map, tensor, value) {
        const char *name = json_string_value(value);
        if (!ok || json_object_get(opened, name)) continue;
        if (!name || !*name || strchr(name, '/'))
            ok = fail_input(error, "%s: the file of tensor %.80s is not one beside it; the index is damaged", path,
                            tensor);
        else if (json_object_size(opened) == FILES_MOST)
            ok = fail_input(error, "%s lists more than %d files", path, FILES_MOST);
        else
            ok = open_file(weights, name, error);
        if (ok) json_object_set_new(opened, name, json_true());
    }
    json_decref(opened);
    json_decref(index);
    return ok;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const WeightTensor *)a)->name, ((const WeightTensor *)b)->name);
}

bool weights_open(SavedWeights *weights, const char *directory, Error *error) {
    char path[PATH_CAPACITY], index[PATH_CAPACITY], pickle[PATH_CAPACITY];
    *weights = (SavedWeights){0};
    if (!path_format(weights->directory, error, "%s", directory) ||
        !path_format(path, error, "%s/model.safetensors", directory) ||
        !path_format(index, error, "%s.index.json", path) ||
        !path_format(pickle, error, "%s/pytorch_model.bin", directory))
        return false;
    if (path_missing(path) && path_missing(index) && path_exists(pickle))
        return fail_input(error,
                          "%s is a Python pickle, which bitter does not read; load the model in transformers and save "
                          "it again with save_pretrained, which writes model.safetensors",
                          pickle);
    if (path_missing(path) && path_missing(index))
        return fail_input(error, "%s has no model.safetensors; name a directory that save_pretrained wrote", directory);
    if (path_missing(path) ? !open_index(weights, index, error) : !open_file(weights, "model.safetensors", error))
        return false;
    if (weights->count > 0) qsort(weights->items, (size_t)weights->count, sizeof *weights->items, by_name);
    return true;
}

void weights_close(SavedWeights *weights) {
    for (int i = 0; i < weights->file_count; i++) {
        free(weights->files[i].bytes.bytes);
        json_decref(weights->files[i].header);
    }
    free(weights->files);
    free(weights->items);
    *weights = (SavedWeights){0};
}

static WeightTensor *find(const SavedWeights *weights, const char *name) {
    const WeightTensor wanted = {.name = name};
    return weights->count ? bsearch(&wanted, weights->items, (size_t)weights->count, sizeof wanted, by_name) : NULL;
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

bool weights_numbers(float *numbers, const uint8_t *bytes, const char *dtype, size_t count, size_t columns,
                     const char *tensor, const char *path, Error *error) {
    const size_t size = size_of(dtype);
    for (size_t n = 0; n < count; n++) {
        char place[64];
        numbers[n] = number_at(bytes + n * size, dtype);
        if (isfinite(numbers[n])) continue;
        number_place(place, n, columns);
        return fail_input(error, "%s: %s of %s is %g, so the model is spoiled; use another one", path, place, tensor,
                          (double)numbers[n]);
    }
    return true;
}

bool weights_copy(float *numbers, SavedWeights *weights, const char *name, int rank, int rows, int columns,
                  Error *error) {
    WeightTensor *t = find(weights, name);
    const char *dot = strchr(name, '.');
    if (!t && dot) t = find(weights, dot + 1);
    if (!t) return fail_input(error, "%s has no tensor %s, which its config.json asks for", weights->directory, name);
    char *shape = json_dumps(t->shape, JSON_COMPACT), wanted[32];
    snprintf(wanted, sizeof wanted, rank > 1 ? "[%d,%d]" : "[%d]", rows, columns);
    const bool same = shape && strcmp(shape, wanted) == 0;
    if (!same)
        fail_input(error, "%s: tensor %s is %.100s, but its config.json makes it %s", weights->directory, name,
                   shape ? shape : "of another shape", wanted);
    free(shape);
    if (!same) return false;
    if (strcmp(t->dtype, "F32") != 0 && strcmp(t->dtype, "F16") != 0 && strcmp(t->dtype, "BF16") != 0)
        return fail_input(error, "%s: tensor %s is %s, but F32, F16 or BF16 was expected", weights->directory, name,
                          t->dtype);
    t->used = weights_numbers(numbers, t->data, t->dtype, (size_t)rows * (size_t)columns,
                              rank > 1 ? (size_t)columns : 0, name, weights->directory, error);
    return t->used;
}

static bool is_embedding(const char *name) {
    return path_ends_with(name, "wte.weight") || path_ends_with(name, "embed_tokens.weight") ||
           path_ends_with(name, "embed_in.weight");
}

// Is a head another matrix than the embeddings? transformers uses such a head even where config.json says "tied".
static bool is_untied(const WeightTensor *embedding, const WeightTensor *head) {
    if (!path_ends_with(head->name, "lm_head.weight") && !path_ends_with(head->name, "embed_out.weight")) return false;
    if (!embedding) return true;
    const size_t size = embedding->end - embedding->begin;
    return strcmp(embedding->dtype, head->dtype) != 0 || head->end - head->begin != size ||
           memcmp(embedding->data, head->data, size) != 0;
}

bool weights_all_used(const SavedWeights *weights, Error *error) {
    static const char *const ignored[] = {
        ".attn.bias",          ".attn.masked_bias", ".attention.bias", ".attention.masked_bias",
        "rotary_emb.inv_freq", "lm_head.weight",    "embed_out.weight"};
    const WeightTensor *embedding = weights->items, *end = weights->items + weights->count;
    while (embedding < end && !is_embedding(embedding->name)) embedding++;
    for (int i = 0; i < weights->count; i++) {
        bool known = weights->items[i].used;
        for (size_t k = 0; !known && k < sizeof ignored / sizeof *ignored; k++)
            known = path_ends_with(weights->items[i].name, ignored[k]);
        if (is_untied(embedding < end ? embedding : NULL, &weights->items[i]))
            return fail_input(
                error,
                "%s: %.80s differs from the token embeddings, but bitter's models use one matrix for both; "
                "import a model that was trained with tied embeddings",
                weights->directory, weights->items[i].name);
        if (i + 1 < weights->count && by_name(&weights->items[i], &weights->items[i + 1]) == 0)
            return fail_input(error, "%s: two of its files have a tensor %.80s; get the files again",
                              weights->directory, weights->items[i].name);
        if (!known)
            return fail_input(error, "%s has a tensor %.80s, for which bitter's model has no place", weights->directory,
                              weights->items[i].name);
    }
    return true;
}
