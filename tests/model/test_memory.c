// How much memory a model, its training and its inference take, and in which order it is handed out.
#include "model/infer.h"
#include "posenc/registry.h"
#include "tests/support/little_model.h"

static void memory_grows_linearly(void **state) {
    Error error;
    for (int s = 0; schemes[s]; s++) {
        size_t trained[2], fed[2];
        for (int i = 0; i < 2; i++) {
            const Shape shape = {.vocab = 11, .context = 2048 << i, .layers = 1, .heads = 2, .width = 16};
            Gpt gpt;
            TrainPass pass;
            Inference inference;
            training_make(&gpt, &pass, schemes[s]->name, &shape, 1, shape.context);
            must(inference_create(&inference, &gpt, 1, shape.context, 64, &error), &error);
            trained[i] = pass.arena.used;
            fed[i] = inference.arena.used;
            train_pass_free(&pass);
            inference_free(&inference);
            gpt_free(&gpt);
        }
        assert_true(trained[0] > 0 && fed[0] > 0);
        if (!(trained[1] <= 2.2 * trained[0]))
            fail_msg("%s, training: %zu, %zu", schemes[s]->name, trained[0], trained[1]);
        if (!(fed[1] <= 2.2 * fed[0])) fail_msg("%s, inference: %zu, %zu", schemes[s]->name, fed[0], fed[1]);
    }
}

static void too_much_memory_is_refused(void **state) {
    const Shape huge = {.vocab = 257, .context = 64, .layers = 1000, .heads = 1, .width = 9000};
    const Shape small = {.vocab = 257, .context = 64, .layers = 2, .heads = 1, .width = 64};
    Gpt gpt;
    TrainPass pass;
    Inference inference;
    Mix pos;
    Error error = {0};
    must(mix_create(&pos, "none", &huge, &error), &error);
    assert_false(gpt_create(&gpt, &huge, &pos, true, &error));
    assert_int_equal(error.kind, ERROR_RUN);
    assert_non_null(strstr(error.message, "parameters, gradients and moments need"));
    assert_null(gpt.state.base);
    model_make(&gpt, "none", &small, true);
    error = (Error){0};
    assert_false(train_pass_create(&pass, &gpt, 100000, 10000, &error));
    assert_int_equal(error.kind, ERROR_RUN);
    assert_non_null(strstr(error.message, "batch"));
    train_pass_free(&pass);
    error = (Error){0};
    assert_false(inference_create(&inference, &gpt, 20000, 1000000, 1, &error));
    assert_int_equal(error.kind, ERROR_RUN);
    inference_free(&inference);
    gpt_free(&gpt);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_grows_linearly),
        cmocka_unit_test(too_much_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
