// The fast rotation of whole queries and keys compared with RoPE's plain code for one pair, forward, backward and the
// torque; and the plain code compared with differences.
#include "posenc/rotation/rotate.h"
#include "tests/support/scene.h"

enum { T = 40, H = 2, D = 6, C = H * D, STRIDE = 3 * C, B = 2, ROWS = B * T, NUMBERS = ROWS * STRIDE };

static const char *const pairings[] = {"interleaved", "half"};

// --- whole tensors, one pair at a time ---
typedef enum { FORWARD, BACKWARD } Way;

// Where the two channels of a pair of a head stand in row r.
static void channels_of(size_t at[2], int r, int h, int pair, bool half) {
    const size_t head = (size_t)r * STRIDE + (size_t)h * D;
    at[0] = head + (size_t)(half ? pair : 2 * pair);
    at[1] = head + (size_t)(half ? pair + D / 2 : 2 * pair + 1);
}

static void expect_turned(const char *what, const real *turned, const real *before, bool half, Way way) {
    for (int r = 0; r < ROWS; r++)
        for (int h = 0; h < H; h++)
            for (int i = 0; i < D / 2; i++) {
                size_t at[2];
                channels_of(at, r, h, i, half);
                const double in[2] = {before[at[0]], before[at[1]]}, angle = r % T * rope_theta(100, i, D);
                double out[2];
                if (way == FORWARD)
                    rope_pair_forward(out, in, angle);
                else
                    rope_pair_backward(out, in, angle);
                for (int c = 0; c < 2; c++) expect_near(what, at[c], turned[at[c]], out[c], 1e-14);
            }
}

// dtheta (B, H, pairs) of queries or keys y.
static void add_torques(double *dtheta, const real *dy, const real *y, bool half) {
    for (int r = 0; r < ROWS; r++)
        for (int h = 0; h < H; h++)
            for (int i = 0; i < D / 2; i++) {
                size_t at[2];
                channels_of(at, r, h, i, half);
                const double dy_i[2] = {dy[at[0]], dy[at[1]]}, y_i[2] = {y[at[0]], y[at[1]]};
                dtheta[h * (D / 2) + i] += r % T * rope_pair_torque(dy_i, y_i);
            }
}

static void check(bool half) {
    char specification[64];
    Scene scene;
    Place at[ROWS];
    double expected[H * D / 2] = {0};
    snprintf(specification, sizeof specification, "rope:base=100,pairing=%s,gate=trained", pairings[half]);
    scene_make(&scene, specification, shape_of(H, C, T), T);
    scene_layout(&scene, T, B);
    for (int b = 0; b < B; b++) places_run(at + b * T, T);
    real *x = random_reals(NUMBERS, "x", 1), *dy = random_reals(NUMBERS, "dy", 1); // q, k and v beside each other
    real *y = copy_reals(x, NUMBERS), *dx = copy_reals(dy, NUMBERS);
    rotation_family.qk_forward(&scene.tables, 0, y, y + C, STRIDE, at, ROWS);
    rotation_family.qk_backward(&scene.tables, 0, dx, dx + C, y, y + C, STRIDE, at, ROWS);
    for (int part = 0; part < 2; part++) {
        const char *name = part ? "k" : "q";
        expect_turned(name, y + part * C, x + part * C, half, FORWARD);
        expect_turned(name, dx + part * C, dy + part * C, half, BACKWARD);
        add_torques(expected, dy + part * C, y + part * C, half);
    }
    for (int r = 0; r < ROWS; r++) {
        const size_t v = (size_t)r * STRIDE + 2 * C;
        assert_memory_equal(y + v, x + v, C * sizeof *x);
        assert_memory_equal(dx + v, dy + v, C * sizeof *x);
    }
    const real *dtheta = scene.tables.dtable[0]; // of all sequences
    for (int n = 0; n < H * D / 2; n++) expect_near("dtheta", (size_t)n, dtheta[n], expected[n], 1e-11);
    free(x), free(dy), free(y), free(dx);
    scene_free(&scene);
}

static void whole_tensors_turn_pair_by_pair(void **state) {
    check(false);
    check(true);
}

// --- one pair ---
//
// loss = dy . R(angle) x
static double loss(const double x[2], const double dy[2], double angle) {
    double y[2];
    rope_pair_forward(y, x, angle);
    return dy[0] * y[0] + dy[1] * y[1];
}

static void one_pair_has_the_gradient_of_its_loss(void **state) {
    const double x[2] = {0.7, -1.3}, dy[2] = {0.4, 0.9}, step = 1e-6;
    for (int n = 0; n < 20; n++) {
        const double angle = 0.7 * n - 5;
        double y[2], dx[2];
        rope_pair_forward(y, x, angle);
        rope_pair_backward(dx, dy, angle);
        expect_near("length", (size_t)n, hypot(dx[0], dx[1]), hypot(dy[0], dy[1]), 1e-15);
        for (int c = 0; c < 2; c++) {
            double more[2] = {x[0], x[1]}, less[2] = {x[0], x[1]};
            more[c] += step, less[c] -= step;
            expect_near("dx", (size_t)c, dx[c], (loss(more, dy, angle) - loss(less, dy, angle)) / (2 * step), 1e-9);
        }
        const double slope = (loss(x, dy, angle + step) - loss(x, dy, angle - step)) / (2 * step);
        expect_near("dangle", (size_t)n, rope_pair_torque(dy, y), slope, 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_tensors_turn_pair_by_pair),
        cmocka_unit_test(one_pair_has_the_gradient_of_its_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
