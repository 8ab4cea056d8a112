// Each operation compared with its formula, and each gradient with central differences; attention has a file of its
// own.
#include "tests/model/ops/operations.h"

enum { ROWS = 7, NARROW = 5, WIDE = 70 }; // WIDE: more than one slice of channels, and not a whole number of them

// --- tokens ---
static const int ids[ROWS] = {3, 0, 3, 3, 1, 0, 5}; // 2 and 4 are never read
enum { VOCAB = 6 };

static void tokens(void **state) {
    real *wte = random_reals(VOCAB * WIDE, "wte", 1), *x = nan_reals(ROWS * WIDE);
    tokens_forward(x, ids, wte, ROWS, WIDE);
    for (int r = 0; r < ROWS; r++) expect_all_near("x", x + r * WIDE, wte + ids[r] * WIDE, WIDE, 0);

    real *dx = random_reals(ROWS * WIDE, "dx", 1), *start = random_reals(VOCAB * WIDE, "start", 1);
    real *dwte = copy_reals(start, VOCAB * WIDE);
    tokens_backward(dwte, dx, ids, ROWS, WIDE);
    for (int v = 0; v < VOCAB; v++)
        for (int c = 0; c < WIDE; c++) {
            double expected = start[v * WIDE + c];
            for (int r = 0; r < ROWS; r++) expected += ids[r] == v ? dx[r * WIDE + c] : 0;
            expect_near("dwte", (size_t)v * WIDE + c, dwte[v * WIDE + c], expected, EXACT);
        }
    free(wte);
    free(x);
    free(dx);
    free(start);
    free(dwte);
}

// --- layernorm ---
static double layernorm_loss(void *op) {
    const Norm *l = op;
    norm_forward(l->out, l->mean, l->rstd, l->x, l->weight, l->bias, ROWS, WIDE);
    return weighted(l->out, l->dout, ROWS * WIDE);
}

static Norm layernorm_make(void) {
    Norm l = norm_make(ROWS, WIDE);
    for (int n = 0; n < ROWS * WIDE; n++) l.x[n] += 3; // a mean that matters
    return l;
}

static void layernorm_values(void **state) {
    Norm l = layernorm_make();
    layernorm_loss(&l);
    for (int r = 0; r < ROWS; r++) {
        double mean = 0, variance = 0;
        for (int c = 0; c < WIDE; c++) mean += l.x[r * WIDE + c] / WIDE;
        for (int c = 0; c < WIDE; c++) variance += pow(l.x[r * WIDE + c] - mean, 2) / WIDE;
        expect_near("mean", (size_t)r, l.mean[r], mean, EXACT);
        expect_near("rstd", (size_t)r, l.rstd[r], 1 / sqrt(variance + 1e-5), EXACT);
        for (int c = 0; c < WIDE; c++) {
            const double norm = (l.x[r * WIDE + c] - mean) / sqrt(variance + 1e-5);
            expect_near("out", (size_t)r * WIDE + c, l.out[r * WIDE + c], norm * l.weight[c] + l.bias[c], EXACT);
        }
    }
    real *again = nan_reals(ROWS * WIDE);
    norm_again(again, l.x, l.mean, l.rstd, l.weight, l.bias, ROWS, WIDE);
    expect_all_near("again", again, l.out, ROWS * WIDE, 0);
    free(again);
    norm_free(&l);
}

// Rows of equal numbers have standard deviation 0; only epsilon keeps the result finite.
static void layernorm_of_a_flat_row(void **state) {
    real x[4] = {5, 5, 5, 5}, weight[4] = {1, 2, 3, 4}, bias[4] = {1, 0, -1, 2}, out[4], mean, rstd;
    norm_forward(out, &mean, &rstd, x, weight, bias, 1, 4);
    expect_all_near("out", out, bias, 4, EXACT);
    expect_near("rstd", 0, rstd, 1 / sqrt(1e-5), 1e-9);
}

static void layernorm_gradients(void **state) {
    Norm l = layernorm_make();
    layernorm_loss(&l);
    real *start = random_reals(ROWS * WIDE, "start", 1);
    real *dx = copy_reals(start, ROWS * WIDE), *dweight = copy_reals(start, WIDE), *dbias = copy_reals(start, WIDE);
    norm_backward(dx, l.dout, l.x, l.weight, l.bias, l.mean, l.rstd, ROWS, WIDE);
    norm_backward_weights(dweight, dbias, l.dout, l.x, l.mean, l.rstd, ROWS, WIDE);
    take_start(dx, start, ROWS * WIDE);
    take_start(dweight, start, WIDE);
    take_start(dbias, start, WIDE);
    expect_gradient("dx", dx, l.x, ROWS * WIDE, layernorm_loss, &l, DIFFER);
    expect_gradient("dweight", dweight, l.weight, WIDE, layernorm_loss, &l, DIFFER);
    expect_gradient("dbias", dbias, l.bias, WIDE, layernorm_loss, &l, DIFFER);
    free(start);
    free(dx);
    free(dweight);
    free(dbias);
    norm_free(&l);
}

// --- linear ---
typedef struct {
    real *x, *weight, *bias, *out, *dout;
    int C, O;
} Linear;

static double linear_loss(void *op) {
    const Linear *l = op;
    linear_forward(l->out, l->x, l->weight, l->bias, ROWS, l->C, l->O);
    return weighted(l->out, l->dout, (size_t)ROWS * l->O);
}

static void check_linear(int C, int O) {
    Linear l = {.C = C, .O = O};
    const size_t inputs = (size_t)ROWS * C, outputs = (size_t)ROWS * O, weights = (size_t)O * C;
    l.x = random_reals(inputs, "x", 1);
    l.weight = random_reals(weights, "weight", 1);
    l.bias = random_reals((size_t)O, "bias", 1);
    l.out = nan_reals(outputs);
    l.dout = random_reals(outputs, "dout", 1);
    linear_loss(&l);
    for (int r = 0; r < ROWS; r++)
        for (int o = 0; o < O; o++) {
            double sum = l.bias[o];
            for (int c = 0; c < C; c++) sum += l.x[r * C + c] * l.weight[o * C + c];
            expect_near("out", (size_t)r * O + o, l.out[r * O + o], sum, EXACT);
        }
    real *start = random_reals(weights, "start", 1);
    real *dx = nan_reals(inputs), *dweight = copy_reals(start, weights), *dbias = copy_reals(start, (size_t)O);
    linear_backward(dx, l.dout, l.weight, ROWS, C, O);
    linear_backward_weights(dweight, dbias, l.dout, l.x, ROWS, C, O);
    take_start(dweight, start, weights);
    take_start(dbias, start, (size_t)O);
    expect_gradient("dx", dx, l.x, inputs, linear_loss, &l, DIFFER);
    expect_gradient("dweight", dweight, l.weight, weights, linear_loss, &l, DIFFER);
    expect_gradient("dbias", dbias, l.bias, (size_t)O, linear_loss, &l, DIFFER);
    real *const all[] = {l.x, l.weight, l.bias, l.out, l.dout, start, dx, dweight, dbias};
    for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
}

static void linear(void **state) {
    check_linear(NARROW, WIDE);
    check_linear(WIDE, NARROW);
}

// --- gelu ---
static double gelu(double x) {
    return x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x))) / 2;
}

typedef struct {
    real *x, *out, *dout;
    size_t count;
} Gelu;

static double gelu_loss(void *op) {
    const Gelu *g = op;
    real *overwritten = copy_reals(g->x, g->count);
    gelu_forward(g->out, overwritten, (int)g->count, 1);
    free(overwritten);
    return weighted(g->out, g->dout, g->count);
}

static void gelu_and_its_slope(void **state) {
    enum { N = 1000 };
    Gelu g = {random_reals(N, "x", 2), nan_reals(N), random_reals(N, "dout", 1), N};
    gelu_loss(&g);
    for (int n = 0; n < N; n++) expect_near("out", (size_t)n, g.out[n], gelu(g.x[n]), EXACT);
    real *slope = copy_reals(g.x, N), *dx = copy_reals(g.dout, N);
    gelu_forward(g.out, slope, N, 1);
    gelu_backward(dx, slope, N, 1);
    expect_gradient("dx", dx, g.x, N, gelu_loss, &g, DIFFER);
    real *const all[] = {g.x, g.out, g.dout, slope, dx};
    for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
}

static void gelu_far_out(void **state) {
    const real expected[] = {0, 0, 0, 40, 1000}, slopes[] = {0, 0, 0.5, 1, 1};
    real x[] = {-1000, -40, 0, 40, 1000}, out[5];
    gelu_forward(out, x, 5, 1);
    expect_all_near("out", out, expected, 5, EXACT);
    expect_all_near("slope", x, slopes, 5, EXACT);
}

// --- residual and dropout ---
enum { MANY = 20000 };

static void rate_0_keeps_all(void **state) {
    const Dropout none = {0, 5};
    real *x = random_reals(MANY, "x", 1), *y = random_reals(MANY, "y", 1), *out = nan_reals(MANY);
    residual_forward(out, x, y, &none, MANY, 1);
    for (int n = 0; n < MANY; n++) expect_near("out", (size_t)n, out[n], x[n] + y[n], 0);
    real *dy = nan_reals(MANY), *applied = copy_reals(x, MANY);
    expect_all_near("dy", residual_backward(dy, x, &none, MANY, 1), x, MANY, 0);
    dropout_apply(applied, &none, MANY, 1);
    expect_all_near("applied", applied, x, MANY, 0);
    free(dy);
    free(applied);
    free(x);
    free(y);
    free(out);
}

// The same elements are dropped everywhere, in the stated share, whatever the order in which they are asked for.
static void the_same_elements_are_dropped(void **state) {
    const Dropout drop = {0.3, random_key(1, "site")}, other = {0.3, random_key(2, "site")};
    real *x = random_reals(MANY, "x", 1), *y = random_reals(MANY, "y", 1), *applied = copy_reals(y, MANY);
    real *out = nan_reals(MANY), *dy = nan_reals(MANY);
    residual_forward(out, x, y, &drop, MANY, 1);
    assert_ptr_equal(residual_backward(dy, x, &drop, MANY, 1), dy);
    dropout_apply(applied, &drop, MANY, 1);
    int kept = 0, same = 0;
    for (size_t n = 0; n < MANY; n++) {
        const double factor = random_uniform(drop.key, n) < 0.3 ? 0 : 1 / 0.7;
        expect_near("factor", n, dropout_factor(&drop, n), factor, EXACT);
        expect_near("out", n, out[n], x[n] + factor * y[n], EXACT);
        expect_near("dy", n, dy[n], factor * x[n], EXACT);
        expect_near("applied", n, applied[n], factor * y[n], EXACT);
        kept += factor > 0;
        same += dropout_factor(&drop, n) == dropout_factor(&other, n);
    }
    expect_near("kept", 0, kept, 0.7 * MANY, 4 * sqrt(0.21 * MANY)); // four standard deviations
    expect_near("kept or dropped by both keys", 0, same, 0.58 * MANY, 4 * sqrt(0.2436 * MANY));
    real *const all[] = {x, y, applied, out, dy};
    for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
}

// --- loss ---
enum { TOKENS = 2 * LOSS_BLOCK - 40, CLASSES = 9, CHANNELS = 3 }; // two blocks, the second not full

typedef struct {
    real *x, *wte, *dnll, *scratch;
    int targets[TOKENS];
    double nll[TOKENS];
} Loss;

static Loss *loss_make(double scale) {
    Loss *l = calloc(1, sizeof *l);
    l->x = random_reals(TOKENS * CHANNELS, "x", scale);
    l->wte = random_reals(CLASSES * CHANNELS, "wte", 1);
    l->dnll = random_reals(TOKENS, "dnll", 1);
    l->scratch = nan_reals(loss_scratch(CLASSES));
    Random random = {random_key(7, "targets"), 0};
    for (int r = 0; r < TOKENS; r++) l->targets[r] = random_below(&random, CLASSES);
    l->dnll[3] = l->dnll[TOKENS - 1] = 0; // tokens that do not count
    return l;
}

static void loss_free(Loss *l) {
    free(l->x);
    free(l->wte);
    free(l->dnll);
    free(l->scratch);
    free(l);
}

static double loss_total(void *op) {
    Loss *l = op;
    loss_forward(l->nll, l->x, l->wte, l->targets, l->scratch, TOKENS, CHANNELS, CLASSES);
    double sum = 0;
    for (int r = 0; r < TOKENS; r++) sum += l->dnll[r] * l->nll[r];
    return sum;
}

// Scale 1, and 1000, where exp of a logit alone would overflow.
static void loss_values(void **state) {
    for (double scale = 1; scale <= 1000; scale *= 1000) {
        Loss *l = loss_make(scale);
        real *logits = nan_reals(TOKENS * CLASSES);
        logits_forward(logits, l->x, l->wte, TOKENS, CHANNELS, CLASSES);
        loss_total(l);
        for (int r = 0; r < TOKENS; r++) {
            double z[CLASSES], largest = -INFINITY, sum = 0;
            for (int v = 0; v < CLASSES; v++) {
                z[v] = 0;
                for (int c = 0; c < CHANNELS; c++) z[v] += l->x[r * CHANNELS + c] * l->wte[v * CHANNELS + c];
                expect_near("logits", (size_t)r * CLASSES + v, logits[r * CLASSES + v], z[v], scale * EXACT);
                largest = fmax(largest, z[v]);
            }
            for (int v = 0; v < CLASSES; v++) sum += exp(z[v] - largest);
            expect_near("nll", (size_t)r, l->nll[r], log(sum) + largest - z[l->targets[r]], scale * EXACT);
        }
        free(logits);
        loss_free(l);
    }
}

static void loss_gradients(void **state) {
    Loss *l = loss_make(1);
    double nll[TOKENS];
    real *dx = nan_reals(TOKENS * CHANNELS), *start = random_reals(CLASSES * CHANNELS, "start", 1);
    real *dwte = copy_reals(start, CLASSES * CHANNELS);
    loss_forward_backward(nll, dx, dwte, l->dnll, l->x, l->wte, l->targets, l->scratch, TOKENS, CHANNELS, CLASSES);
    loss_total(l);
    for (size_t r = 0; r < TOKENS; r++) expect_near("nll", r, nll[r], l->nll[r], 0);
    for (int c = 0; c < CHANNELS; c++) expect_near("dx of a token without weight", c, dx[3 * CHANNELS + c], 0, 0);
    take_start(dwte, start, CLASSES * CHANNELS);
    expect_gradient("dx", dx, l->x, TOKENS * CHANNELS, loss_total, l, DIFFER);
    expect_gradient("dwte", dwte, l->wte, CLASSES * CHANNELS, loss_total, l, DIFFER);
    free(dx);
    free(start);
    free(dwte);
    loss_free(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens),
        cmocka_unit_test(layernorm_values),
        cmocka_unit_test(layernorm_of_a_flat_row),
        cmocka_unit_test(layernorm_gradients),
        cmocka_unit_test(linear),
        cmocka_unit_test(gelu_and_its_slope),
        cmocka_unit_test(gelu_far_out),
        cmocka_unit_test(rate_0_keeps_all),
        cmocka_unit_test(the_same_elements_are_dropped),
        cmocka_unit_test(loss_values),
        cmocka_unit_test(loss_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
