// Charts: drawn at two widths, well-formed whatever their numbers are, with labels apart and numbers in a table.
#include "tests/lab/report/pages.h"

static void charts_are_drawn_and_have_their_numbers(void **state) {
    Chart linear = usual_chart(1);
    Page page;
    Error error;
    linear.log_x = linear.log_y = false;
    linear.mark_label = NULL;
    open_page(&page, "Title");
    must(draw_usual(&page, &error) && page_chart(&page, &linear, &error, "Losses"), &error);
    page_fold(&page, "more");
    must(draw_usual(&page, &error), &error);
    page_fold_end(&page);
    close_page(&page);
    char *html = contents("page.html"), *markdown = contents("page.md");
    expect_text(html, "<td>it's &lt;a&gt; &amp; &quot;b&quot;</td><td>64</td><td>0.125</td>");
    expect_text(html, "<td>bars</td><td>32</td><td>4</td><td>3.25</td><td>4.5</td>");
    assert_null(strstr(html, ">nan"));
    expect_balanced(html);
    assert_int_equal(times(html, "<svg"), 6); // two widths
    assert_int_equal(times(html, "<svg"), times(html, "role=\"img\""));
    assert_int_equal(times(html, "viewBox=\"0 0 760 "), 3);
    assert_int_equal(times(html, "viewBox=\"0 0 340 "), 3);
    expect_text(html, "aria-label=\"Losses. nats, against tokens; ");
    assert_int_equal(times(html, ">it's trained</text>"), 4);
    assert_int_equal(times(markdown, "!["), 2); // the one in the fold is not in it
    assert_int_equal(times(markdown, "0.125"), 0);
    assert_int_equal(files(), 5);
    for (int i = 1; i <= 3; i++) {
        char name[32], link[64];
        snprintf(name, sizeof name, "plot-%d.svg", i);
        snprintf(link, sizeof link, "<a href=\"%s\">", name);
        expect_text(html, link);
        if (i <= 2) expect_text(markdown, name);
        char *svg = contents(name);
        expect_text(svg, "prefers-color-scheme:dark");
        assert_null(strstr(svg, "var(")); // which only browsers know
        expect_xml(svg, name);
        free(svg);
    }
    free(html);
    free(markdown);
}

// A chart has the same drawing wherever it stands: no names of parts that could be there twice.
static void drawings_have_no_ids(void **state) {
    Page page;
    Error error;
    open_page(&page, "Title");
    must(draw_usual(&page, &error) && draw_usual(&page, &error), &error);
    close_page(&page);
    char *html = contents("page.html");
    assert_int_equal(times(html, " id=\""), 0);
    free(html);
}

typedef struct {
    const char *what;
    int count;
    double x[4], y[4], low[4], high[4];
    bool drawn;
} Numbers;

static const Numbers odd[] = {
    {"no points", 0, {0}, {0}, {0}, {0}, false},
    {"only NaN", 2, {1, 2}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}, false},
    {"infinite", 2, {1, INFINITY}, {INFINITY, 1}, {0}, {0}, false},
    {"one point", 1, {3}, {2}, {1}, {3}, true},
    {"one of several", 3, {1, 2, 3}, {NAN, 2, NAN}, {NAN, 1, NAN}, {NAN, 3, NAN}, true},
    {"equal values", 3, {1, 2, 3}, {5, 5, 5}, {5, 5, 5}, {5, 5, 5}, true},
    {"equal x", 2, {2, 2}, {1, 2}, {1, 2}, {1, 2}, true},
    {"all 0", 2, {0, 0}, {0, 0}, {0, 0}, {0, 0}, true},
    {"huge", 3, {1, 2, 3}, {-1e308, 0, 1e308}, {-1e308, 0, 1e308}, {-1e308, 1, 1e308}, true},
    {"tiny", 3, {1e-300, 2e-300, 3e-300}, {1e-308, 2e-308, 3e-308}, {0}, {1, 1, 1}, true},
    {"nearly equal", 2, {1, 2}, {1, 1.0000000000001}, {1, 1}, {1, 1.0000000000002}, true},
    {"no interval", 2, {1, 2}, {1, 2}, {NAN, -INFINITY}, {NAN, INFINITY}, true},
    {"below 0", 3, {-3, -2, 4}, {-3, 0, 1}, {-4, -1, 0}, {-2, 1, 2}, true},
};

static void every_number_can_be_drawn(void **state) {
    for (size_t n = 0; n < COUNT(odd); n++)
        for (int kind = 0; kind < 12; kind++) {
            Chart chart = {.x_label = "x", .y_label = "y", .spread = (Spread)(kind % 3)};
            Page page;
            Error error;
            chart.log_x = chart.log_y = kind / 3 % 2;
            chart.mark_label = kind / 6 ? "mark" : NULL;
            chart.mark = kind % 3 - 1;
            chart_line(&chart, "first");
            for (int i = 0; i < odd[n].count; i++)
                chart_bar(&chart, odd[n].x[i], odd[n].y[i], odd[n].low[i], odd[n].high[i]);
            chart_ring(&chart);
            chart_line(&chart, "nothing");
            open_page(&page, "Title");
            must(page_chart(&page, &chart, &error, "Chart"), &error);
            close_page(&page);
            char *html = contents("page.html");
            // Logarithmic axes have no place for 0 and less.
            if (odd[n].drawn && !chart.log_x && !exists("plot-1.svg")) fail_msg("%s is not drawn", odd[n].what);
            if (!odd[n].drawn) expect_text(html, "<p>Chart: there is nothing to draw.</p>");
            if (exists("plot-1.svg")) {
                char *svg = contents("plot-1.svg");
                expect_xml(svg, "plot-1.svg");
                free(svg);
            }
            expect_balanced(html);
            free(html);
        }
}

// The places of texts of a class, by their y, in the order of the drawing.
static int text_places(double *places, const char *svg, const char *class) {
    int count = 0;
    char mark[64];
    snprintf(mark, sizeof mark, "class=\"%s\">", class);
    for (const char *at = svg; (at = strstr(at, "<text ")); at++) {
        double x, y;
        const char *end = strchr(at, '>');
        const char *found = strstr(at, mark);
        if (!found || found > end || sscanf(at, "<text x=\"%lf\" y=\"%lf\"", &x, &y) != 2) continue;
        places[count++] = y;
    }
    return count;
}

// Names at the ends of lines, however close the ends are, have the height of a line between them.
static void names_at_lines_do_not_overlap(void **state) {
    for (int lines = 2; lines <= LINES_MOST + 9; lines += 9) {
        Chart chart = {.x_label = "x", .y_label = "y"};
        double places[LINES_MOST + 9];
        Page page;
        Error error;
        for (int l = 0; l < lines; l++) {
            chart_line(&chart, "a line with a long name %d", l);
            for (int i = 0; i < 3; i++) chart_point(&chart, i, i == 2 ? 1 + 1e-4 * l : l);
        }
        open_page(&page, "Title");
        must(page_chart(&page, &chart, &error, "Chart"), &error);
        close_page(&page);
        char *svg = contents("plot-1.svg");
        const int count = text_places(places, svg, "name");
        assert_true(count >= 2 && count <= lines);
        if (lines <= 20) assert_int_equal(count, lines);
        for (int i = 1; i < count; i++)
            if (!(places[i] - places[i - 1] > 14)) fail_msg("names at %g and %g", places[i - 1], places[i]);
        for (int i = 0; i < count; i++) assert_true(places[i] > 10 && places[i] < 400);
        free(svg);
    }
}

// A line has the hue that it was given, and learned schemes a dash; a ring is around one point.
static void lines_have_their_style(void **state) {
    Chart chart = {.x_label = "x", .y_label = "y"};
    Page page;
    Error error;
    chart_line(&chart, "designed");
    chart_style(&chart, 3, 0);
    chart_point(&chart, 1, 1);
    chart_point(&chart, 2, 2);
    chart_ring(&chart);
    chart_line(&chart, "learned");
    chart_style(&chart, 3, 1);
    chart_point(&chart, 1, 2);
    chart_point(&chart, 2, 1);
    chart_seeds(&chart);
    chart_point(&chart, 1, 1.5);
    chart_point(&chart, 2, 1.5);
    open_page(&page, "Title");
    must(page_chart(&page, &chart, &error, "Chart"), &error);
    close_page(&page);
    char *svg = contents("plot-1.svg");
    expect_text(svg, "<g class=\"series h3 d0\" data-name=\"designed\">");
    expect_text(svg, "<g class=\"series h3 d1\" data-name=\"learned\">");
    expect_text(svg, "<g class=\"series h3 d1 loose\" data-name=\"learned\">");
    assert_int_equal(times(svg, "class=\"ring\""), 1);
    assert_int_equal(times(svg, "class=\"line\""), 2);
    assert_int_equal(times(svg, "class=\"seed\""), 2);
    assert_int_equal(times(svg, "class=\"name\""), 2);
    free(svg);
}

static Forest usual_forest(void) {
    static const double values[] = {-0.15, 0.004, 0.2, NAN};
    static ForestRow rows[4];
    for (int i = 0; i < 4; i++) {
        ForestRow *row = &rows[i];
        snprintf(row->group, sizeof row->group, "%s", i < 2 ? "25k" : "70k");
        snprintf(row->name, sizeof row->name, "rope - learned %d", i);
        snprintf(row->words, sizeof row->words, "%s", i == 1 ? "not resolved" : "better");
        row->value = values[i];
        row->low = values[i] - 0.02;
        row->high = i == 2 ? INFINITY : values[i] + 0.02;
        row->filled = i != 1;
    }
    return (Forest){"difference", "first better", "second better", "setting", "contrast", rows, 4};
}

static void forests_have_a_row_for_each_difference(void **state) {
    Forest forest = usual_forest();
    Page page;
    Error error;
    open_page(&page, "Title");
    must(page_forest(&page, &forest, "Contrasts", &error), &error);
    forest.count = 0;
    must(page_forest(&page, &forest, "None", &error), &error);
    close_page(&page);
    char *html = contents("page.html"), *markdown = contents("page.md"), *svg = contents("plot-1.svg");
    expect_xml(svg, "plot-1.svg");
    assert_int_equal(times(svg, "class=\"group\""), 2);
    assert_int_equal(times(svg, "class=\"row\""), 4);
    assert_int_equal(times(svg, "class=\"dot\""), 3); // one is not known
    assert_int_equal(times(svg, "class=\"bar\""), 2); // and one has no interval
    assert_int_equal(times(svg, " hollow\""), 1);
    expect_text(svg, "<title>25k: rope - learned 0: -0.150 (-0.170 to -0.130), better</title>");
    expect_text(markdown, "| setting | contrast | difference | low | high | verdict |");
    expect_text(markdown, "| 25k | rope - learned 1 | +0.0040 | -0.0160 | +0.0240 | not resolved |");
    expect_text(markdown, "| 70k | rope - learned 3 | - | - | - | better |");
    expect_text(html, "<p>None: there is nothing to draw.</p>");
    assert_null(strstr(markdown, "nan"));
    expect_balanced(html);
    free(html);
    free(markdown);
    free(svg);
}

// A page with fewer plots than the one before leaves none of those.
static void old_plots_are_removed(void **state) {
    for (int charts = 2; charts >= 1; charts--) {
        Page page;
        Error error;
        open_page(&page, "Title");
        for (int i = 0; i < charts; i++) must(draw_usual(&page, &error), &error);
        close_page(&page);
        assert_int_equal(exists("plot-2.svg"), charts == 2);
        assert_int_equal(files(), 2 + charts);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(charts_are_drawn_and_have_their_numbers, begin, end),
        cmocka_unit_test_setup_teardown(drawings_have_no_ids, begin, end),
        cmocka_unit_test_setup_teardown(every_number_can_be_drawn, begin, end),
        cmocka_unit_test_setup_teardown(names_at_lines_do_not_overlap, begin, end),
        cmocka_unit_test_setup_teardown(lines_have_their_style, begin, end),
        cmocka_unit_test_setup_teardown(forests_have_a_row_for_each_difference, begin, end),
        cmocka_unit_test_setup_teardown(old_plots_are_removed, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
