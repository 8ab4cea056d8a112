// A model and its training state on disk: both are read back bit for bit, never in part or into another model, and
// damage anywhere is refused.
#include "base/file/crc.h"
#include "base/file/file.h"
#include "model/checkpoint.h"
#include "posenc/registry.h"
#include "tests/support/little_model.h"
#include "tests/support/directory.h"

static const Shape shape = {.vocab = 7, .context = 4, .layers = 1, .heads = 1, .width = 2};

static const Progress progress = {.step = 12345678901,
                                  .rows = 98765432101,
                                  .batch_crc = 0xFEDCBA98,
                                  .seconds = 1.0 / 3,
                                  .seed = 12345678902,
                                  .data_crc = 0xFEDCBA97};

static char model_path[SCRATCH_PATH + 32], best_path[SCRATCH_PATH + 32], state_path[SCRATCH_PATH + 32];

static int make_paths(void **state) {
    make_directory(state);
    snprintf(model_path, sizeof model_path, "%s/model.safetensors", directory);
    snprintf(best_path, sizeof best_path, "%s/best.safetensors", directory);
    snprintf(state_path, sizeof state_path, "%s/state.safetensors", directory);
    return 0;
}

// A model whose parameters and moments are all different numbers, some of them easily lost.
static void make(Gpt *gpt, const char *scheme, const Shape *sizes) {
    model_make(gpt, scheme, sizes, true);
    for (size_t n = 0; n < gpt->tensors.total; n++) {
        gpt->m[n] = (real)random_normal(1, n);
        gpt->v[n] = (real)(1e-9 * random_uniform(2, n));
    }
    static const real odd[] = {-0.0f, 1e-45f, 3.4e38f, -3.4e38f};
    memcpy(gpt->w.wte, odd, sizeof odd);
}

// A model of the same kind whose numbers all equal `value`.
static void make_filled(Gpt *gpt, const char *scheme, const Shape *sizes, real value) {
    model_make(gpt, scheme, sizes, true);
    for (size_t n = 0; n < gpt->tensors.total; n++) gpt->params[n] = gpt->m[n] = gpt->v[n] = value;
}

static bool filled_with(const Gpt *gpt, real value) {
    for (size_t n = 0; n < gpt->tensors.total; n++)
        if (gpt->params[n] != value || gpt->m[n] != value || gpt->v[n] != value) return false;
    return true;
}

static void expect_equal(const Gpt *gpt, const Gpt *expected, bool moments) {
    for (int i = 0; i < expected->tensors.count; i++) {
        const Tensor *t = &expected->tensors.items[i];
        assert_memory_equal(gpt->params + t->offset, expected->params + t->offset, t->count * sizeof(real));
        if (!moments) continue;
        assert_memory_equal(gpt->m + t->offset, expected->m + t->offset, t->count * sizeof(real));
        assert_memory_equal(gpt->v + t->offset, expected->v + t->offset, t->count * sizeof(real));
    }
}

// Large enough for all schemes.
static const Shape every_scheme_s = {.vocab = 7, .context = 4, .layers = 2, .heads = 1, .width = 8};

static void a_state_comes_back_to_the_bit(void **state) {
    for (int s = 0; schemes[s]; s++) {
        Gpt saved, loaded;
        Progress found = {0};
        Error error;
        make(&saved, schemes[s]->name, &every_scheme_s);
        make_filled(&loaded, schemes[s]->name, &every_scheme_s, 9);
        must(state_save(state_path, &saved, &progress, &error), &error);
        must(state_load(state_path, &loaded, &found, &error), &error);
        expect_equal(&loaded, &saved, true);
        assert_int_equal(found.step, progress.step);
        assert_int_equal(found.rows, progress.rows);
        assert_int_equal(found.batch_crc, progress.batch_crc);
        assert_memory_equal(&found.seconds, &progress.seconds, sizeof found.seconds);
        assert_true(found.seed == progress.seed && found.data_crc == progress.data_crc);
        gpt_free(&saved);
        gpt_free(&loaded);
    }
}

static void equal_models_give_equal_files(void **state) {
    Gpt gpt;
    Error error;
    make(&gpt, "learned", &shape);
    must(state_save(state_path, &gpt, &progress, &error), &error);
    const Buffer first = read_file(state_path);
    must(state_save(state_path, &gpt, &progress, &error), &error);
    const Buffer second = read_file(state_path);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    free(first.bytes);
    free(second.bytes);
    gpt_free(&gpt);
}

// Loading from `path` must fail and leave everything as it was.
static void expect_refusal(const char *path, bool training, const char *scheme, const Shape *sizes, const char *part) {
    Gpt gpt;
    Progress found = {1, 2, 3, 4, 5, 6};
    Error error = {0};
    make_filled(&gpt, scheme, sizes, 9);
    expect_refused(training ? state_load(path, &gpt, &found, &error) : model_load(path, &gpt, NULL, &error), &error,
                   part);
    assert_non_null(strstr(error.message, path));
    assert_true(filled_with(&gpt, 9));
    assert_true(found.step == 1 && found.rows == 2 && found.batch_crc == 3 && found.seconds == 4 && found.seed == 5);
    gpt_free(&gpt);
}

static void another_model_is_refused(void **state) {
    const Shape deeper = {.vocab = 7, .context = 4, .layers = 2, .heads = 1, .width = 2},
                wider = {.vocab = 7, .context = 4, .layers = 1, .heads = 1, .width = 4},
                longer = {.vocab = 7, .context = 5, .layers = 1, .heads = 1, .width = 2};
    Gpt gpt;
    Error error;
    make(&gpt, "learned", &shape);
    must(model_save(model_path, &gpt, NULL, &error), &error);
    must(state_save(state_path, &gpt, &progress, &error), &error);
    for (int training = 0; training <= 1; training++) {
        const char *path = training ? state_path : model_path;
        expect_refusal(path, training, "none", &shape,
                       training ? "holds 51 tensors, but config.json asks for 48"
                                : "holds 16 tensors, but config.json asks for 15");
        expect_refusal(path, training, "learned", &deeper, "lacks the tensor h.1.ln_1.weight");
        expect_refusal(path, training, "learned", &wider, "[7,4]");
        expect_refusal(path, training, "learned", &longer, "pos.table");
    }
    expect_refusal(state_path, false, "learned", &shape, "holds 51 tensors, but config.json asks for 16");
    expect_refusal(model_path, true, "learned", &shape, "lacks the tensor m.wte");
    gpt_free(&gpt);
}

static const Best best = {.step = 12345678901, .loss = 1.0 / 3};

static void the_best_weights_come_back_with_their_loss(void **state) {
    for (int s = 0; schemes[s]; s++) {
        Gpt saved, loaded;
        Error error;
        Best found = {0};
        make(&saved, schemes[s]->name, &every_scheme_s);
        make_filled(&loaded, schemes[s]->name, &every_scheme_s, 9);
        must(model_save(best_path, &saved, &best, &error), &error);
        must(best_read(best_path, &loaded, &found, &error), &error);
        assert_true(found.step == best.step && found.loss == best.loss && filled_with(&loaded, 9));
        for (size_t n = 0; n < loaded.tensors.total; n++) assert_true(loaded.grads[n] == 0);
        found = (Best){0};
        must(model_load(best_path, &loaded, &found, &error), &error);
        assert_true(found.step == best.step && found.loss == best.loss);
        expect_equal(&loaded, &saved, false);
        assert_true(loaded.m[0] == 9 && loaded.v[0] == 9);
        gpt_free(&saved);
        gpt_free(&loaded);
    }
}

// Replace these bytes by others, and correct the checksum.
static void replace(const char *path, const void *old, const void *new, size_t size) {
    uint64_t length;
    char hex[CRC_CAPACITY];
    const Buffer file = read_file(path);
    memcpy(&length, file.bytes, sizeof length);
    uint8_t *data = file.bytes + sizeof length + length, *end = file.bytes + file.size, *at = data;
    while (at + size <= end && memcmp(at, old, size) != 0) at++;
    assert_true(at + size <= end);
    memcpy(at, new, size);
    char *crc = strstr((char *)file.bytes + sizeof length, "\"crc32\":\"");
    memcpy(crc + strlen("\"crc32\":\""), crc_text(hex, crc_bytes(0, data, (size_t)(end - data))), CRC_CAPACITY - 1);
    scratch_write(path, file.bytes, file.size);
    free(file.bytes);
}

// Impossible numbers are not saved, and the earlier file stays. A file that has them anyway is refused.
static void numbers_that_cannot_be_are_refused(void **state) {
    static const real bad[] = {NAN, INFINITY, -INFINITY, -1e-9f};
    Gpt gpt;
    Error error;
    make(&gpt, "learned", &shape);
    real *const flat[] = {gpt.params, gpt.m, gpt.v};
    const char *const names[] = {"row 1, column 1 of h.0.attn.qkv.weight is",
                                 "row 1, column 1 of m.h.0.attn.qkv.weight is",
                                 "row 1, column 1 of v.h.0.attn.qkv.weight is"};
    const size_t at = tensor_find(&gpt.tensors, "h.0.attn.qkv.weight")->offset + 3;
    for (size_t i = 0; i < COUNT(flat); i++) {
        real *number = flat[i] + at, before = *number;
        for (size_t b = 0; b < COUNT(bad) - (i < 2); b++) { // only v, a mean of squares, has to be above 0
            must(state_save(state_path, &gpt, &progress, &error) && model_save(model_path, &gpt, NULL, &error), &error);
            *number = bad[b];
            for (int training = i == 0 ? 0 : 1; training <= 1; training++) {
                const char *path = training ? state_path : model_path;
                assert_false(training ? state_save(path, &gpt, &progress, &error)
                                      : model_save(path, &gpt, NULL, &error));
                assert_int_equal(error.kind, ERROR_NONFINITE);
                assert_non_null(strstr(error.message, names[i]));
                replace(path, &before, number, sizeof before); // the number of before is there
                expect_refusal(path, training, "learned", &shape, names[i]);
            }
            *number = before;
        }
    }
    gpt_free(&gpt);
}

static void progress_that_cannot_be_is_refused(void **state) {
    static const struct {
        size_t at;
        union {
            int64_t counter;
            double seconds;
        } bad;
        bool saved; // only the reader looks
    } cases[] = {{offsetof(Progress, step), {-1}, false},
                 {offsetof(Progress, rows), {INT64_MIN}, false},
                 {offsetof(Progress, batch_crc), {-1}, false},
                 {offsetof(Progress, batch_crc), {(int64_t)1 << 32}, true},
                 {offsetof(Progress, seconds), {.seconds = -1}, false},
                 {offsetof(Progress, seconds), {.seconds = NAN}, false},
                 {offsetof(Progress, seconds), {.seconds = INFINITY}, false},
                 {offsetof(Progress, seed), {-1}, false},
                 {offsetof(Progress, data_crc), {-1}, false}};
    Gpt gpt, loaded;
    Error error;
    make(&gpt, "learned", &shape);
    make(&loaded, "learned", &shape);
    for (size_t i = 0; i < COUNT(cases); i++) {
        Progress wrong = progress, found = {0};
        memcpy((char *)&wrong + cases[i].at, &cases[i].bad, sizeof cases[i].bad);
        must(state_save(state_path, &gpt, &progress, &error), &error);
        if (state_save(state_path, &gpt, &wrong, &error) != cases[i].saved) fail_msg("progress %zu", i);
        if (!cases[i].saved)
            replace(state_path, (const char *)&progress + cases[i].at, &cases[i].bad, sizeof cases[i].bad);
        if (state_load(state_path, &loaded, &found, &error)) fail_msg("taken: progress %zu", i);
        assert_int_equal(error.kind, ERROR_INPUT);
        assert_non_null(strstr(error.message, state_path));
    }
    gpt_free(&gpt);
    gpt_free(&loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_comes_back_to_the_bit),
        cmocka_unit_test(equal_models_give_equal_files),
        cmocka_unit_test(another_model_is_refused),
        cmocka_unit_test(the_best_weights_come_back_with_their_loss),
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
        cmocka_unit_test(progress_that_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, make_paths, remove_directory);
}
