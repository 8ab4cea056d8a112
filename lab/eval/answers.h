// How much of a task a model can do.
#ifndef BITTER_ANSWERS_H
#define BITTER_ANSWERS_H

#include "base/interrupt.h"
#include "data/made/task.h"
#include "model/infer.h"

// An answer is right when each of its tokens is the likeliest one behind what is right before it: then decoding that
// always takes the likeliest token writes exactly this answer, and one pass over the whole exercise shows it.
typedef struct {
    uint64_t exercises, perfect; // and those with every answer right
    uint64_t questions, right;   // and those whose answer is right
    uint64_t tokens;             // of answers
    double nll;                  // of them, in nats
} Answers;

// Which exercises: the first `count` of a stream (task_stream), lengths drawn from the task's min..max.
typedef struct {
    BuiltinCorpus task;
    uint64_t stream;
    int count;
    int end;          // the token that ends a document
    const Stop *stop; // NULL = go on to the end
} Examination;

// Add what the model answers to *answers. The model's scheme must be defined for task_tokens(max). Fails (run) for
// want of memory, (interrupted) when it is to stop.
bool examine(Answers *answers, const Gpt *gpt, const Examination *examination, Error *error);

void answers_add(Answers *sum, const Answers *answers);

#endif
