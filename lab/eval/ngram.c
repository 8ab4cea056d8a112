#include "lab/eval/ngram.h"

#include <math.h>
#include <stdlib.h>

bool ngram_losses(double *unigram, double *bigram, const Corpus *corpus, long long limit, Error *error) {
    const Split *train = &corpus->train, *val = &corpus->val;
    const size_t V = (size_t)corpus->tokenizer.vocab_size, squared = V <= NGRAM_VOCAB_MOST ? V * V : 0;
    if (split_limit(val, limit) < 2)
        return fail_input(error, "%s has fewer than 2 validation tokens; give more text", corpus->name);
    uint32_t *count = calloc(2 * V + squared, sizeof *count);
    if (!count) return fail_run(error, "no memory for the counts of %zu tokens", V);
    uint32_t *followers = count + V, *pairs = count + 2 * V; // count, followers (V), pairs (V,V)

    size_t s = V; // the token before t; V = there is none
    for (const Shard *shard = train->shards; shard < train->shards + train->shard_count; shard++)
        for (size_t i = 0; i < shard->count; i++) {
            const size_t t = shard->tokens[i];
            count[t]++;
            if (squared && s < V) followers[s] += pairs[s * V + t]++ == 0;
            s = t;
        }

    const size_t last = s; // nothing followed it
    const uint64_t scored = split_limit(val, limit) - 1;
    double sums[2] = {0, squared ? 0 : NAN};
    int id;
    split_read(&id, val, 0, 1);
    for (uint64_t i = 1; i <= scored; i++) {
        s = (size_t)id;
        split_read(&id, val, i, 1);
        const double p = (count[id] + 1.0) / (double)(train->count + V);
        sums[0] -= log(p);
        if (!squared) continue;
        const double times = count[s] - (s == last), D = followers[s];
        sums[1] -= log(times > 0 ? (pairs[s * V + (size_t)id] + D * p) / (times + D) : p);
    }
    *unigram = sums[0] / (double)scored;
    *bigram = sums[1] / (double)scored;
    free(count);
    return true;
}
