// Gradients through stretched rotations: with respect to the factors, which `bitter extend --method gradient` descends,
// and to everything else in the model.
#include "posenc/rotation/angles.h"
#include "tests/support/gradients.h"

#include <omp.h>

static const Setting usual = {.layers = 3, .heads = 2, .width = 16, .T = 10, .B = 2};
// Two blocks of queries, the second not full, and two threads.
static const Setting long_rows = {.layers = 1, .heads = 2, .width = 8, .T = QUERY_BLOCK + 6, .B = 2};

static const char *const schemes_stretched[] = {
    "rope:base=50",        "rope:base=50,pairing=interleaved",
    "partial:base=50",     "partial:fraction=0.75,base=50,pairing=interleaved",
    "prope:p=0.5,base=50", "prope:p=0.75,base=50,pairing=interleaved",
};

// Factors that rise from 1.2, except the last, which is the smallest.
static StretchRule some_rule(int pairs, int unscaled, double attention) {
    StretchRule rule = {.method = METHOD_GRADIENT, .factor = 2, .original = 4, .pairs = pairs, .learns = true};
    rule.long_stretch = (Stretch){.unscaled = unscaled, .attention = attention};
    for (int i = 0; i < pairs; i++) rule.long_stretch.factors[i] = i + 1 < pairs ? 1.2 + 0.6 * i : 1.1;
    return rule;
}

// Shifts are tried at a difference of a thousandth of this; it is small because angles are products with positions.
#define UNIT 0.03

// A model whose loss weighs every token differently.
typedef struct {
    Gpt gpt;
    TrainPass pass;
    int ids[256], targets[256], rows, pairs;
    StretchRule tried; // the model's, with the factors shifted
    real shifts[16];   // of the logarithms of the factors, times UNIT
} Model;

static void model_begin(Model *model, const char *scheme, const Setting *setting, int unscaled, double attention) {
    const Shape shape = shape_of(setting);
    Error error;
    model_make(&model->gpt, scheme, &shape, true);
    Position *pos = &model->gpt.pos.part[0];
    model->pairs = rotary_pairs(pos);
    model->rows = setting->B * setting->T;
    assert_in_range(model->rows, 1, COUNT(model->ids));
    assert_in_range(model->pairs, 1, COUNT(model->shifts));
    pos->stretch = some_rule(model->pairs, unscaled, attention);
    for (int i = 0; i < model->pairs; i++) model->shifts[i] = 0;
    must(train_pass_create(&model->pass, &model->gpt, setting->B, setting->T, &error), &error);
    ids_make(model->ids, model->rows, shape.vocab, 1);
    ids_make(model->targets, model->rows, shape.vocab, 2);
    for (int r = 0; r < model->rows; r++) model->pass.dnll[r] = (real)(random_uniform(3, (uint64_t)r) - 0.3);
}

static double run(Model *model, bool training) {
    TrainPass *pass = &model->pass;
    model->tried = model->gpt.pos.part[0].stretch;
    for (int i = 0; i < model->pairs; i++)
        model->tried.long_stretch.factors[i] =
            model->gpt.pos.part[0].stretch.long_stretch.factors[i] * exp(UNIT * (double)model->shifts[i]);
    pass->tables.part[0].stretch = &model->tried;
    pass->tables.part[0].prepared = false;
    train_pass_embed(pass, &model->gpt, model->ids);
    train_pass_forward(pass, &model->gpt);
    if (training)
        train_pass_backward(pass, &model->gpt, model->ids, model->targets);
    else
        train_pass_loss(pass, &model->gpt, model->targets);
    double loss = 0;
    for (int r = 0; r < model->rows; r++) loss += (double)pass->dnll[r] * pass->nll[r];
    return loss;
}

static double loss_of(void *model) {
    return run(model, false);
}

static void check_factors(const char *scheme, const Setting *setting, int unscaled, double attention) {
    Model model;
    double dfactors[16];
    real dshifts[16];
    char name[128];
    model_begin(&model, scheme, setting, unscaled, attention);
    run(&model, true);
    rotary_dfactors(dfactors, &model.pass.tables.part[0]);
    snprintf(name, sizeof name, "%s, %d unscaled, attention %g: factors", scheme, unscaled, attention);
    for (int i = 0; i < model.pairs; i++) {
        const bool turns = theta_of(&model.gpt.pos.part[0], 0, 0, i) > 0;
        assert_true(turns == (fabs(dfactors[i]) > 1e-7));
        dshifts[i] = (real)(UNIT * dfactors[i]);
    }
    expect_gradient(name, dshifts, model.shifts, (size_t)model.pairs, loss_of, &model, TOLERANCE);
    training_free(&model.gpt, &model.pass);
}

static void factors_have_the_gradient_of_the_loss(void **state) {
    static const int unscaled[] = {0, 1, 3, 9};
    for (size_t s = 0; s < COUNT(schemes_stretched); s++)
        for (size_t u = 0; u < COUNT(unscaled); u++) {
            check_factors(schemes_stretched[s], &usual, unscaled[u], 1.2);
            check_factors(schemes_stretched[s], &usual, unscaled[u], 1);
        }
}

static void they_have_it_past_a_block_of_queries(void **state) {
    const int threads = omp_get_max_threads();
    for (int n = 1; n <= 2; n++) {
        omp_set_num_threads(n);
        check_factors("rope:base=1e6", &long_rows, 3, 1.2);
    }
    omp_set_num_threads(threads);
}

// All tokens before `unscaled` turn as they were trained, whatever the factors.
static void unscaled_tokens_pull_at_no_factor(void **state) {
    Model model;
    double dfactors[16];
    model_begin(&model, "rope", &usual, usual.T, 1.2);
    run(&model, true);
    rotary_dfactors(dfactors, &model.pass.tables.part[0]);
    for (int i = 0; i < model.pairs; i++) assert_true(dfactors[i] == 0);
    training_free(&model.gpt, &model.pass);
}

// Gradients of passes add up until they are read, and then start again from 0.
static void passes_add_up(void **state) {
    Model model;
    double once[16], thrice[16], again[16];
    model_begin(&model, "rope", &usual, 2, 1.2);
    run(&model, true);
    rotary_dfactors(once, &model.pass.tables.part[0]);
    for (int pass = 0; pass < 3; pass++) run(&model, true);
    rotary_dfactors(thrice, &model.pass.tables.part[0]);
    run(&model, true);
    rotary_dfactors(again, &model.pass.tables.part[0]);
    for (int i = 0; i < model.pairs; i++) {
        expect_near("three passes", (size_t)i, thrice[i], 3 * once[i], 1e-13 * fabs(once[i]));
        assert_true(again[i] == once[i]);
    }
    training_free(&model.gpt, &model.pass);
}

// --- everything else: parameters and input embeddings ---
static void check_model(const char *specification, const StretchRule *rule, const Setting *setting) {
    GradientError where;
    Mix pos;
    Error error;
    must(mix_parse(&pos, specification, &error), &error);
    pos.part[0].stretch = *rule;
    const double worst = worst_error(&where, &pos, setting, 1);
    if (!(worst <= TOLERANCE))
        fail_msg("%s, method %d: error %.2e at number %zu of %s, analytic %.9g, numeric %.9g", specification,
                 rule->method, worst, where.at, where.name, where.analytic, where.numeric);
}

static void other_gradients_stay_right(void **state) {
    static const Setting brief = {.layers = 2, .heads = 2, .width = 16, .T = 10, .B = 2, .directions = true},
                         numbers = {.layers = 1, .heads = 2, .width = 8, .T = 8, .B = 2};
    const Shape shape = shape_of(&brief);
    for (size_t s = 0; s < COUNT(schemes_stretched); s++)
        for (int learns = 0; learns <= 1; learns++) {
            Mix pos;
            Error error;
            must(mix_create(&pos, schemes_stretched[s], &shape, &error), &error);
            StretchRule rule = some_rule(rotary_pairs(&pos.part[0]), 3, 1.3);
            rule.learns = learns;
            check_model(schemes_stretched[s], &rule, &brief);
        }
    StretchRule rule = some_rule(2, 3, 1.3); // pairs of a head of 4
    check_model("rope", &rule, &numbers);
    rule.learns = false;
    rule.has_short = true;
    rule.original = numbers.T;
    rule.short_stretch = (Stretch){.factors = {1.4, 2}, .unscaled = 2, .attention = 0.8};
    check_model("rope:pairing=interleaved", &rule, &numbers);
    const StretchRule dynamic = {.method = METHOD_DYNAMIC, .factor = 2, .original = 4, .growth = 2};
    check_model("rope", &dynamic, &numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_have_the_gradient_of_the_loss),
        cmocka_unit_test(they_have_it_past_a_block_of_queries),
        cmocka_unit_test(unscaled_tokens_pull_at_no_factor),
        cmocka_unit_test(passes_add_up),
        cmocka_unit_test(other_gradients_stay_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
