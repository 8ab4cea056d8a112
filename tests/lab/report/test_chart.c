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
    expect_text(html, "<td>bands</td><td>32</td><td>4</td><td>3.25</td><td>4.5</td>");
    assert_null(strstr(html, ">nan"));
    expect_balanced(html);
    assert_int_equal(times(html, "<svg"), 3);
    assert_int_equal(times(html, "<svg"), times(html, "role=\"img\""));
    expect_text(html, "aria-label=\"Losses\"");
    assert_int_equal(times(html, ">it's trained</text>"), 2);
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

// A chart has the same drawing in any place: its parts have no ids, which could occur twice in a page.
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
        for (int kind = 0; kind < 8; kind++) {
            Chart chart = {.x_label = "x", .y_label = "y", .bands = kind % 2};
            Page page;
            Error error;
            chart.log_x = chart.log_y = kind / 2 % 2;
            chart.mark_label = kind / 4 ? "mark" : NULL;
            chart.mark = kind % 3 - 1;
            chart_line(&chart, "first");
            for (int i = 0; i < odd[n].count; i++)
                chart_interval(&chart, odd[n].x[i], odd[n].y[i], odd[n].low[i], odd[n].high[i]);
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

// The words at the ticks of an axis y from `low` to `high`, with spaces between them.
static const char *ticks_of(double low, double high, bool log) {
    static char all[1024];
    Chart chart = {.x_label = "x", .y_label = "y", .log_y = log};
    Page page;
    Error error;
    chart_line(&chart, "line");
    chart_point(&chart, 0, low);
    chart_point(&chart, 1, high);
    open_page(&page, "Title");
    must(page_chart(&page, &chart, &error, "Chart"), &error);
    close_page(&page);
    char *svg = contents("plot-1.svg");
    all[0] = '\0';
    for (const char *at = svg; (at = strstr(at, "class=\"tick end\">")); at++) {
        char words[64];
        assert_int_equal(sscanf(strchr(at, '>'), ">%63[^<]", words), 1);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? " | " : "", words);
    }
    free(svg);
    return all;
}

static void ticks_are_round_and_named_as_people_do(void **state) {
    static const struct {
        double low, high;
        bool log;
        const char *words;
    } cases[] = {
        {0, 1, false, "0 | 0.2 | 0.4 | 0.6 | 0.8 | 1.0"},
        {-0.31, 0.12, false, "-0.3 | -0.2 | -0.1 | 0 | 0.1"},
        {1.346, 1.497, false, "1.35 | 1.40 | 1.45 | 1.50"},
        {0, 25000, false, "0 | 5k | 10k | 15k | 20k | 25k"},
        {0, 3.5e6, false, "0 | 0.5 M | 1.0 M | 1.5 M | 2.0 M | 2.5 M | 3.0 M | 3.5 M"},
        {100, 900, false, "200 | 400 | 600 | 800"},
        {1e-3, 1e-2, true, "0.001 | 0.002 | 0.005 | 0.01"},
        {1e12, 1e15, true, "1e+12 | 1e+13 | 1e+14 | 1e+15"},
        {1e-6, 1e-4, true, "1e-06 | 2e-06 | 5e-06 | 1e-05 | 2e-05 | 5e-05 | 0.0001"},
        {1e5, 1e7, true, "100k | 200k | 500k | 1 M | 2 M | 5 M | 10 M"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(ticks_of(cases[i].low, cases[i].high, cases[i].log), cases[i].words);
}

// Whatever the range is, there are ticks, not too many, and their words differ.
static void every_range_has_ticks(void **state) {
    static const double ends[] = {-1e308, -1e6, -3, -1e-9, 0, 1e-300, 1e-9, 0.0213, 1, 1.0000001, 7, 4096, 1e9, 1e308};
    for (size_t a = 0; a < COUNT(ends); a++)
        for (size_t b = a; b < COUNT(ends); b++)
            for (int log = 0; log < 2; log++) {
                char before[64] = "", all[1024];
                const char *ticks = ticks_of(ends[a], ends[b], log);
                snprintf(all, sizeof all, " %s ", ticks);
                int count = *ticks ? 0 : -1;
                for (char *word = strtok(all, "|"); word; word = strtok(NULL, "|"), count++) {
                    if (strcmp(word, before) == 0) fail_msg("twice \"%s\" from %g to %g", word, ends[a], ends[b]);
                    snprintf(before, sizeof before, "%s", word);
                }
                if (count < 1 || count > 8) fail_msg("%d ticks from %g to %g, log %d", count, ends[a], ends[b], log);
            }
}

// However many lines there are, the legend names those that are drawn and fits into the drawing; long names are cut
// between characters.
static void legends_have_all_names(void **state) {
    for (int lines = 2; lines <= LINES_MOST + 9; lines += 9) {
        Chart chart = {.x_label = "x", .y_label = "y"};
        double height, x, y;
        int count = 0;
        Page page;
        Error error;
        for (int l = 0; l < lines; l++) {
            chart_line(&chart, "a line with a name of é é é é é é é é é é é é é é é %d", l);
            for (int i = 0; i < 3; i++) chart_point(&chart, i, i == 2 ? 1 + 1e-4 * l : l);
        }
        open_page(&page, "Title");
        must(page_chart(&page, &chart, &error, "Chart"), &error);
        close_page(&page);
        char *svg = contents("plot-1.svg"), *html = contents("page.html");
        expect_xml(svg, "plot-1.svg");
        assert_int_equal(sscanf(strstr(svg, "viewBox="), "viewBox=\"0 0 760 %lf", &height), 1);
        assert_int_equal(times(svg, "…</text>"), times(svg, "class=\"name\""));
        for (const char *at = svg; (at = strstr(at, "<text ")); at++) {
            if (!strstr(at, "class=\"name\"") || strcspn(at, ">") < 10) continue;
            const char *name = strstr(at, "class=\"");
            if (strncmp(name, "class=\"name\"", 12) != 0) continue;
            assert_int_equal(sscanf(at, "<text x=\"%lf\" y=\"%lf\"", &x, &y), 2);
            assert_true(y > 10 && y < height);
            count++;
        }
        assert_int_equal(count, lines < LINES_MOST ? lines : LINES_MOST);
        assert_int_equal(strstr(html, "The chart has the first 64 of") != NULL, lines > LINES_MOST);
        free(svg);
        free(html);
    }
}

// A line has its given hue; learned schemes have dashes along the whole line; a ring is around one point.
static void lines_have_their_style(void **state) {
    Chart chart = {.x_label = "x", .y_label = "y"};
    Page page;
    Error error;
    chart_line(&chart, "learned");
    chart_style(&chart, 3, 1);
    chart_point(&chart, 1, 2);
    chart_point(&chart, 2, 1);
    chart_line(&chart, "designed");
    chart_style(&chart, 3, 0);
    chart_point(&chart, 1, 1);
    chart_point(&chart, 2, 2);
    chart_ring(&chart);
    open_page(&page, "Title");
    must(page_chart(&page, &chart, &error, "Chart"), &error);
    close_page(&page);
    char *svg = contents("plot-1.svg");
    expect_text(svg, "<g class=\"series h3 d0\" data-name=\"designed\">");
    expect_text(svg, "<g class=\"series h3 d1\" data-name=\"learned\">");
    assert_true(strstr(svg, "series h3 d0") < strstr(svg, "series h3 d1"));
    assert_int_equal(times(svg, "class=\"ring\""), 1);
    assert_int_equal(times(svg, "class=\"line\""), 4); // with those of the legend
    assert_int_equal(times(svg, "class=\"name\""), 2);
    free(svg);
}

static void rows_have_their_intervals(void **state) {
    static const double values[] = {-0.15, 0.004, 0.2, NAN};
    Chart chart = {.x_label = "difference", .y_label = "contrasts", .sides = {"first better", "second better"}};
    Page page;
    Error error;
    for (int i = 0; i < 4; i++) {
        if (i % 2 == 0) chart_line(&chart, i ? "70k" : "25k");
        chart_line(&chart, "rope - learned %d", i);
        chart_style(&chart, i, i == 1);
        chart_interval(&chart, 0, values[i], values[i] - 0.02, i == 2 ? INFINITY : values[i] + 0.02);
    }
    open_page(&page, "Title");
    must(page_chart(&page, &chart, &error, "Contrasts"), &error);
    close_page(&page);
    char *html = contents("page.html"), *svg = contents("plot-1.svg");
    expect_xml(svg, "plot-1.svg");
    assert_int_equal(times(svg, "class=\"group\""), 2);
    assert_int_equal(times(svg, "class=\"row\""), 4);
    assert_int_equal(times(svg, "class=\"dot\""), 3); // one is not known
    assert_int_equal(times(svg, "class=\"bar\""), 2); // and one has no interval
    assert_int_equal(times(svg, "class=\"interval h1 d1\""), 1);
    expect_text(svg, ">-0.150 (-0.170 to -0.130)</text>");
    expect_text(svg, ">not known</text>");
    expect_balanced(html);
    free(html);
    free(svg);
}

// LaTeX gets every point and interval, and names that TeX prints unchanged.
static void charts_are_in_latex(void **state) {
    char *tex;
    size_t size;
    FILE *out = open_memstream(&tex, &size);
    Chart lines = usual_chart(2);
    chart_pgfplots(out, &lines, "Losses");
    fclose(out);
    assert_memory_equal(tex, PGFPLOTS_HEAD, strlen(PGFPLOTS_HEAD));
    expect_text(tex, "xmode=log, ymode=log,");
    expect_text(tex, "xlabel={tokens}, ylabel={nats}]");
    expect_text(
        tex, "{ (16,2.5) += (0,1) -= (0,0.5) (32,1) += (0,3.5) -= (0,-2.25) (64,0.125) += (0,5.875) -= (0,-3.875)};");
    expect_text(tex, "\\addlegendentry{it's <a> \\& \"b\"}");
    assert_int_equal(times(tex, "\\addplot"), 2);
    chart_free(&lines);
    free(tex);

    Chart level = {.x_label = "tokens", .y_label = "nats", .log_y = true}; // its smallest is near its largest
    chart_line(&level, "none");                                            // a scheme without a number
    chart_line(&level, "level");
    chart_point(&level, 1, 2);
    chart_point(&level, 2, 3);
    level.log_x = true;
    out = open_memstream(&tex, &size);
    chart_pgfplots(out, &level, "Level");
    fclose(out);
    assert_null(strstr(tex, "ymode=log"));
    expect_text(tex, "xtick={1, 2}, xticklabels={1, 2}");
    chart_free(&level);
    free(tex);

    Chart rows = {.x_label = "difference", .y_label = "contrasts", .sides = {"first better", "second better"}};
    chart_line(&rows, "70k");
    chart_line(&rows, "a_b - c");
    chart_interval(&rows, 0, -0.15, -0.25, INFINITY);
    chart_line(&rows, "not known");
    chart_interval(&rows, 0, NAN, NAN, NAN);
    out = open_memstream(&tex, &size);
    chart_pgfplots(out, &rows, "Contrasts");
    fclose(out);
    expect_text(tex,
                "{ (-0.15,1) += (0,0) -= (0.1,0)};\n\\node[left] at ({rel axis cs:0,0}|-{axis cs:0,1}) {a\\_b - c};");
    expect_text(tex, "ymax=3");
    assert_int_equal(times(tex, "\\node"), 3);
    assert_null(strstr(tex, "nan"));
    assert_null(strstr(tex, "inf"));
    chart_free(&rows);
    free(tex);
}

// A page with fewer plots than its predecessor removes the old plots.
static void old_plots_are_removed(void **state) {
    for (int charts = 2; charts >= 1; charts--) {
        Page page;
        Error error;
        must(page_open(&page, directory, "page", "Title", true, &error), &error);
        for (int i = 0; i < charts; i++) must(draw_usual(&page, &error), &error);
        close_page(&page);
        assert_int_equal(exists("plot-2.svg"), charts == 2);
        assert_int_equal(exists("plot-2.tex"), charts == 2);
        assert_int_equal(files(), 3 + 2 * charts);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(charts_are_drawn_and_have_their_numbers, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(drawings_have_no_ids, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(every_number_can_be_drawn, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(ticks_are_round_and_named_as_people_do, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(every_range_has_ticks, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(legends_have_all_names, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(lines_have_their_style, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(rows_have_their_intervals, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(charts_are_in_latex, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(old_plots_are_removed, make_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
