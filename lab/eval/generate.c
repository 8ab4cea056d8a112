#include "lab/eval/generate.h"

#include "train/evaluate.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK            256 // tokens that are fed together where layers forget what has left their windows
#define CHARACTER_TOKENS 3   // at most this many finish a character after its first byte

// --- streams ---

#define REPLACEMENT "\xEF\xBF\xBD" // U+FFFD

Stream stream_to(FILE *out) {
    return (Stream){.out = out, .terminal = isatty(fileno(out))};
}

// C0 and C1 controls: terminals obey both.
static bool is_command(uint32_t character) {
    return (character < 0x20 && character != '\n' && character != '\t') || (character >= 0x7F && character < 0xA0);
}

static void emit(Stream *stream, const char *bytes, size_t size) {
    for (size_t i = 0; stream->terminal && i < size;) {
        uint32_t character;
        const int length = utf8_decode(&character, bytes + i, size - i);
        if (length == 0)
            fputs(REPLACEMENT, stream->out);
        else if (is_command(character))
            fputc('?', stream->out);
        else
            fwrite(bytes + i, 1, (size_t)length, stream->out);
        i += length > 0 ? (size_t)length : 1;
    }
    if (!stream->terminal && size > 0 && fwrite(bytes, 1, size, stream->out) < size) stream->failed = true;
    fflush(stream->out);
}

// How many bytes at the end may be the beginning of a character.
static size_t unfinished_character(const char *bytes, size_t size) {
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        const unsigned char byte = (unsigned char)bytes[size - back];
        if ((byte & 0xC0) == 0x80) continue;
        const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
        return length > back && byte < 0xF5 ? back : 0;
    }
    return 0;
}

void stream_write(Stream *stream, const char *bytes, size_t size) {
    Text *held = &stream->held;
    text_add(held, bytes, size);
    stream->failed |= held->failed;
    const size_t kept = unfinished_character(held->bytes, held->size), ready = held->size - kept;
    emit(stream, held->bytes, ready);
    if (kept > 0) memmove(held->bytes, held->bytes + ready, kept);
    held->size = kept;
}

// Does what was written end within a character?
static bool stream_within_character(const Stream *stream) {
    return unfinished_character(stream->held.bytes, stream->held.size) > 0;
}

void stream_end(Stream *stream) {
    emit(stream, stream->held.bytes, stream->held.size);
    text_free(&stream->held);
}

// Write a whole text that way; returns whether `out` took all of it.
static bool stream_text(FILE *out, const char *text) {
    Stream stream = stream_to(out);
    stream_write(&stream, text, strlen(text));
    stream_end(&stream);
    return !stream.failed;
}

// --- texts ---

// From how many tokens the next one is predicted: all that were fed and the new ones or, when these do not fit into the
// cache, the last ones, as many as half of it holds.
static int window_length(const Generator *generator) {
    const Inference *inference = &generator->inference;
    const size_t count = generator->tokens.count, capacity = (size_t)inference->capacity, half = (capacity + 1) / 2,
                 grown = (size_t)inference->length + (count - generator->fed);
    return (int)(grown <= capacity ? grown : half < count ? half : count);
}

// Feed the new tokens; or the whole window again, when the new tokens do not fit into the cache, or when the scheme
// treats a window of this length differently from the last.
static void feed(Generator *generator) {
    const Gpt *gpt = generator->gpt;
    Inference *inference = &generator->inference;
    const int length = window_length(generator);
    if ((size_t)length < (size_t)inference->length + (generator->tokens.count - generator->fed))
        inference_restart(inference);
    inference_window(inference, length);
    const size_t fresh = (size_t)(length - inference->length), from = generator->tokens.count - fresh;
    for (size_t i = 0; i < fresh; i++) generator->ids[i] = generator->tokens.ids[from + i];
    int n = 0; // tokens of the last chunk
    for (int at = 0; at < (int)fresh; at += n) {
        n = (int)fresh - at < inference->chunk ? (int)fresh - at : inference->chunk;
        inference_feed(inference, gpt, generator->ids + at, n);
    }
    generator->fed = generator->tokens.count;
    inference_last_logits(generator->logits, inference, gpt, n);
}

static void write_token(Stream *stream, const Tokenizer *tokenizer, int id) {
    const char *text = "\n\n";
    const size_t length = id == tokenizer_end(tokenizer) ? 2 : tokenizer_decode(&text, tokenizer, id);
    stream_write(stream, text, length);
}

bool generator_write(FILE *out, Generator *generator, Generation *g, Error *error) {
    static const uint16_t first = 0; // token of an empty text, if no token marks its beginning
    const Gpt *gpt = generator->gpt;
    const Tokenizer *tokenizer = generator->tokenizer;
    Stream stream = stream_to(out);
    int left = g->tokens, more = CHARACTER_TOKENS;
    bool ok = generator->tokens.count > 0 || tokens_add(&generator->tokens, &first, 1, error), ended = false;
    while (ok && !ended && (left > 0 || (stream_within_character(&stream) && more > 0))) {
        left > 0 ? left-- : more--;
        feed(generator);
        ok = finite_check(generator->logits, gpt->shape.vocab, error);
        if (!ok) break;
        const int id = sample_token(generator->scratch, generator->logits, gpt->shape.vocab, &g->sampling, &g->random);
        const uint16_t token = (uint16_t)id;
        ok = tokens_add(&generator->tokens, &token, 1, error);
        ended = g->one_document && id == tokenizer_end(tokenizer);
        if (!ended) write_token(&stream, tokenizer, id);
        ended = ended || ferror(out);
        if (g->stop && g->stop->asked(g->stop->context)) left = 0;
    }
    stream_end(&stream);
    // A stream of open_memstream takes less when memory runs out, and sets no error indicator.
    return ok && (!stream.failed || ferror(out) || fail_run(error, "no memory for the text"));
}

void generator_free(Generator *generator) {
    inference_free(&generator->inference);
    free(generator->logits);
    free(generator->scratch);
    free(generator->ids);
    tokens_free(&generator->tokens);
}

bool generator_create(Generator *generator, const Gpt *gpt, const Tokenizer *tokenizer, int window, Error *error) {
    const size_t V = (size_t)gpt->shape.vocab;
    const int chunk = gpt->shape.windows.period && window > CHUNK ? CHUNK : window;
    *generator = (Generator){.gpt = gpt, .tokenizer = tokenizer};
    if (!length_check(gpt, window, error) || !inference_create(&generator->inference, gpt, 1, window, chunk, error))
        return false;
    generator->logits = malloc(V * sizeof(real));
    generator->scratch = malloc(2 * V * sizeof(real));
    generator->ids = malloc((size_t)window * sizeof(int));
    if (!generator->logits || !generator->scratch || !generator->ids)
        return fail_run(error, "no memory for the logits");
    return tokens_add_end(&generator->tokens, tokenizer, error);
}

bool generator_add(Generator *generator, const char *text, size_t size, const char *name, Error *error) {
    return size == 0 || tokenizer_encode(&generator->tokens, generator->tokenizer, text, size, name, error);
}

bool generator_at_line(const Generator *generator) {
    const size_t count = generator->tokens.count;
    const char *text;
    if (count == 0) return true;
    const size_t length = tokenizer_decode(&text, generator->tokenizer, generator->tokens.ids[count - 1]);
    return length == 0 || text[length - 1] == '\n';
}

bool generator_begin(FILE *out, Generator *generator, const char *prompt, Error *error) {
    return generator_add(generator, prompt, strlen(prompt), "the prompt", error) &&
           (stream_text(out, prompt) || ferror(out) || fail_run(error, "no memory for the prompt"));
}

Generation generation_usual(const char *prompt, int tokens, int context, long long seed) {
    return (Generation){.prompt = prompt,
                        .tokens = tokens,
                        .sampling = {.temperature = 0.8, .top_k = 50},
                        .context = context,
                        .random = {random_key((uint64_t)seed, "sample"), 0}};
}

bool generate(FILE *out, const Gpt *gpt, const Tokenizer *tokenizer, Generation *g, Error *error) {
    Generator generator = {0};
    // Memory for what the text can reach, at most a token for each byte; but randomised positions are drawn for the
    // whole window at once.
    const size_t reach = strlen(g->prompt) + (size_t)g->tokens + CHARACTER_TOKENS + 2;
    const int window = reach < (size_t)g->context && !mix_random_bound(&gpt->pos) ? (int)reach : g->context;
    const bool ok = length_check(gpt, g->context, error) &&
                    generator_create(&generator, gpt, tokenizer, window, error) &&
                    generator_begin(out, &generator, g->prompt, error) && generator_write(out, &generator, g, error);
    generator_free(&generator);
    return ok;
}
