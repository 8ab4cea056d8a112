// positions.csv: its content, and where a resumed run cuts it.
#include "train/run.h"
#include "tests/train/made_run.h"

static void write_rows(long long from, long long step) {
    RunLog log;
    Error error;
    trainer.progress.step = from;
    must(positions_open(&log, paths.positions, &trainer, &error), &error);
    trainer.progress.step = step;
    if (step > 0) must(positions_row(&log, &trainer, NULL, &error), &error);
    must(log_sync(&log, &error), &error);
    log_close(&log);
}

// The lines of positions.csv; returns their number. The caller frees *text.
static int read_lines(char **text, const char *lines[10]) {
    int count = 0;
    const Buffer file = read_file(paths.positions);
    *text = (char *)file.bytes;
    for (char *at = *text; *at; at = strchr(at, '\n') + 1) {
        assert_true(count < 10);
        lines[count++] = at;
    }
    return count;
}

static void expect_steps(const double *steps, int count) {
    char *text;
    const char *lines[10];
    assert_int_equal(read_lines(&text, lines), 1 + count);
    for (int i = 0; i < count; i++) assert_true(log_number(lines[1 + i], 0) == steps[i]);
    free(text);
}

// Column `column` of the header, and how many columns there are.
static void expect_name(const char *header, int column, const char *name, int columns) {
    int count = 0;
    const char *end = strchr(header, '\n');
    for (const char *at = header; at < end; at += strcspn(at, ",\n") + 1, count++)
        if (count == column) assert_memory_equal(at, name, strlen(name));
    assert_int_equal(count, columns);
}

static void numbers_come_back(void **state) {
    char *text;
    const char *lines[10];
    real *table = trainer.gpt.pos.part[0].params[0];
    write_rows(0, 0);
    const real before = table[13];
    table[13] = (real)0.1;
    write_rows(0, 7);
    assert_int_equal(read_lines(&text, lines), 3);
    expect_name(lines[0], 1 + 13, "table.3.1,", 1 + 8 * 4);
    for (int i = 0; i < 32; i++) assert_true((real)log_number(lines[2], 1 + i) == table[i]);
    assert_true(isnan(log_number(lines[2], 1 + 32)));
    free(text);
    table[13] = before;
}

static void rows_after_the_checkpoint_are_cut(void **state) {
    write_rows(0, 10);
    write_rows(10, 20);
    expect_steps((const double[]){0, 10, 20}, 3);
    write_rows(15, 0);
    expect_steps((const double[]){0, 10}, 2);
    unlink(paths.positions); // a file that was lost is no reason to lose the checkpoint
    write_rows(15, 20);
    expect_steps((const double[]){20}, 1);
    scratch_write(paths.positions, "step,tab", 8); // its header was being written
    write_rows(15, 20);
    expect_steps((const double[]){20}, 1);
}

static void a_file_of_other_numbers_is_not_overwritten(void **state) {
    RunLog log;
    Error error;
    scratch_write(paths.positions, "step,a\n1,2\n", 11);
    trainer.progress.step = 15;
    expect_refused(positions_open(&log, paths.positions, &trainer, &error), &error, "line 1");
    const Buffer file = read_file(paths.positions);
    assert_int_equal(file.size, 11);
    free(file.bytes);
    unlink(paths.positions);
}

static void many_numbers_are_thinned_out(void **state) {
    Shape shape = trainer.gpt.shape;
    Mix pos;
    Trainer other = {0};
    Gpt *gpt = &other.gpt;
    RunLog log;
    char *text;
    const char *lines[10];
    Error error;
    shape.context = 200; // 800 numbers: every fourth
    must(mix_create(&pos, "learned", &shape, &error), &error);
    must(gpt_create(gpt, &shape, &pos, false, &error), &error);
    must(positions_open(&log, paths.positions, &other, &error), &error);
    log_close(&log);
    assert_int_equal(read_lines(&text, lines), 2);
    expect_name(lines[0], 1 + 1, "table.1.0,", 1 + 200);
    expect_name(lines[0], 1 + 199, "table.199.0\n", 1 + 200);
    free(text);
    gpt_free(gpt);
}

static void schemes_that_train_nothing_have_no_file(void **state) {
    Mix pos;
    Trainer other = {0};
    Gpt *gpt = &other.gpt;
    RunLog log;
    Error error;
    must(mix_create(&pos, "rope:pairing=half", &(Shape){.vocab = 5, .context = 8, .layers = 1, .heads = 1, .width = 4},
                    &error),
         &error);
    must(gpt_create(gpt, &pos.shape, &pos, false, &error), &error);
    must(positions_open(&log, paths.positions, &other, &error), &error);
    assert_null(log.stream);
    must(positions_row(&log, &other, NULL, &error), &error);
    log_close(&log);
    assert_false(path_exists(paths.positions));
    gpt_free(gpt);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_come_back, make_run, remove_run),
        cmocka_unit_test_setup_teardown(rows_after_the_checkpoint_are_cut, make_run, remove_run),
        cmocka_unit_test_setup_teardown(a_file_of_other_numbers_is_not_overwritten, make_run, remove_run),
        cmocka_unit_test_setup_teardown(many_numbers_are_thinned_out, make_run, remove_run),
        cmocka_unit_test_setup_teardown(schemes_that_train_nothing_have_no_file, make_run, remove_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
