// The fast attention compared with the plain one, under every scheme without its own attention operation, with every
// choice of its options, with windows, dropout and shared keys: the same outputs and the same gradients, also of the
// schemes' parameters.
#include "tests/model/ops/attention_plain.h"
#include "tests/support/little_model.h"

enum { B = 2, T = 70, C = 16, H = 4, ROWS = B * T }; // more than one block of queries

typedef void (*Backward)(const AttentionGradient *, const Attention *, const MixTables *, real *);

// The gradients computed by one of the two: of q, k and v, of features, and of all parameters.
typedef struct {
    real *dqkv, *dfeatures, *dparams;
} Gradients;

static Gradients gradients_of(Gpt *gpt, TrainPass *pass, const Attention *a, const real *dout, Backward backward,
                              real *scratch) {
    const size_t F = (size_t)gpt->pos.features, qkv = (size_t)qkv_width(&gpt->shape);
    Gradients g = {.dqkv = calloc(ROWS * qkv, sizeof(real)), .dfeatures = calloc(ROWS * F + 1, sizeof(real))};
    real *dlogit_scale = nan_reals((size_t)B * H * T);
    const AttentionGradient grad = {g.dqkv,      g.dqkv + C, g.dqkv + C + key_width(&gpt->shape),
                                    g.dfeatures, dout,       dlogit_scale};
    memset(gpt->grads, 0, gpt->tensors.total * sizeof(real));
    backward(&grad, a, &pass->tables, scratch);
    real *dx = calloc(ROWS * C, sizeof *dx); // of features, which need a norm of their own
    mix_layer_backward(&pass->tables, a->layer, dx, g.dfeatures, pass->buffers.features, pass->buffers.norm, ROWS);
    free(dx);
    for (int n = 0; a->logit_scale && n < B * H * T; n++) gpt->dw.layers[0].logit_scale[n / T % H] += dlogit_scale[n];
    free(dlogit_scale);
    g.dparams = copy_reals(gpt->grads, gpt->tensors.total);
    return g;
}

static void expect_same(const char *scheme, const char *what, const real *fast, const real *plain, size_t count) {
    char name[TEXT_CAPACITY + 64];
    double most = 0;
    snprintf(name, sizeof name, "%s: %s", scheme, what);
    for (size_t n = 0; n < count; n++) most = fmax(most, fabs((double)plain[n]));
    assert_true(isfinite(most));
    expect_all_near(name, fast, plain, count, 1e-11 * (1 + most));
}

// Returns false for a scheme with attention or weights of its own.
static bool compare(const char *scheme, const Shape *shape, double dropout) {
    Gpt gpt;
    TrainPass pass;
    Error error;
    int ids[ROWS];
    model_make(&gpt, scheme, shape, true);
    if (mix_brings_attention(&gpt.pos, 0) || gpt.pos.part[0].scheme->weights) {
        gpt_free(&gpt);
        return false;
    }
    gpt.pos.rule = text_rule;
    must(train_pass_create(&pass, &gpt, B, T, &error), &error);
    pass.dropout_rate = dropout;
    text_make(ids, ROWS, shape->vocab, 1);
    train_pass_embed(&pass, &gpt, ids);
    train_pass_forward(&pass, &gpt);
    const Layer layer = {.gpt = &gpt,
                         .tables = &pass.tables,
                         .B = B,
                         .T = T,
                         .at = pass.at,
                         .a = &pass.layers[0],
                         .buffers = &pass.buffers,
                         .drop_weights = {dropout, 5}};
    Attention a = layer_attention(&layer);
    const size_t rows = (size_t)B * H * T, F = (size_t)gpt.pos.features, qkv = (size_t)qkv_width(shape);
    real *plain_out = nan_reals(ROWS * C), *plain_lse = nan_reals(rows), *dout = random_reals(ROWS * C, "dout", 1);
    real *scratch = malloc(attention_plain_scratch(&pass.tables, &a) * sizeof(real));
    Attention plain = a;
    plain.out = plain_out;
    plain.lse = plain_lse;
    attention_forward(&a, &pass.tables, pass.buffers.scratch);
    attention_plain_forward(&plain, &pass.tables, scratch);
    int zeros = 0; // of rows that dropout leaves nothing
    for (int n = 0; n < ROWS * C; n++) zeros += plain_out[n] == 0;
    assert_true(zeros < ROWS * C / 10);
    expect_same(scheme, "outputs", a.out, plain_out, ROWS * C);
    expect_same(scheme, "log of the denominators", a.lse, plain_lse, rows);

    const Gradients fast = gradients_of(&gpt, &pass, &a, dout, attention_backward, pass.buffers.scratch);
    const Gradients slow = gradients_of(&gpt, &pass, &plain, dout, attention_plain_backward, scratch);
    expect_same(scheme, "gradients of q, k and v", fast.dqkv, slow.dqkv, ROWS * qkv);
    expect_same(scheme, "gradients of features", fast.dfeatures, slow.dfeatures, ROWS * F);
    expect_same(scheme, "gradients of parameters", fast.dparams, slow.dparams, gpt.tensors.total);
    void *const all[] = {plain_out,      plain_lse,    dout,      scratch,        fast.dqkv,
                         fast.dfeatures, fast.dparams, slow.dqkv, slow.dfeatures, slow.dparams};
    for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
    training_free(&gpt, &pass);
    return true;
}

static const Shape shape = {.vocab = 11, .context = T, .layers = 1, .heads = H, .width = C};

static void every_scheme(void **state) {
    char scheme[TEXT_CAPACITY];
    int compared = 0;
    for (int i = 0; scheme_variant(scheme, &shape, i); i++) compared += compare(scheme, &shape, 0);
    assert_true(compared > 50);
}

static void windows_dropout_and_shared_keys(void **state) {
    Error error;
    Shape other = shape;
    must(windows_parse(&other.windows, "9", 1, &error), &error);
    other.kv_heads = 2;
    const char *const some[] = {"none", "rope", "alibi-learned", "cope", "rope+fox"};
    for (size_t i = 0; i < COUNT(some); i++) assert_true(compare(some[i], &other, 0.2));
    other.scale_logits = SCALE_LOGITS_LOG;
    for (size_t i = 0; i < COUNT(some); i++) assert_true(compare(some[i], &other, 0.2));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scheme),
                                       cmocka_unit_test(windows_dropout_and_shared_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
