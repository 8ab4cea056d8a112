// How threads share the work (num/team.h), and that the result of a pass does not depend on their number.
#include "tests/support/little_model.h"

#include "num/team.h"
#include "model/infer.h"
#include "model/train_pass.h"

#include <limits.h>

static void shares_cover_everything_once(void **state) {
    for (int threads = 1; threads <= 9; threads++)
        for (int n = 0; n <= 70; n++)
            for (int grain = 1; grain <= 16; grain *= 4) {
                int taken[70] = {0}, cut = 0;
#pragma omp parallel num_threads(threads) reduction(+ : cut)
                {
                    const Share own = share_of(n, grain);
                    cut += own.begin % grain != 0 && own.begin != n;
                    for (int i = own.begin; i < own.end; i++) taken[i]++;
                }
                assert_int_equal(cut, 0);
                for (int i = 0; i < n; i++) assert_int_equal(taken[i], 1);
            }
}

enum { B = 3, T = 70, ROWS = B * T };

// Losses and gradients of one batch with this many threads; gradients (tensors.total) are the caller's to free.
static real *one_pass(double nll[ROWS], Gpt *gpt, int threads) {
    TrainPass pass;
    Error error;
    int ids[ROWS], targets[ROWS];
    omp_set_num_threads(threads);
    must(train_pass_create(&pass, gpt, B, T, &error), &error);
    for (int r = 0; r < ROWS; r++) {
        ids[r] = r * 7 % gpt->shape.vocab;
        targets[r] = r * 5 % gpt->shape.vocab;
        pass.dnll[r] = (real)(r % 3) / ROWS;
    }
    pass.dropout_rate = 0.1;
    pass.dropout_key = 5;
    memset(gpt->grads, 0, gpt->tensors.total * sizeof(real));
    train_pass_embed(&pass, gpt, ids);
    train_pass_forward(&pass, gpt);
    train_pass_backward(&pass, gpt, ids, targets);
    memcpy(nll, pass.nll, ROWS * sizeof *nll);
    train_pass_free(&pass);
    omp_set_num_threads(1);
    return copy_reals(gpt->grads, gpt->tensors.total);
}

// One thread; more threads than heads or cache lines of channels; and a number that does not divide the rows evenly.
static void threads_change_only_last_bits(void **state) {
    static const int counts[] = {1, 2, 3, 8};
    static const Shape shape = {.vocab = 19, .context = T, .layers = 2, .heads = 3, .width = 24};
    for (const Scheme *const *scheme = schemes; *scheme; scheme++) {
        Gpt gpt;
        double one[ROWS], many[ROWS];
        model_make(&gpt, (*scheme)->name, &shape, true);
        real *expected = one_pass(one, &gpt, 1);
        for (size_t i = 0; i < COUNT(counts); i++) {
            real *found = one_pass(many, &gpt, counts[i]);
            for (int r = 0; r < ROWS; r++) expect_near((*scheme)->name, (size_t)r, many[r], one[r], 1e-4);
            for (size_t n = 0; n < gpt.tensors.total; n++)
                expect_near((*scheme)->name, n, (double)found[n], (double)expected[n], 1e-4);
            real *again = one_pass(many, &gpt, counts[i]);
            assert_memory_equal(found, again, gpt.tensors.total * sizeof(real)); // the same threads, the same bits
            free(found);
            free(again);
        }
        free(expected);
        gpt_free(&gpt);
    }
}

// Keys and values in a cache, fed in two chunks; run often, because a race shows only now and then.
static void reading_is_the_same_every_time(void **state) {
    enum { RUNS = 30, HALF = T / 2 };
    static const Shape shape = {.vocab = 19, .context = T, .layers = 3, .heads = 3, .width = 24};
    int ids[B * HALF];
    ids_make(ids, B * HALF, shape.vocab, 3);
    Gpt gpt;
    model_make(&gpt, "rope", &shape, false);
    for (int threads = 2; threads <= 4; threads++) {
        double first[B * HALF], nll[B * HALF];
        omp_set_num_threads(threads);
        for (int run = 0; run < RUNS; run++) {
            Inference inference;
            Error error;
            must(inference_create(&inference, &gpt, B, T, HALF, &error), &error);
            inference_feed(&inference, &gpt, ids, HALF);
            inference_feed(&inference, &gpt, ids, HALF);
            inference_nll(nll, &inference, &gpt, ids, HALF);
            inference_free(&inference);
            if (run == 0) memcpy(first, nll, sizeof nll);
            assert_memory_equal(first, nll, sizeof nll);
        }
        omp_set_num_threads(1);
    }
    gpt_free(&gpt);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_cover_everything_once),
        cmocka_unit_test(threads_change_only_last_bits),
        cmocka_unit_test(reading_is_the_same_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
