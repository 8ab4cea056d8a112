// A search whose candidates are equally good gives the same population with any qsort, although qsort leaves the order
// of equal elements open.
#include "lab/extend/search.h"
#include "tests/support/scene.h"

// Stands in for the library's: where elements are equal, it turns their order round.
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    unsigned char *bytes = base, *moved = malloc(size);
    assert_non_null(moved);
    for (size_t n = 1; n < count; n++) {
        size_t at = n;
        memcpy(moved, bytes + n * size, size);
        while (at > 0 && compare(moved, bytes + (at - 1) * size) <= 0) at--;
        memmove(bytes + (at + 1) * size, bytes + at * size, (n - at) * size);
        memcpy(bytes + at * size, moved, size);
    }
    free(moved);
}

static int backwards(const void *a, const void *b) {
    return 0;
}

static void this_qsort_turns_equal_elements_round(void **state) {
    int numbers[] = {1, 2, 3};
    qsort(numbers, COUNT(numbers), sizeof *numbers, backwards);
    assert_int_equal(numbers[0], 3);
    assert_int_equal(numbers[2], 1);
}

// Two losses for all.
static bool score(double *loss, void *context, int worker, const Candidate *candidate, int window) {
    *loss = candidate->steps[0] > 0 ? 2 : 1;
    return true;
}

static void of_equal_candidates_the_older_is_better(void **state) {
    const SearchSpace space = {.pairs = 2, .step = 0.01, .most = 300, .unscaled_count = 1};
    const SearchOptions options = {.population = 20, .generations = 4, .windows = 1, .seed = 1};
    const SearchHooks hooks = {NULL, score, NULL};
    const Candidate seeds[] = {{.steps = {5, 9}}, {.steps = {0, 7}}, {.steps = {0, 8}}};
    Search search = search_begin(&space, &options, &hooks);
    assert_true(search_run(&search, seeds, COUNT(seeds)));
    const Evaluated *best = search_member(&search, 0);
    assert_non_null(best);
    assert_true(candidates_equal(&space, &best->candidate, &seeds[1])); // the first of those with the lower loss
    assert_true(candidates_equal(&space, &search_member(&search, 1)->candidate, &seeds[2]));
    search_end(&search);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_qsort_turns_equal_elements_round),
        cmocka_unit_test(of_equal_candidates_the_older_is_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
