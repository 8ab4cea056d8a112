// What the pages of a comparison say about given measurements.
#include "lab/report/sections.h"
#include "tests/lab/compare/run_files.h"

enum { SEEDS = 3 };

// A run on text whose loss is `loss` in trained windows, and `rise` more in windows of eight times that.
static void put_rising(const Job *job, double loss, double rise) {
    char text[512];
    snprintf(text, sizeof text,
             MEASURED_HEADER "choose,%d,1,1000\nloss,%d,%.10g,999\nloss,%d,%.10g,999\nparameters,0,100000,1\n"
                             "positions,0,10,1\ntokens,0,2000000,1\nseconds,0,%d,1\nbatches,0,7,1\n",
             T, T, loss, 8 * T, loss + rise, 2 + job->arm);
    put(job, text);
}

// The Markdown of one section.
static char *section(bool (*write)(Page *, const Outcome *, Error *), const Outcome *outcome) {
    char path[PATH_CAPACITY];
    Page page;
    Buffer file;
    Error error;
    must(page_open(&page, comparison.directory, "section", "Title", &error) && write(&page, outcome, &error) &&
             page_close(&page, &error) && path_format(path, &error, "%s/section.md", comparison.directory) &&
             file_read(&file, path, &error),
         &error);
    return (char *)file.bytes;
}

// The HTML of one section; a row of a table in it is a line "| a | b |", as in Markdown.
static char *section_html(bool (*write)(Page *, const Outcome *, Error *), const Outcome *outcome) {
    static const char *const marks[][2] = {{"<tr><td>", "| "},   {"<tr><th>", "| "},   {"</td><td>", " | "},
                                           {"</th><th>", " | "}, {"</td></tr>", " |"}, {"</th></tr>", " |"}};
    char path[PATH_CAPACITY];
    Buffer file;
    Error error;
    free(section(write, outcome));
    must(path_format(path, &error, "%s/section.html", comparison.directory) && file_read(&file, path, &error), &error);
    char *text = (char *)file.bytes;
    for (size_t i = 0; i < COUNT(marks); i++)
        for (char *at = text; (at = strstr(at, marks[i][0])); at += strlen(marks[i][1])) {
            char *rest = at + strlen(marks[i][0]);
            memcpy(at, marks[i][1], strlen(marks[i][1]));
            memmove(at + strlen(marks[i][1]), rest, strlen(rest) + 1);
        }
    return text;
}

static void expect_no_text(const char *text, const char *part) {
    if (strstr(text, part)) fail_msg("there is\n%s\nin\n%s", part, text);
}

// Differences of three seeds: mean -spread, mean, mean + spread. The half width of their 95% interval is 2.48 spread.
static void effects_need_the_whole_interval(void **state) {
    static const struct {
        const char *schemes, *effect, *found;
        double differs, rises, spread; // of the second scheme: from the first, and past the trained length
    } cases[] = {
        {"sinusoidal;rope", "rope fails past the trained length", "reproduced", 0, 1, 0.01},
        {"sinusoidal;rope", "rope fails past the trained length", "not resolved", 0, 1, 1},
        {"sinusoidal;rope", "rope fails past the trained length", "contradicted", 0, 0.01, 0.001},
        {"sinusoidal;rope", "rope fails past the trained length", "contradicted", 0, -1, 0.1},
        {"sinusoidal;alibi", "alibi does not fail past the trained length", "reproduced", 0, 0, 0.005},
        {"sinusoidal;alibi", "alibi does not fail past the trained length", "reproduced", 0, 0.01, 0.001},
        {"sinusoidal;alibi", "alibi does not fail past the trained length", "not resolved", 0, 0, 0.05},
        {"sinusoidal;alibi", "alibi does not fail past the trained length", "contradicted", 0, 0.5, 0.01},
        {"sinusoidal;learned", "learned ties sinusoidal within the trained length", "reproduced", 0.001, 0, 0.005},
        {"sinusoidal;learned", "learned ties sinusoidal within the trained length", "not resolved", 0.001, 0, 0.05},
        {"sinusoidal;learned", "learned ties sinusoidal within the trained length", "contradicted", -0.1, 0, 0.005},
        {"none;learned", "learned is ahead of none", "| -0.0100 | -0.0102 to -0.0098 | reproduced", -0.01, 0, 0.0001},
        {"none;learned", "learned is ahead of none", "not resolved", -0.01, 0, 0.1},
        {"none;learned", "learned is ahead of none", "contradicted", 0.01, 0, 0.0001},
    };
    for (size_t n = 0; n < COUNT(cases); n++) {
        Outcome outcome;
        make_plan(cases[n].schemes, "", "", "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            const double off = job.arm ? (job.seed - 1) * cases[n].spread : 0;
            put_rising(&job, 3 + job.arm * cases[n].differs + (cases[n].rises == 0 ? off : 0),
                       (job.arm ? cases[n].rises : 2) + (cases[n].differs == 0 ? off : 0));
        }
        read_all(&outcome);
        char *text = section(report_effects, &outcome), row[256];
        const char *at = strstr(text, cases[n].effect), *end = at ? strchr(at, '\n') : NULL;
        if (!end) fail_msg("there is no\n%s\nin\n%s", cases[n].effect, text);
        snprintf(row, sizeof row, "%.*s", (int)(end - at), at);
        expect_text(row, cases[n].found);
        free(text);
        outcome_free(&outcome);
    }
}

static char *row_of(const char *text, const char *words, char row[512]) {
    const char *at = strstr(text, words), *end = at ? strchr(at, '\n') : NULL;
    if (!end) fail_msg("there is no\n%s\nin\n%s", words, text);
    snprintf(row, 512, "%.*s", (int)(end - at), at);
    return row;
}

// Runs whose losses differ from those of arm 0 by gaps (settings), with differences that are `spread` apart between
// the seeds.
static void put_gaps(const double *gaps, double spread) {
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + job.arm * (gaps[job.setting] + spread * (job.seed - 1)), 0);
    }
}

// A contrast has one interval and one verdict on the whole page, in words, in the plot's table, among all pairs and
// among published effects.
static void a_difference_has_one_verdict(void **state) {
    static const struct {
        double gap, spread;
        const char *sentence, *row, *pair, *effect;
    } cases[] = {
        {-0.3, 0.01, "learned is better than sinusoidal by 0.300 nats a token (0.275 to 0.325).", "| better |",
         "-0.300 (-0.325 to -0.275) *", "| -0.3248 to -0.2752 | contradicted |"},
        {0.3, 0.01, "sinusoidal is better than learned by 0.300 nats a token (0.275 to 0.325).", "| worse |",
         "+0.300 (+0.275 to +0.325) *", "| +0.2752 to +0.3248 | contradicted |"},
        {0.001, 0.01, "learned - sinusoidal: not resolved, +0.001 (-0.024 to +0.026) nats a token; a difference of ",
         "| not resolved |", "+0.001 (-0.024 to +0.026) |", "| -0.0238 to +0.0258 | not resolved |"},
    };
    for (size_t n = 0; n < COUNT(cases); n++) {
        Outcome outcome;
        char row[512];
        make_plan("sinusoidal;learned", "", "", "");
        put_gaps(&cases[n].gap, cases[n].spread);
        read_all(&outcome);
        char *answer = section(report_answer, &outcome), *pairs = section_html(report_pairs, &outcome),
             *effects = section(report_effects, &outcome);
        expect_text(answer, cases[n].sentence);
        expect_text(row_of(answer, "| learned - sinusoidal |", row), cases[n].row);
        expect_text(pairs, cases[n].pair);
        expect_text(effects, cases[n].effect);
        free(answer);
        free(pairs);
        free(effects);
        outcome_free(&outcome);
    }
}

// With more contrasts, each has a longer interval; pairs that are no contrasts have another correction.
static void intervals_hold_all_at_once(void **state) {
    Outcome outcome;
    make_plan("sinusoidal;learned;rope;rope-learned;none", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 - 0.3 * (job.arm % 2) + 0.01 * (job.arm % 2) * (job.seed - 1), 0);
    }
    read_all(&outcome);
    char *text = section(report_answer, &outcome);
    assert_int_equal(report_contrasts(&outcome), 2);
    assert_true(report_comparisons(&outcome) == 2);
    expect_text(text, "learned is better than sinusoidal by 0.300 nats a token (0.264 to 0.336).");
    expect_text(text, "all 2 intervals hold at once");
    const Finding pair = report_pair(&outcome, 1, 2, 0), contrast = report_contrast(&outcome, 0, 0);
    const Interval of_ten = paired_interval(&pair.gap, 10), of_two = paired_interval(&contrast.gap, 2);
    assert_true(pair.interval.low == of_ten.low && contrast.interval.low == of_two.low);
    // A contrast seen from its other side has the same interval with the other sign.
    const Finding other = report_best_known(&outcome, 0, 1, 0);
    assert_true(fabs(other.interval.low + contrast.interval.high) < 1e-12);
    free(text);
    outcome_free(&outcome);
}

// Without learned schemes, or without their designed ones, every scheme is compared with the reference.
static void without_pairs_the_reference_is_compared(void **state) {
    static const double gap = -0.3;
    Outcome outcome;
    make_plan("none;rope", "", "", "");
    put_gaps(&gap, 0.01);
    read_all(&outcome);
    char *text = section(report_answer, &outcome);
    expect_text(text, "Which of these position schemes predicts text better?");
    expect_text(text, "rope is better than none by 0.300");
    expect_no_text(text, "learned");
    expect_no_text(text, "compute");
    free(text);
    outcome_free(&outcome);
    make_plan("sinusoidal;learned", "", "", "");
    put_gaps(&gap, 0.01);
    read_all(&outcome);
    text = section(report_answer, &outcome);
    expect_text(text, "Do position schemes that are learned predict text better than designed ones?");
    free(text);
    outcome_free(&outcome);
}

// What is said of a ladder is what happens between its settings, not one slope.
static void a_ladder_is_told_step_by_step(void **state) {
    static const struct {
        double gaps[3];
        const char *answer, *steps;
    } cases[] = {
        {{0.1, -0.4, -0.2},
         "From 0.1M to 1M, learned gains on sinusoidal.",
         "learned - sinusoidal: from 0.1M to 0.3M -0.499"},
        {{-0.4, 0.1, 0.1}, "From 0.1M to 1M, sinusoidal gains on learned.", "; from 0.3M to 1M -0.0010"},
        {{0.1, 0.1, 0.1}, "From 0.1M to 1M, no change is resolved for learned - sinusoidal.", "not resolved; from"},
    };
    for (size_t n = 0; n < COUNT(cases); n++) {
        Outcome outcome;
        make_plan("sinusoidal;learned", "", "0.1M,0.3M,1M", "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_rising(&job, 3 + job.arm * (cases[n].gaps[job.setting] + 0.001 * job.seed * (1 + job.setting % 2)), 0);
        }
        read_all(&outcome);
        char *answer = section(report_answer, &outcome), *scale = section(report_scale, &outcome);
        expect_text(answer, cases[n].answer);
        expect_text(answer, "as compute grows?");
        expect_text(scale, cases[n].steps);
        if (n == 0) expect_text(scale, "in favour of learned; from 0.3M to 1M +0.199");
        if (n == 0) expect_text(scale, "in favour of sinusoidal.");
        if (n == 2) expect_no_text(scale, "favour");
        free(answer);
        free(scale);
        outcome_free(&outcome);
    }
}

// Which schemes chose an end of the grid, by name; none when the choice is inside.
static void ends_of_the_grid_are_named(void **state) {
    for (int chosen = 0; chosen < 3; chosen++) {
        Outcome outcome;
        make_plan("none;alibi", "0.001,0.002,0.004", "", "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_losses(&job, job.rate == (job.arm ? chosen : 1) ? 2 : 3, 3 + job.arm, 7);
        }
        read_all(&outcome);
        char *text = section(report_rates, &outcome);
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

static void diverged_runs_are_named(void **state) {
    Outcome outcome;
    make_plan("none;alibi;alibi-learned;learned", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + 0.1 * job.arm + 0.001 * job.arm * job.seed, 0);
    }
    const Job none = {.task = -1, .arm = 0, .seed = 1}, designed = {.task = -1, .arm = 1, .seed = 1};
    put(&none, MEASURED_HEADER "diverged,8,nan,1\n");
    read_all(&outcome);
    char *text = section(report_losses, &outcome);
    expect_text(text, "| none | diverged | - |");
    expect_text(text, "| alibi | 3.1010 ± 0.0010 |");
    free(text);
    text = section(report_answer, &outcome);
    expect_text(text, "alibi is better than alibi-learned by 0.1010 nats a token");
    free(text);
    outcome_free(&outcome);
    put_rising(&none, 3, 0);
    put(&designed, MEASURED_HEADER "diverged,8,nan,1\n");
    read_all(&outcome);
    text = section(report_answer, &outcome);
    expect_text(text, "alibi-learned - alibi: not known, because a run diverged.");
    expect_no_text(text, "nan");
    free(text);
    outcome_free(&outcome);
}

static void a_page_says_that_runs_are_missing(void **state) {
    Outcome outcome;
    char path[PATH_CAPACITY];
    make_plan("none;alibi", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + job.arm, 0);
    }
    read_all(&outcome);
    char *text = section(report_answer, &outcome);
    expect_no_text(text, "Not finished");
    free(text);
    outcome_free(&outcome);
    const Job last = {.task = -1, .arm = 1, .seed = SEEDS - 1};
    path_of(path, &last, "measured.csv");
    unlink(path);
    read_all(&outcome);
    text = section(report_answer, &outcome);
    expect_text(text, "Not finished: 5 of 6 runs are done, and this page has the first 2 of 3 seeds.");
    free(text);
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
        const double share = job.arm ? 0.5 * job.seed : 0.25;
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
            put(&job, job.arm ? MEASURED_HEADER "right,1,0.9,1000\nright,2,0.9,1000\nbatches,0,99,1\n"
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
    Error error;
    make_plan("a_b=sinusoidal;learned", "", "", "");
    put_gaps(&gap, 0.01);
    read_all(&outcome);
    must(report_latex(&outcome, &error) && path_format(path, &error, "%s/report.tex", comparison.directory) &&
             file_read(&file, path, &error),
         &error);
    const char *tex = (const char *)file.bytes;
    expect_text(tex, "a\\_b & $3.0000 \\pm 0.0000$ \\\\\n");
    expect_text(tex, "learned & $2.7000 \\pm 0.0100$ \\\\\n");
    expect_text(tex, "learned $-$ a\\_b & $-0.3000$ [$-0.3248$, $-0.2752$] \\\\\n");
    free(file.bytes);
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
        put_rising(&job, 3 + job.arm, 0);
        put_log(&job, job.arm == 1 && job.seed == 1 ? 3 : 1, 0.3 * job.seed);
    }
    read_all(&outcome);
    char *text = section_html(report_training, &outcome);
    expect_text(text, "| none | 100 | 9.3 | 9 | 9.6 |\n| none | 200 | 8.3 | 8 | 8.6 |\n");
    expect_text(text, "| alibi | 300 | 7.3 | 7 | 7.6 |\n| alibi | 400 | 6.3 | 6 | 6.6 |\n");
    expect_no_text(text, "| alibi | 100 |");
    free(text);
    text = section(report_cost, &outcome);
    expect_text(text, "| alibi | 100000 | 10 | 2.000 | 1.5 | 33.3% | 33.3% to 33.3% |");
    free(text);
    outcome_free(&outcome);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(effects_need_the_whole_interval, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_difference_has_one_verdict, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(intervals_hold_all_at_once, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(without_pairs_the_reference_is_compared, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_ladder_is_told_step_by_step, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(ends_of_the_grid_are_named, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(diverged_runs_are_named, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_page_says_that_runs_are_missing, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(tasks_have_seeds_as_units, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(tables_in_latex, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(curves_are_means_at_equal_tokens, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
