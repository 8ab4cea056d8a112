// Charts of a page: gnuplot draws them, and their numbers follow in a table.
#include "lab/report/page/page.h"

#include "lab/report/page/gnuplot.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
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
            "set border 3\nset xzeroaxis linecolor rgb '#888888'\nset tics nomirror\n"
            "set grid linecolor rgb '#888888' linewidth 0.3\n",
            height);
}

static void label(FILE *out, const char *what, const char *text) {
    fprintf(out, "set %s ", what);
    gnuplot_string(out, text);
    fputc('\n', out);
}

// If all lines have the same few x, use these as ticks.
static void write_ticks(FILE *out, const Chart *chart) {
    enum { TICKS_MOST = 8 };
    const Line *longest = &chart->lines[0];
    for (int l = 0; l < chart->count; l++)
        if (chart->lines[l].count > longest->count) longest = &chart->lines[l];
    if (longest->count < 2 || longest->count > TICKS_MOST) return;
    for (int l = 0; l < chart->count; l++)
        for (int i = 0; i < chart->lines[l].count; i++) {
            const double x = chart->lines[l].points[i].x;
            if (!isfinite(x) || x != longest->points[i].x) return;
        }
    fputs("set xtics (", out);
    for (int i = 0; i < longest->count; i++)
        fprintf(out, "%s'%.4g' %.9g", i ? ", " : "", longest->points[i].x, longest->points[i].x);
    fputs(")\n", out);
}

// What the points that can be drawn span; x in logarithms where the axis is logarithmic, y where it is above 0.
typedef struct {
    double left, right, low, high;
    bool any; // is there a point to draw?
} Extent;

static Extent extent_of(const Chart *chart) {
    Extent e = {.left = INFINITY, .right = -INFINITY, .low = INFINITY};
    for (int l = 0; l < chart->count; l++)
        for (int i = 0; i < chart->lines[l].count; i++) {
            const Point *point = &chart->lines[l].points[i];
            const double x = chart->log_x ? log(point->x) : point->x;
            if (!isfinite(x) || !isfinite(point->y)) continue;
            e.any = true;
            e.left = fmin(e.left, x);
            e.right = fmax(e.right, x);
            if (point->y > 0) e.low = fmin(e.low, point->y);
            e.high = fmax(e.high, point->y);
        }
    return e;
}

static void write_axes(FILE *out, const Chart *chart, const Extent *extent) {
    common_settings(out, 480);
    label(out, "xlabel", chart->x_label);
    label(out, "ylabel", chart->y_label);
    fputs("set format '%.4g'\nset key outside right top\nset autoscale noextend\nset offsets graph 0.03, graph 0.03, "
          "graph 0.05, graph 0.05\n",
          out);
    if (chart->log_x) fputs("set logscale x 2\n", out);
    // A linear axis would hide values that are much smaller than the largest.
    if (chart->log_y && extent->high > 5 * extent->low) fputs("set logscale y 2\n", out);
    write_ticks(out, chart);
    if (!chart->mark_label) return;
    fprintf(out, "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead dashtype 2 linecolor rgb '#888888'\n",
            chart->mark, chart->mark);
    fputs("set label 1 ", out);
    gnuplot_string(out, chart->mark_label);
    fprintf(out, " at %.9g, graph 0.97 offset 0.5,0\n", chart->mark);
}

// Error bars at the same x would hide each other, so each line is moved a little to the side.
static void write_points(FILE *out, const Chart *chart, int l, double width) {
    const Line *line = &chart->lines[l];
    const double side = 0.008 * (l - 0.5 * (chart->count - 1)) * width;
    fprintf(out, "$data%d << END\n", l);
    for (int i = 0; i < line->count; i++) {
        const Point *point = &line->points[i];
        const double beside = chart->log_x ? point->x * exp(side) : point->x + side;
        if (!isfinite(point->x) || !isfinite(point->y))
            fputc('\n', out); // breaks the line
        else if (chart->bars)
            fprintf(out, "%.9g %.9g %.9g %.9g\n", beside, point->y, point->low, point->high);
        else
            fprintf(out, "%.9g %.9g\n", point->x, point->y);
    }
    fputs("END\n", out);
}

static void write_script(FILE *out, const Chart *chart, const Extent *extent) {
    write_axes(out, chart, extent);
    for (int l = 0; l < chart->count; l++)
        write_points(out, chart, l, extent->right > extent->left ? extent->right - extent->left : 1);
    fputs("plot ", out);
    for (int l = 0; l < chart->count; l++) {
        const Line *line = &chart->lines[l];
        const bool marked = chart->bars || line->count <= 40; // each point by a symbol
        fprintf(out, "%s$data%d using %s linecolor rgb '%s' dashtype %d", l ? ", " : "", l,
                chart->bars ? "1:2:3:4 with yerrorlines"
                : marked    ? "1:2 with linespoints"
                            : "1:2 with lines",
                colours[l % COLOURS], 1 + l / COLOURS);
        if (marked) fprintf(out, " pointtype %d pointsize 0.6", 4 + l % 10);
        fputs(" title ", out);
        gnuplot_string(out, line->name);
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

// Begin a table that the reader can unfold.
static void open_numbers(Page *page) {
    fputs("<details><summary>The numbers</summary>\n", page->html.stream);
    fputs("\n<details><summary>The numbers</summary>\n", page->markdown.stream);
    page_table(page, "%s", "");
}

static void close_numbers(Page *page) {
    page_table_end(page);
    fputs("</details>\n", page->html.stream);
    fputs("\n</details>\n", page->markdown.stream);
}

static void write_numbers(Page *page, const Chart *chart) {
    open_numbers(page);
    page_row(page, true, chart->bars ? "series|%s|%s|low|high" : "series|%s|%s", chart->x_label, chart->y_label);
    for (int l = 0; l < chart->count; l++) {
        const Line *line = &chart->lines[l];
        for (const Point *point = line->points; point < line->points + line->count; point++) {
            if (isnan(point->y)) continue;
            page_row(page, false, "%s|%.6g|%.6g", line->name, point->x, point->y);
            if (!chart->bars) continue;
            page_cell(page, "%.6g", point->low);
            page_cell(page, "%.6g", point->high);
        }
    }
    close_numbers(page);
}

static void write_matrix(Page *page, const double *cells, int n, double step) {
    open_numbers(page);
    page_row(page, true, "position");
    for (int column = 0; column < n; column++) page_cell(page, "%.0f", floor(column * step));
    for (int row = 0; row < n; row++) {
        page_row(page, false, "%.0f", floor(row * step));
        for (int column = 0; column < n; column++)
            page_number(page, 2, cells[(size_t)row * (size_t)n + (size_t)column]);
    }
    close_numbers(page);
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

static bool end_drawing(FILE *script, Page *page, const char *title, Error *error) {
    if (!script) return true;
    const bool written = !ferror(script) && fflush(script) == 0;
    const bool ok =
        written ? place(page, title, script, error)
                : fail_run(error, "cannot write a script for gnuplot in %s: is the disk full?", page->directory);
    fclose(script);
    return ok;
}

static bool draw_chart(Page *page, const Chart *chart, const char *title, Error *error) {
    const Extent extent = extent_of(chart);
    FILE *script;
    if (chart->failed) return fail_run(error, "no memory for the chart \"%s\"", title);
    if (!extent.any) {
        page_paragraph(page, "%s: there is nothing to draw.", title);
        return true;
    }
    if (!begin_drawing(&script, page, title, error)) return false;
    if (script) write_script(script, chart, &extent);
    if (!end_drawing(script, page, title, error)) return false;
    write_numbers(page, chart);
    return true;
}

bool page_chart(Page *page, Chart *chart, Error *error, const char *title, ...) {
    char words[TEXT_CAPACITY + 64];
    va_list arguments;
    va_start(arguments, title);
    vsnprintf(words, sizeof words, title, arguments);
    va_end(arguments);
    const bool ok = draw_chart(page, chart, words, error);
    for (int l = 0; l < chart->count; l++) free(chart->lines[l].points);
    return ok;
}

bool page_matrix(Page *page, const char *title, const double *cells, int n, double step, Error *error) {
    FILE *script;
    if (!begin_drawing(&script, page, title, error)) return false;
    if (script) write_image(script, cells, n, step);
    if (!end_drawing(script, page, title, error)) return false;
    write_matrix(page, cells, n, step);
    return true;
}

void chart_line(Chart *chart, const char *name, ...) {
    assert(chart->count < LINES_MOST);
    Line *line = &chart->lines[chart->count++];
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(line->name, sizeof line->name, name, arguments);
    va_end(arguments);
}

void chart_bar(Chart *chart, double x, double y, double low, double high) {
    Line *line = &chart->lines[chart->count - 1];
    const size_t count = (size_t)line->count;
    if (chart->failed) return;
    if ((count & (count - 1)) == 0) { // full at 0, 1, 2, 4, 8 ...
        Point *larger = realloc(line->points, (count ? 2 * count : 1) * sizeof *larger);
        chart->failed = !larger;
        if (!larger) return;
        line->points = larger;
    }
    line->points[line->count++] = (Point){x, y, low, high};
}

void chart_point(Chart *chart, double x, double y) {
    chart_bar(chart, x, y, y, y);
}
