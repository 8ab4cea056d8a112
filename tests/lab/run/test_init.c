// --init finds what a scheme has learned by the scheme, its layers and its heads, whatever stands beside it.
#include "tests/lab/run/made_run.h"

// A run of 4 layers with these positions and random numbers everywhere.
static void save_run(const char *name, const char *pos) {
    TrainOptions other = options;
    RunPaths own;
    Trainer made;
    Error error;
    other.layers = 4;
    other.heads = 2;
    snprintf(other.pos, sizeof other.pos, "%s", pos);
    snprintf(other.out, sizeof other.out, "%.400s/%s", directory, name);
    must(trainer_create(&made, &other, &corpus, &error), &error);
    gpt_free(&made.gpt);
    const Shape shape = made.gpt.shape;
    model_make(&made.gpt, pos, &shape, true);
    must(run_paths(&own, other.out, &error), &error);
    must(directory_create(other.out, &error), &error);
    must(run_create(&own, &other, &made, &error), &error);
    must(model_save(own.model, &made.gpt, &error), &error);
    trainer_free(&made);
}

typedef struct {
    const char *from, *to; // --pos of the run and of the model
    const char *tensor;    // of the model
    const char *source;    // of the run; NULL = nothing is taken over
    int to_set, from_set;  // of so many equal parts of the tensors, which one was copied; -1 = all of them
    int to_sets, from_sets;
    const char *said;
} Case;

static const Case cases[] = {
    {"learned", "learned+rope", "pos.learned.table", "pos.table", 0, 0, 1, 1, ""},
    {"learned+rope", "learned", "pos.table", "pos.learned.table", 0, 0, 1, 1, ""},
    {"cable", "rope+cable", "pos.cable.w", "pos.w", 0, 0, 1, 1, ""},
    {"cable", "cable@0-2,none@3", "pos.cable.w", "pos.w", 2, 2, 3, 4,
     "not taken over: cable.w in 1 of its 4 layers, cable.b in 1 of its 4 layers"},
    {"cable@1-3 none@0", "cable", "pos.w", "pos.cable.w", 1, 0, 4, 3,
     "new, with initial values: cable.w in 1 of its 4 layers, cable.b in 1 of its 4 layers"},
    {"cable@1-3 none@0", "cable", "pos.w", NULL, 0, 0, 4, 1, "new, with initial values: cable.w in 1 "},
    {"cable:gate=trained+rope:gate=trained", "cable:gate=trained", "pos.layer_gate", "pos.cable.layer_gate", 0, 0, 1, 1,
     "not taken over: rope.layer_gate"},
    {"rope:gate=trained", "alibi:gate=trained", "pos.layer_gate", NULL, 0, 0, 1, 1,
     "new, with initial values: alibi.layer_gate; not taken over: rope.layer_gate"},
    {"rope:gate=trained@0-1,none@2-3", "rope:gate=trained@2-3,none@0-1", "pos.rope.layer_gate", NULL, 0, 0, 1, 1,
     "new, with initial values: rope.layer_gate; not taken over: rope.layer_gate"},
    {"rope:gate=trained@0-2,none@3", "rope:gate=trained@1-3,none@0", "pos.rope.layer_gate", "pos.rope.layer_gate", 1, 2,
     3, 3, "new, with initial values: rope.layer_gate in 1 of its 3 layers; not taken over: rope.layer_gate in 1 "},
    {"rope:gate=trained@0-2,none@3", "rope:gate=trained@1-3,none@0", "pos.rope.layer_gate", NULL, 2, 0, 3, 1, ""},
    {"fox", "cable", "pos.w", NULL, 0, 0, 1, 1,
     "new, with initial values: cable.w, cable.b; not taken over: fox.w, fox.b"},
    {"t5", "t5:layers=own", "pos.beta", "pos.beta", 3, 0, 4, 1, ""},
    {"t5:layers=own", "t5", "pos.beta", NULL, 0, 0, 1, 1, "new, with initial values: t5.beta; not taken over: "},
    {"t5:buckets=16", "t5", "pos.beta", NULL, 0, 0, 1, 1, "new, with initial values: t5.beta; not taken over: "},
    {"table@heads=0,none@heads=1", "table@heads=1,none@heads=0", "pos.table.bias", NULL, 0, 0, 1, 1,
     "new, with initial values: table.bias; not taken over: table.bias"},
    {"cable:gate=trained", "cable,none", "pos.cable.w", "pos.w", 1, 2, 2, 4, "not taken over: cable.w in 2 of its 4"},
    {"t5:buckets=16+t5", "t5+t5:buckets=16", "pos.t5-2.beta", "pos.t5.beta", 0, 0, 1, 1, ""},
};

static void check_case(const Case *c, const char *name) {
    char said[TEXT_CAPACITY], place[SCRATCH_PATH + 64];
    Error error;
    Run run;
    Gpt gpt;
    save_run(name, c->from);
    snprintf(place, sizeof place, "%s/%s", directory, name);
    must(run_open(&run, place, "", &error), &error);
    model_make(&gpt, c->to, &run.gpt.shape, true);
    const Tensor *to = tensor_find(&gpt.tensors, c->tensor);
    const Tensor *from = c->source ? tensor_find(&run.gpt.tensors, c->source) : NULL;
    assert_non_null(to);
    assert_true(!c->source || from);
    const size_t count = to->count / (size_t)c->to_sets;
    real *const target = gpt.params + to->offset + (size_t)c->to_set * count, *before;
    before = copy_reals(target, count);
    for (size_t n = 0; n < count; n++) before[n] = target[n] += (real)1; // no number of the run
    must(run_init_from(&gpt, said, place, &corpus, &error), &error);
    const real *wanted = from ? run.gpt.params + from->offset + (size_t)c->from_set * count : before;
    assert_true(!from || from->count / (size_t)c->from_sets == count);
    assert_memory_equal(target, wanted, count * sizeof(real));
    assert_memory_equal(gpt.w.layers[3].fcw, run.gpt.w.layers[3].fcw, 4 * 4 * 4 * sizeof(real));
    assert_true(strncmp(said, c->said, strlen(c->said)) == 0 && (*c->said != 0 || c->to_sets > 1 || !*said));
    free(before);
    gpt_free(&gpt);
    run_close(&run);
}

static void tensors_are_found_by_scheme_layer_and_heads(void **state) {
    for (size_t i = 0; i < COUNT(cases); i++) {
        char name[16];
        snprintf(name, sizeof name, "run%zu", i);
        print_message("%s -> %s\n", cases[i].from, cases[i].to);
        check_case(&cases[i], name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tensors_are_found_by_scheme_layer_and_heads, make_run, remove_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
