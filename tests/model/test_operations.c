// Operations of the model without positions, counted by a formula and by walking through its tensors and keys.
#include "tests/support/little_model.h"

enum { T = 37, LAYERS = 3, HEADS = 2, WIDTH = 16 };

static const Shape shape = {.vocab = 11, .context = T, .layers = LAYERS, .heads = HEADS, .width = WIDTH};

// Six for each weight of a matrix; in attention, for each key and head, products of D numbers for the score, the value
// and their four gradients, and the softmax. What is left is work on single numbers: it does not depend on T.
static double of_products(const Shape *of, int tokens) {
    Gpt gpt;
    Error error;
    const Mix none = mix_of("none", of);
    double count = 0, attention = 0;
    must(gpt_create(&gpt, of, &none, false, &error), &error);
    for (int t = 0; t < gpt.tensors.count; t++)
        if (gpt.tensors.items[t].rank == 2) count += 6 * (double)gpt.tensors.items[t].count;
    gpt_free(&gpt);
    for (int l = 0; l < of->layers; l++)
        for (int h = 0; h < of->heads; h++)
            for (int i = 0; i < tokens; i++)
                for (int j = 0; j <= i; j++) attention += 6 * 2 * (double)head_width(of) + 7;
    return count + attention / tokens;
}

// The rest is between `least` and `most` operations for each channel and layer.
static void expect_products_and_attention(const Shape *of, double least, double most) {
    const Mix none = mix_of("none", of);
    const double rest = gpt_operations(of, &none, 1) - of_products(of, 1), channels = of->layers * of->width;
    for (int tokens = 1; tokens <= 300; tokens += 23) {
        const double count = gpt_operations(of, &none, tokens), products = of_products(of, tokens);
        expect_near("rest", (size_t)tokens, count - products, rest, 1e-9 * count);
    }
    assert_in_range(rest, least * channels, most * channels);
}

// Of each channel some dozens of operations in a layer, and a hidden channel's activation in four; in Llama's block
// norms and activations cost less, and there are no biases.
static void the_model_is_six_for_each_weight_and_attention(void **state) {
    const Shape wide = {.vocab = 257, .context = 256, .layers = 4, .heads = 4, .width = 128};
    expect_products_and_attention(&wide, 100, 200);
    for (int kv_heads = 1; kv_heads <= 2; kv_heads++) {
        Shape sharing = wide;
        sharing.kv_heads = kv_heads;
        expect_products_and_attention(&sharing, 100, 200);
        sharing.block = BLOCK_LLAMA;
        expect_products_and_attention(&sharing, 50, 100);
    }
}

static void keys_outside_the_window_cost_nothing(void **state) {
    Shape windowed = shape;
    windowed.windows = (Windows){1, {8}};
    const Mix none = mix_of("none", &windowed);
    const double least = LAYERS * (keys_seen_of(T, 0) - keys_seen_of(T, 8)) * 3 * 2 * 2 * WIDTH;
    assert_true(gpt_operations(&shape, &none, T) - gpt_operations(&windowed, &none, T) > least);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_is_six_for_each_weight_and_attention),
        cmocka_unit_test(keys_outside_the_window_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
