// Coordinates in whole models: a scheme declared as relative depends only on their differences, and no scheme depends
// on an axis that it does not declare.
#include "posenc/registry.h"
#include "tests/support/little_model.h"

enum { B = 2, T = 20, ROWS = B * T };

// Many more coordinates than tokens. Past position 512 fire counts differently.
static const Shape shape = {.vocab = 31, .context = 1600, .layers = 2, .heads = 2, .width = 16};

typedef struct {
    Gpt gpt;
    TrainPass pass;
    int ids[ROWS], targets[ROWS];
    Place home[ROWS]; // where the tokens stand by themselves
    double nll[ROWS]; // and what they lose there
} Model;

static void model_begin(Model *model, const char *specification) {
    training_make(&model->gpt, &model->pass, specification, &shape, B, T);
    model->gpt.pos.rule = text_rule;
    text_make(model->ids, ROWS, shape.vocab, 1);
    ids_make(model->targets, ROWS, shape.vocab, 2);
    train_pass_embed(&model->pass, &model->gpt, model->ids);
    memcpy(model->home, model->pass.at, sizeof model->home);
    train_pass_forward(&model->pass, &model->gpt);
    train_pass_loss(&model->pass, &model->gpt, model->targets);
    memcpy(model->nll, model->pass.nll, sizeof model->nll);
}

// How much the loss of a token changes, at most, when the tokens stand at `at`. NaN counts as infinite.
static double change(Model *model, const Place at[ROWS]) {
    double most = 0;
    train_pass_embed(&model->pass, &model->gpt, model->ids);
    memcpy(model->pass.at, at, ROWS * sizeof *at);
    train_pass_forward(&model->pass, &model->gpt);
    train_pass_loss(&model->pass, &model->gpt, model->targets);
    for (int r = 0; r < ROWS; r++) {
        const double difference = fabs(model->pass.nll[r] - model->nll[r]);
        if (!(difference <= most)) most = isnan(difference) ? INFINITY : difference;
    }
    return most;
}

static void expect_unchanged(Model *model, const char *scheme, const char *what, const Place at[ROWS]) {
    const double most = change(model, at);
    if (!(most <= 1e-9)) fail_msg("%s, %s: losses change by %g", scheme, what, most);
}

static void expect_changed(Model *model, const char *scheme, const char *what, const Place at[ROWS]) {
    const double most = change(model, at);
    if (!(most > 1e-6 && isfinite(most))) fail_msg("%s, %s: losses change by %g", scheme, what, most);
}

// These schemes add the same number to all channels, which layer norm removes: they are blind to all positions.
static bool is_blind(const Scheme *scheme) {
    return scheme == &scheme_none || scheme == &scheme_integer || scheme == &scheme_normalized;
}

static void only_relative_schemes_overlook_a_constant(void **state) {
    static const int shifts[] = {1, 700, 1500};
    char specification[TEXT_CAPACITY];
    for (int i = 0; scheme_variant(specification, &shape, i); i++) {
        Model model;
        Place at[ROWS];
        model_begin(&model, specification);
        const Scheme *scheme = model.gpt.pos.part[0].scheme;
        for (size_t s = 0; s < COUNT(shifts); s++) {
            for (int r = 0; r < ROWS; r++) at[r] = place_moved(model.home[r], 1, shifts[s]);
            if (scheme->relative || is_blind(scheme)) expect_unchanged(&model, specification, "moved", at);
        }
        if (!scheme->relative && !is_blind(scheme)) expect_changed(&model, specification, "moved far", at);
        training_free(&model.gpt, &model.pass);
    }
}

// The second sequence is moved and spread out; schemes that depend on content alone need not notice (by forgetting).
static void distances_are_seen(void **state) {
    for (int s = 0; schemes[s]; s++) {
        const Scheme *scheme = schemes[s];
        Model model;
        Place at[ROWS];
        model_begin(&model, scheme->name);
        for (int r = 0; r < ROWS; r++) {
            const int times = 1 + r / T, more = r / T * 40;
            at[r] = place_moved(model.home[r], times, more);
        }
        if (is_blind(scheme))
            expect_unchanged(&model, scheme->name, "apart", at);
        else if (scheme->enters != ENTERS_CONTENT)
            expect_changed(&model, scheme->name, "apart", at);
        for (int r = 0; r < T; r++) // the first sequence has not moved
            if (!(fabs(model.pass.nll[r] - model.nll[r]) <= 1e-12)) fail_msg("%s: the other moved", scheme->name);
        training_free(&model.gpt, &model.pass);
    }
}

static void axes_that_a_scheme_does_not_read_change_nothing(void **state) {
    for (int s = 0; schemes[s]; s++) {
        Model model;
        Place lined[ROWS];
        model_begin(&model, schemes[s]->name);
        for (int r = 0; r < ROWS; r++)
            lined[r] = (Place){model.home[r].t, (r * 5 + 1) % 13, (r * 7 + 3) % 11, r * 3 % 5, r * 2 % 7};
        expect_unchanged(&model, schemes[s]->name, "other lines and columns", lined);
        training_free(&model.gpt, &model.pass);
    }
}

// Of document, page, line and column, rope reads the last ones; a constant added to one of them changes nothing, and
// the same number of steps on another axis is another distance.
static void each_axis_is_read_by_itself(void **state) {
    for (int axes = 2; axes <= 4; axes++) {
        char name[TEXT_CAPACITY];
        Model model;
        snprintf(name, sizeof name, "rope:axes=%d", axes);
        model_begin(&model, name);
        for (int axis = 0; axis <= 4; axis++) { // t, and those of a Place from the finest
            Place counted[ROWS], moved[ROWS];
            for (int r = 0; r < ROWS; r++) {
                const int other = (r * 7 + 3) % 11;
                counted[r] = moved[r] = model.home[r];
                int *const on[][5] = {
                    {&counted[r].t, &counted[r].column, &counted[r].line, &counted[r].page, &counted[r].document},
                    {&moved[r].t, &moved[r].column, &moved[r].line, &moved[r].page, &moved[r].document}};
                *on[0][axis] = other;
                *on[1][axis] += 300;
            }
            expect_unchanged(&model, name, "one axis moved", moved);
            if (axis >= 1 && axis <= axes)
                expect_changed(&model, name, "counted otherwise", counted);
            else
                expect_unchanged(&model, name, "an axis that is not read", counted);
        }
        training_free(&model.gpt, &model.pass);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_relative_schemes_overlook_a_constant),
        cmocka_unit_test(distances_are_seen),
        cmocka_unit_test(axes_that_a_scheme_does_not_read_change_nothing),
        cmocka_unit_test(each_axis_is_read_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
