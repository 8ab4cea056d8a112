// The operations of Llama's block compared with their formulas, and each gradient with central differences.
#include "tests/model/ops/operations.h"

enum { ROWS = 7, WIDE = 70 }; // more than one slice of channels, and not a whole number of them

// --- rmsnorm ---
static double rmsnorm_loss(void *op) {
    const Norm *l = op;
    norm_forward(l->out, l->mean, l->rstd, l->x, l->weight, NULL, ROWS, WIDE);
    return weighted(l->out, l->dout, ROWS * WIDE);
}

static void rmsnorm_values(void **state) {
    Norm l = norm_make(ROWS, WIDE);
    rmsnorm_loss(&l);
    for (int r = 0; r < ROWS; r++) {
        double squares = 0;
        for (int c = 0; c < WIDE; c++) squares += pow(l.x[r * WIDE + c], 2) / WIDE;
        expect_near("rstd", (size_t)r, l.rstd[r], 1 / sqrt(squares + 1e-5), EXACT);
        for (int c = 0; c < WIDE; c++)
            expect_near("out", (size_t)r * WIDE + c, l.out[r * WIDE + c],
                        l.x[r * WIDE + c] / sqrt(squares + 1e-5) * l.weight[c], EXACT);
    }
    real *again = nan_reals(ROWS * WIDE);
    norm_again(again, l.x, l.mean, l.rstd, l.weight, NULL, ROWS, WIDE);
    expect_all_near("again", again, l.out, ROWS * WIDE, 0);
    free(again);
    norm_free(&l);
}

static void rmsnorm_gradients(void **state) {
    Norm l = norm_make(ROWS, WIDE);
    rmsnorm_loss(&l);
    real *start = random_reals(ROWS * WIDE, "start", 1);
    real *dx = copy_reals(start, ROWS * WIDE), *dweight = copy_reals(start, WIDE);
    norm_backward(dx, l.dout, l.x, l.weight, NULL, l.mean, l.rstd, ROWS, WIDE);
    norm_backward_weights(dweight, NULL, l.dout, l.x, l.mean, l.rstd, ROWS, WIDE);
    take_start(dx, start, ROWS * WIDE);
    take_start(dweight, start, WIDE);
    expect_gradient("dx", dx, l.x, ROWS * WIDE, rmsnorm_loss, &l, DIFFER);
    expect_gradient("dweight", dweight, l.weight, WIDE, rmsnorm_loss, &l, DIFFER);
    free(start);
    free(dx);
    free(dweight);
    norm_free(&l);
}

static void rmsnorm_of_zeros(void **state) {
    real x[3] = {0}, weight[3] = {1, 2, 3}, out[3], mean, rstd, dx[3] = {0};
    const real dout[3] = {1, 1, 1};
    norm_forward(out, &mean, &rstd, x, weight, NULL, 1, 3);
    norm_backward(dx, dout, x, weight, NULL, &mean, &rstd, 1, 3);
    for (size_t c = 0; c < 3; c++) {
        expect_near("out", c, out[c], 0, 0);
        expect_near("dx", c, dx[c], weight[c] / sqrt(1e-5), 1e-9);
    }
}

// --- swiglu ---
typedef struct {
    real *in, *out, *dout; // (ROWS, 2 WIDE), (ROWS, WIDE)
} Swiglu;

static double swiglu_loss(void *op) {
    const Swiglu *s = op;
    swiglu_forward(s->out, s->in, ROWS, WIDE);
    return weighted(s->out, s->dout, ROWS * WIDE);
}

static void swiglu(void **state) {
    const size_t inputs = (size_t)2 * ROWS * WIDE, outputs = (size_t)ROWS * WIDE;
    Swiglu s = {random_reals(inputs, "in", 2), nan_reals(outputs), random_reals(outputs, "dout", 1)};
    swiglu_loss(&s);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < WIDE; c++) {
            const double gate = s.in[r * 2 * WIDE + c], up = s.in[r * 2 * WIDE + WIDE + c];
            expect_near("out", (size_t)r * WIDE + c, s.out[r * WIDE + c], gate / (1 + exp(-gate)) * up, EXACT);
        }
    real *out = copy_reals(s.out, outputs), *din = copy_reals(s.in, inputs), *again = copy_reals(s.dout, outputs);
    swiglu_backward(din, again, ROWS, WIDE);
    expect_all_near("again", again, out, outputs, EXACT);
    expect_gradient("din", din, s.in, inputs, swiglu_loss, &s, DIFFER);
    real *const all[] = {s.in, s.out, s.dout, out, din, again};
    for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
}

static void swiglu_far_out(void **state) {
    for (int sign = -1; sign <= 1; sign += 2) {
        real in[2] = {(real)(sign * 1000), 3}, out = NAN, dout = 2;
        swiglu_forward(&out, in, 1, 1);
        expect_near("out", 0, out, sign > 0 ? 3000 : 0, EXACT);
        swiglu_backward(in, &dout, 1, 1);
        expect_near("dgate", 0, in[0], sign > 0 ? 6 : 0, EXACT);
        expect_near("dup", 0, in[1], sign > 0 ? 2000 : 0, EXACT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rmsnorm_values), cmocka_unit_test(rmsnorm_gradients), cmocka_unit_test(rmsnorm_of_zeros),
        cmocka_unit_test(swiglu),         cmocka_unit_test(swiglu_far_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
