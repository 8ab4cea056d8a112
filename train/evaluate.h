// Perplexity: every target of the stream is scored once, and the sum of losses is divided by the number of targets.
#ifndef BITTER_EVALUATE_H
#define BITTER_EVALUATE_H

#include "base/interrupt.h"
#include "data/corpus.h"
#include "model/infer.h"
#include "data/made/builtin.h"

#define TOKENS_AT_A_TIME 2048 // fed together: enough for fast matrix products, little memory

// Windows of `window` tokens. Each scores its last `stride` targets, except the first, which scores all its targets
// from `from` on, and the last, which ends with the stream and scores the targets that are left.
typedef struct {
    int window, stride;
    uint64_t from;   // the stream's first `from` tokens serve as context only; no target is scored there
    uint64_t limit;  // read only the stream's first `limit` tokens; 0 = all
    double nll;      // sum over scored targets, in nats
    uint64_t tokens; // scored targets: one less than the stream has tokens from `from` on
    uint64_t bytes;  // of text in the scored targets, for bits per byte; counted when there is a tokenizer
    const Tokenizer *tokenizer;
    double *position_nll;      // (window) nll and tokens by position in the window; NULL = not wanted
    uint64_t *position_tokens; // (window)
    const Stop *stop;          // asked after each batch of windows, and inside long ones; NULL = never stop
    void (*show)(void *context, double share); // told then the share of the work done, 0..1; may be NULL
    void *context;
} Evaluation;

// Fails (input) when the scheme is not defined for `window`, the stream (`name` in the message) has only `window`
// tokens or fewer, or the stride would skip targets.
bool evaluation_check(const Evaluation *evaluation, const Gpt *gpt, const Split *split, const char *name, Error *error);

// Fill nll, tokens and bytes, and add to the arrays by position. Fails as evaluation_check does, (run), and
// (interrupted) when `stop` says so.
bool evaluate(Evaluation *evaluation, const Gpt *gpt, const Split *split, const char *name, Error *error);

// The relative cost of feeding the first `tokens` tokens of a window: the cost of matrix products grows with the width,
// and that of attention with the number of earlier tokens.
double window_work(const Gpt *gpt, int tokens);

double perplexity(double nll, uint64_t tokens);

// The sum of losses, in bits, divided by the bytes of the scored targets; NAN when the bytes were not counted.
double bits_per_byte(const Evaluation *evaluation);

// Why the scheme cannot be evaluated at this length (in `text`), or NULL if it can.
const char *length_complaint(char text[256], const Gpt *gpt, int window);

// The same as an error (input) that names the choices; true when the length is fine.
bool length_check(const Gpt *gpt, int window, Error *error);

// Fails (nonfinite) unless all numbers that a model has computed, logits or a mean loss, are finite.
bool finite_check(const real *numbers, int count, Error *error);

// --- how many exercises of a task a model answers correctly ---

// An answer is right when each of its tokens is the model's likeliest one given all correct tokens before it. Then
// greedy decoding writes exactly this answer, and one pass over the whole exercise is enough to know it.
typedef struct {
    uint64_t exercises, perfect; // all, and those in which every answer is right
    uint64_t questions, right;   // all, and those whose answer is right
    uint64_t tokens;             // of all answers
    double nll;                  // the sum over these tokens, in nats
} Answers;

// The exercises to answer: the first `count` of a stream (task_stream), with lengths drawn from the task's min..max.
typedef struct {
    BuiltinCorpus task;
    uint64_t stream;
    int count;
    int end;          // the token that ends a document
    const Stop *stop; // asked after each batch; NULL = never stop
} Examination;

// Add the model's results to *answers. Its scheme must be defined for task_tokens(max) positions. Fails (run) when
// there is no memory, (interrupted) when `stop` says so.
bool examine(Answers *answers, const Gpt *gpt, const Examination *examination, Error *error);

void answers_add(Answers *sum, const Answers *answers);

#endif
