#include "lab/report/page/chart.h"

#include "base/file/text.h"
#include "lab/report/page/axis.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// --- what is in a chart ---
static Line *last_line(Chart *chart) {
    return &chart->lines[chart->left_out ? LINES_MOST : chart->count - 1];
}

void chart_line(Chart *chart, const char *name, ...) {
    if (chart->count == LINES_MOST)
        chart->left_out++;
    else
        chart->count++;
    Line *line = last_line(chart);
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(line->name, sizeof line->name, name, arguments);
    va_end(arguments);
    line->count = 0;
    line->hue = chart->count - 1;
    line->dash = line->hue / HUES;
    line->loose = false;
    line->ringed = -1;
}

void chart_style(Chart *chart, int hue, int dash) {
    last_line(chart)->hue = hue;
    last_line(chart)->dash = dash;
}

void chart_seeds(Chart *chart) {
    const Line line = *last_line(chart);
    chart_line(chart, "%.500s, seeds", line.name);
    chart_style(chart, line.hue, line.dash);
    last_line(chart)->loose = true;
}

void chart_ring(Chart *chart) {
    last_line(chart)->ringed = last_line(chart)->count - 1;
}

void chart_bar(Chart *chart, double x, double y, double low, double high) {
    Line *line = last_line(chart);
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

void chart_free(Chart *chart) {
    for (int l = 0; l <= LINES_MOST; l++) free(chart->lines[l].points);
}

// --- its axes ---
enum { SYMBOLS_MOST = 24, LINE_HEIGHT = 16 }; // beyond so many points a line has no symbols at its points

typedef struct {
    FILE *out;
    const Chart *chart;
    bool narrow;
    double width, height, left, right, top, bottom;
    ChartAxis x, y;
} Drawing;

static bool drawable(const Chart *chart, const Point *point) {
    return isfinite(point->x) && isfinite(point->y) && (!chart->log_x || point->x > 0);
}

bool chart_has_points(const Chart *chart) {
    for (int l = 0; l < chart->count; l++)
        for (int i = 0; i < chart->lines[l].count; i++)
            if (drawable(chart, &chart->lines[l].points[i])) return true;
    return false;
}

static void fit_axes(Drawing *d) {
    const Chart *chart = d->chart;
    const bool marked = chart->mark_label && isfinite(chart->mark) && (!chart->log_x || chart->mark > 0);
    double left = marked ? chart->mark : INFINITY, right = marked ? chart->mark : -INFINITY;
    double low = INFINITY, high = -INFINITY, positive = INFINITY; // the smallest y above 0
    double least = INFINITY, largest = -INFINITY;                 // ends of intervals
    for (int l = 0; l < chart->count; l++)
        for (int i = 0; i < chart->lines[l].count; i++) {
            const Point *point = &chart->lines[l].points[i];
            if (!drawable(chart, point)) continue;
            left = fmin(left, point->x);
            right = fmax(right, point->x);
            low = fmin(low, point->y);
            high = fmax(high, point->y);
            if (point->y > 0) positive = fmin(positive, point->y);
            if (isfinite(point->low)) least = fmin(least, point->low);
            if (isfinite(point->high)) largest = fmax(largest, point->high);
        }
    // A linear axis would hide values that are much smaller than the largest.
    const bool log_y = chart->log_y && high > 5 * positive;
    if (log_y) low = positive;
    if (chart->spread != SPREAD_NONE) {
        // Intervals that are much longer than the points' own range would press the points together.
        const double span = high > low ? 3 * (high - low) : INFINITY;
        if (!log_y || least > 0) low = fmin(low, fmax(least, low - span));
        high = fmax(high, fmin(largest, high + span));
    }
    axis_fit(&d->x, left, right, 0.02, chart->log_x);
    axis_fit(&d->y, low, high, 0.05, log_y);
}

// If all lines have the same few x, these are the ticks, unless they are fractions with many digits. Returns how many.
static int common_x(double values[8], const Chart *chart) {
    const Line *longest = NULL;
    for (const Line *line = chart->lines; line < chart->lines + chart->count; line++)
        if (!line->loose && (!longest || line->count > longest->count)) longest = line;
    if (!longest || longest->count < 2 || longest->count > 8) return 0;
    for (const Line *line = chart->lines; line < chart->lines + chart->count; line++)
        for (int i = 0; i < line->count && !line->loose; i++) {
            const double x = values[i] = longest->points[i].x;
            if (!isfinite(x) || x != line->points[i].x) return 0;
            if (x != floor(x) && fabs(1e6 * x - round(1e6 * x)) > 1e-3) return 0;
        }
    return longest->count;
}

static void lay_out(Drawing *d) {
    const Chart *chart = d->chart;
    char words[TICK_WORDS];
    double widest = 0, names = 0, values[8];
    fit_axes(d);
    d->height = d->narrow ? 330 : 400;
    d->top = LINE_HEIGHT + 12 + (chart->mark_label ? LINE_HEIGHT : 0);
    d->bottom = d->height - 28 - LINE_HEIGHT;
    axis_ticks(&d->y, d->narrow ? 6 : 8);
    for (int i = 0; i < d->y.count; i++) widest = fmax(widest, svg_text_width(axis_words(words, &d->y, i)));
    for (int l = 0; l < chart->count; l++)
        if (!chart->lines[l].loose) names = fmax(names, svg_text_width(chart->lines[l].name));
    d->left = widest + 10;
    d->right = d->width - fmin(names, (d->narrow ? 0.38 : 0.3) * d->width) - 20;
    d->x.from = d->left;
    d->x.to = d->right;
    d->y.from = d->bottom;
    d->y.to = d->top;
    const int count = common_x(values, chart);
    if (count > 0)
        axis_ticks_at(&d->x, values, count, 44);
    else
        axis_ticks(&d->x, (int)fmax(2, fmin(TICKS_MOST, (d->right - d->left) / 62)));
}

static void draw_axes(const Drawing *d) {
    const Chart *chart = d->chart;
    FILE *out = d->out;
    char words[TICK_WORDS];
    for (int i = 0; i < d->y.count; i++) {
        const double y = axis_at(&d->y, d->y.ticks[i]);
        fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>", d->y.ticks[i] == 0 ? "zero" : "grid", d->left, y,
                d->right);
        svg_text(out, d->left - 6, y + 4.5, d->left, "tick end", axis_words(words, &d->y, i));
    }
    for (int i = 0; i < d->x.count; i++) {
        const double x = axis_at(&d->x, d->x.ticks[i]);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, d->top, d->bottom + 4);
        svg_text(out, x, d->bottom + 18, d->width, "tick middle", axis_words(words, &d->x, i));
    }
    fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", d->left, d->top, d->bottom, d->right);
    svg_text(out, 2, 13, d->width - 10, "label", chart->y_label);
    svg_text(out, 2, d->bottom + 38, d->width - 10, "label", chart->x_label);
    const double x = chart->mark_label ? axis_at(&d->x, chart->mark) : NAN;
    if (isnan(x)) return;
    const bool left = x > 0.5 * d->width; // there is more room on this side
    fprintf(out, "<g class=\"mark\"><path d=\"M%.1f %.1fV%.1f\"/>", x, d->top - 14, d->bottom);
    svg_text(out, left ? x - 5 : x + 5, d->top - 5, left ? x - 10 : d->width - x - 10, left ? "tick end" : "tick",
             chart->mark_label);
    fputs("</g>\n", out);
}

// --- its lines ---
// Error bars at the same x would hide each other, so each line is moved a little to the side.
static double x_of(const Drawing *d, int l, const Point *point) {
    const double apart = fmin(d->narrow ? 3 : 5, (d->narrow ? 24.0 : 48.0) / d->chart->count);
    const double side = d->chart->spread == SPREAD_BARS ? apart * (l - 0.5 * (d->chart->count - 1)) : 0;
    return axis_at(&d->x, point->x) + side;
}

static bool shown(const Drawing *d, const Point *point) {
    return drawable(d->chart, point) && !isnan(axis_at(&d->y, point->y));
}

// The edge of an interval; what cannot be drawn is as far away as the drawing is high.
static double edge(const Drawing *d, double value, bool upper) {
    const double y = isfinite(value) ? axis_at(&d->y, value) : NAN;
    return isnan(y) ? (upper ? d->top : d->bottom) : y;
}

static void draw_band(const Drawing *d, const Line *line) {
    for (int i = 0, from = 0; i <= line->count; i++) {
        if (i < line->count && shown(d, &line->points[i])) continue;
        if (i > from + 1) {
            fputs("<path class=\"band\" d=\"", d->out);
            for (int k = from; k < i; k++)
                fprintf(d->out, "%c%.1f %.1f", k > from ? 'L' : 'M', axis_at(&d->x, line->points[k].x),
                        edge(d, line->points[k].high, true));
            for (int k = i - 1; k >= from; k--)
                fprintf(d->out, "L%.1f %.1f", axis_at(&d->x, line->points[k].x), edge(d, line->points[k].low, false));
            fputs("Z\"/>\n", d->out);
        }
        from = i + 1;
    }
}

static void draw_path(const Drawing *d, int l) {
    const Line *line = &d->chart->lines[l];
    bool open = false, any = false;
    for (int i = 0; i < line->count; i++) {
        if (!shown(d, &line->points[i])) {
            open = false;
            continue;
        }
        fprintf(d->out, "%s%c%.1f %.1f", any ? "" : "<path class=\"line\" d=\"", open ? 'L' : 'M',
                x_of(d, l, &line->points[i]), axis_at(&d->y, line->points[i].y));
        open = any = true;
    }
    if (any) fputs("\"/>\n", d->out);
}

// A symbol, with its error bar.
static void draw_symbol(const Drawing *d, int l, int i) {
    const Line *line = &d->chart->lines[l];
    const Point *point = &line->points[i];
    const double x = x_of(d, l, point), y = axis_at(&d->y, point->y);
    if (d->chart->spread == SPREAD_BARS && !(isnan(point->low) && isnan(point->high)) && point->low != point->high)
        fprintf(d->out, "<path class=\"bar\" d=\"M%.1f %.1fV%.1f\"/>", x, edge(d, point->low, false),
                edge(d, point->high, true));
    if (i == line->ringed) fprintf(d->out, "<circle class=\"ring\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\"/>", x, y);
    fprintf(d->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>\n", line->loose ? "seed" : "dot", x, y,
            line->loose ? "2.5" : "3");
}

// Begin a group with the style of a line; the name of a line and its loose points belong to it, for the script.
static void begin_group(const Drawing *d, const char *class, int l) {
    const Line *line = &d->chart->lines[l], *owner = line->loose && l > 0 ? line - 1 : line;
    fprintf(d->out, "<g class=\"%s h%d d%d%s\" data-name=\"", class, line->hue % HUES, line->dash % DASHES,
            line->loose ? " loose" : "");
    xml_text(d->out, owner->name);
    fputs("\">\n", d->out);
}

static void draw_line(const Drawing *d, int l) {
    const Line *line = &d->chart->lines[l];
    begin_group(d, "series", l);
    if (d->chart->spread == SPREAD_BANDS && !line->loose) draw_band(d, line);
    if (!line->loose) draw_path(d, l);
    for (int i = 0; i < line->count; i++)
        if (shown(d, &line->points[i]) &&
            (line->count <= SYMBOLS_MOST || line->loose || d->chart->spread == SPREAD_BARS || i == line->ringed))
            draw_symbol(d, l, i);
    fputs("</g>\n", d->out);
}

// --- their names ---
typedef struct {
    int line;
    double x, y;  // the line's end
    double place; // of its name
} End;

static int by_height(const void *a, const void *b) {
    const double one = ((const End *)a)->y, other = ((const End *)b)->y;
    return one < other ? -1 : one > other;
}

// Write the names of some ends, which are sorted, one below the other: in a column on the right, or each beside its
// end. Where there is no room for all of them, only every second, third ... is written.
static void draw_column(const Drawing *d, End *ends, int count, bool inside) {
    const double gap = 15;
    const int room = 1 + (int)((d->bottom - d->top) / gap), every = (count + room - 1) / room;
    double free_from = d->top, free_to = d->bottom;
    for (int i = 0; i < count; i += every) {
        ends[i].place = fmax(ends[i].y, free_from);
        free_from = ends[i].place + gap;
    }
    for (int i = count > 0 ? (count - 1) / every * every : -1; i >= 0; i -= every) {
        ends[i].place = fmin(ends[i].place, free_to);
        free_to = ends[i].place - gap;
    }
    for (const End *end = ends; end < ends + count; end += every) {
        const double x = inside ? end->x + 8 : d->right + 17;
        begin_group(d, "key", end->line);
        fprintf(d->out, "<path class=\"leader\" d=\"M%.1f %.1fL%.1f %.1f\"/>", end->x + 4, end->y, x - 3, end->place);
        svg_text(d->out, x, end->place + 4.5, d->width - x - 1, "name", d->chart->lines[end->line].name);
        fputs("</g>\n", d->out);
    }
}

static void draw_names(const Drawing *d) {
    End ends[2][LINES_MOST];
    int count[2] = {0};
    for (int l = 0; l < d->chart->count; l++) {
        const Line *line = &d->chart->lines[l];
        int last = line->loose ? -1 : line->count - 1;
        while (last >= 0 && !shown(d, &line->points[last])) last--;
        if (last < 0) continue;
        const double x = x_of(d, l, &line->points[last]);
        const int inside = x < d->right - 48;
        ends[inside][count[inside]++] = (End){l, x, axis_at(&d->y, line->points[last].y), 0};
    }
    for (int inside = 0; inside < 2; inside++) {
        qsort(ends[inside], (size_t)count[inside], sizeof **ends, by_height);
        draw_column(d, ends[inside], count[inside], inside);
    }
}

void draw_chart(FILE *out, const void *what, const char *label, double width, bool alone) {
    Drawing d = {.out = out, .chart = what, .narrow = width < WIDE, .width = width};
    lay_out(&d);
    svg_open(out, width, d.height, label, alone);
    draw_axes(&d);
    for (int l = 0; l < d.chart->count; l++) draw_line(&d, l);
    draw_names(&d);
    svg_close(out);
}

// --- on a page ---
static void write_numbers(Page *page, const Chart *chart) {
    const bool spread = chart->spread != SPREAD_NONE;
    page_numbers(page);
    page_row(page, true, spread ? "series|%s|%s|low|high" : "series|%s|%s", chart->x_label, chart->y_label);
    for (int l = 0; l < chart->count; l++)
        for (const Point *p = chart->lines[l].points; p < chart->lines[l].points + chart->lines[l].count; p++) {
            if (isnan(p->y)) continue;
            page_row(page, false, "%s|%.6g|%.6g", chart->lines[l].name, p->x, p->y);
            if (!spread) continue;
            page_cell(page, isnan(p->low) ? "-" : "%.6g", p->low);
            page_cell(page, isnan(p->high) ? "-" : "%.6g", p->high);
        }
    page_numbers_end(page);
}

static bool place_chart(Page *page, const Chart *chart, const char *title, Error *error) {
    char label[1024];
    if (chart->failed) return fail_run(error, "no memory for the chart \"%s\"", title);
    if (!chart_has_points(chart)) {
        page_paragraph(page, "%s: there is nothing to draw.", title);
        return true;
    }
    snprintf(label, sizeof label, "%s. %.150s, against %.150s; the numbers are in the table below.", title,
             chart->y_label, chart->x_label);
    if (!page_figure(page, title, label, draw_chart, chart, error)) return false;
    if (chart->left_out > 0)
        page_paragraph(page, "The chart has the first %d of %d lines.", chart->count, chart->count + chart->left_out);
    write_numbers(page, chart);
    return true;
}

bool page_chart(Page *page, Chart *chart, Error *error, const char *title, ...) {
    char words[TEXT_CAPACITY + 64];
    va_list arguments;
    va_start(arguments, title);
    vsnprintf(words, sizeof words, title, arguments);
    va_end(arguments);
    const bool ok = place_chart(page, chart, words, error);
    chart_free(chart);
    return ok;
}
