// Attention in blocks of queries against the whole T x T softmax, with a scheme that adds to the scores what it is told
// about them.
#include "model/ops.h"
#include "tests/support.h"

#include <omp.h>

#define EXACT 1e-12

enum { HEADS = 2, WIDTH = 3, CHANNELS = HEADS * WIDTH };

// --- a scheme whose scores depend on everything that a block says of itself ---
static real probe(int layer, int sequence, int head, int query_at, int key_at) {
    return (real)sin(0.3 * layer + sequence + 2 * head + 0.11 * query_at - 0.07 * key_at);
}

static void probe_forward(const Position *pos, const ScoreBlock *block) {
    (void)pos;
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++)
            block->S[i * block->stride + j] +=
                probe(block->layer, block->sequence, block->head, block->query_at[i], block->key_at[j]);
}

// Keeps dS (B, H, T, T), in dtables[0]. Row i of a block is the query of key columns - rows + i.
static void probe_backward(const Position *pos, const ScoreBlock *block, const real *dS) {
    const int T = pos->positions, first = block->columns - block->rows;
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++)
            pos->dtables[0][((size_t)(block->sequence * HEADS + block->head) * T + first + i) * T + j] =
                dS[i * block->stride + j];
}

static const Scheme probe_scheme = {.name = "probe", .score_forward = probe_forward, .score_backward = probe_backward};

// --- a problem, and its solution by the formula ---
typedef struct {
    AttentionShape shape;
    Position pos;
    int *query_at, *key_at;
    real *q, *k, *v, *out, *lse, *dout, *scratch; // q, k and v as their strides say
    size_t q_count, kv_count, out_count, rows;
    double *P, *dS;               // (B, H, queries, keys) weights before dropout, and gradients by the scores
    real *dq, *dk, *dv, *dS_seen; // by attention_backward
} Attention;

static real *q_of(real *q, const AttentionShape *s, int b, int h, int i) {
    return q + b * s->q_batch + (size_t)i * s->q_stride + (size_t)h * s->d;
}

static real *kv_of(real *kv, const AttentionShape *s, int b, int h, int j) {
    return kv + b * s->kv_batch + (size_t)j * s->kv_stride + (size_t)h * s->d;
}

static size_t row_of(const AttentionShape *s, int b, int h, int i) {
    return ((size_t)b * s->H + h) * s->queries + i;
}

static real *out_of(real *out, const AttentionShape *s, int b, int h, int i) {
    return out + ((size_t)b * s->queries + i) * CHANNELS + (size_t)h * s->d;
}

static double dot(const real *a, const real *b, int count) {
    double sum = 0;
    for (int c = 0; c < count; c++) sum += a[c] * b[c];
    return sum;
}

// What the dropout leaves of weight (b, h, i, j), numbered in that order.
static double kept(const AttentionShape *s, int b, int h, int i, int j) {
    return dropout_factor(&s->dropout, row_of(s, b, h, i) * s->keys + (size_t)j);
}

static double score(Attention *a, int b, int h, int i, int j) {
    const AttentionShape *s = &a->shape;
    return dot(q_of(a->q, s, b, h, i), kv_of(a->k, s, b, h, j), s->d) / sqrt(s->d) +
           probe(s->layer, b, h, a->query_at[b * s->queries + i], a->key_at[b * s->key_at_batch + j]);
}

// One row of the softmax; checks out and lse.
static void expect_row(Attention *a, int b, int h, int i) {
    const AttentionShape *s = &a->shape;
    const size_t row = row_of(s, b, h, i);
    const int seen = s->keys - s->queries + i + 1;
    double *P = a->P + row * s->keys, sum = 0;
    for (int j = 0; j < s->keys; j++) P[j] = j < seen ? exp(score(a, b, h, i, j)) : 0;
    for (int j = 0; j < seen; j++) sum += P[j];
    for (int j = 0; j < seen; j++) P[j] /= sum;
    if (a->lse) expect_near("lse", row, a->lse[row], log(sum), EXACT);
    for (int c = 0; c < s->d; c++) {
        double expected = 0;
        for (int j = 0; j < seen; j++) expected += P[j] * kept(s, b, h, i, j) * kv_of(a->v, s, b, h, j)[c];
        expect_near("out", row * s->d + c, out_of(a->out, s, b, h, i)[c], expected, EXACT);
    }
}

static void each_row(Attention *a, void (*visit)(Attention *a, int b, int h, int i)) {
    for (int b = 0; b < a->shape.B; b++)
        for (int h = 0; h < a->shape.H; h++)
            for (int i = 0; i < a->shape.queries; i++) visit(a, b, h, i);
}

static double forward(void *op) {
    Attention *a = op;
    attention_forward(a->out, a->lse, a->q, a->k, a->v, &a->pos, &a->shape, a->scratch);
    return dot(a->out, a->dout, (int)a->out_count);
}

static void backward(Attention *a) {
    attention_backward(a->dq, a->dk, a->dv, a->dout, a->q, a->k, a->v, a->out, a->lse, &a->pos, &a->shape, a->scratch);
}

// Training: q, k and v side by side in rows of 3C. Otherwise a cache of k and v with room for more, and one row of
// coordinates for all sequences.
static Attention *make(int B, int queries, int keys, double dropout, bool training) {
    Attention *a = calloc(1, sizeof *a);
    const int q_stride = 3 * CHANNELS, kv_stride = training ? 3 * CHANNELS : 2 * CHANNELS;
    const size_t q_batch = (size_t)queries * q_stride, kv_batch = (size_t)(training ? keys : keys + 5) * kv_stride;
    a->rows = (size_t)B * HEADS * queries;
    a->q_count = B * q_batch;
    a->kv_count = B * kv_batch;
    a->out_count = (size_t)B * queries * CHANNELS;
    a->query_at = malloc((size_t)B * queries * sizeof(int));
    a->key_at = malloc((size_t)B * keys * sizeof(int));
    // Sequence b starts at 50b, and counts by b + 1.
    for (int j = 0; j < B * keys; j++) a->key_at[j] = training ? 50 * (j / keys) + (j / keys + 1) * (j % keys) : 3 * j;
    for (int i = 0; i < B * queries; i++)
        a->query_at[i] = a->key_at[(training ? i / queries * keys : 0) + keys - queries + i % queries];
    a->shape = (AttentionShape){.B = B,
                                .H = HEADS,
                                .d = WIDTH,
                                .queries = queries,
                                .keys = keys,
                                .q_stride = q_stride,
                                .kv_stride = kv_stride,
                                .q_batch = q_batch,
                                .kv_batch = kv_batch,
                                .layer = 4,
                                .query_at = a->query_at,
                                .key_at = a->key_at,
                                .key_at_batch = training ? keys : 0,
                                .dropout = {dropout, random_key(3, "dropout")}};
    a->pos = (Position){.scheme = &probe_scheme, .positions = keys, .batch = B};
    a->q = random_reals(a->q_count, "q", 1.5);
    a->k = random_reals(a->kv_count, "k", 1.5);
    a->v = random_reals(a->kv_count, "v", 1);
    a->dout = random_reals(a->out_count, "dout", 1);
    a->out = nan_reals(a->out_count);
    a->lse = training ? nan_reals(a->rows) : NULL;
    a->scratch = nan_reals(attention_scratch(keys, training));
    a->P = calloc(a->rows * keys, sizeof(double));
    a->dS = calloc(a->rows * keys, sizeof(double));
    a->dq = nan_reals(a->q_count);
    a->dk = nan_reals(a->kv_count);
    a->dv = nan_reals(a->kv_count);
    a->dS_seen = a->pos.dtables[0] = calloc(a->rows * keys, sizeof(real));
    return a;
}

static void discard(Attention *a) {
    void *const all[] = {a->query_at, a->key_at, a->q,  a->k,  a->v,  a->dout, a->out,     a->lse,
                         a->scratch,  a->P,      a->dS, a->dq, a->dk, a->dv,   a->dS_seen, a};
    for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
}

// dP = dout v^T through the dropout, dS = P (dP - sum P dP), dq = dS k / sqrt(d).
static void expect_dq(Attention *a, int b, int h, int i) {
    const AttentionShape *s = &a->shape;
    const size_t row = row_of(s, b, h, i) * s->keys;
    double *dS = a->dS + row, sum = 0;
    for (int j = 0; j <= i; j++) {
        dS[j] = dot(out_of(a->dout, s, b, h, i), kv_of(a->v, s, b, h, j), s->d) * kept(s, b, h, i, j);
        sum += a->P[row + j] * dS[j];
    }
    for (int j = 0; j <= i; j++) dS[j] = a->P[row + j] * (dS[j] - sum);
    for (int j = 0; j < s->keys; j++) expect_near("dS", row + j, a->dS_seen[row + j], dS[j], EXACT);
    for (int c = 0; c < s->d; c++) {
        double expected = 0;
        for (int j = 0; j <= i; j++) expected += dS[j] * kv_of(a->k, s, b, h, j)[c] / sqrt(s->d);
        expect_near("dq", row, q_of(a->dq, s, b, h, i)[c], expected, EXACT);
    }
}

// dk = dS^T q / sqrt(d), dv = P^T dout, over the queries that see key j.
static void expect_dk_dv(Attention *a, int b, int h, int j) {
    const AttentionShape *s = &a->shape;
    for (int c = 0; c < s->d; c++) {
        double dk = 0, dv = 0;
        for (int i = j; i < s->queries; i++) {
            const size_t at = row_of(s, b, h, i) * s->keys + (size_t)j;
            dk += a->dS[at] * q_of(a->q, s, b, h, i)[c] / sqrt(s->d);
            dv += a->P[at] * kept(s, b, h, i, j) * out_of(a->dout, s, b, h, i)[c];
        }
        expect_near("dk", (size_t)j, kv_of(a->dk, s, b, h, j)[c], dk, 10 * EXACT);
        expect_near("dv", (size_t)j, kv_of(a->dv, s, b, h, j)[c], dv, 10 * EXACT);
    }
}

static void check_training(int B, int T, double dropout) {
    Attention *a = make(B, T, T, dropout, true);
    forward(a);
    each_row(a, expect_row);
    backward(a);
    each_row(a, expect_dq);
    each_row(a, expect_dk_dv);
    discard(a);
}

static const int lengths[] = {1, 2, QUERY_BLOCK - 1, QUERY_BLOCK, QUERY_BLOCK + 1, 2 * QUERY_BLOCK + 21};

static void blocks_make_the_whole_softmax(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++) check_training(2, lengths[i], 0);
}

static void with_dropout(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++) check_training(2, lengths[i], 0.4);
}

// As the key cache asks: the queries are the last of the keys.
static void with_fewer_queries_than_keys(void **state) {
    (void)state;
    static const struct {
        int queries, keys;
    } cases[] = {{1, 1}, {1, 100}, {5, 70}, {QUERY_BLOCK, QUERY_BLOCK + 1}, {QUERY_BLOCK + 9, 3 * QUERY_BLOCK - 2}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Attention *a = make(2, cases[i].queries, cases[i].keys, 0, false);
        forward(a);
        each_row(a, expect_row);
        discard(a);
    }
}

// Tokens on both sides of the border between two blocks, and the last.
static void gradients_are_differences(void **state) {
    (void)state;
    static const int tokens[] = {1, QUERY_BLOCK - 1, QUERY_BLOCK, QUERY_BLOCK + 5};
    for (double dropout = 0; dropout < 0.5; dropout += 0.3) {
        Attention *a = make(1, QUERY_BLOCK + 6, QUERY_BLOCK + 6, dropout, true);
        const AttentionShape *s = &a->shape;
        forward(a);
        backward(a);
        for (size_t i = 0; i < COUNT(tokens); i++) {
            const int t = tokens[i];
            expect_gradient("dq", q_of(a->dq, s, 0, 0, t), q_of(a->q, s, 0, 0, t), CHANNELS, forward, a, 1e-8);
            expect_gradient("dk", kv_of(a->dk, s, 0, 0, t), kv_of(a->k, s, 0, 0, t), CHANNELS, forward, a, 1e-8);
            expect_gradient("dv", kv_of(a->dv, s, 0, 0, t), kv_of(a->v, s, 0, 0, t), CHANNELS, forward, a, 1e-8);
        }
        discard(a);
    }
}

// q, k and v lie side by side in the rows of one array, so nothing may be written between a row's own numbers.
static void neighbours_are_left_alone(void **state) {
    (void)state;
    Attention *a = make(2, QUERY_BLOCK + 6, QUERY_BLOCK + 6, 0, true);
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
    (void)state;
    Attention *a = make(1, 20, 20, 0, true);
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
    (void)state;
    const int threads = omp_get_max_threads();
    omp_set_num_threads(2);
    check_training(2, lengths[COUNT(lengths) - 1], 0.4);
    Attention *first = make(3, 150, 150, 0.2, true), *again = make(3, 150, 150, 0.2, true);
    forward(first);
    backward(first);
    for (int round = 0; round < 5; round++) {
        forward(again);
        backward(again);
        assert_memory_equal(again->out, first->out, first->out_count * sizeof(real));
        assert_memory_equal(again->dq, first->dq, first->q_count * sizeof(real));
        assert_memory_equal(again->dk, first->dk, first->kv_count * sizeof(real));
        assert_memory_equal(again->dv, first->dv, first->kv_count * sizeof(real));
    }
    omp_set_num_threads(threads);
    discard(first);
    discard(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_make_the_whole_softmax),  cmocka_unit_test(with_dropout),
        cmocka_unit_test(with_fewer_queries_than_keys),   cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(neighbours_are_left_alone),      cmocka_unit_test(large_scores_stay_finite),
        cmocka_unit_test(two_threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
