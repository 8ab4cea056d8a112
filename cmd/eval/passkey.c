#include "cmd/eval/eval.h"

#include "data/made/passkey.h"
#include "train/evaluate.h"
#include "train/result.h"
#include "lab/stats/statistics.h"
#include "model/infer.h"
#include "model/sample.h"

#include <assert.h>
#include <stdlib.h>

#define CHUNK_MOST 512 // of each prompt

int passkey_shortest_window(const Tokenizer *tokenizer) {
    return (tokenizer_end(tokenizer) >= 0) + PASSKEY_SHORTEST + PASSKEY_TOKENS;
}

// Prompts that are fed together; all of them have the same length.
typedef struct {
    const Run *run;
    int window, B;
    Inference inference;
    Text prompt;   // the one being added
    Tokens tokens; // (B, prompt)
    int *ids;      // (B, chunk)
    real *logits;  // (V)
} Solver;

static bool solver_create(Solver *solver, const Run *run, int count, int window, Error *error) {
    const int side_by_side = TOKENS_AT_A_TIME / window;
    const int B = side_by_side < 1 ? 1 : side_by_side < count ? side_by_side : count;
    const size_t V = (size_t)run->gpt.shape.vocab;
    *solver = (Solver){.run = run, .window = window, .B = B};
    // Memory for the whole window, though its last token is never fed: stretched rotations depend on the window's
    // length.
    if (!inference_create(&solver->inference, &run->gpt, B, window, CHUNK_MOST, error)) return false;
    solver->ids = malloc((size_t)B * CHUNK_MOST * sizeof *solver->ids);
    solver->logits = malloc(V * sizeof *solver->logits);
    return (solver->ids && solver->logits) || fail_run(error, "no memory for %d windows of %d tokens", B, window);
}

static void solver_free(Solver *solver) {
    inference_free(&solver->inference);
    text_free(&solver->prompt);
    tokens_free(&solver->tokens);
    free(solver->ids);
    free(solver->logits);
}

// Add the prompt of one attempt to the tokens, behind the mark between documents.
static bool add_prompt(Solver *solver, const PasskeyAttempt *attempt, Error *error) {
    const Tokenizer *tokenizer = &solver->run->tokenizer;
    const int end = tokenizer_end(tokenizer);
    const uint16_t mark = (uint16_t)end;
    solver->prompt.size = 0;
    passkey_prompt(&solver->prompt, attempt->key, solver->window - PASSKEY_TOKENS - (end >= 0), attempt->depth);
    if (solver->prompt.failed) return fail_run(error, "no memory for a prompt of %d characters", solver->window);
    return (end < 0 || tokens_add(&solver->tokens, &mark, 1, error)) &&
           tokenizer_encode(&solver->tokens, tokenizer, solver->prompt.bytes, solver->prompt.size, "the passkey prompt",
                            error);
}

// Feed the prompts chunk by chunk; *last is the number of tokens in the last chunk.
static bool feed_prompts(int *last, Solver *solver, ProgressLine *line, double before, Error *error) {
    const int B = solver->inference.B, prompt = (int)(solver->tokens.count / (size_t)B);
    inference_restart(&solver->inference);
    for (int at = 0, n; at < prompt; at += n) {
        *last = n = prompt - at < solver->inference.chunk ? prompt - at : solver->inference.chunk;
        for (int b = 0; b < B; b++)
            for (int i = 0; i < n; i++)
                solver->ids[b * n + i] = solver->tokens.ids[(size_t)b * (size_t)prompt + (size_t)(at + i)];
        solver->inference.silent = at + n < prompt; // only what stands behind the last token is asked for
        inference_feed(&solver->inference, &solver->run->gpt, solver->ids, n);
        progress_show(line, before + B * window_work(&solver->run->gpt, at + n), "windows of %d tokens",
                      solver->window);
        if (!stop_check(&stop_at_signal, error)) return false;
    }
    return true;
}

// The likeliest token behind the last of the n that sequence b was fed.
static int likeliest(Solver *solver, int b, int n) {
    const Gpt *gpt = &solver->run->gpt;
    const size_t C = (size_t)gpt->shape.width, last = (size_t)b * (size_t)n + (size_t)(n - 1);
    logits_forward(solver->logits, solver->inference.buffers.norm + last * C, gpt->w.wte, 1, gpt->shape.width,
                   gpt->shape.vocab);
    return likeliest_token(solver->logits, gpt->shape.vocab);
}

// The last chunk that was fed has n tokens of each prompt.
static bool write_continuations(PasskeyAttempt *attempts, Solver *solver, int n, Error *error) {
    const Tokenizer *tokenizer = &solver->run->tokenizer;
    for (int i = 0; i < PASSKEY_TOKENS; i++, n = 1) {
        if (i > 0) inference_feed(&solver->inference, &solver->run->gpt, solver->ids, 1);
        for (int b = 0; b < solver->inference.B; b++) {
            Text *continuation = &attempts[b].continuation;
            const int id = solver->ids[b] = likeliest(solver, b, n);
            if (!finite_check(solver->logits, solver->run->gpt.shape.vocab, error)) return false;
            attempts[b].ended = attempts[b].ended || id == tokenizer_end(tokenizer);
            if (attempts[b].ended) continue;
            const char *text;
            const size_t size = tokenizer_decode(&text, tokenizer, id);
            text_add(continuation, text, size);
            if (continuation->failed) return fail_run(error, "no memory for a continuation");
        }
    }
    return true;
}

bool passkey_attempt(PasskeyAttempt *attempts, int count, const Run *run, int window, ProgressLine *line, double before,
                     Error *error) {
    assert(window >= passkey_shortest_window(&run->tokenizer));
    Solver solver;
    bool ok = solver_create(&solver, run, count, window, error);
    for (int first = 0; ok && first < count; first += solver.B) {
        const int B = count - first < solver.B ? count - first : solver.B;
        solver.inference.B = B; // the last batch may be smaller
        solver.tokens.count = 0;
        for (int b = 0; ok && b < B; b++) ok = add_prompt(&solver, &attempts[first + b], error);
        int last = 0;
        ok = ok && feed_prompts(&last, &solver, line, before + first * window_work(&run->gpt, window), error) &&
             write_continuations(attempts + first, &solver, last, error);
    }
    solver_free(&solver);
    return ok;
}

static double depth_of(const EvalOptions *options, int d) {
    return options->depths == 1 ? 0.5 : d / ((double)options->depths - 1);
}

void passkey_documents(PasskeyAttempt *documents, const EvalOptions *options, int window) {
    const uint64_t stream = random_bits(random_key((uint64_t)options->seed, "passkey test"), (uint64_t)window);
    for (int d = 0; d < options->depths; d++)
        for (int sample = 0; sample < options->samples; sample++)
            *documents++ = (PasskeyAttempt){.key = passkey_key(random_bits(stream, (uint64_t)d), (uint64_t)sample),
                                            .depth = depth_of(options, d)};
}

// right (depths): how many keys are found in windows of this length.
static bool find_keys(int *right, const Run *run, const EvalOptions *options, int window, ProgressLine *line,
                      double before, Error *error) {
    const int samples = (int)options->samples, count = samples * (int)options->depths;
    PasskeyAttempt *attempts = calloc((size_t)count, sizeof *attempts);
    if (!attempts) return fail_run(error, "no memory for %d documents", count);
    passkey_documents(attempts, options, window);
    const bool ok = passkey_attempt(attempts, count, run, window, line, before, error);
    memset(right, 0, (size_t)options->depths * sizeof *right);
    for (int i = 0; i < count; i++) {
        const Text *continuation = &attempts[i].continuation;
        right[i / samples] += passkey_right(continuation->bytes, continuation->size, attempts[i].key);
        text_free(&attempts[i].continuation);
    }
    free(attempts);
    return ok;
}

static void print_title(const EvalOptions *options, const char *directory) {
    printf("%s: passkeys found, %lld documents of each length and depth\n", directory, options->samples);
    printf("%8s", "length");
    for (int d = 0; d < options->depths; d++) printf(" %6.4g%%", 100 * depth_of(options, d));
    printf(" %8s  %s\n", "minimum", "95% interval of that depth alone");
}

static void print_row(const int *right, const EvalOptions *options, int window) {
    int least = (int)options->samples;
    printf("%8d", window);
    for (int d = 0; d < options->depths; d++) {
        printf(" %6.1f%%", 100.0 * right[d] / (double)options->samples);
        if (right[d] < least) least = right[d];
    }
    const Interval interval = wilson(least, (double)options->samples);
    printf(" %7.1f%%  (%.1f%% to %.1f%%)\n", 100.0 * least / (double)options->samples, 100 * interval.low,
           100 * interval.high);
    fflush(stdout);
}

static void csv_rows(FILE *csv, const int *right, const EvalOptions *options, int window) {
    for (int d = 0; d < options->depths; d++) {
        const Interval interval = wilson(right[d], (double)options->samples);
        fprintf(csv, "%d,%.9g,%lld,%d,%.9g,%.9g,%.9g\n", window, depth_of(options, d), options->samples, right[d],
                right[d] / (double)options->samples, interval.low, interval.high);
    }
}

static bool print_table(const Run *run, const EvalOptions *options, FILE *csv, Error *error) {
    const double count = (double)(options->samples * options->depths);
    int right[DEPTHS_MOST];
    bool ok = true;
    double total = 0, done = 0;
    for (int i = 0; i < options->window_count; i++) total += count * window_work(&run->gpt, options->windows[i]);
    ProgressLine line;
    progress_start(&line, "eval", 0, total);
    for (int i = 0; ok && i < options->window_count; i++) {
        const int window = options->windows[i];
        ok = find_keys(right, run, options, window, &line, done, error);
        done += count * window_work(&run->gpt, window);
        progress_clear(&line);
        if (ok) print_row(right, options, window);
        if (ok && csv) csv_rows(csv, right, options, window);
    }
    return ok;
}

static bool check(const Run *run, const char *directory, const EvalOptions *options, Error *error) {
    if (run->tokenizer.kind == TOKENIZER_NONE)
        return fail_input(error,
                          "passkeys are text, but the tokens that %s was trained on came without their tokenizer; "
                          "prepare its data with `bitter prepare`",
                          directory);
    if (run->tokenizer.kind == TOKENIZER_BPE)
        return fail_input(error,
                          "passkeys are placed by counting characters, but the tokens of %s are of byte pair encoding; "
                          "give a run whose data was prepared with --tokenizer bytes or chars",
                          directory);
    const int shortest = passkey_shortest_window(&run->tokenizer);
    for (int i = 0; i < options->window_count; i++) {
        if (options->windows[i] < shortest)
            return fail_input(error,
                              "a window of %d tokens is too short for a passkey and its question, which take %d; give "
                              "--context %d or more",
                              options->windows[i], shortest, shortest);
        if (!length_check(&run->gpt, options->windows[i], error)) return false;
    }
    // Does the tokenizer know all characters of the documents?
    Text prompt = {0};
    Tokens tokens = {0};
    passkey_prompt(&prompt, 12345, PASSKEY_SHORTEST, 0);
    text_print(&prompt, "0123456789");
    const bool ok = prompt.failed ? fail_run(error, "no memory for a prompt")
                                  : tokenizer_encode(&tokens, &run->tokenizer, prompt.bytes, prompt.size,
                                                     "the passkey prompt", error);
    text_free(&prompt);
    tokens_free(&tokens);
    return ok;
}

bool evaluate_passkey(const Run *run, const char *directory, const EvalOptions *options, Error *error) {
    AtomicFile csv = {0};
    static const char header[] = "length,depth,samples,right,accuracy,low,high\n";
    if (!check(run, directory, options, error) || !result_open(&csv, "--csv", options->csv, header, error))
        return false;
    interrupt_catch();
    print_title(options, directory);
    return result_close(&csv, print_table(run, options, csv.stream, error), error);
}
