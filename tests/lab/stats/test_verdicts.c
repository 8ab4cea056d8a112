// Verdicts, and which differences they find.
#include "tests/lab/stats/studies.h"

static void what_cannot_be_tested_is_not_resolved(void **state) {
    const Paired known[] = {paired_summary((double[]){1}, 1), paired_summary((double[]){1, NAN, 1}, 3)};
    for (size_t i = 0; i < COUNT(known); i++) {
        assert_true(isnan(paired_interval(&known[i], 5).low) && isnan(paired_interval(&known[i], 5).high));
        assert_true(isnan(resolvable(&known[i], 5)));
        assert_int_equal(paired_verdict(&known[i], 5), i == 0 ? VERDICT_ONE_SEED : VERDICT_DIVERGED);
    }
    const Paired equal = paired_summary((double[]){-0.1, -0.1, -0.1}, 3), none = paired_summary((double[3]){0}, 3);
    assert_int_equal(paired_verdict(&equal, 1000), VERDICT_BETTER);
    assert_int_equal(paired_verdict(&none, 1), VERDICT_UNRESOLVED);
}

// A difference of the size that resolvable() gives is found in 80% of studies, with few seeds and with enough seeds not
// to need Student's t.
static void resolvable_differences_are_found(void **state) {
    static const int seeds[] = {2, 3, 5, 9, 13}, families[] = {1, 6};
    const uint64_t key = random_key(17, "studies");
    for (size_t s = 0; s < COUNT(seeds); s++)
        for (size_t m = 0; m < COUNT(families); m++) {
            const double effect = resolvable(&(Paired){.n = seeds[s], .sd = 1}, families[m]);
            double found = 0;
            for (int study = 0; study < STUDIES; study++) {
                double differences[SEEDS_MOST];
                for (int i = 0; i < seeds[s]; i++) differences[i] = normal_of(key, study, i) - effect;
                const Paired paired = paired_summary(differences, seeds[s]);
                found += (paired_verdict(&paired, families[m]) == VERDICT_BETTER) / (double)STUDIES;
            }
            expect_near("found", (size_t)seeds[s], found, 0.8, share_error(0.8) + 0.015); // resolvable() draws, too
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_tested_is_not_resolved),
        cmocka_unit_test(resolvable_differences_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
