// Inference with thousands of keys, and without outputs.
#include "tests/support/agreement.h"

// Tokens whose outputs nobody wants are remembered as others are.
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
        if (memcmp(found, expected, sizeof found) != 0) fail_msg("%s: other logits after silent tokens", scheme);
        inference_free(&inference);
        gpt_free(&gpt);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silent_tokens_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
