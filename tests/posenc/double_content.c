// Schemes that couple position with content, in double: their formulas computed pair by pair, another implementation's
// numbers for Transformer-XL, and gradients, with options and lengths for which every term matters.
#include "posenc/registry.h"
#include "tests/support/little_model.h"
#include "tests/support/scene.h"

// --- two sequences of two heads in three blocks, and a loss: the sum of weight_ij S_ij over the keys that are seen ---
//
// Rows of scores are numbered consecutively: row r is query r % T of head r / T % H of sequence r / (T H).
enum { B = 2, T = 18, H = 2, D = 3, C = H * D, BLOCK = 8, LAYER = 1, SPAN = 3 * T, SCORES = B * H * T * T };

typedef struct {
    Scene scene;
    Place at[B * T];
    double codes[SPAN][C]; // of Transformer-XL's distances
    real q[B * T * C], k[B * T * C], dq[B * T * C], dk[B * T * C];
    real weight[SCORES], S[SCORES]; // (B, H, T, T); S by the hooks, NaN where masked
    int below[SCORES];              // CoPE's counts, rounded down,
    bool frozen;                    // and kept
} Content;

static size_t token_of(int row, int t) { // where token t of a row's sequence and head begins in (B, T, C)
    return (size_t)(row / (T * H) * T + t) * C + (size_t)(row / T % H * D);
}

static double dot(const real *x, const real *y, int count) {
    double sum = 0;
    for (int c = 0; c < count; c++) sum += x[c] * y[c];
    return sum;
}

// --- the formulas, for one pair of tokens, times sqrt(d) ---
static long long number_option(const Position *pos, const char *name) {
    return *(const long long *)(pos->options + option_find(pos->scheme->options, name)->offset);
}

static int distance_of(const Content *x, int row, int j, long long most) {
    const Place *at = x->at + row / (T * H) * T;
    const int n = at[row % T].t - at[j].t;
    return most && n > most ? (int)most : n;
}

static double by_transformer_xl(const Content *x, const real *q, const real *k, int row, int j) {
    const int head = position_set(x->scene.pos, LAYER) * C + row / T % H * D;
    const real *W = x->scene.pos->params[0] + head * C, *u = x->scene.pos->params[1] + head,
               *v = x->scene.pos->params[2] + head;
    const double *code = x->codes[distance_of(x, row, j, number_option(x->scene.pos, "clamp"))];
    double sum = dot(u, k, D);
    for (int c = 0; c < D; c++) sum += (q[c] + v[c]) * dot(W + c * C, code, C);
    return sum;
}

static double by_shaw(const Content *x, const real *q, int row, int j) {
    const long long clip = number_option(x->scene.pos, "clip"), set = position_set(x->scene.pos, LAYER);
    return dot(q, x->scene.pos->params[0] + (set * (clip + 1) + distance_of(x, row, j, clip)) * D, D);
}

// If `frozen`, a count is read between the same two codes as before, or held at the last code as before. That is what
// the formula's derivative means, and what differences measure as long as no count passes a whole number.
static double by_cope(Content *x, const real *q, int row, int j) {
    const int N = (int)number_option(x->scene.pos, "positions");
    const real *e = x->scene.pos->params[0] + position_set(x->scene.pos, LAYER) * N * D;
    int *below = &x->below[row * T + j];
    double p = 0;
    for (int k = j; k <= row % T; k++) p += 1 / (1 + exp(-dot(q, x->k + token_of(row, k), D) / sqrt(D)));
    if (!x->frozen) *below = p < N - 1 ? (int)floor(p) : N - 1;
    if (*below == N - 1) return dot(q, e + (N - 1) * D, D);
    const double share = p - *below;
    return (1 - share) * dot(q, e + *below * D, D) + share * dot(q, e + (*below + 1) * D, D);
}

static double score(Content *x, int row, int j) {
    const real *q = x->q + token_of(row, row % T), *k = x->k + token_of(row, j);
    const Scheme *scheme = x->scene.pos->scheme;
    const double position = scheme == &scheme_shaw   ? by_shaw(x, q, row, j)
                            : scheme == &scheme_cope ? by_cope(x, q, row, j)
                                                     : by_transformer_xl(x, q, k, row, j);
    return (dot(q, k, D) + position) / sqrt(D);
}

static double loss(void *op) {
    Content *x = op;
    double sum = 0;
    for (int row = 0; row < B * H * T; row++)
        for (int j = 0; j <= row % T; j++) sum += x->weight[row * T + j] * score(x, row, j);
    return sum;
}

// --- the same by the hooks ---
static void block_forward(Content *x, const ScoreBlock *block, int row) {
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++)
            block->S[i * T + j] = j <= row % T + i ? block->scale * dot(block->q + i * C, block->k + j * C, D) : NAN;
    x->scene.pos->scheme->family->score_forward(&x->scene.tables, block);
}

// Run the block that begins with this row, first without a backward pass, then with one, each time with exactly the
// scratch memory that the scheme asks for.
static void block_both_ways(Content *x, int row) {
    const size_t q = token_of(row, row % T), k = token_of(row, 0);
    ScoreBlock block = {.S = x->S + row * T, .stride = T, .layer = LAYER, .q_stride = C, .k_stride = C};
    block.rows = T - row % T < BLOCK ? T - row % T : BLOCK;
    block.columns = row % T + block.rows;
    block.sequence = row / (T * H);
    block.head = row / T % H;
    block.key_at = x->at + block.sequence * T;
    block.query_at = block.key_at + row % T;
    block.q = x->q + q;
    block.k = x->k + k;
    block.scale = 1 / sqrt(D);
    const ScoreGradient grad = {copy_reals(x->weight + row * T, (size_t)block.rows * T), x->dq + q, x->dk + k, NULL};
    for (int training = 0; training < 2; training++) {
        block.scratch =
            nan_reals(x->scene.pos->scheme->score_scratch(&x->scene.tables, block.rows, block.columns, training));
        block_forward(x, &block, row);
        if (training) x->scene.pos->scheme->family->score_backward(&x->scene.tables, &block, &grad);
        free(block.scratch);
    }
    gemm(grad.dq, C, 1, block.scale, rows_of(grad.dS, T), rows_of(block.k, C), block.rows, D, block.columns);
    gemm(grad.dk, C, 1, block.scale, columns_of(grad.dS, T), rows_of(block.q, C), block.columns, D, block.rows);
    free(grad.dS);
}

static void fill_normal(real *values, size_t count, const char *name) {
    const uint64_t key = random_key(7, name);
    for (size_t n = 0; n < count; n++) values[n] = random_normal(key, n);
}

static void sinusoid(double *code, int channels, int n) {
    for (int i = 0; i < channels / 2; i++) {
        const double angle = n / pow(10000, 2.0 * i / channels);
        code[i] = sin(angle);
        code[channels / 2 + i] = cos(angle);
    }
}

static void content_make(Content *x, const char *specification, int span) {
    const Shape shape = {.vocab = 5, .context = T, .layers = 2, .heads = H, .width = C, .random_positions = span};
    *x = (Content){0};
    model_make(&x->scene.gpt, specification, &shape, true);
    scene_layout(&x->scene, mix_span(&x->scene.gpt.pos), B);
    for (int b = 0; b < B; b++) {
        int drawn[T];
        places_draw(drawn, T, mix_span(&x->scene.gpt.pos), random_key((uint64_t)b, "places"));
        for (int t = 0; t < T; t++) x->at[b * T + t] = (Place){.t = drawn[t]};
    }
    for (int n = 0; n < SPAN; n++) sinusoid(x->codes[n], C, n);
    fill_normal(x->q, COUNT(x->q), "q");
    fill_normal(x->k, COUNT(x->k), "k");
    fill_normal(x->weight, SCORES, "weight");
    for (int n = 0; n < SCORES; n++)
        if (n % T > n / T % T) x->weight[n] = 0;
}

// Where all queries and keys are `alike`, every token counts in full for CoPE, and counts are as large as can be.
static void check(const char *specification, int span, bool alike) {
    static Content x;
    content_make(&x, specification, span);
    for (size_t n = 0; alike && n < COUNT(x.q); n++) x.q[n] = x.k[n] = 10;
    for (int row = 0; row < B * H * T; row += row % T + BLOCK < T ? BLOCK : T - row % T) block_both_ways(&x, row);
    for (int again = 0; again < 2; again++) scene_layer_backward(&x.scene, LAYER); // the second finds nothing
    for (int n = 0; n < SCORES; n++)
        if (n % T <= n / T % T) expect_near(specification, (size_t)n, x.S[n], score(&x, n / T, n % T), 1e-12);
    x.frozen = true;
    expect_gradient("dq", x.dq, x.q, COUNT(x.q), loss, &x, 1e-9);
    expect_gradient("dk", x.dk, x.k, COUNT(x.k), loss, &x, 1e-9);
    for (int p = 0; p < x.scene.pos->param_count; p++) {
        const Tensor *tensor = &x.scene.gpt.tensors.items[x.scene.pos->tensors[p]];
        expect_gradient(tensor->name, x.scene.pos->dparams[p], x.scene.pos->params[p], tensor->count, loss, &x, 1e-9);
    }
    scene_free(&x.scene);
}

static void hooks_are_the_formula_and_its_gradient(void **state) {
    static const char *const all[] = {"transformer-xl",
                                      "transformer-xl:clamp=3,layers=shared",
                                      "transformer-xl:clamp=0",
                                      "shaw",
                                      "shaw:clip=1,layers=shared",
                                      "shaw:clip=100",
                                      "cope",
                                      "cope:positions=2,layers=shared",
                                      "cope:positions=3",
                                      "cope:positions=40"};
    for (size_t i = 0; i < COUNT(all); i++) {
        check(all[i], 0, false);
        check(all[i], SPAN, false);
    }
    check("cope:positions=40", 0, true);
}

// --- another implementation's numbers for Transformer-XL ---
//
// The reference gives the keys of distances; the hook has a matrix that makes them. With 16 channels there is such a
// matrix for five distances: Kaczmarz's iteration finds it, correcting one distance after another.
enum { GOLDEN_T = 5, GOLDEN_D = 4, GOLDEN_C = 16, GOLDEN_HEAD = 2, GOLDEN_S = GOLDEN_T * GOLDEN_T };

static void find_matrix(real *W, const real *keys, int apart) { // (d, C) from (T, d), rising distances
    double codes[GOLDEN_T][GOLDEN_C];
    for (int n = 0; n < GOLDEN_T; n++) sinusoid(codes[n], GOLDEN_C, n * apart);
    for (int step = 0; step < 10000; step++)
        for (int c = 0; c < GOLDEN_D; c++) {
            const double *code = codes[step % GOLDEN_T];
            const double off = keys[step % GOLDEN_T * GOLDEN_D + c] - dot(W + c * GOLDEN_C, code, GOLDEN_C);
            for (int i = 0; i < GOLDEN_C; i++) W[c * GOLDEN_C + i] += off * code[i] / (GOLDEN_C / 2.0);
        }
}

static void expect_golden(const json_t *root, const real *q, const real *k, const real *keys, int apart) {
    real S[GOLDEN_S], content[GOLDEN_S], position[GOLDEN_S];
    Scene scene;
    Place at[GOLDEN_T];
    scene_make(&scene, "transformer-xl", shape_of(4, GOLDEN_C, 40), 40);
    for (int t = 0; t < GOLDEN_T; t++) at[t] = (Place){.t = apart * t};
    const int head = GOLDEN_HEAD * GOLDEN_D;
    find_matrix(scene.pos->params[0] + head * GOLDEN_C, keys, apart);
    read_numbers(scene.pos->params[1] + head, json_object_get(root, "u"), GOLDEN_D);
    read_numbers(scene.pos->params[2] + head, json_object_get(root, "v"), GOLDEN_D);
    read_numbers(content, json_object_get(root, "AC"), GOLDEN_S);
    read_numbers(position, json_object_get(root, "BD_shifted"), GOLDEN_S);
    tables_prepare(&scene.tables);
    ScoreBlock block = {.S = S, .stride = GOLDEN_T, .q = q, .k = k, .q_stride = GOLDEN_D, .k_stride = GOLDEN_D};
    block.rows = block.columns = GOLDEN_T;
    block.head = GOLDEN_HEAD;
    block.query_at = block.key_at = at;
    block.scale = 1;
    block.scratch = nan_reals(scheme_transformer_xl.score_scratch(&scene.tables, GOLDEN_T, GOLDEN_T, false));
    for (int n = 0; n < GOLDEN_S; n++) S[n] = dot(q + n / GOLDEN_T * GOLDEN_D, k + n % GOLDEN_T * GOLDEN_D, GOLDEN_D);
    scheme_transformer_xl.family->score_forward(&scene.tables, &block);
    for (int n = 0; n < GOLDEN_S; n++)
        if (n % GOLDEN_T <= n / GOLDEN_T) expect_near("S", (size_t)n, S[n], content[n] + position[n], 1e-6);
    free(block.scratch);
    scene_free(&scene);
}

static void transformer_xl_is_the_reference(void **state) {
    json_t *root = golden("transformer_xl_scores");
    real q[GOLDEN_T * GOLDEN_D], k[GOLDEN_T * GOLDEN_D], R[GOLDEN_T * GOLDEN_D], keys[GOLDEN_T * GOLDEN_D];
    read_numbers(q, json_object_get(root, "q"), COUNT(q));
    read_numbers(k, json_object_get(root, "k"), COUNT(k));
    read_numbers(R, json_object_get(root, "R"), COUNT(R));
    for (size_t n = 0; n < GOLDEN_T; n++) { // theirs come by falling distance
        const size_t distance = (size_t)number_at(json_object_get(root, "R_rows_are_distance"), n);
        memcpy(keys + distance * GOLDEN_D, R + n * GOLDEN_D, GOLDEN_D * sizeof *keys);
    }
    expect_golden(root, q, k, keys, 3);
    expect_golden(root, q, k, keys, 7);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hooks_are_the_formula_and_its_gradient),
        cmocka_unit_test(transformer_xl_is_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
