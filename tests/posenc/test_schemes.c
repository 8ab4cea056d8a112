// The registry of position schemes, and what all schemes have in common: names, options, errors, tables, lengths.
#include "base/random.h"
#include "model/infer.h"
#include "posenc/registry.h"
#include "tests/support/little_model.h"
#include "tests/support/scene.h"

#include <ctype.h>
#include <stdlib.h>

static const Shape shape = {.vocab = 5, .context = 6, .layers = 1, .heads = 2, .width = 8};

static void the_registry_is_complete(void **state) {
    for (int i = 0; schemes[i]; i++) {
        const Scheme *scheme = schemes[i];
        assert_true(strlen(scheme->name) > 0);
        for (const char *c = scheme->name; *c; c++) assert_true(islower(*c) || isdigit(*c) || *c == '-');
        for (int j = 0; j < i; j++) assert_string_not_equal(scheme->name, schemes[j]->name);
        if (!scheme->formula || !scheme->paper || !scheme->help || !*scheme->formula || !*scheme->paper)
            fail_msg("%s lacks its formula, paper or help", scheme->name);
        assert_true(strlen(scheme->help) > 40);
        for (const Option *o = scheme->options; o && o->name; o++) {
            assert_true(o->help && *o->help && o->value && *o->value);
            assert_true(o->offset < OPTIONS_CAPACITY);
            for (const Option *other = scheme->options; other != o; other++)
                assert_string_not_equal(o->name, other->name);
        }
    }
}

static void what_is_printed_reads_back(void **state) {
    static const char *const more[] = {"rope:base=500000.25,pairing=interleaved", "rope:base=1e5",
                                       "sinusoidal:base=77,layout=concatenated,amplitude=0.1",
                                       "learned:amplitude=0.001,past=interpolate"};
    char text[TEXT_CAPACITY], printed[TEXT_CAPACITY], again[TEXT_CAPACITY];
    int variants = 0;
    while (scheme_variant(text, &shape, variants)) variants++;
    for (int i = 0; i < variants + (int)COUNT(more); i++) {
        Mix pos, copy;
        Error error;
        if (i < variants)
            scheme_variant(text, &shape, i);
        else
            snprintf(text, sizeof text, "%s", more[i - variants]);
        must(mix_create(&pos, text, &shape, &error), &error);
        mix_print(&pos, printed);
        must(mix_create(&copy, printed, &shape, &error), &error);
        mix_print(&copy, again);
        assert_string_equal(again, printed);
        assert_ptr_equal(copy.part[0].scheme, pos.part[0].scheme);
        assert_memory_equal(copy.part[0].options, pos.part[0].options, sizeof pos.part[0].options);
    }
}

static void options_are_printed_in_full(void **state) {
    static const char *const cases[][2] = {
        {"none", "none"},
        {"alibi", "alibi:scale=1"},
        {"rope", "rope:base=10000,pairing=half,skip=0"},
        {"rope:skip=0,pairing=interleaved,base=123.5", "rope:base=123.5,pairing=interleaved,skip=0"},
        {"rope:axes=1", "rope:base=10000,pairing=half,skip=0"},
        {"rope:axes=2", "rope:base=100,pairing=half,skip=0,axes=2"},
        {"rope2d:base=100,pairing=half,skip=0",
         "rope:base=100,pairing=half,skip=0,axes=2"}, // as version 0.1 recorded it
        {"rope2d:axes=2", "rope:base=100,pairing=half,skip=0,axes=2"},
        {"rope-learned", "rope-learned:start=rope,rate=1,layers=own,base=10000,pairing=half,skip=0"},
        {"rope-learned:heads=shared,scale=trained",
         "rope-learned:start=rope,rate=1,layers=own,base=10000,pairing=half,skip=0,heads=shared,scale=trained"},
        {"learned:past=clamp", "learned:amplitude=0.02,start=random,past=clamp"},
        {"sinusoidal", "sinusoidal:base=10000,layout=interleaved,amplitude=0.02,gain=fixed"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Mix pos;
        Error error;
        char text[TEXT_CAPACITY];
        must(mix_create(&pos, cases[i][0], &shape, &error), &error);
        mix_print(&pos, text);
        assert_string_equal(text, cases[i][1]);
    }
}

// Known before there is a model: tables and plans need it for schemes that were typed.
static void some_options_make_a_designed_scheme_a_learned_one(void **state) {
    static const struct {
        const char *specification;
        bool learned;
    } cases[] = {{"none", false},
                 {"rope", false},
                 {"alibi:scale=8", false},
                 {"sinusoidal", false},
                 {"sinusoidal:gain=fixed,amplitude=1", false},
                 {"sinusoidal:gain=trained", true},
                 {"learned", true},
                 {"rope-learned:start=random", true},
                 {"alibi-learned", true},
                 {"alibi-learned:gate=trained", true},
                 {"rope:gate=trained", true},
                 {"sinusoidal:gate=trained", true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Mix pos;
        Gpt gpt;
        Error error;
        must(mix_parse(&pos, cases[i].specification, &error), &error);
        assert_true(position_learned(&pos.part[0]) == cases[i].learned);
        must(mix_fit(&pos, &shape, &error) && gpt_create(&gpt, &shape, &pos, false, &error), &error);
        assert_true(position_learned(&pos.part[0]) == (gpt.pos.part[0].param_count > 0));
        gpt_free(&gpt);
    }
}

static void mistakes_name_the_nearest(void **state) {
    static const struct {
        const char *specification;
        int width;
        const char *part; // of the message
    } cases[] = {
        {"rop", 8, "did you mean 'rope'"},
        {"Alibi", 8, "did you mean 'alibi'"},
        {"sinusoid", 8, "did you mean 'sinusoidal'"},
        {"xxxxxxxx", 8, "choose one of none, "},
        {"", 8, "no position scheme ''"},
        {"rope:bas=100", 8, "did you mean 'base'"},
        {"rope:base", 8, "base=B"},
        {"rope:base=100x", 8, "'100x'"},
        {"rope:base=", 8, "rope:base"},
        {"rope:base=nan", 8, "'nan'"},
        {"rope:base=1", 8, "rope:base"},
        {"rope:base=-5", 8, "rope:base"},
        {"rope:base=100,", 8, "at its end: here should be the name of a position scheme"},
        {"rope:pairing=hal", 8, "did you mean 'half'"},
        {"sinusoidal:amplitude=101", 8, "0 to 100"},
        {"learned:past=clmp", 8, "did you mean 'clamp'"},
        {"none:base=1", 8, "'none' has no options"},
        {"rope", 6, "even"},
        {"sinusoidal", 7, "even"},
        {"learned:start=sinusoidal", 7, "even"},
        {"rope2d", 4, "as many pairs as there are axes"},
        {"pope:delta=none,start=uniform", 8, "of a trained delta"},
        {"pope:delta=none,layers=shared", 8, "of a trained delta"},
        {"rope2d:axes=3", 8, "as many pairs as there are axes"},
        {"rope:axes=3", 8, "as many pairs as there are axes"},
        {"rope:axes=5", 8, "1 to 4"},
        {"rope:axes=2,bas=3", 8, "did you mean 'base'"},
        {"rope2", 8, "did you mean 'rope'"},
        {"transformer-xl", 7, "even"},
        {"t5:buckets=8,distance=4", 8, "distance"},
        {"partial:fraction=0.1", 8, "not one pair"},
        {"binary", 2, "more binary digits than channels"},
        {"binary:bits=2", 8, "defined for 4 positions"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const Shape this = {
            .vocab = 5, .context = 6, .layers = 1, .heads = cases[i].width % 2 ? 1 : 2, .width = cases[i].width};
        Mix pos;
        Error error = {0};
        if (mix_create(&pos, cases[i].specification, &this, &error)) fail_msg("'%s' was taken", cases[i].specification);
        assert_int_equal(error.kind, ERROR_INPUT);
        if (!strstr(error.message, cases[i].part))
            fail_msg("'%s': no '%s' in: %s", cases[i].specification, cases[i].part, error.message);
    }
}

// With layers=own there are as many sets of parameters as layers, each used by its own.
static void layers_share_parameters_or_have_their_own(void **state) {
    Shape deep = shape;
    deep.layers = 3;
    int asked = 0;
    for (int s = 0; schemes[s]; s++) {
        if (!schemes[s]->options || !option_find(schemes[s]->options, "layers")) continue;
        size_t numbers[2];
        for (int own = 0; own <= 1; own++) {
            char text[TEXT_CAPACITY];
            Gpt gpt;
            snprintf(text, sizeof text, "%s:layers=%s", schemes[s]->name, own ? "own" : "shared");
            model_make(&gpt, text, &deep, false);
            numbers[own] = tensor_numbers(&gpt.tensors, true);
            assert_int_equal(gpt.pos.part[0].sets, own ? 3 : 1);
            for (int layer = 0; layer < 3; layer++)
                assert_int_equal(position_set(&gpt.pos.part[0], layer), own ? layer : 0);
            gpt_free(&gpt);
        }
        assert_true(numbers[0] > 0);
        if (numbers[1] != 3 * numbers[0]) fail_msg("%s: %zu shared, %zu own", schemes[s]->name, numbers[0], numbers[1]);
        asked++;
    }
    assert_true(asked >= 6);
}

static void expect_inside(const Arena *arena, size_t size, const real *table) {
    const unsigned char *start = (const unsigned char *)table;
    assert_true(!start || (start >= arena->base && start < arena->base + size));
}

// A dry run must count what the real one takes, and touch nothing.
static void tables_are_as_large_as_counted(void **state) {
    char text[TEXT_CAPACITY];
    for (int i = 0; scheme_variant(text, &shape, i); i++) {
        for (int training = 0; training < 2; training++) {
            Mix pos;
            Tables tables;
            Error error;
            Arena arena = {0};
            must(mix_create(&pos, text, &shape, &error), &error);
            tables_layout(&tables, &pos.part[0], &arena, 33, 3, training);
            const size_t counted = arena.used;
            for (int t = 0; t < TABLES_CAPACITY; t++) assert_true(!tables.table[t] && !tables.dtable[t]);
            must(arena_allocate(&arena, "tables", &error), &error);
            tables_layout(&tables, &pos.part[0], &arena, 33, 3, training);
            assert_int_equal(arena.used, counted);
            assert_int_equal(tables.positions, 33);
            assert_int_equal(tables.batch, 3);
            for (int t = 0; t < TABLES_CAPACITY; t++) {
                expect_inside(&arena, counted, tables.table[t]);
                expect_inside(&arena, counted, tables.dtable[t]);
            }
            arena_free(&arena);
        }
    }
}

// --- learned positions past their table ---
// A learned table whose row t is (t, 10t, 0, ...), worked on with `positions` coordinates.
static void learned_make(Scene *scene, const char *specification, int context, int positions) {
    scene_make(scene, specification, shape_of(2, 8, context), context);
    real *table = scene->pos->params[0];
    memset(table, 0, (size_t)context * 8 * sizeof(real));
    for (int t = 0; t < context; t++) {
        table[t * 8] = (real)t;
        table[t * 8 + 1] = (real)(10 * t);
    }
    scene_layout(scene, positions, 1);
}

static void expect_row(const Scene *scene, int at, double row) {
    real x[8] = {0};
    scheme_learned.family->embed_forward(&scene->tables, x, &(Place){.t = at}, 1);
    expect_near("row", (size_t)at, (double)x[0], row, 1e-5);
    expect_near("ten rows", (size_t)at, (double)x[1], 10 * row, 1e-4);
}

static void learned_within_its_table(void **state) {
    static const char *const all[] = {"learned", "learned:past=clamp", "learned:past=interpolate"};
    for (size_t i = 0; i < COUNT(all); i++)
        for (int positions = 3; positions <= 6; positions++) {
            Scene learned;
            learned_make(&learned, all[i], 6, positions);
            for (int t = 0; t < positions; t++) expect_row(&learned, t, t);
            scene_free(&learned);
        }
}

static void lengths_end_where_schemes_do(void **state) {
    static const struct {
        const char *specification;
        int most, drawn; // with random positions below 15 there are never more
    } cases[] = {{"learned", 6, 15},
                 {"learned:past=error", 6, 15},
                 {"learned:past=clamp", 0, 15},
                 {"learned:past=interpolate", 0, 15},
                 {"binary", 8, 15},
                 {"binary:bits=4", 16, 15},
                 {"none", 0, 0},
                 {"sinusoidal", 0, 15},
                 {"rope", 0, 15},
                 {"xpos", 56463, 15}, // 2 gamma 30 / -log10(0.4 / 1.4)
                 {"xpos:gamma=1", 110, 15},
                 {"xpos:gamma=1e8", 0, 15},
                 {"alibi", 0, 15}};
    Shape scattered = shape;
    scattered.random_positions = 15;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Mix pos;
        Error error;
        must(mix_create(&pos, cases[i].specification, &shape, &error), &error);
        assert_int_equal(mix_max_length(&pos), cases[i].most);
        must(mix_create(&pos, cases[i].specification, &scattered, &error), &error);
        assert_int_equal(mix_max_length(&pos), cases[i].drawn);
    }
}

enum { LAYERS = 3, FED = 12, VOCABULARY = 5 };

// Logits (FED, VOCABULARY) of a fixed text.
static void logits_of(real *logits, const Gpt *gpt) {
    Inference inference;
    Error error;
    int ids[FED];
    for (int t = 0; t < FED; t++) ids[t] = t * t % VOCABULARY;
    must(inference_create(&inference, gpt, 1, FED, FED, &error), &error);
    inference_feed(&inference, gpt, ids, FED);
    inference_logits(logits, &inference, gpt, FED);
    inference_free(&inference);
}

static void randomise(real *values, size_t count, uint64_t seed) {
    for (size_t n = 0; n < count; n++) values[n] = (real)(0.5 * random_normal(seed, n));
}

// Numbers of the scheme's tensor `i` in a model of so many layers.
static size_t numbers(const char *specification, int layers, int i) {
    const Shape shape_ = {.vocab = VOCABULARY, .context = FED, .layers = layers, .heads = 2, .width = 8};
    Mix pos;
    Gpt gpt;
    Error error;
    must(mix_create(&pos, specification, &shape_, &error), &error);
    must(gpt_create(&gpt, &shape_, &pos, false, &error), &error);
    const size_t count = gpt.tensors.items[gpt.pos.part[0].tensors[i]].count;
    gpt_free(&gpt);
    return count;
}

// A layer that read another one's numbers would pass a gradient check: unread numbers have no gradient on either side.
static void every_layer_reads_its_own_numbers(void **state) {
    const Shape deep = {.vocab = VOCABULARY, .context = FED, .layers = LAYERS, .heads = 2, .width = 8};
    char specification[TEXT_CAPACITY];
    int own = 0;
    for (int v = 0; scheme_variant(specification, &deep, v); v++) {
        Mix pos;
        Gpt gpt;
        Error error;
        real before[FED * VOCABULARY], after[FED * VOCABULARY];
        if (strstr(specification, "threshold=")) continue; // which short texts do not read
        must(mix_create(&pos, specification, &deep, &error), &error);
        must(gpt_create(&gpt, &deep, &pos, false, &error), &error);
        gpt_init(&gpt, 1);
        randomise(gpt.params, gpt.tensors.total, 1);
        mix_project(&gpt.pos);
        logits_of(before, &gpt);
        for (int i = 0; i < gpt.pos.part[0].param_count; i++) {
            const Tensor *tensor = &gpt.tensors.items[gpt.pos.part[0].tensors[i]];
            const int slices = tensor->count == LAYERS * numbers(specification, 1, i) ? LAYERS : 1;
            const size_t size = tensor->count / (size_t)slices;
            own += slices > 1;
            for (int l = 0; l < slices; l++) {
                real *slice = gpt.params + tensor->offset + (size_t)l * size, *kept = malloc(size * sizeof(real));
                memcpy(kept, slice, size * sizeof(real));
                randomise(slice, size, 2);
                mix_project(&gpt.pos);
                logits_of(after, &gpt);
                if (memcmp(before, after, sizeof before) == 0)
                    fail_msg("%s: %s of layer %d is read by nobody", specification, tensor->name, l);
                memcpy(slice, kept, size * sizeof(real));
                free(kept);
            }
        }
        gpt_free(&gpt);
    }
    assert_true(own > 20);
}

static void learned_clamps(void **state) {
    Scene learned;
    learned_make(&learned, "learned:past=clamp", 6, 20);
    for (int t = 0; t < 20; t++) expect_row(&learned, t, t < 6 ? t : 5);
    scene_free(&learned);
}

// The first position reads the first row, the last position the last row, and those between are spaced evenly.
static void learned_interpolates(void **state) {
    static const int contexts[] = {1, 2, 6}, lengths[] = {7, 11, 1000};
    for (size_t i = 0; i < COUNT(contexts); i++)
        for (size_t j = 0; j < COUNT(lengths); j++) {
            const int T = contexts[i], P = lengths[j];
            Scene learned;
            learned_make(&learned, "learned:past=interpolate", T, P);
            for (int t = 0; t < P; t++) expect_row(&learned, t, (double)t * (T - 1) / (P - 1));
            scene_free(&learned);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_options_make_a_designed_scheme_a_learned_one),
        cmocka_unit_test(the_registry_is_complete),
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(options_are_printed_in_full),
        cmocka_unit_test(mistakes_name_the_nearest),
        cmocka_unit_test(layers_share_parameters_or_have_their_own),
        cmocka_unit_test(tables_are_as_large_as_counted),
        cmocka_unit_test(learned_within_its_table),
        cmocka_unit_test(lengths_end_where_schemes_do),
        cmocka_unit_test(learned_clamps),
        cmocka_unit_test(learned_interpolates),
        cmocka_unit_test(every_layer_reads_its_own_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
