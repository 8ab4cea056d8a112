// Pages with names chosen by an attacker: no command runs, no file elsewhere changes, no text becomes a script.
#include "tests/lab/report/pages.h"

#include "base/utf8.h"

#define HOSTILE                                                                                                        \
    "q\nsystem \"touch pwned\"\n!touch pwned\n`touch pwned` @x ''; "                                                   \
    "\\\n</title></style></svg><script>alert(1)</script>"                                                              \
    "\xC3\x28 \xED\xA0\x80 \x01 \xEF\xBF\xBE ]]> <!-- & &amp;"

// Text that would leave the strings of a script, the lines of a table or the elements of a page stays text.
static void hostile_text_stays_text(void **state) {
    Chart chart = {.x_label = HOSTILE, .y_label = HOSTILE, .bands = true, .mark = 32, .mark_label = HOSTILE};
    static const double x[] = {1, INFINITY, NAN, 4}, high[] = {NAN, INFINITY, 1e308, 1};
    for (int line = 0; line < 2; line++) {
        chart_line(&chart, "%s", HOSTILE);
        for (int i = 0; i < 4; i++)
            chart_interval(&chart, line ? x[i] : xs[i], more[i], lows[i], line ? high[i] : highs[i]);
    }
    Chart rows = {.x_label = HOSTILE, .y_label = HOSTILE, .sides = {HOSTILE, HOSTILE}};
    chart_line(&rows, "%s", HOSTILE);
    chart_line(&rows, "%s", HOSTILE);
    chart_interval(&rows, 0, 1, 0, INFINITY);
    Page page;
    Error error;
    open_page(&page, HOSTILE);
    page_code(&page, "a\n```\n# b");
    page_paragraph(&page, "%s", HOSTILE);
    page_lead(&page, "%s", HOSTILE);
    must(page_chart(&page, &chart, &error, "%s", HOSTILE) && page_chart(&page, &rows, &error, "%s", HOSTILE), &error);
    page_fold(&page, HOSTILE);
    page_fold_end(&page);
    close_page(&page);
    char *html = contents("page.html"), *markdown = contents("page.md");
    assert_int_equal(files(), 4);
    assert_int_equal(times(html, "<script"), 1); // our own
    assert_int_equal(times(html, "</script>"), 1);
    assert_int_equal(times(html, "</style>"), 1);
    assert_null(strstr(html, "\n!touch"));
    assert_null(strstr(markdown, "\n!touch"));
    assert_int_equal(times(markdown, "<script"), times(markdown, "\\<script"));
    expect_text(markdown, "\n    a\n    ```\n    # b\n");
    assert_true(is_utf8(html));
    expect_balanced(html);
    for (int i = 1; i <= 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "plot-%d.svg", i);
        char *svg = contents(name);
        assert_null(strstr(svg, "<script"));
        expect_text(svg, "touch pwned");
        expect_xml(svg, name);
        free(svg);
    }
    free(html);
    free(markdown);
}

// Links in place of a page's files are refused, and their targets stay unchanged.
static void links_are_not_followed(void **state) {
    static const char *const names[] = {"page.md", "page.html", "plot-1.svg"}, *const targets[] = {"other", "nowhere"};
    char path[SCRATCH_PATH + 16], other[SCRATCH_PATH + 16];
    snprintf(other, sizeof other, "%s/other", directory);
    scratch_write(other, "mine", 4);
    for (size_t i = 0; i < 2 * COUNT(names); i++) {
        Page page;
        Error error = {0};
        snprintf(path, sizeof path, "%s/%s", directory, names[i / 2]);
        assert_int_equal(symlink(targets[i % 2], path), 0);
        bool ok = page_open(&page, directory, "page", "Title", false, &error);
        assert_int_equal(ok, i >= 4);
        if (ok) ok = draw_usual(&page, &error);
        if (i >= 4) page_abandon(&page);
        if (!ok) {
            assert_int_equal(error.kind, ERROR_INPUT);
            expect_text(error.message, names[i / 2]);
        }
        assert_false(ok);
        assert_int_equal(unlink(path), 0);
        char *text = contents("other");
        assert_string_equal(text, "mine");
        free(text);
        assert_int_equal(files(), 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hostile_text_stays_text, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(links_are_not_followed, make_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
