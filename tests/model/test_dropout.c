// Dropout in a whole pass: every place that drops values draws its own random numbers. The model consists of biases
// only, so that the activations show what was dropped.
#include "tests/support/little_model.h"

enum { L = 3, H = 4, D = 16, C = H * D, B = 8, T = 4, ROWS = B * T, SEEN = B * H, STREAMS = 3 * L + 1 };

static const Shape shape = {.vocab = 3, .context = T, .layers = L, .heads = H, .width = C};
static const double rate = 0.5;

// Element number n of every stream that the pass draws from is compared for these n: the numbers of the attention
// weights of each sequence's first token to itself.
static size_t number_of(int n) {
    return (size_t)n * T * T;
}

// Was the element kept? Branches add 1, or 2 if it was kept.
static bool kept(real with, real without) {
    const double added = (double)(with - without);
    assert_true(fabs(added) < 1e-5 || fabs(added - 1 / (1 - rate)) < 1e-5);
    return added > 0.5;
}

static void fill(real *values, size_t count, real value) {
    for (size_t n = 0; n < count; n++) values[n] = value;
}

// All weights are 0; token embeddings, values, and what the two branches of a layer add are all 1.
static void make_model(Gpt *gpt) {
    Mix pos;
    Error error;
    must(mix_create(&pos, "none", &shape, &error), &error);
    must(gpt_create(gpt, &shape, &pos, true, &error), &error);
    memset(gpt->params, 0, gpt->tensors.total * sizeof(real));
    fill(gpt->w.wte, (size_t)shape.vocab * C, 1);
    for (int l = 0; l < L; l++) {
        fill(gpt->w.layers[l].qkvb + 2 * C, C, 1);
        fill(gpt->w.layers[l].projb, C, 1);
        fill(gpt->w.layers[l].fcprojb, C, 1);
    }
}

static void see_streams(bool seen[STREAMS][SEEN], const TrainPass *pass) {
    for (int n = 0; n < SEEN; n++) {
        const size_t at = number_of(n), first = (size_t)(n / H) * T * C + (size_t)(n % H) * D;
        assert_true(at < (size_t)ROWS * C);
        seen[3 * L][n] = kept(pass->layers[0].x[at], 0);
        for (int l = 0; l < L; l++) {
            const LayerActivations *a = &pass->layers[l];
            const real *after = l + 1 < L ? pass->layers[l + 1].x : pass->x_final;
            seen[3 * l][n] = kept(a->heads[first], 0);
            seen[3 * l + 1][n] = kept(a->x_mid[at], a->x[at]);
            seen[3 * l + 2][n] = kept(after[at], a->x_mid[at]);
        }
    }
}

static void every_place_draws_for_itself(void **state) {
    static bool seen[STREAMS][SEEN], again[STREAMS][SEEN];
    int ids[ROWS] = {0};
    Gpt gpt;
    TrainPass pass;
    Error error;
    make_model(&gpt);
    must(train_pass_create(&pass, &gpt, B, T, &error), &error);
    pass.dropout_rate = rate;
    for (uint64_t key = 5; key < 7; key++) {
        pass.dropout_key = key;
        memcpy(again, seen, sizeof again);
        train_pass_embed(&pass, &gpt, ids);
        train_pass_forward(&pass, &gpt);
        train_pass_loss(&pass, &gpt, ids);
        see_streams(seen, &pass);
        for (int i = 0; i < STREAMS; i++) {
            int count = 0;
            for (int n = 0; n < SEEN; n++) count += seen[i][n];
            assert_true(count > SEEN / 5 && count < SEEN - SEEN / 5);
            for (int j = 0; j < i; j++)
                if (memcmp(seen[i], seen[j], sizeof seen[i]) == 0) fail_msg("streams %d and %d are the same", j, i);
            assert_memory_not_equal(seen[i], again[i], sizeof seen[i]); // another pass draws anew
        }
    }
    training_free(&gpt, &pass);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_place_draws_for_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
