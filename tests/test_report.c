// What the pages of a comparison say of numbers that runs might have written.
#include "cmd/report.h"
#include "tests/run_files.h"

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

static void expect_no_text(const char *text, const char *part) {
    if (strstr(text, part)) fail_msg("there is\n%s\nin\n%s", part, text);
}

// Differences of three seeds: mean -spread, mean, mean + spread. The half width of their 95% interval is 2.48 spread.
static void effects_need_the_whole_interval(void **state) {
    (void)state;
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
        {"none;t5", "t5 is ahead of none", "reproduced", -0.01, 0, 0.0001},
        {"none;t5", "t5 is ahead of none", "not resolved", -0.01, 0, 0.1},
        {"none;t5", "t5 is ahead of none", "contradicted", 0.01, 0, 0.0001},
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

static void a_diverged_reference_is_told_from_diverged_schemes(void **state) {
    (void)state;
    Outcome outcome;
    make_plan("none;alibi;alibi-learned;learned", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + 0.1 * job.arm + 0.001 * job.arm * job.seed, 0);
    }
    const Job none = {.task = -1, .arm = 0, .seed = 1}, designed = {.task = -1, .arm = 1, .seed = 1};
    put(&none, MEASURED_HEADER "diverged,8,nan,1\n");
    read_all(&outcome);
    char *text = section(report_answer, &outcome);
    expect_text(text, "| none | - | - | - | diverged |");
    expect_text(text, "| alibi | 3.1010 | - | - | the reference diverged |");
    expect_text(text, "with 0.826 million parameters and 2.05 million training tokens, learned is better than the "
                      "designed scheme of its kind in 0 of 1 cases, ");
    expect_text(text, "worse in 1, and not resolved by these seeds in 0. ");
    free(text);
    outcome_free(&outcome);
    put_rising(&none, 3, 0);
    put(&designed, MEASURED_HEADER "diverged,8,nan,1\n");
    read_all(&outcome);
    text = section(report_answer, &outcome);
    expect_text(text, "worse in 0, and not resolved by these seeds in 0; in the others one of the two diverged.");
    expect_text(text, "alibi-learned minus alibi diverged.");
    expect_no_text(text, "nan");
    free(text);
    outcome_free(&outcome);
}

static void a_page_says_that_runs_are_missing(void **state) {
    (void)state;
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
    (void)state;
    Outcome outcome;
    make_plan("none;alibi", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + job.arm, 0);
        put_log(&job, job.arm == 1 && job.seed == 1 ? 3 : 1, 0.3 * job.seed);
    }
    read_all(&outcome);
    char *text = section(report_training, &outcome);
    expect_text(text, "| none | 100 | 9.3 |\n| none | 200 | 8.3 |\n| none | 300 | 7.3 |\n| none | 400 | 6.3 |\n");
    expect_text(text, "| alibi | 300 | 7.3 |\n| alibi | 400 | 6.3 |\n");
    expect_no_text(text, "| alibi | 100 |");
    expect_text(text, "| alibi | 100000 | 10 | 2.000 | 1.5 | 33.3% | 33.3% to 33.3% |");
    free(text);
    outcome_free(&outcome);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(effects_need_the_whole_interval, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_diverged_reference_is_told_from_diverged_schemes, begin_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(a_page_says_that_runs_are_missing, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(curves_are_means_at_equal_tokens, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
