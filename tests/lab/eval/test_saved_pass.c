// A pass that is kept in a file: continued after any number of tokens it goes on as if it had never been stopped, and a
// file that is damaged or of another pass does no harm.
#include "lab/eval/saved_pass.h"
#include "tests/support/little_model.h"
#include "tests/support/scratch.h"

#include <stdlib.h>
#include <unistd.h>

enum { VOCAB = 31, WINDOW = 100, CHUNK = 4, EVERY = 8 };

static int ids[WINDOW];

static void model(Gpt *gpt, const char *scheme, Windows windows) {
    const Shape shape = {.vocab = VOCAB, .context = 16, .layers = 2, .heads = 2, .width = 16, .windows = windows};
    model_make(gpt, scheme, &shape, false);
    ids_make(ids, WINDOW, VOCAB, 11);
}

// Feed tokens up to `end` in chunks; their values are twice their numbers. `logits` (V) are those of the last token.
static void feed(real *logits, Inference *inference, SavedPass *pass, const Gpt *gpt, int end) {
    Error error;
    real all[CHUNK * VOCAB];
    for (int at = inference->length; at < end; at += CHUNK) {
        inference_feed(inference, gpt, ids + at, CHUNK);
        for (int t = at; pass && t < at + CHUNK; t++) pass->values[t] = 2 * t;
        if (pass) must(saved_pass_keep(pass, inference, &error), &error);
    }
    inference_logits(all, inference, gpt, CHUNK);
    memcpy(logits, all + (CHUNK - 1) * VOCAB, VOCAB * sizeof *logits);
}

static void open_pass(SavedPass *pass, const Gpt *gpt) {
    Error error;
    must(saved_pass_open(pass, "state", gpt, 7, ids, WINDOW, EVERY, &error), &error);
}

static void continued_passes_are_like_whole_ones(void **state) {
    static const char *const tried[] = {"rope",  "alibi", "sinusoidal", "fox",
                                        "cable", "path",  "cope"}; // some have features
    static const Windows windows[] = {{0}, {2, {5, 0}}, {1, {3}}}; // layers that forget
    for (size_t s = 0; s < COUNT(windows) * COUNT(tried); s++) {
        Gpt gpt;
        Error error;
        real expected[VOCAB], found[VOCAB];
        model(&gpt, tried[s % COUNT(tried)], windows[s / COUNT(tried)]);
        Inference inference;
        must(inference_create(&inference, &gpt, 1, WINDOW, CHUNK, &error), &error);
        feed(expected, &inference, NULL, &gpt, WINDOW);
        for (int stop = CHUNK; stop < WINDOW; stop += 5 * CHUNK) {
            SavedPass pass;
            inference_restart(&inference);
            open_pass(&pass, &gpt);
            feed(found, &inference, &pass, &gpt, stop);
            saved_pass_close(&pass, false);
            inference_restart(&inference);
            for (int l = 0; l < 2; l++)
                memset(inference.memory[l].cache, 0x7f, sizeof(real) * 2 * 16 * (size_t)inference.memory[l].room);
            open_pass(&pass, &gpt);
            assert_int_equal(pass.found, stop / EVERY * EVERY);
            must(saved_pass_recall(&pass, &inference, &error), &error);
            assert_int_equal(inference.length, stop / EVERY * EVERY);
            for (int t = 0; t < inference.length; t++) assert_true(pass.values[t] == 2 * t);
            feed(found, &inference, &pass, &gpt, WINDOW);
            assert_memory_equal(found, expected, sizeof expected);
            saved_pass_close(&pass, true);
            assert_true(access("state", F_OK) != 0);
        }
        inference_free(&inference);
        gpt_free(&gpt);
    }
}

// Change one byte, or cut the file there.
static void damage(long at, bool cut) {
    if (cut) {
        assert_int_equal(truncate("state", at), 0);
        return;
    }
    FILE *file = fopen("state", "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    const int byte = fgetc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fputc(byte ^ 1, file), byte ^ 1);
    fclose(file);
}

static void damaged_records_are_fed_again(void **state) {
    Gpt gpt;
    Error error;
    real expected[VOCAB], found[VOCAB];
    model(&gpt, "rope", (Windows){0});
    Inference inference;
    must(inference_create(&inference, &gpt, 1, WINDOW, CHUNK, &error), &error);
    feed(expected, &inference, NULL, &gpt, WINDOW);
    const long record = 8 + EVERY * (long)(sizeof(double) + inference_token_size(&gpt) * sizeof(real));
    for (int n = 0; n < 12; n++) {
        SavedPass pass;
        inference_restart(&inference);
        open_pass(&pass, &gpt);
        const long head = ftell(pass.file);
        feed(found, &inference, &pass, &gpt, 5 * EVERY);
        saved_pass_close(&pass, false);
        damage(head + 2 * record + n * (record - 1) / 11, n % 2); // somewhere in the third record
        inference_restart(&inference);
        open_pass(&pass, &gpt);
        must(saved_pass_recall(&pass, &inference, &error), &error);
        assert_int_equal(inference.length, 2 * EVERY);
        feed(found, &inference, &pass, &gpt, WINDOW);
        assert_memory_equal(found, expected, sizeof expected);
        saved_pass_close(&pass, false);
        inference_restart(&inference);
        open_pass(&pass, &gpt); // and what was fed again is in the file, whole
        must(saved_pass_recall(&pass, &inference, &error), &error);
        assert_int_equal(inference.length, WINDOW / EVERY * EVERY);
        saved_pass_close(&pass, true);
    }
    inference_free(&inference);
    gpt_free(&gpt);
}

static void other_passes_are_refused(void **state) {
    Gpt gpt;
    Error error;
    SavedPass pass;
    model(&gpt, "rope", (Windows){0});
    open_pass(&pass, &gpt);
    saved_pass_close(&pass, false);
    assert_false(saved_pass_open(&pass, "state", &gpt, 8, ids, WINDOW, EVERY, &error)); // another run
    assert_non_null(strstr(error.message, "another pass"));
    saved_pass_close(&pass, false);
    assert_false(saved_pass_open(&pass, "state", &gpt, 7, ids, WINDOW - 1, EVERY, &error));
    saved_pass_close(&pass, false);
    ids[50]++;
    assert_false(saved_pass_open(&pass, "state", &gpt, 7, ids, WINDOW, EVERY, &error));
    saved_pass_close(&pass, false);
    ids[50]--;
    const real weight = gpt.params[3];
    gpt.params[3] += 1;
    assert_false(saved_pass_open(&pass, "state", &gpt, 7, ids, WINDOW, EVERY, &error));
    saved_pass_close(&pass, false);
    gpt.params[3] = weight;
    open_pass(&pass, &gpt);
    saved_pass_close(&pass, true);
    gpt_free(&gpt);
}

static char scratch[SCRATCH_PATH];

static int enter(void **state) {
    scratch_make(scratch);
    return chdir(scratch);
}

static int leave(void **state) {
    scratch_remove(scratch);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(continued_passes_are_like_whole_ones),
        cmocka_unit_test(damaged_records_are_fed_again),
        cmocka_unit_test(other_passes_are_refused),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
