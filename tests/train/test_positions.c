// positions.csv: what is recorded, where a resumed run cuts it, and what is refused when it is read.
#include "train/positions.h"
#include "tests/train/made_run.h"

static void write_rows(long long from, long long step) {
    RunLog log;
    Error error;
    must(positions_open(&log, paths.positions, &trainer.gpt, from, &error), &error);
    if (step > 0) must(positions_row(&log, &trainer.gpt, step, &error), &error);
    must(log_sync(&log, &error), &error);
    log_close(&log);
}

static void expect_steps(const double *steps, int count) {
    Positions positions;
    Error error;
    must(positions_read(&positions, paths.positions, &error), &error);
    assert_int_equal(positions.rows, count);
    for (int i = 0; i < count; i++) assert_true(positions.steps[i] == steps[i]);
    positions_free(&positions);
}

static void numbers_come_back(void **state) {
    Positions positions;
    Error error;
    real *table = trainer.gpt.pos.part[0].params[0];
    write_rows(0, 0);
    const real before = table[13];
    table[13] = (real)0.1;
    write_rows(0, 7);
    must(positions_read(&positions, paths.positions, &error), &error);
    assert_int_equal(positions.columns, 8 * 4);
    assert_string_equal(positions.names[13], "table.3.1");
    assert_int_equal(positions.rows, 2);
    for (int i = 0; i < 32; i++) assert_true((real)positions.values[32 + i] == table[i]);
    positions_free(&positions);
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
    expect_refused(positions_open(&log, paths.positions, &trainer.gpt, 15, &error), &error, "line 1");
    Buffer file = {0};
    must(file_read(&file, paths.positions, &error), &error);
    assert_int_equal(file.size, 11);
    free(file.bytes);
    unlink(paths.positions);
}

static void many_numbers_are_thinned_out(void **state) {
    Shape shape = trainer.gpt.shape;
    Mix pos;
    Gpt gpt;
    RunLog log;
    Positions positions;
    Error error;
    shape.context = 200; // 800 numbers: every fourth
    must(mix_create(&pos, "learned", &shape, &error), &error);
    must(gpt_create(&gpt, &shape, &pos, false, &error), &error);
    must(positions_open(&log, paths.positions, &gpt, 0, &error), &error);
    log_close(&log);
    must(positions_read(&positions, paths.positions, &error), &error);
    assert_int_equal(positions.columns, 200);
    assert_string_equal(positions.names[1], "table.1.0");
    assert_string_equal(positions.names[199], "table.199.0");
    positions_free(&positions);
    gpt_free(&gpt);
}

static void schemes_that_train_nothing_have_no_file(void **state) {
    Mix pos;
    Gpt gpt;
    RunLog log;
    Error error;
    must(mix_create(&pos, "rope:pairing=half", &(Shape){.vocab = 5, .context = 8, .layers = 1, .heads = 1, .width = 4},
                    &error),
         &error);
    must(gpt_create(&gpt, &pos.shape, &pos, false, &error), &error);
    must(positions_open(&log, paths.positions, &gpt, 0, &error), &error);
    assert_null(log.stream);
    must(positions_row(&log, &gpt, 1, &error), &error);
    log_close(&log);
    assert_false(path_exists(paths.positions));
    gpt_free(&gpt);
}

static void damaged_files_are_refused(void **state) {
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        {"", "line 1"},
        {"step,a", "line 1"},
        {"step\n1\n", "line 1"},
        {"time,a\n1,2\n", "line 1"},
        {"step,a,b\n1,2\n", "line 2"},
        {"step,a\n1,2\n2,3,4\n", "line 3"},
        {"step,a\n1,2\n\n", "line 3"},
        {"step,a\n1,x\n", "line 2"},
        {"step,a\n1,\n2,3\n", "line 2"},
        {"step,a\n1,\n2\n", "line 2"},
        {"step,a\n1,2\n3,nan\n", "line 3"},
        {"step,a,b\n1,2,3\n2,-inf,3\n", "line 3"},
        {"step,a\n1,2\n3,1e999\n", "line 3"},
        {"step,a\nnan,2\n", "line 2"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Positions positions;
        Error error;
        scratch_write(paths.positions, cases[i].text, strlen(cases[i].text));
        expect_refused(positions_read(&positions, paths.positions, &error), &error, cases[i].complaint);
        assert_null(positions.values);
    }
    char wide[2 * POSITIONS_COLUMNS + 16] = "step";
    for (int i = 0; i <= POSITIONS_COLUMNS; i++) strcat(wide, ",a");
    strcat(wide, "\n");
    Positions positions;
    Error error;
    scratch_write(paths.positions, wide, strlen(wide));
    expect_refused(positions_read(&positions, paths.positions, &error), &error, "at most 256");
    scratch_write(paths.positions, "step,a\n1,2\n2,", 13); // the last row was being written
    expect_steps((const double[]){1}, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_come_back, make_run, remove_run),
        cmocka_unit_test_setup_teardown(rows_after_the_checkpoint_are_cut, make_run, remove_run),
        cmocka_unit_test_setup_teardown(a_file_of_other_numbers_is_not_overwritten, make_run, remove_run),
        cmocka_unit_test_setup_teardown(many_numbers_are_thinned_out, make_run, remove_run),
        cmocka_unit_test_setup_teardown(schemes_that_train_nothing_have_no_file, make_run, remove_run),
        cmocka_unit_test_setup_teardown(damaged_files_are_refused, make_run, remove_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
