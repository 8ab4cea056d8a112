// Line charts.
#include "lab/report/page/draw.h"

#include "lab/report/page/axis.h"
#include "lab/report/page/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Beyond this number of points a line has no symbols at its points.
enum { SYMBOLS_MOST = 24 };

typedef struct {
    FILE *out;
    const Chart *chart;
    bool narrow;
    double width, height, left, right, top, bottom;
    ChartAxis x, y;
} Drawing;

typedef struct {
    double left, right, low, high; // of the points that can be drawn; on a logarithmic axis of those above 0
    double least, largest;         // ends of intervals
    double positive;               // the smallest y above 0, from which a logarithmic axis begins
    bool any;
} Extent;

static bool drawable(const Chart *chart, const Point *point) {
    return isfinite(point->x) && isfinite(point->y) && (!chart->log_x || point->x > 0);
}

static Extent extent_of(const Chart *chart) {
    Extent e = {INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, false};
    for (int l = 0; l < chart->count; l++)
        for (int i = 0; i < chart->lines[l].count; i++) {
            const Point *point = &chart->lines[l].points[i];
            if (!drawable(chart, point)) continue;
            e.any = true;
            e.left = fmin(e.left, point->x);
            e.right = fmax(e.right, point->x);
            e.low = fmin(e.low, point->y);
            e.high = fmax(e.high, point->y);
            if (point->y > 0) e.positive = fmin(e.positive, point->y);
            if (isfinite(point->low)) e.least = fmin(e.least, point->low);
            if (isfinite(point->high)) e.largest = fmax(e.largest, point->high);
        }
    return e;
}

bool chart_has_points(const Chart *chart) {
    return extent_of(chart).any;
}

static void fit_axes(Drawing *d) {
    const Chart *chart = d->chart;
    Extent e = extent_of(chart);
    // A linear axis would hide values that are much smaller than the largest.
    const bool log_y = chart->log_y && e.high > 5 * e.positive;
    if (log_y) e.low = e.positive;
    if (chart->spread != SPREAD_NONE) {
        // Intervals that are much longer than the points' own range would press the points together.
        const double span = e.high > e.low ? 3 * (e.high - e.low) : INFINITY;
        const double least = fmax(e.least, e.low - span), largest = fmin(e.largest, e.high + span);
        if (!log_y || least > 0) e.low = fmin(e.low, least);
        e.high = fmax(e.high, largest);
    }
    if (chart->mark_label && isfinite(chart->mark) && (!chart->log_x || chart->mark > 0)) {
        e.left = fmin(e.left, chart->mark);
        e.right = fmax(e.right, chart->mark);
    }
    axis_fit(&d->x, e.left, e.right, 0.02, chart->log_x);
    axis_fit(&d->y, e.low, e.high, 0.05, log_y);
}

// If all lines have the same few x, use these as ticks, unless they are fractions with many digits.
static bool common_x(const Chart *chart, double *values, int *count) {
    const Line *longest = NULL;
    for (int l = 0; l < chart->count; l++)
        if (!chart->lines[l].loose && (!longest || chart->lines[l].count > longest->count)) longest = &chart->lines[l];
    if (!longest || longest->count < 2 || longest->count > 8) return false;
    for (int l = 0; l < chart->count; l++)
        for (int i = 0; i < chart->lines[l].count && !chart->lines[l].loose; i++) {
            const double x = chart->lines[l].points[i].x;
            if (!isfinite(x) || x != longest->points[i].x) return false;
            if (x != floor(x) && fabs(1e6 * x - round(1e6 * x)) > 1e-3) return false;
        }
    for (int i = 0; i < longest->count; i++) values[i] = longest->points[i].x;
    *count = longest->count;
    return true;
}

static bool labelled(const Line *line, const Chart *chart) {
    if (line->loose) return false;
    for (int i = 0; i < line->count; i++)
        if (drawable(chart, &line->points[i])) return true;
    return false;
}

static double label_room(const Chart *chart, double width) {
    double room = 0;
    for (int l = 0; l < chart->count; l++)
        if (labelled(&chart->lines[l], chart)) room = fmax(room, svg_text_width(chart->lines[l].name));
    return fmin(room, width < WIDE ? 0.38 * width : 0.3 * width) + 20;
}

static void lay_out(Drawing *d) {
    const Chart *chart = d->chart;
    char words[TICK_WORDS];
    fit_axes(d);
    d->height = d->narrow ? 330 : 400;
    d->top = LINE_HEIGHT * svg_wrapped(NULL, 0, 0, d->width - 10, "", chart->y_label) + 12;
    if (chart->mark_label) d->top += LINE_HEIGHT;
    d->bottom = d->height - 28 - LINE_HEIGHT * svg_wrapped(NULL, 0, 0, d->width - 10, "", chart->x_label);
    axis_ticks(&d->y, d->narrow ? 6 : 8);
    double widest = 0;
    for (int i = 0; i < d->y.count; i++) widest = fmax(widest, svg_text_width(axis_words(words, &d->y, i)));
    d->left = widest + 10;
    d->right = d->width - label_room(chart, d->width);
    d->x.from = d->left;
    d->x.to = d->right;
    d->y.from = d->bottom;
    d->y.to = d->top;
    double values[8];
    int count;
    if (common_x(chart, values, &count))
        axis_ticks_at(&d->x, values, count, 44);
    else
        axis_ticks(&d->x, (int)fmax(2, fmin(TICKS_MOST, (d->right - d->left) / 62)));
}

static void draw_axes(const Drawing *d) {
    FILE *out = d->out;
    char words[TICK_WORDS];
    fputs("<g class=\"yaxis\">\n", out);
    for (int i = 0; i < d->y.count; i++) {
        const double y = axis_at(&d->y, d->y.ticks[i]);
        fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>", d->y.ticks[i] == 0 ? "zero" : "grid", d->left, y,
                d->right);
        svg_text(out, d->left - 6, y + 4.5, "tick end", axis_words(words, &d->y, i));
    }
    fputs("</g>\n<g class=\"xaxis\">\n", out);
    for (int i = 0; i < d->x.count; i++) {
        const double x = axis_at(&d->x, d->x.ticks[i]);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, d->top, d->bottom + 4);
        svg_text(out, x, d->bottom + 18, "tick middle", axis_words(words, &d->x, i));
    }
    fprintf(out, "</g>\n<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", d->left, d->top, d->bottom, d->right);
    svg_wrapped(out, 2, 13, d->width - 10, "label", d->chart->y_label);
    svg_wrapped(out, 2, d->bottom + 38, d->width - 10, "label", d->chart->x_label);
    if (!d->chart->mark_label) return;
    const double x = axis_at(&d->x, d->chart->mark);
    if (isnan(x)) return;
    char cut[TEXT_CAPACITY];
    const bool left = x > 0.5 * d->width; // there is more room on this side
    fprintf(out, "<g class=\"mark\"><path d=\"M%.1f %.1fV%.1f\"/>", x, d->top - 14, d->bottom);
    svg_text(out, left ? x - 5 : x + 5, d->top - 5, left ? "tick end" : "tick",
             svg_cut(cut, sizeof cut, d->chart->mark_label, left ? x - 10 : d->width - x - 10));
    fputs("</g>\n", out);
}

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
    const double y = isnan(value) || isinf(value) ? NAN : axis_at(&d->y, value);
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

static void draw_line(const Drawing *d, int l) {
    const Line *line = &d->chart->lines[l];
    fprintf(d->out, "<g class=\"series h%d d%d%s\" data-name=\"", line->hue % HUES, line->dash % DASHES,
            line->loose ? " loose" : "");
    xml_text(d->out, line->name);
    fputs("\">\n", d->out);
    if (d->chart->spread == SPREAD_BANDS && !line->loose) draw_band(d, line);
    if (!line->loose) draw_path(d, l);
    for (int i = 0; i < line->count; i++)
        if (shown(d, &line->points[i]) &&
            (line->count <= SYMBOLS_MOST || line->loose || d->chart->spread == SPREAD_BARS || i == line->ringed))
            draw_symbol(d, l, i);
    fputs("</g>\n", d->out);
}

typedef struct {
    int line;
    double x, y; // the line's end
} End;

static int by_height(const void *a, const void *b) {
    const double one = ((const End *)a)->y, other = ((const End *)b)->y;
    return one < other ? -1 : one > other;
}

// Write the names of some ends, which are sorted, one below the other from x on; beyond `room` of them only some.
static void draw_column(const Drawing *d, const End *ends, int count, bool inside) {
    double places[LINES_MOST];
    const int room = 1 + (int)((d->bottom - d->top) / 15), every = (count + room - 1) / room;
    int kept = 0;
    for (int i = 0; i < count; i += every) places[kept++] = ends[i].y;
    svg_spread(places, kept, 15, d->top, d->bottom);
    for (int k = 0; k < kept; k++) {
        const End *end = &ends[k * every];
        const Line *line = &d->chart->lines[end->line];
        const double x = inside ? end->x + 8 : d->right + 17;
        char cut[TEXT_CAPACITY];
        fprintf(d->out, "<g class=\"h%d d%d\"><path class=\"leader\" d=\"M%.1f %.1fL%.1f %.1f\"/>", line->hue % HUES,
                line->dash % DASHES, end->x + 4, end->y, x - 3, places[k]);
        svg_text(d->out, x, places[k] + 4.5, "name", svg_cut(cut, sizeof cut, line->name, d->width - x - 1));
        fputs("</g>\n", d->out);
    }
}

// Names at the ends of the lines: in a column on the right, or beside the end of a line that ends earlier.
static void draw_names(const Drawing *d) {
    End ends[2][LINES_MOST];
    int count[2] = {0};
    for (int l = 0; l < d->chart->count; l++) {
        const Line *line = &d->chart->lines[l];
        for (int i = line->count - 1; i >= 0 && !line->loose; i--) {
            if (!shown(d, &line->points[i])) continue;
            const double x = x_of(d, l, &line->points[i]);
            const int inside = x < d->right - 48;
            ends[inside][count[inside]++] = (End){l, x, axis_at(&d->y, line->points[i].y)};
            break;
        }
    }
    fputs("<g class=\"names\">\n", d->out);
    for (int inside = 0; inside < 2; inside++) {
        qsort(ends[inside], (size_t)count[inside], sizeof **ends, by_height);
        draw_column(d, ends[inside], count[inside], inside);
    }
    fputs("</g>\n", d->out);
}

void draw_chart(FILE *out, const void *what, const char *label, double width, bool alone) {
    Drawing d = {.out = out, .chart = what, .narrow = width < WIDE, .width = width};
    lay_out(&d);
    char axes[256]; // for the script
    snprintf(axes, sizeof axes, " data-axes=\"%.1f %.1f %.1f %.1f %.9g %.9g %d %d\"", d.left, d.right, d.top, d.bottom,
             d.x.low, d.x.high, d.x.log, d.y.log);
    svg_open(out, width, d.height, label, axes, alone);
    draw_axes(&d);
    for (int l = 0; l < d.chart->count; l++) draw_line(&d, l);
    draw_names(&d);
    svg_close(out);
}
