// A scheme's tensors in another model are found by the scheme and its layers, whatever schemes are beside it.
#include "model/transfer.h"
#include "tests/support/little_model.h"

static const Shape shape = {.vocab = 7, .context = 6, .layers = 4, .heads = 2, .width = 4};

typedef struct {
    const char *from, *to; // --pos of the other model and of this one
    const char *tensor;    // of this model
    const char *source;    // of the other; NULL = nothing is taken over
    const char *said;
} Case;

static const Case cases[] = {
    {"learned", "learned+rope", "pos.learned.table", "pos.table", ""},
    {"learned+rope", "learned", "pos.table", "pos.learned.table", ""},
    {"cable", "rope+cable", "pos.cable.w", "pos.w", ""},
    {"cable", "cable@0-2,none@3", "pos.cable.w", NULL,
     "new, with initial values: cable.w, cable.b; not taken over: cable.w, cable.b"},
    {"t5", "t5@0-2,none@3", "pos.t5.beta", "pos.beta", ""},
    {"t5:gate=trained+rope:gate=trained", "t5:gate=trained", "pos.layer_gate", "pos.t5.layer_gate",
     "not taken over: rope.layer_gate"},
    {"rope:gate=trained", "alibi:gate=trained", "pos.layer_gate", NULL,
     "new, with initial values: alibi.layer_gate; not taken over: rope.layer_gate"},
    {"rope:gate=trained@0-1,none@2-3", "rope:gate=trained@2-3,none@0-1", "pos.rope.layer_gate", NULL,
     "new, with initial values: rope.layer_gate; not taken over: rope.layer_gate"},
    {"fox", "cable", "pos.w", NULL, "new, with initial values: cable.w, cable.b; not taken over: fox.w, fox.b"},
    {"t5:layers=own", "t5", "pos.beta", NULL, "new, with initial values: t5.beta; not taken over: t5.beta"},
    {"t5:layers=own,gate=trained", "t5:gate=trained", "pos.layer_gate", "pos.layer_gate",
     "new, with initial values: t5.beta; not taken over: t5.beta"},
    {"table:layers=own", "table", "pos.bias", NULL, "new, with initial values: table.bias; not taken over: table.bias"},
    // As many numbers, of other things.
    {"t5:layers=own,buckets=8", "t5", "pos.beta", NULL, "new, with initial values: t5.beta; not taken over: t5.beta"},
    {"kerple:gate=trained+kerple", "kerple:gate=trained+kerple", "pos.kerple-2.a", "pos.kerple-2.a", ""},
    {"t5:distance=70+t5:distance=60", "t5+t5:distance=50", "pos.t5-2.beta", "pos.t5-2.beta", ""},
};

static void check_case(const Case *c) {
    char said[TEXT_CAPACITY];
    Error error;
    Gpt gpt, other;
    model_make(&other, c->from, &shape, true);
    model_make(&gpt, c->to, &shape, true);
    for (size_t n = 0; n < gpt.tensors.total; n++) gpt.params[n] += (real)1; // no number of the other model
    const Tensor *to = tensor_find(&gpt.tensors, c->tensor);
    const Tensor *from = c->source ? tensor_find(&other.tensors, c->source) : NULL;
    assert_true(to && (!c->source || from));
    const real *target = gpt.params + to->offset;
    real *before = copy_reals(target, to->count);
    must(gpt_transfer(&gpt, said, &other, "run", &error), &error);
    assert_memory_equal(target, from ? other.params + from->offset : before, to->count * sizeof(real));
    for (int i = 0; i < gpt.tensors.count; i++) {
        const Tensor *t = &gpt.tensors.items[i], *same = tensor_find(&other.tensors, t->name);
        if (!t->position)
            assert_memory_equal(gpt.params + t->offset, other.params + same->offset, t->count * sizeof(real));
    }
    assert_string_equal(said, c->said);
    free(before);
    gpt_free(&gpt);
    gpt_free(&other);
}

// With --scale-logits log, the scales come from a model that has them; otherwise they keep their start.
static void scales_of_logits(void **state) {
    Shape scaled = shape;
    scaled.scale_logits = SCALE_LOGITS_LOG;
    static const char *const said[2][2] = {{"", "new, with initial values: attn.logit_scale"},
                                           {"not taken over: attn.logit_scale", ""}};
    for (int from = 0; from <= 1; from++)
        for (int to = 0; to <= 1; to++) {
            char text[TEXT_CAPACITY];
            Error error;
            Gpt gpt, other;
            model_make(&other, "rope", from ? &scaled : &shape, true);
            model_make(&gpt, "rope", to ? &scaled : &shape, true);
            if (to) gpt_init(&gpt, 1);
            must(gpt_transfer(&gpt, text, &other, "run", &error), &error);
            assert_string_equal(text, said[from][to]);
            for (int l = 0; to && l < shape.layers; l++)
                for (int h = 0; h < shape.heads; h++) {
                    const real start = (real)(1 / log(shape.context));
                    assert_true(gpt.w.layers[l].logit_scale[h] == (from ? other.w.layers[l].logit_scale[h] : start));
                }
            assert_memory_equal(gpt.w.layers[0].projw, other.w.layers[0].projw, sizeof(real));
            gpt_free(&gpt);
            gpt_free(&other);
        }
}

static void tensors_are_found_by_scheme_and_layer(void **state) {
    for (size_t i = 0; i < COUNT(cases); i++) {
        print_message("%s -> %s\n", cases[i].from, cases[i].to);
        check_case(&cases[i]);
    }
}

// Each table of a model with 6 positions has the first rows, or columns, of the other's.
static void expect_first_positions(const Gpt *gpt, const Gpt *other) {
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i], *of = tensor_find(&other->tensors, t->name);
        const int columns = t->rank > 1 ? t->shape[1] : 1, others = of->rank > 1 ? of->shape[1] : 1;
        for (int row = 0; row < t->shape[0]; row++)
            assert_memory_equal(gpt->params + t->offset + row * columns, other->params + of->offset + row * others,
                                (size_t)columns * sizeof(real));
    }
}

// A table with a number for each position must have as many positions or more; other tables fit any length.
static void tables_of_other_lengths_are_refused(void **state) {
    static const struct {
        const char *pos;
        int context, random_positions; // of the other model
        const char *refused;           // what the message says; NULL = nothing is refused
    } lengths[] = {{"learned", 6, 0, NULL},
                   {"learned", 12, 0, NULL},
                   {"learned", 3, 0, "its pos.table has 12 numbers, this model's 24; use the same --context"},
                   {"learned", 6, 9, "its pos.table has 36 numbers, this model's 24; use the same --random-positions"},
                   {"rope+learned", 12, 0, NULL},
                   {"rope+learned", 3, 0, "its pos.learned.table has 12"},
                   {"table:layers=own", 12, 0, "use the same --context"},
                   {"table", 3, 0, "use the same --context"},
                   {"learned:gate=trained", 12, 0, NULL},
                   {"t5", 12, 0, NULL},
                   {"cable", 12, 0, NULL}};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        char said[TEXT_CAPACITY];
        Shape longer = shape;
        Gpt gpt, other;
        Error error = {0};
        longer.context = lengths[i].context;
        longer.random_positions = lengths[i].random_positions;
        model_make(&gpt, lengths[i].pos, &shape, true);
        model_make(&other, lengths[i].pos, &longer, true);
        const bool taken = gpt_transfer(&gpt, said, &other, "run", &error);
        if (!lengths[i].refused) must(taken, &error);
        if (!lengths[i].refused) expect_first_positions(&gpt, &other);
        if (lengths[i].refused) expect_refused(taken, &error, lengths[i].refused);
        if (lengths[i].refused) assert_true(strncmp(error.message, "--init run: ", 12) == 0);
        gpt_free(&gpt);
        gpt_free(&other);
    }
}

// A list too long for the message ends in dots.
static void a_long_list_is_cut(void **state) {
    char said[TEXT_CAPACITY];
    Gpt gpt, other;
    Error error;
    model_make(&other, "fire:width=1,fire:width=2,fire:width=3,fire:width=4", &shape, true);
    model_make(&gpt, "cable+path:rank=1,fox+path:rank=2,t5+path:rank=3,kerple+path:rank=4", &shape, true);
    must(gpt_transfer(&gpt, said, &other, "run", &error), &error);
    assert_true(strncmp(said, "new, with initial values: cable.w, cable.b, path.down, ", 55) == 0);
    assert_int_equal(strlen(said), TEXT_CAPACITY - 1);
    assert_string_equal(said + TEXT_CAPACITY - 4, "...");
    gpt_free(&gpt);
    gpt_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_found_by_scheme_and_layer),
        cmocka_unit_test(scales_of_logits),
        cmocka_unit_test(tables_of_other_lengths_are_refused),
        cmocka_unit_test(a_long_list_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
