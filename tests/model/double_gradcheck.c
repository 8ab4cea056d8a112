// Every gradient of the whole model compared with central differences, for every scheme.
#include "posenc/registry.h"
#include "tests/support/gradients.h"

#include <omp.h>

static const Setting usual = {.layers = 1, .heads = 2, .width = 8, .T = 8, .B = 2};
static const Setting one_head = {.layers = 1, .heads = 1, .width = 8, .T = 7, .B = 2};
static const Setting one_token = {.layers = 1, .heads = 2, .width = 8, .T = 1, .B = 3};
static const Setting scattered = {.layers = 1, .heads = 2, .width = 8, .T = 6, .B = 2, .random_positions = 40};
// Quick: two layers, and one random direction through each tensor.
static const Setting brief = {.layers = 2, .heads = 2, .width = 8, .T = 10, .B = 2, .directions = true};
static const Setting brief_scattered = {
    .layers = 2, .heads = 2, .width = 8, .T = 10, .B = 2, .directions = true, .random_positions = 40};
static const Setting dropping = {
    .layers = 2, .heads = 2, .width = 8, .T = 10, .B = 2, .dropout = 0.3, .directions = true};
// Two and three blocks of queries, the last not full.
static const Setting two_blocks = {
    .layers = 1, .heads = 2, .width = 8, .T = QUERY_BLOCK + 6, .B = 2, .directions = true};
static const Setting long_rows = {
    .layers = 1, .heads = 2, .width = 8, .T = 2 * QUERY_BLOCK + 6, .B = 2, .dropout = 0.1, .directions = true};

// Every scheme of the registry with its defaults; but with fewer corners in long rows, where one of many is always
// near.
static void check_schemes(const Setting *setting) {
    const bool few_corners = setting->T > QUERY_BLOCK;
    for (const Scheme *const *scheme = schemes; *scheme; scheme++)
        expect_gradients(few_corners && *scheme == &scheme_fire   ? "fire:width=1"
                         : few_corners && *scheme == &scheme_cope ? "cope:positions=2"
                                                                  : (*scheme)->name,
                         setting);
}

static void every_scheme(void **state) {
    check_schemes(&usual);
}

static void every_scheme_with_one_layer_of_one_head(void **state) {
    check_schemes(&one_head);
}

static void every_scheme_with_dropout(void **state) {
    check_schemes(&dropping);
}

static void every_scheme_with_one_token(void **state) {
    check_schemes(&one_token);
}

static void every_scheme_at_random_positions(void **state) {
    check_schemes(&scattered);
}

static void every_scheme_past_the_query_block(void **state) {
    check_schemes(&long_rows);
}

static void every_scheme_with_two_threads(void **state) {
    const int threads = omp_get_max_threads();
    omp_set_num_threads(2);
    check_schemes(&two_blocks);
    omp_set_num_threads(threads);
}

static void check_options(const Setting *setting) {
    const Shape shape = shape_of(setting);
    char specification[TEXT_CAPACITY];
    for (int i = 0; scheme_variant(specification, &shape, i); i++) expect_gradients(specification, setting);
}

static void every_option_of_every_scheme(void **state) {
    check_options(&brief);
    check_options(&brief_scattered);
}

// Several options together, and values for which terms matter that the defaults leave out.
static void chosen_options(void **state) {
    static const char *const chosen[] = {
        "rope:base=50",
        "partial:fraction=1,pairing=interleaved",
        "prope:p=0.5,pairing=interleaved",
        "xpos:gamma=4,pairing=interleaved",
        "rope2d:base=20,pairing=interleaved",
        "rope-learned:start=random,pairing=interleaved,layers=shared",
        "rope-learned:start=random,pairing=interleaved,scale=trained,layers=shared",
        "rope-learned:heads=shared,scale=trained",
        "sinusoidal:layout=concatenated,amplitude=1",
        "sinusoidal:gain=trained,amplitude=1,layout=concatenated",
        "alibi-learned:start=random,layers=own",
        "learned:amplitude=1,start=sinusoidal",
        "learned:past=interpolate",
        "t5:buckets=4,distance=5,layers=own", // the last bucket is reached
        "kerple:kind=power,layers=shared",
        "fire:threshold=4,width=5,layers=shared", // queries on both sides of the threshold
        "fox:bias=3",
        "path:rank=8,conv=1",
        "path:rank=4,conv=9,forget",
        "pope:start=uniform,layers=shared,base=50",
        "pope:delta=none",
        "selective:base=50",
        "{code: a * sin(t); a = 0.3}+{code: a * cos(t * c); a = 0.2}",
    };
    for (size_t i = 0; i < COUNT(chosen); i++) {
        expect_gradients(chosen[i], &usual);
        expect_gradients(chosen[i], &brief);
        expect_gradients(chosen[i], &brief_scattered);
    }
}

// Both blocks, with as many heads of keys as heads, with fewer, and with one.
static void every_scheme_with_shared_keys_and_in_llamas_block(void **state) {
    static const int kv_heads[] = {4, 2, 1};
    for (size_t i = 0; i < COUNT(kv_heads); i++)
        for (Block block = BLOCK_GPT2; block <= BLOCK_LLAMA; block++) {
            Setting setting = {.layers = 1, .heads = 4, .width = 16, .T = 8, .B = 2, .directions = true};
            setting.kv_heads = kv_heads[i];
            setting.block = block;
            for (const Scheme *const *scheme = schemes; *scheme; scheme++) expect_gradients((*scheme)->name, &setting);
            expect_gradients("rope-learned:start=random,scale=trained,layers=own", &setting);
            expect_gradients("rope:axes=2,pairing=interleaved", &setting);
        }
}

static void every_scheme_with_scaled_logits(void **state) {
    Setting setting = {.layers = 1, .heads = 2, .width = 8, .T = 8, .B = 2, .directions = true};
    setting.scale_logits = SCALE_LOGITS_LOG;
    for (const Scheme *const *scheme = schemes; *scheme; scheme++) expect_gradients((*scheme)->name, &setting);
    static const char *const some[] = {"rope", "path", "alibi+stick-breaking"};
    Setting rows = long_rows;
    rows.scale_logits = SCALE_LOGITS_LOG;
    for (size_t i = 0; i < COUNT(some); i++) expect_gradients(some[i], &rows);
}

// Every number of every tensor, and more rows than a block of queries has, with dropout.
static void every_number_of_llamas_block(void **state) {
    Setting setting = {.layers = 2, .heads = 2, .width = 8, .T = 8, .B = 2, .kv_heads = 1, .block = BLOCK_LLAMA};
    expect_gradients("rope", &setting);
    setting = long_rows;
    setting.block = BLOCK_LLAMA;
    setting.kv_heads = 1;
    expect_gradients("rope", &setting);
    expect_gradients("path", &setting);
    expect_gradients("pope", &setting);
    expect_gradients("selective", &setting);
}

// --- accumulation: a second batch adds its gradients to the first's, through every path ---
static void one_pass(TrainPass *pass, Gpt *gpt, const int *ids) {
    train_pass_embed(pass, gpt, ids);
    train_pass_forward(pass, gpt);
    train_pass_backward(pass, gpt, ids, ids);
}

static void gradients_accumulate(void **state) {
    const Shape shape = shape_of(&usual);
    char specification[TEXT_CAPACITY];
    for (int i = 0; scheme_variant(specification, &shape, i); i++) {
        Gpt gpt;
        TrainPass pass;
        int ids[64];
        const int rows = usual.B * usual.T;
        training_make(&gpt, &pass, specification, &shape, usual.B, usual.T);
        ids_make(ids, rows, shape.vocab, 1);
        for (int r = 0; r < rows; r++) pass.dnll[r] = 1;
        one_pass(&pass, &gpt, ids);
        real *once = copy_reals(gpt.grads, gpt.tensors.total);
        for (int passes = 2; passes <= 3; passes++) {
            one_pass(&pass, &gpt, ids);
            for (size_t n = 0; n < gpt.tensors.total; n++)
                expect_near(specification, n, gpt.grads[n], passes * once[n], 1e-12 * (1 + fabs(once[n])));
        }
        free(once);
        training_free(&gpt, &pass);
    }
}

static void a_place_is_a_row_and_a_column(void **state) {
    char text[64];
    number_place(text, 23, 8);
    assert_string_equal(text, "row 2, column 7");
    number_place(text, 23, 0);
    assert_string_equal(text, "number 23");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_is_a_row_and_a_column),
        cmocka_unit_test(every_scheme),
        cmocka_unit_test(every_scheme_with_one_layer_of_one_head),
        cmocka_unit_test(every_scheme_with_dropout),
        cmocka_unit_test(every_scheme_with_one_token),
        cmocka_unit_test(every_scheme_at_random_positions),
        cmocka_unit_test(every_scheme_past_the_query_block),
        cmocka_unit_test(every_scheme_with_two_threads),
        cmocka_unit_test(every_option_of_every_scheme),
        cmocka_unit_test(chosen_options),
        cmocka_unit_test(every_scheme_with_shared_keys_and_in_llamas_block),
        cmocka_unit_test(every_scheme_with_scaled_logits),
        cmocka_unit_test(every_number_of_llamas_block),
        cmocka_unit_test(gradients_accumulate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
