// `bitter eval --task` of builtin:passkey.
#include "base/interrupt.h"
#include "cmd/eval/eval.h"
#include "data/made/passkey.h"
#include "lab/stats/statistics.h"
#include "model/sample.h"
#include "train/evaluate.h"
#include "train/result.h"

#include <stdlib.h>

enum { CHUNK = 512, USUAL_SAMPLES = 20 };

int passkey_shortest_window(const Tokenizer *tokenizer) {
    return (tokenizer_end(tokenizer) >= 0) + PASSKEY_SHORTEST + PASSKEY_TOKENS;
}

// Append the tokens of a document without its answer, behind the mark between documents.
static bool write_prompt(Tokens *tokens, const Tokenizer *tokenizer, int key, double depth, int window, Error *error) {
    const int end = tokenizer_end(tokenizer);
    const uint16_t mark = (uint16_t)end;
    Text prompt = {0};
    passkey_prompt(&prompt, key, window - PASSKEY_TOKENS - (end >= 0), depth);
    const bool ok =
        prompt.failed ? fail_run(error, "no memory for a prompt of %d characters", window)
                      : (end < 0 || tokens_add(tokens, &mark, 1, error)) &&
                            tokenizer_encode(tokens, tokenizer, prompt.bytes, prompt.size, "the passkey prompt", error);
    text_free(&prompt);
    return ok;
}

// Feed the tokens in chunks; *last is how many the last one had.
static bool feed(int *last, Inference *inference, const Gpt *gpt, const Tokens *tokens, ProgressLine *line,
                 double before, Error *error) {
    int ids[CHUNK];
    inference_restart(inference);
    for (size_t at = 0; at < tokens->count; at += (size_t)*last) {
        *last = tokens->count - at < CHUNK ? (int)(tokens->count - at) : CHUNK;
        for (int i = 0; i < *last; i++) ids[i] = tokens->ids[at + (size_t)i];
        inference->silent = at + (size_t)*last < tokens->count; // only what stands behind the last token is asked for
        inference_feed(inference, gpt, ids, *last);
        progress_show(line, before + window_work(gpt, (int)at + *last), "windows of %d tokens", inference->capacity);
        if (!stop_check(&stop_at_signal, error)) return false;
    }
    return true;
}

bool passkey_continue(Text *continuation, Inference *inference, real *logits, const Run *run, int key, double depth,
                      ProgressLine *line, double before, Error *error) {
    const Gpt *gpt = &run->gpt;
    const int C = gpt->shape.width, V = gpt->shape.vocab;
    Tokens tokens = {0};
    int n = 0;
    bool ok = write_prompt(&tokens, &run->tokenizer, key, depth, inference->capacity, error) &&
              feed(&n, inference, gpt, &tokens, line, before, error);
    for (int i = 0; ok && i < PASSKEY_TOKENS; i++, n = 1) {
        logits_forward(logits, inference->buffers.norm + (size_t)(n - 1) * (size_t)C, gpt->w.wte, 1, C, V);
        ok = finite_check(logits, V, error);
        const int id = likeliest_token(logits, V);
        if (id == tokenizer_end(&run->tokenizer)) break;
        const char *text;
        const size_t size = tokenizer_decode(&text, &run->tokenizer, id);
        text_add(continuation, text, size);
        if (i + 1 < PASSKEY_TOKENS) inference_feed(inference, gpt, &id, 1);
    }
    tokens_free(&tokens);
    return ok && (!continuation->failed || fail_run(error, "no memory for a continuation"));
}

// --- the table ---

typedef struct {
    const Run *run;
    long long samples;
    int depths;
    uint64_t seed;
    ProgressLine line;
    double done; // work
} PasskeyTable;

static double depth_of(const PasskeyTable *table, int d) {
    return table->depths == 1 ? 0.5 : d / ((double)table->depths - 1);
}

// right (depths): how many keys are found in windows of this length.
static bool find_keys(int *right, PasskeyTable *table, int window, Error *error) {
    const Gpt *gpt = &table->run->gpt;
    const uint64_t stream = random_bits(random_key(table->seed, "passkey test"), (uint64_t)window);
    Text continuation = {0};
    Inference inference;
    // Memory for the whole window, though its last token is never fed: stretched rotations depend on its length.
    bool ok = inference_create(&inference, gpt, 1, window, CHUNK, error);
    real *logits = malloc((size_t)gpt->shape.vocab * sizeof *logits);
    if (ok && !logits) ok = fail_run(error, "no memory for the logits");
    for (int d = 0; ok && d < table->depths; d++) {
        right[d] = 0;
        for (int sample = 0; ok && sample < table->samples; sample++) {
            const int key = passkey_key(random_bits(stream, (uint64_t)d), (uint64_t)sample);
            continuation.size = 0;
            ok = passkey_continue(&continuation, &inference, logits, table->run, key, depth_of(table, d), &table->line,
                                  table->done, error);
            right[d] += ok && passkey_right(continuation.bytes, continuation.size, key);
            table->done += window_work(gpt, window);
        }
    }
    inference_free(&inference);
    text_free(&continuation);
    free(logits);
    return ok;
}

static void print_row(FILE *csv, const int *right, const PasskeyTable *table, int window) {
    const double samples = (double)table->samples;
    int least = right[0];
    printf("%8d", window);
    for (int d = 0; d < table->depths; d++) {
        const Interval interval = wilson(right[d], samples);
        printf(" %6.1f%%", 100.0 * right[d] / samples);
        if (right[d] < least) least = right[d];
        if (csv)
            fprintf(csv, "%d,%.9g,%lld,%d,%.9g,%.9g,%.9g\n", window, depth_of(table, d), table->samples, right[d],
                    right[d] / samples, interval.low, interval.high);
    }
    const Interval interval = wilson(least, samples);
    printf(" %7.1f%%  (%.1f%% to %.1f%%)\n", 100.0 * least / samples, 100 * interval.low, 100 * interval.high);
    fflush(stdout);
}

static bool print_table(PasskeyTable *table, const EvalOptions *options, FILE *csv, Error *error) {
    int right[DEPTHS_MOST];
    double total = 0;
    for (int i = 0; i < options->window_count; i++)
        total += (double)table->samples * table->depths * window_work(&table->run->gpt, options->windows[i]);
    printf("%8s", "length");
    for (int d = 0; d < table->depths; d++) printf(" %6.4g%%", 100 * depth_of(table, d));
    printf(" %8s  %s\n", "minimum", "95% interval of that depth alone");
    progress_start(&table->line, "eval", 0, total);
    for (int i = 0; i < options->window_count; i++) {
        const bool ok = find_keys(right, table, options->windows[i], error);
        progress_clear(&table->line);
        if (!ok) return false;
        print_row(csv, right, table, options->windows[i]);
    }
    return true;
}

static bool check(const Run *run, const char *directory, const EvalOptions *options, Error *error) {
    const Tokenizer *tokenizer = &run->tokenizer;
    if (tokenizer->kind == TOKENIZER_NONE || tokenizer->kind == TOKENIZER_BPE)
        return fail_input(
            error,
            "passkeys are placed by counting characters, but the tokens of %s %s; give a run whose data "
            "`bitter prepare` made with --tokenizer bytes or chars",
            directory, tokenizer->kind == TOKENIZER_BPE ? "are of byte pair encoding" : "came without their tokenizer");
    const int shortest = passkey_shortest_window(tokenizer);
    for (int i = 0; i < options->window_count; i++) {
        if (options->windows[i] < shortest)
            return fail_input(error,
                              "a window of %d tokens is too short for a passkey and its question, which take %d; give "
                              "--context %d or more",
                              options->windows[i], shortest, shortest);
        if (!length_check(&run->gpt, options->windows[i], error)) return false;
    }
    // Does the tokenizer know all characters of the documents?
    static const char digits[] = "0123456789";
    Tokens tokens = {0};
    const bool ok = write_prompt(&tokens, tokenizer, 1, 0, shortest, error) &&
                    tokenizer_encode(&tokens, tokenizer, digits, sizeof digits - 1, "the passkey prompt", error);
    tokens_free(&tokens);
    return ok;
}

bool evaluate_passkey(const Run *run, const char *directory, const EvalOptions *options, uint64_t seed, Error *error) {
    AtomicFile csv = {0};
    PasskeyTable table = {.run = run,
                          .samples = options->samples ? options->samples : USUAL_SAMPLES,
                          .depths = (int)options->depths,
                          .seed = seed};
    static const char header[] = "length,depth,samples,right,accuracy,low,high\n";
    if (!check(run, directory, options, error) || !result_open(&csv, "--csv", options->csv, header, error))
        return false;
    interrupt_catch();
    printf("%s: passkeys found, %lld documents of each length and depth\n", directory, table.samples);
    return result_close(&csv, print_table(&table, options, csv.stream, error), error);
}
