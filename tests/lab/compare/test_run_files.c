// Files of runs that must not be used: damaged ones, and those of other batches or other plans.
#include "train/config.h"
#include "tests/lab/compare/run_files.h"

static void expect_unreadable(const char *what, const char *parts) {
    Outcome outcome;
    Error error = {0};
    expect_refusal(outcome_read(&outcome, &comparison, &error), &error, what, parts);
}

static void other_batches_are_refused(void **state) {
    make_plan("none;rope;alibi", "1e-3,3e-3", "0.1M,0.3M", "copy:max=2");
    static const Job jobs[] = {{.task = -1, .setting = 1, .variant = 2, .rate = 1, .seed = 2},
                               {.task = 0, .variant = 1, .seed = 0}};
    for (size_t i = 0; i < COUNT(jobs); i++) {
        char name[PATH_CAPACITY];
        put_all();
        plan_job_name(name, plan, &jobs[i]);
        put(&jobs[i], MEASURED_HEADER "batches,0,4294967295,1\n");
        expect_unreadable("other batches", name);
        expect_unreadable("other batches", i == 0 ? "ffffffff;00000013" : "ffffffff;00000063");
    }
}

static void damaged_files_are_refused(void **state) {
    static const char *const rows[] = {"loss,256,3.5\n",
                                       ",256,3.5,10\n",
                                       "loss,256,3.5,10,1\n",
                                       "loss 256,3.5,10\n",
                                       "loss,256,3.5x,10\n",
                                       "\n",
                                       "averyverylongname,256,3.5,10\n",
                                       "loss,256,3.5,10\rloss,512,3.5,10\n",
                                       "batches,0,-1,1\n",
                                       "batches,0,4294967296,1\n",
                                       "loss,-1,3,9\n",
                                       "loss,256,3,1e99\n",
                                       "right,1,1.5,40\n"};
    static const char end[] = "batches,0,7,1\n";
    const Job job = {.task = -1, .variant = 1, .seed = 0};
    char text[512], path[PATH_CAPACITY];
    make_plan("none;rope", "", "", "");
    put_all();
    path_of(path, &job, "measured.csv");
    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(text, sizeof text, "%sloss,128,3.5,10\n%s%s", MEASURED_HEADER, rows[i], end);
        put(&job, text);
        expect_unreadable(rows[i], "row 3;remove");
        expect_unreadable(rows[i], path);
    }
    static const char *const frames[] = {"",
                                         "\n",
                                         "batches,0,7,1\n",
                                         "quantity,x,value\nbatches,0,7,1\n",
                                         MEASURED_HEADER,
                                         MEASURED_HEADER "loss,256,3.5,10\n"};
    for (size_t i = 0; i < COUNT(frames); i++) {
        put(&job, frames[i]);
        expect_unreadable(frames[i], path);
    }
}

static void every_shorter_file_is_refused(void **state) {
    const Job job = {.task = -1, .variant = 1, .seed = 0};
    char path[PATH_CAPACITY];
    make_plan("none;rope", "", "", "");
    put_all();
    path_of(path, &job, "measured.csv");
    const Buffer file = read_file(path);
    for (size_t size = file.size; size-- > 0;) {
        assert_int_equal(truncate(path, (off_t)size), 0);
        expect_unreadable("a shorter file", path);
    }
    free(file.bytes);
}

// The part of a run's config.json that is read.
static void put_config(const Job *job, const TrainOptions *options) {
    char path[PATH_CAPACITY];
    path_of(path, job, "config.json");
    json_t *json = json_pack("{s:o, s:{s:i}}", "options", options_json(options), "data", "vocab_size", VOCAB);
    assert_int_equal(json_dump_file(json, path, JSON_REAL_PRECISION(17)), 0);
    json_decref(json);
}

// The name of a run is not enough: its label may have stood for another scheme.
static void runs_of_other_plans_are_refused(void **state) {
    static const char *const others[][2] = {{"pos", "rope:base=7,pairing=half,skip=0"},
                                            {"lr", "0.5"},
                                            {"steps", "7"},
                                            {"seed", "7"},
                                            {"width", "7"},
                                            {"dropout", "0.5"},
                                            {"min-lr", "0"}};
    static const char *const free[][2] = {
        {"data", "elsewhere"}, {"eval-every", "7"}, {"save-every", "7"}, {"threads", "7"}, {"out", "elsewhere"}};
    const Job job = {.task = -1, .variant = 1, .seed = 2};
    Outcome outcome;
    make_plan("none;a=rope", "3e-3", "0.1M", "");
    put_all();
    for (int measured = 1; measured >= 0; measured--) { // and runs that are not done yet
        TrainOptions right = {0}, wrong;
        char path[PATH_CAPACITY];
        Error error;
        if (!measured) {
            path_of(path, &job, "measured.csv");
            unlink(path);
        }
        right = plan_job_options(plan, &job);
        put_config(&job, &right);
        read_all(&outcome);
        outcome_free(&outcome);
        path_of(path, &job, "config.json");
        for (size_t i = 0; i < COUNT(others); i++) {
            char parts[64];
            wrong = right;
            must(option_set(&wrong, option_find(train_options, others[i][0]), others[i][1], "", &error), &error);
            put_config(&job, &wrong);
            snprintf(parts, sizeof parts, "--%s ;%s", others[i][0], others[i][1]);
            expect_unreadable(others[i][0], parts);
            expect_unreadable(others[i][0], path);
        }
        for (size_t i = 0; i < COUNT(free); i++) {
            wrong = right;
            must(option_set(&wrong, option_find(train_options, free[i][0]), free[i][1], "", &error), &error);
            put_config(&job, &wrong);
            read_all(&outcome);
            outcome_free(&outcome);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(other_batches_are_refused, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(damaged_files_are_refused, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(every_shorter_file_is_refused, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(runs_of_other_plans_are_refused, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
