// The whole model under every registered scheme: which tokens it may see, the same numbers from all ways of running it,
// its tensors, its memory, and that it learns.
#include "posenc/registry.h"
#include "tests/support/agreement.h"

// Train on two sequences, one pass: nll (B,T) and gradients are left in place.
static void run_pass(TrainPass *pass, Gpt *gpt, const int *ids, const int *targets) {
    const int rows = pass->B * pass->T;
    memset(gpt->grads, 0, gpt->tensors.total * sizeof(real));
    for (int r = 0; r < rows; r++) pass->dnll[r] = (real)1 / (real)rows;
    train_pass_embed(pass, gpt, ids);
    train_pass_forward(pass, gpt);
    train_pass_backward(pass, gpt, ids, targets);
}

static void same_bits(const double *a, const double *b, int count, const char *scheme, const char *what) {
    for (int i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg("%s: %s changed at token %d, %.17g and %.17g", scheme, what, i, a[i], b[i]);
}

static void a_later_token_changes_no_earlier_loss(void **state) {
    enum { B = 2, T = AGREEMENT_T };
    static const int changed[] = {1, 63, 64, 100, T - 1};
    char scheme[TEXT_CAPACITY];
    for (int i = 0; scheme_variant(scheme, &agreement_shape, i); i++) {
        Gpt gpt;
        TrainPass pass;
        int ids[B * T], targets[B * T];
        double before[B * T];
        training_make(&gpt, &pass, scheme, &agreement_shape, B, T);
        gpt.pos.rule = text_rule;
        text_make(ids, B * T, AGREEMENT_V, 1);
        ids_make(targets, B * T, AGREEMENT_V, 2);
        run_pass(&pass, &gpt, ids, targets);
        memcpy(before, pass.nll, sizeof before);
        for (size_t c = 0; c < COUNT(changed); c++) {
            const int at = changed[c];
            ids[at] = (ids[at] + 1) % AGREEMENT_V;
            run_pass(&pass, &gpt, ids, targets);
            same_bits(before, pass.nll, at, scheme, "an earlier loss");
            same_bits(before + T, pass.nll + T, T, scheme, "the other sequence");
            assert_true(isfinite(before[at]) && before[at] != pass.nll[at]);
            assert_true(at + 1 == T || before[at + 1] != pass.nll[at + 1]);
            ids[at] = (ids[at] + AGREEMENT_V - 1) % AGREEMENT_V;
        }
        training_free(&gpt, &pass);
    }
}

// Sharp attention magnifies rounding, which reached 2.5e-4 where positions of several hundred take digits from the
// embeddings, and 7e-6 elsewhere; double_model.c is the strict version of this test.
static void feeding_in_chunks_agrees_with_training(void **state) {
    chunks_agree_with_training(4e-4);
}

static void shared_tensors_start_equal(void **state) {
    Mix pos;
    Error error;
    Gpt plain, other;
    for (int s = 0; schemes[s]; s++) {
        must(mix_create(&pos, "none", &agreement_shape, &error), &error);
        must(gpt_create(&plain, &agreement_shape, &pos, false, &error), &error);
        must(mix_create(&pos, schemes[s]->name, &agreement_shape, &error), &error);
        must(gpt_create(&other, &agreement_shape, &pos, true, &error), &error);
        gpt_init(&plain, 1337);
        gpt_init(&other, 1337);
        for (int i = 0; i < plain.tensors.count; i++) {
            const Tensor *a = &plain.tensors.items[i], *b = tensor_find(&other.tensors, a->name);
            if (!b) fail_msg("%s lacks %s", schemes[s]->name, a->name);
            assert_memory_equal(plain.params + a->offset, other.params + b->offset, a->count * sizeof(real));
        }
        const real first = other.w.wte[0];
        gpt_init(&other, 1338);
        assert_true(first != other.w.wte[0]);
        assert_true(other.w.layers[0].qkvw[0] != other.w.layers[1].qkvw[0]);
        gpt_free(&plain);
        gpt_free(&other);
    }
}

// Initial values have GPT-2's standard deviations within 10%, which thousands of draws allow.
static void initial_values_have_gpt_2_s_scales(void **state) {
    const Shape shape = {.vocab = 100, .context = 8, .layers = 3, .heads = 2, .width = 40};
    Gpt gpt;
    Mix pos;
    Error error;
    must(mix_create(&pos, "none", &shape, &error), &error);
    must(gpt_create(&gpt, &shape, &pos, false, &error), &error);
    gpt_init(&gpt, 3);
    for (int i = 0; i < gpt.tensors.count; i++) {
        const Tensor *t = &gpt.tensors.items[i];
        const bool residual = strstr(t->name, "proj.weight") != NULL;
        const bool weight_of_norm = strstr(t->name, "ln_") && strstr(t->name, "weight");
        double sum = 0;
        for (size_t n = 0; n < t->count; n++) {
            const double value = (double)gpt.params[t->offset + n];
            if (t->rank == 1) assert_true(value == (weight_of_norm ? 1 : 0));
            sum += value * value;
        }
        if (t->rank == 1) continue;
        const double expected = residual ? 0.02 / sqrt(6) : 0.02, found = sqrt(sum / (double)t->count);
        if (!(fabs(found - expected) <= 0.1 * expected)) fail_msg("%s: %g, not %g", t->name, found, expected);
    }
    gpt_free(&gpt);
}

static void check_tensor(const Tensor *t, const TensorTable *table, int index) {
    size_t numbers = 1;
    for (int axis = 0; axis < t->rank; axis++) numbers *= (size_t)t->shape[axis];
    assert_int_equal(t->count, numbers);
    assert_true(t->count > 0 && t->offset + t->count <= table->total);
    assert_int_equal(t->offset % 16, 0);
    assert_ptr_equal(tensor_find(table, t->name), t);
    assert_int_equal(t->position, strncmp(t->name, "pos.", 4) == 0);
    assert_int_equal(t->decay, t->rank == 2 && !t->position);
    for (int j = 0; j < index; j++) {
        const Tensor *other = &table->items[j];
        assert_string_not_equal(t->name, other->name);
        assert_true(t->offset >= other->offset + other->count || other->offset >= t->offset + t->count);
    }
}

static void the_tensor_table_is_sound(void **state) {
    for (int s = 0; schemes[s]; s++) {
        Gpt gpt;
        model_make(&gpt, schemes[s]->name, &agreement_shape, true);
        const TensorTable *table = &gpt.tensors;
        for (int i = 0; i < table->count; i++) check_tensor(&table->items[i], table, i);
        const size_t C = 24, L = 2, V = AGREEMENT_V, position = tensor_numbers(table, true);
        assert_int_equal(gpt_parameters(&gpt.shape), tensor_numbers(table, false) - position);
        assert_int_equal(tensor_numbers(table, false) - position, V * C + 2 * C + L * (12 * C * C + 13 * C));
        if (strcmp(schemes[s]->name, "learned") == 0) assert_int_equal(position, AGREEMENT_T * C);
        assert_null(tensor_find(table, "h.2.ln_1.weight"));
        assert_ptr_equal(gpt.w.wte, gpt.params + tensor_find(table, "wte")->offset);
        assert_ptr_equal(gpt.w.lnfb, gpt.params + tensor_find(table, "ln_f.bias")->offset);
        assert_ptr_equal(gpt.w.layers[1].fcw, gpt.params + tensor_find(table, "h.1.mlp.fc.weight")->offset);
        assert_ptr_equal(gpt.dw.layers[0].projb, gpt.grads + tensor_find(table, "h.0.attn.proj.bias")->offset);
        for (int p = 0; p < gpt.pos.part[0].param_count; p++) {
            const Tensor *t = &table->items[gpt.pos.part[0].tensors[p]];
            assert_true(t->position);
            assert_ptr_equal(gpt.pos.part[0].params[p], gpt.params + t->offset);
            assert_ptr_equal(gpt.pos.part[0].dparams[p], gpt.grads + t->offset);
        }
        gpt_free(&gpt);
    }
}

#define SIZES(V, T, L, H, C, random, K)                                                                                \
    { .vocab = V, .context = T, .layers = L, .heads = H, .width = C, .random_positions = random, .kv_heads = K }

static void impossible_shapes_are_refused(void **state) {
    static const struct {
        Shape shape;
        const char *part; // NULL: a possible shape
    } cases[] = {{SIZES(257, 256, 4, 4, 128, 0, 0), NULL},
                 {SIZES(1, 1, 1, 1, 1, 0, 0), NULL},
                 {SIZES(1000000, 256, 4, 4, 1000, 0, 0), NULL},
                 {SIZES(257, 1000000, 4, 4, 1000, 0, 0), NULL},
                 {SIZES(257, 256, 4, 4, 1000, 1000000, 0), NULL},
                 {SIZES(1000001, 256, 4, 4, 1000, 0, 0), "a vocabulary of 1000001"},
                 {SIZES(257, 1000001, 4, 4, 1000, 0, 0), "1000001 positions"},
                 {SIZES(257, 256, 4, 4, 1000, 1000001, 0), "1000001 positions"},
                 {SIZES(0, 256, 4, 4, 128, 0, 0), "at least 1"},
                 {SIZES(257, 0, 4, 4, 128, 0, 0), "at least 1"},
                 {SIZES(257, 256, 0, 4, 128, 0, 0), "at least 1"},
                 {SIZES(257, 256, 4, 0, 128, 0, 0), "at least 1"},
                 {SIZES(257, 256, 4, 4, -128, 0, 0), "at least 1"},
                 {SIZES(257, 256, 4, 3, 128, 0, 0), "--heads 3 does not divide --width 128"},
                 {SIZES(257, 256, 4, 256, 128, 0, 0), "--heads 256 does not divide"},
                 {SIZES(65536, 256, 4, 4, 16000, 0, 0), "--width 16000 with a vocabulary of 65536"},
                 {SIZES(257, 256, 4, 4, 20000, 0, 0), "--width 20000 would make"},
                 {SIZES(257, 900000, 4, 4, 2000, 0, 0), "--width 2000 at 900000 positions"},
                 {SIZES(257, 256, 4, 4, 128, 256, 0), NULL},
                 {SIZES(257, 256, 4, 4, 128, 255, 0), "--random-positions 255 is less than --context 256"},
                 {SIZES(257, 256, 4, 4, 128, 0, 4), NULL},
                 {SIZES(257, 256, 4, 4, 128, 0, 1), NULL},
                 {SIZES(257, 256, 4, 4, 128, 0, 3), "--kv-heads 3 does not divide --heads 4"},
                 {SIZES(257, 256, 4, 4, 128, 0, 8), "--kv-heads 8 does not divide --heads 4"},
                 {SIZES(257, 256, 4, 4, 128, 0, -1), "--kv-heads -1 does not divide --heads 4"}};
    Gpt gpt;
    const Mix pos = {.parts = 1, .part = {{.scheme = &scheme_none}}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Error error = {0};
        if (!cases[i].part) {
            must(shape_check(&cases[i].shape, &error), &error);
            continue;
        }
        for (int built = 0; built <= 1; built++) {
            error = (Error){0};
            expect_refused(built ? gpt_create(&gpt, &cases[i].shape, &pos, false, &error)
                                 : shape_check(&cases[i].shape, &error),
                           &error, cases[i].part);
        }
    }
}

// ALiBi's first head of two falls by 1/16 a token, so e^-56 is left at distance 896 and e^-62.5 at 1000. Scores at the
// start of training are near 0.
static void weights_too_small_to_matter_are_zero(void **state) {
    enum { T = 1100, NEAR = 896, FAR = 1000, V = 5 };
    const Shape shape = {.vocab = V, .context = T, .layers = 1, .heads = 2, .width = 16};
    Gpt gpt;
    Inference inference;
    Mix pos;
    Error error;
    int ids[T];
    must(mix_create(&pos, "alibi", &shape, &error), &error);
    must(gpt_create(&gpt, &shape, &pos, false, &error), &error);
    gpt_init(&gpt, 1);
    must(inference_create(&inference, &gpt, 1, T, T, &error), &error);
    inference.P = malloc((size_t)2 * T * T * sizeof(real)); // (H,T,T)
    assert_non_null(inference.P);
    ids_make(ids, T, V, 1);
    inference_feed(&inference, &gpt, ids, T);
    for (int query = FAR; query < T; query++) {
        const real *P = inference.P + (size_t)query * T;
        assert_true(P[query - NEAR] > 0);
        for (int key = 0; key <= query - FAR; key++) assert_true(P[key] == 0);
    }
    free(inference.P);
    inference_free(&inference);
    gpt_free(&gpt);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_token_changes_no_earlier_loss),
        cmocka_unit_test(feeding_in_chunks_agrees_with_training),
        cmocka_unit_test(shared_tensors_start_equal),
        cmocka_unit_test(initial_values_have_gpt_2_s_scales),
        cmocka_unit_test(the_tensor_table_is_sound),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(weights_too_small_to_matter_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
