// GGUF version 3, which llama.cpp reads: a header with named values, a list of tensors, and their numbers.
#include "base/file/text.h"
#include "data/tokenizer.h"
#include "exchange/exchange.h"

#include <jansson.h>
#include <string.h>

enum { VERSION = 3, ALIGNMENT = 32, F32 = 0, NORMAL_TOKEN = 1, CONTROL_TOKEN = 3 };
typedef enum { TYPE_U32 = 4, TYPE_I32 = 5, TYPE_F32 = 6, TYPE_BOOL = 7, TYPE_STRING = 8, TYPE_ARRAY = 9 } Type;

static const char *const architectures[TARGETS] = {
    [TARGET_GPT2] = "gpt2",       [TARGET_STARCODER2] = "starcoder2", [TARGET_LLAMA] = "llama",
    [TARGET_SMOLLM3] = "smollm3", [TARGET_GPT_NEOX] = "gptneox",      [TARGET_MPT] = "mpt"};

// The named values so far.
typedef struct {
    const char *architecture;
    Text bytes;
    uint64_t count;
} Values;

static void put_u32(Text *bytes, uint32_t value) {
    text_add(bytes, (const char *)&value, sizeof value);
}

static void put_u64(Text *bytes, uint64_t value) {
    text_add(bytes, (const char *)&value, sizeof value);
}

static void put_string(Text *bytes, const char *string, size_t size) {
    put_u64(bytes, size);
    text_add(bytes, string, size);
}

// Write the key, in which a leading dot stands for the architecture's name, and the type of the value that follows.
static void begin(Values *values, const char *key, Type type) {
    char full[96];
    snprintf(full, sizeof full, "%s%s", *key == '.' ? values->architecture : "", key);
    put_string(&values->bytes, full, strlen(full));
    put_u32(&values->bytes, type);
    values->count++;
}

static void add_whole(Values *values, const char *key, int value) {
    begin(values, key, TYPE_U32);
    put_u32(&values->bytes, (uint32_t)value);
}

static void add_number(Values *values, const char *key, double value) {
    const float number = (float)value;
    begin(values, key, TYPE_F32);
    text_add(&values->bytes, (const char *)&number, sizeof number);
}

static void add_bool(Values *values, const char *key, bool value) {
    begin(values, key, TYPE_BOOL);
    text_add(&values->bytes, value ? "\1" : "\0", 1);
}

static void add_string(Values *values, const char *key, const char *value) {
    begin(values, key, TYPE_STRING);
    put_string(&values->bytes, value, strlen(value));
}

static void begin_array(Values *values, const char *key, Type type, size_t count) {
    begin(values, key, TYPE_ARRAY);
    put_u32(&values->bytes, type);
    put_u64(&values->bytes, count);
}

static void add_model(Values *values, Target target, const Gpt *gpt, const char *name) {
    const Shape *s = &gpt->shape;
    add_string(values, "general.architecture", values->architecture);
    add_string(values, "general.name", name);
    add_whole(values, "general.file_type", F32);
    add_whole(values, ".vocab_size", s->vocab);
    add_whole(values, ".context_length", s->context);
    add_whole(values, ".embedding_length", s->width);
    add_whole(values, ".block_count", s->layers);
    add_whole(values, ".feed_forward_length", mlp_width(s));
    add_whole(values, ".attention.head_count", s->heads);
    add_whole(values, ".attention.head_count_kv", key_heads(s)); // a reader without it may take its own default
    add_number(values, is_llama(target) ? ".attention.layer_norm_rms_epsilon" : ".attention.layer_norm_epsilon",
               NORM_EPSILON);
    if (target == TARGET_MPT) add_number(values, ".attention.max_alibi_bias", 8);
    if (target == TARGET_GPT_NEOX) add_bool(values, ".use_parallel_residual", false);
}

static void add_rotations(Values *values, const Rotations *r) {
    add_whole(values, ".rope.dimension_count", 2 * r->pairs);
    add_number(values, ".rope.freq_base", r->base);
    if (r->kind == ROPE_PLAIN) return;
    add_string(values, ".rope.scaling.type", r->kind == ROPE_LINEAR ? "linear" : "yarn");
    add_number(values, ".rope.scaling.factor", r->factor);
    add_whole(values, ".rope.scaling.original_context_length", r->original);
    // llama.cpp multiplies yarn's own attention factor by this.
    if (r->kind == ROPE_YARN)
        add_number(values, ".rope.scaling.attn_factor", r->attention / (0.1 * log(r->factor) + 1));
}

// A tokenizer of characters becomes one of the kind "rwkv", which has no token that ends a text, and escapes as in C.
static void put_token(Text *bytes, const char *token, size_t size, bool escape) {
    Text escaped = {0};
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)token[i];
        if (escape && (c < 32 || c == 127))
            text_print(&escaped, "\\x%02x", c);
        else
            text_print(&escaped, escape && c == '\\' ? "\\%c" : "%c", c);
    }
    put_string(bytes, escaped.bytes, escaped.size);
    bytes->failed |= escaped.failed;
    text_free(&escaped);
}

static bool add_tokenizer(Values *values, const Tokenizer *tokenizer, Error *error) {
    const int end = tokenizer_end(tokenizer), V = tokenizer->vocab_size;
    if (tokenizer->kind == TOKENIZER_NONE) {
        add_string(values, "tokenizer.ggml.model", "none");
        return true;
    }
    json_t *root = tokenizer_to_hf(tokenizer, error), *id;
    if (!root) return false;
    const bool chars = tokenizer->kind == TOKENIZER_CHARS;
    add_string(values, "tokenizer.ggml.model", chars ? "rwkv" : "gpt2");
    if (!chars) add_string(values, "tokenizer.ggml.pre", "gpt-2");
    const json_t *model = json_object_get(root, "model"), *added = json_object_get(root, "added_tokens"),
                 *merges = json_object_get(model, "merges"), *merge;
    const char *name;
    size_t i;
    begin_array(values, "tokenizer.ggml.tokens", TYPE_STRING, (size_t)V);
    json_object_foreach(json_object_get(model, "vocab"), name, id) // in the order of their ids
        put_token(&values->bytes, name, strlen(name), chars);
    begin_array(values, "tokenizer.ggml.token_type", TYPE_I32, (size_t)V);
    for (int token = 0, next = 0; token < V; token++) {
        const bool special = json_integer_value(json_object_get(json_array_get(added, (size_t)next), "id")) == token &&
                             (size_t)next < json_array_size(added);
        put_u32(&values->bytes, special ? CONTROL_TOKEN : NORMAL_TOKEN);
        next += special;
    }
    if (!chars) begin_array(values, "tokenizer.ggml.merges", TYPE_STRING, json_array_size(merges));
    json_array_foreach(merges, i, merge)
        put_string(&values->bytes, json_string_value(merge), json_string_length(merge));
    json_decref(root);
    add_bool(values, "tokenizer.ggml.add_bos_token", end >= 0);
    if (end >= 0) {
        add_whole(values, "tokenizer.ggml.bos_token_id", end);
        add_whole(values, "tokenizer.ggml.eos_token_id", end);
    }
    return true;
}

static uint64_t padded(uint64_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// The list of tensors; their dimensions begin with the one whose numbers are contiguous.
static void put_tensors(Text *bytes, const ForeignTensors *tensors) {
    uint64_t offset = 0;
    for (const ForeignTensor *t = tensors->items; t < tensors->items + tensors->count; t++) {
        put_string(bytes, t->name, strlen(t->name));
        put_u32(bytes, (uint32_t)t->rank);
        for (int axis = t->rank - 1; axis >= 0; axis--) put_u64(bytes, (uint64_t)t->shape[axis]);
        put_u32(bytes, F32);
        put_u64(bytes, offset);
        offset += padded(t->count * sizeof(float));
    }
}

static bool write_file(const char *path, const Values *values, const ForeignTensors *tensors, Error *error) {
    static const char zeros[ALIGNMENT] = {0};
    Text head = {0};
    text_add(&head, "GGUF", 4);
    put_u32(&head, VERSION);
    put_u64(&head, (uint64_t)tensors->count);
    put_u64(&head, values->count);
    text_add(&head, values->bytes.bytes, values->bytes.size);
    put_tensors(&head, tensors);
    text_add(&head, zeros, padded(head.size) - head.size);
    AtomicFile file;
    bool ok = !(head.failed || values->bytes.failed) || fail_run(error, "no memory to write %s", path);
    ok = ok && atomic_open(&file, path, error) && atomic_write(&file, head.bytes, head.size, error);
    const float *next = tensors->numbers;
    for (const ForeignTensor *t = tensors->items; ok && t < tensors->items + tensors->count; next += t->count, t++) {
        const size_t size = t->count * sizeof(float);
        ok = atomic_write(&file, next, size, error) && atomic_write(&file, zeros, padded(size) - size, error);
    }
    text_free(&head);
    return ok && atomic_commit(&file, error);
}

bool export_gguf(const Run *run, const char *name, const char *directory, Error *error) {
    char path[PATH_CAPACITY];
    Target target;
    Rotations rotations;
    ForeignTensors tensors;
    if (!path_format(path, error, "%s/model.gguf", directory) ||
        !find_target(&target, &rotations, FORMAT_GGUF, &run->gpt, name, error) ||
        !foreign_from_model(&tensors, FORMAT_GGUF, target, &run->gpt, error))
        return false;
    Values values = {.architecture = architectures[target]};
    add_model(&values, target, &run->gpt, path_name(name));
    if (mix_stretchable(&run->gpt.pos) >= 0) add_rotations(&values, &rotations);
    const bool ok = add_tokenizer(&values, &run->tokenizer, error) && write_file(path, &values, &tensors, error);
    text_free(&values.bytes);
    foreign_free(&tensors);
    return ok;
}
