// The option table: defaults, parsing, ranges, suggestions for misspelt names, lists; and the command line that uses
// it.
#include "base/option.h"
#include "cmd/shared/arguments.h"
#include "tests/support/support.h"

typedef struct {
    long long width, seed;
    double rate;
    int pairing;
    char out[TEXT_CAPACITY];
    bool resume;
} Settings;

enum { WIDTH, SEED, RATE, PAIRING, FILES, OUT, RESUME, ROWS };

static const Option table[] = {
    {"width", OPTION_INTEGER, offsetof(Settings, width), "128", 1, 4096, NULL, "N", "how wide"},
    {"seed", OPTION_INTEGER, offsetof(Settings, seed), "1337", 0, 0x1p63, NULL, "N", "which run"},
    {"rate", OPTION_NUMBER, offsetof(Settings, rate), "1e-3", -1, 1, NULL, "X", "how fast"},
    {"pairing", OPTION_CHOICE, offsetof(Settings, pairing), NULL, 0, 0, "half|interleaved|none", NULL, "which"},
    HEADING_ROW("Files"),
    {"out", OPTION_TEXT, offsetof(Settings, out), NULL, 0, 0, NULL, "DIR", "where"},
    {"resume", OPTION_FLAG, offsetof(Settings, resume), NULL, 0, 0, NULL, NULL, "go on"},
    {.name = NULL},
};

static const Usage usage = {"demo", "Shows options.", "FILE...", table, "  bitter demo x\n"};

static void set(Settings *settings, int row, const char *text) {
    Error error;
    if (!option_set(settings, &table[row], text, "--x", &error)) fail_msg("%s: %s", text, error.message);
}

// Expect a refusal whose message contains `part`, and an untouched target.
static void refuse(int row, const char *text, const char *part) {
    Settings settings, before;
    Error error = {0};
    memset(&settings, 0, sizeof settings);
    options_default(&settings, table);
    before = settings;
    if (option_set(&settings, &table[row], text, "--x", &error)) fail_msg("'%s' was taken", text);
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_non_null(strstr(error.message, "--x"));
    if (!strstr(error.message, part)) fail_msg("no '%s' in: %s", part, error.message);
    assert_memory_equal(&settings, &before, sizeof settings);
}

static void defaults_fill_every_field(void **state) {
    Settings settings;
    memset(&settings, 0x55, sizeof settings);
    options_default(&settings, table);
    assert_int_equal(settings.width, 128);
    assert_int_equal(settings.seed, 1337);
    assert_true(settings.rate == 1e-3);
    assert_int_equal(settings.pairing, 0);
    assert_string_equal(settings.out, "");
    assert_false(settings.resume);
}

static void whole_numbers_are_read_exactly(void **state) {
    Settings settings;
    static const struct {
        const char *text;
        long long value;
    } cases[] = {{"0", 0},
                 {"7", 7},
                 {"+7", 7},
                 {"007", 7},
                 {"1e6", 1000000},
                 {"1.5e3", 1500},
                 {"9007199254740993", 9007199254740993},
                 {"9223372036854775807", INT64_MAX}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        set(&settings, SEED, cases[i].text);
        assert_true(settings.seed == cases[i].value);
    }
}

static void bad_whole_numbers_are_refused(void **state) {
    static const char *const bad[] = {"",    " ",   "12x", "x12", "1 2", " 1",  "1 ",    "1.5", "1e-1",
                                      "nan", "inf", "0x8", "--1", "1e",  "1,0", "1e999", "-1",  "9223372036854775808",
                                      "1e19"};
    for (size_t i = 0; i < COUNT(bad); i++) refuse(SEED, bad[i], "whole number, 0 or more");
}

static void ranges_include_their_ends_and_no_more(void **state) {
    Settings settings;
    set(&settings, WIDTH, "1");
    set(&settings, WIDTH, "4096");
    refuse(WIDTH, "0", "from 1 to 4096");
    refuse(WIDTH, "4097", "from 1 to 4096");
    refuse(WIDTH, "4097", "4097");
    set(&settings, RATE, "-1");
    set(&settings, RATE, "1");
    refuse(RATE, "1.0000001", "from -1 to 1");
    refuse(RATE, "-1.0000001", "from -1 to 1");
}

static void numbers_are_decimal_and_finite(void **state) {
    Settings settings;
    set(&settings, RATE, ".5e-1");
    assert_true(settings.rate == 0.05);
    static const char *const bad[] = {"", "1e-3x", "nan", "inf", "-inf", "0x1p-3", " 0.1", "0.1 ", "1e999", "e", "."};
    for (size_t i = 0; i < COUNT(bad); i++) refuse(RATE, bad[i], "a number from");
}

static void choices_and_flags_are_words(void **state) {
    Settings settings;
    set(&settings, PAIRING, "interleaved");
    assert_int_equal(settings.pairing, 1);
    set(&settings, PAIRING, "none");
    assert_int_equal(settings.pairing, 2);
    refuse(PAIRING, "interleave", "did you mean 'interleaved'");
    refuse(PAIRING, "HALF", "did you mean 'half'");
    refuse(PAIRING, "zzz", "half, interleaved or none");
    refuse(PAIRING, "", "half, interleaved or none");
    set(&settings, RESUME, "true");
    assert_true(settings.resume);
    set(&settings, RESUME, "false");
    assert_false(settings.resume);
    refuse(RESUME, "yes", "true or false");
}

static void text_fits_or_is_refused(void **state) {
    char text[TEXT_CAPACITY + 1];
    Settings settings;
    memset(text, 'a', sizeof text);
    text[TEXT_CAPACITY] = 0;
    refuse(OUT, text, "too long");
    text[TEXT_CAPACITY - 1] = 0;
    set(&settings, OUT, text);
    assert_string_equal(settings.out, text);
}

// option_set reads what option_print writes as the same value.
static void printing_and_parsing_agree(void **state) {
    static const struct {
        int row;
        const char *text, *printed;
    } cases[] = {{WIDTH, "1e3", "1000"},    {RATE, "1e-3", "0.001"},
                 {RATE, "0.1", "0.1"},      {RATE, "1e-30", "1e-30"},
                 {PAIRING, "none", "none"}, {OUT, "a b,c=d", "a b,c=d"},
                 {RESUME, "true", "true"},  {RATE, "0.30000000000000004", "0.30000000000000004"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Settings settings, again;
        char text[TEXT_CAPACITY];
        memset(&settings, 0, sizeof settings);
        memset(&again, 0, sizeof again);
        set(&settings, cases[i].row, cases[i].text);
        option_print(&settings, &table[cases[i].row], text);
        assert_string_equal(text, cases[i].printed);
        set(&again, cases[i].row, text);
        assert_memory_equal(&settings, &again, sizeof again);
    }
}

static void lists_set_several(void **state) {
    Settings settings;
    Error error;
    options_default(&settings, table);
    assert_true(options_parse_list(&settings, table, "width=64,pairing=none,resume,out=a=b", "rope", &error));
    assert_int_equal(settings.width, 64);
    assert_int_equal(settings.pairing, 2);
    assert_true(settings.resume);
    assert_string_equal(settings.out, "a=b");
    assert_true(options_parse_list(&settings, table, "", "rope", &error));
    assert_true(options_parse_list(&settings, table, NULL, "rope", &error));
}

// Every value is added, including its commas; a value that is too long or one too many is refused and adds nothing.
static void repeated_texts_add_up(void **state) {
    static const Option row = TEXTS_ROW("contrast", 0, "A - B", "what to compare");
    static TextList list;
    char text[TEXT_CAPACITY + 1] = "";
    Error error = {0};
    const Option rows[] = {row, {.name = NULL}};
    list.count = 7;
    options_default(&list, rows);
    assert_int_equal(list.count, 0);
    option_print(&list, &row, text);
    assert_string_equal(text, "");
    for (int i = 0; i < TEXT_LIST_MOST; i++) {
        snprintf(text, sizeof text, "a, b - %d", i);
        assert_true(option_set(&list, &row, text, "--contrast", &error));
    }
    assert_int_equal(list.count, TEXT_LIST_MOST);
    assert_ptr_equal(list.items[0], text);
    char printed[TEXT_CAPACITY];
    option_print(&list, &row, printed);
    assert_string_equal(printed, "a, b - 63");
    assert_false(option_set(&list, &row, "x", "--contrast", &error));
    assert_non_null(strstr(error.message, "--contrast: give it at most 64 times"));
    list.count = 1;
    memset(text, 'x', TEXT_CAPACITY);
    assert_false(option_set(&list, &row, text, "--contrast", &error));
    assert_true(error.kind == ERROR_INPUT && list.count == 1);
}

static void bad_lists_are_refused(void **state) {
    static const Option none[] = {{.name = NULL}};
    static const struct {
        const char *list, *part;
    } cases[] = {{"widht=5", "did you mean 'width'"},
                 {"width", "needs a value"},
                 {"width=", "rope:width"},
                 {"width=5,", "has no option ''"},
                 {",width=5", "''"},
                 {"width=5,,seed=1", "''"},
                 {"qqqqqq=1", "it has width, seed"},
                 {"resume=1", "true or false"},
                 {"width=5,width=5", "width is given twice"},
                 {"=", "''"}};
    Settings settings;
    Error error;
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_refused(options_parse_list(&settings, table, cases[i].list, "rope", &error), &error, cases[i].part);
    }
    expect_refused(options_parse_list(&settings, none, "base=1", "none", &error), &error, "takes no options");
    char longest[2 * TEXT_CAPACITY];
    memset(longest, 'w', sizeof longest);
    longest[sizeof longest - 1] = 0;
    assert_false(options_parse_list(&settings, table, longest, "rope", &error));
}

static void nearest_name_is_near(void **state) {
    static const char *const names[] = {"rope", "alibi", "learned", "sinusoidal", "t5"};
    enum { COUNT = COUNT(names) };
    assert_string_equal(nearest_name("rpoe", names, COUNT), "rope");
    assert_string_equal(nearest_name("ROPE", names, COUNT), "rope");
    assert_string_equal(nearest_name("ropes", names, COUNT), "rope");
    assert_string_equal(nearest_name("alib", names, COUNT), "alibi");
    assert_string_equal(nearest_name("sin", names, COUNT), "sinusoidal");
    assert_string_equal(nearest_name("lerned", names, COUNT), "learned");
    assert_string_equal(nearest_name("rope_", (const char *const[]){"robes", "rope", "robes"}, 3), "rope");
    assert_string_equal(nearest_name("ropex", (const char *const[]){"ropey", "rope"}, 2), "ropey");
    assert_null(nearest_name("xyzzy", names, COUNT));
    assert_null(nearest_name("", names, COUNT));
    assert_null(nearest_name("rope", names, 0));
    char longest[4096];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    assert_null(nearest_name(longest, names, COUNT));
}

// A command line's words, split at spaces.
static int split_words(char **argv, char *line) {
    int count = 0;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) argv[count++] = word;
    argv[count] = NULL;
    return count;
}

static void command_line_sets_and_permutes(void **state) {
    Settings settings;
    bool given[ROWS];
    char line[] = "demo one --width=64 - --rate -0.5 two --resume -- --out", *argv[16];
    int argc = split_words(argv, line);
    int first = arguments_parse(&settings, given, &usage, argc, argv);
    assert_int_equal(argc - first, 4);
    assert_string_equal(argv[first], "one");
    assert_string_equal(argv[first + 1], "-");
    assert_string_equal(argv[first + 2], "two");
    assert_string_equal(argv[first + 3], "--out");
    assert_int_equal(settings.width, 64);
    assert_true(settings.rate == -0.5);
    assert_true(settings.resume);
    assert_true(given[WIDTH] && given[RATE] && given[RESUME]);
    assert_false(given[SEED] || given[PAIRING] || given[OUT]);
}

// A shell must turn the quoted word back into the word.
static void shell_words_are_words(void **state) {
    static const char *const words[] = {"plain", "",          "a b",  "it's",    "''",         "$HOME",
                                        "`id`",  "(a;b)&c|d", "<x>",  "#",       "~",          "*?[a]",
                                        "a\\b",  "\"q\"",     "!x",   "{1,2}",   "line\nline", "tabs:window=4,x=-1",
                                        "-n",    "%s",        "100%", "\xc3\xa4"};
    for (size_t i = 0; i < COUNT(words); i++) {
        Text command = {0};
        char back[64] = "";
        text_print(&command, "printf '%%s.' ");
        shell_word(&command, words[i]);
        text_print(&command, "%c", '\0');
        assert_false(command.failed);
        FILE *pipe = popen(command.bytes, "r");
        assert_non_null(pipe);
        back[fread(back, 1, sizeof back - 1, pipe)] = '\0';
        assert_int_equal(pclose(pipe), 0);
        back[strlen(back) - 1] = '\0'; // the dot keeps the shell from dropping ends of lines
        if (strcmp(back, words[i]) != 0) fail_msg("%s: '%s' became '%s'", command.bytes, words[i], back);
        text_free(&command);
    }
    Text plain = {0};
    shell_word(&plain, "rope:base=10000");
    assert_int_equal(plain.size, 15); // no quotes where none are needed
    text_free(&plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_every_field),
        cmocka_unit_test(whole_numbers_are_read_exactly),
        cmocka_unit_test(bad_whole_numbers_are_refused),
        cmocka_unit_test(ranges_include_their_ends_and_no_more),
        cmocka_unit_test(numbers_are_decimal_and_finite),
        cmocka_unit_test(choices_and_flags_are_words),
        cmocka_unit_test(text_fits_or_is_refused),
        cmocka_unit_test(printing_and_parsing_agree),
        cmocka_unit_test(lists_set_several),
        cmocka_unit_test(repeated_texts_add_up),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(nearest_name_is_near),
        cmocka_unit_test(command_line_sets_and_permutes),
        cmocka_unit_test(shell_words_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
