// The text of --pos: which schemes, and where.
#include "model/gpt.h"
#include "posenc/mix.h"
#include "tests/support/combination.h"

static const Shape shape = {.vocab = 5, .context = 16, .layers = 4, .heads = 4, .width = 16};

// "rope:0123 none:" and the like: the layers of each part.
static void describe(char out[TEXT_CAPACITY], const Mix *mix) {
    size_t used = 0;
    for (int p = 0; p < mix->parts; p++) {
        const Position *pos = &mix->part[p];
        used += (size_t)snprintf(out + used, TEXT_CAPACITY - used, "%s%s:", p ? " " : "", pos->scheme->name);
        int own = 0;
        for (int l = 0; l < mix->shape.layers; l++) {
            const int layer = position_layer(pos, l);
            if (layer < 0) continue;
            assert_int_equal(layer, own++);
            used += (size_t)snprintf(out + used, TEXT_CAPACITY - used, "%d", l);
        }
        assert_int_equal(pos->shape.layers, own);
    }
}

static void layers_are_given_out(void **state) {
    static const char *const cases[][2] = {
        {"rope", "rope:0123"},
        {"learned+alibi", "learned:0123 alibi:0123"},
        {"rope*3,none", "rope:012 none:3"},
        {"rope,none", "rope:02 none:13"},
        {"rope@0-2  none@3", "rope:012 none:3"},
        {"rope:base=100, none", "rope:02 none:13"},
        {"none@3,rope@0,1,2", "none:3 rope:012"},
        {"rope:base=1e4*3,rope:base=1e6", "rope:012 rope:3"},
        {"rope:base=1e+4,pairing=half*3,none", "rope:012 none:3"},
        {"rope+alibi*3,alibi", "rope:012 alibi:0123"},
        {"learned,rope,none", "learned:0123 rope:02 none:13"},
        {"rope,none,learned", "rope:02 none:13 learned:0123"},
        {"random+rope", "random:0123 rope:0123"},
        {"path:forget,rank=4+alibi", "path:0123 alibi:0123"},
        {"path:rank=4,forget", "path:0123"},
        {"rope:gate=trained+alibi", "rope:0123 alibi:0123"},
        {"rope:gate=trained*3,rope:gate=none", "rope:012 rope:3"},
    };
    Shape deep = shape;
    deep.layers = 8;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Mix mix;
        Error error;
        char found[TEXT_CAPACITY];
        must(mix_parse(&mix, cases[i][0], &error), &error);
        mix_fit(&mix, &deep, &error); // whether it fits there or not, it leaves no trace
        must(mix_fit(&mix, &shape, &error), &error);
        describe(found, &mix);
        assert_string_equal(found, cases[i][1]);
    }
}

// Which layers have the same parts, and the fewest layers that fit a text.
static void layers_are_alike_where_parts_are(void **state) {
    static const struct {
        const char *text;
        int layers, like[6];
    } kinds[] = {{"rope", 1, {0, 0, 0, 0, 0, 0}},
                 {"learned,rope*3,none", 4, {0, 0, 0, 3, 0, 0}},
                 {"rope@0-1,3 alibi@2,4,5", 6, {0, 0, 2, 0, 2, 2}},
                 {"rope@0,5 alibi@1-4", 6, {0, 1, 1, 1, 1, 0}},
                 {"rope:base=10,rope:base=20,rope:base=10", 3, {0, 1, 0, 0, 1, 0}}};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        Mix pos;
        Error error;
        Shape sizes = shape;
        sizes.layers = 6;
        must(mix_create(&pos, kinds[i].text, &sizes, &error), &error);
        assert_int_equal(mix_layers(&pos), kinds[i].layers);
        for (int l = 0; l < 6; l++) assert_int_equal(mix_like(&pos, l), kinds[i].like[l]);
    }
}

// Windows of other layers do not count for a part, nor do windows that see more than the part can.
static void keys_are_those_of_the_windows(void **state) {
    enum { T = 12 };
    const double all = (T + 1) / 2.0, three = (1 + 2 + 3 * (T - 2)) / (double)T,
                 five = (1 + 2 + 3 + 4 + 5 * (T - 4)) / (double)T;
    Shape sizes = shape;
    Mix mix;
    Error error;
    sizes.layers = 70;
    sizes.windows = (Windows){2, {5, 0}};
    must(mix_create(&mix, "alibi@1-3,66,69 none@0,4-65,67-68", &sizes, &error), &error);
    const Position *pos = &mix.part[0]; // layers 2 and 66 have windows, layers 1, 3 and 69 have none
    static const int own[] = {1, 2, 3, 66, 69};
    for (int i = 0; i < 5; i++) assert_int_equal(position_layer(pos, own[i]), i);
    assert_true(position_layer(pos, 0) < 0 && position_layer(pos, 65) < 0 && position_layer(pos, 67) < 0);
    expect_near("keys", 0, keys_seen_within(pos, T, 0), (2 * five + 3 * all) / 5, 1e-12);
    expect_near("of at most 3", 0, keys_seen_within(pos, T, 3), three, 1e-12);
    expect_near("of at most 9", 0, keys_seen_within(pos, T, 9), (2 * five + 3 * keys_seen_of(T, 9)) / 5, 1e-12);
    must(mix_create(&mix, "alibi", &sizes, &error), &error);
    expect_near("every layer", 0, keys_seen_within(&mix.part[0], T, 0), (five + all) / 2, 1e-12);
    sizes.windows.period = 0;
    must(mix_create(&mix, "alibi", &sizes, &error), &error);
    expect_near("no windows", 0, keys_seen_within(&mix.part[0], T, 3), three, 1e-12);
}

static void what_is_printed_is_the_same_when_read_again(void **state) {
    for (int i = 0; i < COMBINATIONS; i++) {
        Mix mix, again;
        Error error;
        char text[TEXT_CAPACITY], printed[TEXT_CAPACITY], twice[TEXT_CAPACITY], found[TEXT_CAPACITY],
            back[TEXT_CAPACITY];
        draw_combination(text, &shape, i);
        must(mix_create(&mix, text, &shape, &error), &error);
        mix_print(&mix, printed);
        must(mix_create(&again, printed, &shape, &error), &error);
        mix_print(&again, twice);
        assert_string_equal(printed, twice);
        describe(found, &mix);
        describe(back, &again);
        assert_string_equal(found, back);
        for (int p = 0; p < mix.parts; p++)
            assert_memory_equal(mix.part[p].options, again.part[p].options, sizeof mix.part[p].options);
        for (int p = 0; p < mix.parts; p++) assert_true(mix.part[p].gated == again.part[p].gated);
    }
}

static const char *const bad_texts[][2] = {
    {"rope@0,1 none@1-3", "character 10 ('none@1-3'): layer 1 is named twice"},
    {"rope@0-1", "at its end: layer 2 is not named"},
    {"rope@0-1 none", "character 10 ('none'): layer 0 is named twice; name each once"},
    {"rope@0-4", "character 1 ('rope@0-4'): there is no layer 4"},
    {"rope@2-1", "character 6 ('2-1'): this range ends before it begins"},
    {"rope@", "at its end: here should be the number of a layer"},
    {"rope@999", "character 6 ('999'): a number here is at most 255, because @ is for models of up to 256 layers"},
    {"rope@99999999999999999999", "character 6 ('99999999999999999999'): a number here is at most 255"},
    {"rope@0-3@0", "character 10 ('0'): the layers of this item are named twice"},
    {"rope*2@0-1 none@2-3", "character 5 ('*2@0-1 none@2-3'): give a number of layers or their list"},
    {"rope*0,none", "character 6 ('0,none'): give a number of layers from 1"},
    {"rope*,none", "character 6 (',none'): here should be the number of layers"},
    {"rope*3", "leave out *3"},
    {"rope*3 none@3", "character 1 ('rope*3 none@3'): *3 cannot stand beside items with @; name these layers behind @"},
    {"rope*4,none", "character 1 ('rope*4,none'): these are schemes for 5 layers, but --layers 4"},
    {"rope*3,t5:buckets=8,distance=4", "character 8 ('t5:buckets=8,distanc'): --pos t5"},
    {"rope+xpos", "both turn queries and keys"},
    {"rope+shaw", "the other reads them as they were"},
    {"path+path:rank=3", "both compute the scores themselves"},
    {"rope+none", "none adds nothing to a sum"},
    {"t5+t5", "character 4 ('t5'): this sum has the same scheme twice"},
    {"rope+", "at its end: here should be the name of a position scheme"},
    {"rope++alibi", "character 6 ('+alibi'): here should be the name of a position scheme"},
    {"rope + alibi", "character 6 ('+ alibi'): here should be the name of a position scheme; a sum has no spaces"},
    {"rope\tnone", "character 5 ('?none'): a tab or a line break cannot stand here; use a space or a comma"},
    {"rope,", "at its end: here should be the name of a position scheme"},
    {"rope*3,nine", "character 8 ('nine'): there is no position scheme 'nine'; did you mean 'none'"},
    {"rope+alib", "character 6 ('alib'): there is no position scheme 'alib'; did you mean 'alibi'"},
    {"rope*3,rope:bass=3", "character 8 ('rope:bass=3'): rope has no option 'bass'; did you mean 'base'"},
    {"rope@0-1none", "character 9 ('none'): items are separated by a comma or a space"},
    {"learned@0 rope@1-3", "learned is added to the embeddings"},
    {"learned,learned", "character 9 ('learned'): learned is added to the embeddings"},
    {"{code: t/T},{code: t/T}", "nor named twice"},
    {"rope,base=500", "character 6 ('base=500'): there is no position scheme 'base=500'; options follow a colon"},
    {"alibi,learnd", "did you mean 'learned'?"},
    {"rope:gate=trained,skip=2", "rope:skip went with version 0.2; rope*1,none is the same as skip=2"},
    {"rope:base=1*3,none", "character 1 ('rope:base=1*3,none'): rope:base"},
    {"alibi@1-3 xpos:gamma=0@0", "character 11 ('xpos:gamma=0@0'): xpos:gamma: give a number"},
    {"rope:gate=train", "--pos 'rope:gate=train', character 1 ('rope:gate=train'): rope:gate: give none or trained, "
                        "not 'train'; did you mean 'trained'?"},
    {"rope:gate=trained,gate=trained", "gate is given twice"},
    {"rope@heads=0 none@1-3", "character 6 ('heads=0 none@1-3'): schemes by head went"},
    {"none:gate=trained", "'none' has no options, but got 'gate=trained'"},
    {"fox:gate=trained", "fox has no option 'gate'"},
};

static void bad_texts_are_refused_with_their_place(void **state) {
    for (size_t i = 0; i < COUNT(bad_texts); i++) {
        Mix mix;
        Error error = {0};
        if (mix_create(&mix, bad_texts[i][0], &shape, &error)) fail_msg("'%s' was taken", bad_texts[i][0]);
        assert_int_equal(error.kind, ERROR_INPUT);
        if (!strstr(error.message, bad_texts[i][1]))
            fail_msg("'%s': no '%s' in: %s", bad_texts[i][0], bad_texts[i][1], error.message);
    }
}

static void heads_with_frequencies_of_their_own_share_no_keys(void **state) {
    Shape sharing = shape;
    Mix mix;
    Error error = {0};
    sharing.kv_heads = 2;
    must(mix_create(&mix, "rope*3,none", &sharing, &error), &error);
    must(mix_create(&mix, "rope-learned", &sharing, &error), &error); // by heads of keys
    assert_false(mix_create(&mix, "{angle(i) = 2^-i / h}", &sharing, &error));
    assert_non_null(strstr(error.message, "heads cannot share keys"));
}

// Cut anywhere, or with any character changed, a text is accepted or refused, and an accepted mix can be printed.
static void damaged_texts_do_no_harm(void **state) {
    Random random = {random_key(1, "damage"), 0};
    for (int i = 0; i < COMBINATIONS; i++) {
        char text[TEXT_CAPACITY];
        draw_combination(text, &shape, i);
        const int length = (int)strlen(text);
        for (int n = 0; n < 60; n++) {
            Mix mix;
            Error error = {0};
            char damaged[TEXT_CAPACITY], printed[TEXT_CAPACITY];
            snprintf(damaged, sizeof damaged, "%s", text);
            if (n % 2)
                damaged[random_below(&random, length)] = 0;
            else
                damaged[random_below(&random, length)] = (char)(33 + random_below(&random, 94));
            if (mix_create(&mix, damaged, &shape, &error))
                mix_print(&mix, printed);
            else
                assert_int_equal(error.kind, ERROR_INPUT);
        }
    }
}

// The first part starts as the scheme alone does, and the second elsewhere.
static void parts_of_one_scheme_start_differently(void **state) {
    static const char *const names[] = {"kerple:", "fire:", "alibi-learned:start=random,",
                                        "rope-learned:start=random,"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char text[TEXT_CAPACITY], single[TEXT_CAPACITY];
        Mix alone, mix;
        Gpt one, both;
        Error error;
        snprintf(text, sizeof text, "%slayers=shared@0-1,%slayers=own@2-3", names[i], names[i]);
        snprintf(single, sizeof single, "%slayers=shared@0-1,none@2-3", names[i]);
        must(mix_create(&alone, single, &shape, &error) && mix_create(&mix, text, &shape, &error), &error);
        must(gpt_create(&one, &shape, &alone, false, &error) && gpt_create(&both, &shape, &mix, false, &error), &error);
        gpt_init(&one, 3);
        gpt_init(&both, 3);
        for (int n = 0; n < 2; n++) {
            const real first = both.pos.part[0].params[0][n], second = both.pos.part[1].params[0][n];
            if (first != one.pos.part[0].params[0][n]) fail_msg("%s: the first part starts elsewhere", names[i]);
            if (first == second) fail_msg("%s: both parts start with %g", names[i], (double)first);
        }
        const char *scheme = both.pos.part[0].scheme->name;
        snprintf(text, sizeof text, "pos.%s.", scheme);
        assert_string_equal(both.pos.part[0].prefix, text);
        snprintf(text, sizeof text, "pos.%s-2.", scheme);
        assert_string_equal(both.pos.part[1].prefix, text);
        gpt_free(&one);
        gpt_free(&both);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_given_out),
        cmocka_unit_test(layers_are_alike_where_parts_are),
        cmocka_unit_test(keys_are_those_of_the_windows),
        cmocka_unit_test(what_is_printed_is_the_same_when_read_again),
        cmocka_unit_test(bad_texts_are_refused_with_their_place),
        cmocka_unit_test(heads_with_frequencies_of_their_own_share_no_keys),
        cmocka_unit_test(damaged_texts_do_no_harm),
        cmocka_unit_test(parts_of_one_scheme_start_differently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
