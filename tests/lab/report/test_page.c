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
    assert_false(page_open(&page, missing, "page", "Title", &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    expect_text(error.message, missing);
    snprintf(missing, sizeof missing, "%s/page.html", directory);
    assert_int_equal(mkdir(missing, 0777), 0);
    assert_false(page_open(&page, directory, "page", "Title", &error));
    assert_int_equal(files(), 1);
}

// A disk that was full for a while: a page that has lost its middle is none.
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

#define WILD    "<b>&amp; \"q\" 'a' |x| *y* _z_ `c` [d](e) \\ <script>"
#define IN_HTML "&lt;b&gt;&amp;amp; &quot;q&quot; 'a' |x| *y* _z_ `c` [d](e) \\ &lt;script&gt;"

static void text_means_itself(void **state) {
    Page page;
    open_page(&page, WILD);
    page_heading(&page, WILD);
    page_paragraph(&page, "%s and %d%%", WILD, 7);
    page_table(&page, "%s", WILD);
    for (int heading = 1; heading >= 0; heading--) {
        page_row(&page, heading, "first");
        page_cell(&page, "%s", WILD);
        page_cell(&page, "%s", heading ? "x" : "y");
    }
    page_table_end(&page);
    page_code(&page, WILD);
    close_page(&page);
    char *html = contents("page.html"), *markdown = contents("page.md");
    assert_int_equal(times(html, IN_HTML), 8); // title and first heading have it, too
    expect_text(html, "<title>" IN_HTML "</title>");
    expect_text(html, "<h1>" IN_HTML "</h1>");
    expect_text(html, "<h2>" IN_HTML "</h2>");
    expect_text(html, "<p>" IN_HTML " and 7%</p>");
    expect_text(html, "<caption>" IN_HTML "</caption>");
    expect_text(html, "<th>" IN_HTML "</th><th>x</th>");
    expect_text(html, "<td>" IN_HTML "</td><td>y</td>");
    expect_text(html, "<pre>" IN_HTML "</pre>");
    assert_null(strstr(html, "<b>"));
    assert_null(strstr(html, "<script>"));
    expect_balanced(html);
    assert_int_equal(times(markdown, WILD), 1); // in the block, as it is
    expect_text(markdown, "```\n" WILD "\n```\n");
    static const char *const marks[] = {"\\<b\\>", "\\|x\\|",    "\\*y\\*", "\\_z\\_",
                                        "\\`c\\`", "\\[d\\](e)", " \\\\ ",  "\\<script\\>"};
    for (size_t i = 0; i < COUNT(marks); i++) assert_int_equal(times(markdown, marks[i]), 6);
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
        page_cell(&page, i == 1 ? "<%s>" : "%.1s", text);
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
    page_row(&page, false, "||");
    page_table_end(&page);
    page_table(&page, "caption");
    page_row(&page, true, "alone");
    page_table_end(&page);
    close_page(&page);
    char *html = contents("page.html"), *markdown = contents("page.md");
    expect_text(html, "<tr><th>name</th><th>a b</th><th>100%</th></tr>\n"
                      "<tr><td>first</td><td>1.50</td><td></td></tr>\n<tr><td></td><td></td><td></td></tr>\n</table>");
    expect_text(markdown, "\n\n| name | a b | 100% |\n|---|---:|---:|\n| first | 1.50 |  |\n|  |  |  |\n\ncaption\n\n"
                          "| alone |\n|---|\n");
    assert_int_equal(times(html, "<caption>"), 1);
    expect_balanced(html);
    free(html);
    free(markdown);
}

static void expect_numbers(const char *html, const char *markdown) {
    expect_text(html, "<td>it's &lt;a&gt; &amp; &quot;b&quot;</td><td>64</td><td>0.125</td>");
    expect_text(html, "<td>bars</td><td>32</td><td>4</td><td>3.25</td><td>4.5</td>");
    expect_text(markdown, "| bars | 32 | 4 | 3.25 | 4.5 |\n");
    expect_text(markdown, "\\<a\\>");
    assert_null(strstr(html, "nan"));
    expect_balanced(html);
}

static void without_gnuplot_charts_are_tables(void **state) {
    static const double cells[4] = {1, -1, 0, 0.5};
    Page page;
    Error error;
    open_page(&page, "Title");
    assert_false(page.plots);
    must(draw_usual(&page, &error) && page_matrix(&page, "Matrix", cells, 2, 2.5, &error), &error);
    close_page(&page);
    char *html = contents("page.html"), *markdown = contents("page.md");
    expect_numbers(html, markdown);
    expect_text(markdown, "| position | 0 | 2 |\n|---|---:|---:|\n| 0 | 1.00 | -1.00 |\n| 2 | 0.00 | 0.50 |\n");
    expect_text(html, "There is no gnuplot");
    expect_text(html, "Losses");
    assert_null(strstr(html, "<svg"));
    assert_null(strstr(markdown, "!["));
    assert_int_equal(files(), 2);
    free(html);
    free(markdown);
}

static void charts_are_drawn_and_have_their_numbers(void **state) {
    Chart linear = usual_chart(1);
    Page page;
    Error error;
    linear.log_x = linear.log_y = false;
    linear.mark_label = NULL;
    open_page(&page, "Title");
    if (!page.plots) {
        page_abandon(&page);
        print_message("there is no gnuplot\n");
        skip();
    }
    static const double cells[4] = {1, -1, 0, 0.5};
    must(draw_usual(&page, &error) && page_chart(&page, &linear, &error, "Losses") &&
             page_matrix(&page, "Matrix", cells, 2, 2.5, &error),
         &error);
    close_page(&page);
    char *html = contents("page.html"), *markdown = contents("page.md");
    expect_numbers(html, markdown);
    expect_text(markdown, "| position | 0 | 2 |\n|---|---:|---:|\n| 0 | 1.00 | -1.00 |\n| 2 | 0.00 | 0.50 |\n");
    assert_int_equal(times(html, "<svg"), 3);
    assert_int_equal(times(html, "role=\"img\""), 3);
    assert_null(strstr(html, "Gnuplot</title>"));
    assert_null(strstr(html, "<?xml"));
    assert_int_equal(times(html, "it\xE2\x80\x99s trained"), 1);
    assert_int_equal(files(), 5); // nothing else: no scripts
    for (int i = 1; i <= 3; i++) {
        char name[32], id[32];
        snprintf(name, sizeof name, "plot-%d.svg", i);
        expect_text(markdown, name);
        char *svg = contents(name);
        expect_text(svg, "<svg");
        expect_text(svg, "</svg>");
        free(svg);
        // Names of parts are unique in the page, which has all drawings in it.
        snprintf(id, sizeof id, "id=\"c%d-", i);
        assert_true(times(html, id) > 0);
    }
    const char *ids[512];
    int count = 0;
    for (const char *at = html; (at = strstr(at, " id=\"")) && count < 512; at++) {
        for (int i = 0; i < count; i++) assert_int_not_equal(strncmp(at, ids[i], strcspn(at + 5, "\"") + 6), 0);
        ids[count++] = at;
    }
    assert_true(count > 0);
    free(html);
    free(markdown);
}

// Names that a shell, gnuplot or our own colouring could take for something else; and a page with fewer plots than the
// one before.
static void odd_names_and_nothing_to_draw(void **state) {
    static const double none[] = {NAN, INFINITY, NAN, NAN};
    char place[SCRATCH_PATH + 16];
    Page page;
    Error error;
    snprintf(place, sizeof place, "%s/it's $HOME", directory);
    for (int charts = 2; charts >= 1; charts--) {
        must(directory_create(place, &error) && page_open(&page, place, "page", "Title", &error), &error);
        if (!page.plots) {
            page_abandon(&page);
            print_message("there is no gnuplot\n");
            skip();
        }
        for (int chart = 0; chart <= charts; chart++) {
            Chart odd = {.x_label = "tokens", .y_label = "nats"};
            chart_line(&odd, "black=none");
            for (int i = 0; i < 4; i++) chart_point(&odd, xs[i], chart < charts ? more[i] : none[i]);
            must(page_chart(&page, &odd, &error, "Losses"), &error);
        }
        close_page(&page);
        char *html = contents("it's $HOME/page.html");
        assert_int_equal(times(html, "<svg"), charts);
        assert_int_equal(times(html, ">black=none</text>") + times(html, ">black=none</tspan>"), charts);
        expect_text(html, "currentColor");
        assert_null(strstr(html, "\"black\""));
        assert_null(strstr(html, "'black'"));
        expect_text(html, "<p>Losses: there is nothing to draw.</p>");
        assert_int_equal(exists("it's $HOME/plot-2.svg"), charts == 2);
        free(html);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_files_appear_at_the_end, begin_without_gnuplot, end),
        cmocka_unit_test_setup_teardown(an_abandoned_page_leaves_nothing, begin_without_gnuplot, end),
        cmocka_unit_test_setup_teardown(places_that_cannot_be_written_to_are_refused, begin_without_gnuplot, end),
        cmocka_unit_test_setup_teardown(a_page_that_lost_a_part_is_not_kept, begin_without_gnuplot, end),
        cmocka_unit_test_setup_teardown(text_means_itself, begin_without_gnuplot, end),
        cmocka_unit_test_setup_teardown(long_text_is_whole, begin_without_gnuplot, end),
        cmocka_unit_test_setup_teardown(tables_are_rows_of_cells, begin_without_gnuplot, end),
        cmocka_unit_test_setup_teardown(without_gnuplot_charts_are_tables, begin_without_gnuplot, end),
        cmocka_unit_test_setup_teardown(charts_are_drawn_and_have_their_numbers, begin, end),
        cmocka_unit_test_setup_teardown(odd_names_and_nothing_to_draw, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
