// From logits to tokens: which are drawn, and how often.
#include "model/sample.h"
#include "tests/support/support.h"

enum { V = 12 };

static const real logits[V] = {0.5f, -1, 2, 0, 1.5f, -3, 1.9f, 0.25f, -0.5f, 1, -2, -INFINITY};

static int draw(double temperature, int top_k, Random *random) {
    real scratch[2 * V];
    return sample_token(scratch, logits, V, &(Sampling){.temperature = temperature, .top_k = top_k}, random);
}

static void temperature_0_takes_the_largest(void **state) {
    Random random = {1, 0};
    real scratch[2 * V], copy[V];
    for (int largest = 0; largest < V; largest++) {
        memcpy(copy, logits, sizeof copy);
        copy[largest] = 5;
        for (int top_k = 0; top_k <= V; top_k += 4)
            assert_int_equal(sample_token(scratch, copy, V, &(Sampling){.top_k = top_k}, &random), largest);
        assert_true(copy[largest] == 5 && memcmp(copy, logits, (size_t)largest * sizeof *copy) == 0);
    }
}

static void top_1_and_a_tiny_temperature_take_the_largest(void **state) {
    Random random = {2, 0};
    for (int i = 0; i < 200; i++) {
        assert_int_equal(draw(5, 1, &random), 2);
        assert_int_equal(draw(1e-4, 0, &random), 2);
        assert_int_equal(draw(1e-300, 0, &random), 2);
    }
}

// How many logits are at least as large as this token's.
static int rank_of(int token) {
    int rank = 0;
    for (int v = 0; v < V; v++) rank += logits[v] >= logits[token];
    return rank;
}

static void top_k_leaves_out_the_rest(void **state) {
    Random random = {3, 0};
    for (int top_k = 1; top_k < V; top_k++) {
        bool seen[V] = {false};
        for (int i = 0; i < 5000; i++) {
            const int token = draw(10, top_k, &random); // nearly uniform among those that are left
            assert_in_range(token, 0, V - 1);
            if (rank_of(token) > top_k) fail_msg("top_k %d drew token %d", top_k, token);
            seen[token] = true;
        }
        for (int v = 0; v < V; v++)
            if (rank_of(v) <= top_k && v != V - 1 && !seen[v]) fail_msg("top_k %d never drew token %d", top_k, v);
    }
}

// Pearson's chi-square over the tokens that can be drawn. 11 of them leave 10 degrees of freedom, whose
// one-in-a-million quantile is 46.9; fewer tokens leave fewer.
static void expect_softmax(double temperature, int top_k) {
    enum { DRAWS = 100000 };
    int counts[V] = {0};
    double weights[V], sum = 0, chi_square = 0;
    Random random = {random_key(4, "draws"), 0};
    for (int v = 0; v < V; v++) {
        weights[v] = top_k == 0 || rank_of(v) <= top_k ? exp((double)logits[v] / temperature) : 0;
        sum += weights[v];
    }
    for (int i = 0; i < DRAWS; i++) counts[draw(temperature, top_k, &random)]++;
    for (int v = 0; v < V; v++) {
        const double expected = DRAWS * weights[v] / sum;
        if (weights[v] == 0)
            assert_int_equal(counts[v], 0);
        else
            chi_square += (counts[v] - expected) * (counts[v] - expected) / expected;
    }
    if (!(chi_square <= 46.9)) fail_msg("temperature %g, top_k %d: chi-square %g", temperature, top_k, chi_square);
}

static void frequencies_are_softmax_s(void **state) {
    expect_softmax(1, 0);
    expect_softmax(1, V);
    expect_softmax(1, V + 100);
    expect_softmax(0.7, 0);
    expect_softmax(3, 0);
    expect_softmax(0.8, 5);
}

// The tokens that are drawn are exactly those of ranks 1 .. `expected`, the most likely first.
static void expect_ranks(const Sampling *sampling, int expected) {
    bool seen[V] = {false};
    real values[2 * V];
    Random random = {6, 0};
    for (int i = 0; i < 20000; i++) seen[sample_token(values, logits, V, sampling, &random)] = true;
    for (int v = 0; v < V; v++)
        if (seen[v] != (rank_of(v) <= expected))
            fail_msg("top_k %d, top_p %g, min_p %g: token %d", sampling->top_k, sampling->top_p, sampling->min_p, v);
}

static void top_p_and_min_p_leave_out_the_rest(void **state) {
    // Ranks 1 to 4 of softmax(logits) have 0.280, 0.254, 0.170 and 0.103: 0.280, 0.534, 0.704, 0.807 together.
    expect_ranks(&(Sampling){.temperature = 1, .top_p = 0.2}, 1);
    expect_ranks(&(Sampling){.temperature = 1, .top_p = 0.3}, 2);
    expect_ranks(&(Sampling){.temperature = 1, .top_p = 0.6}, 3);
    expect_ranks(&(Sampling){.temperature = 1, .top_p = 0.75}, 4);
    // Shares are those among the top_k: of two, the first has 0.525.
    expect_ranks(&(Sampling){.temperature = 1, .top_k = 2, .top_p = 0.5}, 1);
    expect_ranks(&(Sampling){.temperature = 1, .top_k = 2, .top_p = 0.6}, 2);
    // Relative to the first: 1, 0.905, 0.607, 0.368, 0.223, ...
    expect_ranks(&(Sampling){.temperature = 1, .min_p = 1}, 1);
    expect_ranks(&(Sampling){.temperature = 1, .min_p = 0.7}, 2);
    expect_ranks(&(Sampling){.temperature = 1, .min_p = 0.5}, 3);
    expect_ranks(&(Sampling){.temperature = 1, .min_p = 0.3}, 4);
    expect_ranks(&(Sampling){.temperature = 1, .top_p = 0.6, .min_p = 0.7}, 2);
    expect_ranks(&(Sampling){.temperature = 1, .top_p = 0.3, .min_p = 0.3}, 2);
    expect_ranks(&(Sampling){.temperature = 1e6, .top_p = 0.999999, .min_p = 0.9}, V - 1); // nearly uniform
}

static void huge_and_distant_logits_are_drawn_from(void **state) {
    const real far[3] = {-3e38f, 3e38f, 3e38f};
    real scratch[6];
    int counts[3] = {0};
    Random random = {5, 0};
    for (int i = 0; i < 1000; i++) counts[sample_token(scratch, far, 3, &(Sampling){.temperature = 1}, &random)]++;
    assert_int_equal(counts[0], 0);
    assert_true(counts[1] > 400 && counts[2] > 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temperature_0_takes_the_largest),
        cmocka_unit_test(top_1_and_a_tiny_temperature_take_the_largest),
        cmocka_unit_test(top_k_leaves_out_the_rest),
        cmocka_unit_test(frequencies_are_softmax_s),
        cmocka_unit_test(top_p_and_min_p_leave_out_the_rest),
        cmocka_unit_test(huge_and_distant_logits_are_drawn_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
