// Candidates of LongRoPE's search: they stay in their space whatever is done to them.
#include "lab/extend/search.h"
#include "tests/support/scene.h"

static const struct {
    int pairs;
    double factor;
    int original;
} sizes[] = {{16, 8, 256}, {32, 8, 4096}, {4, 4, 16}, {1, 1, 2}, {2, 1.3, 5}, {256, 5e5, 2}};

static void expect_inside(const SearchSpace *space, const Candidate *c, const char *what) {
    for (int i = 0; i < space->pairs; i++)
        if (c->steps[i] < (i > 0 && !space->free ? c->steps[i - 1] : 0) || c->steps[i] > space->most)
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

// By way of a stretch, and of the two decimals that search.csv has.
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
            assert_true(candidates_equal(&space, &same, &candidate));
            assert_true(candidates_equal(&space, &also, &candidate));
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
    for (size_t n = 0; n < 2 * COUNT(sizes); n++) {
        const size_t size = n / 2;
        SearchSpace space = search_space(sizes[size].pairs, sizes[size].factor, sizes[size].original);
        space.free = n % 2 == 1;
        Candidate c = flat(&space, size % 2 ? space.most : 0), other = random_candidate(&space, &random);
        for (int times = 0; times < 1000; times++) {
            const Candidate near = mutate_near(&space, &c, 0.3, &random), far = mutate_far(&space, &c, &random),
                            child = cross(&space, &near, &other, 0.3, &random);
            expect_inside(&space, &near, "near");
            expect_inside(&space, &far, "far");
            expect_inside(&space, &child, "child");
            assert_false(candidates_equal(&space, &near, &c));
            other = c;
            c = times % 3 == 0 ? near : times % 3 == 1 ? far : child;
        }
    }
}

static int falls(const SearchSpace *space, const Candidate *c) {
    int count = 0;
    for (int i = 1; i < space->pairs; i++) count += c->steps[i] < c->steps[i - 1];
    return count;
}

// Where the rule would sort or move them, and where a peak or a dip can come from.
static void free_candidates_may_fall(void **state) {
    enum { TIMES = 2000 };
    SearchSpace space = search_space(16, 8, 256);
    space.free = true;
    Random random = {random_key(1, "free"), 0};
    const Stretch falling = {.factors = {9, 8, 7, 6, 5, 4, 3, 2, 1, 2, 3, 2, 1, 2, 3, 4}};
    const Candidate parent = candidate_of(&space, &falling), pi = flat(&space, 700);
    assert_int_equal(falls(&space, &parent), 10);
    Stretch same = {0};
    candidate_stretch(&same, &space, &parent);
    for (int i = 0; i < space.pairs; i++) expect_near("factor", (size_t)i, same.factors[i], falling.factors[i], 1e-12);
    int near_falls = 0, far_falls = 0, peaks = 0, dips = 0;
    for (int times = 0; times < TIMES; times++) {
        const Candidate near = mutate_near(&space, &pi, 0.3, &random), far = mutate_far(&space, &pi, &random),
                        child = cross(&space, &parent, &pi, 0.5, &random);
        near_falls += falls(&space, &near) > 0;
        far_falls += falls(&space, &far) > 1; // one at an end of the line alone would also be there if it rose
        for (int i = 0; i < space.pairs; i++)
            assert_true(child.steps[i] == parent.steps[i] || child.steps[i] == pi.steps[i]);
        // Between neighbours of factor 8, a pair gets 4 to 9.99, the limit of the space.
        peaks += near.steps[0] == 700 && near.steps[1] > 700 && near.steps[2] == 700;
        dips += near.steps[0] == 700 && near.steps[1] < 700 && near.steps[2] == 700;
        for (int i = 1; i + 1 < space.pairs; i++)
            assert_true(near.steps[i - 1] != 700 || near.steps[i + 1] != 700 || near.steps[i] >= 300);
    }
    assert_true(near_falls > 0.9 * TIMES && far_falls > 0.3 * TIMES);
    assert_true(peaks > 0.02 * TIMES && dips > 0.05 * TIMES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_space_is_longrope_s),
        cmocka_unit_test(candidates_are_stretches),
        cmocka_unit_test(stretches_become_the_nearest_candidate),
        cmocka_unit_test(operators_stay_in_the_space),
        cmocka_unit_test(free_candidates_may_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
