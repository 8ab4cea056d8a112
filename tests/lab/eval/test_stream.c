// What a model writes, byte by byte, comes out in whole characters, fit for a terminal, and up to a stop text.
#include "lab/eval/generate.h"
#include "tests/support/support.h"

static TextList stops;

static const TextList *stop_at(const char *a, const char *b) {
    stops.count = b ? 2 : a ? 1 : 0;
    stops.items[0] = a;
    stops.items[1] = b;
    return &stops;
}

// Write `text` in pieces of `piece` bytes, and expect `expected`, and whether it was stopped.
static void expect_written(const char *text, size_t piece, bool terminal, const TextList *list, const char *expected,
                           bool stopped) {
    char *found;
    size_t size;
    const size_t length = strlen(text);
    FILE *out = open_memstream(&found, &size);
    assert_non_null(out);
    Stream stream = stream_to(out, list);
    bool ended = false;
    stream.terminal = terminal;
    for (size_t at = 0; at < length && !ended; at += piece)
        ended = stream_write(&stream, text + at, length - at < piece ? length - at : piece);
    stream_end(&stream);
    fclose(out);
    if (strcmp(found, expected) != 0 || ended != stopped)
        fail_msg("'%s' in pieces of %zu became '%s', %sstopped", text, piece, found, ended ? "" : "not ");
    free(found);
}

static void expect_all_pieces(const char *text, bool terminal, const TextList *list, const char *expected,
                              bool stopped) {
    for (size_t piece = 1; piece <= strlen(text); piece++)
        expect_written(text, piece, terminal, list, expected, stopped);
}

static void characters_are_never_split(void **state) {
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
    char *found;
    size_t size;
    FILE *out = open_memstream(&found, &size);
    assert_non_null(out);
    Stream stream = stream_to(out, NULL);
    static const size_t whole[] = {1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11}; // after each byte
    for (size_t i = 0; i < sizeof text - 1; i++) {
        stream_write(&stream, text + i, 1);
        fflush(out);
        assert_int_equal(size, whole[i]);
    }
    stream_end(&stream);
    fclose(out);
    assert_string_equal(found, text);
    free(found);
    expect_all_pieces(text, true, NULL, text, false);
}

static void a_terminal_gets_no_invalid_bytes_and_no_commands(void **state) {
#define X "\xEF\xBF\xBD"
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"a\x1b[2Jb\x7f\r\n\t", "a?[2Jb??\n\t"},
        {"\xC2\x9B"
         "31m",
         "?31m"}, // the C1 control that begins a command
        {"a\xFFz", "a" X "z"},
        {"\x80\x80", X X},
        {"\xC3(", X "("},                    // a character that is not continued
        {"a\xE2\x82", "a" X X},              // or not at the end
        {"\xC0\xAF\xED\xA0\x80", X X X X X}, // overlong; a surrogate
        {"\xF4\x90\x80\x80", X X X X},       // above U+10FFFF
        {"\xF0\x9F\x98"
         "e",
         X X X "e"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_all_pieces(cases[i].text, true, NULL, cases[i].shown, false);
        expect_all_pieces(cases[i].text, false, NULL, cases[i].text, false); // a file gets every byte
    }
}

static void a_stop_text_ends_the_output(void **state) {
    expect_all_pieces("one two three", false, stop_at("two", NULL), "one ", true);
    expect_all_pieces("one two three", false, stop_at("xxx", "thr"), "one two ", true);
    expect_all_pieces("one two", false, stop_at("one", NULL), "", true);
    expect_all_pieces("aaab", false, stop_at("aab", NULL), "a", true);
    expect_all_pieces("abababc", false, stop_at("ababc", NULL), "ab", true);
    expect_all_pieces("one tw", false, stop_at("two", NULL), "one tw", false); // begun, but not there
    expect_all_pieces("one tw", true, stop_at("two", "wo"), "one tw", false);
    expect_all_pieces("\xE2\x82\xAC 5", true, stop_at("\xAC 5", NULL), "\xEF\xBF\xBD\xEF\xBF\xBD", true);
    expect_all_pieces("a\n\nb", false, stop_at("\n\n", NULL), "a", true);
}

// The first of several that come with one token.
static void the_first_stop_text_counts(void **state) {
    expect_written("one two three", 13, false, stop_at("three", "two"), "one ", true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_never_split),
        cmocka_unit_test(a_terminal_gets_no_invalid_bytes_and_no_commands),
        cmocka_unit_test(a_stop_text_ends_the_output),
        cmocka_unit_test(the_first_stop_text_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
