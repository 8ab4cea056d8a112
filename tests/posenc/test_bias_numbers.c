// Schemes that add a bias to the scores: compared with other implementations' numbers and with formulas, forward and
// backward.
#include "posenc/bias/bias.h"
#include "tests/support/scene.h"

// --- the score hooks at work on one block that is not part of any attention ---
typedef struct {
    int T;
    const Place *at; // (T)
    real *S, *dS;    // (T, T)
} Square;

static ScoreBlock block_of(const Square *square, int head, real *scratch) {
    return (ScoreBlock){.S = square->S,
                        .stride = square->T,
                        .rows = square->T,
                        .columns = square->T,
                        .head = head,
                        .query_at = square->at,
                        .key_at = square->at,
                        .scratch = scratch};
}

// S += bias of a head; and, where dS is not NULL, the gradients of the scheme's parameters are added up.
static void run_head(Scene *scene, const Square *square, int head) {
    const Tables *tables = &scene->tables;
    const Scheme *scheme = tables->pos->scheme;
    const size_t numbers = scheme->score_scratch ? scheme->score_scratch(tables, square->T, square->T, true) : 0;
    real *scratch = malloc((numbers + 1) * sizeof *scratch);
    const ScoreBlock block = block_of(square, head, scratch);
    const ScoreGradient gradient = {.dS = square->dS};
    scheme->family->score_forward(tables, &block);
    if (square->dS) scheme->family->score_backward(tables, &block, &gradient);
    free(scratch);
}

// The bias of a head at this distance; masked scores are ignored.
static double bias_at(Scene *scene, int head, int distance) {
    const Place at[] = {{.t = 0}, {.t = distance, .column = distance}};
    real S[4] = {0};
    const Square square = {2, at, S, NULL};
    run_head(scene, &square, head);
    return (double)S[2];
}

static int integer_of(const json_t *object, const char *key) {
    const json_t *number = json_object_get(object, key);
    assert_true(json_is_integer(number));
    return (int)json_integer_value(number);
}

// --- other people's numbers ---
static void alibi_slopes_are_the_authors(void **state) {
    json_t *root = golden("alibi_slopes");
    const json_t *rows = json_object_get(root, "rows");
    assert_int_equal(json_array_size(rows), 32);
    for (size_t r = 0; r < 32; r++) {
        const json_t *row = json_array_get(rows, r), *official = json_object_get(row, "official");
        const int H = integer_of(row, "n_heads");
        assert_int_equal(H, r + 1);
        assert_int_equal(json_array_size(official), H);
        static const char *const schemes_with_slopes[] = {"alibi",
                                                          "alibi-learned"}; // the second starts with the first's
        for (size_t i = 0; i < COUNT(schemes_with_slopes); i++) {
            Scene scene;
            scene_make(&scene, schemes_with_slopes[i], shape_of(H, H, 4), 4);
            for (int h = 0; h < H; h++) {
                const double expected = number_at(official, (size_t)h);
                expect_near("slope", (size_t)h, -bias_at(&scene, h, 1), expected, 1e-6 * expected);
                expect_near("three slopes", (size_t)h, -bias_at(&scene, h, 3), 3 * expected, 3e-6 * expected);
            }
            scene_free(&scene);
        }
    }
    json_decref(root);
}

static void a_scale_multiplies_all_slopes(void **state) {
    enum { H = 4 };
    Scene plain, scaled;
    scene_make(&plain, "alibi", shape_of(H, H, 4), 9);
    scene_make(&scaled, "alibi:scale=6.5", shape_of(H, H, 4), 9);
    for (int h = 0; h < H; h++)
        for (int distance = 0; distance < 9; distance++)
            expect_near("scaled", (size_t)(9 * h + distance), bias_at(&scaled, h, distance),
                        6.5 * bias_at(&plain, h, distance), 1e-6 * (1 + distance));
    scene_free(&plain);
    scene_free(&scaled);
}

// Random slopes are uniform on a logarithmic scale from ALiBi's flattest, 2^-8, to its steepest, or to 1, for every
// head; another seed draws others.
static void expect_slopes(const char *spec, double steepest) {
    enum { H = 6, LAYERS = 40, MANY = H * LAYERS };
    Shape shape = shape_of(H, H, 4);
    int quarters[4] = {0};
    Scene scene, again;
    shape.layers = LAYERS;
    scene_make(&scene, spec, shape, 2);
    scene_make(&again, spec, shape, 2);
    for (int n = 0; n < MANY; n++) {
        const double slope = exp((double)scene.pos->params[0][n]) * alibi_slope(n % H, H),
                     share = (log2(slope) - steepest) / (-8 - steepest);
        assert_true(share >= -1e-6 && share <= 1 + 1e-6);
        quarters[(int)fmax(fmin(4 * share, 3), 0)]++;
        assert_true(scene.pos->params[0][n] == again.gpt.pos.part[0].params[0][n]);
    }
    for (int quarter = 0; quarter < 4; quarter++) assert_in_range(quarters[quarter], MANY / 8, 3 * MANY / 8);
    gpt_init(&again.gpt, 4);
    for (int n = 0; n < MANY; n++) assert_true(scene.pos->params[0][n] != again.gpt.pos.part[0].params[0][n]);
    scene_free(&scene);
    scene_free(&again);
}

static void random_slopes_have_alibis_range(void **state) {
    expect_slopes("alibi-learned:start=random,layers=own", -1); // of 6 heads, 2^-1 is the steepest
    expect_slopes("alibi-learned:start=wide,layers=own", 0);
}

// beta of a bucket is the bucket's number, plus 1000 a head, so that the bias is the bucket.
static void t5_buckets_are_hugging_face_s(void **state) {
    enum { H = 2 };
    json_t *root = golden("t5_buckets");
    const json_t *cases = json_object_get(root, "cases"), *one;
    size_t i;
    assert_int_equal(json_array_size(cases), 5);
    json_array_foreach(cases, i, one) {
        const json_t *expected = json_object_get(one, "causal_distance_0_to_2max");
        const int buckets = integer_of(one, "num_buckets"), most = integer_of(one, "max_distance");
        char specification[64];
        Scene scene;
        snprintf(specification, sizeof specification, "t5:buckets=%d,distance=%d", buckets, most);
        scene_make(&scene, specification, shape_of(H, H, 4), 2 * most + 1);
        for (int n = 0; n < H * buckets; n++) scene.pos->params[0][n] = (real)(n / buckets * 1000 + n % buckets);
        tables_prepare(&scene.tables);
        assert_int_equal(json_array_size(expected), 2 * most + 1);
        for (int distance = 0; distance <= 2 * most; distance++)
            for (int h = 0; h < H; h++)
                expect_near(specification, (size_t)distance, bias_at(&scene, h, distance),
                            number_at(expected, (size_t)distance) + 1000 * h, 0);
        scene_free(&scene);
    }
    json_decref(root);
}

// Run the scheme on scores of 0, which must become a golden file's bias (H, T, T), and on their gradients `upstream`;
// leaves the scheme's dparams.
static void run_golden(Scene *scene, const json_t *bias, const json_t *upstream, int H, int T) {
    const size_t numbers = (size_t)T * T;
    real *expected = nan_reals(H * numbers), *dS = nan_reals(H * numbers);
    Place *at = malloc((size_t)T * sizeof *at);
    places_run(at, T);
    read_numbers(expected, bias, H * numbers);
    read_numbers(dS, upstream, H * numbers);
    for (int h = 0; h < H; h++) {
        real *S = calloc(numbers, sizeof *S);
        const Square square = {T, at, S, dS + h * numbers};
        run_head(scene, &square, h);
        for (int i = 0; i < T; i++)
            expect_all_near("bias", S + i * T, expected + h * numbers + (size_t)(i * T), (size_t)i + 1, 1e-5);
        free(S);
    }
    scene_layer_backward(scene, 0);
    free(expected), free(dS), free(at);
}

static void expect_numbers(const char *name, const real *found, const json_t *expected, size_t count) {
    real *numbers = nan_reals(count);
    read_numbers(numbers, expected, count);
    expect_all_near(name, found, numbers, count, 1e-5);
    free(numbers);
}

// The built-in scheme, and the formulas in the examples.
static void kerple_is_the_authors(void **state) {
    static const char *const kinds[] = {"log", "power"};
    json_t *root = golden("kerple");
    const int H = integer_of(root, "heads"), T = integer_of(root, "T");
    for (size_t i = 0; i < 2 * COUNT(kinds); i++) {
        const char *kind = kinds[i / 2];
        const json_t *one = json_object_get(root, kind);
        char specification[64];
        Scene scene;
        snprintf(specification, sizeof specification,
                 i % 2 ? "posenc/formula/examples/kerple-%s.pos" : "kerple:kind=%s", kind);
        scene_make(&scene, specification, shape_of(H, H, T), T);
        const int a = i % 2 && scene.pos->written->param[0].name[0] == 'a' ? 0 : 1, p = 1 - a;
        read_numbers(scene.pos->params[p], json_object_get(one, "p"), (size_t)H);
        read_numbers(scene.pos->params[a], json_object_get(one, "a"), (size_t)H);
        tables_prepare(&scene.tables);
        run_golden(&scene, json_object_get(one, "bias"), json_object_get(one, "upstream"), H, T);
        expect_numbers("dp", scene.pos->dparams[p], json_object_get(one, "dp"), (size_t)H);
        expect_numbers("da", scene.pos->dparams[a], json_object_get(one, "da"), (size_t)H);
        scene_free(&scene);
    }
    json_decref(root);
}

static void check_fire(const char *name) {
    enum { W = 4, H = 2 };
    enum { W1, B1, W2, B2, FACTOR, MULT };
    json_t *root = golden(name);
    const json_t *grad = json_object_get(root, "grad");
    const int T = integer_of(root, "T");
    char specification[64];
    Scene scene;
    snprintf(specification, sizeof specification, "fire:width=%d,threshold=%g", W,
             json_number_value(json_object_get(root, "init_L")));
    scene_make(&scene, specification, shape_of(H, H, T), T);
    real **params = scene.pos->params, **dparams = scene.pos->dparams;
    read_numbers(params[W1], json_object_get(root, "W1"), W);
    read_numbers(params[B1], json_object_get(root, "b1"), W);
    read_matrix(params[W2], json_object_get(root, "W2"), H, W);
    read_numbers(params[B2], json_object_get(root, "b2"), H);
    *params[FACTOR] = (real)json_number_value(json_object_get(root, "c"));
    *params[MULT] = (real)json_number_value(json_object_get(root, "L_multiplier"));
    tables_prepare(&scene.tables);
    run_golden(&scene, json_object_get(root, "bias"), json_object_get(root, "upstream_grad"), H, T);
    expect_numbers("dW1", dparams[W1], json_object_get(grad, "W1"), W);
    expect_numbers("db1", dparams[B1], json_object_get(grad, "b1"), W);
    expect_numbers("dW2", dparams[W2], json_object_get(grad, "W2"), (size_t)H * W);
    expect_numbers("db2", dparams[B2], json_object_get(grad, "b2"), H);
    expect_near("dc", 0, (double)*dparams[FACTOR], json_number_value(json_object_get(grad, "c")), 1e-5);
    expect_near("dL", 0, (double)*dparams[MULT], json_number_value(json_object_get(grad, "L_multiplier")), 1e-5);
    scene_free(&scene);
    json_decref(root);
}

// All queries before the threshold, and queries on both sides of it.
static void fire_is_the_authors(void **state) {
    check_fire("fire_T6");
    check_fire("fire_T12");
}

// FIRE's network starts as PyTorch's layers do: uniform, within 1/sqrt(inputs) of 0, in every set of parameters.
static void fire_starts_uniform(void **state) {
    enum { W = 16, LAYERS = 3, HEADS = 2 };
    const Shape deep = {.vocab = 5, .context = 8, .layers = LAYERS, .heads = HEADS, .width = 8};
    Gpt gpt;
    Mix mix;
    Error error;
    must(mix_create(&mix, "fire:layers=own,width=16", &deep, &error) && gpt_create(&gpt, &deep, &mix, false, &error),
         &error);
    gpt_init(&gpt, 3);
    const Position *pos = &gpt.pos.part[0];
    const double most[] = {1, 1, 0.25, 0.25};
    const int counts[] = {LAYERS * W, LAYERS * W, LAYERS * HEADS * W, LAYERS * HEADS};
    for (int p = 0; p < 4; p++) {
        double sum = 0, squares = 0;
        for (int n = 0; n < counts[p]; n++) {
            const double value = (double)pos->params[p][n] / most[p];
            if (!(fabs(value) <= 1 && value != 0)) fail_msg("parameter %d: number %d is %g", p, n, value);
            sum += value / counts[p];
            squares += value * value / counts[p];
        }
        if (p == 3) continue; // too few to judge
        expect_near("mean", (size_t)p, sum, 0, 4 * sqrt(1.0 / 3 / counts[p]));
        expect_near("variance", (size_t)p, squares, 1.0 / 3, 4 * sqrt(4.0 / 45 / counts[p]));
    }
    for (int set = 0; set < LAYERS; set++) assert_true(pos->params[4][set] == (real)0.1 && pos->params[5][set] == 1);
    gpt_free(&gpt);
}

// --- formulas ---
// The products of sinusoidal codes, from the codes themselves.
static void sandwich_is_the_product_of_codes(void **state) {
    enum { H = 3, T = 40 };
    static const struct {
        const char *specification;
        int width;
    } cases[] = {{"sandwich", 128}, {"sandwich:width=2", 2}, {"sandwich:width=16", 16}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        const int D = cases[n].width;
        Scene scene;
        scene_make(&scene, cases[n].specification, shape_of(H, H, T), T);
        for (int h = 0; h < H; h++)
            for (int distance = 0; distance < T - 5; distance++) {
                double product = 0;
                for (int i = 0; i < D / 2; i++) {
                    const double theta = 1 / pow(10000, 2.0 * i / D), a = (distance + 5) * theta, b = 5 * theta;
                    product += sin(a) * sin(b) + cos(a) * cos(b);
                }
                expect_near(cases[n].specification, (size_t)distance, bias_at(&scene, h, distance),
                            product * H / (8.0 * (h + 1)), 1e-6 * D);
            }
        scene_free(&scene);
    }
}

// f(psi(distance) / psi(max(position, threshold))) as in the paper, at coordinates with gaps, one past the threshold.
// Only the magnitudes of c and mult count, so their gradients change sign with them.
static void check_fire_formula(real dboth[2], real c, real mult) {
    enum { H = 3, T = 6, W = 7 };
    static const Place at[T] = {{.t = 0}, {.t = 1}, {.t = 4}, {.t = 6}, {.t = 20}, {.t = 29}};
    Scene scene;
    scene_make(&scene, "fire:width=7,threshold=5", shape_of(H, H, 30), 30);
    real *const *p = scene.pos->params; // w1, b1, w2, b2, c, mult
    *p[4] = c;
    *p[5] = mult;
    tables_prepare(&scene.tables);
    for (int h = 0; h < H; h++) {
        real S[T * T] = {0}, *dS = random_reals(T * T, "dS", 1);
        run_head(&scene, &(Square){T, at, S, dS}, h);
        free(dS);
        for (int i = 0; i < T; i++)
            for (int j = 0; j <= i; j++) {
                const double share = log(0.3 * (at[i].t - at[j].t) + 1) / (log(0.3 * fmax(at[i].t, 5.5) + 1) + 1e-6);
                double expected = (double)p[3][h];
                for (int n = 0; n < W; n++)
                    expected += (double)p[2][h * W + n] * fmax((double)p[0][n] * share + (double)p[1][n], 0);
                expect_near("fire", (size_t)(i * T + j), (double)S[i * T + j], expected, 2e-6);
            }
    }
    scene_layer_backward(&scene, 0);
    dboth[0] = *scene.pos->dparams[4];
    dboth[1] = *scene.pos->dparams[5];
    scene_free(&scene);
}

static void fire_is_its_formula(void **state) {
    real plain[2], by_c[2], by_mult[2];
    check_fire_formula(plain, 0.3f, 1.1f);
    check_fire_formula(by_c, -0.3f, 1.1f);
    check_fire_formula(by_mult, 0.3f, -1.1f);
    assert_true(plain[0] != 0 && plain[1] != 0);
    expect_near("dc", 0, (double)by_c[0], -(double)plain[0], 1e-6);
    expect_near("dmult", 0, (double)by_c[1], (double)plain[1], 1e-6);
    expect_near("dc", 1, (double)by_mult[0], (double)plain[0], 1e-6);
    expect_near("dmult", 1, (double)by_mult[1], -(double)plain[1], 1e-6);
}

// Stored parameters below 0.01, and a power above 2, are moved to the bound, where the curve has the formula's
// gradient.
static void kerple_moves_its_parameters_into_range(void **state) {
    enum { H = 4, T = 5 };
    static const struct {
        const char *specification;
        real p[H], a[H], held_p[H], held_a[H];
    } cases[] = {{"kerple", {-1, 3, 0, 0.5f}, {0.5f, -2, 0, 0.5f}, {0.01f, 3, 0.01f, 0.5f}, {0.5f, 0.01f, 0.01f, 0.5f}},
                 {"kerple:kind=power",
                  {-1, 3, 0, 0.5f},
                  {0.5f, -2, 0, 0.5f},
                  {0.01f, 2, 0.01f, 0.5f},
                  {0.5f, 0.01f, 0.01f, 0.5f}}};
    Place at[T];
    places_run(at, T);
    for (int kind = 0; kind < 2; kind++) {
        Scene scene;
        scene_make(&scene, cases[kind].specification, shape_of(H, H, T), T);
        memcpy(scene.pos->params[0], cases[kind].p, sizeof cases[kind].p);
        memcpy(scene.pos->params[1], cases[kind].a, sizeof cases[kind].a);
        mix_project(&scene.gpt.pos);
        assert_memory_equal(scene.pos->params[0], cases[kind].held_p, sizeof cases[kind].held_p);
        assert_memory_equal(scene.pos->params[1], cases[kind].held_a, sizeof cases[kind].held_a);
        tables_prepare(&scene.tables);
        for (int h = 0; h < H; h++) {
            const double p = (double)cases[kind].held_p[h], a = (double)cases[kind].held_a[h];
            real dS[T * T] = {0}, S[T * T] = {0};
            for (int distance = 0; distance < T; distance++)
                expect_near(cases[kind].specification, (size_t)distance, bias_at(&scene, h, distance),
                            kind ? -a * pow(distance, p) : -p * log(1 + a * distance), 1e-5);
            dS[2 * T] = 1; // of the pair 2 apart
            run_head(&scene, &(Square){T, at, S, dS}, h);
        }
        scene_layer_backward(&scene, 0);
        for (int h = 0; h < H; h++) {
            const double p = (double)cases[kind].held_p[h], a = (double)cases[kind].held_a[h], power = pow(2, p);
            expect_near("dp", (size_t)h, (double)scene.pos->dparams[0][h], kind ? -a * power * log(2) : -log(1 + 2 * a),
                        1e-5);
            expect_near("da", (size_t)h, (double)scene.pos->dparams[1][h], kind ? -power : -2 * p / (1 + 2 * a), 1e-5);
        }
        scene_free(&scene);
    }
}

// Take so many steps of the optimiser, with `direction` as the gradient of every score.
static void push(Scene *scene, real direction, int steps, long long *step) {
    enum { T = 5 };
    static const AdamW adamw = {.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8};
    Place at[T];
    real dS[T * T];
    places_run(at, T);
    for (int n = 0; n < T * T; n++) dS[n] = direction;
    while (steps-- > 0) {
        real S[T * T] = {0};
        tables_prepare(&scene->tables);
        run_head(scene, &(Square){T, at, S, dS}, 0);
        scene_layer_backward(scene, 0);
        adamw_step(&scene->gpt, &adamw, 0.05, 1, ++*step);
    }
}

static void kerple_comes_back_from_its_bounds(void **state) {
    static const char *const kinds[] = {"kerple", "kerple:kind=power"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        Scene scene;
        long long step = 0;
        scene_make(&scene, kinds[i], shape_of(1, 1, 5), 5);
        real *p = scene.pos->params[0], *a = scene.pos->params[1];
        push(&scene, -1, 200, &step); // higher scores are better: the curve gets as flat as it can be
        assert_true(*p == (real)0.01 && *a == (real)0.01);
        push(&scene, 1, 200, &step);
        if (!(*p > 0.5 && *a > 0.5)) fail_msg("%s: p %g, a %g", kinds[i], (double)*p, (double)*a);
        scene_free(&scene);
    }
}

static void distances_past_the_table_share_its_end(void **state) {
    Scene scene;
    scene_make(&scene, "table", shape_of(1, 1, 4), 10);
    for (int n = 0; n < 4; n++) scene.pos->params[0][n] = (real)(n + 1);
    tables_prepare(&scene.tables);
    for (int distance = 0; distance < 10; distance++)
        expect_near("table", (size_t)distance, bias_at(&scene, 0, distance), fmin(distance, 3) + 1, 0);
    scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alibi_slopes_are_the_authors),
        cmocka_unit_test(a_scale_multiplies_all_slopes),
        cmocka_unit_test(random_slopes_have_alibis_range),
        cmocka_unit_test(t5_buckets_are_hugging_face_s),
        cmocka_unit_test(kerple_is_the_authors),
        cmocka_unit_test(fire_is_the_authors),
        cmocka_unit_test(fire_starts_uniform),
        cmocka_unit_test(sandwich_is_the_product_of_codes),
        cmocka_unit_test(fire_is_its_formula),
        cmocka_unit_test(kerple_moves_its_parameters_into_range),
        cmocka_unit_test(kerple_comes_back_from_its_bounds),
        cmocka_unit_test(distances_past_the_table_share_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
