// Damaged and hostile files of other programs: each is refused as bad input with a sentence, or gives a model.
#include "exchange/weights.h"
#include "tests/exchange/damaged.h"

static int make_models(void **state) {
    Run run;
    Error error;
    scratch_make(directory);
    new_directory(there, "there");
    run_make(&run, "rope");
    run_stretch(&run, METHOD_YARN, true);
    must(export_hf(&run, "the/run", there, &error), &error);
    run_close(&run);
    return 0;
}

static void damaged_files_are_survived(void **state) {
    damage("model.safetensors");
    damage("config.json");
    damage("tokenizer.json");
}

static void weights_are_checked_by_their_crc(void **state) {
    const char *name = "model.safetensors";
    Error error;
    const Buffer file = read_from(there, name);
    file.bytes[file.size - 4] ^= 1; // still a finite number
    write_file(there, name, file.bytes, file.size);
    if (import_there(&error)) fail_msg("one bit of the last weight was turned");
    assert_non_null(strstr(error.message, "CRC-32"));
    file.bytes[file.size - 4] ^= 1;
    write_file(there, name, file.bytes, file.size);
    free(file.bytes);
    must(import_there(&error), &error);
}

static void configs_of_other_models_are_refused(void **state) {
    expect_config("model_type", "\"opt\"", "\"model_type\" is opt");
    expect_config("model_type", "\"llama\"", "\"hidden_act\" is");
    expect_config("model_type", NULL, "missing");
    expect_config("options", "{}", "a run of bitter");
    expect_config("vocab_size", "128256", "is 128256, and bitter's models have at most");
    expect_config("vocab_size", "100", "257 tokens");
    expect_config("hidden_size", "0", "\"hidden_size\"");
    expect_config("hidden_size", "15", "is not 60");
    expect_config("num_hidden_layers", "1000000", "\"num_hidden_layers\" is 1000000, and");
    expect_config("num_hidden_layers", "1000", "describes a model of");
    expect_config("num_hidden_layers", "1", "has a tensor model.layers.1");
    expect_config("num_hidden_layers", "3", "has no tensor model.layers.2");
    expect_config("num_key_value_heads", "1", "makes it [8,16]");
    expect_config("num_key_value_heads", "3", "is 3, which 2 heads cannot share");
    expect_config("num_key_value_heads", NULL, "\"num_key_value_heads\"");
    expect_config("intermediate_size", "32", "\"intermediate_size\" is not 64");
    expect_config("hidden_act", "\"silu\"", "\"hidden_act\" is");
    expect_config("norm_epsilon", "1e-6", "\"norm_epsilon\"");
    expect_config("use_bias", "false", "\"use_bias\" is false");
    expect_config("tie_word_embeddings", "false", "\"tie_word_embeddings\" is");
    expect_config("tie_word_embeddings", "0", "\"tie_word_embeddings\" is 0");
    expect_config("sliding_window", "0", "\"sliding_window\" must be a whole number");
    expect_config("rope_theta", "-1", "\"rope_theta\"");
    expect_config("rope_scaling", "[]", "\"rope_scaling\"");
    expect_config("rope_scaling.rope_type", "\"su\"", "\"rope_type\" is su");
    expect_config("rope_scaling.rope_type", "[\"yarn\"]", "\"rope_type\" is no text");
    expect_config("partial_rotary_factor", "0.5", "4 of the 8 channels");
    expect_config("rope_scaling.rope_type", NULL, "no \"rope_type\"");
    expect_config("rope_scaling.factor", "0.5", "\"factor\"");
    expect_config("rope_scaling.mscale", "1", "\"mscale\"");
    expect_config("rope_scaling.original_max_position_embeddings", "1e300", "\"original_max_position_embeddings\"");
    expect_config("rope_scaling.attention_factor", "0", "\"attention_factor\"");
    expect_config("rope_scaling.truncate", "0", "\"truncate\" must be true or false");
    expect_config("rope_scaling.short_factor", "[1, 2]", "has 2 factors");
    expect_config("rope_scaling.long_factor", "[1, 2, 3, 1e300]", "\"long_factor\"");
}

static void configs_of_other_llamas_are_refused(void **state) {
    char rotating[PATH_CAPACITY];
    Run run;
    Error error;
    memcpy(rotating, there, sizeof rotating);
    run_make_as(&run, "rope", BLOCK_LLAMA, 1);
    new_directory(there, "llama");
    must(export_hf(&run, "the/run", there, &error), &error);
    run_close(&run);
    must(import_there(&error), &error);
    expect_config("intermediate_size", "44", "\"intermediate_size\" is not 64, which is two thirds");
    expect_config("num_key_value_heads", "2", "makes it [16,16]");
    expect_config("num_key_value_heads", "0", "\"num_key_value_heads\"");
    expect_config("rms_norm_eps", "1e-6", "\"rms_norm_eps\" is 1e-6");
    expect_config("rms_norm_eps", NULL, "where it is missing");
    expect_config("hidden_act", "\"gelu\"", "\"hidden_act\" is");
    expect_config("tie_word_embeddings", NULL, "\"tie_word_embeddings\" is");
    expect_config("mlp_bias", "true", "\"mlp_bias\" is true");
    expect_config("num_hidden_layers", "1000", "describes a model of");
    memcpy(there, rotating, sizeof there);
}

// A stretch has a limited number of pairs, which is checked before anything is computed for them. Of 601.2 channels,
// 300 pairs turn.
static void wide_heads_cannot_be_stretched(void **state) {
    char rotating[PATH_CAPACITY];
    Error error;
    const char config[] =
        "{\"model_type\":\"llama\",\"num_hidden_layers\":1,\"num_attention_heads\":1,\"hidden_size\":1200,"
        "\"intermediate_size\":3200,\"vocab_size\":257,\"max_position_embeddings\":64,\"hidden_act\":\"silu\","
        "\"rms_norm_eps\":1e-5,\"tie_word_embeddings\":true,"
        "\"rope_scaling\":{\"rope_type\":\"proportional\",\"partial_rotary_factor\":0.501,\"factor\":4}}";
    memcpy(rotating, there, sizeof rotating);
    new_directory(there, "wide");
    write_file(there, "config.json", (const uint8_t *)config, sizeof config - 1);
    expect_refused(import_there(&error), &error, "600 pairs of channels, but at most 256");
    memcpy(there, rotating, sizeof there);
}

// The size of gpt2's table of positions is known before memory is taken for it.
static void tables_of_positions_are_counted(void **state) {
    char rotating[PATH_CAPACITY];
    Run run;
    Error error;
    memcpy(rotating, there, sizeof rotating);
    new_directory(there, "learned");
    run_make(&run, "learned");
    must(export_hf(&run, "the/run", there, &error), &error);
    run_close(&run);
    expect_config("n_positions", "10000000", "describes a model of");
    memcpy(there, rotating, sizeof there);
}

// model.safetensors with this header and so many bytes of data.
static void expect_header(const char *header, size_t data, const char *part) {
    Error error;
    const uint64_t length = strlen(header);
    uint8_t *bytes = calloc(1, 8 + length + data);
    assert_non_null(bytes);
    memcpy(bytes, &length, sizeof length);
    memcpy(bytes + 8, header, length);
    write_file(there, "model.safetensors", bytes, 8 + length + data);
    free(bytes);
    expect_refused(import_there(&error), &error, part);
}

#define TENSOR(name, type, shape, begin, end)                                                                          \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]}"

static void hostile_headers_are_refused(void **state) {
    Error error;
    const Buffer before = read_from(there, "model.safetensors");
    expect_header("{}", 0, "describes a model of");
    expect_header("[]", 0, "not JSON");
    expect_header("{" TENSOR("a", "F32", "[2]", "0", "8") "}", 4, "cannot be");
    expect_header("{" TENSOR("a", "F32", "[1]", "0", "4") "}", 8, "holds 8 bytes");
    expect_header("{" TENSOR("a", "F32", "[1]", "0", "4") "," TENSOR("b", "F32", "[1]", "2", "6") "}", 6,
                  "does not begin where");
    expect_header("{" TENSOR("a", "F32", "[1]", "0", "4") "," TENSOR("b", "F32", "[1]", "8", "12") "}", 12,
                  "does not begin where");
    expect_header("{" TENSOR("a", "F32", "[1]", "0", "4") "," TENSOR("a", "F32", "[1]", "4", "8") "}", 8, "not JSON");
    expect_header("{" TENSOR("a", "F99", "[1]", "0", "4") "}", 4, "no data type");
    expect_header("{" TENSOR("a", "F32", "[-1]", "0", "4") "}", 4, "cannot be");
    expect_header("{" TENSOR("a", "F32", "[4294967296,4294967296]", "0", "0") "}", 0, "cannot be");
    expect_header("{" TENSOR("a", "F32", "[9223372036854775807,8]", "0", "4") "}", 4, "cannot be");
    expect_header("{" TENSOR("a", "F32", "[1]", "-4", "0") "}", 4, "cannot be");
    expect_header("{" TENSOR("a", "F32", "[1]", "4", "0") "}", 4, "cannot be");
    expect_header("{" TENSOR("a", "F32", "[1]", "0", "9223372036854775807") "}", 4, "cannot be");
    expect_header("{" TENSOR("a", "F32", "[1,1,1,1,1,1,1,1,1]", "0", "4") "}", 4, "cannot be");
    expect_header("{\"a\":7}", 0, "no data type");
    expect_header("{" TENSOR("a", "F32", "[8224]", "0", "32896") "}", 32896, "has no tensor model.embed_tokens.weight");
    expect_header("{" TENSOR("model.embed_tokens.weight", "I64", "[257,16]", "0", "32896") "}", 32896, "is I64");
    expect_header("{" TENSOR("model.embed_tokens.weight", "F32", "[8224]", "0", "32896") "}", 32896,
                  "makes it [257,16]");
    expect_header("{" TENSOR("a\\u001b[2J", "F99", "[1]", "0", "4") "}", 4, "tensor a?[2J");
    write_file(there, "model.safetensors", before.bytes, before.size);
    must(import_there(&error), &error);
    free(before.bytes);
}

// model.safetensors with a head beside the embeddings: with their numbers, or, if `other`, with one bit turned.
static bool import_with_head(bool other, Error *error) {
    const char *embeddings = "model.embed_tokens.weight", *name = "model.safetensors";
    uint64_t length;
    json_int_t begin, end;
    const Buffer file = read_from(there, name);
    memcpy(&length, file.bytes, sizeof length);
    json_t *header = json_loadb((const char *)file.bytes + 8, (size_t)length, 0, NULL);
    json_object_del(header, "__metadata__"); // as a file of another program, without a CRC
    json_t *head = json_deep_copy(json_object_get(header, embeddings));
    assert_int_equal(json_unpack(head, "{s:[I,I]}", "data_offsets", &begin, &end), 0);
    const size_t data = file.size - 8 - (size_t)length, size = (size_t)(end - begin);
    json_object_set_new(head, "data_offsets", json_pack("[I,I]", (json_int_t)data, (json_int_t)(data + size)));
    json_object_set_new(header, "lm_head.weight", head);
    char *text = json_dumps(header, JSON_COMPACT);
    const uint64_t written = strlen(text);
    Text out = {0};
    text_add(&out, (const char *)&written, sizeof written);
    text_add(&out, text, strlen(text));
    text_add(&out, (const char *)file.bytes + 8 + length, data);
    text_add(&out, (const char *)file.bytes + 8 + length + begin, size);
    out.bytes[out.size - 4] ^= other;
    write_file(there, name, out.bytes, out.size);
    const bool ok = import_there(error);
    write_file(there, name, file.bytes, file.size);
    text_free(&out);
    free(text);
    json_decref(header);
    free(file.bytes);
    return ok;
}

static void heads_of_their_own_are_refused(void **state) {
    Error error;
    must(import_with_head(false, &error), &error);
    expect_refused(import_with_head(true, &error), &error, "lm_head.weight differs from the token embeddings");
}

// Empty heads, which come before the embeddings. Searching for the embeddings again for each head would take minutes.
static void many_heads_are_read(void **state) {
    enum { HEADS = 150000 };
    Text header = {0};
    Error error;
    text_print(&header, "{");
    for (int i = 0; i < HEADS; i++)
        text_print(&header, "\"a%06dlm_head.weight\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},", i);
    text_print(&header, "\"b.embed_tokens.weight\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}");
    const uint64_t size = header.size;
    Text file = {0};
    text_add(&file, (const char *)&size, sizeof size);
    text_add(&file, header.bytes, header.size);
    SavedWeights weights;
    char heads[PATH_CAPACITY];
    snprintf(heads, sizeof heads, "%.1000s/heads", there);
    assert_int_equal(mkdir(heads, 0777), 0);
    write_file(heads, "model.safetensors", file.bytes, file.size);
    alarm(120);
    must(weights_open(&weights, heads, &error), &error);
    expect_refused(weights_all_used(&weights, &error), &error, "for which bitter's model has no place");
    alarm(0);
    weights_close(&weights);
    text_free(&file);
    text_free(&header);
}

static void other_files_are_refused(void **state) {
    char from[PATH_CAPACITY], to[PATH_CAPACITY];
    Error error;
    snprintf(from, sizeof from, "%.1000s/model.safetensors", there);
    snprintf(to, sizeof to, "%.1000s/one.safetensors", there);
    assert_int_equal(rename(from, to), 0);
    expect_refused(import_there(&error), &error, "has no model.safetensors");
    assert_int_equal(rename(to, from), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_files_are_survived),
        cmocka_unit_test(weights_are_checked_by_their_crc),
        cmocka_unit_test(configs_of_other_models_are_refused),
        cmocka_unit_test(wide_heads_cannot_be_stretched),
        cmocka_unit_test(tables_of_positions_are_counted),
        cmocka_unit_test(configs_of_other_llamas_are_refused),
        cmocka_unit_test(hostile_headers_are_refused),
        cmocka_unit_test(heads_of_their_own_are_refused),
        cmocka_unit_test(many_heads_are_read),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, make_models, remove_directory);
}
