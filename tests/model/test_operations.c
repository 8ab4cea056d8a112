// Operations of the model without positions: the formula compared with counting through its tensors and keys.
#include "tests/support/little_model.h"

enum { T = 37, LAYERS = 3, HEADS = 2, WIDTH = 16 };

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

// Work on single numbers, for one token: that of every vector among the tensors (a norm's weight, forward and backward;
// a product's bias, which is added, and whose gradient is summed), of the hidden channels, the residuals, dout . out,
// the gradient of the embedding and the loss. These numbers of operations are counted in the loops of model/ops/.
static double of_numbers(const Shape *of) {
    const bool llama = of->block == BLOCK_LLAMA;
    const Mix none = mix_of("none", of);
    double count = of->layers * (mlp_width(of) * (llama ? 12.0 : 20.0) + 2.0 * of->width + 2.0 * of->width) +
                   of->width + 5.0 * of->vocab;
    Gpt gpt;
    Error error;
    must(gpt_create(&gpt, of, &none, false, &error), &error);
    for (int t = 0; t < gpt.tensors.count; t++) {
        const Tensor *tensor = &gpt.tensors.items[t];
        const bool norm = strstr(tensor->name, "ln_"), bias = strstr(tensor->name, ".bias");
        if (norm && !bias) count += (llama ? 15.0 : 27.0) * (double)tensor->count; // a norm's bias is counted with it
        if (bias && !norm) count += 2.0 * (double)tensor->count;
    }
    gpt_free(&gpt);
    return count;
}

static void expect_all(const Shape *of) {
    const Mix none = mix_of("none", of);
    for (int tokens = 1; tokens <= 300; tokens += 23) {
        const double count = gpt_operations(of, &none, tokens);
        expect_near("operations", (size_t)tokens, count, of_products(of, tokens) + of_numbers(of), 1e-9 * count);
    }
}

static void the_model_is_products_attention_and_single_numbers(void **state) {
    const Shape wide = {.vocab = 257, .context = 256, .layers = 4, .heads = 4, .width = 128};
    expect_all(&wide);
    for (int kv_heads = 1; kv_heads <= 2; kv_heads++) {
        Shape sharing = wide;
        sharing.kv_heads = kv_heads;
        expect_all(&sharing);
        sharing.block = BLOCK_LLAMA;
        expect_all(&sharing);
    }
}

// A scaled score costs 1 forward, and backward 3: its own gradient and that of the scale.
static void scaled_logits_cost_four_a_weight(void **state) {
    const Shape plain = {.vocab = 257, .context = 256, .layers = 4, .heads = 4, .width = 128};
    Shape scaled = plain;
    scaled.scale_logits = SCALE_LOGITS_LOG;
    const Mix none = mix_of("none", &plain);
    const double more = gpt_operations(&scaled, &none, 256) - gpt_operations(&plain, &none, 256);
    expect_near("operations", 0, more, 4.0 * 4 * 4 * 257 / 2, 1e-3);
    assert_int_equal(gpt_parameters(&scaled) - gpt_parameters(&plain), 4 * 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_is_products_attention_and_single_numbers),
        cmocka_unit_test(scaled_logits_cost_four_a_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
