#include "tests/fuzz/fuzz.h"

#include "base/file/crc.h"
#include "base/file/file.h"
#include "base/utf8.h"
#include "model/infer.h"
#include "tests/support/scratch.h"

#define FUZZ_ROW(name) {#name, fuzz_##name},
const FuzzTarget fuzz_targets[] = {FUZZ_TARGETS(FUZZ_ROW){NULL, NULL}};

void fuzz_must(bool ok, const Error *error) {
    if (ok) return;
    fprintf(stderr, "%s\n", error->message);
    abort();
}

static Error refusal;

const char *fuzz_refusal(void) {
    return refusal.message;
}

bool fuzz_taken(bool ok, const Error *error) {
    if (ok) return true;
    fuzz_must(error->kind == ERROR_INPUT && *error->message && is_plain(error->message), error);
    refusal = *error;
    return false;
}

// --- files ---

static char directory[SCRATCH_PATH];

static void remove_directory(void) {
    scratch_remove(directory);
}

const char *fuzz_directory(void) {
    if (!*directory) {
        scratch_make(directory);
        atexit(remove_directory);
    }
    return directory;
}

const char *fuzz_file(char path[PATH_CAPACITY], const char *name, const void *bytes, size_t size) {
    char parent[PATH_CAPACITY];
    Error error;
    fuzz_must(path_format(path, &error, "%s/%s", fuzz_directory(), name) && path_parent(parent, path, &error) &&
                  (path_is_directory(parent) || directory_create(parent, NULL, &error)),
              &error);
    scratch_write(path, bytes, size);
    return path;
}

// --- inputs ---

const uint8_t *fuzz_part(size_t *length, const uint8_t **bytes, size_t *size) {
    const uint8_t *part = *bytes, *end = *size > 0 ? memchr(part, 0xFF, *size) : NULL;
    *length = end ? (size_t)(end - part) : *size;
    const size_t used = *length + (end != NULL);
    if (used > 0) *bytes += used;
    *size -= used;
    return part;
}

char *fuzz_word(char *word, size_t capacity, const uint8_t **bytes, size_t *size) {
    size_t length;
    const uint8_t *part = fuzz_part(&length, bytes, size);
    snprintf(word, capacity, "%.*s", (int)length, length > 0 ? (const char *)part : "");
    return word;
}

uint8_t *fuzz_copy(const void *head, size_t head_size, const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(head_size + size + 1);
    assert(copy);
    if (head_size > 0) memcpy(copy, head, head_size);
    if (size > 0) memcpy(copy + head_size, bytes, size);
    return copy;
}

// Put the CRC-32 of its data into a safetensors file that has one.
static void seal(uint8_t *bytes, size_t size) {
    static const char key[] = "\"crc32\":\"";
    char hex[CRC_CAPACITY];
    uint64_t length = 0;
    if (size >= sizeof length) memcpy(&length, bytes, sizeof length);
    if (length == 0 || length > size - sizeof length) return;
    uint8_t *data = bytes + sizeof length + length;
    crc_text(hex, crc_bytes(0, data, (size_t)(bytes + size - data)));
    for (uint8_t *at = bytes + sizeof length; at + strlen(key) + strlen(hex) <= data; at++)
        if (memcmp(at, key, strlen(key)) == 0) memcpy(at + strlen(key), hex, strlen(hex));
}

const char *fuzz_sealed_file(char path[PATH_CAPACITY], const char *name, const uint8_t *bytes, size_t size) {
    uint8_t *sealed = fuzz_copy(NULL, 0, bytes, size);
    seal(sealed, size);
    fuzz_file(path, name, sealed, size);
    free(sealed);
    return path;
}

// --- models ---

void fuzz_model(Gpt *gpt, const char *pos, bool training) {
    const Shape shape = {.vocab = 5, .context = 8, .layers = 1, .heads = 1, .width = 4};
    Mix mix;
    Error error;
    fuzz_must(mix_create(&mix, pos, &shape, &error) && gpt_create(gpt, &shape, &mix, training, &error), &error);
    gpt_init(gpt, 7);
}

void fuzz_feed(const Shape *shape, const Mix *pos) {
    enum { TOKENS = 6 };
    const int ids[TOKENS] = {0};
    double nll[TOKENS];
    Gpt gpt;
    Inference inference;
    Error error;
    const int most = mix_max_length(pos), tokens = most > 0 && most < TOKENS ? most : TOKENS;
    if (gpt_parameters(shape) > 100000 || shape->context > 1000 || shape->layers > 50) return;
    fuzz_must(gpt_create(&gpt, shape, pos, false, &error), &error);
    gpt_init(&gpt, 7);
    fuzz_must(inference_create(&inference, &gpt, 1, tokens, tokens, &error), &error);
    inference_feed(&inference, &gpt, ids, tokens);
    inference_nll(nll, &inference, &gpt, ids, tokens);
    inference_free(&inference);
    gpt_free(&gpt);
}

// --- text ---

void fuzz_decode(const Tokens *tokens, const Tokenizer *tokenizer, const void *bytes, size_t size) {
    size_t at = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        const char *text;
        const size_t length = tokenizer_decode(&text, tokenizer, tokens->ids[i]);
        assert(length <= size - at && memcmp((const char *)bytes + at, text, length) == 0);
        at += length;
    }
    assert(at == size);
}

void fuzz_encode(const Tokenizer *tokenizer) {
    static const char text[] = "It's 1957,  and\n\n\t\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xFF\xC3 aaaaaaa abab ";
    Tokens tokens = {0};
    Error error;
    if (tokenizer->kind == TOKENIZER_NONE) return;
    const bool ok = tokenizer_encode(&tokens, tokenizer, text, strlen(text), "the text", &error);
    if (tokenizer->kind == TOKENIZER_CHARS ? fuzz_taken(ok, &error) : (fuzz_must(ok, &error), ok))
        fuzz_decode(&tokens, tokenizer, text, strlen(text));
    tokens_free(&tokens);
}
