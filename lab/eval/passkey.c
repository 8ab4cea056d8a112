#include "lab/eval/passkey.h"

#include "base/interrupt.h"
#include "base/random.h"
#include "data/made/builtin.h"
#include "model/sample.h"
#include "train/evaluate.h"

#include <stdlib.h>

enum { CHUNK = 512 }; // tokens fed at a time

int passkey_shortest_window(const Tokenizer *tokenizer) {
    return (tokenizer_end(tokenizer) >= 0) + PASSKEY_SHORTEST + PASSKEY_TOKENS;
}

// Append the mark between documents, and the tokens of a document without its answer.
static bool write_prompt(Tokens *tokens, const Tokenizer *tokenizer, int key, double depth, int window, Error *error) {
    Text prompt = {0};
    passkey_prompt(&prompt, key, window - PASSKEY_TOKENS - (tokenizer_end(tokenizer) >= 0), depth);
    const bool ok =
        prompt.failed ? fail_run(error, "no memory for a prompt of %d characters", window)
                      : tokens_add_end(tokens, tokenizer, error) &&
                            tokenizer_encode(tokens, tokenizer, prompt.bytes, prompt.size, "the passkey prompt", error);
    text_free(&prompt);
    return ok;
}

// Feed the tokens in chunks. Returns how many the last one had; 0 after a signal.
static int feed(Inference *inference, const Gpt *gpt, const Tokens *tokens, ProgressLine *line, double before,
                Error *error) {
    int ids[CHUNK], n = 0;
    inference_restart(inference);
    for (size_t at = 0; at < tokens->count; at += (size_t)n) {
        n = tokens->count - at < CHUNK ? (int)(tokens->count - at) : CHUNK;
        for (int i = 0; i < n; i++) ids[i] = tokens->ids[at + (size_t)i];
        inference->silent = at + (size_t)n < tokens->count; // only the output of the last token is needed
        inference_feed(inference, gpt, ids, n);
        progress_show(line, before + window_work(gpt, (int)at + n), "windows of %d tokens", inference->capacity);
        if (!stop_check(&stop_at_signal, error)) return 0;
    }
    return n;
}

bool passkey_continue(Text *continuation, Inference *inference, const Run *run, int key, double depth,
                      ProgressLine *line, double before, Error *error) {
    const Gpt *gpt = &run->gpt;
    const int V = gpt->shape.vocab;
    Tokens tokens = {0};
    real *logits = malloc((size_t)V * sizeof *logits);
    int n = 0;
    bool ok = (logits || fail_run(error, "no memory for the logits")) &&
              write_prompt(&tokens, &run->tokenizer, key, depth, inference->capacity, error) &&
              (n = feed(inference, gpt, &tokens, line, before, error)) > 0;
    for (int i = 0; ok && i < PASSKEY_TOKENS; i++, n = 1) {
        inference_last_logits(logits, inference, gpt, n);
        ok = finite_check(logits, V, error);
        const int id = likeliest_token(logits, V);
        if (id == tokenizer_end(&run->tokenizer)) break;
        const char *text;
        const size_t size = tokenizer_decode(&text, &run->tokenizer, id);
        text_add(continuation, text, size);
        if (i + 1 < PASSKEY_TOKENS) inference_feed(inference, gpt, &id, 1);
    }
    tokens_free(&tokens);
    free(logits);
    return ok && (!continuation->failed || fail_run(error, "no memory for a continuation"));
}

double passkey_depth(int d, int depths) {
    return depths == 1 ? 0.5 : d / ((double)depths - 1);
}

bool passkey_find(int *right, const Run *run, int window, int depths, long long samples, uint64_t seed,
                  ProgressLine *line, double *done, Error *error) {
    const Gpt *gpt = &run->gpt;
    const uint64_t stream = random_bits(random_key(seed, "passkey test"), (uint64_t)window);
    Text continuation = {0};
    Inference inference;
    // Memory for the whole window, though its last token is never fed: stretched rotations depend on its length.
    bool ok = inference_create(&inference, gpt, 1, window, CHUNK, error);
    for (int d = 0; ok && d < depths; d++) {
        right[d] = 0;
        for (long long sample = 0; ok && sample < samples; sample++) {
            const int key = passkey_key(random_bits(stream, (uint64_t)d), (uint64_t)sample);
            continuation.size = 0;
            ok = passkey_continue(&continuation, &inference, run, key, passkey_depth(d, depths), line, *done, error);
            right[d] += ok && passkey_right(continuation.bytes, continuation.size, key);
            *done += window_work(gpt, window);
        }
    }
    inference_free(&inference);
    text_free(&continuation);
    return ok;
}

bool passkey_check(const Run *run, const char *directory, const int *windows, int count, Error *error) {
    const Tokenizer *tokenizer = &run->tokenizer;
    if (tokenizer->kind != TOKENIZER_BYTES && tokenizer->kind != TOKENIZER_CHARS)
        return fail_input(error,
                          "passkeys are placed by counting characters, but the tokens of %s are %s; give a run whose "
                          "data `bitter prepare` made with --tokenizer bytes or chars",
                          directory, tokenizer_kind_name(tokenizer->kind));
    const int shortest = passkey_shortest_window(tokenizer);
    for (int i = 0; i < count; i++) {
        if (windows[i] < shortest)
            return fail_input(error,
                              "a window of %d tokens is too short for a passkey and its question, which take %d; give "
                              "--context %d or more",
                              windows[i], shortest, shortest);
        if (!length_check(&run->gpt, windows[i], error)) return false;
    }
    // Does the tokenizer know all characters of the documents?
    static const char letters[] = PASSKEY_GARBAGE "0123456789";
    Tokens tokens = {0};
    const bool ok = write_prompt(&tokens, tokenizer, 1, 0, shortest, error) &&
                    tokenizer_encode(&tokens, tokenizer, letters, sizeof letters - 1, "the passkey prompt", error);
    tokens_free(&tokens);
    return ok;
}
