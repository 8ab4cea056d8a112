// Inference with thousands of keys, and without outputs.
#include "tests/support/agreement.h"

// Thousands of keys are looked at in tiles, unless somebody wants the weights.
static void tiles_of_keys_agree_with_whole_rows(void **state) {
    enum { T = 4800, CHUNK = 400, V = AGREEMENT_V }; // chunks of more queries than go together
    static int ids[T];
    static real whole[CHUNK * V], tiled[CHUNK * V];
    static const char *const names[] = {"rope", "none"};
    Error error;
    ids_make(ids, T, V, 5);
    for (size_t s = 0; s < COUNT(names); s++) {
        Gpt gpt;
        Inference plain, inference;
        model_make(&gpt, names[s], &agreement_shape, false);
        for (size_t i = 0; i < gpt.tensors.total; i++) gpt.params[i] *= 3; // so that some scores are far above others
        must(inference_create(&plain, &gpt, 1, T, CHUNK, &error), &error);
        must(inference_create(&inference, &gpt, 1, T, CHUNK, &error), &error);
        plain.P = malloc((size_t)gpt.shape.layers * (size_t)gpt.shape.heads * CHUNK * T * sizeof *plain.P);
        assert_non_null(plain.P);
        double worst = 0, size = 0;
        for (int at = 0; at < T; at += CHUNK) {
            inference_feed(&plain, &gpt, ids + at, CHUNK);
            inference_feed(&inference, &gpt, ids + at, CHUNK);
            inference_logits(whole, &plain, &gpt, CHUNK);
            inference_logits(tiled, &inference, &gpt, CHUNK);
            for (int i = 0; i < CHUNK * V; i++) {
                worst = fmax(worst, fabs((double)whole[i] - (double)tiled[i]));
                size = fmax(size, fabs((double)whole[i]));
            }
        }
        if (!(worst <= 1e-3 * size)) fail_msg("%s: logits differ by %g, of %g", names[s], worst, size);
        free(plain.P);
        inference_free(&plain);
        inference_free(&inference);
        gpt_free(&gpt);
    }
}

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
        cmocka_unit_test(tiles_of_keys_agree_with_whole_rows),
        cmocka_unit_test(silent_tokens_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
