// The tensors and the memory of Llama's block and of heads that share keys.
#include "tests/support/agreement.h"

// Llama's block has no biases, SwiGLU's hidden layer is two thirds of 4C wide, rounded up to 32, and shared keys make
// matrices and the cache narrower.
static void llamas_block_has_its_tensors(void **state) {
    for (int kv_heads = 1; kv_heads <= 3; kv_heads += 2) {
        Gpt gpt;
        Shape shape = agreement_shape;
        shape.block = BLOCK_LLAMA;
        shape.kv_heads = kv_heads;
        model_make(&gpt, "rope", &shape, true);
        const TensorTable *table = &gpt.tensors;
        for (int i = 0; i < table->count; i++) assert_null(strstr(table->items[i].name, "bias"));
        const size_t C = 24, Kd = 8 * (size_t)kv_heads, W = 64, L = 2, V = AGREEMENT_V;
        const size_t expected = V * C + C + L * (2 * C + (C + 2 * Kd) * C + C * C + 3 * C * W);
        assert_int_equal(tensor_numbers(table, false), expected);
        assert_int_equal(gpt_parameters(&shape), expected);
        assert_null(gpt.w.lnfb);
        assert_null(gpt.dw.layers[0].fcb);
        assert_ptr_equal(gpt.w.lnfw, gpt.params + tensor_find(table, "ln_f.weight")->offset);
        assert_ptr_equal(gpt.w.layers[1].fcw, gpt.params + tensor_find(table, "h.1.mlp.gate_up.weight")->offset);
        assert_ptr_equal(gpt.dw.layers[1].fcprojw, gpt.grads + tensor_find(table, "h.1.mlp.down.weight")->offset);
        gpt_free(&gpt);
    }
    for (int C = 1; C <= 300; C++) {
        const Shape shape = {.heads = 1, .width = C, .block = BLOCK_LLAMA};
        assert_int_equal(mlp_width(&shape) % 32, 0);
        assert_in_range(mlp_width(&shape), 8 * C / 3, 8 * C / 3 + 31);
    }
}

// Training keeps gate and up of each layer, 2 W = 5.3 C numbers, where GPT-2's block keeps 8 C.
static void llamas_block_takes_less_memory(void **state) {
    size_t used[2];
    for (Block block = BLOCK_GPT2; block <= BLOCK_LLAMA; block++) {
        const Shape shape = {.vocab = 11, .context = 64, .layers = 6, .heads = 2, .width = 96, .block = block};
        Gpt gpt;
        TrainPass pass;
        training_make(&gpt, &pass, "rope", &shape, 4, 64);
        used[block] = pass.arena.used;
        training_free(&gpt, &pass);
    }
    assert_true((double)used[BLOCK_LLAMA] < 0.9 * (double)used[BLOCK_GPT2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(llamas_block_has_its_tensors),
        cmocka_unit_test(llamas_block_takes_less_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
