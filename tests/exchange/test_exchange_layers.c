// Windows and layers without rotations are exported and imported; what no other program has is refused. `make interop`
// checks that transformers and llama.cpp compute the same.
#include "exchange/exchange.h"
#include "tests/exchange/damaged.h"

static void layered(Run *run, const char *pos, const char *window, Block block, int layers) {
    Error error;
    Shape shape;
    *run = (Run){0};
    options_default(&run->options, train_options);
    snprintf(run->options.pos, TEXT_CAPACITY, "%s", pos);
    snprintf(run->options.window, TEXT_CAPACITY, "%s", window);
    run->options.layers = layers;
    run->options.heads = 2;
    run->options.width = 16;
    run->options.block = (int)block;
    run->options.context = CONTEXT;
    must(tokenizer_create(&run->tokenizer, TOKENIZER_BYTES, &error), &error);
    must(shape_of(&shape, &run->options, run->tokenizer.vocab_size, &error), &error);
    model_make(&run->gpt, pos, &shape, false);
}

static void expect_pos(const Run *run, const char *pos) {
    char expected[TEXT_CAPACITY];
    Mix mix;
    Error error;
    must(mix_create(&mix, pos, &run->gpt.shape, &error), &error);
    mix_print(&mix, expected);
    assert_string_equal(run->options.pos, expected);
}

static void layers_come_back(void **state) {
    static const struct {
        const char *pos, *window;
        Block block;
        int layers;
        Target target;
        const char *pos_back, *window_back;
    } cases[] = {
        {"rope", "", BLOCK_GPT2, 2, TARGET_STARCODER2, "rope", ""},
        {"rope:base=77", "5", BLOCK_GPT2, 2, TARGET_STARCODER2, "rope:base=77", "5"},
        {"rope", "1", BLOCK_GPT2, 1, TARGET_STARCODER2, "rope", "1"},
        {"rope,none", "30", BLOCK_LLAMA, 2, TARGET_SMOLLM3, "rope,none", "30"},
        {"prope:p=0.5", "10000000", BLOCK_GPT2, 2, TARGET_STARCODER2, "prope:p=0.5", "10000000"},
        {"rope", "", BLOCK_LLAMA, 2, TARGET_LLAMA, "rope", ""},
        {"rope:pairing=interleaved", "5", BLOCK_LLAMA, 2, TARGET_MISTRAL, "rope", "5"},
        {"rope", "5,5", BLOCK_LLAMA, 2, TARGET_MISTRAL, "rope", "5"},
        {"rope*3,none", "", BLOCK_LLAMA, 4, TARGET_SMOLLM3, "rope*3,none", ""},
        {"rope*3,none", "", BLOCK_LLAMA, 6, TARGET_SMOLLM3, "rope*3,none", ""},
        {"rope*2,none", "", BLOCK_LLAMA, 4, TARGET_SMOLLM3, "rope*2,none", ""},
        {"none,rope:base=77", "", BLOCK_LLAMA, 3, TARGET_SMOLLM3, "none,rope:base=77", ""},
        {"none", "", BLOCK_LLAMA, 3, TARGET_SMOLLM3, "none", ""},
        {"none@0-2", "5", BLOCK_LLAMA, 3, TARGET_SMOLLM3, "none", "5"},
        {"rope@0,2-3,5 none@1,4,6", "", BLOCK_LLAMA, 7, TARGET_SMOLLM3, "rope,none,rope*2,none", ""},
        {"rope@0,2,5-6 none@1,3-4", "", BLOCK_LLAMA, 7, TARGET_SMOLLM3, "rope,none,rope,none*2,rope", ""},
        {"rope", "5*2,0", BLOCK_LLAMA, 4, TARGET_SMOLLM3, "rope", "5*2,0"},
        {"rope", "0,5", BLOCK_LLAMA, 3, TARGET_SMOLLM3, "rope", "0,5"},
        {"rope,none", "5,0", BLOCK_LLAMA, 4, TARGET_SMOLLM3, "rope,none", "5,0"},
        {"none,prope:p=0.5", "0*2,5", BLOCK_LLAMA, 5, TARGET_SMOLLM3, "none,prope:p=0.5", "0*2,5"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char out[PATH_CAPACITY];
        Run run, back;
        Error error;
        Target target;
        Rotations rotations;
        new_directory(out, "out");
        layered(&run, cases[i].pos, cases[i].window, cases[i].block, cases[i].layers);
        must(find_target(&target, &rotations, FORMAT_HF, &run.gpt, "the/run", &error), &error);
        assert_int_equal(target, cases[i].target);
        must(export_hf(&run, "the/run", out, &error), &error);
        must(import_hf(&back, out, &error), &error);
        expect_pos(&back, cases[i].pos_back);
        assert_string_equal(back.options.window, cases[i].window_back);
        assert_int_equal(back.options.block, cases[i].block);
        expect_same_logits(&run, &back, LENGTH);
        if (!strstr(cases[i].pos, "interleaved")) expect_same_weights(&run, &back);
        run_close(&run);
        run_close(&back);
    }
}

static void stretches_of_some_layers_come_back(void **state) {
    static const Method methods[] = {METHOD_PI, METHOD_YARN, METHOD_LLAMA3, METHOD_DYNAMIC};
    for (size_t i = 0; i < COUNT(methods); i++) {
        char out[PATH_CAPACITY];
        Run run, back;
        Error error;
        new_directory(out, "out");
        layered(&run, "rope,none", "", BLOCK_LLAMA, 2);
        run_stretch(&run, methods[i], false);
        must(export_hf(&run, "the/run", out, &error), &error);
        must(import_hf(&back, out, &error), &error);
        expect_pos(&back, "rope,none");
        expect_same_logits(&run, &back, LENGTH);
        run_close(&run);
        run_close(&back);
    }
}

static void gguf_has_every_fourth_layer(void **state) {
    static const struct {
        const char *pos;
        int layers;
        Target target;
    } cases[] = {
        {"rope*3,none", 4, TARGET_SMOLLM3},
        {"rope*3,none", 9, TARGET_SMOLLM3},
        {"rope", 4, TARGET_LLAMA},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Run run;
        Target target;
        Rotations rotations;
        Error error;
        layered(&run, cases[i].pos, "", BLOCK_LLAMA, cases[i].layers);
        must(find_target(&target, &rotations, FORMAT_GGUF, &run.gpt, "the/run", &error), &error);
        assert_int_equal(target, cases[i].target);
        run_close(&run);
    }
}

static void what_has_no_target_is_refused(void **state) {
    static const struct {
        const char *pos, *window;
        Block block;
        Format format;
        const char *part;
    } cases[] = {
        {"rope", "5,0", BLOCK_GPT2, FORMAT_HF, "different windows"},
        {"rope", "5,6", BLOCK_LLAMA, FORMAT_HF, "different windows"},
        {"rope,none", "5,6,0", BLOCK_LLAMA, FORMAT_HF, "one size"},
        {"learned", "5", BLOCK_GPT2, FORMAT_HF, "train it without --window, or with rope"},
        {"learned", "5", BLOCK_GPT2, FORMAT_LLMC, "without --window"},
        {"learned", "5", BLOCK_GPT2, FORMAT_GGUF, "without --window"},
        {"none", "5", BLOCK_GPT2, FORMAT_HF, "the scheme none"},
        {"partial", "5", BLOCK_GPT2, FORMAT_HF, "the scheme partial"},
        {"rope", "5", BLOCK_GPT2, FORMAT_GGUF, "use --to hf, or train it without --window"},
        {"rope*3,none", "5", BLOCK_LLAMA, FORMAT_GGUF, "use --to hf, or train it without --window"},
        {"rope,none", "", BLOCK_GPT2, FORMAT_HF, "all layers, or with --block llama --pos"},
        {"rope,none", "", BLOCK_LLAMA, FORMAT_GGUF, "every fourth of them; use --to hf, or train it with the same"},
        {"rope,none", "", BLOCK_GPT2, FORMAT_GGUF, "every fourth of them; train it with the same"}, // nor has hf
        {"rope", "5,6", BLOCK_LLAMA, FORMAT_GGUF, "have no windows; train it without --window"},
        {"none,rope*3", "", BLOCK_LLAMA, FORMAT_GGUF, "--pos 'rope*3,none'"},
        {"rope*3,none", "", BLOCK_LLAMA, FORMAT_LLMC, "no model of llm.c has Llama's block; use --to hf, or train"},
        {"none", "", BLOCK_LLAMA, FORMAT_GGUF, "the scheme none; use --to hf, or train with one of these: rope"},
        {"partial,none", "", BLOCK_GPT2, FORMAT_HF, "the same scheme in all layers"},
        {"alibi,none", "", BLOCK_GPT2, FORMAT_GGUF, "the same scheme in all layers"},
        {"rope:base=100*3,rope", "", BLOCK_LLAMA, FORMAT_HF, "several position schemes (rope:base=100*3,rope)"},
        {"rope+alibi", "", BLOCK_LLAMA, FORMAT_HF, "several position schemes (rope+alibi), and no other program"},
        {"learned,rope", "", BLOCK_GPT2, FORMAT_HF, "several position schemes"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Run run;
        Target target;
        Rotations rotations;
        Error error;
        layered(&run, cases[i].pos, cases[i].window, cases[i].block, 4);
        expect_refused(find_target(&target, &rotations, cases[i].format, &run.gpt, "the/run", &error), &error,
                       cases[i].part);
        expect_text(error.message, "the/run");
        run_close(&run);
    }
}

// Let `there` be a model of this target.
static void make_there(const char *pos, const char *window, Block block) {
    Run run;
    Error error;
    new_directory(there, "there");
    layered(&run, pos, window, block, 3);
    must(export_hf(&run, "the/run", there, &error), &error);
    run_close(&run);
    must(import_there(&error), &error);
}

static void expect_no_such_window(void) {
    static const char range[] = "\"sliding_window\" must be a whole number from 1 to 10000000";
    expect_config("sliding_window", "0", range);
    expect_config("sliding_window", "10000001", range);
    expect_config("sliding_window", "1e300", range);
    expect_config("sliding_window", "\"5\"", range);
}

static void windows_of_other_models_are_refused(void **state) {
    static const char list[] = "[\"full_attention\", \"sliding_attention\", \"sliding_attention\"]",
                      chunked[] = "[\"chunked_attention\", \"full_attention\", \"full_attention\"]";
    for (Block block = BLOCK_GPT2; block <= BLOCK_LLAMA; block++) {
        make_there("rope", "5", block);
        expect_no_such_window();
        expect_config("layer_types", list, "\"layer_types\" and \"sliding_window\" disagree");
        expect_config("layer_types", "7", "\"layer_types\" must be a list or null");
        expect_config("use_sliding_window", "1", "\"use_sliding_window\" must be true or false");
    }
    expect_config("num_key_value_heads", NULL, "\"num_key_value_heads\"");
    expect_config("num_key_value_heads", "-1", "\"num_key_value_heads\"");
    expect_config("num_key_value_heads", "4", "\"num_key_value_heads\" is 4, which 2 heads cannot share");
    expect_config("rms_norm_eps", NULL, "where it is missing");
    expect_config("tie_word_embeddings", NULL, "\"tie_word_embeddings\" is");
    expect_config("head_dim", "4", "\"head_dim\" is 4, but");
    make_there("rope", "5,0", BLOCK_LLAMA);
    expect_no_such_window();
    expect_config("sliding_window", NULL, "\"layer_types\" has sliding_attention, but \"sliding_window\" is missing");
    expect_config("sliding_window", "null", "but \"sliding_window\" is missing");
    expect_config("use_sliding_window", "false", "but \"use_sliding_window\" is not true");
    expect_config("use_sliding_window", "null", "\"use_sliding_window\" must be true or false");
    expect_config("layer_types", "[\"full_attention\"]", "\"layer_types\" has 1 items, but the model 3 layers");
    expect_config("layer_types", "{}", "\"layer_types\" must be a list or null");
    expect_config("layer_types", "[1, 2, 3]", "item 1 of \"layer_types\" is 1");
    expect_config("layer_types", chunked, "is \"chunked_attention\"");
    make_there("rope", "", BLOCK_LLAMA); // a llama
    expect_config("sliding_window", "4", "\"sliding_window\" is 4, but models of this type have no windows");
}

static void rotations_of_other_models_are_refused(void **state) {
    make_there("rope*2,none", "", BLOCK_LLAMA);
    expect_config("no_rope_layers", "[1, 1]", "\"no_rope_layers\" has 2 items, but the model 3 layers");
    expect_config("no_rope_layers", "[1, 1, 2]", "item 3 of \"no_rope_layers\" is 2");
    expect_config("no_rope_layers", "[1, 1.0, 1]", "item 2 of \"no_rope_layers\"");
    expect_config("no_rope_layers", "\"110\"", "\"no_rope_layers\" must be a list or null");
    expect_config("mlp_bias", "true", "\"mlp_bias\" is true");
    expect_config("num_hidden_layers", "1000", "\"no_rope_layers\" has 3 items, but the model 1000 layers");
}

// The config of `there` with these members instead of its own; null takes one away. Read it into the options.
static bool read_with(TrainOptions *options, const char *members, Error *error) {
    char name[] = "config.json";
    Target target;
    int vocab;
    const Buffer file = read_from(there, name);
    json_t *config = json_loadb((const char *)file.bytes, file.size, 0, NULL), *others = json_loads(members, 0, NULL),
           *value;
    const char *key;
    assert_non_null(others);
    json_object_foreach(others, key, value) {
        if (json_is_null(value))
            json_object_del(config, key);
        else
            json_object_set(config, key, value);
    }
    options_default(options, train_options);
    const bool ok = hf_config_read(&target, options, &vocab, config, name, error);
    json_decref(config);
    json_decref(others);
    free(file.bytes);
    return ok;
}

static void expect_texts(const char *members, const char *pos, const char *window) {
    TrainOptions options;
    Error error;
    must(read_with(&options, members, &error), &error);
    assert_string_equal(options.pos, pos);
    assert_string_equal(options.window, window);
}

static void expect_stretch(const char *members, double factor) {
    TrainOptions options;
    Error error;
    must(read_with(&options, members, &error), &error);
    assert_true(options.stretch.factor == factor);
}

// The values that transformers uses where members are missing, null, or floats.
static void missing_members_are_understood(void **state) {
    make_there("learned", "", BLOCK_GPT2);
    expect_texts("{\"layer_norm_epsilon\": 9.999999747378752e-06}", "learned", "");
    make_there("partial", "", BLOCK_GPT2);
    expect_texts("{\"layer_norm_eps\": 9.999999747378752e-06}", "partial:fraction=0.5,base=10000", "");
    make_there("rope", "5", BLOCK_GPT2);
    expect_texts("{\"norm_epsilon\": 9.999999747378752e-06}", "rope:base=10000", "5");
    expect_stretch("{\"rope_scaling\": {\"rope_type\": \"longrope\", \"factor\": null, \"long_factor\": [2, 2, 2, 2], "
                   "\"short_factor\": [1, 1, 1, 1], \"original_max_position_embeddings\": 3}}",
                   CONTEXT / 3.0);
    expect_texts("{\"sliding_window\": null}", "rope:base=10000", "");
    make_there("rope", "5", BLOCK_LLAMA);
    expect_texts("{\"sliding_window\": null, \"rope_theta\": null}", "rope:base=10000", "4096");
    make_there("rope*2,none", "", BLOCK_LLAMA);
    expect_texts("{\"rope_theta\": null}", "rope:base=2000000*2,none", "");
    expect_texts("{\"no_rope_layers\": null}", "rope:base=10000", ""); // every fourth of 3 layers
    expect_texts("{\"no_rope_layers\": null, \"no_rope_layer_interval\": 2}", "rope:base=10000,none", "");
    expect_texts("{\"no_rope_layers\": null, \"no_rope_layer_interval\": 1}", "none", "");
    expect_texts("{\"no_rope_layers\": null, \"num_hidden_layers\": 8, \"layer_types\": null}",
                 "rope:base=10000*3,none", "");
    expect_texts("{\"layer_types\": null, \"use_sliding_window\": true, \"sliding_window\": 5}",
                 "rope:base=10000*2,none", "0*2,5");
    expect_texts("{\"use_sliding_window\": true, \"sliding_window\": 5}", "rope:base=10000*2,none", "");
    expect_texts("{\"rms_norm_eps\": 9.999999747378752e-06}", "rope:base=10000*2,none", "");
    TrainOptions options;
    Error error;
    expect_refused(
        read_with(&options, "{\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 2, \"beta_fast\": 0.5}}", &error),
        &error, "\"beta_fast\" must be above");
    expect_refused(read_with(&options, "{\"rms_norm_eps\": 1.0001e-05}", &error), &error, "models have 1e-05");
    expect_refused(read_with(&options, "{\"no_rope_layers\": null, \"no_rope_layer_interval\": 0}", &error), &error,
                   "\"no_rope_layer_interval\" must be a whole number from 1");
}

static void damaged_configs_are_survived(void **state) {
    make_there("rope*2,none", "5,0", BLOCK_LLAMA);
    damage("config.json");
    make_there("rope", "5", BLOCK_LLAMA);
    damage("config.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_come_back),
        cmocka_unit_test(stretches_of_some_layers_come_back),
        cmocka_unit_test(gguf_has_every_fourth_layer),
        cmocka_unit_test(what_has_no_target_is_refused),
        cmocka_unit_test(windows_of_other_models_are_refused),
        cmocka_unit_test(rotations_of_other_models_are_refused),
        cmocka_unit_test(missing_members_are_understood),
        cmocka_unit_test(damaged_configs_are_survived),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
