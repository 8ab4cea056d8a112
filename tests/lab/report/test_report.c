// What the other sections of a report say about given measurements.
#include "tests/lab/report/sections.h"

// Which schemes chose an end of the grid, by name; none when the choice is inside.
static void ends_of_the_grid_are_named(void **state) {
    for (int chosen = 0; chosen < 3; chosen++) {
        Outcome outcome;
        make_plan("none;alibi", "0.001,0.002,0.004", "", "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_losses(&job, job.rate == (job.variant ? chosen : 1) ? 2 : 3, 3 + job.variant, 7);
        }
        read_all(&outcome);
        char *text = section(report_chosen_rates, &outcome);
        expect_text(text, "trained at 0.001, 0.002 and 0.004, and");
        expect_text(text, "| none | 0.002 |");
        expect_text(text, (const char *[]){"| alibi | 0.001 |", "| alibi | 0.002 |", "| alibi | 0.004 |"}[chosen]);
        if (chosen == 1) {
            expect_text(text, "No scheme chose an end of the grid.");
        } else {
            expect_text(text, "At the grid's end, so that a better rate may lie beyond: alibi (");
            expect_text(text, chosen ? "alibi (the largest, 0.004)." : "alibi (the smallest, 0.001).");
            expect_no_text(text, "none (");
        }
        free(text);
        text = section_html(report_rates, &outcome);
        expect_text(text, "| alibi | 0.002 |");
        assert_int_equal(strstr(text, "class=\"ring\"") != NULL, true);
        free(text);
        outcome_free(&outcome);
    }
}

// A scheme that diverged at every rate has chosen none.
static void schemes_that_diverge_choose_no_rate(void **state) {
    Outcome outcome;
    make_plan("none;alibi", "0.001,0.002,0.004", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        if (job.variant && job.seed == 1)
            put(&job, MEASURED_HEADER "diverged,12,nan,1\n");
        else
            put_losses(&job, job.rate == 1 ? 2 : 3, 3, 7);
    }
    read_all(&outcome);
    assert_int_equal(outcome.chosen_rate[0][1], 0);
    char *text = section(report_chosen_rates, &outcome);
    expect_text(text, "| alibi | diverged |");
    expect_text(text, "Diverged at every rate, from one seed or more: alibi.");
    expect_no_text(text, "end of the grid");
    free(text);
    outcome_free(&outcome);
}

// Long tasks are measured at some lengths only: the line goes from one of these to the next.
static void lines_pass_over_lengths_that_were_not_asked(void **state) {
    Outcome outcome;
    make_plan("alibi;rope", "", "", "copy:max=2");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        if (job.task < 0)
            put_rising(&job, 3, 0);
        else
            put(&job, MEASURED_HEADER "right,1,0.9,1000\nright,4,0.2,1000\nbatches,0,99,1\n");
    }
    read_all(&outcome);
    char *html = section_html(report_tasks, &outcome), *line = strstr(html, "<path class=\"line\"");
    assert_non_null(line);
    assert_non_null(memchr(line, 'L', strcspn(line, "\n")));
    free(html);
    outcome_free(&outcome);
}

// Seeds are the units of tasks: three seeds of 0, 50 and 100% are no precise 50%.
static void tasks_have_seeds_as_units(void **state) {
    Outcome outcome;
    char row[512];
    make_plan("alibi;alibi-learned", "", "", "copy:max=2");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        char text[256];
        if (job.task < 0) put_rising(&job, 3, 0);
        const double share = job.variant ? 0.5 * job.seed : 0.25;
        snprintf(text, sizeof text,
                 MEASURED_HEADER "right,1,%g,1000\nright,2,%g,1000\nright,3,%g,1000\nbatches,0,99,1\n", share, share,
                 share);
        if (job.task >= 0) put(&job, text);
    }
    read_all(&outcome);
    char *text = section(report_tasks, &outcome);
    expect_text(row_of(text, "| alibi-learned |", row), "| 50.0 ± 50.0 (0, 50, 100) |");
    expect_text(row_of(text, "| alibi |", row), "| 25.0 ± 0.0 (25, 25, 25) |");
    row_of(text, "| alibi-learned - alibi |", row);
    expect_text(row, "| +25.0 (-");
    expect_no_text(row, "*");
    free(text);
    outcome_free(&outcome);
    for (int i = 0; i < plan_job_count(plan); i++) { // now all seeds agree
        const Job job = plan_job(plan, i);
        if (job.task >= 0)
            put(&job, job.variant ? MEASURED_HEADER "right,1,0.9,1000\nright,2,0.9,1000\nbatches,0,99,1\n"
                                  : MEASURED_HEADER "right,1,0.2,1000\nright,2,0.2,1000\nbatches,0,99,1\n");
    }
    read_all(&outcome);
    text = section(report_tasks, &outcome);
    expect_text(row_of(text, "| alibi-learned - alibi |", row), "| +70.0 (+70.0 to +70.0) \\* |");
    free(text);
    outcome_free(&outcome);
}

// A table that LaTeX can read: names escaped, a row for each scheme and contrast.
static void tables_in_latex(void **state) {
    static const double gap = -0.3;
    Outcome outcome;
    char path[PATH_CAPACITY];
    Buffer file;
    Facts facts;
    Error error;
    make_plan("a_b=sinusoidal;learned", "", "", "");
    put_gaps(&gap, 0.01);
    read_all(&outcome);
    gather(&facts, &outcome);
    must(report_latex(&facts, &error) && path_format(path, &error, "%s/report.tex", comparison.directory) &&
             file_read(&file, path, &error),
         &error);
    const char *tex = (const char *)file.bytes;
    expect_text(tex, "a\\_b & $3.0000 \\pm 0.0000$ \\\\\n");
    expect_text(tex, "learned & $2.7000 \\pm 0.0100$ \\\\\n");
    expect_text(tex, "learned $-$ a\\_b (primary, single) & $-0.3000$ [$-0.3248$, $-0.2752$] \\\\\n");
    free(file.bytes);
    facts_free(&facts);
    outcome_free(&outcome);
}

static void put_log(const Job *job, int first, double plus) {
    char path[PATH_CAPACITY], text[4096] = "step,tokens,seconds,train_loss,val_loss\n";
    for (int step = first; step <= 4; step++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d,%d,%d,9,%g\n", step, 100 * step, step,
                 10 - step + plus);
    path_of(path, job, "log.csv");
    unlink(path);
    scratch_write(path, text, strlen(text));
}

// A log that was lost begins where the run went on.
static void curves_are_means_at_equal_tokens(void **state) {
    Outcome outcome;
    make_plan("none;alibi", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + job.variant, 0);
        put_log(&job, job.variant == 1 && job.seed == 1 ? 3 : 1, 0.3 * job.seed);
    }
    read_all(&outcome);
    char *text = section_html(report_training, &outcome);
    expect_text(text, "| none | 100 | 9.3 | 9 | 9.6 |\n| none | 200 | 8.3 | 8 | 8.6 |\n");
    expect_text(text, "| alibi | 300 | 7.3 | 7 | 7.6 |\n| alibi | 400 | 6.3 | 6 | 6.6 |\n");
    expect_no_text(text, "| alibi | 100 |");
    free(text);
    outcome_free(&outcome);
}

// One validation at the end is no curve, and two are one.
static void single_losses_are_no_curve(void **state) {
    for (int first = 3; first <= 4; first++) {
        Outcome outcome;
        make_plan("none;alibi", "", "", "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_rising(&job, 3 + job.variant, 0);
            put_log(&job, first, 0);
        }
        read_all(&outcome);
        char *text = section(report_training, &outcome);
        assert_int_equal(strstr(text, "There is no curve") != NULL, first == 4);
        assert_int_equal(strstr(text, "![") != NULL, first == 3);
        free(text);
        outcome_free(&outcome);
    }
}

// Times that differ by no more than their noise are said to.
static void times_within_noise_are_marked(void **state) {
    for (int slow = 0; slow < 2; slow++) {
        Outcome outcome;
        make_plan("none;alibi", "", "", "");
        for (int i = 0; i < plan_job_count(plan); i++) { // the second seed is 2% slower
            const Job job = plan_job(plan, i);
            char file[256];
            snprintf(file, sizeof file,
                     MEASURED_HEADER "choose,%d,1,10\nloss,%d,1,10\nparameters,0,100000,1\npositions,0,10,1\n"
                                     "tokens,0,1000000,1\nseconds,0,%.4f,1\nbatches,0,7,1\n",
                     T, T,
                     (job.variant == 0 ? 1
                      : slow           ? 1.25
                                       : 1.01) *
                         (job.seed == 1 ? 1.02 : 1));
            put(&job, file);
        }
        read_all(&outcome);
        char *text = section(report_cost, &outcome), row[512];
        row_of(text, "| alibi | 100000 | 10 |", row);
        expect_text(row, slow ? "| 1.25 | +25.0% | 2.0% |" : "| 1.01 | +1.0%, within noise | 2.0% |");
        expect_text(row_of(text, "| none | 100000 | 10 |", row), "| 1.00 | - | 2.0% |");
        free(text);
        outcome_free(&outcome);
    }
}

// The loss in longer windows rises, falls, or neither; or is not known, and why.
static void longer_windows_are_told(void **state) {
    static const struct {
        double rise, spread;
        const char *told;
    } cases[] = {{1, 0.01, "| rises |"},
                 {-1, 0.01, "| falls |"},
                 {0.01, 0.1, "| not resolved |"},
                 {NAN, 0, "| has no value there |"}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        Outcome outcome;
        make_plan("none;alibi", "", "", "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_rising(&job, 3, job.variant ? cases[n].rise + cases[n].spread * job.seed : 0.5);
        }
        read_all(&outcome);
        char *text = section(report_lengths, &outcome), row[512];
        expect_text(row_of(text, "| alibi | 3.0000 |", row), cases[n].told);
        expect_text(row_of(text, "| none | 3.0000 |", row), "| rises |");
        expect_text(text, "the 2 intervals hold at once");
        free(text);
        outcome_free(&outcome);
    }
    Outcome outcome;
    const Job diverged = {.task = -1, .variant = 1, .seed = 1};
    put(&diverged, MEASURED_HEADER "diverged,8,nan,1\n");
    read_all(&outcome);
    char *text = section(report_lengths, &outcome), row[512];
    expect_text(row_of(text, "| alibi | - |", row), "| diverged |");
    free(text);
    outcome_free(&outcome);
}

// What a comparison does not show depends on what was tried.
static void limits_are_those_of_the_plan(void **state) {
    static const char no_rates[] = "No grid of learning rates was tried",
                      tasks[] = "Tasks are trained at the rate of --lr.";
    for (int given = 0; given < 2; given++) {
        Outcome outcome;
        make_plan("none;alibi", given ? "0.001,0.002" : "", "", given ? "copy:max=2" : "");
        plan->unpaired = given;
        put_all();
        read_all(&outcome);
        char *limits = section(report_limits, &outcome), *repeat = section(report_repeat, &outcome);
        char *answer = section(report_answer, &outcome);
        assert_int_equal(strstr(answer, "Learning rates were chosen on the same seeds") != NULL, given);
        assert_int_equal(strstr(limits, no_rates) != NULL, !given);
        assert_int_equal(strstr(limits, tasks) != NULL, given);
        assert_int_equal(strstr(limits, "differences are paired") != NULL, !given);
        assert_int_equal(strstr(limits, "Every scheme has seeds of its own") != NULL, given);
        assert_int_equal(strstr(repeat, "for none; every other scheme has seeds of its own") != NULL, given);
        free(answer);
        free(limits);
        free(repeat);
        outcome_free(&outcome);
    }
}

static void rates_given_with_all_schemes_are_told(void **state) {
    for (int all = 0; all < 2; all++) {
        Outcome outcome;
        make_plan(all ? "none@2e-3;alibi@1e-3" : "none@2e-3;alibi", "", "", "");
        put_all();
        read_all(&outcome);
        char *limits = section(report_limits, &outcome);
        assert_int_equal(strstr(limits, "at learning rates that were given with it") != NULL, all);
        assert_int_equal(strstr(limits, "No grid of learning rates was tried") != NULL, !all);
        free(limits);
        outcome_free(&outcome);
    }
}

// What these seeds would resolve is more than what a resolved difference is certain to.
static void what_is_detectable_is_told(void **state) {
    static const double gap = 0.001;
    Outcome outcome;
    char row[512];
    double detectable;
    make_plan("none;t5", "", "", "");
    put_gaps(&gap, 0.01);
    read_all(&outcome);
    char *texts = section(report_texts, &outcome);
    row_of(texts, "| t5 - none |", row);
    // The half-width over three seeds is 4.30 * 0.01 / sqrt(3); a difference must be larger to be found often.
    assert_int_equal(sscanf(strstr(row, "0.0248"), "0.0248 | - | %lf |", &detectable), 1);
    assert_true(detectable > 0.0248 && detectable < 0.05);
    free(texts);
    outcome_free(&outcome);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ends_of_the_grid_are_named, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(schemes_that_diverge_choose_no_rate, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(lines_pass_over_lengths_that_were_not_asked, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(tasks_have_seeds_as_units, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(tables_in_latex, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(curves_are_means_at_equal_tokens, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(single_losses_are_no_curve, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(times_within_noise_are_marked, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(longer_windows_are_told, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(limits_are_those_of_the_plan, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(rates_given_with_all_schemes_are_told, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(what_is_detectable_is_told, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
