// Inference without outputs, and token by token.
#include "tests/support/agreement.h"

#include <omp.h>

// Tokens fed without outputs are remembered like others.
static void silent_tokens_are_remembered(void **state) {
    enum { T = 40, HALF = 20, V = AGREEMENT_V };
    static real expected[HALF * V], found[HALF * V];
    int ids[T];
    char scheme[TEXT_CAPACITY];
    Error error;
    ids_make(ids, T, V, 5);
    for (int i = 0; scheme_variant(scheme, &agreement_shape, i); i++) {
        Gpt gpt;
        Inference inference;
        model_make(&gpt, scheme, &agreement_shape, false);
        must(inference_create(&inference, &gpt, 1, T, HALF, &error), &error);
        for (int silent = 0; silent < 2; silent++) {
            inference_restart(&inference);
            inference.silent = silent;
            inference_feed(&inference, &gpt, ids, HALF);
            inference.silent = false;
            inference_feed(&inference, &gpt, ids + HALF, HALF);
            inference_logits(silent ? found : expected, &inference, &gpt, HALF);
        }
        assert_true(isfinite(expected[0]));
        if (memcmp(found, expected, sizeof found) != 0) fail_msg("%s: other logits after silent tokens", scheme);
        inference_free(&inference);
        gpt_free(&gpt);
    }
}

// Threads share the columns of a single token's layers, also when there are more threads than groups of 16 columns.
static void a_single_token_is_shared_by_columns(void **state) {
    enum { T = 12, V = AGREEMENT_V, MANY = 5 };
    static real expected[T * V], found[V];
    const int threads = omp_get_max_threads();
    int ids[T];
    char scheme[TEXT_CAPACITY];
    Error error;
    ids_make(ids, T, V, 6);
    for (int i = 0; scheme_variant(scheme, &agreement_shape, i); i++) {
        Gpt gpt;
        Inference inference;
        model_make(&gpt, scheme, &agreement_shape, false);
        omp_set_num_threads(MANY);
        must(inference_create(&inference, &gpt, 1, T, T, &error), &error);
        omp_set_num_threads(1);
        inference_feed(&inference, &gpt, ids, T);
        inference_logits(expected, &inference, &gpt, T);
        inference_restart(&inference);
        omp_set_num_threads(MANY);
        for (int t = 0; t < T; t++) {
            inference_feed(&inference, &gpt, &ids[t], 1);
            inference_last_logits(found, &inference, &gpt, 1);
            for (int v = 0; v < V; v++) expect_near(scheme, (size_t)v, found[v], expected[t * V + v], 1e-4);
        }
        inference_free(&inference);
        gpt_free(&gpt);
    }
    omp_set_num_threads(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silent_tokens_are_remembered),
        cmocka_unit_test(a_single_token_is_shared_by_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
