// Perplexity, stated and honest: every token of the stream is scored once, and sums are divided by their count.
#ifndef BITTER_EVALUATE_H
#define BITTER_EVALUATE_H

#include "base/interrupt.h"
#include "data/corpus.h"
#include "model/infer.h"

// Windows of `window` tokens; each scores the targets that no window before it scored: all of the first one's, or,
// where `from` leaves enough text before it, `stride` as of all others. The last window ends at the end of the stream,
// so that it too has its full context.
typedef struct {
    int window, stride;
    uint64_t from;   // the stream's first `from` tokens are context only: no target is scored there
    uint64_t limit;  // only the stream's first `limit` tokens; 0 = all
    double nll;      // sum over scored targets, in nats
    uint64_t tokens; // scored targets: one less than the tokens of the stream behind `from`
    uint64_t bytes;  // of text in them, for bits per byte; counted when there is a tokenizer
    const Tokenizer *tokenizer;
    double *position_nll;      // (window) the same, by position in the window; NULL = not asked for
    uint64_t *position_tokens; // (window)
    const Stop *stop;          // NULL = go on to the end
} Evaluation;

// Can the stream be scored in these windows? Fails (input) when the scheme is not defined for `window`, the stream has
// fewer than window + 1 tokens, or the stride would skip some; `name` is the stream's name in the message.
bool evaluation_check(const Evaluation *evaluation, const Gpt *gpt, const Split *split, const char *name, Error *error);

// Called now and then with the share that is done, 0..1.
typedef void (*EvaluationProgress)(void *context, double share);

// Fill nll, tokens and bytes, and add to the arrays. Fails as evaluation_check does, (run) for want of memory or
// because the data changed, (interrupted) when it is to stop.
bool evaluate(Evaluation *evaluation, const Gpt *gpt, const Split *split, const char *name, EvaluationProgress progress,
              void *context, Error *error);

double perplexity(double nll, uint64_t tokens);

// NULL, or why a scheme cannot be evaluated at this length (in `text`).
const char *length_complaint(char text[256], const Gpt *gpt, int window);

// The same as an error (input) that names the choices; true when the length is fine.
bool length_check(const Gpt *gpt, int window, Error *error);

#endif
