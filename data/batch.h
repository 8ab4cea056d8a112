// Training batches. Of text: windows drawn from a seeded permutation of the training stream. Of a task: one fresh
// exercise per row.
#ifndef BITTER_BATCH_H
#define BITTER_BATCH_H

#include "data/corpus.h"
#include "data/made/builtin.h"

// Rows are a function of (seed, cursor), so that the same seed, data and context give the same batches whatever else
// differs, and a resumed run needs only the cursor.
//
// Text: an epoch shifts the stream by a random 0..T-1 tokens, cuts it into windows of T and visits them in a random
// order. Where documents are given, randomly chosen rows begin with one, which replaces the first tokens of their
// window. A task: row number `cursor` is exercise number `cursor` of a stream of its own; no exercise is repeated.
typedef struct {
    const Split *split; // of text; NULL for a task
    BuiltinCorpus task;
    BuiltinCorpus documents;    // documents that some rows of text begin with; {0} = none
    const Tokenizer *tokenizer; // of these documents
    Text document;              // the document being written
    Tokens tokens;              // its tokens
    int T;                      // tokens of a window, or of the longest exercise
    uint64_t key;               // of the permutation, or the stream of exercises
    uint64_t cursor;            // rows handed out so far
    uint64_t exercise_tokens;   // of a task: tokens in those rows, without padding
    uint32_t crc;               // CRC-32 of all input ids handed out so far; equal after the same text
    Exercise exercise;          // the exercise being written
    int end;                    // the token that ends a document and pads rows
} Batches;

// Fails (input) when the stream, called `name` in the message, has fewer than T + 1 tokens.
bool batches_start(Batches *batches, const Split *split, const char *name, int T, uint64_t seed, Error *error);

// Let each row of text begin with a document with the probability documents->share (0.05 if it is 0), between end
// tokens if the tokenizer, which must outlive the batches, has one. Fails (input) when a document can be longer than a
// row, or the tokenizer lacks a character that documents have.
bool batches_documents(Batches *batches, const BuiltinCorpus *documents, const Tokenizer *tokenizer, Error *error);

// Exercises of this stream (task_stream), lengths drawn from min..max. Fails (run) for want of memory.
bool batches_start_task(Batches *batches, const BuiltinCorpus *task, uint64_t stream, int end, Error *error);

void batches_end(Batches *batches); // may be called on {0}

// The next B rows, padded to the length of the longest, which is returned (T for text): inputs (B, length); targets (B,
// length), the inputs shifted by one; and scored (B, length), whether each target counts in the loss: all targets of
// text, but only the answers of a task. There must be room for (B, T). Returns 0 when encoding a document fails
// (tokenizer_encode); the batch is then undefined.
int batches_next(int *inputs, int *targets, bool *scored, Batches *batches, int B, Error *error);

// Continue after `rows` rows with this checksum. Exercises of a task are generated again to count their tokens.
void batches_resume(Batches *batches, uint64_t rows, uint32_t crc);

#endif
