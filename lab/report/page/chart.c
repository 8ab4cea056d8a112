#include "lab/report/page/chart.h"

#include "lab/report/page/numbers.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// --- what is in a chart ---
static Line *last_line(Chart *chart) {
    return &chart->lines[chart->count - 1];
}

void chart_line(Chart *chart, const char *name, ...) {
    if (chart->failed) return;
    Line *lines = realloc(chart->lines, ((size_t)chart->count + 1) * sizeof *lines);
    chart->failed = !lines;
    if (!lines) return;
    chart->lines = lines;
    Line line = {.hue = chart->count, .dash = chart->count / HUES, .ringed = -1};
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(line.name, sizeof line.name, name, arguments);
    va_end(arguments);
    chart->lines[chart->count++] = line;
}

void chart_style(Chart *chart, int hue, int dash) {
    if (chart->failed) return;
    last_line(chart)->hue = hue;
    last_line(chart)->dash = dash;
}

void chart_ring(Chart *chart) {
    if (!chart->failed) last_line(chart)->ringed = last_line(chart)->count - 1;
}

static void add(Chart *chart, Point point) {
    if (chart->failed) return;
    Line *line = last_line(chart);
    Point *points = realloc(line->points, ((size_t)line->count + 1) * sizeof *points);
    chart->failed = !points;
    if (!points) return;
    line->points = points;
    line->points[line->count++] = point;
}

void chart_point(Chart *chart, double x, double y) {
    add(chart, (Point){x, y, y, y});
}

void chart_interval(Chart *chart, double x, double y, double low, double high) {
    add(chart, (Point){x, y, low, high});
}

void chart_free(Chart *chart) {
    for (int l = 0; l < chart->count; l++) free(chart->lines[l].points);
    free(chart->lines);
    chart->lines = NULL;
    chart->count = 0;
}

static bool drawable(const Chart *chart, const Point *point) {
    return isfinite(point->x) && isfinite(point->y) && (!chart->log_x || point->x > 0);
}

// The number of lines that are drawn: over an axis, only the first LINES_MOST.
static int drawn(const Chart *chart) {
    return !chart->sides[0] && chart->count > LINES_MOST ? LINES_MOST : chart->count;
}

const Line *chart_longest(const Chart *chart) {
    const Line *longest = chart->lines;
    for (const Line *line = longest; line < chart->lines + drawn(chart); line++)
        if (line->count > longest->count) longest = line;
    return longest;
}

bool chart_log_y(const Chart *chart) {
    double high = -INFINITY, positive = INFINITY;
    for (const Line *line = chart->lines; line < chart->lines + drawn(chart); line++)
        for (const Point *point = line->points; point < line->points + line->count; point++) {
            if (!drawable(chart, point)) continue;
            high = fmax(high, point->y);
            if (point->y > 0) positive = fmin(positive, point->y);
        }
    return chart->log_y && high > 5 * positive;
}

static bool has_points(const Chart *chart) {
    for (const Line *line = chart->lines; line < chart->lines + chart->count; line++)
        for (int i = 0; i < line->count; i++)
            if (drawable(chart, &line->points[i])) return true;
    return false;
}

// --- axes ---
enum { TICKS_MOST = 12 };

typedef struct {
    bool log;
    double low, high; // what is shown; on a logarithmic axis their logarithms
    double from, to;  // where these are on the drawing
    double ticks[TICKS_MOST];
    char words[TICKS_MOST][NUMBER_WORDS]; // at the ticks
    int count;
} Axis;

// An axis that shows low to high, with `room` (a share of the length) left free at both ends. Equal ends get some
// space, and numbers beyond 1e300 count as 1e300. The axis is logarithmic only if both are above 0.
static void fit_axis(Axis *axis, double low, double high, double room, bool log) {
    *axis = (Axis){.log = log && low > 0};
    low = fmax(fmin(low, 1e300), -1e300);
    high = fmax(fmin(high, 1e300), -1e300);
    if (axis->log) low = log10(low), high = log10(high);
    // Numbers that differ in their last bits only count as equal.
    const bool equal = !(high - low > 1e-12 * fmax(fabs(low), fabs(high)));
    const double space = !equal ? room * (high - low) : axis->log ? 0.3 : high == 0 ? 1 : 0.1 * fabs(high);
    axis->low = axis->log ? fmax(low - space, -305) : low - space;
    axis->high = axis->log ? fmin(high + space, 305) : high + space;
}

// The place of a value on the drawing; a value beyond the axis is placed a little outside of it. NAN for NAN, and on a
// logarithmic axis for 0 and less.
static double at(const Axis *axis, double value) {
    if (isnan(value) || (axis->log && !(value > 0))) return NAN;
    const double share = ((axis->log ? log10(value) : value) - axis->low) / (axis->high - axis->low);
    return axis->from + fmax(-0.05, fmin(1.05, share)) * (axis->to - axis->from);
}

// The smallest number from `least` on that is 1, 2 or 5 times a power of ten.
static double round_step(double least) {
    const double power = pow(10, floor(log10(least))), times = least / power;
    return (times <= 1.0001 ? 1 : times <= 2.0001 ? 2 : times <= 5.0001 ? 5 : 10) * power;
}

static double multiples(double low, double high, double step) {
    return floor(high / step + 1e-9) - ceil(low / step - 1e-9) + 1;
}

// Multiples of a step, at most `most` of them: "1.35", "1.40".
static void linear_ticks(Axis *axis, double low, double high, int most) {
    const char *name;
    const double largest = fmax(fabs(low), fabs(high)), unit = number_unit(&name, largest);
    double step = round_step((high - low) / most);
    while (multiples(low, high, step) > most) step = round_step(1.5 * step);
    // A single tick shows no scale.
    while (multiples(low, high, step) < 2 && most < 5) step = round_step((high - low) / ++most);
    const int digits = (int)fmax(0, ceil(-log10(step / unit) - 1e-9));
    axis->count = 0;
    for (double n = ceil(low / step - 1e-9); n * step <= high + 1e-9 * step && axis->count < most; n++) {
        char *words = axis->words[axis->count];
        axis->ticks[axis->count++] = n * step;
        if (n == 0)
            strcpy(words, "0");
        else if (largest >= 1e10 || step < 1e-5)
            snprintf(words, NUMBER_WORDS, "%.10g", n * step);
        else
            snprintf(words, NUMBER_WORDS, "%.*f%s", digits, n * step / unit, name);
    }
}

// 1, 2 and 5 times the powers of ten; where these are too many the powers alone, or every second, third ... of them.
static void log_ticks(Axis *axis, int most) {
    static const double parts[] = {1, 2, 5};
    axis->count = most + 1;
    for (int every = 0; axis->count > most; every++) {
        axis->count = 0;
        for (int power = (int)floor(axis->low); power <= axis->high + 1e-9; power++)
            for (int p = 0; p < (every ? 1 : 3) && axis->count <= most; p++) {
                const double place = power + log10(parts[p]);
                if (place < axis->low - 1e-9 || place > axis->high + 1e-9 || (every && power % every)) continue;
                if (axis->count++ == most) break;
                axis->ticks[axis->count - 1] = parts[p] * pow(10, power);
                number_words(axis->words[axis->count - 1], axis->ticks[axis->count - 1]);
            }
    }
    if (axis->count < 2) linear_ticks(axis, pow(10, axis->low), pow(10, axis->high), most);
}

static void choose_ticks(Axis *axis, int most) {
    if (axis->log)
        log_ticks(axis, most);
    else
        linear_ticks(axis, axis->low, axis->high, most);
}

// --- drawings; places and sizes are in pixels ---
enum { WIDTH = 760, HEIGHT = 320, TEXT_SIZE = 13, LINE_HEIGHT = 16, ROW_HEIGHT = 21, SAMPLE = 28 };
enum { SYMBOLS_MOST = 24 }; // a line with more points has no symbols at them

typedef struct {
    FILE *out;
    const Chart *chart;
    int count; // of lines that are drawn
    double left, right, top, bottom;
    Axis x, y;
} Drawing;

static double character_width(char c) {
    return TEXT_SIZE * (((unsigned char)c & 0xC0) == 0x80 ? 0 // inside a character
                        : c && strchr("il.,:;|'! ()-", c) ? 0.39
                        : c && strchr("mwMW%+", c)        ? 0.92
                        : c >= 'A' && c <= 'Z'            ? 0.7
                                                          : 0.63);
}

// The approximate width of a text, rather too large than too small.
static double text_width(const char *text) {
    double width = 0;
    for (; *text; text++) width += character_width(*text);
    return width;
}

// Write text, cut to a width, with classes of plot.css; "end" and "middle" say which part of it is at x.
static void write_text(FILE *out, double x, double y, double width, const char *class, const char *text) {
    const bool whole = text_width(text) <= width;
    const double room = whole ? width : width - TEXT_SIZE; // for the dots
    char cut[2 * TEXT_CAPACITY];
    size_t size = 0;
    double used = 0;
    while (text[size] && size + 1 < sizeof cut && (used += character_width(text[size])) <= room) size++;
    while (text[size] && size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80) size--;
    snprintf(cut, sizeof cut, "%.*s", (int)size, text);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    xml_text(out, cut);
    fputs(whole ? "</text>\n" : "…</text>\n", out);
}

static void draw_x_axis(const Drawing *d) {
    for (int i = 0; i < d->x.count; i++) {
        const double x = at(&d->x, d->x.ticks[i]);
        fprintf(d->out, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"/>",
                d->chart->sides[0] && d->x.ticks[i] == 0 ? "zero" : "grid", x, d->top, d->bottom + 4);
        write_text(d->out, x, d->bottom + 18, WIDTH, "tick middle", d->x.words[i]);
    }
    write_text(d->out, 2, d->bottom + 38, WIDTH - 10, "label", d->chart->x_label);
}

// Begin a group with the style of a line; report.js finds the groups of a line by its name.
static void begin_group(const Drawing *d, const char *class, int l) {
    const Line *line = &d->chart->lines[l];
    fprintf(d->out, "<g class=\"%s h%d d%d\" data-name=\"", class, line->hue % HUES, line->dash % DASHES);
    xml_text(d->out, line->name);
    fputs("\">\n", d->out);
}

// --- rows of intervals ---
static const Point *interval_of(const Line *line) {
    return line->count > 0 && isfinite(line->points->y) ? line->points : NULL;
}

static bool bounded(const Point *point) {
    return isfinite(point->low) && isfinite(point->high);
}

// The axis goes from 0 to the ends of all intervals; one that is much longer than the others is cut off.
static void lay_out_rows(Drawing *d) {
    double low = 0, high = 0, far = 0, names = 60, values = 60;
    char words[INTERVAL_WORDS];
    for (const Line *line = d->chart->lines; line < d->chart->lines + d->count; line++) {
        const Point *p = line->points;
        if (line->count == 0) continue;
        names = fmax(names, text_width(line->name) + 12);
        values = fmax(values, text_width(interval_words(words, p->y, p->low, p->high)) + 12);
        if (interval_of(line)) far = fmax(far, fabs(p->y));
    }
    for (const Line *line = d->chart->lines; line < d->chart->lines + d->count; line++) {
        const Point *point = interval_of(line);
        if (!point) continue;
        low = fmin(low, bounded(point) ? fmax(point->low, -6 * far) : point->y);
        high = fmax(high, bounded(point) ? fmin(point->high, 6 * far) : point->y);
    }
    fit_axis(&d->x, low, high, 0.04, false);
    d->left = d->x.from = fmin(names, 0.37 * WIDTH) + 12;
    d->right = d->x.to = WIDTH - fmin(values, 0.36 * WIDTH);
    d->top = 20;
    d->bottom = d->top + ROW_HEIGHT * d->count + 4;
    choose_ticks(&d->x, (int)fmax(2, fmin(7, (d->right - d->left) / 48)));
}

// An interval, with an arrow where it continues beyond the axis.
static void draw_interval(const Drawing *d, const Point *point, double y) {
    const double low = fmax(at(&d->x, point->low), d->left), high = fmin(at(&d->x, point->high), d->right);
    fprintf(d->out, "<path class=\"bar\" d=\"M%.1f %.1fH%.1f", low, y, high);
    if (point->low < d->x.low) fprintf(d->out, "M%.1f %.1fl-5 4l5 4", low + 5, y - 4);
    if (point->high > d->x.high) fprintf(d->out, "M%.1f %.1fl5 4l-5 4", high - 5, y - 4);
    fputs("\"/>", d->out);
}

static void draw_rows(const Drawing *d) {
    const double zero = at(&d->x, 0);
    char words[INTERVAL_WORDS];
    for (int side = 0; side < 2; side++) {
        const double room = side ? WIDTH - zero - 8 : zero - 8;
        if (text_width(d->chart->sides[side]) <= room)
            write_text(d->out, side ? zero + 8 : zero - 8, 13, room, side ? "tick" : "tick end", d->chart->sides[side]);
    }
    for (int l = 0; l < d->count; l++) {
        const Line *line = &d->chart->lines[l];
        const Point *point = interval_of(line);
        const double y = d->top + ROW_HEIGHT * l;
        if (line->count == 0) {
            write_text(d->out, 2, y + 15, WIDTH - 8, "group", line->name);
            continue;
        }
        begin_group(d, "interval", l);
        write_text(d->out, 12, y + 15, d->left - 20, "row", line->name);
        write_text(d->out, d->right + 10, y + 15, WIDTH - d->right - 10, "value",
                   interval_words(words, line->points->y, line->points->low, line->points->high));
        if (point && bounded(point)) draw_interval(d, point, y + 10.5);
        if (point)
            fprintf(d->out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>", at(&d->x, point->y), y + 10.5);
        fputs("</g>\n", d->out);
    }
}

// --- the axes of lines ---
static void fit_axes(Drawing *d) {
    const Chart *chart = d->chart;
    const bool marked = chart->mark_label && isfinite(chart->mark) && (!chart->log_x || chart->mark > 0);
    double left = marked ? chart->mark : INFINITY, right = marked ? chart->mark : -INFINITY;
    double low = INFINITY, high = -INFINITY, positive = INFINITY; // the smallest y above 0
    double least = INFINITY, largest = -INFINITY;                 // ends of intervals
    for (const Line *line = chart->lines; line < chart->lines + d->count; line++)
        for (const Point *point = line->points; point < line->points + line->count; point++) {
            if (!drawable(chart, point)) continue;
            left = fmin(left, point->x);
            right = fmax(right, point->x);
            low = fmin(low, point->y);
            high = fmax(high, point->y);
            if (point->y > 0) positive = fmin(positive, point->y);
            if (isfinite(point->low)) least = fmin(least, point->low);
            if (isfinite(point->high)) largest = fmax(largest, point->high);
        }
    const bool log_y = chart_log_y(chart);
    if (log_y) low = positive;
    if (chart->bands) {
        // Intervals that are much longer than the points' own range would press the points together.
        const double span = high > low ? 3 * (high - low) : INFINITY;
        if (!log_y || least > 0) low = fmin(low, fmax(least, low - span));
        high = fmax(high, fmin(largest, high + span));
    }
    fit_axis(&d->x, left, right, 0.02, chart->log_x);
    fit_axis(&d->y, low, high, 0.05, log_y);
}

// If the lines have few points, at x with few digits, put the ticks there.
static void choose_x_ticks(Drawing *d) {
    const Line *longest = chart_longest(d->chart);
    double last = -INFINITY;
    bool few = longest->count <= 8;
    for (const Point *p = longest->points; few && p < longest->points + longest->count; p++) {
        if (!(fabs(at(&d->x, p->x) - last) >= 44)) continue; // pixels
        few = fabs(1e6 * p->x - round(1e6 * p->x)) < 1e-3;
        last = at(&d->x, p->x);
        d->x.ticks[d->x.count] = p->x;
        number_words(d->x.words[d->x.count++], p->x);
    }
    if (!few || d->x.count < 2) choose_ticks(&d->x, (int)fmax(2, fmin(TICKS_MOST, (d->right - d->left) / 62)));
}

static void lay_out_lines(Drawing *d) {
    const Chart *chart = d->chart;
    double widest = 0, names = 0;
    fit_axes(d);
    choose_ticks(&d->y, 8);
    for (int i = 0; i < d->y.count; i++) widest = fmax(widest, text_width(d->y.words[i]));
    for (int l = 0; l < d->count; l++) names = fmax(names, text_width(chart->lines[l].name));
    d->left = d->x.from = widest + 10;
    d->right = d->x.to = WIDTH - fmin(names, 0.3 * WIDTH) - SAMPLE - 22;
    d->top = d->y.to = LINE_HEIGHT + 12 + (chart->mark_label ? LINE_HEIGHT : 0);
    d->bottom = d->y.from = d->top + fmax(HEIGHT, LINE_HEIGHT * d->count);
    choose_x_ticks(d);
}

static void draw_y_axis(const Drawing *d) {
    const Chart *chart = d->chart;
    FILE *out = d->out;
    for (int i = 0; i < d->y.count; i++) {
        const double y = at(&d->y, d->y.ticks[i]);
        fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>", d->y.ticks[i] == 0 ? "zero" : "grid", d->left, y,
                d->right);
        write_text(out, d->left - 6, y + 4.5, d->left, "tick end", d->y.words[i]);
    }
    fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", d->left, d->top, d->bottom, d->right);
    write_text(out, 2, 13, WIDTH - 10, "label", chart->y_label);
    const double x = chart->mark_label ? at(&d->x, chart->mark) : NAN;
    if (isnan(x)) return;
    const bool left = x > 0.5 * WIDTH; // there is more room on this side
    fprintf(out, "<g class=\"mark\"><path d=\"M%.1f %.1fV%.1f\"/>", x, d->top - 14, d->bottom);
    write_text(out, left ? x - 5 : x + 5, d->top - 5, left ? x - 10 : WIDTH - x - 10, left ? "tick end" : "tick",
               chart->mark_label);
    fputs("</g>\n", out);
}

// --- lines ---
static bool shown(const Drawing *d, const Point *point) {
    return drawable(d->chart, point) && !isnan(at(&d->y, point->y));
}

// The place of an interval's end; an end that cannot be drawn goes to the edge of the drawing.
static double edge(const Drawing *d, double value, bool upper) {
    const double y = isfinite(value) ? at(&d->y, value) : NAN;
    return isnan(y) ? (upper ? d->top : d->bottom) : y;
}

static void draw_band(const Drawing *d, const Line *line) {
    for (int i = 0, from = 0; i <= line->count; i++) {
        if (i < line->count && shown(d, &line->points[i])) continue;
        if (i > from + 1) {
            fputs("<path class=\"band\" d=\"", d->out);
            for (int k = from; k < i; k++)
                fprintf(d->out, "%c%.1f %.1f", k > from ? 'L' : 'M', at(&d->x, line->points[k].x),
                        edge(d, line->points[k].high, true));
            for (int k = i - 1; k >= from; k--)
                fprintf(d->out, "L%.1f %.1f", at(&d->x, line->points[k].x), edge(d, line->points[k].low, false));
            fputs("Z\"/>\n", d->out);
        }
        from = i + 1;
    }
}

static void draw_path(const Drawing *d, const Line *line) {
    bool open = false, any = false;
    for (int i = 0; i < line->count; i++) {
        if (!shown(d, &line->points[i])) {
            open = false;
            continue;
        }
        fprintf(d->out, "%s%c%.1f %.1f", any ? "" : "<path class=\"line\" d=\"", open ? 'L' : 'M',
                at(&d->x, line->points[i].x), at(&d->y, line->points[i].y));
        open = any = true;
    }
    if (any) fputs("\"/>\n", d->out);
}

static void draw_line(const Drawing *d, int l) {
    const Line *line = &d->chart->lines[l];
    begin_group(d, "series", l);
    if (d->chart->bands) draw_band(d, line);
    draw_path(d, line);
    for (int i = 0; i < line->count; i++) {
        if (!shown(d, &line->points[i]) || (line->count > SYMBOLS_MOST && i != line->ringed)) continue;
        const double x = at(&d->x, line->points[i].x), y = at(&d->y, line->points[i].y);
        if (i == line->ringed) fprintf(d->out, "<circle class=\"ring\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\"/>", x, y);
        fprintf(d->out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", x, y);
    }
    fputs("</g>\n", d->out);
}

// --- the legend ---
// Its entries stand in the order in which the lines end, from above. Lines without a point have none.
static double end_of(const Drawing *d, int l) {
    const Line *line = &d->chart->lines[l];
    int last = line->count - 1;
    while (last >= 0 && !shown(d, &line->points[last])) last--;
    return last < 0 ? NAN : at(&d->y, line->points[last].y);
}

static void draw_legend(const Drawing *d) {
    const double x = d->right + 14;
    for (int l = 0; l < d->count; l++) {
        const double end = end_of(d, l);
        int above = 0;
        for (int other = 0; other < d->count; other++)
            above += end_of(d, other) < end || (end_of(d, other) == end && other < l);
        const double y = d->top + LINE_HEIGHT * above + 6;
        if (isnan(end)) continue;
        begin_group(d, "key", l);
        fprintf(d->out, "<path class=\"line\" d=\"M%.1f %.1fh%d\"/>", x, y, SAMPLE);
        write_text(d->out, x + SAMPLE + 6, y + 4.5, WIDTH - x - SAMPLE - 6, "name", d->chart->lines[l].name);
        fputs("</g>\n", d->out);
    }
}

// The title is for screen readers, which find the numbers in a table. alone: a file of its own, with the style in it.
static void draw_chart(FILE *out, const Chart *chart, const char *title, bool alone) {
    const bool rows = chart->sides[0];
    Drawing d = {.out = out, .chart = chart, .count = drawn(chart)};
    (rows ? lay_out_rows : lay_out_lines)(&d);
    fprintf(out, "%s0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" role=\"img\" aria-label=\"", alone ? SVG_HEAD : SVG_ROOT,
            WIDTH, d.bottom + 44, WIDTH, d.bottom + 44);
    xml_text(out, title);
    fputs("\">\n", out);
    if (alone) {
        fputs("<style>\n", out);
        page_file_write(out, "plot.css");
        fputs("</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", out);
    }
    draw_x_axis(&d);
    if (rows) {
        draw_rows(&d);
    } else {
        draw_y_axis(&d);
        for (int dash = 0; dash < DASHES; dash++) // dashed lines last: where one covers a solid line, both are seen
            for (int l = 0; l < d.count; l++)
                if (chart->lines[l].dash % DASHES == dash) draw_line(&d, l);
        draw_legend(&d);
    }
    fputs("</svg>\n", out);
}

// --- on a page ---
static void write_numbers(Page *page, const Chart *chart) {
    page_fold(page, "The numbers");
    page_table(page, "%s", "");
    page_row(page, true, "series|%s|%s%s", chart->x_label, chart->y_label, chart->bands ? "|low|high" : "");
    for (const Line *line = chart->lines; line < chart->lines + chart->count; line++)
        for (const Point *p = line->points; p < line->points + line->count; p++) {
            if (isnan(p->y)) continue;
            page_row(page, false, "%s|%.6g|%.6g", line->name, p->x, p->y);
            if (chart->bands) page_cells(page, "%.6g|%.6g", p->low, p->high);
        }
    page_table_end(page);
    page_fold_end(page);
}

// As plot-N.svg, or, for LaTeX, plot-N.tex.
static bool write_file(const Page *page, const Chart *chart, const char *title, bool latex, Error *error) {
    char path[PATH_CAPACITY];
    AtomicFile file;
    if (!path_format(path, error, "%s/plot-%d.%s", page->directory, page->charts, latex ? "tex" : "svg") ||
        !atomic_open(&file, path, error))
        return false;
    if (latex)
        chart_pgfplots(file.stream, chart, title);
    else
        draw_chart(file.stream, chart, title, true);
    return atomic_commit(&file, error);
}

static bool place_chart(Page *page, const Chart *chart, const char *title, Error *error) {
    FILE *html = page->html;
    if (chart->failed) return fail_run(error, "no memory for the chart \"%s\"", title);
    if (!has_points(chart)) {
        page_paragraph(page, "%s: there is nothing to draw.", title);
        return true;
    }
    page->charts++;
    fputs("<figure>\n<figcaption>", html);
    xml_text(html, title);
    fprintf(html, " <a href=\"plot-%d.svg\">SVG</a></figcaption>\n<div class=\"scroll\">\n", page->charts);
    draw_chart(html, chart, title, false);
    fputs("</div>\n", html);
    if (page->folded == 0) {
        fputs("\n![", page->markdown);
        markdown_text(page->markdown, title);
        fprintf(page->markdown, "](plot-%d.svg)\n", page->charts);
        if (page->tell) fprintf(page->tell, "plot     plot-%d.svg: %s\n", page->charts, title);
    }
    fprintf(page->markdown,
            page->folded ? "\n- plot-%d.svg, which report.html shows: " : "\nplot-%d.svg: ", page->charts);
    markdown_text(page->markdown, title);
    fputs("\n", page->markdown);
    if (drawn(chart) < chart->count)
        page_paragraph(page, "The chart has the first %d of %d lines.", LINES_MOST, chart->count);
    if (!chart->sides[0]) write_numbers(page, chart);
    fputs("</figure>\n", html);
    return write_file(page, chart, title, false, error) &&
           (!page->latex || write_file(page, chart, title, true, error));
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
