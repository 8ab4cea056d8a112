// Weights that are not a plain softmax of the scores: stick-breaking, and scores times s log n. Compared with other
// implementations' numbers and with the formulas, in double.
#include "model/ops/attention_more.h"
#include "tests/support/agreement.h"
#include "tests/support/scene.h"

#define EXACT 1e-12

// --- attention over some tokens, forward and backward ---
typedef struct {
    Scene scene;
    LayerCalls layer;
    MixTables tables;
    Place *at;
    Attention a;
    AttentionGradient g;
    real *scratch;
} Work;

// One sequence whose last `queries` tokens look at all of its T; K heads of keys. Numbers are random.
static void work_make(Work *w, const char *specification, int H, int K, int d, int T, int queries, real *scale) {
    const size_t C = (size_t)H * (size_t)d, Kd = (size_t)K * (size_t)d, rows = (size_t)H * (size_t)queries;
    *w = (Work){0};
    scene_make(&w->scene, specification, shape_of(H, (int)C, T), T);
    w->tables = scene_mix(&w->scene, &w->layer);
    w->at = calloc((size_t)T, sizeof *w->at);
    places_run(w->at, T);
    w->a = (Attention){.out = nan_reals(queries * C),
                       .lse = queries == T ? nan_reals(rows) : NULL,
                       .P = nan_reals(rows * (size_t)T),
                       .q = random_reals(queries * C, "q", 2),
                       .k = random_reals(T * Kd, "k", 2),
                       .v = random_reals(T * Kd, "v", 1),
                       .logit_scale = scale,
                       .query_at = w->at + T - queries,
                       .key_at = w->at,
                       .B = 1,
                       .H = H,
                       .K = K,
                       .d = d,
                       .queries = queries,
                       .keys = T,
                       .key_batch = T,
                       .q_stride = (int)C,
                       .kv_stride = (int)Kd};
    w->g = (AttentionGradient){.dq = nan_reals(queries * C),
                               .dk = nan_reals(T * Kd),
                               .dv = nan_reals(T * Kd),
                               .dfeatures = nan_reals(0),
                               .dout = random_reals(queries * C, "dout", 1),
                               .dlogit_scale = nan_reals(rows)};
    w->scratch = nan_reals(attention_scratch(&w->tables, T, d, queries == T));
}

static void work_free(Work *w) {
    const void *const all[] = {w->at,          w->a.out,  w->a.lse,          w->a.P,    w->a.q,
                               w->a.k,         w->a.v,    w->g.dq,           w->g.dk,   w->g.dv,
                               w->g.dfeatures, w->g.dout, w->g.dlogit_scale, w->scratch};
    for (size_t i = 0; i < COUNT(all); i++) free((void *)all[i]);
    scene_free(&w->scene);
}

static void attend(Work *w) {
    attention_forward(&w->a, &w->tables, w->scratch);
    if (w->a.lse) attention_backward(&w->g, &w->a, &w->tables, w->scratch);
}

// --- other implementations' numbers ---
enum { H = 2, T = 6, D = 4, C = H * D };

// [head][token][channel] -> (T, H*D)
static void read_heads(real *out, const json_t *heads) {
    real head[T * D];
    for (int h = 0; h < H; h++) {
        read_matrix(head, json_array_get(heads, (size_t)h), T, D);
        for (int t = 0; t < T; t++) memcpy(out + t * C + h * D, head + t * D, D * sizeof(real));
    }
}

static void expect_heads(const char *name, const real *found, const json_t *heads) {
    real expected[T * C];
    read_heads(expected, heads);
    expect_all_near(name, found, expected, T * C, EXACT);
}

static const json_t *member(const json_t *root, const char *group, const char *name) {
    const json_t *found = json_object_get(json_object_get(root, group), name);
    if (!found) fail_msg("no %s/%s", group, name);
    return found;
}

// Compare with everything in a golden file except the scores.
static json_t *expect_golden(Work *w, const char *name, const char *specification, real *scale) {
    json_t *root = golden(name);
    work_make(w, specification, H, H, D, T, T, scale);
    if (scale) read_numbers(scale, member(root, "in", "s"), H);
    read_heads((real *)w->a.q, member(root, "in", "q"));
    read_heads((real *)w->a.k, member(root, "in", "k"));
    read_heads((real *)w->a.v, member(root, "in", "v"));
    read_heads((real *)w->g.dout, member(root, "in", "dout"));
    attend(w);
    for (int h = 0; h < H; h++) {
        real P[T * T];
        read_matrix(P, json_array_get(member(root, "out", "P"), (size_t)h), T, T);
        for (int i = 0; i < T; i++) expect_all_near("P", w->a.P + (h * T + i) * T, P + i * T, (size_t)i + 1, EXACT);
    }
    expect_heads("out", w->a.out, member(root, "out", "out"));
    expect_heads("dq", w->g.dq, member(root, "grad", "dq"));
    expect_heads("dk", w->g.dk, member(root, "grad", "dk"));
    expect_heads("dv", w->g.dv, member(root, "grad", "dv"));
    return root;
}

static void read_scores(real S[T * T], const json_t *root, int h) {
    read_matrix(S, json_array_get(member(root, "out", "S"), (size_t)h), T, T);
}

static void golden_stick_breaking(void **state) {
    Work w;
    json_t *root = expect_golden(&w, "stick_breaking", "stick-breaking:own=yes", NULL);
    for (int h = 0; h < H; h++) {
        real S[T * T];
        read_scores(S, root, h);
        for (int i = 0; i < T; i++) {
            w.layer.weights->logs(S + i * T, i + 1);
            for (int j = 0; j <= i; j++)
                expect_near("log P", (size_t)(i * T + j), S[i * T + j], log(w.a.P[(h * T + i) * T + j]), EXACT);
        }
    }
    json_decref(root);
    work_free(&w);
}

static void golden_ssmax(void **state) {
    Work w;
    real scale[H];
    json_t *root = expect_golden(&w, "ssmax", "none", scale);
    for (int h = 0; h < H; h++) {
        real S[T * T];
        double ds = 0;
        read_scores(S, root, h);
        for (int i = 0; i < T; i++) {
            ds += w.g.dlogit_scale[h * T + i];
            for (int j = 0; j <= i; j++)
                expect_near("S", (size_t)(i * T + j), log(w.a.P[(h * T + i) * T + j]) + w.a.lse[h * T + i],
                            S[i * T + j], EXACT);
        }
        expect_near("ds", (size_t)h, ds, number_at(member(root, "grad", "ds"), (size_t)h), EXACT);
    }
    json_decref(root);
    work_free(&w);
}

// --- the formulas, in several blocks of queries ---
enum { MANY = QUERY_BLOCK + 30 };

// The weight of key j for query i of a head, from scores without positions; `own` = -1: a softmax.
static double formula(const Work *w, int own, int h, int i, int j) {
    const Attention *a = &w->a;
    const int at = a->keys - a->queries + i, n = a->window && a->window <= at ? a->window : at + 1, first = at + 1 - n;
    double weight = 0, sum = 0;
    if (j < first || (own >= 0 && j > at - !own)) return 0;
    for (int key = own < 0 ? first : j; key <= at; key++) {
        double S = 0;
        for (int c = 0; c < a->d; c++)
            S += a->q[i * a->q_stride + h * a->d + c] * a->k[key * a->kv_stride + h / (a->H / a->K) * a->d + c];
        S *= (a->logit_scale ? a->logit_scale[h] * log(n) : 1) / sqrt(a->d);
        if (own < 0) {
            sum += exp(S);
            weight = key == j ? exp(S) : weight;
        } else if (key == j)
            weight = 1 / (1 + exp(-S));
        else if (key <= at - !own)
            weight *= 1 - 1 / (1 + exp(-S));
    }
    return own < 0 ? weight / sum : weight;
}

static void expect_formula(const char *specification, int own, int queries, int window, real *scale) {
    Work w;
    work_make(&w, specification, 4, 2, 3, MANY, queries, scale);
    w.a.window = window;
    attend(&w);
    for (int h = 0; h < 4; h++)
        for (int i = 0; i < queries; i++) {
            double out = 0;
            for (int j = 0; j <= MANY - queries + i; j++) {
                const double P = formula(&w, own, h, i, j);
                expect_near(specification, (size_t)j, w.a.P[(h * queries + i) * MANY + j], P, EXACT);
                out += P * w.a.v[j * 6 + h / 2 * 3];
            }
            expect_near(specification, (size_t)i, w.a.out[i * 12 + h * 3], out, 10 * EXACT);
        }
    work_free(&w);
}

static void weights_are_the_formula(void **state) {
    static const int queries[] = {MANY, 1, 5}, windows[] = {0, 1, 2, 40};
    real scale[] = {0.2, 1, -0.5, 3};
    for (size_t q = 0; q < COUNT(queries); q++)
        for (size_t n = 0; n < COUNT(windows); n++) {
            expect_formula("none", -1, queries[q], windows[n], scale);
            expect_formula("stick-breaking", 0, queries[q], windows[n], NULL);
            expect_formula("stick-breaking:own=yes", 1, queries[q], windows[n], NULL);
            expect_formula("stick-breaking", 0, queries[q], windows[n], scale);
        }
}

// When weights are not wanted, very many keys are processed in tiles: for blocks of queries, and for a few queries.
// Every other case is without the model's scales.
static void tiles_are_blocks(void **state) {
    static const struct {
        int keys, queries, window;
    } cases[] = {{4500, 300, 0}, {4500, 300, 4200}, {1500, 530, 1030}, {1200, 1200, 0}, {1100, 20, 0}, {1100, 1, 0}};
    real scale[] = {0.3};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Work w;
        work_make(&w, "none", 1, 1, 2, cases[i].keys, cases[i].queries, i % 2 ? NULL : scale);
        w.a.window = cases[i].window;
        attend(&w);
        const size_t count = (size_t)cases[i].queries * 2;
        real *blocks = copy_reals(w.a.out, count), *P = w.a.P;
        w.a.P = NULL;
        attend(&w);
        w.a.P = P;
        expect_all_near("in tiles", w.a.out, blocks, count, EXACT);
        free(blocks);
        work_free(&w);
    }
}

// A query that is fed later also counts the cached keys.
static void decoding_agrees_with_training(void **state) {
    static const char *const some[] = {"rope", "path", "stick-breaking:own=yes", "alibi+stick-breaking"};
    Shape shape = agreement_shape;
    shape.scale_logits = SCALE_LOGITS_LOG;
    for (int windows = 0; windows <= 1; windows++) {
        if (windows) shape.windows = (Windows){2, {20, 0}};
        for (size_t i = 0; i < COUNT(some); i++) scheme_agrees(some[i], &shape, 1e-11);
    }
}

// --- one row ---
//
// Scores of any size give weights that are finite, not negative and sum to at most 1, and finite gradients.
static void extreme_scores(void **state) {
    const WeightsOp *op = scheme_stick_breaking.weights(&(Position){.scheme = &scheme_stick_breaking});
    static const double sizes[] = {1e-3, 1, 30, 90, 1000, 1e30};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        enum { N = 200 };
        real *S = random_reals(N, "S", sizes[s]), *dP = random_reals(N, "dP", 1);
        double sum = 0;
        S[3] = -INFINITY;
        op->backward(S, dP, N);
        for (int j = 0; j < N; j++) {
            if (!(S[j] >= 0 && isfinite(dP[j]))) fail_msg("size %g: weight %g, gradient %g", sizes[s], S[j], dP[j]);
            sum += S[j];
        }
        if (!(sum <= 1 + EXACT)) fail_msg("size %g: the weights are %g in all", sizes[s], sum);
        assert_true(S[3] == 0 && dP[3] == 0);
        S[N - 2] = NAN;
        op->forward(S, N);
        assert_true(isnan(S[N - 2]));
        free(S);
        free(dP);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_stick_breaking),         cmocka_unit_test(golden_ssmax),
        cmocka_unit_test(weights_are_the_formula),       cmocka_unit_test(tiles_are_blocks),
        cmocka_unit_test(decoding_agrees_with_training), cmocka_unit_test(extreme_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
