// Windows of attention: gradients in long rows, the key cache that forgets, and what must equal full attention.
#include "tests/support/agreement.h"
#include "tests/support/gradients.h"

// Some blocks of queries, whose keys begin anywhere.
static void gradients_over_several_blocks(void **state) {
    static const char *const tried[] = {"rope",
                                        "path",
                                        "path:forget,conv=1",
                                        "fox",
                                        "cable",
                                        "transformer-xl",
                                        "shaw",
                                        "t5",
                                        "alibi-learned",
                                        "fire:width=1",
                                        "cope:positions=2",
                                        "rope+t5*1,path",
                                        "pope",
                                        "selective+fox",
                                        "stick-breaking"};
    static const Windows windows[] = {{1, {70}}, {2, {1, 20}}, {2, {0, 65}}};
    for (size_t i = 0; i < COUNT(tried); i++)
        for (size_t w = 0; w < COUNT(windows); w++) {
            const Setting setting = {.layers = 2,
                                     .heads = 2,
                                     .width = 8,
                                     .T = 2 * QUERY_BLOCK + 6,
                                     .B = 1,
                                     .dropout = 0.1,
                                     .directions = true,
                                     .windows = windows[w]};
            expect_gradients(tried[i], &setting);
        }
}

// Every scheme, fed in chunks of 1, 7 and all tokens; only short windows forget.
static void the_cache_may_forget(void **state) {
    static const Windows windows[] = {{1, {1}}, {2, {9, 0}}, {1, {70}}};
    for (const Scheme *const *scheme = schemes; *scheme; scheme++)
        for (size_t w = 0; w < COUNT(windows); w++) {
            Shape shape = agreement_shape;
            shape.windows = windows[w];
            scheme_agrees((*scheme)->name, &shape, 1e-11);
        }
}

// --- one batch of a model ---
enum { T = 150 };

static const Shape plain = {.vocab = AGREEMENT_V, .context = T, .layers = 2, .heads = 2, .width = 16};

typedef struct {
    Gpt gpt;
    TrainPass pass;
} Model;

// Forward and backward.
static void model_run(Model *model, const char *scheme, Windows windows, int changed) {
    Shape shape = plain;
    int ids[T], targets[T];
    shape.windows = windows;
    training_make(&model->gpt, &model->pass, scheme, &shape, 1, T);
    ids_make(ids, T, AGREEMENT_V, 1);
    ids_make(targets, T, AGREEMENT_V, 2);
    if (changed >= 0) ids[changed] = (ids[changed] + 1) % AGREEMENT_V;
    for (int t = 0; t < T; t++) model->pass.dnll[t] = 1;
    train_pass_embed(&model->pass, &model->gpt, ids);
    train_pass_forward(&model->pass, &model->gpt);
    train_pass_backward(&model->pass, &model->gpt, ids, targets);
}

static void windows_of_the_whole_text_change_no_bit(void **state) {
    for (const Scheme *const *scheme = schemes; *scheme; scheme++) {
        Model without, with;
        model_run(&without, (*scheme)->name, (Windows){0}, -1);
        model_run(&with, (*scheme)->name, (Windows){2, {T, 10 * T}}, -1);
        assert_true(isfinite(without.pass.nll[T - 1]));
        if (memcmp(without.pass.nll, with.pass.nll, T * sizeof *with.pass.nll) != 0 ||
            memcmp(without.gpt.grads, with.gpt.grads, with.gpt.tensors.total * sizeof(real)) != 0)
            fail_msg("%s: another loss or gradient", (*scheme)->name);
        training_free(&without.gpt, &without.pass);
        training_free(&with.gpt, &with.pass);
    }
}

// In two layers a token reaches as far as both windows together; path's convolution looks two tokens further in each.
static void tokens_reach_as_far_as_windows_do(void **state) {
    enum { CHANGED = 30 };
    static const struct {
        const char *scheme;
        Windows windows;
        int reach; // the last token after CHANGED whose loss changes
    } cases[] = {
        {"rope", {1, {1}}, 0},         {"rope", {1, {8}}, 14},
        {"rope", {2, {8, 66}}, 72},    {"none", {1, {40}}, 78},
        {"path:conv=1", {1, {8}}, 14}, {"fox", {2, {10, 3}}, 11},
        {"cable", {2, {10, 3}}, 11},   {"shaw", {2, {2, 2}}, 2},
        {"alibi", {1, {30}}, 58},      {"transformer-xl", {1, {6}}, 10},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Model before, after;
        model_run(&before, cases[i].scheme, cases[i].windows, -1);
        model_run(&after, cases[i].scheme, cases[i].windows, CHANGED);
        for (int t = 0; t < T; t++) {
            const bool reached = t >= CHANGED && t <= CHANGED + cases[i].reach;
            const double change = fabs(before.pass.nll[t] - after.pass.nll[t]);
            if (!reached && !(change <= 1e-9)) fail_msg("%s: token %d changed by %g", cases[i].scheme, t, change);
            // The farthest ones see it faintly.
            if (t == CHANGED + cases[i].reach && !(change > 0)) fail_msg("%s: token %d did not", cases[i].scheme, t);
        }
        training_free(&before.gpt, &before.pass);
        training_free(&after.gpt, &after.pass);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_over_several_blocks),
        cmocka_unit_test(the_cache_may_forget),
        cmocka_unit_test(windows_of_the_whole_text_change_no_bit),
        cmocka_unit_test(tokens_reach_as_far_as_windows_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
