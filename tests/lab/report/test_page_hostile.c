// Pages with names that somebody chose to do harm: no command runs, no file elsewhere changes, no text becomes a
// script.
#include "tests/lab/report/pages.h"

#define HOSTILE "q\nsystem \"touch pwned\"\n!touch pwned\n`touch pwned` @x ''; \\\n</title><script>alert(1)</script>"

// Text that would leave the strings of a script, the lines of a table or the elements of a page stays text.
static void hostile_text_stays_text(void **state) {
    Chart chart = {.x_label = HOSTILE, .y_label = HOSTILE, .bars = true, .mark = 32, .mark_label = HOSTILE};
    static const double x[] = {1, INFINITY, NAN, 4}, high[] = {NAN, INFINITY, 1e308, 1};
    for (int line = 0; line < 2; line++) {
        chart_line(&chart, "%s", HOSTILE);
        for (int i = 0; i < 4; i++) chart_bar(&chart, line ? x[i] : xs[i], more[i], lows[i], line ? high[i] : highs[i]);
    }
    char here[SCRATCH_PATH], script[SCRATCH_PATH + 16];
    Page page;
    Error error;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(directory), 0);
    snprintf(script, sizeof script, "%s/.gnuplot", directory);
    scratch_write(script, "system 'touch pwned'\n", 21);
    setenv("HOME", directory, 1);
    snprintf(script, sizeof script, "%s/gnuplot", directory);
    scratch_write(script, "#!/bin/sh\ntouch pwned\n", 22);
    assert_int_equal(chmod(script, 0777), 0);
    char path[sizeof search_path + 8];
    snprintf(path, sizeof path, ".:%s:", search_path);
    setenv("PATH", path, 1);
    open_page(&page, HOSTILE);
    const bool plots = page.plots;
    page_code(&page, "a\n```\n# b");
    page_paragraph(&page, "%s", HOSTILE);
    must(page_chart(&page, &chart, &error, "%s", HOSTILE) && page_matrix(&page, HOSTILE, xs, 2, 1, &error), &error);
    close_page(&page);
    char *html = contents("page.html"), *markdown = contents("page.md");
    assert_int_equal(files(), 4 + 2 * plots);
    assert_false(exists("pwned") || path_exists("/pwned"));
    assert_null(strstr(html, "<script"));
    assert_null(strstr(html, "\n!touch"));
    assert_null(strstr(markdown, "\n!touch"));
    assert_int_equal(times(markdown, "<script"), times(markdown, "\\<script"));
    expect_text(markdown, "\n````\na ``` # b\n````\n");
    expect_balanced(html);
    if (plots) {
        char *svg = contents("plot-1.svg");
        assert_null(strstr(svg, "<script"));
        expect_text(svg, "alert(1)");
        free(svg);
    }
    free(html);
    free(markdown);
    assert_int_equal(chdir(here), 0);
}

// Links that somebody left where a page goes: they are refused, and what they lead to stays.
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
        bool ok = page_open(&page, directory, "page", "Title", &error);
        assert_int_equal(ok, i >= 4);
        if (ok && page.plots) ok = draw_usual(&page, &error);
        if (i >= 4) page_abandon(&page);
        if (!ok) {
            assert_int_equal(error.kind, ERROR_INPUT);
            expect_text(error.message, names[i / 2]);
        }
        assert_int_equal(ok, i >= 4 && !page.plots);
        assert_int_equal(unlink(path), 0);
        char *text = contents("other");
        assert_string_equal(text, "mine");
        free(text);
        assert_int_equal(files(), 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hostile_text_stays_text, begin, end),
        cmocka_unit_test_setup_teardown(links_are_not_followed, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
