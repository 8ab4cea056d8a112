// model/ against lesson/plain.c, the trainer in one file: the same weights and tokens must give the same activations
// and gradients.
#include "tests/lesson/plain.h"
#include "tests/support/little_model.h"

#define TOLERANCE 1e-9

static const Shape shape = {
    .vocab = PLAIN_V, .context = PLAIN_T, .layers = PLAIN_L, .heads = PLAIN_H, .width = PLAIN_C};

// The tolerance is relative to the number, or to the typical number of its array if that is larger.
static void expect_same(const char *scheme, const char *what, const real *found, const real *expected, size_t count) {
    char name[200];
    snprintf(name, sizeof name, "%s: %s", scheme, what);
    const double typical = root_mean_square(expected, count);
    assert_true(typical > 0 && isfinite(typical));
    for (size_t n = 0; n < count; n++)
        expect_near(name, n, (double)found[n], (double)expected[n],
                    TOLERANCE * fmax(typical, fabs((double)expected[n])));
}

static void copy_weights(const Gpt *gpt) {
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i];
        const PlainArray own = plain_parameter(t->name);
        assert_int_equal(own.count, t->count);
        memcpy(own.values, gpt->params + t->offset, t->count * sizeof(real));
    }
}

static void expect_activations(const char *scheme, const TrainPass *pass) {
    for (int l = 0; l < PLAIN_L; l++) {
        const LayerActivations *layer = &pass->layers[l];
        const struct {
            const char *name;
            const real *found;
        } arrays[] = {
            {"x", layer->x},         {"qkv", layer->qkv},       {"heads", layer->heads},
            {"x_mid", layer->x_mid}, {"hidden", layer->hidden},
        };
        for (size_t i = 0; i < COUNT(arrays); i++) {
            const PlainArray own = plain_activation(arrays[i].name, l);
            expect_same(scheme, arrays[i].name, arrays[i].found, own.values, own.count);
        }
    }
    const PlainArray last = plain_activation("x", PLAIN_L), nll = plain_activation("nll", 0);
    expect_same(scheme, "the last layer's x", pass->x_final, last.values, last.count);
    for (size_t n = 0; n < nll.count; n++) expect_near("nll", n, pass->nll[n], (double)nll.values[n], TOLERANCE * 10);
}

static void expect_gradients(const char *scheme, const TrainPass *pass, const Gpt *gpt) {
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i];
        expect_same(scheme, t->name, gpt->grads + t->offset, plain_parameter(t->name).gradient, t->count);
    }
    const PlainArray x = plain_activation("x", 0);
    expect_same(scheme, "the gradient of the embeddings", pass->dx, x.gradient, x.count);
}

static void compare(const char *scheme) {
    enum { ROWS = PLAIN_B * PLAIN_T };
    int ids[ROWS], targets[ROWS];
    Gpt gpt;
    TrainPass pass;
    training_make(&gpt, &pass, scheme, &shape, PLAIN_B, PLAIN_T);
    ids_make(ids, ROWS, PLAIN_V, 1);
    ids_make(targets, ROWS, PLAIN_V, 2);
    for (int r = 0; r < ROWS; r++) pass.dnll[r] = (real)1 / ROWS;
    train_pass_embed(&pass, &gpt, ids);
    train_pass_forward(&pass, &gpt);
    train_pass_backward(&pass, &gpt, ids, targets);

    plain_choose(scheme);
    copy_weights(&gpt);
    plain_batch(ids, targets);
    plain_pass();
    expect_activations(scheme, &pass);
    expect_gradients(scheme, &pass, &gpt);
    training_free(&gpt, &pass);
}

static void activations_and_gradients_are_those_of_plain_c(void **state) {
    static const char *const schemes_there[] = {"none", "learned", "sinusoidal", "rope", "alibi"};
    for (size_t s = 0; s < COUNT(schemes_there); s++) compare(schemes_there[s]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(activations_and_gradients_are_those_of_plain_c)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
