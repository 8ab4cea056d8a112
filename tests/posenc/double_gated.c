// gate=trained in double: gradients for each way in, gates that are 0 and 1, decoding, and mistakes that are noticed.
#include "posenc/gate.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/agreement.h"
#include "tests/support/gradients.h"

#include <omp.h>

static const Setting setting = {.layers = 3, .heads = 2, .width = 8, .T = 10, .B = 2, .directions = true};

// Codes, rotations, biases that are fixed and trained, and scores made from content: added, counted on scores, and
// computed by the scheme itself; alone and together.
static const char *const tried[] = {
    "learned:gate=trained",
    "sinusoidal:gain=trained,gate=trained",
    "rope:gate=trained",
    "rope:gate=trained,pairing=interleaved",
    "partial:gate=trained,fraction=0.5",
    "alibi:gate=trained",
    "t5:gate=trained,layers=own",
    "fire:width=1,gate=trained",
    "fire:width=37,gate=trained",
    "shaw:gate=trained",
    "cable:gate=trained",
    "cope:positions=4,gate=trained",
    "path:rank=4,forget,gate=trained",
    "rope:gate=trained+alibi:gate=trained",
    "binary:gate=trained,rope:gate=trained*1,path:rank=4,gate=trained+fox:gate=trained",
    "rope:gate=trained@heads=0,cope:gate=trained@heads=1",
};

static void expect_gradients(const char *text, const Setting *of) {
    GradientError where;
    Mix mix;
    Error error;
    double worst = NAN;
    must(mix_parse(&mix, text, &error), &error);
    for (int seed = 1; !(worst <= TOLERANCE) && seed <= 4; seed++)
        worst = worst_error(&where, &mix, of, (uint64_t)seed);
    if (!(worst <= TOLERANCE))
        fail_msg("%s: error %.2e at number %zu of %s, analytic %.9g, numeric %.9g", text, worst, where.at, where.name,
                 where.analytic, where.numeric);
}

static void gradients_are_differences(void **state) {
    Setting windowed = setting, every_number = setting, shared = setting;
    windowed.windows = (Windows){2, {3, 0}};
    windowed.dropout = 0.2;
    every_number.directions = false;
    every_number.layers = 2;
    every_number.T = 6;
    shared.kv_heads = 1;
    shared.block = BLOCK_LLAMA;
    for (size_t i = 0; i < COUNT(tried); i++) {
        expect_gradients(tried[i], &setting);
        expect_gradients(tried[i], &windowed);
        if (!strstr(tried[i], "rope:gate=trained@heads")) expect_gradients(tried[i], &shared);
    }
    expect_gradients("rope:gate=trained+t5:gate=trained", &every_number);
    expect_gradients("learned:gate=trained+path:rank=2,gate=trained", &every_number);
}

// Several blocks of queries, by two threads.
static void gradients_over_several_blocks(void **state) {
    const int threads = omp_get_max_threads();
    Setting long_rows = setting;
    long_rows.layers = 2;
    long_rows.T = 2 * QUERY_BLOCK + 6;
    omp_set_num_threads(2);
    for (size_t i = 0; i < COUNT(tried); i++)
        if (!strstr(tried[i], "cope")) expect_gradients(tried[i], &long_rows);
    omp_set_num_threads(threads);
}

// --- mistakes ---

static void turn_back_forward(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k,
                              int stride, const Place *at, int rows) {
    rotary_gated.qk_forward(tables, layer, dq, dk, stride, at, rows);
}

// The gate's gradient is right, and all that the scheme passes on is left out.
static void stop_at_the_gate(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad, real *scratch) {
    real *dS = grad->dS;
    for (int n = 0; n < block->rows * block->stride; n++) dS[n] *= gates_of(tables->pos)[block->layer];
    tables->pos->scheme->score_backward(tables, block, grad);
}

static void mistakes_are_noticed(void **state) {
    static const char *const texts[] = {"rope:gate=trained", "rope:gate=trained", "alibi:gate=trained",
                                        "t5:gate=trained", "learned:gate=trained"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        GradientError where;
        Mix mix;
        Error error;
        must(mix_parse(&mix, texts[i], &error), &error);
        Scheme scheme = *mix.part[0].scheme;
        Gated broken = *gated_of(&mix.part[0]);
        if (i == 1)
            broken.qk_backward = turn_back_forward;
        else if (i == 2)
            broken.score_reduce = NULL;
        else if (i == 3)
            broken.score_backward = stop_at_the_gate;
        else
            broken.reduce = NULL;
        scheme.gated = &broken;
        mix.part[0].scheme = &scheme;
        const double worst = worst_error(&where, &mix, &setting, 1);
        if (worst <= TOLERANCE) fail_msg("not noticed: mistake %zu, in %s (error %.2e)", i, texts[i], worst);
    }
}

// --- gates that are set ---
enum { T = 70, V = 11 };
static const Shape shape = {.vocab = V, .context = T, .layers = 3, .heads = 2, .width = 8};

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
    train_pass_free(&pass);
    gpt_free(&gpt);
}

static double largest_difference(const double *a, const double *b) {
    double worst = 0;
    for (int t = 0; t < T; t++)
        if (!(fabs(a[t] - b[t]) <= worst)) worst = fabs(a[t] - b[t]);
    return worst;
}

// One scheme without its gate, "NAME[:options]"; tensors of one scheme are called the same with a gate and without.
static void zero_is_none_and_one_is_the_scheme(void **state) {
    static const char *const schemes_gated[] = {"rope",           "prope",   "alibi", "t5",    "fire:width=2",
                                                "cable",          "fox",     "shaw",  "cope",  "learned",
                                                "sinusoidal",     "kerple",  "path",  "table", "binary",
                                                "transformer-xl", "sandwich"};
    double none[T], plain[T], gated[T];
    losses(none, "none", 0);
    for (size_t i = 0; i < COUNT(schemes_gated); i++) {
        char text[TEXT_CAPACITY];
        snprintf(text, sizeof text, "%s%cgate=trained", schemes_gated[i], strchr(schemes_gated[i], ':') ? ',' : ':');
        losses(plain, schemes_gated[i], 0);
        losses(gated, text, 1);
        if (!(largest_difference(plain, gated) <= 1e-12)) fail_msg("%s: a gate of 1 is not the scheme", text);
        if (!(largest_difference(none, gated) > 1e-6)) fail_msg("%s: a gate of 1 is none", text);
        losses(gated, text, 0);
        if (!(largest_difference(none, gated) <= 1e-12)) fail_msg("%s: a gate of 0 is not none", text);
        losses(gated, text, 0.5);
        if (!(largest_difference(none, gated) > 1e-6) || !(largest_difference(plain, gated) > 1e-6))
            fail_msg("%s: a gate of 1/2 does nothing", text);
    }
}

// A rotation is weighed by its angle, a bias by its size.
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
        const Place at = {7, 0, 7};
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
        cmocka_unit_test(gradients_are_differences),     cmocka_unit_test(gradients_over_several_blocks),
        cmocka_unit_test(mistakes_are_noticed),          cmocka_unit_test(zero_is_none_and_one_is_the_scheme),
        cmocka_unit_test(half_a_gate_is_half_the_angle), cmocka_unit_test(gates_begin_at_one),
        cmocka_unit_test(decoding_agrees_with_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
