// The other sections of a report, for given measurements.
#include "tests/lab/report/sections.h"

// Names the schemes that chose an end of the grid, but none whose choice is inside. A scheme that diverged chose none.
static void ends_of_the_grid_are_named(void **state) {
    static const char *const rows[] = {"| alibi | 0.001, the smallest |", "| alibi | 0.002 |",
                                       "| alibi | 0.004, the largest |"};
    make_plan("none;alibi", "0.001,0.002,0.004", "", "");
    for (int chosen = 0; chosen < 3; chosen++) {
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_losses(&job, job.rate == (job.variant ? chosen : 1) ? 2 : 3, 3 + job.variant, 7);
        }
        const char *text = section(report_rates);
        expect_text(text, "trained at 0.001, 0.002 and 0.004, and");
        expect_text(text, "| none | 0.002 |");
        expect_text(text, rows[chosen]);
        text = section(report_answer);
        expect_if(chosen != 1, text, "- The best learning rate is at an end of the grid: alibi (");
        text = section_as(report_rates, "html");
        expect_text(text, "| alibi | 0.002 |");
        expect_text(text, "class=\"ring\"");
    }
    for (int rate = 0; rate < 3; rate++) put_diverged(&(Job){.task = -1, .variant = 1, .seed = 1, .rate = rate});
    expect_text(section(report_rates), "| alibi | diverged at every rate |");
    expect_no_text(section(report_answer), "at an end of the grid");
}

// Runs of a task with the same share of right answers at all lengths up to `most`.
static void put_shares(int variant, int seed, double share, int most) {
    char text[256] = MEASURED_HEADER;
    const Job job = {.task = 0, .variant = variant, .seed = seed};
    for (int length = 1; length <= most; length++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "right,%d,%g,1000\n", length, share);
    strcat(text, "batches,0,99,1\n");
    put(&job, text);
}

// Long tasks are measured at some lengths only: the line connects these lengths.
static void lines_pass_over_lengths_that_were_not_asked(void **state) {
    make_plan("alibi;rope", "", "", "copy:max=2");
    put_all();
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        if (job.task >= 0) put(&job, MEASURED_HEADER "right,1,0.9,1000\nright,4,0.2,1000\nbatches,0,99,1\n");
    }
    const char *line = strstr(section_as(report_tasks, "html"), "<path class=\"line\"");
    assert_non_null(line);
    assert_non_null(memchr(line, 'L', strcspn(line, "\n")));
}

// Seeds are the units of tasks: three seeds of 0, 50 and 100% are not a precise 50%.
static void tasks_have_seeds_as_units(void **state) {
    make_plan("alibi;alibi-learned", "", "", "copy:max=2");
    put_all();
    for (int seed = 0; seed < SEEDS; seed++) {
        put_shares(0, seed, 0.25, 3);
        put_shares(1, seed, 0.5 * seed, 3);
    }
    const char *text = section(report_tasks);
    expect_text(row_of(text, "| alibi-learned |"), "| 50.0 ± 50.0 (0, 50, 100) |");
    expect_text(row_of(text, "| alibi |"), "| 25.0 ± 0.0 (25, 25, 25) |");
    expect_text(row_of(text, "| alibi-learned - alibi |"), "| +25.0 (-");
    expect_no_text(row_of(text, "| alibi-learned - alibi |"), "*");
    for (int seed = 0; seed < SEEDS; seed++) { // now all seeds agree
        static const double shares[SEEDS][2] = {{0, 0.4}, {0.17, 0.57}, {0.41, 0.81}};
        put_shares(0, seed, shares[seed][0], 2);
        put_shares(1, seed, shares[seed][1], 2);
    }
    // Answers are counted, so that few seeds may agree by chance: no interval.
    expect_text(row_of(section(report_tasks), "| alibi-learned - alibi |"), "| +40.0 |");
}

// Tables that LaTeX can read: names escaped, a row for each scheme and contrast, numbers in math.
static void tables_in_latex(void **state) {
    make_plan("a_b=sinusoidal;learned", "", "", "");
    put_gaps(-0.3, 0.01);
    const char *tex = section_as(report_answer, "tex");
    expect_text(tex, "\\begin{tabular}{lr}\nscheme & loss \\\\ \\hline\n");
    expect_text(tex, "a\\_b & $3.0000 \\pm 0.0000$ \\\\\n");
    expect_text(tex, "learned & $2.7000 \\pm 0.0100$ \\\\\n\\end{tabular}}\n");
    expect_text(tex, "\\caption{Schemes by loss: median loss in nats a token of 3 seeds, trained in windows of ");
    expect_text(tex, "together, which decides: all of its family hold at once}\n\\label{tab:ranking}\n");
    expect_text(tex, "corrected so that all of its family hold at once}\n\\label{tab:contrasts}\n");
    expect_text(tex, "learned - a\\_b & $-0.300$ & $-0.325$ & $-0.275$ & better & primary, single \\\\\n");
}

// A stretched scheme is in no pair: it has the losses of the scheme whose weights it shares.
static void stretched_schemes_are_in_no_pair(void **state) {
    make_plan("rope;y=rope --stretch yarn:factor=4;alibi;none", "", "", "");
    assert_int_equal(plan_trained(plan), 3);
    put_gaps(-0.3, 0.01);
    const char *text = section_as(report_pairs, "html");
    expect_text(text, "corrected for all 3 pairs");
    expect_text(text, "| scheme | rope | alibi | none |");
    expect_no_text(text, "| y |");
}

// In all tables, a stretched scheme has the contrast of the scheme whose weights it shares.
static void a_contrast_has_one_interval(void **state) {
    Error error;
    make_plan("rope;y=rope --stretch yarn:factor=4;alibi;none", "", "", "");
    must(plan_contrast(plan, "y - alibi", "2026-01-31T23:59:59Z", 0, &error), &error);
    put_gaps(-0.3, 0.01);
    gather();
    const Difference named = outcome_difference(&outcome, 1, 2, 0, 1), same = outcome_difference(&outcome, 0, 2, 0, 1);
    assert_true(named.primary && same.primary);
    assert_true(named.comparisons == 1 && same.comparisons == 1);
    assert_false(outcome_difference(&outcome, 1, 3, 0, 1).primary);
    forget();
}

// A line that coincides with another has its own dash, and is drawn on top.
static void stretched_schemes_have_dashes(void **state) {
    Chart chart = {0};
    make_plan("y=rope --stretch yarn:factor=4;rope;l=rope-learned --stretch pi", "", "", "");
    const Facts of = {.plan = plan};
    for (int v = 0; v < plan->variant_count; v++) report_line(&chart, &of, v);
    assert_true(chart.lines[0].dash > 0 && chart.lines[1].dash == 0);
    assert_true(chart.lines[2].dash > 0 && chart.lines[2].dash != chart.lines[0].dash);
    chart_free(&chart);
}

// Each of sixteen schemes has a colour or a dash of its own; learned ones are dashed.
static void schemes_look_different(void **state) {
    bool seen[HUES][DASHES] = {0};
    Chart chart = {0};
    make_plan(
        "sinusoidal;learned;rope;alibi;none;r=rope-learned;random;integer;cope;t5;binary;fire;a=rope;b=learned;c=alibi;"
        "d=none",
        "", "", "");
    const Facts of = {.plan = plan};
    for (int v = 0; v < plan->variant_count; v++) {
        report_line(&chart, &of, v);
        const Line *line = &chart.lines[v];
        assert_false(seen[line->hue % HUES][line->dash % DASHES]);
        seen[line->hue % HUES][line->dash % DASHES] = true;
        assert_true(line->dash % 2 == plan->variants[v].learned);
    }
    assert_int_equal(chart.count, 16);
    chart_free(&chart);
}

// The axis of compute also shows tokens.
static void compute_is_told_with_tokens(void **state) {
    make_plan("none;rope", "", "0.1M,1M", "");
    put_gaps(-0.3, 0.01);
    expect_text(section_as(report_scale, "html"), " operations; tokens: ");
    expect_text(written, " M<");
    // More settings than the axis has room for.
    const SettingLists many = {.scale = "0.11M,0.21M,0.31M,0.41M,0.51M,0.61M,0.71M,0.81M",
                               .tokens_per_parameter = "10,20,30,40,50,60,70,80",
                               .contexts = ""};
    Error error;
    make_plan("none;rope", "", "", "");
    must(plan_settings(plan, &many, &error), &error);
    put_gaps(-0.3, 0.01);
    expect_text(section_as(report_scale, "html"), " operations; tokens: ");
}

// The setting with the most training gives the answer, wherever it is in the list.
static void the_most_compute_is_told(void **state) {
    const SettingLists falling = {.scale = "", .tokens_per_parameter = "20,5", .contexts = ""};
    Error error;
    make_plan("none;rope;alibi", "", "", "");
    must(plan_settings(plan, &falling, &error), &error);
    put_gaps(-0.3, 0.01);
    expect_text(section(report_answer), "Lowest loss at 20tpp");
    expect_no_text(written, "Lowest loss at 5tpp");
    expect_text(section(report_pairs), "at 20tpp"); // and the pairs of all
    expect_text(written, "at 5tpp");
    expect_text(section(report_seeds), "at 5tpp");
}

// Curves of all runs with a point at each of `steps` steps, of which one run lacks the first. The second variant leaves
// its plateau, seed by seed later.
static void put_curves(int steps) {
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        char text[1024] = MEASURED_HEADER;
        snprintf(text + strlen(text), sizeof text - strlen(text), "loss,%d,2,999\n", T);
        for (int step = job.variant == 1 && job.seed == 1 ? 2 : 1; step <= steps; step++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "curve,%d,%g,1\n", 100 * step,
                     10 - step + 0.3 * job.seed);
        if (job.variant == 1 && job.seed != 2)
            snprintf(text + strlen(text), sizeof text - strlen(text), "left,0,%d,1\n", 200 + 100 * job.seed);
        snprintf(text + strlen(text), sizeof text - strlen(text), "seconds,0,100,1\nbatches,0,7,1\n");
        put(&job, text);
    }
}

static void curves_are_medians(void **state) {
    make_plan("none;alibi", "", "", "");
    plan->settings[0].steps = 400;
    put_curves(4);
    const char *text = section_as(report_training, "html");
    const double tokens = setting_tokens(plan, 0);
    char row[128];
    snprintf(row, sizeof row, "| none | %.6g | 9.3 | 9 | 9.6 |\n", tokens / 4);
    expect_text(text, row);
    expect_text(text, "| none | 50 | 8.3 |\n"); // half of 100 seconds
    snprintf(row, sizeof row, "| alibi | %.6g | 9.3 |", tokens / 4);
    expect_no_text(text, row);
    // It leaves after 200 and 300 steps; twice 300 steps are more than there are.
    expect_text(text, "| alibi | 2 of 3 | 250 | 200 | 300 | 7.6500 | - | 2.0000 |");
    expect_text(text, "| none | 0 of 3 | - | - | - | - | - | - |");
    put_curves(6);
    expect_text(section(report_training), "| alibi | 2 of 3 | 250 | 200 | 300 | 7.6500 | 5.1500 | 2.0000 |");
    put_curves(1);
    expect_text(section(report_training), "There is no curve");
}

// Times that differ by no more than their noise are marked.
static void times_within_noise_are_marked(void **state) {
    make_plan("none;alibi", "", "", "");
    for (int slow = 0; slow < 2; slow++) {
        for (int i = 0; i < plan_job_count(plan); i++) { // the second seed is 2% slower
            const Job job = plan_job(plan, i);
            const double seconds = job.variant == 0 ? 1 : slow ? 1.25 : 1.01;
            char file[256];
            snprintf(file, sizeof file,
                     MEASURED_HEADER "choose,%d,1,10\nloss,%d,1,10\nparameters,0,100000,1\npositions,0,10,1\n"
                                     "tokens,0,1000000,1\nseconds,0,%.4f,1\nbatches,0,7,1\n",
                     T, T, seconds * (job.seed == 1 ? 1.02 : 1));
            put(&job, file);
        }
        const char *text = section(report_cost);
        expect_text(row_of(text, "| alibi | 100000 | 10 |"),
                    slow ? "| 1.25 | +25.0% | 2.0% |" : "| 1.01 | +1.0%, within noise | 2.0% |");
        expect_text(row_of(text, "| none | 100000 | 10 |"), "| 1.00 | - | 2.0% |");
    }
}

// The report says whether the loss in longer windows rises, falls or neither, or why it is not known.
static void longer_windows_are_told(void **state) {
    static const struct {
        double rise, spread;
        const char *told;
    } cases[] = {{1, 0.01, "| rises |"},
                 {-1, 0.01, "| falls |"},
                 {0.01, 0.1, "| not resolved |"},
                 {NAN, 0, "| has no value there |"}};
    make_plan("none;alibi", "", "", "");
    for (size_t n = 0; n < COUNT(cases); n++) {
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_rising(&job, 3, job.variant ? cases[n].rise + cases[n].spread * job.seed : 0.5);
        }
        const char *text = section(report_lengths);
        expect_text(row_of(text, "| alibi | 3.0000 |"), cases[n].told);
        expect_text(row_of(text, "| none | 3.0000 |"), "| rises |");
        expect_text(text, "the 2 intervals hold at once");
    }
    put_diverged(&(Job){.task = -1, .variant = 1, .seed = 1});
    expect_text(row_of(section(report_lengths), "| alibi | - |"), "| diverged |");
}

// The list of what a comparison does not show depends on what was tried.
static void limits_are_those_of_the_plan(void **state) {
    static const struct {
        WriteSection *write;
        bool given; // is it said with grid and tasks, or without them?
        const char *words;
    } said[] = {{report_limits, false, "No grid of learning rates was tried"},
                {report_limits, true, "Tasks are trained at the rate of --lr."},
                {report_answer, true, "Learning rates were chosen on the same seeds"}};
    for (int given = 0; given < 2; given++) {
        make_plan("none;alibi", given ? "0.001,0.002" : "", "", given ? "copy:max=2" : "");
        put_all();
        for (size_t n = 0; n < COUNT(said); n++)
            expect_if(said[n].given == given, section(said[n].write), said[n].words);
    }
    for (int all = 0; all < 2; all++) {
        make_plan(all ? "none@2e-3;alibi@1e-3" : "none@2e-3;alibi", "", "", "");
        put_all();
        const char *limits = section(report_limits);
        expect_if(all, limits, "at learning rates that were given with it");
        expect_if(!all, limits, "No grid of learning rates was tried");
    }
}

// The resolvable difference is larger than the half-width of an interval, beyond which a difference is resolved.
static void what_is_detectable_is_told(void **state) {
    double detectable;
    make_plan("none;t5", "", "", "");
    put_gaps(0.001, 0.01);
    const char *row = row_of(section(report_seeds), "| t5 - none |");
    // The half-width over three seeds is 4.30 * 0.01 / sqrt(3); a difference must be larger to be found often.
    assert_int_equal(sscanf(strstr(row, "0.010"), "0.010 | %lf |", &detectable), 1);
    assert_true(detectable > 0.0248 && detectable < 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        section_test(ends_of_the_grid_are_named),
        section_test(lines_pass_over_lengths_that_were_not_asked),
        section_test(tasks_have_seeds_as_units),
        section_test(tables_in_latex),
        section_test(stretched_schemes_are_in_no_pair),
        section_test(a_contrast_has_one_interval),
        section_test(stretched_schemes_have_dashes),
        section_test(schemes_look_different),
        section_test(compute_is_told_with_tokens),
        section_test(the_most_compute_is_told),
        section_test(curves_are_medians),
        section_test(times_within_noise_are_marked),
        section_test(longer_windows_are_told),
        section_test(limits_are_those_of_the_plan),
        section_test(what_is_detectable_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
