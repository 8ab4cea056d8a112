// Stretched rotations: the tables that a rotary scheme computes for a stretch, and which pairs need one.
#include "posenc/rotation/angles.h"
#include "tests/support/scene.h"

// --- fast and slow pairs ---
static void fast_pairs_turn_fully(void **state) {
    static const struct {
        const char *scheme;
        int d, length, fast, slow;
    } cases[] = {{"rope", 16, 256, 4, 4},
                 {"rope:base=100", 32, 256, 13, 3},
                 {"rope:base=1000", 32, 256, 9, 7},
                 {"rope", 32, 256, 7, 9},
                 {"rope:base=500000", 32, 256, 5, 11},
                 {"rope", 32, 512, 8, 8},
                 {"rope:base=1000", 64, 256, 18, 14},
                 {"rope", 64, 256, 13, 19},
                 {"rope", 64, 1024, 18, 14},
                 {"rope", 64, 4096, 23, 9},
                 {"rope", 128, 4096, 46, 18},
                 {"rope:base=500000", 128, 4096, 32, 32},
                 {"rope:pairing=interleaved", 32, 256, 7, 9},
                 {"partial", 64, 256, 7, 9},       // half of the head, with its own exponents
                 {"prope:p=0.25", 32, 256, 4, 12}, // standing still is slow
                 {"rope", 32, 6, 0, 16}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        const Shape shape = shape_of(1, cases[n].d, cases[n].length);
        Mix pos;
        Error error;
        must(mix_create(&pos, cases[n].scheme, &shape, &error), &error);
        assert_int_equal(rotary_fast_pairs(&pos.part[0], cases[n].length), cases[n].fast);
        assert_int_equal(rotary_pairs(&pos.part[0]), cases[n].fast + cases[n].slow);
    }
}

// --- tables ---
enum { D = 16, ORIGINAL = 12, LENGTH = 40 };

static const char *const stretchable[] = {"rope", "rope:pairing=interleaved,base=300", "partial",
                                          "partial:fraction=0.75,pairing=interleaved", "prope:p=0.5"};

// The cosine and sine, times the attention factor, of pair `pair` at position t, measured with a unit vector.
static void turned(real out[2], const Scene *scene, int pair, int t) {
    const Position *pos = scene->pos;
    const bool half = rotary_of(pos)->pairing == PAIRING_HALF;
    const int c0 = half ? pair : 2 * pair, c1 = half ? pair + rotary_pairs(pos) : 2 * pair + 1;
    const Place at = {.t = t, .column = t};
    real q[D] = {0}, k[D] = {0};
    q[c0] = k[c0] = 1;
    pos->scheme->family->qk_forward(&scene->tables, 0, q, k, D, &at, 1);
    assert_memory_equal(q, k, sizeof q);
    out[0] = q[c0], out[1] = q[c1];
}

static void stretch_scene(Scene *scene, const StretchRule *rule, int positions) {
    scene->pos->stretch = *rule;
    scene_layout(scene, positions, 1);
}

// At all positions, pairs turn as `stretch` says and, before `unscaled`, as in the unstretched scene.
static void expect_stretched(const Scene *scene, const Scene *plain, const Stretch *stretch, const char *what) {
    const Position *pos = scene->pos;
    for (int t = 0; t < scene->tables.positions; t++)
        for (int i = 0; i < rotary_pairs(pos); i++) {
            const bool scaled = t >= stretch->unscaled;
            const double angle = t * theta_of(pos, 0, 0, i) / (scaled ? stretch->factors[i] : 1);
            real found[2], unscaled[2];
            turned(found, scene, i, t);
            turned(unscaled, plain, i, t);
            const double attention = stretch->attention;
            if (!scaled && attention == 1) assert_memory_equal(found, unscaled, sizeof found);
            expect_near(what, (size_t)t, (double)found[0], attention * cos(angle), 2e-7);
            expect_near(what, (size_t)t, (double)found[1], attention * sin(angle), 2e-7);
        }
}

static Stretch some_stretch(int unscaled, double attention, double first) {
    Stretch stretch = {.unscaled = unscaled, .attention = attention};
    for (int i = 0; i < D / 2; i++) stretch.factors[i] = first + 0.37 * i;
    return stretch;
}

static void tables_turn_slower_after_the_unscaled_tokens(void **state) {
    static const int unscaled[] = {0, 1, 5, LENGTH, 2 * LENGTH};
    static const double attentions[] = {1, 1.2, 0.75};
    for (size_t s = 0; s < COUNT(stretchable); s++) {
        Scene scene, plain;
        scene_make(&scene, stretchable[s], shape_of(1, D, LENGTH), LENGTH);
        scene_make(&plain, stretchable[s], shape_of(1, D, LENGTH), LENGTH);
        for (size_t u = 0; u < COUNT(unscaled); u++)
            for (size_t a = 0; a < COUNT(attentions); a++) {
                StretchRule rule = {.method = METHOD_LONGROPE, .original = ORIGINAL, .pairs = rotary_pairs(scene.pos)};
                rule.long_stretch = some_stretch(unscaled[u], attentions[a], 1.3);
                stretch_scene(&scene, &rule, LENGTH);
                expect_stretched(&scene, &plain, &rule.long_stretch, stretchable[s]);
            }
        scene_free(&scene);
        scene_free(&plain);
    }
}

static void short_windows_may_turn_otherwise(void **state) {
    static const int lengths[] = {1, ORIGINAL - 1, ORIGINAL, ORIGINAL + 1, LENGTH};
    Scene scene, plain;
    StretchRule rule = {.method = METHOD_YARN, .original = ORIGINAL, .pairs = D / 2};
    rule.long_stretch = some_stretch(2, 1.2, 3);
    rule.short_stretch = some_stretch(4, 0.9, 1.1);
    scene_make(&scene, "rope", shape_of(1, D, LENGTH), LENGTH);
    scene_make(&plain, "rope", shape_of(1, D, LENGTH), LENGTH);
    for (int brief = 0; brief <= 1; brief++)
        for (size_t n = 0; n < COUNT(lengths); n++) {
            const bool is_brief = brief && lengths[n] <= ORIGINAL;
            Stretch made;
            rule.has_short = brief;
            assert_true(stretch_of_window(&made, &rule, lengths[n], D / 2) ==
                        (is_brief ? &rule.short_stretch : &rule.long_stretch));
            stretch_scene(&scene, &rule, lengths[n]);
            expect_stretched(&scene, &plain, is_brief ? &rule.short_stretch : &rule.long_stretch, "rope");
        }
    assert_null(stretch_of_window(&rule.long_stretch, &(StretchRule){0}, LENGTH, D / 2)); // nothing is stretched
    scene_free(&scene);
    scene_free(&plain);
}

static void dynamic_tables_follow_their_length(void **state) {
    static const int lengths[] = {2, ORIGINAL, ORIGINAL + 1, LENGTH};
    Scene scene, plain;
    scene_make(&scene, "rope", shape_of(1, D, LENGTH), LENGTH);
    scene_make(&plain, "rope", shape_of(1, D, LENGTH), LENGTH);
    for (int growth = 1; growth <= 4; growth += 3)
        for (size_t n = 0; n < COUNT(lengths); n++) {
            const StretchRule rule = {.method = METHOD_DYNAMIC, .original = ORIGINAL, .growth = growth};
            Stretch expected;
            stretch_dynamic(&expected, growth, ORIGINAL, lengths[n], D / 2);
            stretch_scene(&scene, &rule, lengths[n]);
            if (lengths[n] <= ORIGINAL) expected.unscaled = LENGTH; // to the bit
            expect_stretched(&scene, &plain, &expected, "dynamic");
        }
    scene_free(&scene);
    scene_free(&plain);
}

// Positional interpolation puts token s t where token t was.
static void pi_is_the_plain_rotation_in_smaller_steps(void **state) {
    Scene scene, plain;
    StretchRule rule = {.method = METHOD_PI, .original = ORIGINAL};
    stretch_formula(&rule.long_stretch, METHOD_PI, &(FormulaOptions){0}, 4, ORIGINAL, 10000, D / 2);
    scene_make(&scene, "rope", shape_of(1, D, 4 * ORIGINAL), 4 * ORIGINAL);
    scene_make(&plain, "rope", shape_of(1, D, ORIGINAL), ORIGINAL);
    stretch_scene(&scene, &rule, 4 * ORIGINAL);
    for (int t = 0; t < ORIGINAL; t++)
        for (int i = 0; i < D / 2; i++) {
            real slow[2], fast[2];
            turned(slow, &scene, i, 4 * t);
            turned(fast, &plain, i, t);
            expect_all_near("rope", slow, fast, 2, 1e-7);
        }
    scene_free(&scene);
    scene_free(&plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_pairs_turn_fully),
        cmocka_unit_test(tables_turn_slower_after_the_unscaled_tokens),
        cmocka_unit_test(short_windows_may_turn_otherwise),
        cmocka_unit_test(dynamic_tables_follow_their_length),
        cmocka_unit_test(pi_is_the_plain_rotation_in_smaller_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
