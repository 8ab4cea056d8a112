#include "data/batch.h"

#include "base/file/crc.h"
#include "base/random.h"

#include <assert.h>
#include <string.h>

// An epoch skips `shift` tokens, 0..shifts-1, and cuts what follows into `windows` windows of T. One window is given up
// so that all T shifts leave the same number of windows; then epoch and index follow from the cursor alone. A stream
// with fewer than three windows keeps one window, and as many shifts as there is room for.
typedef struct {
    uint64_t windows, shifts;
} Cut;

static Cut cut_of(uint64_t count, uint64_t T) {
    uint64_t windows = count / T > 2 ? count / T - 1 : 1;
    uint64_t shifts = count - windows * T;
    return (Cut){windows, shifts < T ? shifts : T};
}

bool batches_start(Batches *batches, const Split *split, const char *name, int T, uint64_t seed, Error *error) {
    if (split->count < (uint64_t)T + 1)
        return fail_input(error,
                          "%s has %llu tokens, but one window of %d and its last target need %d; give more text or a "
                          "smaller --context",
                          name, (unsigned long long)split->count, T, T + 1);
    *batches = (Batches){.split = split, .T = T, .key = random_key(seed, "batches")};
    return true;
}

bool batches_documents(Batches *batches, const BuiltinCorpus *documents, const Tokenizer *tokenizer, Error *error) {
    const int marks = tokenizer_end(tokenizer) < 0 ? 0 : 2, longest = batches->T + 1 - marks;
    if (documents->min > longest)
        return fail_input(
            error,
            "builtin:%s: documents of %lld characters and more do not fit into windows of %d tokens; give "
            "a larger --context",
            documents->builtin->name, documents->min, batches->T);
    if (documents->max > longest)
        return fail_input(error,
                          "builtin:%s: documents of up to %lld characters do not fit into windows of %d tokens; give "
                          "max=%d or a larger --context",
                          documents->builtin->name, documents->max, batches->T, longest);
    batches->documents = *documents;
    if (documents->share == 0) batches->documents.share = 0.05;
    batches->tokenizer = tokenizer;
    // A tokenizer of characters may lack one; a hundred documents contain all characters that documents use.
    for (uint64_t i = 0; i < 100; i++) builtin_document(&batches->document, documents, i);
    if (batches->document.failed) return fail_run(error, "no memory for a document");
    return tokenizer_encode(&batches->tokens, tokenizer, batches->document.bytes, batches->document.size,
                            documents->builtin->name, error);
}

// Where the row at the cursor begins in the stream.
static uint64_t row_offset(const Batches *batches) {
    const uint64_t T = (uint64_t)batches->T;
    Cut cut = cut_of(batches->split->count, T);
    assert(cut.windows > 0 && cut.shifts > 0);
    uint64_t epoch = batches->cursor / cut.windows, index = batches->cursor % cut.windows;
    uint64_t shift = random_bits(batches->key, 2 * epoch) % cut.shifts;
    uint64_t order = random_bits(batches->key, 2 * epoch + 1);
    return shift + T * random_permute(index, cut.windows, order);
}

bool batches_start_task(Batches *batches, const BuiltinCorpus *task, uint64_t stream, int end, Error *error) {
    *batches = (Batches){.task = *task, .T = task_tokens(task, (int)task->max), .key = stream, .end = end};
    return exercise_create(&batches->exercise, task, (int)task->max, error);
}

void batches_end(Batches *batches) {
    text_free(&batches->document);
    tokens_free(&batches->tokens);
    exercise_free(&batches->exercise);
}

// With a probability of `share`, write a document over the first tokens of the row at the cursor. batches_documents has
// refused documents that would not fit.
static bool begin_with_document(int *inputs, int *targets, Batches *batches, Error *error) {
    const BuiltinCorpus *documents = &batches->documents;
    const uint64_t lots = random_bits(batches->key, UINT64_MAX);
    if (!documents->builtin || random_uniform(lots, batches->cursor) >= documents->share) return true;
    Tokens *tokens = &batches->tokens;
    batches->document.size = tokens->count = 0;
    builtin_document(&batches->document, documents, batches->cursor);
    if (batches->document.failed) return fail_run(error, "no memory for a document");
    if (!tokens_add_end(tokens, batches->tokenizer, error) ||
        !tokenizer_encode(tokens, batches->tokenizer, batches->document.bytes, batches->document.size,
                          documents->builtin->name, error) ||
        !tokens_add_end(tokens, batches->tokenizer, error))
        return false;
    assert(tokens->count <= (size_t)batches->T + 1);
    for (size_t t = 0; t < tokens->count; t++) {
        if (t < (size_t)batches->T) inputs[t] = tokens->ids[t];
        if (t > 0) targets[t - 1] = tokens->ids[t];
    }
    return true;
}

// The next B windows. Returns their length, or 0 when memory for a document runs out.
static int next_windows(int *inputs, int *targets, bool *scored, Batches *batches, int B, Error *error) {
    const size_t T = (size_t)batches->T;
    for (int b = 0; b < B; b++, batches->cursor++) {
        uint64_t offset = row_offset(batches);
        split_read(inputs, batches->split, offset, T);
        split_read(targets, batches->split, offset + 1, T);
        if (!begin_with_document(inputs, targets, batches, error)) return 0;
        for (size_t t = 0; t < T; t++) scored[t] = true;
        batches->crc = crc_bytes(batches->crc, inputs, T * sizeof *inputs);
        inputs += T;
        targets += T;
        scored += T;
    }
    return batches->T;
}

// Write the exercise at the cursor and advance the cursor.
static void write_exercise(Batches *batches) {
    const int length = task_length(&batches->task, batches->key, batches->cursor);
    task_write(&batches->exercise, &batches->task, batches->key, batches->cursor++, length);
    batches->exercise_tokens += batches->exercise.text.size + 1;
}

// The next exercise as a row of T, padded with end tokens. Returns its number of tokens.
static int next_exercise(int *inputs, int *targets, bool *scored, Batches *batches) {
    write_exercise(batches);
    assert(batches->exercise.text.size < (size_t)batches->T);
    const int n = exercise_row(inputs, targets, scored, &batches->exercise, batches->end);
    for (int t = n; t < batches->T; t++) {
        inputs[t] = targets[t] = batches->end;
        scored[t] = false;
    }
    batches->crc = crc_bytes(batches->crc, inputs, (size_t)n * sizeof *inputs);
    return n;
}

// Each row is written to its place in a (B, T) batch; then all are moved together to make it (B, length).
static int next_exercises(int *inputs, int *targets, bool *scored, Batches *batches, int B) {
    const size_t T = (size_t)batches->T;
    int longest = 0;
    for (int b = 0; b < B; b++) {
        const int n = next_exercise(inputs + b * T, targets + b * T, scored + b * T, batches);
        if (n > longest) longest = n;
    }
    const size_t length = (size_t)longest;
    for (int b = 1; b < B; b++) {
        memmove(inputs + b * length, inputs + b * T, length * sizeof *inputs);
        memmove(targets + b * length, targets + b * T, length * sizeof *targets);
        memmove(scored + b * length, scored + b * T, length * sizeof *scored);
    }
    return longest;
}

int batches_next(int *inputs, int *targets, bool *scored, Batches *batches, int B, Error *error) {
    return batches->split ? next_windows(inputs, targets, scored, batches, B, error)
                          : next_exercises(inputs, targets, scored, batches, B);
}

void batches_resume(Batches *batches, uint64_t rows, uint32_t crc) {
    batches->crc = crc;
    if (batches->split) batches->cursor = rows;
    while (batches->cursor < rows) write_exercise(batches);
}
