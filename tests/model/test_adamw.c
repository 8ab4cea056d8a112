// The optimiser compared with a simple reference in double, and the learning rate schedule at its corners.
#include "tests/support/little_model.h"

// Two tensors are large enough for the threaded loop, and widths leave gaps between tensors.
static const Shape shape = {.vocab = 200, .context = 12, .layers = 1, .heads = 2, .width = 56};

static const AdamW usual = {.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8, .weight_decay = 0.1, .clip = 1};

// Gradients of every tensor, `scale` times normal; the gaps between tensors hold NaN, which nothing may read.
static void set_gradients(Gpt *gpt, double scale, uint64_t seed) {
    for (size_t n = 0; n < gpt->tensors.total; n++) gpt->grads[n] = NAN;
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i];
        const uint64_t key = random_key(seed, t->name);
        for (size_t n = 0; n < t->count; n++) gpt->grads[t->offset + n] = (real)(scale * random_normal(key, n));
    }
}

typedef struct {
    double *w, *m, *v; // (total)
} Reference;

static Reference reference_of(const Gpt *gpt) {
    const size_t total = gpt->tensors.total;
    Reference r = {malloc(total * sizeof(double)), calloc(total, sizeof(double)), calloc(total, sizeof(double))};
    assert_true(r.w && r.m && r.v);
    for (size_t n = 0; n < total; n++) r.w[n] = (double)gpt->params[n];
    return r;
}

static void reference_free(Reference *r) {
    free(r->w);
    free(r->m);
    free(r->v);
}

// The algorithm as in the paper, with the decay scaled by the learning rate as in every library, and with each tensor's
// own rate.
static void reference_step(Reference *r, const Gpt *gpt, const AdamW *a, double rate, double norm, long long step) {
    const double scale = a->clip > 0 && norm > a->clip ? a->clip / norm : 1;
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i];
        const bool matrix = t->rank == 2 && strncmp(t->name, "pos.", 4) != 0;
        for (size_t n = t->offset; n < t->offset + t->count; n++) {
            const double g = scale * (double)gpt->grads[n];
            r->m[n] = a->beta1 * r->m[n] + (1 - a->beta1) * g;
            r->v[n] = a->beta2 * r->v[n] + (1 - a->beta2) * g * g;
            const double m_hat = r->m[n] / (1 - pow(a->beta1, (double)step));
            const double v_hat = r->v[n] / (1 - pow(a->beta2, (double)step));
            if (matrix) r->w[n] -= rate * a->weight_decay * r->w[n];
            r->w[n] -= t->rate * rate * m_hat / (sqrt(v_hat) + a->epsilon);
        }
    }
}

static void expect_reference(const Gpt *gpt, const Reference *r) {
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i];
        for (size_t n = t->offset; n < t->offset + t->count; n++) {
            expect_near(t->name, n - t->offset, (double)gpt->params[n], r->w[n], 2e-6);
            expect_near("gradient", n, (double)gpt->grads[n], 0, 0);
            expect_near("m", n, (double)gpt->m[n], r->m[n], 1e-6 * (fabs(r->m[n]) + sqrt(r->v[n])));
            expect_near("v", n, (double)gpt->v[n], r->v[n], 1e-5 * r->v[n]);
        }
    }
}

// Tensor i has rate rates[i % 3].
static void follow_reference(const AdamW *adamw, double scale, const double rates[3]) {
    enum { STEPS = 8 };
    Gpt gpt;
    model_make(&gpt, "learned", &shape, true);
    for (int i = 0; i < gpt.tensors.count; i++) gpt.tensors.items[i].rate = rates[i % 3];
    Reference reference = reference_of(&gpt);
    for (int step = 1; step <= STEPS; step++) {
        const double rate = 0.02 / step;
        set_gradients(&gpt, scale * step, (uint64_t)step);
        const double norm = gradient_norm(&gpt);
        reference_step(&reference, &gpt, adamw, rate, norm, step);
        adamw_step(&gpt, adamw, rate, norm, step);
        expect_reference(&gpt, &reference);
    }
    reference_free(&reference);
    gpt_free(&gpt);
}

static const double alike[] = {1, 1, 1};

static void steps_follow_the_reference(void **state) {
    follow_reference(&usual, 1e-3, alike); // the norm stays below clip at first, and passes it later
}

static void large_gradients_are_clipped(void **state) {
    follow_reference(&usual, 1, alike);
}

static void clip_0_never_clips(void **state) {
    AdamW adamw = usual;
    adamw.clip = 0;
    follow_reference(&adamw, 1, alike);
}

static void other_settings_matter(void **state) {
    const AdamW adamw = {.beta1 = 0, .beta2 = 0.9, .epsilon = 0.1, .weight_decay = 0, .clip = 3};
    follow_reference(&adamw, 0.01, alike);
}

// Tensors' own rates do not change the moments, the clipping and the decay.
static void tensors_have_rates_of_their_own(void **state) {
    static const double rates[] = {0.25, 1, 3}, none[] = {0, 1, 0};
    follow_reference(&usual, 1e-3, rates);
    follow_reference(&usual, 1, none);
}

static void an_option_sets_the_rate_of_a_tensor(void **state) {
    static const struct {
        const char *specification;
        double rate;
    } cases[] = {{"rope-learned", 1}, {"rope-learned:rate=3.5", 3.5}, {"rope-learned:rate=0", 0}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        Gpt gpt;
        model_make(&gpt, cases[c].specification, &shape, true);
        for (int i = 0; i < gpt.tensors.count; i++) {
            const Tensor *t = &gpt.tensors.items[i];
            assert_true(t->rate == (strcmp(t->name, "pos.rho") == 0 ? cases[c].rate : 1));
        }
        gpt_free(&gpt);
    }
}

// Without gradients only the weights that decay move, and by exactly the decay factor.
static void only_marked_tensors_decay(void **state) {
    Gpt gpt;
    model_make(&gpt, "learned", &shape, true);
    real *before = copy_reals(gpt.params, gpt.tensors.total);
    set_gradients(&gpt, 0, 1);
    adamw_step(&gpt, &usual, 0.5, gradient_norm(&gpt), 1);
    int decaying = 0;
    for (int i = 0; i < gpt.tensors.count; i++) {
        const Tensor *t = &gpt.tensors.items[i];
        const bool matrix =
            strncmp(t->name, "pos.", 4) != 0 && (strcmp(t->name, "wte") == 0 || strstr(t->name, "attn.qkv.weight") ||
                                                 strstr(t->name, "proj.weight") || strstr(t->name, "fc.weight"));
        decaying += matrix;
        for (size_t n = t->offset; n < t->offset + t->count; n++)
            expect_near(t->name, n - t->offset, (double)gpt.params[n], (matrix ? 0.95 : 1.0) * (double)before[n],
                        matrix ? 1e-6 : 0);
    }
    assert_int_equal(decaying, 5);
    free(before);
    gpt_free(&gpt);
}

static void the_norm_is_the_root_of_all_squares(void **state) {
    Gpt gpt;
    model_make(&gpt, "learned", &shape, true);
    set_gradients(&gpt, 0.3, 5);
    double squares = 0;
    for (int i = 0; i < gpt.tensors.count; i++) {
        const Tensor *t = &gpt.tensors.items[i];
        for (size_t n = t->offset; n < t->offset + t->count; n++)
            squares += (double)gpt.grads[n] * (double)gpt.grads[n];
    }
    expect_near("norm", 0, gradient_norm(&gpt), sqrt(squares), 1e-10 * sqrt(squares));
    // Squares that a float cannot hold.
    set_gradients(&gpt, 0, 5);
    gpt.grads[0] = (real)3e30;
    gpt.grads[1] = (real)4e30;
    expect_near("large norm", 0, gradient_norm(&gpt), 5e30, 1e24);
    gpt_free(&gpt);
}

static void a_bad_activation_is_placed(void **state) {
    Shape two = shape;
    Gpt gpt;
    TrainPass pass;
    char where[80];
    const int ids[6] = {1, 2, 3, 4, 5, 6};
    two.layers = 2;
    training_make(&gpt, &pass, "rope", &two, 1, 6);
    train_pass_embed(&pass, &gpt, ids);
    train_pass_forward(&pass, &gpt);
    assert_null(train_pass_nonfinite(where, &pass, &two));
    const struct {
        real *at;
        const char *where;
    } bad[] = {
        {pass.x_final, "the MLP of layer 1"},
        {pass.layers[1].x_mid, "the projection of layer 1"},
        {pass.layers[1].heads, "the attention of layer 1"},
        {pass.layers[1].qkv, "the queries, keys and values of layer 1"},
        {pass.layers[1].x, "the MLP of layer 0"},
        {pass.layers[0].x_mid, "the projection of layer 0"},
        {pass.layers[0].x, "the embeddings"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) { // from the last to the first
        *bad[i].at = NAN;
        assert_string_equal(train_pass_nonfinite(where, &pass, &two), bad[i].where);
    }
    training_free(&gpt, &pass);
}

static void the_schedule_warms_up_and_follows_half_a_cosine(void **state) {
    const double high = 1e-3, low = 1e-4, small = 1e-15;
    expect_near("first", 0, cosine_schedule(0, 1000, 100, high, low), high / 100, small);
    expect_near("warming", 49, cosine_schedule(49, 1000, 100, high, low), high / 2, small);
    expect_near("warm", 99, cosine_schedule(99, 1000, 100, high, low), high, small);
    expect_near("top", 100, cosine_schedule(100, 1000, 100, high, low), high, small);
    // 901 steps after the warm-up: the first has the highest rate, the last the lowest.
    expect_near("quarter", 325, cosine_schedule(325, 1001, 100, high, low), low + (high - low) * (0.5 + sqrt(0.125)),
                small);
    expect_near("half", 550, cosine_schedule(550, 1001, 100, high, low), (high + low) / 2, small);
    for (long long step = 100; step < 999; step++)
        assert_true(cosine_schedule(step + 1, 1000, 100, high, low) < cosine_schedule(step, 1000, 100, high, low));
}

static void the_schedule_has_no_bad_corner(void **state) {
    const double high = 2, low = 0.5;
    expect_near("no warm-up", 0, cosine_schedule(0, 11, 0, high, low), high, 0);
    expect_near("no warm-up", 5, cosine_schedule(5, 11, 0, high, low), 1.25, 1e-15);
    for (long long warmup = 10; warmup <= 20; warmup += 10) // all of it warm-up, and more
        for (long long step = 0; step < 10; step++)
            expect_near("warm-up", (size_t)step, cosine_schedule(step, 10, warmup, high, low),
                        high * (double)(step + 1) / (double)warmup, 1e-15);
    expect_near("flat", 7, cosine_schedule(7, 10, 0, high, high), high, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_follow_the_reference),
        cmocka_unit_test(large_gradients_are_clipped),
        cmocka_unit_test(clip_0_never_clips),
        cmocka_unit_test(other_settings_matter),
        cmocka_unit_test(tensors_have_rates_of_their_own),
        cmocka_unit_test(an_option_sets_the_rate_of_a_tensor),
        cmocka_unit_test(only_marked_tensors_decay),
        cmocka_unit_test(the_norm_is_the_root_of_all_squares),
        cmocka_unit_test(a_bad_activation_is_placed),
        cmocka_unit_test(the_schedule_warms_up_and_follows_half_a_cosine),
        cmocka_unit_test(the_schedule_has_no_bad_corner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
