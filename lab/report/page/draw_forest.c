// Forest plots: differences with their intervals, one under the other. And matrices of shades.
#include "lab/report/page/axis.h"
#include "lab/report/page/draw.h"
#include "lab/report/page/svg.h"

#include <math.h>
#include <string.h>

typedef struct {
    FILE *out;
    const Forest *forest;
    bool narrow, tall; // tall: a row has its bar below its words
    bool values;       // there is room for them
    double width, row_height, group_height, top, bottom;
    ChartAxis x;
} Sheet;

static bool known(const ForestRow *row) {
    return isfinite(row->value);
}

static bool bounded(const ForestRow *row) {
    return known(row) && isfinite(row->low) && isfinite(row->high);
}

static bool heads(const Forest *forest, int i) {
    return forest->rows[i].group[0] && (i == 0 || strcmp(forest->rows[i].group, forest->rows[i - 1].group) != 0);
}

static void value_words(char words[INTERVAL_WORDS], const ForestRow *row) {
    if (known(row))
        interval_words(words, row->value, row->low, row->high);
    else
        snprintf(words, INTERVAL_WORDS, "not known");
}

// From 0 to the ends of all intervals; an interval that is much longer than the others is cut off.
static void fit(Sheet *s) {
    double low = 0, high = 0, far = 0;
    for (int i = 0; i < s->forest->count; i++)
        if (known(&s->forest->rows[i])) far = fmax(far, fabs(s->forest->rows[i].value));
    for (int i = 0; i < s->forest->count; i++) {
        const ForestRow *row = &s->forest->rows[i];
        if (!known(row)) continue;
        low = fmin(low, bounded(row) ? fmax(row->low, -6 * far) : row->value);
        high = fmax(high, bounded(row) ? fmin(row->high, 6 * far) : row->value);
    }
    axis_fit(&s->x, low, high, 0.04, false);
}

// The room that all names or all values need, at most `most`.
static double column_width(const Forest *forest, bool values, double most) {
    double longest = 60;
    char words[INTERVAL_WORDS];
    for (int i = 0; i < forest->count; i++) {
        value_words(words, &forest->rows[i]);
        longest = fmax(longest, svg_text_width(values ? words : forest->rows[i].name) + 12);
    }
    return fmin(longest, most);
}

// Place the columns and rows; returns the height. On narrow screens, many rows leave out the values, few have two
// lines, and so have those with long names.
static double lay_out(Sheet *s) {
    enum { TALL_MOST = 3 };
    int groups = 0;
    for (int i = 0; i < s->forest->count; i++) groups += heads(s->forest, i);
    fit(s);
    const double names = column_width(s->forest, false, INFINITY), names_most = (s->narrow ? 0.55 : 0.37) * s->width;
    s->tall = s->narrow && (s->forest->count <= TALL_MOST || names > names_most);
    s->values = !s->narrow || (s->tall && names + column_width(s->forest, true, INFINITY) < s->width);
    s->row_height = s->tall ? 38 : s->narrow ? 17 : 21;
    s->group_height = s->narrow ? 18 : 21;
    s->top = LINE_HEIGHT + 8;
    s->bottom = s->top + s->row_height * s->forest->count + s->group_height * groups + 4;
    s->x.from = s->tall ? 8 : fmin(names, names_most) + 12;
    s->x.to = s->narrow ? s->width - 8 : s->width - column_width(s->forest, true, 0.36 * s->width);
    axis_ticks(&s->x, (int)fmax(2, fmin(7, (s->x.to - s->x.from) / 48)));
    return s->bottom + 24 + LINE_HEIGHT * svg_wrapped(NULL, 0, 0, s->width - 10, "", s->forest->x_label);
}

static void draw_ground(const Sheet *s) {
    FILE *out = s->out;
    char words[TICK_WORDS];
    const double zero = axis_at(&s->x, 0);
    for (int i = 0; i < s->x.count; i++) {
        const double x = axis_at(&s->x, s->x.ticks[i]);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, s->top - 4, s->bottom + 4);
        svg_text(out, x, s->bottom + 18, "tick middle", axis_words(words, &s->x, i));
    }
    fprintf(out, "<path class=\"zero\" d=\"M%.1f %.1fV%.1f\"/>\n", zero, s->top - 8, s->bottom);
    svg_wrapped(out, 2, s->bottom + 38, s->width - 10, "label", s->forest->x_label);
    if (s->forest->below && svg_text_width(s->forest->below) <= zero - 8)
        svg_text(out, zero - 8, LINE_HEIGHT, "tick end", s->forest->below);
    if (s->forest->above && svg_text_width(s->forest->above) <= s->width - zero - 8)
        svg_text(out, zero + 8, LINE_HEIGHT, "tick", s->forest->above);
}

// An interval; an arrow is where it goes on beyond the axis.
static void draw_bar(const Sheet *s, const ForestRow *row, double y) {
    const double low = fmax(axis_at(&s->x, row->low), s->x.from), high = fmin(axis_at(&s->x, row->high), s->x.to);
    fprintf(s->out, "<path class=\"bar\" d=\"M%.1f %.1fH%.1f", low, y, high);
    if (row->low < s->x.low) fprintf(s->out, "M%.1f %.1fl-5 4l5 4", low + 5, y - 4);
    if (row->high > s->x.high) fprintf(s->out, "M%.1f %.1fl5 4l-5 4", high - 5, y - 4);
    fputs("\"/>", s->out);
}

static void draw_row(const Sheet *s, int i, double y) {
    const ForestRow *row = &s->forest->rows[i];
    FILE *out = s->out;
    char words[INTERVAL_WORDS], cut[TEXT_CAPACITY];
    value_words(words, row);
    const double middle = y + (s->tall ? 27 : 0.5 * s->row_height), text = s->tall ? y + 15 : middle + 4.5;
    const double values = svg_text_width(words),
                 names = s->tall ? s->width - (s->values ? values + 12 : 12) : s->x.from - 20;
    fprintf(out, "<g class=\"h%d%s\"><title>", row->hue % HUES, row->filled ? "" : " hollow");
    xml_text(out, row->group);
    fputs(row->group[0] ? ": " : "", out);
    xml_text(out, row->name);
    fprintf(out, ": %s, ", words);
    xml_text(out, row->words);
    fputs("</title>\n", out);
    svg_text(out, 12, text, "row", svg_cut(cut, sizeof cut, row->name, names));
    if (s->values)
        svg_text(out, s->tall ? s->width - 4 : s->x.to + 10, text, s->tall ? "value end" : "value",
                 svg_cut(cut, sizeof cut, words, s->tall ? values + 20 : s->width - s->x.to - 10));
    if (bounded(row)) draw_bar(s, row, middle);
    if (known(row))
        fprintf(out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>", axis_at(&s->x, row->value), middle);
    fputs("</g>\n", out);
}

void draw_forest(FILE *out, const void *what, const char *label, double width, bool alone) {
    Sheet s = {.out = out, .forest = what, .narrow = width < WIDE, .width = width};
    const double height = lay_out(&s);
    svg_open(out, width, height, label, "", alone);
    draw_ground(&s);
    double y = s.top;
    for (int i = 0; i < s.forest->count; i++) {
        char cut[TEXT_CAPACITY];
        if (heads(s.forest, i)) {
            svg_text(out, 2, y + 15, "group", svg_cut(cut, sizeof cut, s.forest->rows[i].group, s.width - 8));
            y += s.group_height;
        }
        draw_row(&s, i, y);
        y += s.row_height;
    }
    svg_close(out);
}

enum { SHADES = 16 };

// All cells of one sign and shade as one path, because a thousand elements would make pages long.
static void draw_shade(FILE *out, const Matrix *m, bool above, int shade, double side, double left, double top) {
    bool any = false;
    for (int row = 0; row < m->n; row++)
        for (int column = 0; column < m->n; column++) {
            const double value = m->cells[(size_t)row * (size_t)m->n + (size_t)column];
            const double size = fmin(1, fabs(value)) * SHADES;
            if (!isfinite(value) || (value > 0) != above || (int)round(size) != shade) continue;
            if (!any)
                fprintf(out, "<path class=\"%s\" fill-opacity=\"%.2f\" d=\"", above ? "more" : "less",
                        (double)shade / SHADES);
            any = true;
            fprintf(out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", left + column * side, top + row * side, side + 0.2, side + 0.2,
                    side + 0.2);
        }
    if (any) fputs("\"/>\n", out);
}

void draw_matrix(FILE *out, const void *what, const char *label, double width, bool alone) {
    const Matrix *m = what;
    const double left = 44, top = 26, side = (fmin(width, NARROW) - left - 12) / m->n;
    const double right = left + side * m->n, bottom = top + side * m->n;
    ChartAxis axis;
    char words[TICK_WORDS];
    svg_open(out, NARROW, bottom + 48, label, "", alone);
    svg_text(out, 2, 13, "label", "position; blue: alike, orange: opposite");
    for (int shade = 1; shade <= SHADES; shade++)
        for (int above = 0; above < 2; above++) draw_shade(out, m, above, shade, side, left, top);
    fprintf(out, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", left, top,
            right - left, bottom - top);
    axis_fit(&axis, 0, m->n * m->step, 0, false);
    axis_ticks(&axis, 5);
    for (int i = 0; i < axis.count; i++) {
        axis.from = left;
        axis.to = right;
        svg_text(out, axis_at(&axis, axis.ticks[i]), bottom + 18, "tick middle", axis_words(words, &axis, i));
        axis.from = top;
        axis.to = bottom;
        svg_text(out, left - 6, axis_at(&axis, axis.ticks[i]) + 4.5, "tick end", axis_words(words, &axis, i));
    }
    svg_text(out, left, bottom + 38, "label", "position");
    svg_close(out);
}
