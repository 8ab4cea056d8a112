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
        {"none;learned", "learned is ahead of none", "| -0.0100 | -0.0102 to -0.0098 | 3.33e-05 | reproduced", -0.01, 0,
         0.0001},
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

static const char *p_of(const char *row, int column, char cell[64]) {
    for (; column > 0; column--) row = strchr(row, '|') + 1;
    snprintf(cell, 64, "%.*s", (int)strcspn(row, "|"), row);
    return cell;
}

// What nobody published is no known effect, and a difference has one p-value in every table that it is in.
static void a_difference_has_one_verdict(void **state) {
    Outcome outcome;
    char rows[2][512], cells[2][64];
    make_plan("none;learned;sinusoidal;rope;alibi;rope-learned;t5;random;b=rope:base=7", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        const double noise = 0.05 * sin(3.0 * job.seed + 5 * job.arm);
        put_rising(&job, job.arm ? 2.8 + noise : 3, 1 + 3 * noise);
    }
    read_all(&outcome);
    char *effects = section(report_effects, &outcome), *standings_text = section(report_standings, &outcome),
         *lengths = section(report_lengths, &outcome);
    static const char *const gaps[] = {"learned", "sinusoidal", "rope", "alibi"}, *const others[] = {"t5", "random",
                                                                                                     "b",
                                                                                                     "rope-learned"};
    for (size_t i = 0; i < COUNT(gaps); i++) {
        char words[64];
        snprintf(words, sizeof words, "| %s is ahead of none", gaps[i]);
        row_of(effects, words, rows[0]);
        snprintf(words, sizeof words, "| %s | 2.", gaps[i]);
        row_of(standings_text, words, rows[1]);
        assert_string_equal(p_of(rows[0], 5, cells[0]), p_of(rows[1], 6, cells[1]));
        assert_string_equal(p_of(rows[0], 3, cells[0]), p_of(rows[1], 3, cells[1]));
        assert_int_equal(strstr(rows[0], "not resolved") != NULL, strstr(rows[1], "not resolved") != NULL);
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        char words[64];
        snprintf(words, sizeof words, "| %s ", others[i]);
        expect_no_text(effects, words);
    }
    row_of(effects, "| rope fails past", rows[0]);
    row_of(strstr(lengths, "change at 8x"), "| rope | 2.", rows[1]);
    assert_string_equal(p_of(rows[0], 5, cells[0]), p_of(rows[1], 8, cells[1]));
    free(effects);
    free(standings_text);
    free(lengths);
    outcome_free(&outcome);
    // The same pair as a row of the table and as a learned scheme beside its designed one.
    make_plan("sinusoidal;learned;none", "", "", "");
    Gaps all;
    Standing standings[ARMS_MOST];
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + 0.1 * job.arm + 0.01 * job.seed * job.arm, 0);
    }
    read_all(&outcome);
    outcome_gaps(&all, &outcome, 0, T);
    outcome_standings(standings, &outcome, 0, T);
    assert_int_equal(all.count, 2);
    assert_true(gaps_find(&all, 1, 0)->adjusted == standings[1].adjusted);
    assert_null(gaps_find(&all, 1, 2));
    outcome_free(&outcome);
}

// A gap that went one way and then the other has no verdict, but its sizes.
static void a_bent_gap_has_no_verdict(void **state) {
    static const double gaps[] = {0.1, -0.4, -0.2};
    Outcome outcome;
    make_plan("sinusoidal;learned", "", "0.1M,0.3M,1M", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + job.arm * (gaps[job.setting] + 0.001 * job.seed * (job.setting + 1)), 0);
    }
    read_all(&outcome);
    char *scale = section(report_scale, &outcome), *answer = section(report_answer, &outcome);
    expect_text(scale, "bent | no straight line |");
    expect_text(answer, "no straight line: +0.1010 at 0.1M, -0.3980 at 0.3M, -0.1970 at 1M.");
    for (int i = 0; i < 2; i++) {
        expect_no_text(i ? scale : answer, "crossing");
        expect_no_text(i ? scale : answer, "`");
    }
    free(scale);
    free(answer);
    outcome_free(&outcome);
}

static void a_diverged_reference_is_told_from_diverged_schemes(void **state) {
    Outcome outcome;
    make_plan("none;alibi;alibi-learned;learned", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + 0.1 * job.arm + 0.001 * job.arm * job.seed, 0);
    }
    const Job none = {.task = -1, .arm = 0, .seed = 1}, designed = {.task = -1, .arm = 1, .seed = 1};
    put(&none, MEASURED_HEADER "diverged,8,nan,1\n");
    read_all(&outcome);
    char *text = section(report_standings, &outcome);
    expect_text(text, "| none | - | - | - | diverged |");
    expect_text(text, "| alibi | 3.1010 | - | - | the reference diverged |");
    free(text);
    text = section(report_answer, &outcome);
    expect_text(text, "with 0.826 million parameters and 2.05 million training tokens, the loss of each learned scheme "
                      "minus that of its designed counterpart, in nats a token with 95% intervals (below 0, learned is "
                      "better): alibi-learned minus alibi +0.1");
    expect_text(text, "), worse.\n");
    expect_text(text, "Of all schemes with learned positions, alibi-learned has the lowest loss (3.2020); of all "
                      "others, alibi (3.1010).");
    free(text);
    outcome_free(&outcome);
    put_rising(&none, 3, 0);
    put(&designed, MEASURED_HEADER "diverged,8,nan,1\n");
    read_all(&outcome);
    text = section(report_answer, &outcome);
    expect_text(text, "alibi-learned minus alibi diverged.");
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
    expect_text(text, "| none | 100 | 9.3 |\n| none | 200 | 8.3 |\n| none | 300 | 7.3 |\n| none | 400 | 6.3 |\n");
    expect_text(text, "| alibi | 300 | 7.3 |\n| alibi | 400 | 6.3 |\n");
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
        cmocka_unit_test_setup_teardown(a_bent_gap_has_no_verdict, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_diverged_reference_is_told_from_diverged_schemes, begin_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(a_page_says_that_runs_are_missing, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(curves_are_means_at_equal_tokens, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
