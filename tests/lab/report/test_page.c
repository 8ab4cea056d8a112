// Pages: written completely or not at all, with the same content in Markdown and HTML; text is never taken for markup.
#include "tests/lab/report/pages.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static void both_files_appear_at_the_end(void **state) {
    Page page;
    open_page(&page, "First");
    page_paragraph(&page, "one");
    assert_false(exists("page.md") || exists("page.html"));
    close_page(&page);
    assert_int_equal(files(), 2);
    char *before[2] = {contents("page.md"), contents("page.html")};
    expect_text(before[0], "# First\n");
    expect_text(before[0], "\none\n");
    expect_text(before[1], "<title>First</title>");
    expect_text(before[1], "<h1>First</h1>");
    expect_text(before[1], "<p>one</p>");
    expect_text(before[1], "</body>\n</html>\n");
    open_page(&page, "Second");
    page_paragraph(&page, "two");
    page_abandon(&page);
    assert_int_equal(files(), 2);
    char *after[2] = {contents("page.md"), contents("page.html")};
    for (int i = 0; i < 2; i++) assert_string_equal(before[i], after[i]);
    open_page(&page, "Third");
    close_page(&page);
    free(after[0]);
    after[0] = contents("page.md");
    expect_text(after[0], "# Third\n");
    for (int i = 0; i < 2; i++) {
        free(before[i]);
        free(after[i]);
    }
}

static void an_abandoned_page_leaves_nothing(void **state) {
    Page page;
    open_page(&page, "Title");
    page_heading(&page, "heading");
    page_abandon(&page);
    assert_int_equal(files(), 0);
}

static void places_that_cannot_be_written_to_are_refused(void **state) {
    char missing[SCRATCH_PATH + 16];
    Page page;
    Error error = {0};
    snprintf(missing, sizeof missing, "%s/missing", directory);
    assert_false(page_open(&page, missing, "page", "Title", false, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    expect_text(error.message, missing);
    snprintf(missing, sizeof missing, "%s/page.html", directory);
    assert_int_equal(mkdir(missing, 0777), 0);
    assert_false(page_open(&page, directory, "page", "Title", false, &error));
    assert_int_equal(files(), 1);
}

// If the disk was full for a while and a page lost its middle, the page is not kept.
static void a_page_that_lost_a_part_is_not_kept(void **state) {
    struct rlimit limits;
    Page page;
    Error error = {0};
    open_page(&page, "Title");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limits), 0);
    const struct rlimit full = {.rlim_cur = 8192, .rlim_max = limits.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    for (int i = 0; i < 2000; i++) page_paragraph(&page, "paragraph %d", i);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limits), 0);
    page_paragraph(&page, "the end");
    assert_false(page_close(&page, &error));
    assert_int_equal(error.kind, ERROR_RUN);
    expect_text(error.message, "make room");
    assert_int_equal(files(), 0);
}

// If there was no memory for a sentence, its page is not written.
static void a_page_without_a_text_is_not_kept(void **state) {
    Page page;
    Error error = {0};
    open_page(&page, "Title");
    text_print(&page.text, "one");
    page_paragraph(&page, " and %d", 2);
    close_page(&page);
    open_page(&page, "Title");
    page.text.failed = true;
    page_paragraph(&page, "the end");
    assert_false(page_close(&page, &error));
    assert_int_equal(error.kind, ERROR_RUN);
    expect_text(error.message, directory);
    char *kept = contents("page.md");
    expect_text(kept, "\none and 2\n");
    free(kept);
    assert_int_equal(files(), 2);
}

#define WILD    "<b>&amp; \"q\" 'a' |x| *y* _z_ `c` [d](e) \\ <script>"
#define IN_HTML "&lt;b&gt;&amp;amp; &quot;q&quot; 'a' |x| *y* _z_ `c` [d](e) \\ &lt;script&gt;"

static void text_means_itself(void **state) {
    Page page;
    open_page(&page, WILD);
    page_heading(&page, WILD);
    page_paragraph(&page, "%s and %d%%", WILD, 7);
    page_table(&page, "%s", WILD);
    for (int heading = 1; heading >= 0; heading--) {
        page_row(&page, heading, "<b>*");
        page_cells(&page, "%s", heading ? "x" : "y");
    }
    page_table_end(&page);
    page_code(&page, WILD);
    close_page(&page);
    char *html = contents("page.html"), *markdown = contents("page.md");
    assert_int_equal(times(html, IN_HTML), 6); // title and first heading have it, too
    expect_text(html, "<title>" IN_HTML "</title>");
    expect_text(html, "<h1>" IN_HTML "</h1>");
    expect_text(html, "<h2>" IN_HTML "</h2>");
    expect_text(html, "<p>" IN_HTML " and 7%</p>");
    expect_text(html, "<caption>" IN_HTML "</caption>");
    expect_text(html, "<th>&lt;b&gt;*</th><th>x</th>");
    expect_text(html, "<td>&lt;b&gt;*</td><td>y</td>");
    expect_text(html, "<pre>" IN_HTML "</pre>");
    assert_null(strstr(html, "<b>"));
    assert_null(strstr(html, "<script>"));
    expect_balanced(html);
    assert_int_equal(times(markdown, WILD), 1); // in the block, as it is
    expect_text(markdown, "\n    " WILD "\n");
    static const char *const marks[] = {"\\|x\\|",    "\\*y\\*", "\\_z\\_",     "\\`c\\`",
                                        "\\[d\\](e)", " \\\\ ",  "\\<script\\>"};
    for (size_t i = 0; i < COUNT(marks); i++) assert_int_equal(times(markdown, marks[i]), 4);
    free(html);
    free(markdown);
}

static void long_text_is_whole(void **state) {
    enum { LENGTH = 10000 };
    static char text[LENGTH + 1];
    Page page;
    memset(text, 'x', LENGTH);
    for (int i = 0; i < 3; i++) {
        open_page(&page, "Title");
        if (i == 0) page_paragraph(&page, "<%s>", text);
        page_table(&page, "%s", "");
        page_row(&page, true, "first");
        page_cells(&page, i == 1 ? "<%s>" : "%.1s", text);
        page_row(&page, false, i == 2 ? "a|<%s>" : "a|%.1s", text);
        page_table_end(&page);
        close_page(&page);
        char *html = contents("page.html"), *markdown = contents("page.md");
        assert_int_equal(times(html, "x&gt;"), 1);
        assert_int_equal(times(markdown, "x\\>"), 1);
        expect_text(html, text);
        expect_text(markdown, text);
        free(html);
        free(markdown);
    }
}

static void tables_are_rows_of_cells(void **state) {
    Page page;
    open_page(&page, "Title");
    page_table(&page, "%s", "");
    page_row(&page, true, "name|a %s|100%%", "b");
    page_row(&page, false, "%s|%.2f|", "first", 1.5);
    page_row(&page, false, "nan|inf");
    page_cells(&page, "%+.1f%%", NAN);
    page_table_end(&page);
    page_table(&page, "caption");
    page_row(&page, true, "alone");
    page_table_end(&page);
    close_page(&page);
    char *html = contents("page.html"), *markdown = contents("page.md");
    expect_text(html,
                "<tr><th>name</th><th>a b</th><th>100%</th></tr>\n"
                "<tr><td>first</td><td>1.50</td><td></td></tr>\n<tr><td>nan</td><td>inf</td><td>-</td></tr>\n</table>");
    expect_text(markdown,
                "\n\n| name | a b | 100% |\n|---|---:|---:|\n| first | 1.50 |  |\n| nan | inf | - |\n\ncaption\n\n"
                "| alone |\n|---|\n");
    assert_int_equal(times(html, "<caption>"), 1);
    expect_balanced(html);
    free(html);
    free(markdown);
}

// The content of a fold is in the HTML only; after the fold, both continue.
static void folds_are_in_the_html_alone(void **state) {
    Page page;
    open_page(&page, "Title");
    page_lead(&page, "the answer, %d%%", 7);
    page_fold(&page, "more <b>");
    page_heading(&page, "heading");
    page_paragraph(&page, "folded paragraph");
    page_table(&page, "folded caption");
    page_row(&page, true, "a|b");
    page_row(&page, false, "folded|1");
    page_table_end(&page);
    page_code(&page, "folded code");
    page_fold(&page, "inner");
    page_paragraph(&page, "folded again");
    page_fold_end(&page);
    page_paragraph(&page, "still folded");
    page_fold_end(&page);
    page_paragraph(&page, "seen");
    close_page(&page);
    char *html = contents("page.html"), *markdown = contents("page.md");
    assert_string_equal(markdown, PAGE_MARKDOWN_HEAD "# Title\n\n- the answer, 7%\n\nseen\n");
    expect_text(html, "<p class=\"lead\">the answer, 7%</p>");
    expect_text(html, "<details><summary>more &lt;b&gt;</summary>");
    expect_text(html, "<details><summary>inner</summary>");
    assert_int_equal(times(html, "folded"), 6);
    expect_text(html, "<h3>heading</h3>");
    expect_balanced(html);
    free(html);
    free(markdown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_files_appear_at_the_end, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(an_abandoned_page_leaves_nothing, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(places_that_cannot_be_written_to_are_refused, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_page_that_lost_a_part_is_not_kept, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_page_without_a_text_is_not_kept, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(text_means_itself, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(long_text_is_whole, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(tables_are_rows_of_cells, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(folds_are_in_the_html_alone, make_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
