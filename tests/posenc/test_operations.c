// Operations of schemes, counted by formulas, compared with counts that walk through every token, head, key and
// channel.
#include "posenc/registry.h"
#include "tests/support/little_model.h"

enum { T = 37, LAYERS = 3, HEADS = 2, WIDTH = 16, D = WIDTH / HEADS };

static const Shape shape = {.vocab = 11, .context = T, .layers = LAYERS, .heads = HEADS, .width = WIDTH};

static double operations_of(const char *specification) {
    const Mix pos = mix_of(specification, &shape);
    return mix_operations(&pos, T);
}

// --- walks through one head of one layer: the query of token i, and then the keys that it sees ---
typedef struct {
    int query, key, distance_most; // operations of each query, of each key seen, and of each distance 0..most met
} Head;

static double walk(int layers, Head head) {
    double count = 0;
    for (int l = 0; l < layers; l++)
        for (int h = 0; h < HEADS; h++)
            for (int i = 0; i < T; i++) {
                count += head.query;
                for (int j = 0; j <= i; j++) {
                    count += head.key;
                    // a product of D numbers each for the score, the query's gradient and the distance's
                    for (int c = 0; i - j <= head.distance_most && c < D; c++) count += 3 * 2;
                }
            }
    return count / T;
}

static void counts_are_those_of_a_walk(void **state) {
    enum {
        PAIR = 6,
        QUERY_AND_KEY = 2,
        TORQUE = 5,
        SCALE = 8,
        UNITS = 5,
        VECTORS = 4,
        GATE = 10,
        STEP = 3,
        POINT = 14,
        DELTA = 16
    };
    const int turned = PAIR * QUERY_AND_KEY * 2 * D / 2;
    const struct {
        const char *specification;
        int layers;
        Head head;
    } cases[] = {
        {"rope", LAYERS, {turned, 0, -1}},
        {"partial:fraction=0.3", LAYERS, {turned / 4, 0, -1}},
        {"xpos:pairing=interleaved", LAYERS, {turned, 0, -1}},
        {"rope:axes=2", LAYERS, {turned, 0, -1}},
        {"rope-learned", LAYERS, {turned + TORQUE * QUERY_AND_KEY * D / 2, 0, -1}},
        {"rope-learned:scale=trained", LAYERS, {turned + TORQUE * QUERY_AND_KEY * D / 2 + SCALE * D / 2, 0, -1}},
        {"alibi:scale=3", LAYERS, {0, 1, -1}},
        {"sandwich", LAYERS, {0, 1, -1}},
        {"alibi-learned", LAYERS, {0, 2, -1}},
        {"t5", LAYERS, {0, 2, -1}},
        {"kerple", LAYERS, {0, 2, -1}},
        {"table", LAYERS, {0, 2, -1}},
        {"fire:width=5", LAYERS, {14 * UNITS, 2 + 5 * UNITS + 2 + 5 * UNITS, -1}},
        {"shaw:clip=3", LAYERS, {3 * 2 * VECTORS * D, 2, -1}},
        {"cope:positions=4", LAYERS, {3 * 2 * VECTORS * D, 21, -1}},
        {"transformer-xl", LAYERS, {3 * 2 * D + 3 * D, 4, T}},
        {"transformer-xl:clamp=7", LAYERS, {3 * 2 * D + 3 * D, 4, 7}},
        {"fox", LAYERS, {3 * 2 * WIDTH + GATE + 5, 6, -1}},
        {"stick-breaking", LAYERS, {0, 7, -1}},
        {"rope:gate=trained", LAYERS, {turned + TORQUE * QUERY_AND_KEY * D / 2, 0, -1}},
        {"alibi:gate=trained", LAYERS, {0, 3, -1}},
        {"t5:gate=trained", LAYERS, {0, 3, -1}},
        {"pope", LAYERS, {D * (QUERY_AND_KEY * POINT + DELTA), 3 * 2 * D, -1}},
        {"pope:delta=none", LAYERS, {D * QUERY_AND_KEY * POINT, 3 * 2 * D, -1}},
        {"selective", LAYERS, {3 * 2 * WIDTH + GATE + 2 + 3 * D / 2 + turned + TORQUE * QUERY_AND_KEY * D / 2, 0, -1}},
        {"cable", LAYERS, {2 * 3 * 2 * WIDTH + GATE + STEP + 5, 13, -1}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const double expected = walk(cases[i].layers, cases[i].head);
        expect_near(cases[i].specification, i, operations_of(cases[i].specification), expected, 1e-9 * expected);
    }
    assert_true(operations_of("none") == 0);
    assert_true(operations_of("random") == WIDTH && operations_of("sinusoidal") == WIDTH);
    assert_true(operations_of("learned") == 2 * WIDTH && operations_of("sinusoidal:gain=trained") == 4 * WIDTH);
    assert_true(operations_of("sinusoidal:gate=trained") == 4 * WIDTH);
    assert_true(operations_of("angle: 10000^(-i/n)") == operations_of("rope"));
}

// Key by key (the loops in reflect.c), each reflection between a query and a key costs two products with w or dw
// forward, and four backward. With chunks of keys it takes more operations, but less time.
static void reflections_cost_more_than_key_by_key(void **state) {
    const Shape large = {.vocab = 11, .context = 1024, .layers = 1, .heads = 1, .width = 64};
    const Mix pos = mix_of("path", &large), forgetting = mix_of("path:forget=true", &large);
    double keys = 0;
    for (int i = 0; i < 1024; i++)
        for (int j = 0; j <= i; j++) keys++;
    const double least = keys / 1024 * 6 * 2 * 64, path = mix_operations(&pos, 1024);
    assert_true(path > least && path < 1.5 * least);
    assert_true(mix_operations(&forgetting, 1024) > path);
    // With a convolution each channel of w costs 6 operations a tap and 9 for silu, without one 1.
    const Mix one = mix_of("path:conv=1", &large), four = mix_of("path:conv=4", &large);
    expect_near("taps", 0, mix_operations(&four, 1024) - mix_operations(&one, 1024), 64 * (6 * 4 + 9 - 1), 1e-6);
}

static void every_scheme_has_a_count_in_bounds(void **state) {
    Shape deep = shape;
    deep.layers = 2 * LAYERS;
    for (const Scheme *const *scheme = schemes; *scheme; scheme++) {
        const char *name = (*scheme)->name;
        const Mix pos = mix_of(name, &shape), twice = mix_of(name, &deep), none = mix_of("none", &shape);
        const double count = mix_operations(&pos, T), whole = gpt_operations(&shape, &none, T);
        if (*scheme != &scheme_none && !(count > 0)) fail_msg("%s costs nothing", name);
        if (!(count < 2 * whole)) fail_msg("%s costs more than two models", name);
        if (!(mix_operations(&pos, 1) <= count)) fail_msg("%s costs more in a shorter window", name);
        if (pos.part[0].scheme->enters > ENTERS_EMBEDDING)
            expect_near(name, 0, mix_operations(&twice, T), 2 * count, 1e-9 * count);
        expect_near(name, 1, gpt_operations(&shape, &pos, T), whole + count, 1e-9 * whole);
    }
}

// --- windows ---

static double with_windows(const char *specification, Windows windows) {
    Shape windowed = shape;
    windowed.windows = windows;
    const Mix pos = mix_of(specification, &windowed);
    return mix_operations(&pos, T);
}

// Only the windows of a scheme's own layers count for it.
static void only_keys_in_the_window_count(void **state) {
    const double seen = keys_seen_of(T, 8) / keys_seen_of(T, 0), all = operations_of("alibi");
    expect_near("all layers", 0, with_windows("alibi", (Windows){1, {8}}), seen * all, 1e-9 * all);
    expect_near("one of three", 0, with_windows("alibi", (Windows){3, {0, 8, 0}}), (2 + seen) / 3 * all, 1e-9 * all);
    const char *one = "none@0,2,alibi@1";
    expect_near("its own", 0, with_windows(one, (Windows){2, {0, 8}}), seen * all / 3, 1e-9 * all);
    expect_near("others'", 0, with_windows(one, (Windows){2, {8, 0}}), all / 3, 1e-9 * all);
    for (const Scheme *const *scheme = schemes; *scheme; scheme++) {
        const char *name = (*scheme)->name;
        const double whole = operations_of(name), less = with_windows(name, (Windows){1, {8}});
        if (with_windows(name, (Windows){1, {T}}) != whole) fail_msg("%s: a window of all keys costs otherwise", name);
        if (!(less <= whole)) fail_msg("%s costs more in a window", name);
    }
}

// A rotation turns the queries of all heads, and the keys of the heads that have keys.
static void shared_keys_turn_once(void **state) {
    Shape sharing = shape;
    sharing.kv_heads = 1;
    const Mix all = mix_of("rope", &shape), shared = mix_of("rope", &sharing);
    expect_near("rope", 0, mix_operations(&shared, T), mix_operations(&all, T) * 3 / 4, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_a_walk),
        cmocka_unit_test(reflections_cost_more_than_key_by_key),
        cmocka_unit_test(every_scheme_has_a_count_in_bounds),
        cmocka_unit_test(only_keys_in_the_window_count),
        cmocka_unit_test(shared_keys_turn_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
