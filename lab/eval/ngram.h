// How well unigram and bigram counts predict a text, to compare a trained model with.
#ifndef BITTER_NGRAM_H
#define BITTER_NGRAM_H

#include "data/corpus.h"

#define NGRAM_VOCAB_MOST 4096 // of bigrams: 64 MB of counts

// The number of validation tokens on which counts are compared with a model: eval_tokens (0 = all), at least a window.
static inline long long ngram_limit(long long eval_tokens, long long context) {
    return eval_tokens > 0 && eval_tokens <= context ? context + 1 : eval_tokens;
}

// Set the mean losses in nats of two models that count the N training tokens, on the first `limit` validation tokens (0
// = all; at least 2) except the very first:
//   unigram  p(t) = (count(t) + 1) / (N + V), add-one smoothing for a vocabulary of V
//   bigram   p(t|s) = (count(s,t) + D(s) p(t)) / (count(s) + D(s)), where D(s) is how many different tokens followed s:
//            interpolated with the unigram (Witten and Bell 1991, method C). NAN for more than NGRAM_VOCAB_MOST tokens.
// Fails (run) for want of memory.
bool ngram_losses(double *unigram, double *bigram, const Corpus *corpus, long long limit, Error *error);

#endif
