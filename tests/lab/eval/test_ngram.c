// Predictions of unigrams and bigrams equal the formulas computed the long way; every distribution adds up to 1.
#include "lab/eval/ngram.h"
#include "tests/support/support.h"

enum { MOST = 64 };

typedef struct {
    uint16_t train[MOST], val[MOST];
    Shard shards[2], last;
    Corpus corpus;
} Little;

// A corpus of these tokens, with the training tokens in two shards.
static Corpus *make(Little *little, int V, const int *train, int count, const int *val, int scored) {
    Error error;
    for (int i = 0; i < count; i++) little->train[i] = (uint16_t)train[i];
    for (int i = 0; i < scored; i++) little->val[i] = (uint16_t)val[i];
    const size_t first = (size_t)count / 2;
    must(shard_from_tokens(&little->shards[0], "a", little->train, first, &error), &error);
    must(shard_from_tokens(&little->shards[1], "b", little->train + first, (size_t)count - first, &error), &error);
    must(shard_from_tokens(&little->last, "c", little->val, (size_t)scored, &error), &error);
    little->corpus = (Corpus){.tokenizer = {.kind = TOKENIZER_NONE, .vocab_size = V},
                              .train = {little->shards, 2, (uint64_t)count},
                              .val = {&little->last, 1, (uint64_t)scored}};
    return &little->corpus;
}

static void losses_of(double *unigram, double *bigram, const Corpus *corpus, long long limit) {
    Error error;
    must(ngram_losses(unigram, bigram, corpus, limit, &error), &error);
}

static double unigram_of(const int *text, int n, int V, int t) {
    int count = 0;
    for (int i = 0; i < n; i++) count += text[i] == t;
    return (count + 1.0) / (n + V);
}

static double bigram_of(const int *text, int n, int V, int s, int t) {
    bool follows[MOST] = {false};
    int times = 0, pair = 0, different = 0;
    for (int i = 1; i < n; i++) {
        if (text[i - 1] != s) continue;
        times++;
        pair += text[i] == t;
        different += !follows[text[i]];
        follows[text[i]] = true;
    }
    const double unigram = unigram_of(text, n, V, t);
    return times ? (pair + different * unigram) / (times + different) : unigram;
}

// 4 is never seen, 3 only as the last token, so that nothing follows either.
static const int text[] = {0, 1, 0, 1, 2, 0, 1, 1, 0, 0, 2, 2, 1, 0, 1, 3};
enum { N = COUNT(text), V = 5 };

static void losses_are_those_of_the_formulas(void **state) {
    static const int val[] = {1, 0, 1, 2, 4, 0, 3, 3, 2, 1};
    Little little;
    const Corpus *corpus = make(&little, V, text, N, val, COUNT(val));
    for (int limit = 0; limit <= (int)COUNT(val) + 3; limit = limit ? limit + 1 : 2) {
        const int scored = limit == 0 || limit > (int)COUNT(val) ? (int)COUNT(val) : limit;
        double unigram, bigram, sums[2] = {0, 0};
        losses_of(&unigram, &bigram, corpus, limit);
        for (int i = 1; i < scored; i++) {
            sums[0] -= log(unigram_of(text, N, V, val[i]));
            sums[1] -= log(bigram_of(text, N, V, val[i - 1], val[i]));
        }
        expect_near("unigram", (size_t)limit, unigram, sums[0] / (scored - 1), 1e-12);
        expect_near("bigram", (size_t)limit, bigram, sums[1] / (scored - 1), 1e-12);
    }
}

static void probabilities_add_up_to_one(void **state) {
    for (int s = 0; s < V; s++) {
        double sums[2] = {0, 0};
        for (int t = 0; t < V; t++) {
            Little little;
            double unigram, bigram;
            losses_of(&unigram, &bigram, make(&little, V, text, N, (int[]){s, t}, 2), 0);
            sums[0] += exp(-unigram);
            sums[1] += exp(-bigram);
        }
        expect_near("unigrams", (size_t)s, sums[0], 1, 1e-12);
        expect_near("bigrams", (size_t)s, sums[1], 1, 1e-12);
    }
}

static void a_large_vocabulary_has_unigrams_alone(void **state) {
    for (int more = 0; more < 2; more++) {
        Little little;
        double unigram, bigram;
        losses_of(&unigram, &bigram, make(&little, NGRAM_VOCAB_MOST + more, text, N, (int[]){0, 1}, 2), 0);
        expect_near("unigram", 0, unigram, -log(unigram_of(text, N, NGRAM_VOCAB_MOST + more, 1)), 1e-12);
        assert_int_equal(isnan(bigram) != 0, more);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_those_of_the_formulas),
        cmocka_unit_test(probabilities_add_up_to_one),
        cmocka_unit_test(a_large_vocabulary_has_unigrams_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
