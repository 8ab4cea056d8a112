// config.json: every option is read back exactly, and a damaged or wrongly edited file is refused by name.
#include "train/config.h"
#include "tests/support/little_model.h"
#include "tests/support/scratch.h"

static const Shape shape = {.vocab = 257, .context = 8, .layers = 1, .heads = 1, .width = 4};

static char directory[SCRATCH_PATH];
static char path[SCRATCH_PATH + 32];
static Corpus corpus;
static Gpt gpt;

static int prepare(void **state) {
    Error error;
    scratch_make(directory);
    snprintf(path, sizeof path, "%s/config.json", directory);
    must(corpus_open(&corpus, "builtin:tales:bytes=20000", &error), &error);
    model_make(&gpt, "learned", &shape, true);
    return 0;
}

static int finish(void **state) {
    gpt_free(&gpt);
    corpus_close(&corpus);
    scratch_remove(directory);
    return 0;
}

static void expect_round_trip(const TrainOptions *written, const char *what) {
    TrainOptions found = {0};
    int vocab_size = 0;
    Error error;
    memset(&found, 0xA5, sizeof found);
    must(config_write(path, written, &gpt, &corpus, &error), &error);
    must(config_read(path, &found, &vocab_size, &error), &error);
    assert_int_equal(vocab_size, 257);
    for (const Option *o = train_options; o->name; o++) {
        char before[TEXT_CAPACITY], after[TEXT_CAPACITY];
        option_print(written, o, before);
        option_print(&found, o, after);
        if (strcmp(before, after) != 0) fail_msg("%s: %s was %s and came back as %s", what, o->name, before, after);
    }
}

static void defaults_come_back(void **state) {
    TrainOptions options = {0};
    options_default(&options, train_options);
    expect_round_trip(&options, "defaults");
}

// Numbers that need all their digits, the ends of their ranges, and text that JSON has to escape.
static void every_option_comes_back(void **state) {
    static const char *const
        integers[] = {"1", "2", "999", "9007199254740993"},
        *const numbers[] = {"0.1", "0.3333333333333333", "0.30000000000000004", "1e-300"},
        *const texts[] = {"", "a \"b\" \\ c/\xC3\xA9\xF0\x9F\x98\x80", "words of\xC2\xA0two", "rope:base=1e6"},
        *const flags[] = {"true", "false", "true", "false"}, *const choices[] = {"bf16", "float", "bf16", "float"};
    static const char *const *const values[] = {[OPTION_INTEGER] = integers,
                                                [OPTION_NUMBER] = numbers,
                                                [OPTION_TEXT] = texts,
                                                [OPTION_FLAG] = flags,
                                                [OPTION_CHOICE] = choices};
    for (int i = 0; i < 4; i++) {
        TrainOptions options = {0};
        options_default(&options, train_options);
        int changed = 0;
        for (const Option *o = train_options; o->name; o++) {
            Error error;
            if (o->type == OPTION_HEADING) continue;
            changed += option_set(&options, o, values[o->type][i], o->name, &error); // some are out of some ranges
        }
        assert_true(changed >= 15);
        expect_round_trip(&options, "changed");
    }
    for (const Option *o = train_options; o->name; o++) {
        TrainOptions options = {0};
        Error error;
        options_default(&options, train_options);
        char longest[TEXT_CAPACITY], text[TEXT_CAPACITY];
        memset(longest, 'x', sizeof longest);
        longest[TEXT_CAPACITY - 1] = 0;
        if (o->type == OPTION_TEXT) {
            must(option_set(&options, o, longest, o->name, &error), &error);
            expect_round_trip(&options, "longest text");
        } else if ((o->type == OPTION_INTEGER || o->type == OPTION_NUMBER) && isfinite(o->maximum)) {
            snprintf(text, sizeof text, "%.17g", o->maximum);
            must(option_set(&options, o, text, o->name, &error), &error);
            expect_round_trip(&options, "largest number");
        }
    }
}

// {"options": {...}, "data": {...}} as a config.json.
static void write_config(const char *options, const char *data) {
    char text[4 * TEXT_CAPACITY];
    const int length = snprintf(text, sizeof text, "{\"options\": {%s}, \"data\": {%s}}", options, data);
    assert_in_range(length, 0, sizeof text - 1);
    scratch_write(path, text, (size_t)length);
}

static const char *const usual_data = "\"vocab_size\": 257";

static void missing_keys_keep_their_defaults(void **state) {
    TrainOptions options = {0}, defaults = {0};
    int vocab_size;
    Error error;
    options_default(&defaults, train_options);
    write_config("\"layers\": 7, \"lr\": 0.5", usual_data);
    must(config_read(path, &options, &vocab_size, &error), &error);
    assert_int_equal(options.layers, 7);
    assert_true(options.lr == 0.5);
    assert_int_equal(options.width, defaults.width);
    assert_string_equal(options.pos, defaults.pos);
    assert_int_equal(vocab_size, 257);
}

static void expect_refusal(const char *part) {
    TrainOptions options = {0};
    int vocab_size;
    Error error = {0};
    expect_refused(config_read(path, &options, &vocab_size, &error), &error, part);
    assert_non_null(strstr(error.message, path));
}

static void wrong_options_are_refused(void **state) {
    static const struct {
        const char *options, *part;
    } cases[] = {{"\"wdith\": 128", "no option \"wdith\"; did you mean \"width\"?"},
                 {"\"zzzzzzzz\": 128", "no option \"zzzzzzzz\"; take it out"},
                 {"\"width\": 0", "\"width\": give a whole number from 1 to 20000, not '0'"},
                 {"\"width\": 20001", "not '20001'"},
                 {"\"width\": 1.5", "not '1.5'"},
                 {"\"width\": true", "not 'true'"},
                 {"\"width\": \"wide\"", "not 'wide'"},
                 {"\"width\": null", "\"width\""},
                 {"\"width\": [128]", "\"width\""},
                 {"\"width\": {}", "\"width\""},
                 {"\"width\": 99999999999999999999", "too big"},
                 {"\"beta1\": 1", "\"beta1\": give"},
                 {"\"dropout\": -0.1", "\"dropout\": give"},
                 {"\"resume\": 1", "\"resume\": give true or false"},
                 {"\"layers\": 2, \"layers\": 3", "duplicate"},
                 {"\"layers\": 2,", "line 1"},
                 {"\"layers\" 2", "line 1"},
                 {"\"data\": \"\xFF\"", "line 1"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_config(cases[i].options, usual_data);
        expect_refusal(cases[i].part);
    }
    char options[2 * TEXT_CAPACITY] = "\"out\": \"";
    memset(options + strlen(options), 'x', TEXT_CAPACITY);
    strcat(options, "\"");
    write_config(options, usual_data);
    expect_refusal("too long");
}

// The content of the file as text: all options, the vocabulary's size and the factors. False when it is refused.
static bool meaning(char text[1 << 14]) {
    TrainOptions options = {0};
    int vocab_size;
    Error error = {0};
    if (!config_read(path, &options, &vocab_size, &error)) {
        assert_int_equal(error.kind, ERROR_INPUT);
        assert_non_null(strstr(error.message, path));
        return false;
    }
    int length = sprintf(text, "%d %d %.17g", vocab_size, options.stretch.original, options.stretch.factor);
    for (int i = 0; i < options.stretch.pairs; i++)
        length += sprintf(text + length, " %.17g", options.stretch.long_stretch.factors[i]);
    for (const Option *o = train_options; o->name; o++) {
        char value[TEXT_CAPACITY];
        option_print(&options, o, value);
        length += sprintf(text + length, "\n%s %s", o->name, value);
    }
    return true;
}

// Every bit of a config.json, one after another: the file is refused, or it says the same as before.
static void flipped_bits_change_no_option(void **state) {
    static char before[1 << 14], after[1 << 14];
    TrainOptions options = {0};
    Buffer file;
    Error error;
    int refused = 0;
    options_default(&options, train_options);
    options.lr = 0.1 + 0.2; // needs 17 digits
    options.stretch = (StretchRule){.method = METHOD_YARN, .factor = 3, .original = 8, .pairs = 2};
    options.stretch.long_stretch = (Stretch){.factors = {1, 1.7}, .attention = 1.1};
    must(config_write(path, &options, &gpt, &corpus, &error) && file_read(&file, path, &error), &error);
    assert_true(meaning(before));
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        file.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        scratch_write(path, file.bytes, file.size);
        if (!meaning(after))
            refused++;
        else if (strcmp(before, after) != 0)
            fail_msg("taken with bit %zu of byte %zu flipped", bit % 8, bit / 8);
        file.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(refused > 5 * (int)file.size); // all but some of the white space, and the name "crc32"
    free(file.bytes);
}

// An edit is refused until the line "crc32" is removed, which leaves JSON.
static void an_edit_can_be_meant(void **state) {
    TrainOptions options = {0};
    int vocab_size;
    Buffer file;
    Error error;
    options_default(&options, train_options);
    must(config_write(path, &options, &gpt, &corpus, &error) && file_read(&file, path, &error), &error);
    char *text = (char *)file.bytes, *layers = strstr(text, "\"layers\": 4"), *seal = strstr(text, "\"crc32\": \"");
    assert_true(layers && seal && seal < strchr(strchr(text, '\n') + 1, '\n')); // the first line after the bracket
    layers[strlen("\"layers\": ")] = '6';
    scratch_write(path, text, file.size);
    expect_refusal("does not match its CRC-32");
    expect_refusal("remove the line \"crc32\"");
    char *rest = strchr(seal, '\n');
    memmove(seal, rest, strlen(rest) + 1);
    scratch_write(path, text, strlen(text));
    must(config_read(path, &options, &vocab_size, &error), &error);
    assert_int_equal(options.layers, 6);
    free(file.bytes);
}

static void another_corpus_is_noticed(void **state) {
    TrainOptions options = {0};
    Corpus other;
    Error error;
    options_default(&options, train_options);
    must(config_write(path, &options, &gpt, &corpus, &error), &error);
    must(config_check_data(path, &corpus, &error), &error);
    static const char *const names[] = {"builtin:tales:bytes=40000", "builtin:tales:bytes=20000,seed=2"};
    for (size_t i = 0; i < COUNT(names); i++) {
        error = (Error){0};
        must(corpus_open(&other, names[i], &error), &error);
        expect_refused(config_check_data(path, &other, &error), &error, names[i]);
        corpus_close(&other);
    }
    // Any one shard that differs in one token, or is cut short, makes another corpus.
    for (int change = 0; change < 4; change++) {
        Corpus changed = corpus;
        Split *split = change < 2 ? &changed.train : &changed.val;
        Shard shard = split->shards[0];
        if (change % 2)
            shard.crc ^= 1;
        else
            shard.count--;
        split->shards = &shard;
        assert_false(config_check_data(path, &changed, &error));
        changed = corpus;
        split = change < 2 ? &changed.train : &changed.val;
        split->shard_count = 0;
        assert_false(config_check_data(path, &changed, &error));
    }
    // A task's plain text has the tokens of its exercises.
    must(corpus_open(&other, "builtin:copy", &error), &error);
    must(config_write(path, &options, &gpt, &other, &error), &error);
    must(config_check_data(path, &other, &error), &error);
    other.builtin = (BuiltinCorpus){0};
    expect_refused(config_check_data(path, &other, &error), &error, "exercises");
    corpus_close(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_back),
        cmocka_unit_test(every_option_comes_back),
        cmocka_unit_test(missing_keys_keep_their_defaults),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(flipped_bits_change_no_option),
        cmocka_unit_test(an_edit_can_be_meant),
        cmocka_unit_test(another_corpus_is_noticed),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
