// Positions in fewer digits: the numbers that eval says are rounded are rounded, and the effect on RoPE's angles.
#include "model/infer.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/little_model.h"
#include "tests/support/scene.h"

enum { T = 24, V = 11 }; // fp8 has all integers up to 16

static void logits_as(real logits[T * V], const char *scheme, NumberFormat format) {
    const Shape shape = {.vocab = V, .context = T, .layers = 2, .heads = 2, .width = 16};
    int ids[T];
    Gpt gpt;
    Inference inference;
    Error error;
    model_make(&gpt, scheme, &shape, false);
    for (int p = 0; p < gpt.pos.parts; p++) gpt.pos.part[p].held_as = format;
    ids_make(ids, T, V, 5);
    must(inference_create(&inference, &gpt, 1, T, T, &error), &error);
    inference_feed(&inference, &gpt, ids, T);
    inference_logits(logits, &inference, &gpt, T);
    inference_free(&inference);
    gpt_free(&gpt);
}

// A family that fills tables says what it rounds, and the outputs show it; in other families no bit changes. (In bf16
// and int8 a table may happen to be exact, as every digit of `binary` is.)
static void what_is_said_is_done(void **state) {
    for (int s = 0; schemes[s]; s++) {
        const Family *family = schemes[s]->family;
        real as_float[T * V], as_fp8[T * V];
        if (family && !family->prepare != !family->rounds)
            fail_msg("%s: a family with .prepare, and no other, has .rounds", schemes[s]->name);
        logits_as(as_float, schemes[s]->name, FORMAT_FLOAT);
        logits_as(as_fp8, schemes[s]->name, FORMAT_FP8);
        const bool same = memcmp(as_float, as_fp8, sizeof as_float) == 0;
        if (same != !(family && family->rounds))
            fail_msg("%s: fp8 changes %s", schemes[s]->name, same ? "nothing" : "the outputs");
        for (int n = 0; n < T * V; n++)
            if (!isfinite(as_fp8[n])) fail_msg("%s: an output is not finite", schemes[s]->name);
    }
}

// The tables of RoPE's cosines and sines for `positions` coordinates in this format.
static void make_tables(Scene *scene, const char *scheme, int positions, NumberFormat format) {
    scene_make(scene, scheme, shape_of(1, 4, T), T);
    scene->pos->held_as = format;
    scene_layout(scene, positions, 1);
}

static double turned(const Scene *scene, int t, int pair) {
    const int pairs = 2;
    return atan2((double)scene->tables.table[1][t * pairs + pair], (double)scene->tables.table[0][t * pairs + pair]);
}

static double between(double angle, double other) {
    return fabs(remainder(angle - other, 2 * M_PI));
}

// Integers up to 256 have at most 8 significant bits, so the fastest pair, which turns by t radians, keeps its angle up
// to there (except for rounded cosines and sines). Then neighbours share an angle, and past 2048 it can be off by more
// than a turn: there the numbers of bf16 are 16 apart.
static void rope_in_bf16_loses_its_fast_angles(void **state) {
    Scene scene;
    make_tables(&scene, "rope", 4096, FORMAT_BF16);
    for (int t = 0; t <= 256; t++) expect_near("angle", (size_t)t, between(turned(&scene, t, 0), t), 0, 0.01);
    for (int t = 256; t < 512; t++) {
        const int even = t % 4 == 1 ? t - 1 : t % 4 == 3 ? t + 1 : t; // the nearest multiple of 2; of two, that of 4
        expect_near("angle past 256", (size_t)t, between(turned(&scene, t, 0), even), 0, 0.01);
    }
    for (int t = 2048; t < 4096; t++)
        expect_near("angle past 2048", (size_t)t, between(turned(&scene, t, 0), rounded(t, FORMAT_BF16, 0)), 0, 0.01);
    scene_free(&scene);
}

// In int8 all angles share one scale, which depends on the window: 127 steps up to the angle of the last position.
static void rope_in_int8_has_few_angles(void **state) {
    Scene scene;
    make_tables(&scene, "rope", 255, FORMAT_INT8);
    expect_near("angle", 1, between(turned(&scene, 1, 0), 0), 0, 0.02); // 1 is half a step: to the even one
    expect_near("angle", 2, between(turned(&scene, 2, 0), 2), 0, 0.02);
    for (int t = 0; t < 100; t++) expect_near("slow angle", (size_t)t, turned(&scene, t, 1), 0, 0.02);
    scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_is_done),
        cmocka_unit_test(rope_in_bf16_loses_its_fast_angles),
        cmocka_unit_test(rope_in_int8_has_few_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
