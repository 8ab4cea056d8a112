// Text that a model writes byte by byte is printed in whole characters, safe for a terminal.
#include "lab/eval/generate.h"
#include "tests/support/support.h"

// Write `text` in pieces of `piece` bytes, and expect `expected`.
static void expect_written(const char *text, size_t piece, bool terminal, const char *expected) {
    char *found;
    size_t size;
    const size_t length = strlen(text);
    FILE *out = open_memstream(&found, &size);
    assert_non_null(out);
    Stream stream = stream_to(out);
    stream.terminal = terminal;
    for (size_t at = 0; at < length; at += piece)
        stream_write(&stream, text + at, length - at < piece ? length - at : piece);
    stream_end(&stream);
    fclose(out);
    if (strcmp(found, expected) != 0) fail_msg("'%s' in pieces of %zu became '%s'", text, piece, found);
    free(found);
}

static void expect_all_pieces(const char *text, bool terminal, const char *expected) {
    for (size_t piece = 1; piece <= strlen(text); piece++) expect_written(text, piece, terminal, expected);
}

static void characters_are_never_split(void **state) {
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
    char *found;
    size_t size;
    FILE *out = open_memstream(&found, &size);
    assert_non_null(out);
    Stream stream = stream_to(out);
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
    expect_all_pieces(text, true, text);
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
        expect_all_pieces(cases[i].text, true, cases[i].shown);
        expect_all_pieces(cases[i].text, false, cases[i].text); // a file gets every byte
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_never_split),
        cmocka_unit_test(a_terminal_gets_no_invalid_bytes_and_no_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
