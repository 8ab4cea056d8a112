// Models whose schemes are added up, or differ by layer, with windows and without: gradients, key cache, causality and
// shifts of forty combinations, and combinations that must equal a single scheme.
#include "posenc/registry.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/agreement.h"
#include "tests/support/combination.h"
#include "tests/support/gradients.h"

static const Setting setting = {.layers = 4, .heads = 4, .width = 16, .T = 10, .B = 2, .directions = true};
static const Shape shape = {.vocab = AGREEMENT_V, .context = AGREEMENT_T, .layers = 4, .heads = 4, .width = 16};

static void gradients_are_right(void **state) {
    for (int i = 0; i < COMBINATIONS; i++) {
        GradientError where;
        Mix mix;
        Error error;
        char text[TEXT_CAPACITY];
        Shape drawn = shape_of(&setting);
        Setting of = setting;
        draw_shape(&drawn, i);
        draw_combination(text, &drawn, i);
        of.block = drawn.block;
        of.kv_heads = drawn.kv_heads;
        of.windows = drawn.windows;
        of.scale_logits = drawn.scale_logits;
        must(mix_parse(&mix, text, &error), &error);
        const double worst = gradient_error(&where, &mix, &of);
        if (!(worst <= TOLERANCE))
            fail_msg("%s, block %s, %d key heads: error %.2e at number %zu of %s, analytic %.9g, numeric %.9g", text,
                     block_name(of.block), of.kv_heads, worst, where.at, where.name, where.analytic, where.numeric);
    }
}

static void turn_back_forward(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k,
                              int stride, const Place *at, int rows) {
    rotation_family.qk_forward(tables, layer, dq, dk, stride, at, rows);
}

static void forget_the_gradient(const Tables *tables, const real *dx, const Place *at, int rows) {}

// A mistake in one part of several must be noticed as it is in a single scheme.
static void a_mistake_in_one_part_is_noticed(void **state) {
    Broken broken[3];
    broken_make(&broken[0], &scheme_rope)->qk_backward = turn_back_forward;
    broken_make(&broken[1], &scheme_t5)->layer_backward = NULL;
    broken_make(&broken[2], &scheme_learned)->embed_backward = forget_the_gradient;
    for (int b = 0; b < 3; b++) {
        GradientError where;
        Mix mix;
        Error error;
        must(mix_parse(&mix, "learned,rope@0-1,t5+alibi-learned@2,fox@3", &error), &error);
        for (int p = 0; p < mix.parts; p++)
            if (strcmp(mix.part[p].scheme->name, broken[b].scheme.name) == 0) mix.part[p].scheme = &broken[b].scheme;
        const double worst = gradient_error(&where, &mix, &setting);
        if (worst <= TOLERANCE) fail_msg("not noticed: a mistake in %s (error %.2e)", broken[b].scheme.name, worst);
    }
}

static void chunks_agree(void **state) {
    for (int i = 0; i < COMBINATIONS; i++) {
        char text[TEXT_CAPACITY];
        Shape drawn = shape;
        draw_shape(&drawn, i);
        draw_combination(text, &drawn, i);
        scheme_agrees(text, &drawn, 1e-11);
    }
}

// --- losses of one batch, with all tokens moved by `shift` ---
enum { T = 40 };

typedef struct {
    Gpt gpt;
    TrainPass pass;
    int ids[T], targets[T];
} Model;

static void model_begin_as(Model *model, const char *text, const Shape *of) {
    training_make(&model->gpt, &model->pass, text, of, 1, T);
    model->gpt.pos.rule = text_rule;
    text_make(model->ids, T, shape.vocab, 1);
    ids_make(model->targets, T, shape.vocab, 2);
}

static void model_begin(Model *model, const char *text) {
    model_begin_as(model, text, &shape);
}

// Combination number `index`, and its text.
static void model_draw(Model *model, char text[TEXT_CAPACITY], int index) {
    Shape drawn = shape;
    draw_shape(&drawn, index);
    draw_combination(text, &drawn, index);
    model_begin_as(model, text, &drawn);
}

static void losses(double nll[T], Model *model, int shift) {
    train_pass_embed(&model->pass, &model->gpt, model->ids);
    for (int t = 0; t < T; t++) model->pass.at[t] = place_moved(model->pass.at[t], 1, shift);
    train_pass_forward(&model->pass, &model->gpt);
    train_pass_loss(&model->pass, &model->gpt, model->targets);
    memcpy(nll, model->pass.nll, T * sizeof *nll);
}

static void relative_parts_make_a_relative_model(void **state) {
    int relative = 0;
    for (int i = 0; i < COMBINATIONS; i++) {
        Model model;
        char text[TEXT_CAPACITY];
        double before[T], after[T];
        model_draw(&model, text, i);
        bool all = true;
        for (int p = 0; p < model.gpt.pos.parts; p++) all &= model.gpt.pos.part[p].scheme->relative;
        losses(before, &model, 0);
        losses(after, &model, 100);
        relative += all;
        for (int t = 0; all && t < T; t++)
            if (!(fabs(before[t] - after[t]) <= 1e-9))
                fail_msg("%s: moved, a loss is %g off", text, after[t] - before[t]);
        training_free(&model.gpt, &model.pass);
    }
    assert_in_range(relative, 10, COMBINATIONS - 1);
}

static void expect_same(const char *one, const char *other, double tolerance) {
    Model a, b;
    double mine[T], yours[T];
    model_begin(&a, one);
    model_begin(&b, other);
    losses(mine, &a, 0);
    losses(yours, &b, 0);
    for (int t = 0; t < T; t++)
        if (!(fabs(mine[t] - yours[t]) <= tolerance))
            fail_msg("%s and %s: the losses differ by %g", one, other, mine[t] - yours[t]);
    training_free(&a.gpt, &a.pass);
    training_free(&b.gpt, &b.pass);
}

static void what_is_written_otherwise_is_the_same(void **state) {
    static const char *const same[][2] = {
        {"none@3,rope@2,0-1", "rope*3,none"},
        {"rope@0-2 none@3", "rope*3,none"},
        {"rope@0-1 rope@2-3", "rope"},
        {"alibi+alibi:scale=2", "alibi:scale=3"},
        {"sinusoidal,alibi", "sinusoidal+alibi"},
        {"none,alibi", "none@0,2 alibi@1,3"},
    };
    for (size_t i = 0; i < COUNT(same); i++) expect_same(same[i][0], same[i][1], 1e-11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_right),
        cmocka_unit_test(a_mistake_in_one_part_is_noticed),
        cmocka_unit_test(chunks_agree),
        cmocka_unit_test(relative_parts_make_a_relative_model),
        cmocka_unit_test(what_is_written_otherwise_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
