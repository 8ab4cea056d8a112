// Every gradient of the whole model against central differences, for every scheme there is; and broken gradients, which
// must be noticed.
#include "model/gradcheck.h"
#include "tests/support.h"
#include "tests/trainable.h"

#include <omp.h>

#define TOLERANCE 1e-6

// A small model, and how it is checked.
typedef struct {
    int layers, heads, width, T, B;
    double dropout;
    bool directions;
} Setting;

static const Setting usual = {.layers = 2, .heads = 2, .width = 8, .T = 8, .B = 2};
static const Setting one_head = {.layers = 1, .heads = 1, .width = 6, .T = 7, .B = 2};
static const Setting dropping = {.layers = 1, .heads = 2, .width = 8, .T = 6, .B = 2, .dropout = 0.3};
static const Setting tiny = {.layers = 1, .heads = 2, .width = 4, .T = 6, .B = 2};
static const Setting one_token = {.layers = 1, .heads = 2, .width = 4, .T = 1, .B = 3};
// Three blocks of queries, the last not full.
static const Setting long_rows = {
    .layers = 2, .heads = 2, .width = 8, .T = 2 * QUERY_BLOCK + 6, .B = 2, .dropout = 0.1, .directions = true};

static const Scheme *const trainable[] = {&trainable_rotation, &trainable_slopes};

static Shape shape_of(const Setting *setting) {
    return (Shape){.vocab = 11,
                   .context = setting->T,
                   .layers = setting->layers,
                   .heads = setting->heads,
                   .width = setting->width};
}

// The worst error, and in `where` its tensor.
static double worst_error(GradientError *where, const Scheme *scheme, const char *list, const Setting *setting) {
    const Shape shape = shape_of(setting);
    const GradcheckSettings settings = {
        .B = setting->B, .T = setting->T, .dropout = setting->dropout, .directions = setting->directions, .seed = 1};
    Position pos;
    GradientError *errors;
    int count;
    Error error;
    if (!position_parse_scheme(&pos, scheme, list, &error) || !position_fit(&pos, &shape, &error))
        fail_msg("%s", error.message);
    if (!gradcheck(&errors, &count, &pos, &settings, &error)) fail_msg("%s", error.message);
    *where = errors[0];
    for (int i = 1; i < count && !isnan(where->worst); i++)
        if (!(errors[i].worst <= where->worst)) *where = errors[i];
    const double worst = gradcheck_worst(errors, count);
    free(errors);
    return worst;
}

static void expect_right(const Scheme *scheme, const char *list, const Setting *setting) {
    GradientError where;
    const double worst = worst_error(&where, scheme, list, setting);
    if (!(worst <= TOLERANCE))
        fail_msg("%s:%s, T %d: error %.2e at number %zu of %s, analytic %.9g, numeric %.9g", scheme->name,
                 list ? list : "", setting->T, worst, where.at, where.name, where.analytic, where.numeric);
}

static void expect_wrong(const char *what, const Scheme *scheme, const Setting *setting) {
    GradientError where;
    const double worst = worst_error(&where, scheme, NULL, setting);
    if (worst <= TOLERANCE) fail_msg("not noticed: %s (error %.2e)", what, worst);
}

// Every scheme of the registry with its defaults, and those of this test.
static void check_schemes(const Setting *setting) {
    for (const Scheme *const *scheme = schemes; *scheme; scheme++) expect_right(*scheme, NULL, setting);
    for (size_t i = 0; i < COUNT(trainable); i++) expect_right(trainable[i], NULL, setting);
}

static void every_scheme(void **state) {
    (void)state;
    check_schemes(&usual);
}

static void every_scheme_with_one_layer_of_one_head(void **state) {
    (void)state;
    check_schemes(&one_head);
}

static void every_scheme_with_dropout(void **state) {
    (void)state;
    check_schemes(&dropping);
}

static void every_scheme_with_one_token(void **state) {
    (void)state;
    check_schemes(&one_token);
}

static void every_scheme_past_the_query_block(void **state) {
    (void)state;
    check_schemes(&long_rows);
}

static void every_scheme_with_two_threads(void **state) {
    (void)state;
    const int threads = omp_get_max_threads();
    omp_set_num_threads(2);
    check_schemes(&long_rows);
    omp_set_num_threads(threads);
}

static void options_of_the_schemes(void **state) {
    (void)state;
    expect_right(&scheme_rope, "pairing=interleaved", &dropping);
    expect_right(&scheme_rope, "base=50", &dropping);
    expect_right(&scheme_sinusoidal, "layout=concatenated,amplitude=1", &dropping);
    expect_right(&scheme_learned, "amplitude=1,past=clamp", &dropping);
    expect_right(&scheme_learned, "past=interpolate", &dropping);
}

// --- accumulation: a second batch adds its gradients to the first's, whichever way they take ---
typedef struct {
    Gpt gpt;
    TrainPass pass;
    int ids[64];
} Model;

static void model_make(Model *model, const Scheme *scheme) {
    const Shape shape = shape_of(&usual);
    Position pos;
    Error error;
    if (!position_parse_scheme(&pos, scheme, NULL, &error) || !position_fit(&pos, &shape, &error) ||
        !gpt_create(&model->gpt, &shape, &pos, true, &error) ||
        !train_pass_create(&model->pass, &model->gpt, usual.B, usual.T, &error))
        fail_msg("%s", error.message);
    gpt_init(&model->gpt, 1);
    for (int r = 0; r < usual.B * usual.T; r++) {
        model->ids[r] = r * 7 % shape.vocab;
        model->pass.dnll[r] = 1;
    }
}

static void model_step(Model *model) {
    train_pass_embed(&model->pass, &model->gpt, model->ids);
    train_pass_forward(&model->pass, &model->gpt, model->ids, true);
    train_pass_backward(&model->pass, &model->gpt, model->ids);
}

static void expect_accumulation(const Scheme *scheme) {
    Model model;
    model_make(&model, scheme);
    const TensorTable *table = &model.gpt.tensors;
    model_step(&model);
    real *once = copy_reals(model.gpt.grads, table->total);
    for (int steps = 2; steps <= 3; steps++) {
        model_step(&model);
        for (size_t n = 0; n < table->total; n++)
            expect_near(scheme->name, n, model.gpt.grads[n], steps * once[n], 1e-13 + 1e-12 * fabs(once[n]));
    }
    free(once);
    train_pass_free(&model.pass);
    gpt_free(&model.gpt);
}

static void gradients_accumulate(void **state) {
    (void)state;
    for (const Scheme *const *scheme = schemes; *scheme; scheme++) expect_accumulation(*scheme);
    for (size_t i = 0; i < COUNT(trainable); i++) expect_accumulation(trainable[i]);
}

// --- negative controls ---
static void turned_by_the_wrong_sign(const Position *pos, int layer, real *dq, real *dk, const real *q, const real *k,
                                     int stride, const int *at, int rows) {
    (void)q, (void)k;
    scheme_rope.qk_forward(pos, layer, dq, dk, stride, at, rows);
}

static void keys_not_turned(const Position *pos, int layer, real *dq, real *dk, const real *q, const real *k,
                            int stride, const int *at, int rows) {
    turn_backward(pos, layer, dq, dk, q, k, stride, at, rows);
    turn(pos, dk, stride, at, rows, +1);
}

static void keys_do_not_move_the_frequencies(const Position *pos, int layer, real *dq, real *dk, const real *q,
                                             const real *k, int stride, const int *at, int rows) {
    (void)layer, (void)k;
    turn_dtheta(pos->dtables[TURN_THETA], dq, q, at, rows, stride, pos->shape.heads, head_width(&pos->shape) / 2);
    turn(pos, dq, stride, at, rows, -1);
    turn(pos, dk, stride, at, rows, -1);
}

static void last_token_forgotten(const Position *pos, const real *dx, const int *at, int rows) {
    scheme_learned.embed_backward(pos, dx, at, rows - 1);
}

static void one_in_a_million_too_large(const Position *pos, const real *dx, const int *at, int rows) {
    scheme_learned.embed_backward(pos, dx, at, rows);
    pos->dparams[0][0] *= 1 + 2e-6;
}

static void not_a_number(const Position *pos, const real *dx, const int *at, int rows) {
    scheme_learned.embed_backward(pos, dx, at, rows);
    pos->dparams[0][0] = NAN;
}

// Scales the embeddings, where backward passes dx on as if something had been added.
static void scaled_embeddings(const Position *pos, real *x, const int *at, int rows) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < pos->shape.width; c++) x[r * pos->shape.width + c] *= 1 + (real)0.1 * at[r];
}

// Scales the scores, where backward passes dS on as if something had been added.
static void scaled_scores(const Position *pos, const ScoreBlock *block) {
    (void)pos;
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++)
            block->S[i * block->stride + j] /= 1 + (real)0.1 * abs(block->query_at[i] - block->key_at[j]);
}

static void slope_of_the_wrong_head(const Position *pos, const ScoreBlock *block, const real *dS) {
    ScoreBlock wrong = *block;
    wrong.head = 0;
    tilt_backward(pos, &wrong, dS);
}

static void reduced_from_one_sequence(Position *pos) {
    memset(pos->dtables[TILT_SLOPE] + pos->shape.heads, 0, (size_t)pos->shape.heads * sizeof(real));
    tilt_reduce(pos);
}

static void broken_gradients_are_noticed(void **state) {
    (void)state;
    Scheme broken = scheme_rope;
    broken.qk_backward = turned_by_the_wrong_sign;
    expect_wrong("rope turned by the wrong sign", &broken, &tiny);
    expect_wrong("rope turned by the wrong sign, along directions", &broken, &long_rows);
    broken.qk_backward = NULL;
    expect_wrong("rope not turned at all", &broken, &tiny);

    broken = trainable_rotation;
    broken.qk_backward = keys_not_turned;
    expect_wrong("keys not turned", &broken, &tiny);
    broken.qk_backward = keys_do_not_move_the_frequencies;
    expect_wrong("frequencies without the keys' share", &broken, &tiny);

    broken = scheme_learned;
    broken.embed_backward = last_token_forgotten;
    expect_wrong("learned without the last token", &broken, &tiny);
    broken.embed_backward = one_in_a_million_too_large;
    expect_wrong("one number off by two millionths", &broken, &tiny);
    broken.embed_backward = not_a_number;
    expect_wrong("NaN", &broken, &tiny);
    broken.embed_backward = NULL;
    expect_wrong("learned without a gradient", &broken, &tiny);

    broken = scheme_none;
    broken.embed_forward = scaled_embeddings;
    expect_wrong("embeddings scaled", &broken, &tiny);
    broken = scheme_alibi;
    broken.score_forward = scaled_scores;
    expect_wrong("scores scaled", &broken, &tiny);

    broken = trainable_slopes;
    broken.score_backward = slope_of_the_wrong_head;
    expect_wrong("slopes of the wrong head", &broken, &tiny);
    broken = trainable_slopes;
    broken.reduce = reduced_from_one_sequence;
    expect_wrong("slopes from one sequence", &broken, &tiny);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme),
        cmocka_unit_test(every_scheme_with_one_layer_of_one_head),
        cmocka_unit_test(every_scheme_with_dropout),
        cmocka_unit_test(every_scheme_with_one_token),
        cmocka_unit_test(every_scheme_past_the_query_block),
        cmocka_unit_test(every_scheme_with_two_threads),
        cmocka_unit_test(options_of_the_schemes),
        cmocka_unit_test(gradients_accumulate),
        cmocka_unit_test(broken_gradients_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
