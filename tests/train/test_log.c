// log.csv of a run: a row has every column, and a resumed run continues its log at the checkpoint.
#include "tests/train/made_run.h"

#define HEADER "step,tokens,seconds,train_loss,val_loss,val_ppl,lr,grad_norm,tokens_per_second\n"

// Reopen a log that holds `text` after `step`, and expect `kept`.
static void expect_kept(const char *text, long long step, const char *kept) {
    RunLog log;
    Error error;
    scratch_write(paths.log, text, strlen(text));
    must(log_open(&log, paths.log, step, &error), &error);
    fputs("new\n", log.stream);
    must(log_sync(&log, &error), &error);
    log_close(&log);
    const Buffer file = read_file(paths.log);
    const size_t length = strlen(kept);
    if (file.size != length + 4 || memcmp(file.bytes, kept, length) != 0)
        fail_msg("step %lld of '%s' became '%s'", step, text, (const char *)file.bytes);
    assert_string_equal((const char *)file.bytes + length, "new\n");
    free(file.bytes);
}

static void a_log_is_cut_after_the_checkpoint(void **state) {
    static const char three[] = HEADER "1,a\n2,b\n10,c\n";
    expect_kept(three, 0, HEADER); // a new start
    expect_kept(three, 1, HEADER "1,a\n");
    expect_kept(three, 2, HEADER "1,a\n2,b\n");
    expect_kept(three, 9, HEADER "1,a\n2,b\n");
    expect_kept(three, 10, three);
    expect_kept(three, 100, three);
    expect_kept(HEADER "1,a\n2,b\n3,c", 5, HEADER "1,a\n2,b\n"); // the last row was being written
    expect_kept(HEADER "1,a\n2,b\n1", 2, HEADER "1,a\n2,b\n");
    expect_kept(HEADER "1,a\n", 1, HEADER "1,a\n");
    expect_kept(HEADER, 3, HEADER);
    expect_kept("step,tok", 3, HEADER);
    expect_kept("", 3, HEADER);
    RunLog log;
    Error error;
    unlink(paths.log); // a log that was lost is no reason to lose the checkpoint
    must(log_open(&log, paths.log, 4, &error), &error);
    log_close(&log);
    const Buffer file = read_file(paths.log);
    assert_string_equal((const char *)file.bytes, HEADER);
    free(file.bytes);
}

static void a_row_has_every_column(void **state) {
    StepReport report = {.loss = 1.0 / 3,
                         .learning_rate = 1e-3,
                         .gradient_norm = 2.5,
                         .tokens = 8,
                         .seconds = 0.5,
                         .validation = {NAN, NAN, NAN}};
    RunLog log;
    Error error;
    trainer.progress = (Progress){.step = 3, .rows = 30, .seconds = 1.5};
    must(log_open(&log, paths.log, 0, &error), &error);
    must(log_row(&log, &trainer, &report, &error), &error);
    report.validation.loss = log2(8);
    must(log_row(&log, &trainer, &report, &error), &error);
    log_close(&log);
    const Buffer file = read_file(paths.log);
    assert_string_equal((const char *)file.bytes, HEADER "3,240,1.5,0.333333333,,,0.001,2.5,16\n"
                                                         "3,240,1.5,0.333333333,3,20.0855369,0.001,2.5,16\n");
    free(file.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_log_is_cut_after_the_checkpoint, make_run, remove_run),
        cmocka_unit_test_setup_teardown(a_row_has_every_column, make_run, remove_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
