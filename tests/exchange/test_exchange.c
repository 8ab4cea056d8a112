// A model that is exported and imported computes the same; models that no other program has are refused. `make interop`
// checks, with other programs, that they compute the same.
#include "tests/exchange/exchanged.h"

// Export, import, export again: the same logits, and the same file. Returns the import to be closed.
static void there_and_back(Run *back, const Run *run) {
    char there[PATH_CAPACITY], again[PATH_CAPACITY];
    Error error;
    new_directory(there, "there");
    new_directory(again, "again");
    must(export_hf(run, "the/run", there, &error), &error);
    must(import_hf(back, there, &error), &error);
    must(export_hf(back, "the/run", again, &error), &error);
    expect_same_file(there, again, "model.safetensors");
    expect_same_file(there, again, "tokenizer.json");
    assert_int_equal(back->tokenizer.kind, TOKENIZER_BYTES);
}

static void schemes_come_back(void **state) {
    static const struct {
        const char *pos, *back;
    } pairs[] = {
        {"learned", "learned"},
        {"none", "learned"},
        {"sinusoidal:amplitude=0.7", "learned"},
        {"normalized", "learned"},
        {"rope", "rope:base=10000"},
        {"rope:base=33.3", "rope:base=33.3"},
        {"rope:pairing=interleaved", "rope"},
        {"prope:p=0.6", "prope:p=0.5"}, // 2 of 4 pairs turn
        {"prope:pairing=interleaved", "prope"},
        {"partial", "partial"},
        {"partial:fraction=0.8,base=100,pairing=interleaved", "partial:fraction=0.75,base=100"},
    };
    for (size_t i = 0; i < COUNT(pairs); i++) {
        Run run, back;
        Mix expected;
        char specification[TEXT_CAPACITY];
        Error error;
        run_make(&run, pairs[i].pos);
        there_and_back(&back, &run);
        must(mix_create(&expected, pairs[i].back, &run.gpt.shape, &error), &error);
        mix_print(&expected, specification);
        assert_string_equal(back.options.pos, specification);
        expect_same_logits(&run, &back, CONTEXT);
        if (run.gpt.pos.part[0].scheme == back.gpt.pos.part[0].scheme && !strstr(pairs[i].pos, "interleaved"))
            expect_same_weights(&run, &back);
        run_close(&run);
        run_close(&back);
    }
}

static void llamas_and_shared_keys_come_back(void **state) {
    static const char *const rotary[] = {"rope", "rope:base=33.3", "rope:pairing=interleaved", "prope:p=0.5"};
    for (size_t i = 0; i < COUNT(rotary); i++)
        for (int kv_heads = 0; kv_heads <= 1; kv_heads++)
            for (Block block = kv_heads ? BLOCK_GPT2 : BLOCK_LLAMA; block <= BLOCK_LLAMA; block++) {
                Run run, back;
                run_make_as(&run, rotary[i], block, kv_heads);
                there_and_back(&back, &run);
                assert_int_equal(back.options.block, block);
                assert_int_equal(back.options.kv_heads, kv_heads);
                expect_same_logits(&run, &back, CONTEXT);
                if (!strstr(rotary[i], "interleaved")) expect_same_weights(&run, &back);
                run_close(&run);
                run_close(&back);
            }
}

static void stretches_come_back(void **state) {
    static const Method methods[] = {METHOD_PI, METHOD_NTK, METHOD_YARN, METHOD_LLAMA3, METHOD_DYNAMIC};
    static const char *const rotary[] = {"rope", "rope:pairing=interleaved", "partial", "prope:p=0.5"};
    for (size_t s = 0; s < COUNT(rotary); s++)
        for (size_t m = 0; m < COUNT(methods); m++)
            for (int keep_short = 0; keep_short <= (methods[m] != METHOD_DYNAMIC); keep_short++) {
                Run run, back;
                const bool prope = strstr(rotary[s], "prope");
                if (prope && methods[m] == METHOD_DYNAMIC) continue; // no other program has it
                run_make(&run, rotary[s]);
                run_stretch(&run, methods[m], keep_short);
                there_and_back(&back, &run);
                assert_int_equal(strncmp(back.options.pos, "prope:p=0.5", 11) == 0, prope);
                expect_same_logits(&run, &back, CONTEXT);
                expect_same_logits(&run, &back, LENGTH);
                run_close(&run);
                run_close(&back);
            }
}

// An llm.c file has the header, the embeddings with rows of zeros up to a multiple of 128, and the other weights.
static void llmc_holds_the_weights(void **state) {
    char there[PATH_CAPACITY];
    Run run;
    Error error;
    new_directory(there, "llm.c");
    run_make(&run, "learned");
    must(export_llmc(&run, "the/run", there, &error), &error);
    const Buffer file = read_from(there, "model.bin");
    const int32_t header[] = {20240326, 3, CONTEXT, 257, 2, 2, 16, 384};
    const size_t embeddings = 257 * 16 * sizeof(float), padding = (384 - 257) * 16 * sizeof(float);
    const Tensor *table = tensor_find(&run.gpt.tensors, "pos.table");
    assert_memory_equal(file.bytes, header, sizeof header);
    assert_int_equal(file.size, 1024 + run.gpt.tensors.total * sizeof(float) + padding);
    assert_memory_equal(file.bytes + 1024, run.gpt.params, embeddings);
    for (size_t i = 0; i < padding; i++) assert_int_equal(file.bytes[1024 + embeddings + i], 0);
    assert_memory_equal(file.bytes + 1024 + embeddings + padding, run.gpt.params + table->offset,
                        table->count * sizeof(float));
    free(file.bytes);
    run_close(&run);
}

// Embeddings padded to a round number: import leaves out the rows after the tokenizer's tokens.
static void padding_is_cut(void **state) {
    char padded[PATH_CAPACITY], plain[PATH_CAPACITY];
    Run run, bytes, back;
    Error error;
    new_directory(plain, "plain");
    run_make(&bytes, "rope");
    must(export_hf(&bytes, "the/run", plain, &error), &error);
    const Buffer tokenizer = read_from(plain, "tokenizer.json");
    for (int rows = 320; rows <= 1320; rows += 1000) {
        new_directory(padded, "padded");
        run_make(&run, "rope");
        gpt_free(&run.gpt);
        tokenizer_free(&run.tokenizer);
        must(tokenizer_create_plain(&run.tokenizer, TOKENIZER_NONE, rows, &error), &error);
        const Shape shape = sizes_of(&run.options, rows);
        model_make(&run.gpt, "rope", &shape, false);
        must(export_hf(&run, "the/run", padded, &error), &error);
        write_file(padded, "tokenizer.json", tokenizer.bytes, tokenizer.size);
        const bool taken = import_hf(&back, padded, &error);
        if (rows > 1000) {
            expect_refused(taken, &error, "257 tokens, but the model 1320");
        } else {
            must(taken, &error);
            assert_int_equal(back.gpt.shape.vocab, 257);
            for (int i = 0; i < back.gpt.tensors.count; i++) {
                const Tensor *t = &back.gpt.tensors.items[i], *of = tensor_find(&run.gpt.tensors, t->name);
                assert_memory_equal(back.gpt.params + t->offset, run.gpt.params + of->offset, t->count * sizeof(real));
            }
            run_close(&back);
        }
        run_close(&run);
    }
    free(tokenizer.bytes);
    run_close(&bytes);
}

static uint64_t u64_at(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

// The list of tensors of a GGUF begins after its named values; a tensor's name is found by searching for it.
static void gguf_holds_the_weights(void **state) {
    static const char name[] = "blk.1.ffn_up.weight";
    char there[PATH_CAPACITY];
    Run run;
    Error error;
    new_directory(there, "gguf");
    run_make(&run, "alibi");
    must(export_gguf(&run, "the/run", there, &error), &error);
    assert_int_equal(scratch_count(there), 1);
    const Buffer file = read_from(there, "model.gguf");
    assert_memory_equal(file.bytes, "GGUF\3\0\0\0", 8);
    const size_t count = u64_at(file.bytes + 8), size = strlen(name);
    assert_int_equal(count, 3 + 12 * 2);
    const Tensor *t = tensor_find(&run.gpt.tensors, "h.1.mlp.fc.weight");
    size_t data = 0, at = 0;
    while (at + size < file.size && memcmp(file.bytes + at, name, size) != 0) at++;
    at += size;
    assert_int_equal(file.bytes[at], 2);
    assert_int_equal(u64_at(file.bytes + at + 4), 16);
    assert_int_equal(u64_at(file.bytes + at + 12), 64);
    for (int i = 0; i < run.gpt.tensors.count; i++) data += (run.gpt.tensors.items[i].count * 4 + 31) / 32 * 32;
    const uint8_t *numbers = file.bytes + file.size - data + u64_at(file.bytes + at + 24);
    for (size_t n = 0; n < t->count; n++) {
        float number;
        memcpy(&number, numbers + 4 * n, sizeof number);
        assert_true(number == (float)run.gpt.params[t->offset + n]);
    }
    free(file.bytes);
    run_close(&run);
}

static void expect_no_target(const Run *run, Format format, const char *part) {
    Target target;
    Rotations rotations;
    Error error;
    expect_refused(find_target(&target, &rotations, format, &run->gpt, "the/run", &error), &error, part);
    expect_text(error.message, "the/run");
}

static void what_has_no_target_is_refused(void **state) {
    static const struct {
        const char *pos;
        Format format;
        const char *part;
    } cases[] = {
        {"t5", FORMAT_HF, "train with one of these: learned, none"},
        {"alibi", FORMAT_HF, "use --to gguf"},
        {"prope", FORMAT_GGUF, "use --to hf"},
        {"sinusoidal", FORMAT_LLMC, "use --to hf"},
        {"alibi:scale=2", FORMAT_GGUF, "scale=1"},
        {"rope,none", FORMAT_HF, "the same scheme in all layers"},
        {"rope,none", FORMAT_LLMC, "train with one of these: learned"}, // transformers would refuse it, too
        {"normalized:length=window", FORMAT_HF, "length=trained"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Run run;
        run_make(&run, cases[i].pos);
        expect_no_target(&run, cases[i].format, cases[i].part);
        run_close(&run);
    }
    static const struct {
        const char *pos;
        Format format;
        Block block;
        const char *part;
    } others[] = {
        {"learned", FORMAT_HF, BLOCK_GPT2, "train it without --kv-heads"},
        {"learned", FORMAT_HF, BLOCK_LLAMA,
         "with Llama's block has positions of the scheme learned; train with one of "
         "these: none, rope, prope"},
        {"learned", FORMAT_LLMC, BLOCK_LLAMA, "train with --block gpt2"},
        {"partial", FORMAT_GGUF, BLOCK_GPT2, "train it without --kv-heads"},
        {"prope", FORMAT_GGUF, BLOCK_LLAMA, "use --to hf"},
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        Run run;
        run_make_as(&run, others[i].pos, others[i].block, 1);
        expect_no_target(&run, others[i].format, others[i].part);
        run_close(&run);
    }
    Run run;
    run_make(&run, "rope");
    run.gpt.pos.part[0].shape.random_positions = 100;
    expect_no_target(&run, FORMAT_HF, "--random-positions");
    run.gpt.pos.part[0].shape.random_positions = 0;
    run.gpt.shape.scale_logits = SCALE_LOGITS_LOG;
    for (Format format = FORMAT_HF; format <= FORMAT_LLMC; format++)
        expect_no_target(&run, format, "without --scale-logits log");
    run.gpt.shape.scale_logits = SCALE_LOGITS_NONE;
    run_stretch(&run, METHOD_YARN, true);
    run.gpt.pos.part[0].stretch.short_stretch.attention = 1;
    expect_no_target(&run, FORMAT_HF, "attention factor");
    run_stretch(&run, METHOD_YARN, true);
    expect_no_target(&run, FORMAT_GGUF, "use --to hf");
    run_stretch(&run, METHOD_LLAMA3, false);
    expect_no_target(&run, FORMAT_GGUF, "use --to hf");
    run.gpt.pos.part[0].stretch.long_stretch.unscaled = 4;
    expect_no_target(&run, FORMAT_HF, "n_hat");
    run_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(schemes_come_back, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(llamas_and_shared_keys_come_back, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(stretches_come_back, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(llmc_holds_the_weights, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(gguf_holds_the_weights, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(padding_is_cut, make_directory, remove_directory),
        cmocka_unit_test(what_has_no_target_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
