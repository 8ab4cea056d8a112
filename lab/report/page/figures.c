// Charts of a page: their drawings in the page and in files, and their numbers in tables.
#include "lab/report/page/page.h"

#include "base/file/text.h"
#include "lab/report/page/axis.h"
#include "lab/report/page/draw.h"
#include "lab/report/page/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Draw)(FILE *out, const void *what, const char *label, double width, bool alone);

static bool write_plot(const Page *page, Draw draw, const void *what, const char *label, Error *error) {
    char path[PATH_CAPACITY];
    AtomicFile file;
    if (!path_format(path, error, "%s/plot-%d.svg", page->directory, page->charts) || !atomic_open(&file, path, error))
        return false;
    draw(file.stream, what, label, WIDE, true);
    return atomic_commit(&file, error);
}

// Put the drawing into the HTML page, for wide and narrow screens, and into a file of its own.
static bool place(Page *page, const char *title, const char *label, Draw draw, const void *what, bool narrow,
                  Error *error) {
    FILE *html = page->html.stream, *markdown = page->markdown.stream;
    page->charts++;
    fputs("<figure>\n<figcaption>", html);
    xml_text(html, title);
    fprintf(html, " <a href=\"plot-%d.svg\">SVG</a></figcaption>\n<div class=\"%s\">\n", page->charts,
            narrow ? "wide" : "both");
    draw(html, what, label, WIDE, false);
    if (narrow) {
        fputs("</div>\n<div class=\"narrow\">\n", html);
        draw(html, what, label, NARROW, false);
    }
    fputs("</div>\n</figure>\n", html);
    if (page->folded == 0) {
        fputs("\n![", markdown);
        markdown_text(markdown, title);
        fprintf(markdown, "](plot-%d.svg)\n", page->charts);
    }
    return write_plot(page, draw, what, label, error);
}

static void write_numbers(Page *page, const Chart *chart) {
    const bool spread = chart->spread != SPREAD_NONE;
    page_numbers(page);
    page_row(page, true, spread ? "series|%s|%s|low|high" : "series|%s|%s", chart->x_label, chart->y_label);
    for (int l = 0; l < chart->count; l++) {
        const Line *line = &chart->lines[l];
        for (int i = 0; i < line->count; i++) {
            const Point *point = &line->points[i];
            if (isnan(point->y)) continue;
            page_row(page, false, "%s|%.6g|%.6g", line->name, point->x, point->y);
            if (!spread) continue;
            page_cell(page, isnan(point->low) ? "-" : "%.6g", point->low);
            page_cell(page, isnan(point->high) ? "-" : "%.6g", point->high);
        }
    }
    page_numbers_end(page);
}

// The sentence for readers who do not see the chart. Returns false when memory ran out.
static bool describe(Text *label, const Chart *chart, const char *title) {
    int lines = 0;
    text_print(label, "%s. %s, against %s:", title, chart->y_label, chart->x_label);
    for (int l = 0; l < chart->count; l++) {
        const Line *line = &chart->lines[l];
        const Point *last = NULL;
        for (int i = 0; i < line->count; i++)
            if (isfinite(line->points[i].x) && isfinite(line->points[i].y)) last = &line->points[i];
        if (!last || line->loose) continue;
        char x[TICK_WORDS];
        if (lines++ < 12)
            text_print(label, "%s %s %.4g at %s", lines > 1 ? ";" : "", line->name, last->y, number_words(x, last->x));
    }
    text_print(label, "%s.%c", lines > 12 ? "; and more, in the table below" : "", '\0');
    return !label->failed;
}

static bool place_chart(Page *page, const Chart *chart, const char *title, Error *error) {
    Text label = {0};
    if (chart->failed) return fail_run(error, "no memory for the chart \"%s\"", title);
    if (!chart_has_points(chart)) {
        page_paragraph(page, "%s: there is nothing to draw.", title);
        return true;
    }
    bool ok = describe(&label, chart, title) || fail_run(error, "no memory for the chart \"%s\"", title);
    ok = ok && place(page, title, label.bytes, draw_chart, chart, true, error);
    if (ok) write_numbers(page, chart);
    text_free(&label);
    return ok;
}

bool page_chart(Page *page, Chart *chart, Error *error, const char *title, ...) {
    char words[TEXT_CAPACITY + 64];
    va_list arguments;
    va_start(arguments, title);
    vsnprintf(words, sizeof words, title, arguments);
    va_end(arguments);
    const bool ok = place_chart(page, chart, words, error);
    for (int l = 0; l < chart->count; l++) free(chart->lines[l].points);
    return ok;
}

static void forest_rows(Page *page, const Forest *forest, const char *group, const char *name) {
    page_row(page, true, "%s%s%s|difference|low|high|verdict|interval", group, group[0] ? "|" : "", name);
    for (const ForestRow *row = forest->rows; row < forest->rows + forest->count; row++) {
        page_row(page, false, "%s", group[0] ? row->group : row->name);
        if (group[0]) page_cell(page, "%s", row->name);
        page_cell(page, isnan(row->value) ? "-" : "%+.4f", row->value);
        page_cell(page, isfinite(row->low) ? "%+.4f" : "-", row->low);
        page_cell(page, isfinite(row->high) ? "%+.4f" : "-", row->high);
        page_cell(page, "%s", row->words);
        page_cell(page, "%s", isfinite(row->low) ? row->family : "-");
    }
}

bool page_forest(Page *page, const Forest *forest, const char *group, const char *name, const char *title,
                 Error *error) {
    Text label = {0};
    if (forest->count == 0) {
        page_paragraph(page, "%s: there is nothing to draw.", title);
        return true;
    }
    text_print(&label, "%s, %s:", title, forest->x_label);
    for (const ForestRow *row = forest->rows; row < forest->rows + forest->count; row++) {
        text_print(&label, "%s %s%s%s", row == forest->rows ? "" : ";", row->group, row->group[0] ? ", " : "",
                   row->name);
        if (!isnan(row->value)) text_print(&label, " %+.3f", row->value);
        text_print(&label, ", %s", row->words);
    }
    text_print(&label, ".%c", '\0');
    bool ok = !label.failed || fail_run(error, "no memory for the chart \"%s\"", title);
    ok = ok && place(page, title, label.bytes, draw_forest, forest, true, error);
    text_free(&label);
    if (!ok) return false;
    fputs("<details><summary>The numbers</summary>\n", page->html.stream);
    page_table(page, "%s", "");
    forest_rows(page, forest, group, name);
    page_table_end(page);
    fputs("</details>\n", page->html.stream);
    return true;
}

bool page_matrix(Page *page, const char *title, const double *cells, int n, double step, Error *error) {
    const Matrix matrix = {cells, n, step};
    char label[TEXT_CAPACITY + 96];
    snprintf(label, sizeof label, "%.500s. A matrix of %d by %d shades; its numbers are in the table below.", title, n,
             n);
    if (!place(page, title, label, draw_matrix, &matrix, false, error)) return false;
    page_numbers(page);
    page_row(page, true, "position");
    for (int column = 0; column < n; column++) page_cell(page, "%.0f", floor(column * step));
    for (int row = 0; row < n; row++) {
        page_row(page, false, "%.0f", floor(row * step));
        for (int column = 0; column < n; column++)
            page_number(page, 2, cells[(size_t)row * (size_t)n + (size_t)column]);
    }
    page_numbers_end(page);
    return true;
}
