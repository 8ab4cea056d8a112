// What biases by distance share, by the formulas S_ij += curve(t_i - t_j) and dcurve(n) = sum of dS_ij with t_i - t_j =
// n: on two blocks of queries, two sequences and two layers, with coordinates that follow each other and with gaps.
#include "posenc/bias/bias.h"
#include "tests/support/scene.h"

enum { SPAN = 50, HEADS = 2, LAYERS = 2, SEQUENCES = 2, TOKENS = 8, STRIDE = 11 };

typedef struct {
    Scene scene;
    double dcurve[LAYERS * HEADS * SPAN]; // expected
} Curves;

static const Place spots[SEQUENCES][TOKENS] = {
    {{7, 0, 0}, {8, 0, 0}, {9, 0, 0}, {10, 0, 0}, {11, 0, 0}, {12, 0, 0}, {13, 0, 0}, {14, 0, 0}},
    {{0, 0, 0}, {3, 0, 0}, {4, 0, 0}, {9, 0, 0}, {20, 0, 0}, {21, 0, 0}, {22, 0, 0}, {49, 0, 0}}};

// Queries first .. columns-1 and keys 0 .. columns-1.
static void check_block(Curves *curves, int layer, int sequence, int head, int first, int columns) {
    const Tables *tables = &curves->scene.tables;
    const Position *pos = tables->pos;
    const Place *at = spots[sequence];
    const int rows = columns - first, start = (position_set(pos, layer) * HEADS + head) * SPAN;
    char name[32];
    snprintf(name, sizeof name, "%d %d %d %d", layer, sequence, head, first);
    real *S = random_reals(TOKENS * STRIDE, name, 1), *before = copy_reals(S, TOKENS * STRIDE);
    real *dS = random_reals(TOKENS * STRIDE, "dS", 1);
    const ScoreBlock block = {.S = S,
                              .stride = STRIDE,
                              .rows = rows,
                              .columns = columns,
                              .layer = layer,
                              .sequence = sequence,
                              .head = head,
                              .query_at = at + first,
                              .key_at = at};
    bias_family.score_forward(tables, &block);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < STRIDE; j++) {
            const size_t n = (size_t)i * STRIDE + j;
            const bool seen = j <= first + i;
            const int entry = start + (seen ? at[first + i].t - at[j].t : 0);
            expect_near("S", n, (double)S[n], (double)before[n] + (seen ? (double)pos->params[0][entry] : 0), 1e-5);
            if (!seen) dS[n] = 0;
            curves->dcurve[entry] += (double)dS[n];
        }
    bias_family.score_backward(tables, &block, &(ScoreGradient){.dS = dS});
    free(S), free(before), free(dS);
}

static void check_pass(Curves *curves) {
    for (int layer = LAYERS - 1; layer >= 0; layer--) {
        for (int sequence = 0; sequence < SEQUENCES; sequence++)
            for (int head = 0; head < HEADS; head++) {
                check_block(curves, layer, sequence, head, 0, 5);
                check_block(curves, layer, sequence, head, 5, TOKENS);
            }
        scene_layer_backward(&curves->scene, layer);
    }
}

// The table scheme's parameters are its curves.
static void check_curves(const char *specification, int sets) {
    Curves curves = {0};
    Shape shape = shape_of(HEADS, HEADS, SPAN);
    shape.layers = LAYERS;
    scene_make(&curves.scene, specification, shape, SPAN);
    const Position *pos = &curves.scene.gpt.pos.part[0];
    const int numbers = sets * HEADS * SPAN;
    assert_int_equal(pos->sets, sets);
    for (int n = 0; n < numbers; n++) pos->params[0][n] = (real)random_normal(6, (uint64_t)n);
    scene_layout(&curves.scene, SPAN, SEQUENCES);
    check_pass(&curves);
    check_pass(&curves); // adds to the first
    for (int n = 0; n < numbers; n++)
        expect_near(specification, (size_t)n, (double)pos->dparams[0][n], curves.dcurve[n], 2e-5);
    scene_free(&curves.scene);
}

static void shared_curves_at_any_coordinates(void **state) {
    check_curves("table:layers=shared", 1);
}

static void own_curves_at_any_coordinates(void **state) {
    check_curves("table:layers=own", LAYERS);
}

// FIRE's network starts as PyTorch's layers do: uniform, within 1/sqrt(inputs) of 0, in every set of parameters.
static void fire_starts_uniform(void **state) {
    enum { W = 16 };
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fire_starts_uniform),
        cmocka_unit_test(shared_curves_at_any_coordinates),
        cmocka_unit_test(own_curves_at_any_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
