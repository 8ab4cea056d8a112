// Attention in blocks of queries compared with the whole T x T softmax, under schemes whose scores use all fields of a
// block.
#include "model/ops/attention.h"
#include "model/ops/ops.h"
#include "tests/model/probe.h"
#include "tests/support/support.h"

#include <omp.h>

#define EXACT 1e-12

enum { HEADS = PROBE_HEADS, WIDTH = PROBE_WIDTH, CHANNELS = HEADS * WIDTH, LAYER = 4 };

// --- a problem, and its solution by the formula ---
typedef struct {
    Attention shape;
    Mix pos;
    MixTables tables;
    LayerCalls layers[LAYER + 1];
    Place *query_at, *key_at;
    real *q, *k, *v, *features, *out, *lse, *dout, *scratch; // q, k and v as their strides say
    size_t q_count, kv_count, feature_count, out_count, rows;
    double *P, *dS;                           // (B, H, queries, keys) weights before dropout, gradients of the scores
    real *dq, *dk, *dv, *dfeatures, *dS_seen; // by attention_backward
} Problem;

static real *q_of(real *q, const Attention *s, int b, int h, int i) {
    return q + ((size_t)b * s->queries + i) * s->q_stride + (size_t)h * s->d;
}

// The key or value of the head's group.
static real *kv_of(real *kv, const Attention *s, int b, int h, int j) {
    return kv + ((size_t)b * s->key_batch + j) * s->kv_stride + (size_t)(s->K == 1 ? 0 : h) * s->d;
}

static size_t row_of(const Attention *s, int b, int h, int i) {
    return ((size_t)b * s->H + h) * s->queries + i;
}

static real *out_of(real *out, const Attention *s, int b, int h, int i) {
    return out + ((size_t)b * s->queries + i) * CHANNELS + (size_t)h * s->d;
}

static double dot(const real *a, const real *b, int count) {
    double sum = 0;
    for (int c = 0; c < count; c++) sum += a[c] * b[c];
    return sum;
}

// The factor that dropout leaves for weight (b, h, i, j), numbered in that order.
static double kept(const Attention *s, int b, int h, int i, int j) {
    return dropout_factor(&s->dropout, row_of(s, b, h, i) * s->keys + (size_t)j);
}

static real *feature_of(real *features, const Attention *s, int b, int h, int j) {
    return features + ((size_t)b * s->key_batch + j) * HEADS + h;
}

static double qk_product(Problem *a, int b, int h, int i, int j) {
    const Attention *s = &a->shape;
    return dot(q_of(a->q, s, b, h, i), kv_of(a->k, s, b, h, j), s->d) / sqrt(s->d);
}

static double score(Problem *a, int b, int h, int i, int j) {
    const Attention *s = &a->shape;
    const double U = qk_product(a, b, h, i, j);
    return U + sin(U) / 2 + *q_of(a->q, s, b, h, i) * *feature_of(a->features, s, b, h, j) +
           probe(s->layer, b, h, &a->query_at[b * s->queries + i], &a->key_at[b * s->key_batch + j]);
}

// The first key that query i sees.
static int first_seen(const Attention *s, int i) {
    const int seen = s->keys - s->queries + i + 1;
    return s->window && seen > s->window ? seen - s->window : 0;
}

// One row of the softmax; checks out and lse.
static void expect_row(Problem *a, int b, int h, int i) {
    const Attention *s = &a->shape;
    const size_t row = row_of(s, b, h, i);
    const int seen = s->keys - s->queries + i + 1, first = first_seen(s, i);
    double *P = a->P + row * s->keys, sum = 0;
    for (int j = 0; j < s->keys; j++) P[j] = j >= first && j < seen ? exp(score(a, b, h, i, j)) : 0;
    for (int j = 0; j < seen; j++) sum += P[j];
    for (int j = 0; j < seen; j++) P[j] /= sum;
    if (a->lse) expect_near("lse", row, a->lse[row], log(sum), EXACT);
    for (int c = 0; c < s->d; c++) {
        double expected = 0;
        for (int j = 0; j < seen; j++) expected += P[j] * kept(s, b, h, i, j) * kv_of(a->v, s, b, h, j)[c];
        expect_near("out", row * s->d + c, out_of(a->out, s, b, h, i)[c], expected, EXACT);
    }
}

static void each_row(Problem *a, void (*visit)(Problem *a, int b, int h, int i)) {
    for (int b = 0; b < a->shape.B; b++)
        for (int h = 0; h < a->shape.H; h++)
            for (int i = 0; i < a->shape.queries; i++) visit(a, b, h, i);
}

static double forward(void *op) {
    Problem *a = op;
    attention_forward(&a->shape, &a->tables, a->scratch);
    return dot(a->out, a->dout, (int)a->out_count);
}

// Adds to dfeatures, overwrites everything else.
static void backward(Problem *a) {
    memset(a->dfeatures, 0, a->feature_count * sizeof(real));
    const AttentionGradient grad = {a->dq, a->dk, a->dv, a->dfeatures, a->dout, NULL};
    attention_backward(&grad, &a->shape, &a->tables, a->scratch);
}

// Sequence b starts at 50b, and counts in steps of b + 1; lines and columns have patterns of their own. The queries
// belong to the last keys.
static void places_make(Problem *a) {
    const Attention *s = &a->shape;
    for (int b = 0; b < s->B; b++) {
        for (int j = 0; j < s->key_batch; j++)
            a->key_at[b * s->key_batch + j] = (Place){50 * b + (b + 1) * j, j * j % 11, (j + b) / 7, j / 3 % 5, j / 9};
        for (int i = 0; i < s->queries; i++)
            a->query_at[b * s->queries + i] = a->key_at[b * s->key_batch + s->keys - s->queries + i];
    }
}

// Training: q, k and v side by side in rows of 3C. Otherwise a cache of keys, values, features and coordinates with
// room for more.
static Problem *make_shared(const Scheme *scheme, int B, int queries, int keys, int K, double dropout, bool training) {
    Problem *a = calloc(1, sizeof *a);
    const int q_stride = 3 * CHANNELS, kv_stride = training ? 3 * CHANNELS : 2 * CHANNELS;
    const int key_batch = training ? keys : keys + 5;
    a->rows = (size_t)B * HEADS * queries;
    a->q_count = (size_t)B * queries * q_stride;
    a->kv_count = (size_t)B * key_batch * kv_stride;
    a->feature_count = (size_t)B * key_batch * HEADS;
    a->out_count = (size_t)B * queries * CHANNELS;
    a->query_at = malloc((size_t)B * queries * sizeof(Place));
    a->key_at = malloc((size_t)B * key_batch * sizeof(Place));
    a->features = random_reals(a->feature_count, "features", 1);
    a->shape = (Attention){.B = B,
                           .H = HEADS,
                           .K = K,
                           .d = WIDTH,
                           .queries = queries,
                           .keys = keys,
                           .q_stride = q_stride,
                           .kv_stride = kv_stride,
                           .layer = LAYER,
                           .query_at = a->query_at,
                           .key_at = a->key_at,
                           .features = a->features,
                           .key_batch = key_batch,
                           .dropout = {dropout, random_key(3, "dropout")}};
    places_make(a);
    a->pos = (Mix){.shape = {.heads = HEADS, .width = CHANNELS},
                   .parts = 1,
                   .features = HEADS,
                   .part = {{.scheme = scheme, .everywhere = true, .shape.heads = HEADS}}};
    a->tables = (MixTables){.mix = &a->pos, .part = {{.pos = a->pos.part, .positions = keys, .batch = B}}};
    a->layers[LAYER] = (LayerCalls){
        .calls = {{.family = scheme->family, .layer = LAYER}}, .count = 1, .changes = true, .reads_queries = true};
    a->tables.layers = a->layers;
    a->tables.part[0].feature_stride = position_features(a->pos.part);
    a->q = random_reals(a->q_count, "q", 1.5);
    a->k = random_reals(a->kv_count, "k", 1.5);
    a->v = random_reals(a->kv_count, "v", 1);
    a->dout = random_reals(a->out_count, "dout", 1);
    a->out = nan_reals(a->out_count);
    a->lse = training ? nan_reals(a->rows) : NULL;
    a->shape.out = a->out;
    a->shape.lse = a->lse;
    a->shape.q = a->q;
    a->shape.k = a->k;
    a->shape.v = a->v;
    a->scratch = nan_reals(attention_scratch(&a->tables, keys, WIDTH, training));
    a->P = calloc(a->rows * keys, sizeof(double));
    a->dS = calloc(a->rows * keys, sizeof(double));
    a->dq = nan_reals(a->q_count);
    a->dk = nan_reals(a->kv_count);
    a->dv = nan_reals(a->kv_count);
    a->dfeatures = nan_reals(a->feature_count);
    a->dS_seen = a->tables.part[0].dtable[0] = calloc(a->rows * keys, sizeof(real));
    a->tables.part[0].dtable[1] = (real *)(void *)a->key_at;
    return a;
}

static Problem *make(const Scheme *scheme, int B, int queries, int keys, double dropout, bool training) {
    return make_shared(scheme, B, queries, keys, HEADS, dropout, training);
}

static void discard(Problem *a) {
    void *const all[] = {a->query_at, a->key_at, a->q,  a->k,  a->v,  a->features, a->dout,      a->out,     a->lse,
                         a->scratch,  a->P,      a->dS, a->dq, a->dk, a->dv,       a->dfeatures, a->dS_seen, a};
    for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
}

// The gradient of the product U, from that of the score.
static double dU_of(Problem *a, int b, int h, int i, int j) {
    const size_t at = row_of(&a->shape, b, h, i) * a->shape.keys + (size_t)j;
    return a->dS[at] * (1 + cos(qk_product(a, b, h, i, j)) / 2);
}

// dP = dout v^T through the dropout, dS = P (dP - sum P dP), dq = dU k / sqrt(d) and what the probe adds.
static void expect_dq(Problem *a, int b, int h, int i) {
    const Attention *s = &a->shape;
    const size_t row = row_of(s, b, h, i) * s->keys;
    const int first = first_seen(s, i);
    double *dS = a->dS + row, sum = 0;
    for (int j = 0; j <= i; j++) {
        dS[j] = dot(out_of(a->dout, s, b, h, i), kv_of(a->v, s, b, h, j), s->d) * kept(s, b, h, i, j);
        sum += a->P[row + j] * dS[j];
    }
    for (int j = 0; j <= i; j++) dS[j] = a->P[row + j] * (dS[j] - sum);
    for (int j = 0; j < s->keys; j++) expect_near("dS", row + j, a->dS_seen[row + j], dS[j], EXACT);
    for (int c = 0; c < s->d; c++) {
        double expected = 0;
        for (int j = first; j <= i; j++) expected += dU_of(a, b, h, i, j) * kv_of(a->k, s, b, h, j)[c] / sqrt(s->d);
        for (int j = first; j <= i && c == 0; j++) expected += dS[j] * *feature_of(a->features, s, b, h, j);
        expect_near("dq", row, q_of(a->dq, s, b, h, i)[c], expected, EXACT);
    }
}

// dk = dU^T q / sqrt(d), dv = P^T dout, df = dS^T q[0], over the queries that see key j: those of head h, or of all
// heads where they share the key.
static void expect_dk_dv(Problem *a, int b, int h, int j) {
    const Attention *s = &a->shape;
    const int first = s->K == 1 ? 0 : h, end = s->K == 1 ? HEADS : h + 1;
    double df = 0;
    for (int i = j; i < s->queries; i++)
        df += a->dS[row_of(s, b, h, i) * s->keys + (size_t)j] * *q_of(a->q, s, b, h, i);
    expect_near("df", (size_t)j, *feature_of(a->dfeatures, s, b, h, j), df, 10 * EXACT);
    for (int c = 0; c < s->d; c++) {
        double dk = 0, dv = 0;
        for (int of = first; of < end; of++)
            for (int i = j; i < s->queries; i++) {
                const size_t at = row_of(s, b, of, i) * s->keys + (size_t)j;
                dk += dU_of(a, b, of, i, j) * q_of(a->q, s, b, of, i)[c] / sqrt(s->d);
                dv += a->P[at] * kept(s, b, of, i, j) * out_of(a->dout, s, b, of, i)[c];
            }
        expect_near("dk", (size_t)j, kv_of(a->dk, s, b, h, j)[c], dk, 10 * EXACT);
        expect_near("dv", (size_t)j, kv_of(a->dv, s, b, h, j)[c], dv, 10 * EXACT);
    }
}

static void check_problem(const Scheme *scheme, int B, int T, int K, double dropout, int window) {
    Problem *a = make_shared(scheme, B, T, T, K, dropout, true);
    a->shape.window = window;
    forward(a);
    each_row(a, expect_row);
    backward(a);
    each_row(a, expect_dq);
    each_row(a, expect_dk_dv);
    discard(a);
}

static void check_training(const Scheme *scheme, int B, int T, double dropout, int window) {
    check_problem(scheme, B, T, HEADS, dropout, window);
}

static const int lengths[] = {1, 2, QUERY_BLOCK - 1, QUERY_BLOCK, QUERY_BLOCK + 1, 2 * QUERY_BLOCK + 21};

static void blocks_make_the_whole_softmax(void **state) {
    for (size_t i = 0; i < COUNT(lengths); i++) check_training(&probe_scheme, 2, lengths[i], 0, 0);
}

static void with_dropout(void **state) {
    for (size_t i = 0; i < COUNT(lengths); i++) check_training(&probe_scheme, 2, lengths[i], 0.4, 0);
}

// Shorter than a block, longer, and about as long as the text.
static const int windows[] = {1, 2, 31, 64, 65, 100, 148, 149, 150};

static void with_windows(void **state) {
    for (size_t w = 0; w < COUNT(windows); w++)
        for (size_t i = 0; i < COUNT(lengths); i++) check_training(&probe_scheme, 2, lengths[i], 0, windows[w]);
}

static void heads_may_share_keys(void **state) {
    for (size_t i = 0; i < COUNT(lengths); i++) {
        check_problem(&probe_scheme, 2, lengths[i], 1, 0.4, 0);
        check_problem(&probe_scheme, 1, lengths[i], 1, 0, 31);
    }
}

// As with the key cache: the queries belong to the last keys.
static void with_fewer_queries_than_keys(void **state) {
    static const struct {
        int queries, keys;
    } cases[] = {{1, 1}, {1, 100}, {5, 70}, {QUERY_BLOCK, QUERY_BLOCK + 1}, {QUERY_BLOCK + 9, 3 * QUERY_BLOCK - 2}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t w = 0; w <= COUNT(windows); w++) {
            Problem *a = make(&probe_scheme, 2, cases[i].queries, cases[i].keys, 0, false);
            a->shape.window = w < COUNT(windows) ? windows[w] : 0;
            forward(a);
            each_row(a, expect_row);
            discard(a);
        }
    }
}

// Tokens on both sides of the border between two blocks, and the last.
static void gradients_are_differences(void **state) {
    static const int tokens[] = {1, QUERY_BLOCK - 1, QUERY_BLOCK, QUERY_BLOCK + 5};
    for (double dropout = 0; dropout < 0.5; dropout += 0.3) {
        Problem *a = make(&probe_scheme, 1, QUERY_BLOCK + 6, QUERY_BLOCK + 6, dropout, true);
        const Attention *s = &a->shape;
        forward(a);
        backward(a);
        for (size_t i = 0; i < COUNT(tokens); i++) {
            const int t = tokens[i];
            expect_gradient("dq", q_of(a->dq, s, 0, 0, t), q_of(a->q, s, 0, 0, t), CHANNELS, forward, a, 1e-8);
            expect_gradient("dk", kv_of(a->dk, s, 0, 0, t), kv_of(a->k, s, 0, 0, t), CHANNELS, forward, a, 1e-8);
            expect_gradient("dv", kv_of(a->dv, s, 0, 0, t), kv_of(a->v, s, 0, 0, t), CHANNELS, forward, a, 1e-8);
            expect_gradient("df", feature_of(a->dfeatures, s, 0, 0, t), feature_of(a->features, s, 0, 0, t), HEADS,
                            forward, a, 1e-8);
        }
        discard(a);
    }
}

// q, k and v are side by side in the rows of one array, so nothing may be written outside a row's own numbers.
static void neighbours_are_left_alone(void **state) {
    Problem *a = make(&probe_scheme, 2, QUERY_BLOCK + 6, QUERY_BLOCK + 6, 0, true);
    forward(a);
    backward(a);
    for (size_t n = 0; n < a->q_count; n++) {
        const bool mine = n % (3 * CHANNELS) < CHANNELS;
        assert_int_equal(isnan(a->dq[n]), !mine);
        assert_int_equal(isnan(a->dk[n]), !mine);
        assert_int_equal(isnan(a->dv[n]), !mine);
    }
    discard(a);
}

// Scores of thousands: exp alone would overflow, or every weight vanish.
static void large_scores_stay_finite(void **state) {
    Problem *a = make(&probe_scheme, 1, 20, 20, 0, true);
    for (size_t n = 0; n < a->q_count; n++) a->q[n] *= 2000;
    forward(a);
    backward(a);
    for (size_t n = 0; n < a->out_count; n++) assert_true(isfinite(a->out[n]));
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < 20; i++) {
            int best = 0;
            for (int j = 1; j <= i; j++)
                if (score(a, 0, h, i, j) > score(a, 0, h, i, best)) best = j;
            const size_t row = row_of(&a->shape, 0, h, i);
            expect_near("lse", row, a->lse[row], score(a, 0, h, i, best), 1);
            for (int c = 0; c < WIDTH; c++) assert_true(isfinite(q_of(a->dq, &a->shape, 0, h, i)[c]));
        }
    discard(a);
}

static void two_threads_give_the_same_bits(void **state) {
    const int threads = omp_get_max_threads();
    omp_set_num_threads(2);
    check_training(&probe_scheme, 2, lengths[COUNT(lengths) - 1], 0.4, 0);
    Problem *first = make(&probe_scheme, 3, 150, 150, 0.2, true), *again = make(&probe_scheme, 3, 150, 150, 0.2, true);
    forward(first);
    backward(first);
    for (int round = 0; round < 5; round++) {
        forward(again);
        backward(again);
        assert_memory_equal(again->out, first->out, first->out_count * sizeof(real));
        assert_memory_equal(again->dq, first->dq, first->q_count * sizeof(real));
        assert_memory_equal(again->dk, first->dk, first->kv_count * sizeof(real));
        assert_memory_equal(again->dv, first->dv, first->kv_count * sizeof(real));
        assert_memory_equal(again->dfeatures, first->dfeatures, first->feature_count * sizeof(real));
    }
    omp_set_num_threads(threads);
    discard(first);
    discard(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_make_the_whole_softmax),
        cmocka_unit_test(with_dropout),
        cmocka_unit_test(with_windows),
        cmocka_unit_test(heads_may_share_keys),
        cmocka_unit_test(with_fewer_queries_than_keys),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(neighbours_are_left_alone),
        cmocka_unit_test(large_scores_stay_finite),
        cmocka_unit_test(two_threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
