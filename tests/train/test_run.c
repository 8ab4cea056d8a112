// A run directory is made once, and opened only when its files belong together.
#include "tests/train/made_run.h"

static void expect_closed(const char *past, const char *part) {
    Run run;
    Error error = {0};
    expect_refused(run_open(&run, run_directory, past, &error), &error, part);
}

static void a_run_is_opened(void **state) {
    Run run;
    Error error;
    must(run_open(&run, run_directory, "", &error), &error);
    assert_int_equal(run.gpt.shape.vocab, 257);
    assert_int_equal(run.gpt.shape.width, 4);
    assert_int_equal(run.tokenizer.kind, TOKENIZER_BYTES);
    assert_string_equal(run.options.pos, options.pos);
    assert_string_equal(run.options.out, options.out);
    assert_null(run.gpt.grads);
    assert_int_equal(run.gpt.tensors.total, trainer.gpt.tensors.total);
    assert_memory_equal(run.gpt.params, trainer.gpt.params, run.gpt.tensors.total * sizeof(real));
    assert_int_equal(mix_max_length(&run.gpt.pos), 8);
    run_close(&run);
}

static void past_changes_the_scheme_s_option(void **state) {
    static const char *const choices[] = {"clamp", "interpolate"};
    for (size_t i = 0; i < COUNT(choices); i++) {
        Run run;
        Error error;
        must(run_open(&run, run_directory, choices[i], &error), &error);
        assert_int_equal(mix_max_length(&run.gpt.pos), 0);
        run_close(&run);
    }
    expect_closed("clmap", "did you mean 'clamp'");
}

static void a_run_is_never_written_over(void **state) {
    Error error = {0};
    expect_refused(run_create(&paths, &options, &trainer, &error), &error, "already holds a run");
    unlink(paths.config);
    expect_refused(run_create(&paths, &options, &trainer, &error), &error, "already holds files of a run");
    unlink(paths.model);
    scratch_write(paths.log, "step", 4);
    expect_refused(run_create(&paths, &options, &trainer, &error), &error, "already holds files of a run");
    unlink(paths.log);
    scratch_write(paths.tokenizer, "{}", 2);
    expect_refused(run_create(&paths, &options, &trainer, &error), &error, "is not of this run");
    Tokenizer other;
    must(tokenizer_create(&other, TOKENIZER_CHARS, &error) && tokenizer_extend(&other, "xyz", 3, "a text", &error) &&
             tokenizer_write(&other, paths.tokenizer, &error),
         &error);
    tokenizer_free(&other);
    expect_refused(run_create(&paths, &options, &trainer, &error), &error, "is not of this run");
    unlink(paths.tokenizer);
    assert_int_equal(scratch_count(run_directory), 0);
    must(run_create(&paths, &options, &trainer, &error), &error);
}

// What is left when a start is killed just before it would have been a run.
static void a_start_that_was_killed_is_begun_anew(void **state) {
    Error error;
    unlink(paths.config);
    unlink(paths.model);
    must(state_save(paths.state, &trainer.gpt, &trainer.progress, &error), &error);
    must(run_create(&paths, &options, &trainer, &error), &error);
    assert_false(path_exists(paths.state)); // those weights were another start's
}

// A run has its own copy of its starting weights from the beginning, whatever happens to the originals.
static void starting_weights_belong_to_the_run(void **state) {
    TrainOptions from = options;
    RunPaths from_paths;
    Trainer other;
    Error error = {0};
    snprintf(from.init, sizeof from.init, "%.500s", run_directory);
    snprintf(from.out, sizeof from.out, "%.400s/from", directory);
    from.seed = 7;
    for (int i = 0; i < 10; i++) trainer.gpt.params[i] = (real)i;
    must(model_save(paths.model, &trainer.gpt, NULL, &error), &error);
    must(run_paths(&from_paths, from.out, &error) && directory_create(from.out, NULL, &error), &error);
    must(trainer_create(&other, &from, &corpus, &error) && run_load_or_create(&other, &from_paths, &from, &error),
         &error);
    assert_false(path_exists(from_paths.model));
    trainer_free(&other);
    scratch_remove(run_directory);
    from.resume = true;
    must(trainer_create(&other, &from, &corpus, &error) && run_load_or_create(&other, &from_paths, &from, &error),
         &error);
    assert_int_equal(other.progress.step, 0);
    assert_memory_equal(other.gpt.params, trainer.gpt.params, trainer.gpt.tensors.total * sizeof(real));
    unlink(from_paths.state);
    expect_refused(run_load_or_create(&other, &from_paths, &from, &error), &error, "state.safetensors");
    trainer_free(&other);
}

static void one_process_at_a_time_is_in_a_run(void **state) {
    char fresh[SCRATCH_PATH + 64];
    RunLock lock, second;
    Error error = {0};
    snprintf(fresh, sizeof fresh, "%s/a/b/", directory);
    assert_int_equal(run_lock(&lock, fresh, &error), LOCK_MINE);
    assert_true(lock.existing < strlen(fresh));
    assert_int_equal(run_lock(&second, fresh, &error), LOCK_TAKEN);
    expect_refused(false, &error, fresh);
    run_unlock(&second);
    assert_true(path_exists(fresh));
    run_unlock(&lock);
    run_unlock(&lock);
    *strstr(fresh, "/b/") = '\0';
    assert_false(path_exists(fresh)); // nor its parent, as nothing was written
    assert_int_equal(run_lock(&lock, run_directory, &error), LOCK_MINE);
    assert_int_equal(lock.existing, strlen(run_directory));
    run_unlock(&lock);
    assert_int_equal(scratch_count(run_directory), 3);
    snprintf(fresh, sizeof fresh, "%s/lock", run_directory);
    scratch_write(fresh, "", 0); // as a killed process leaves it
    assert_int_equal(run_lock(&lock, run_directory, &error), LOCK_MINE);
    run_unlock(&lock);
    assert_int_equal(scratch_count(run_directory), 3);
    snprintf(fresh, sizeof fresh, "%s/file", directory);
    scratch_write(fresh, "", 0);
    assert_int_equal(run_lock(&lock, fresh, &error), LOCK_FAILED);
    expect_refused(false, &error, fresh);
}

static void missing_files_are_named(void **state) {
    unlink(paths.tokenizer);
    expect_closed("", "tokenizer.json");
    unlink(paths.model);
    expect_closed("", "has no model.safetensors yet");
    unlink(paths.config);
    expect_closed("", "holds no run");
    snprintf(run_directory, sizeof run_directory, "%s/nowhere", directory);
    expect_closed("", "cannot open");
}

// Change the options in config.json, with the same data and model beside it.
static void rewrite_config(const TrainOptions *changed) {
    Error error;
    must(config_write(paths.config, changed, &trainer.gpt, &corpus, &error), &error);
}

static void files_that_do_not_belong_together_are_refused(void **state) {
    TrainOptions changed = options;
    changed.width = 6;
    rewrite_config(&changed);
    expect_closed("", "[257,6]");
    changed = options;
    changed.layers = 2;
    rewrite_config(&changed);
    expect_closed("", "lacks the tensor h.1.");
    changed = options;
    changed.context = 9;
    rewrite_config(&changed);
    expect_closed("", "pos.table");
    changed = options;
    snprintf(changed.pos, sizeof changed.pos, "none");
    rewrite_config(&changed);
    expect_closed("", "but config.json asks for");
    expect_closed("clamp", "--past does not apply to the scheme none");
    changed = options;
    changed.heads = 3;
    rewrite_config(&changed);
    expect_closed("", "--heads 3 does not divide --width 4");
    changed = options;
    snprintf(changed.pos, sizeof changed.pos, "roep");
    rewrite_config(&changed);
    expect_closed("", "did you mean 'rope'");
}

static void init_copies_the_weights_of_a_like_model(void **state) {
    char said[TEXT_CAPACITY];
    Shape shape = trainer.gpt.shape;
    Gpt gpt;
    Error error;
    model_make(&gpt, "learned", &shape, true);
    must(run_init_from(&gpt, said, run_directory, &corpus, &error), &error);
    for (int i = 0; i < gpt.tensors.count; i++) {
        const Tensor *t = &gpt.tensors.items[i];
        assert_memory_equal(gpt.params + t->offset, trainer.gpt.params + t->offset, t->count * sizeof(real));
    }
    gpt_free(&gpt);

    model_make(&gpt, "rope", &shape, true); // what the other scheme has is left out
    must(run_init_from(&gpt, said, run_directory, &corpus, &error), &error);
    assert_memory_equal(gpt.w.layers[0].fcw, trainer.gpt.w.layers[0].fcw, 4 * 4 * 4 * sizeof(real));
    gpt_free(&gpt);

    // A table of a shorter context has the first of its positions; one of a longer context has none for the last.
    shape.context = 7;
    model_make(&gpt, "learned", &shape, true);
    must(run_init_from(&gpt, said, run_directory, &corpus, &error), &error);
    assert_memory_equal(gpt.pos.part[0].params[0], trainer.gpt.pos.part[0].params[0], 7 * 4 * sizeof(real));
    gpt_free(&gpt);
    shape.context = 9;
    model_make(&gpt, "learned", &shape, true);
    expect_refused(run_init_from(&gpt, said, run_directory, &corpus, &error), &error,
                   "pos.table has 32 numbers, this model's 36");
    gpt_free(&gpt);
    shape.width = 6;
    model_make(&gpt, "learned", &shape, true);
    expect_refused(run_init_from(&gpt, said, run_directory, &corpus, &error), &error,
                   "width 4 and --block gpt2, this one 1, 1, 1, 6");
    gpt_free(&gpt);
}

static void init_keeps_what_the_other_run_lacks(void **state) {
    char said[TEXT_CAPACITY];
    TrainOptions plain = options;
    RunPaths plain_paths;
    Trainer other;
    Gpt gpt;
    Error error;
    snprintf(plain.pos, sizeof plain.pos, "none");
    snprintf(plain.out, sizeof plain.out, "%.400s/plain", directory);
    must(trainer_create(&other, &plain, &corpus, &error), &error);
    must(run_paths(&plain_paths, plain.out, &error), &error);
    must(directory_create(plain.out, NULL, &error), &error);
    must(run_create(&plain_paths, &plain, &other, &error), &error);
    must(model_save(plain_paths.model, &other.gpt, NULL, &error), &error);
    model_make(&gpt, "learned", &trainer.gpt.shape, true);
    const Tensor *table = tensor_find(&gpt.tensors, "pos.table");
    real *before = copy_reals(gpt.params + table->offset, table->count);
    must(run_init_from(&gpt, said, plain.out, &corpus, &error), &error);
    assert_memory_equal(gpt.params + table->offset, before, table->count * sizeof(real));
    assert_memory_equal(gpt.w.wte, other.gpt.w.wte, 257 * 4 * sizeof(real));
    free(before);
    gpt_free(&gpt);
    trainer_free(&other);
}

static void default_names_are_numbered(void **state) {
    char name[TEXT_CAPACITY], last[TEXT_CAPACITY], before[PATH_CAPACITY];
    Error error;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(directory), 0);
    static const char *const expected[] = {"runs/rope", "runs/rope-2", "runs/rope-3", "runs/rope-4"};
    for (size_t i = 0; i < COUNT(expected); i++) {
        run_default_name(name, last, i % 2 ? "rope" : "rope:base=500,pairing=half");
        assert_string_equal(name, expected[i]);
        assert_string_equal(last, i > 0 ? expected[i - 1] : "");
        must(directory_create(name, NULL, &error), &error);
    }
    run_default_name(name, last, "alibi");
    assert_string_equal(name, "runs/alibi");
    rmdir("runs/rope-2"); // the first free one
    run_default_name(name, last, "rope");
    assert_string_equal(name, "runs/rope-2");
    assert_string_equal(last, "runs/rope");
    assert_int_equal(chdir(before), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_is_opened, make_run, remove_run),
        cmocka_unit_test_setup_teardown(past_changes_the_scheme_s_option, make_run, remove_run),
        cmocka_unit_test_setup_teardown(a_run_is_never_written_over, make_run, remove_run),
        cmocka_unit_test_setup_teardown(a_start_that_was_killed_is_begun_anew, make_run, remove_run),
        cmocka_unit_test_setup_teardown(starting_weights_belong_to_the_run, make_run, remove_run),
        cmocka_unit_test_setup_teardown(one_process_at_a_time_is_in_a_run, make_run, remove_run),
        cmocka_unit_test_setup_teardown(missing_files_are_named, make_run, remove_run),
        cmocka_unit_test_setup_teardown(files_that_do_not_belong_together_are_refused, make_run, remove_run),
        cmocka_unit_test_setup_teardown(init_copies_the_weights_of_a_like_model, make_run, remove_run),
        cmocka_unit_test_setup_teardown(init_keeps_what_the_other_run_lacks, make_run, remove_run),
        cmocka_unit_test_setup_teardown(default_names_are_numbered, make_run, remove_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
