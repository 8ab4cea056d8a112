// Candidates of LongRoPE's search stay in their search space, whatever is done to them.
#include "lab/extend/search.h"
#include "tests/support/scene.h"

static const struct {
    int pairs;
    double factor;
    int original;
} sizes[] = {{16, 8, 256}, {32, 8, 4096}, {4, 4, 16}, {1, 1, 2}, {2, 1.3, 5}, {256, 5e5, 2}};

static void expect_inside(const SearchSpace *space, const Candidate *c, const char *what) {
    for (int i = 0; i < space->pairs; i++)
        if (c->steps[i] < (i > 0 ? c->steps[i - 1] : 0) || c->steps[i] > space->most)
            fail_msg("%s: pair %d has %d steps, of %d", what, i, c->steps[i], space->most);
    assert_in_range(c->unscaled_choice, 0, space->unscaled_count - 1);
}

static Candidate random_candidate(const SearchSpace *space, Random *random) {
    Candidate c = {.unscaled_choice = random_below(random, space->unscaled_count)};
    for (int i = 0, least = 0; i < space->pairs; i++)
        c.steps[i] = least += random_below(random, (space->most - least) / (space->pairs - i) + 1);
    expect_inside(space, &c, "random");
    return c;
}

static Candidate flat(const SearchSpace *space, int steps) {
    Candidate c = {0};
    for (int i = 0; i < space->pairs; i++) c.steps[i] = steps;
    return c;
}

static void the_space_is_longrope_s(void **state) {
    static const int most[] = {900, 900, 400, 25, 62, 62499900}, choices[] = {14, 14, 7, 3, 4, 3};
    for (size_t n = 0; n < COUNT(sizes); n++) {
        const SearchSpace space = search_space(sizes[n].pairs, sizes[n].factor, sizes[n].original);
        assert_int_equal(space.pairs, sizes[n].pairs);
        assert_int_equal(space.most, most[n]); // factor 1.25 s
        assert_int_equal(space.unscaled_count, choices[n]);
        assert_true(space.step == 0.01);
    }
    for (int i = 1; i < UNSCALED_CHOICES; i++) assert_true(unscaled_choices[i] > unscaled_choices[i - 1]);
    assert_int_equal(unscaled_choices[UNSCALED_CHOICES - 1], 256);
}

// A candidate survives conversion to a stretch, and to the two decimals of search.csv.
static void candidates_are_stretches(void **state) {
    Random random = {random_key(1, "round trip"), 0};
    for (size_t n = 0; n < COUNT(sizes); n++)
        for (int times = 0; times < 200; times++) {
            const SearchSpace space = search_space(sizes[n].pairs, sizes[n].factor, sizes[n].original);
            const Candidate candidate = random_candidate(&space, &random);
            Stretch stretch = {.attention = 1.25}, read = {0};
            candidate_stretch(&stretch, &space, &candidate);
            assert_true(stretch.attention == 1.25);
            assert_int_equal(stretch.unscaled, unscaled_choices[candidate.unscaled_choice]);
            for (int i = 0; i < space.pairs; i++) {
                char text[32];
                expect_near("factor", (size_t)i, stretch.factors[i], 1 + candidate.steps[i] / 100.0,
                            1e-15 * (1 + space.most));
                snprintf(text, sizeof text, "%.2f", stretch.factors[i]);
                read.factors[i] = atof(text);
            }
            read.unscaled = stretch.unscaled;
            const Candidate same = candidate_of(&space, &stretch), also = candidate_of(&space, &read);
            assert_true(candidates_equal(&same, &candidate));
            assert_true(candidates_equal(&also, &candidate));
        }
}

static void stretches_become_the_nearest_candidate(void **state) {
    const SearchSpace space = search_space(4, 4, 16);
    const struct {
        Stretch stretch;
        Candidate candidate;
    } cases[] = {
        {{.factors = {1, 1.004, 1.006, 5}}, {{0, 0, 1, 400}, 0}},
        {{.factors = {0.2, 5.01, 1e9, 1e-6}}, {{0, 400, 400, 400}, 0}}, // cut, and made to rise
        {{.factors = {2, 1.5, 3, 2.5}, .unscaled = 12}, {{100, 100, 200, 200}, 5}},
        {{.factors = {1, 1, 1, 1}, .unscaled = 9}, {{0}, 5}}, // no fewer unscaled tokens, where there is a choice
        {{.factors = {1, 1, 1, 1}, .unscaled = 300}, {{0}, 6}},
    };
    for (size_t n = 0; n < COUNT(cases); n++) {
        const Candidate found = candidate_of(&space, &cases[n].stretch);
        for (int i = 0; i < space.pairs; i++) assert_int_equal(found.steps[i], cases[n].candidate.steps[i]);
        assert_int_equal(found.unscaled_choice, cases[n].candidate.unscaled_choice);
    }
}

static void operators_stay_in_the_space(void **state) {
    Random random = {random_key(1, "operators"), 0};
    for (size_t size = 0; size < COUNT(sizes); size++) {
        const SearchSpace space = search_space(sizes[size].pairs, sizes[size].factor, sizes[size].original);
        Candidate c = flat(&space, size % 2 ? space.most : 0), other = random_candidate(&space, &random);
        bool moved[256] = {false};
        for (int times = 0; times < 1000; times++) {
            const Candidate near = mutate_near(&space, &c, &random), far = mutate_far(&space, &c, &random),
                            child = cross(&space, &near, &other, &random);
            expect_inside(&space, &near, "near");
            expect_inside(&space, &far, "far");
            expect_inside(&space, &child, "child");
            assert_false(candidates_equal(&near, &c));
            for (int i = 0; i < space.pairs; i++) moved[i] = moved[i] || near.steps[i] != c.steps[i];
            other = c;
            c = times % 3 == 0 ? near : times % 3 == 1 ? far : child;
        }
        // Of the first and the last pair as well, though the published search leaves the last two alone.
        for (int i = 0; i < space.pairs; i++) assert_true(moved[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_space_is_longrope_s),
        cmocka_unit_test(candidates_are_stretches),
        cmocka_unit_test(stretches_become_the_nearest_candidate),
        cmocka_unit_test(operators_stay_in_the_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
