// Gradients that are broken on purpose: a gradient check that did not notice them would prove nothing.
#include "num/team.h"
#include "posenc/bias/bias.h"
#include "posenc/registry.h"
#include "tests/support/gradients.h"
#include "tests/support/planted.h"

static const Setting one_head = {.layers = 1, .heads = 1, .width = 8, .T = 7, .B = 2};
static const Setting brief = {.layers = 2, .heads = 2, .width = 8, .T = 10, .B = 2, .directions = true};
// LayerNorm would hide what all channels of a code have in common.
static const Setting rms_normed = {
    .layers = 2, .heads = 2, .width = 8, .T = 10, .B = 2, .directions = true, .block = BLOCK_LLAMA};
static const Setting long_rows = {
    .layers = 1, .heads = 2, .width = 8, .T = 2 * QUERY_BLOCK + 6, .B = 2, .dropout = 0.1, .directions = true};

static Broken broken;

static void expect_wrong(const char *what, const char *list, const Setting *setting) {
    GradientError where;
    Mix pos;
    Error error;
    must(mix_parse_of(&pos, &broken.scheme, list, &error), &error);
    const double worst = worst_error(&where, &pos, setting, 1);
    if (worst <= TOLERANCE) fail_msg("not noticed: %s, %s (error %.2e)", broken.scheme.name, what, worst);
}

#define EXPECT_MISSED(hook)                                                                                            \
    if (scheme->family->hook) {                                                                                        \
        broken_make(&broken, scheme)->hook = NULL;                                                                     \
        expect_wrong("without " #hook, list, &rms_normed);                                                             \
    }

static void a_missing_hook_is_noticed(void **state) {
    for (int s = 0; schemes[s]; s++) {
        const Scheme *scheme = schemes[s];
        if (!scheme->family) continue;
        const bool gated = scheme->options && option_find(scheme->options, GATE_OPTION);
        const char *list = gated ? "gate=trained" : NULL; // else some train nothing
        EXPECT_MISSED(embed_backward)
        EXPECT_MISSED(qk_backward)
        EXPECT_MISSED(score_backward)
        EXPECT_MISSED(layer_backward)
    }
}

static void turned_by_the_wrong_sign(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k,
                                     int stride, const Place *at, int rows) {
    scheme_rope.family->qk_forward(tables, layer, dq, dk, stride, at, rows);
}

static void rotations_turned_wrongly_are_noticed(void **state) {
    broken_make(&broken, &scheme_rope)->qk_backward = turned_by_the_wrong_sign;
    expect_wrong("turned by the wrong sign", NULL, &one_head);
    expect_wrong("turned by the wrong sign, along directions", NULL, &long_rows);
    expect_wrong("interleaved, turned by the wrong sign", "pairing=interleaved", &brief);
}

// rope-learned computes the gradients of its frequencies in qk_backward.
static const real zeros[4096];

static void keys_turned_by_the_wrong_sign(const Tables *tables, int layer, real *dq, real *dk, const real *q,
                                          const real *k, int stride, const Place *at, int rows) {
    scheme_rope_learned.family->qk_backward(tables, layer, dq, dk, q, k, stride, at, rows);
    scheme_rope_learned.family->qk_forward(tables, layer, dk, dk, stride, at, rows); // twice, once too often
}

static void keys_do_not_move_the_frequencies(const Tables *tables, int layer, real *dq, real *dk, const real *q,
                                             const real *k, int stride, const Place *at, int rows) {
    assert_true((size_t)rows * stride <= COUNT(zeros));
    scheme_rope_learned.family->qk_backward(tables, layer, dq, dk, q, zeros, stride, at, rows);
}

static void one_sequence_moves_the_frequencies(const Tables *tables, int layer, real *dq, real *dk, const real *q,
                                               const real *k, int stride, const Place *at, int rows) {
    const int T = rows / tables->batch;
    const size_t next = (size_t)T * stride;
    Tables one = *tables;
    one.batch = 1;
    assert_int_equal(tables->batch, 2);
    scheme_rope_learned.family->qk_backward(&one, layer, dq, dk, q, k, stride, at, T);
    scheme_rope_learned.family->qk_backward(&one, layer, dq + next, dk + next, zeros, zeros, stride, at + T, T);
}

static void frequencies_of_the_first_layer(const Tables *tables, int layer, real *dq, real *dk, const real *q,
                                           const real *k, int stride, const Place *at, int rows) {
    scheme_rope_learned.family->qk_backward(tables, 0, dq, dk, q, k, stride, at, rows);
}

static void wrong_frequencies_are_noticed(void **state) {
    Family *family = broken_make(&broken, &scheme_rope_learned);
    family->qk_backward = keys_turned_by_the_wrong_sign;
    expect_wrong("keys turned by the wrong sign", NULL, &one_head);
    family->qk_backward = keys_do_not_move_the_frequencies;
    expect_wrong("frequencies without the keys' share", NULL, &one_head);
    family->qk_backward = one_sequence_moves_the_frequencies;
    expect_wrong("frequencies from one sequence", NULL, &one_head);
    family->qk_backward = frequencies_of_the_first_layer;
    expect_wrong("frequencies of the first layer", "layers=own", &brief);
}

static void last_token_forgotten(const Tables *tables, const real *dx, const Place *at, int rows) {
    scheme_learned.family->embed_backward(tables, dx, at, rows - 1);
}

static void one_in_a_million_too_large(const Tables *tables, const real *dx, const Place *at, int rows) {
    scheme_learned.family->embed_backward(tables, dx, at, rows);
    tables->pos->dparams[0][0] *= 1 + 2e-6;
}

static void not_a_number(const Tables *tables, const real *dx, const Place *at, int rows) {
    scheme_learned.family->embed_backward(tables, dx, at, rows);
    tables->pos->dparams[0][0] = NAN;
}

// Scales the embeddings, but backward passes dx on as if something had been added.
static void scaled_embeddings(const Tables *tables, real *x, const Place *at, int rows) {
    const int C = tables->pos->shape.width;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < C; c++) x[r * C + c] *= 1 + (real)0.1 * at[r].t;
}

// Scales the scores, but backward passes dS on as if something had been added.
static void scaled_scores(const Tables *tables, const ScoreBlock *block) {
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++)
            block->S[i * block->stride + j] /= 1 + (real)0.1 * abs(block->query_at[i].t - block->key_at[j].t);
}

static void small_mistakes_are_noticed(void **state) {
    Family *family = broken_make(&broken, &scheme_learned);
    family->embed_backward = last_token_forgotten;
    expect_wrong("learned without the last token", NULL, &one_head);
    family->embed_backward = one_in_a_million_too_large;
    expect_wrong("one number off by two millionths", NULL, &one_head);
    family->embed_backward = not_a_number;
    expect_wrong("NaN", NULL, &one_head);
    family = broken_make(&broken, &scheme_none);
    family->embed_forward = scaled_embeddings;
    expect_wrong("embeddings scaled", NULL, &brief);
    family = broken_make(&broken, &scheme_alibi);
    family->score_forward = scaled_scores;
    expect_wrong("scores scaled", NULL, &brief);
}

// Codes and their gradients are scaled by 1/10,000, and a tenth of the gradients is missing. Rows (rows, 8).
static void faint_codes(const Tables *tables, real *x, const Place *at, int rows) {
    real *before = copy_reals(x, (size_t)rows * 8);
    scheme_learned.family->embed_forward(tables, x, at, rows);
    for (int n = 0; n < rows * 8; n++) x[n] = before[n] + (x[n] - before[n]) / 10000;
    free(before);
}

static void too_faint(const Tables *tables, const real *dx, const Place *at, int rows) {
    scheme_learned.family->embed_backward(tables, dx, at, rows);
    for (int n = 0; n < one_head.T * 8; n++) tables->pos->dparams[0][n] *= (real)0.9 / 10000;
}

static void small_gradients_count_like_large_ones(void **state) {
    Family *family = broken_make(&broken, &scheme_learned);
    GradientError where;
    Mix pos;
    Error error;
    family->embed_forward = faint_codes;
    family->embed_backward = too_faint;
    must(mix_parse_of(&pos, &broken.scheme, NULL, &error), &error);
    expect_near("error", 0, worst_error(&where, &pos, &one_head, 1), 0.1, 0.001);
}

// When a scheme lets parameters leave its range, the check says which parameters.
static void a_loss_that_is_no_number_is_explained(void **state) {
    Scheme unguarded = scheme_kerple;
    const Shape shape = shape_of(&brief);
    const GradcheckSettings settings = {.B = brief.B, .T = brief.T, .seed = 1};
    GradientError *errors;
    int count;
    Mix pos;
    Error error;
    unguarded.init = NULL;
    unguarded.project = NULL; // then a is below -1/9 somewhere, and the curve is the logarithm of a negative number
    must(mix_parse_of(&pos, &unguarded, NULL, &error), &error);
    must(mix_fit(&pos, &shape, &error), &error);
    assert_false(gradcheck(&errors, &count, &pos, &settings, &error));
    assert_int_equal(error.kind, ERROR_NONFINITE);
    expect_text(error.message, " of pos.a is -0.");
    expect_text(error.message, "`project`");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loss_that_is_no_number_is_explained),
        cmocka_unit_test(a_missing_hook_is_noticed),
        cmocka_unit_test(rotations_turned_wrongly_are_noticed),
        cmocka_unit_test(wrong_frequencies_are_noticed),
        cmocka_unit_test(small_mistakes_are_noticed),
        cmocka_unit_test(small_gradients_count_like_large_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
