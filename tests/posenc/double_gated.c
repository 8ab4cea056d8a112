// gate=trained in double: gradients for each way in, gates that are 0 and 1, and decoding.
#include "posenc/bias/bias.h"
#include "posenc/embedding/code.h"
#include "posenc/registry.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/agreement.h"
#include "tests/support/gradients.h"

#include <omp.h>

static const Setting setting = {.layers = 3, .heads = 2, .width = 8, .T = 10, .B = 2, .directions = true};

// Variants that tests/model/double_gradcheck.c, which tries each scheme's defaults with gates, leaves out: other
// factors, sets shared by several layers, several schemes at once.
static const char *const tried[] = {
    "sinusoidal:gain=trained,gate=trained",
    "rope:gate=trained,pairing=interleaved",
    "partial:gate=trained,fraction=0.5",
    "xpos:gate=trained,gamma=4,pairing=interleaved",
    "rope2d:gate=trained,base=20,pairing=interleaved",
    "rope-learned:gate=trained",
    "rope-learned:gate=trained,layers=shared,start=random",
    "rope-learned:gate=trained,heads=shared,scale=trained",
    "rope:gate=trained,axes=2,base=20",
    "alibi-learned:gate=trained,layers=shared",
    "alibi-learned:gate=trained,layers=own",
    "t5:gate=trained,layers=shared,buckets=4,distance=5",
    "kerple:gate=trained,layers=shared,kind=power",
    "table:gate=trained,layers=shared",
    "table:gate=trained,layers=own",
    "rope:gate=trained+alibi:gate=trained",
    "binary:gate=trained,rope-learned:gate=trained,layers=shared*2,path:rank=4+table:gate=trained",
};

static void gradients_are_differences(void **state) {
    Setting windowed = setting, shared = setting;
    windowed.windows = (Windows){2, {3, 0}};
    windowed.dropout = 0.2;
    shared.kv_heads = 1;
    shared.block = BLOCK_LLAMA;
    for (size_t i = 0; i < COUNT(tried); i++) {
        expect_gradients(tried[i], &windowed);
        expect_gradients(tried[i], &shared);
    }
}

// Several blocks of queries, by two threads.
static void gradients_over_several_blocks(void **state) {
    const int threads = omp_get_max_threads();
    Setting long_rows = setting;
    long_rows.T = 2 * QUERY_BLOCK + 6;
    omp_set_num_threads(2);
    for (size_t i = 0; i < COUNT(tried); i++) expect_gradients(tried[i], &long_rows);
    omp_set_num_threads(threads);
}

// --- gates that are set ---
enum { T = 70, V = 11 };
// RMSNorm hides nothing of a code; LayerNorm would hide what all its channels have in common.
static const Shape shape = {.vocab = V, .context = T, .layers = 3, .heads = 2, .width = 8, .block = BLOCK_LLAMA};

// Losses of a model with the usual random weights, but these gates, if it has any.
static void losses(double nll[T], const char *text, double gate) {
    Gpt gpt;
    TrainPass pass;
    Error error;
    int ids[T], targets[T];
    model_make(&gpt, text, &shape, true);
    for (Position *pos = gpt.pos.part; pos < gpt.pos.part + gpt.pos.parts; pos++)
        for (int l = 0; pos->gated && l < gate_count(pos); l++) pos->params[pos->param_count - 1][l] = gate;
    must(train_pass_create(&pass, &gpt, 1, T, &error), &error);
    ids_make(ids, T, V, 1);
    ids_make(targets, T, V, 2);
    train_pass_embed(&pass, &gpt, ids);
    train_pass_forward(&pass, &gpt);
    train_pass_loss(&pass, &gpt, targets);
    memcpy(nll, pass.nll, T * sizeof *nll);
    training_free(&gpt, &pass);
}

static double largest_difference(const double *a, const double *b) {
    double worst = 0;
    for (int t = 0; t < T; t++) worst = worse(worst, fabs(a[t] - b[t]));
    return worst;
}

// Tensors of one scheme are called the same with a gate and without.
static void zero_is_none_and_one_is_the_scheme(void **state) {
    double none[T], plain[T], gated[T];
    losses(none, "none", 0);
    for (int s = 0; schemes[s]; s++) {
        const char *name = schemes[s]->name;
        char text[TEXT_CAPACITY];
        if (!schemes[s]->options || !option_find(schemes[s]->options, GATE_OPTION)) continue;
        snprintf(text, sizeof text, "%s:gate=trained", name);
        losses(plain, name, 0);
        losses(gated, text, 1);
        if (!(largest_difference(plain, gated) <= 1e-12)) fail_msg("%s: a gate of 1 is not the scheme", text);
        if (!(largest_difference(none, gated) > 1e-6)) fail_msg("%s: a gate of 1 is none", text);
        losses(gated, text, 0.5);
        if (!(largest_difference(none, gated) > 1e-6) || !(largest_difference(plain, gated) > 1e-6))
            fail_msg("%s: a gate of 1/2 does nothing", text);
        losses(gated, text, 0);
        if (schemes[s] == &scheme_xpos) continue; // of xpos, the fading stays
        if (!(largest_difference(none, gated) <= 1e-12)) fail_msg("%s: a gate of 0 is not none", text);
    }
}

// A gate scales the angle of a rotation, and the size of a bias.
static void half_a_gate_is_half_the_angle(void **state) {
    const double base = 100; // of 2 pairs: they turn by 1 and by 1/10
    Mix mix;
    MixTables tables;
    Arena arena = {0};
    Error error;
    real gates[] = {1, 0.5, -2}, q[8], k[8];
    must(mix_create(&mix, "rope:base=100,gate=trained", &shape, &error), &error);
    mix.part[0].params[0] = gates;
    mix.part[0].param_count = 1;
    mix_layout(&tables, &mix, &arena, T, 1, false);
    must(arena_allocate(&arena, "tables", &error), &error);
    mix_layout(&tables, &mix, &arena, T, 1, false);
    mix_prepare(&tables);
    for (int l = 0; l < 3; l++) {
        const Place at = {.t = 7, .column = 7};
        for (int c = 0; c < 8; c++) q[c] = k[c] = c % 4 < 2;
        mix_qk_forward(&tables, l, q, k, 8, &at, 1);
        for (int pair = 0; pair < 2; pair++) {
            const double angle = 7 * gates[l] * pow(base, -pair / 2.0);
            expect_near("cosine", (size_t)l, q[pair], cos(angle), 1e-12);
            expect_near("sine", (size_t)l, k[4 + 2 + pair], sin(angle), 1e-12);
        }
    }
    arena_free(&arena);
    double gated[T], plain[T];
    losses(gated, "alibi:scale=2,gate=trained", 0.5);
    losses(plain, "alibi", 0);
    assert_true(largest_difference(gated, plain) <= 1e-12);
}

static void gates_begin_at_one(void **state) {
    Gpt gpt;
    Mix mix;
    Error error;
    must(mix_create(&mix, "sinusoidal:gate=trained,rope:gate=trained*2,none", &shape, &error), &error);
    must(gpt_create(&gpt, &shape, &mix, true, &error), &error);
    gpt_init(&gpt, 3);
    const Tensor *code = tensor_find(&gpt.tensors, "pos.sinusoidal.layer_gate"),
                 *rope = tensor_find(&gpt.tensors, "pos.rope.layer_gate");
    assert_true(code && code->rank == 1 && code->count == 1 && !code->decay);
    assert_true(rope && rope->rank == 1 && rope->count == 2 && !rope->decay && rope->position);
    for (int l = 0; l < 2; l++) assert_true(gpt.params[rope->offset + (size_t)l] == 1);
    assert_true(gpt.params[code->offset] == 1);
    gpt_free(&gpt);
}

static void decoding_agrees_with_training(void **state) {
    for (size_t i = 0; i < COUNT(tried); i++) {
        Shape of = agreement_shape;
        of.heads = 2;
        of.layers = 3;
        scheme_agrees(tried[i], &of, 1e-11);
        of.windows = (Windows){2, {40, 0}};
        scheme_agrees(tried[i], &of, 1e-11);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(gradients_over_several_blocks),
        cmocka_unit_test(zero_is_none_and_one_is_the_scheme),
        cmocka_unit_test(half_a_gate_is_half_the_angle),
        cmocka_unit_test(gates_begin_at_one),
        cmocka_unit_test(decoding_agrees_with_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
