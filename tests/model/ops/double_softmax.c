// One row of scores at a time, compared with the formula. Each row has exactly the memory that it needs, so that the
// sanitizers see accesses beyond it.
#include "model/ops/attention_more.h"

#include "tests/model/ops/operations.h"

static const int lengths[] = {1, 2, 31, 32, 33, 64, 100, 255, 256, 257, 600}; // sums are taken in parts of 256

// Scores of `seen` keys, followed by what attention may leave there.
static real *row_of_scores(int seen) {
    real *S = random_reals((size_t)round_up(seen), "S", 4);
    for (int j = seen; j < round_up(seen); j++) S[j] = j % 2 ? 1e9 : -1e9;
    return S;
}

static double most_of(const real *S, int seen) {
    double most = S[0];
    for (int j = 1; j < seen; j++) most = fmax(most, S[j]);
    return most;
}

static void largest_score(void **state) {
    for (size_t i = 0; i < COUNT(lengths); i++) {
        const int seen = lengths[i];
        real *S = row_of_scores(seen);
        for (int at = 0; at < seen; at += 1 + seen / 40) { // wherever it stands
            const real before = S[at];
            S[at] = 50;
            expect_near("most", (size_t)at, row_most(S, seen), 50, 0);
            S[at] = before;
        }
        expect_near("most", (size_t)seen, row_most(S, seen), most_of(S, seen), 0);
        free(S);
    }
}

static void probabilities(void **state) {
    for (size_t i = 0; i < COUNT(lengths); i++)
        for (int more = 0; more <= 1; more++) {
            const int seen = lengths[i], stride = round_up(seen) + more * TOGETHER;
            real *S = row_of_scores(seen), *P = nan_reals((size_t)stride);
            const double most = most_of(S, seen);
            double sum = 0;
            for (int j = 0; j < seen; j++) sum += exp(S[j] - most);
            const real lse = softmax_row(P, S, seen, stride);
            expect_near("lse", (size_t)seen, lse, most + log(sum), EXACT);
            for (int j = 0; j < stride; j++)
                expect_near("P", (size_t)j, P[j], j < seen ? exp(S[j] - most) / sum : 0, EXACT);
            free(S);
            free(P);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_score),
        cmocka_unit_test(probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
