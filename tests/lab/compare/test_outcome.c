// Computing, from the files that runs have written, means, pairs, the choice of learning rates, and verdicts.
#include "lab/compare/outcome.h"
#include "tests/lab/compare/run_files.h"

static void numbers_are_found_again(void **state) {
    Outcome outcome;
    make_plan("none;rope;alibi", "", "0.1M,0.3M", "copy:max=2");
    put_all();
    read_all(&outcome);
    assert_int_equal(outcome.seeds, 3);
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        const Measures *measures = outcome_measures(&outcome, &job);
        assert_true(measures->count > 0);
        assert_int_equal(measures->count, job.task < 0 ? 5 : 3);
        if (job.task >= 0) continue;
        const double loss = outcome_value(&outcome, job.setting, job.variant, job.seed, "loss", T);
        expect_near("loss", (size_t)i, loss, some_loss(&job), 1e-9);
    }
    assert_true(isnan(outcome_value(&outcome, 0, 0, 0, "loss", 4 * T)));
    assert_true(isnan(outcome_value(&outcome, 0, 0, 0, "los", T)));
    outcome_free(&outcome);
}

// The chosen rate is the best on the choosing half of validation, although another is best on the reported half.
static void the_choosing_half_chooses(void **state) {
    static const double choose[2][2][3] = {{{5, 4, 3}, {3, 4, 5}}, {{4, 3, 5}, {4, 4, 4}}}; // size, variant, rate
    Outcome outcome;
    make_plan("none;rope", "1e-4,1e-3,1e-2", "0.1M,0.3M", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        // Seed 1 alone would choose otherwise, and so would the losses.
        const double mean = choose[job.setting][job.variant][job.rate],
                     other = choose[job.setting][job.variant][2 - job.rate];
        put_losses(&job, job.seed == 1 ? mean + 0.3 * (other - mean) : mean, 10 - mean, 7u + (unsigned)job.setting);
    }
    read_all(&outcome);
    static const int best[2][2] = {{2, 0}, {1, 0}};
    for (int setting = 0; setting < 2; setting++)
        for (int variant = 0; variant < 2; variant++) {
            assert_int_equal(outcome.chosen_rate[setting][variant], best[setting][variant]);
            for (int rate = 0; rate < 3; rate++) { // two seeds alike, and one that is off
                const double mean = choose[setting][variant][rate],
                             off = 0.3 * (choose[setting][variant][2 - rate] - mean);
                expect_near("mean", (size_t)rate, outcome_choosing_losses(&outcome, setting, variant, rate).mean,
                            mean + off / 3, 1e-8);
            }
            expect_near("loss", 0, outcome_value(&outcome, setting, variant, 2, "loss", T),
                        10 - choose[setting][variant][best[setting][variant]], 1e-9);
        }
    outcome_free(&outcome);
    // A rate at which one seed diverged is no choice, however good the others are.
    const Job diverged = {.setting = 0, .task = -1, .variant = 0, .rate = 2, .seed = 1};
    put(&diverged, MEASURED_HEADER "diverged,12,nan,1\n");
    read_all(&outcome);
    assert_int_equal(outcome.chosen_rate[0][0], 1);
    assert_true(isnan(outcome_choosing_losses(&outcome, 0, 0, 2).mean) &&
                isfinite(outcome_choosing_losses(&outcome, 0, 0, 1).mean));
    outcome_free(&outcome);
}

static void unfinished_seeds_are_left_out(void **state) {
    static const struct {
        Job job;
        int seeds;
    } cases[] = {{{.task = -1, .variant = 2, .seed = 2}, 2},
                 {{.task = -1, .setting = 1, .variant = 1, .rate = 1, .seed = 1}, 1},
                 {{.task = 0, .variant = 2, .seed = 1}, 1},
                 {{.task = 0, .variant = 0, .seed = 0}, 0}};
    Outcome outcome;
    make_plan("none;rope;alibi", "1e-3,3e-3", "0.1M,0.3M", "copy:max=2");
    for (size_t i = 0; i < COUNT(cases); i++) {
        char path[PATH_CAPACITY];
        put_all();
        path_of(path, &cases[i].job, "measured.csv");
        assert_int_equal(unlink(path), 0);
        read_all(&outcome);
        assert_int_equal(outcome.seeds, cases[i].seeds);
        outcome_free(&outcome);
    }
}

static void answers_add_up(void **state) {
    Outcome outcome;
    make_plan("none;rope", "", "", "copy:max=2 parity");
    put_all();
    for (int seed = 0; seed < 3; seed++) {
        const Job job = {.task = 1, .variant = 1, .seed = seed};
        char text[200];
        snprintf(text, sizeof text,
                 MEASURED_HEADER "right,1,1,3\nright,2,0.3333333333,3\nright,3,0,%d\nlost,1,9,1\nbatches,0,99,1\n",
                 seed);
        put(&job, text);
    }
    read_all(&outcome);
    assert_true(outcome_share(&outcome, 1, 1, 2, 1, 2) == 4 / 6.0);
    assert_true(outcome_share(&outcome, 1, 1, 2, 3, 3) == 0);
    assert_true(isnan(outcome_share(&outcome, 1, 1, 0, 3, 9)));
    outcome_free(&outcome);
    const Job lost = {.task = 1, .variant = 1, .seed = 1};
    put(&lost, MEASURED_HEADER "diverged,8,nan,1\n");
    read_all(&outcome);
    assert_true(isnan(outcome_share(&outcome, 1, 1, 1, 1, 2)) && outcome_share(&outcome, 1, 1, 2, 1, 2) == 4 / 6.0);
    outcome_free(&outcome);
}

// With the checksum in the last row, no flipped bit is accepted.
static void flipped_bits_are_refused(void **state) {
    make_plan("none;rope", "", "", "");
    put_all();
    const Job job = {.task = -1, .variant = 1, .seed = 1};
    char rows[256], text[320], seal[64], path[PATH_CAPACITY];
    snprintf(rows, sizeof rows, MEASURED_HEADER "choose,%d,5,1000\nloss,%d,3.4,999\nbatches,0,8,1\n", T, T);
    snprintf(text, sizeof text, "%s%s", rows, measure_seal(seal, rows, strlen(rows)));
    put(&job, text);
    path_of(path, &job, "measured.csv");
    Outcome outcome;
    Error error = {0};
    must(outcome_read(&outcome, &comparison, &error), &error);
    assert_int_equal(outcome_measures(&outcome, &job)->count, 3);
    outcome_free(&outcome);
    for (uint64_t bit = 0; bit < 8 * strlen(text); bit++) {
        flip_bit(path, bit);
        expect_refusal(outcome_read(&outcome, &comparison, &error), &error, "a flipped bit", "measured.csv");
        flip_bit(path, bit);
    }
}

static void results_csv_has_everything(void **state) {
    static const char *const lines[] = {
        RESULTS_HEADER,
        "0.1M,\"the \"\"tales\"\", all\",256,97248,20.0066,,none,0.001,1,1337,choose,256,5,1000\n",
        "0.3M,\"the \"\"tales\"\", "
        "all\",256,332080,20.0002,,\"rope:base=7,pairing=half\",0.003,1,1339,loss,256,3.402,999\n",
        "0.3M,\"the \"\"tales\"\", "
        "all\",256,332080,20.0002,,\"rope:base=7,pairing=half\",0.003,1,1339,loss,512,4.402,999\n",
        "0.3M,\"the \"\"tales\"\", "
        "all\",256,332080,20.0002,,\"rope:base=7,pairing=half\",0.001,0,1339,batches,0,19,1\n",
        ",,28,,,\"builtin:copy:max=2,min=1\",none,0.001,1,1338,right,1,0.75,40\n",
        ",,28,,,\"builtin:copy:max=2,min=1\",\"rope:base=7,pairing=half\",0.001,1,1339,diverged,9,nan,1\n"};
    char path[PATH_CAPACITY];
    Outcome outcome;
    Buffer csv;
    Error error;
    make_plan("none;rope:base=7,pairing=half", "1e-3,3e-3", "0.1M,0.3M", "copy:max=2,min=1");
    strcpy(plan->texts[0].name, "the \"tales\", all");
    put_all();
    const Job diverged = {.task = 0, .variant = 1, .seed = 2};
    put(&diverged, MEASURED_HEADER "diverged,9,nan,1\n");
    read_all(&outcome);
    must(path_format(path, &error, "%s/results.csv", comparison.directory), &error);
    must(outcome_write(path, &outcome, &error) && file_read(&csv, path, &error), &error);
    const char *text = (const char *)csv.bytes;
    int found = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) found++;
    assert_int_equal(found, 1 + 3 * 2 * 2 * 2 * 5 + 5 * 3 + 1);
    for (size_t i = 0; i < COUNT(lines); i++) {
        const char *at = strstr(text, lines[i]);
        if (!at || (at > text && at[-1] != '\n'))
            fail_msg("there is no row %s in\n%.300s\n%.300s", lines[i], strstr(text, "\n0.3M"), strstr(text, "\n,"));
    }
    free(csv.bytes);
    outcome_free(&outcome);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_are_found_again, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(the_choosing_half_chooses, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(unfinished_seeds_are_left_out, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(answers_add_up, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(flipped_bits_are_refused, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(results_csv_has_everything, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
