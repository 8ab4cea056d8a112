// Charts of a page: gnuplot draws them, and their numbers follow in a table.
#include "lab/report/page/page.h"

#include "lab/report/page/gnuplot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Okabe and Ito's colours, which people with colour blindness can tell apart, on light and on dark pages. After the
// last colour, series begin again with another dash.
static const char *const colours[] = {"#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999"};
enum { COLOURS = sizeof colours / sizeof *colours };

static void common_settings(FILE *out, int height) {
    fprintf(out,
            "set terminal svg size 860,%d noenhanced font 'sans-serif,14' linewidth 1.3\n"
            "set border 3\nset xzeroaxis linecolor rgb '#888888'\nset tics nomirror\nset grid linecolor rgb '#888888' "
            "linewidth 0.3\n",
            height);
}

static void label(FILE *out, const char *what, const char *text) {
    fprintf(out, "set %s ", what);
    gnuplot_string(out, text);
    fputc('\n', out);
}

// If all series have the same few x, use these as ticks.
static void write_ticks(FILE *out, const Series *series, int count) {
    enum { TICKS_MOST = 8 };
    const Series *longest = &series[0];
    for (int s = 0; s < count; s++)
        if (series[s].count > longest->count) longest = &series[s];
    if (longest->count < 2 || longest->count > TICKS_MOST) return;
    for (int s = 0; s < count; s++)
        for (int i = 0; i < series[s].count; i++)
            if (!isfinite(series[s].x[i]) || series[s].x[i] != longest->x[i]) return;
    fputs("set xtics (", out);
    for (int i = 0; i < longest->count; i++) fprintf(out, "%s'%.4g' %.9g", i ? ", " : "", longest->x[i], longest->x[i]);
    fputs(")\n", out);
}

// Does the largest y differ from the smallest by so much that a linear axis would hide the small ones?
static bool is_wide(const Series *series, int count) {
    double low = INFINITY, high = 0;
    for (int s = 0; s < count; s++)
        for (int i = 0; i < series[s].count; i++) {
            if (!(series[s].y[i] > 0)) continue; // NAN, too
            low = fmin(low, series[s].y[i]);
            high = fmax(high, series[s].y[i]);
        }
    return high > 5 * low;
}

static void write_axes(FILE *out, const Chart *chart, const Series *series, int count) {
    common_settings(out, 480);
    label(out, "xlabel", chart->x_label);
    label(out, "ylabel", chart->y_label);
    fputs("set format '%.4g'\nset key outside right top\nset autoscale noextend\nset offsets graph 0.03, graph 0.03, "
          "graph 0.05, graph "
          "0.05\n",
          out);
    if (chart->log_x) fputs("set logscale x 2\n", out);
    if (chart->log_y && is_wide(series, count)) fputs("set logscale y 2\n", out);
    write_ticks(out, series, count);
    if (isnan(chart->mark)) return;
    fprintf(out,
            "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead dashtype 2 linecolor rgb '#888888'\nset label 1 ",
            chart->mark, chart->mark);
    gnuplot_string(out, chart->mark_label);
    fprintf(out, " at %.9g, graph 0.97 offset 0.5,0\n", chart->mark);
}

// Move series s of `count` a little to the side, because error bars at the same x would hide each other.
static double beside(double x, const Chart *chart, double width, int s, int count) {
    const double side = 0.008 * (s - 0.5 * (count - 1));
    return chart->log_x ? x * exp(side * width) : x + side * width;
}

// The distance from the smallest to the largest x, in logarithms where the axis is logarithmic.
static double width_of(const Chart *chart, const Series *series, int count) {
    double low = INFINITY, high = -INFINITY;
    for (int s = 0; s < count; s++)
        for (int i = 0; i < series[s].count; i++) {
            const double x = chart->log_x ? log(series[s].x[i]) : series[s].x[i];
            low = fmin(low, x);
            high = fmax(high, x);
        }
    return high > low ? high - low : 1;
}

static void write_script(FILE *out, const Chart *chart, const Series *series, int count) {
    const double width = width_of(chart, series, count);
    write_axes(out, chart, series, count);
    for (int s = 0; s < count; s++) {
        const Series *line = &series[s];
        fprintf(out, "$data%d << END\n", s);
        for (int i = 0; i < line->count; i++) {
            if (!isfinite(line->x[i]) || !isfinite(line->y[i]))
                fputc('\n', out); // breaks the line
            else if (line->low)
                fprintf(out, "%.9g %.9g %.9g %.9g\n", beside(line->x[i], chart, width, s, count), line->y[i],
                        line->low[i], line->high[i]);
            else
                fprintf(out, "%.9g %.9g\n", line->x[i], line->y[i]);
        }
        fputs("END\n", out);
    }
    fputs("plot ", out);
    for (int s = 0; s < count; s++) {
        const char *manner = series[s].low          ? "using 1:2:3:4 with yerrorlines"
                             : series[s].count > 40 ? "using 1:2 with lines"
                                                    : "using 1:2 with linespoints";
        fprintf(out, "%s$data%d %s linecolor rgb '%s' dashtype %d", s ? ", " : "", s, manner, colours[s % COLOURS],
                1 + s / COLOURS);
        if (series[s].low || series[s].count <= 40) fprintf(out, " pointtype %d pointsize 0.6", 4 + s % 10);
        fputs(" title ", out);
        gnuplot_string(out, series[s].name);
    }
    fputc('\n', out);
}

// Skip `word` if the text at *at begins with it.
static bool taken(const char **at, const char *word) {
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    return true;
}

// gnuplot's ids are unique only within one drawing; add the drawing's number to them.
static bool renamed(FILE *out, const char **at, int number) {
    static const char *const names[] = {"id=\"", "id='", "href='#", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (taken(at, names[i])) {
            fprintf(out, "%sc%d-", names[i], number);
            return true;
        }
    return false;
}

// Copy a drawing with its own ids and a label. Within the page, black becomes the colour of the text, so that the
// drawing can be read on a dark page; a drawing in a file of its own (alone) stays black.
static void write_svg(FILE *out, const char *svg, int number, const char *title, bool alone) {
    const char *at = strstr(svg, "<svg");
    bool labelled = false;
    while (at && *at) {
        if (!alone && (taken(&at, "=\"black\"") || taken(&at, "='black'"))) {
            fputs("=\"currentColor\"", out);
        } else if (!labelled && taken(&at, ">")) {
            fputs(" role=\"img\" aria-label=\"", out);
            html_text(out, title);
            fputs("\">", out);
            labelled = true;
        } else if (taken(&at, "<title>")) { // "Gnuplot", which browsers show when the mouse is over the drawing
            const char *end = strstr(at, "</title>");
            at = end ? end + strlen("</title>") : at;
        } else if (!renamed(out, &at, number)) {
            fputc(*at++, out);
        }
    }
}

// Put the drawing into the HTML page, and into a file of its own for Markdown.
static bool place(Page *page, const char *title, FILE *script, Error *error) {
    char path[PATH_CAPACITY];
    Buffer svg;
    AtomicFile file;
    if (!path_format(path, error, "%s/plot-%d.svg", page->directory, page->charts) ||
        !gnuplot_draw(&svg, script, error))
        return false;
    fputs("<figure>\n<div class=\"wide\">\n", page->html.stream);
    write_svg(page->html.stream, (const char *)svg.bytes, page->charts, title, false);
    bool ok = atomic_open(&file, path, error);
    if (ok) {
        fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", file.stream);
        write_svg(file.stream, (const char *)svg.bytes, page->charts, title, true);
        ok = atomic_commit(&file, error);
    }
    free(svg.bytes);
    page_both(page, "</div>\n<figcaption>", "</figcaption>\n</figure>\n", "\n![", "](", title);
    fprintf(page->markdown.stream, "plot-%d.svg)\n", page->charts);
    return ok;
}

static bool place_drawing(Page *page, const char *title, FILE *script, Error *error) {
    const bool written = !ferror(script) && fflush(script) == 0;
    const bool ok =
        written ? place(page, title, script, error)
                : fail_run(error, "cannot write a script for gnuplot in %s: is the disk full?", page->directory);
    fclose(script);
    return ok;
}

// Open a file without a name, so that it is removed however the program ends.
static FILE *open_script(const Page *page, Error *error) {
    char path[PATH_CAPACITY];
    if (!path_format(path, error, "%s/.plot-XXXXXX", page->directory)) return NULL;
    const int descriptor = mkstemp(path);
    FILE *script = descriptor >= 0 ? fdopen(descriptor, "w+") : NULL;
    if (!script) fail_input(error, "cannot write %s: %s", path, strerror(errno));
    if (!script && descriptor >= 0) close(descriptor);
    if (descriptor >= 0) unlink(path);
    return script;
}

static void number_row(Page *page, const Series *s, int i) {
    page_cells(page, false, s->low ? "%s|%.6g|%.6g|%.6g|%.6g" : "%s|%.6g|%.6g", s->name, s->x[i], s->y[i],
               s->low ? s->low[i] : 0, s->high ? s->high[i] : 0);
}

// Begin a table that the reader can unfold.
static void open_numbers(Page *page) {
    fputs("<details><summary>The numbers</summary>\n", page->html.stream);
    fputs("\n<details><summary>The numbers</summary>\n", page->markdown.stream);
    page_table(page, "");
}

static void close_numbers(Page *page) {
    page_table_end(page);
    fputs("</details>\n", page->html.stream);
    fputs("\n</details>\n", page->markdown.stream);
}

static void write_numbers(Page *page, const Chart *chart, const Series *series, int count) {
    bool bars = false;
    for (int s = 0; s < count; s++) bars = bars || series[s].low;
    open_numbers(page);
    page_cells(page, true, bars ? "series|%s|%s|low|high" : "series|%s|%s", chart->x_label, chart->y_label);
    for (int s = 0; s < count; s++)
        for (int i = 0; i < series[s].count; i++)
            if (!isnan(series[s].y[i])) number_row(page, &series[s], i);
    close_numbers(page);
}

static void write_matrix(Page *page, const double *cells, int n, double step) {
    open_numbers(page);
    page_row(page, true);
    page_cell(page, "position");
    for (int column = 0; column < n; column++) page_cell(page, "%.0f", floor(column * step));
    page_row_end(page);
    for (int row = 0; row < n; row++) {
        page_row(page, false);
        page_cell(page, "%.0f", floor(row * step));
        for (int column = 0; column < n; column++)
            page_number(page, 2, cells[(size_t)row * (size_t)n + (size_t)column]);
        page_row_end(page);
    }
    close_numbers(page);
}

static bool has_points(const Series *series, int count) {
    for (int s = 0; s < count; s++)
        for (int i = 0; i < series[s].count; i++)
            if (isfinite(series[s].x[i]) && isfinite(series[s].y[i])) return true;
    return false;
}

static void write_image(FILE *script, const double *cells, int n, double step) {
    common_settings(script, 560);
    fputs("set size square\nset palette defined (-1 '#D55E00', 0 '#FFFFFF', 1 '#0072B2')\nset cbrange [-1:1]\n"
          "set autoscale noextend\nset yrange [*:*] reverse\nset xlabel 'position'\nset ylabel 'position'\nunset "
          "grid\nunset key\n"
          "$data << END\n",
          script);
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++)
            fprintf(script, "%.9g %.9g %.4g\n", column * step, row * step,
                    cells[(size_t)row * (size_t)n + (size_t)column]);
    fputs("END\nplot $data using 1:2:3 with image pixels\n", script);
}

// Open the script of the next chart. Without gnuplot *script is NULL, and a paragraph shows the title instead.
static bool begin_drawing(FILE **script, Page *page, const char *title, Error *error) {
    page->charts++;
    *script = NULL;
    if (page->plots) return (*script = open_script(page, error)) != NULL;
    page_paragraph(page, "%s:", title);
    return true;
}

bool page_chart(Page *page, const Chart *chart, const Series *series, int count, Error *error) {
    FILE *script;
    if (!has_points(series, count)) {
        page_paragraph(page, "%s: there is nothing to draw.", chart->title);
        return true;
    }
    if (!begin_drawing(&script, page, chart->title, error)) return false;
    if (script) write_script(script, chart, series, count);
    if (script && !place_drawing(page, chart->title, script, error)) return false;
    write_numbers(page, chart, series, count);
    return true;
}

bool page_matrix(Page *page, const char *title, const double *cells, int n, double step, Error *error) {
    FILE *script;
    if (!begin_drawing(&script, page, title, error)) return false;
    if (script) write_image(script, cells, n, step);
    if (script && !place_drawing(page, title, script, error)) return false;
    write_matrix(page, cells, n, step);
    return true;
}
