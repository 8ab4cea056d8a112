// How many exercises of a task a model answers correctly.
#ifndef BITTER_ANSWERS_H
#define BITTER_ANSWERS_H

#include "base/interrupt.h"
#include "data/made/builtin.h"
#include "model/infer.h"

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
