// One scheme that uses every helper that schemes share: each helper keeps its tables to itself, so that together they
// do what each does alone.
#include "model/gradcheck.h"
#include "posenc/bias/bias.h"
#include "posenc/embedding/code.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/scene.h"

enum { T = 12, H = 2, D = 6, C = H * D, ORIGINAL = 5 };

static const Shape shape = {.vocab = 7, .context = T, .layers = 1, .heads = H, .width = C};

// --- codes in the embeddings, rotations of queries and keys, and a trained bias by distance ---
typedef struct {
    Rotary rotary;
} JoinedOptions;

static const Option joined_options[] = {
    {"base", OPTION_NUMBER, offsetof(JoinedOptions, rotary.base), "100", 2, 1e6, NULL, "B", "base"}, {0}};

static void fill(real *code, const Tables *tables, int t) {
    for (int c = 0; c < tables->pos->shape.width; c++) code[c] = (real)sin(0.3 * t + c);
}

static void joined_layout(Tables *tables, Arena *arena, bool training) {
    code_layout(tables, arena, training);
    rotary_layout(tables, arena, training);
    bias_layout(tables, arena, training);
}

static void joined_prepare(Tables *tables) {
    code_prepare(tables);
    rotary_prepare(tables);
    bias_prepare(tables);
}

// The table scheme, and the hooks of the other families.
static Scheme joined(void) {
    Scheme scheme = scheme_table;
    scheme.name = "joined";
    scheme.options = joined_options;
    scheme.layers = NULL;
    scheme.code = fill;
    scheme.theta = rotary_theta;
    scheme.turn = rotary_turn;
    scheme.check = rotary_check;
    scheme.layout = joined_layout;
    scheme.prepare = joined_prepare;
    scheme.embed_forward = code_forward;
    scheme.qk_forward = rotary_forward;
    scheme.qk_backward = rotary_backward;
    return scheme;
}

static const Scheme codes = {.name = "codes", CODE_HOOKS, .code = fill};

// --- all that the hooks do to one sequence ---
typedef struct {
    real x[T * C], q[T * C], k[T * C], S[H][T * T];
    real dq[T * C], dk[T * C], dbias[H * T];
    double dfactors[D / 2];
} Seen;

static void fill_normal(real *values, size_t count, const char *name) {
    real *drawn = random_reals(count, name, 1);
    memcpy(values, drawn, count * sizeof *values);
    free(drawn);
}

static void see_scores(Seen *seen, const Tables *tables, const Place *at) {
    const Scheme *scheme = tables->pos->scheme;
    if (!scheme->score_forward) return;
    for (int h = 0; h < H; h++) {
        real dS[T * T];
        fill_normal(dS, T * T, h ? "dS1" : "dS0");
        const ScoreBlock block = {
            .S = seen->S[h], .stride = T, .rows = T, .columns = T, .head = h, .query_at = at, .key_at = at};
        const ScoreGradient gradient = {.dS = dS};
        scheme->score_forward(tables, &block);
        scheme->score_backward(tables, &block, &gradient);
    }
    scheme->score_reduce(tables, 0);
}

static void see_hooks(Seen *seen, Tables *tables) {
    const Position *pos = tables->pos;
    const Scheme *scheme = pos->scheme;
    Place at[T];
    places_run(at, T);
    fill_normal(seen->q, T * C, "q");
    fill_normal(seen->k, T * C, "k");
    fill_normal(seen->dq, T * C, "dq");
    fill_normal(seen->dk, T * C, "dk");
    if (scheme->embed_forward) scheme->embed_forward(tables, seen->x, at, T);
    if (scheme->qk_forward) scheme->qk_forward(tables, 0, seen->q, seen->k, C, at, T);
    see_scores(seen, tables, at);
    if (scheme->qk_backward) scheme->qk_backward(tables, 0, seen->dq, seen->dk, seen->q, seen->k, C, at, T);
    if (scheme->reduce) scheme->reduce(tables);
    if (scheme->theta) rotary_dfactors(seen->dfactors, tables);
    if (pos->dparams[0]) memcpy(seen->dbias, pos->dparams[0], sizeof seen->dbias);
}

// With rotations that are stretched, by factors that learn.
static void see(Seen *seen, const Scheme *scheme, const char *options) {
    Scene scene = {0};
    Mix pos;
    Error error;
    memset(seen, 0, sizeof *seen);
    must(mix_parse_of(&pos, scheme, options, &error) && mix_fit(&pos, &shape, &error), &error);
    if (scheme->theta)
        pos.part[0].stretch = (StretchRule){.method = METHOD_GRADIENT,
                                            .factor = (double)T / ORIGINAL,
                                            .original = ORIGINAL,
                                            .pairs = D / 2,
                                            .long_stretch = {{1.5, 2, 2.4}, 2, 1.1},
                                            .learns = true};
    must(gpt_create(&scene.gpt, &shape, &pos, true, &error), &error);
    if (scene.gpt.pos.part[0].params[0]) fill_normal(scene.gpt.pos.part[0].params[0], H * T, "bias");
    scene_layout(&scene, T, 1);
    see_hooks(seen, &scene.tables);
    scene_free(&scene);
}

static void helpers_do_together_what_they_do_alone(void **state) {
    static Seen all, rotated, biased, coded;
    const Scheme joined_scheme = joined();
    see(&all, &joined_scheme, "base=100");
    see(&rotated, &scheme_rope, "base=100");
    see(&biased, &scheme_table, NULL);
    see(&coded, &codes, NULL);
    assert_memory_equal(all.x, coded.x, sizeof all.x);
    assert_memory_equal(all.q, rotated.q, sizeof all.q);
    assert_memory_equal(all.k, rotated.k, sizeof all.k);
    assert_memory_equal(all.dq, rotated.dq, sizeof all.dq);
    assert_memory_equal(all.dk, rotated.dk, sizeof all.dk);
    assert_memory_equal(all.dfactors, rotated.dfactors, sizeof all.dfactors);
    assert_memory_equal(all.S, biased.S, sizeof all.S);
    assert_memory_equal(all.dbias, biased.dbias, sizeof all.dbias);
    // And each of them did something.
    assert_true(all.x[C + 1] != 0 && all.q[C] != biased.q[C] && all.S[1][T] != 0 && all.dbias[1] != 0 &&
                all.dfactors[1] != 0);
}

static void gradients_of_the_whole_are_right(void **state) {
    const Scheme joined_scheme = joined();
    const GradcheckSettings settings = {.B = 2, .T = T, .seed = 3};
    Mix pos;
    GradientError *errors;
    Error error;
    int count;
    must(mix_parse_of(&pos, &joined_scheme, "", &error) && mix_fit(&pos, &shape, &error), &error);
    must(gradcheck(&errors, &count, &pos, &settings, &error), &error);
    expect_near("worst relative error", 0, gradcheck_worst(errors, count), 0, 1e-6);
    free(errors);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helpers_do_together_what_they_do_alone),
        cmocka_unit_test(gradients_of_the_whole_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
