#include "lab/report/page/forest.h"

#include "lab/report/page/axis.h"

#include <math.h>
#include <string.h>

// On a narrow screen, a row has its bar below its words.
typedef struct {
    FILE *out;
    const Forest *forest;
    bool narrow;
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

// Place the columns and rows; returns the height.
static double lay_out(Sheet *s) {
    double groups = 0, names = 60, values = 60;
    char words[INTERVAL_WORDS];
    for (int i = 0; i < s->forest->count; i++) {
        groups += heads(s->forest, i);
        value_words(words, &s->forest->rows[i]);
        names = fmax(names, svg_text_width(s->forest->rows[i].name) + 12);
        values = fmax(values, svg_text_width(words) + 12);
    }
    fit(s);
    s->row_height = s->narrow ? 38 : 21;
    s->group_height = 21;
    s->top = 24;
    s->bottom = s->top + s->row_height * s->forest->count + s->group_height * groups + 4;
    s->x.from = s->narrow ? 8 : fmin(names, 0.37 * s->width) + 12;
    s->x.to = s->width - (s->narrow ? 8 : fmin(values, 0.36 * s->width));
    axis_ticks(&s->x, (int)fmax(2, fmin(7, (s->x.to - s->x.from) / 48)));
    return s->bottom + 48;
}

static void draw_ground(const Sheet *s) {
    FILE *out = s->out;
    char words[TICK_WORDS];
    const double zero = axis_at(&s->x, 0);
    for (int i = 0; i < s->x.count; i++) {
        const double x = axis_at(&s->x, s->x.ticks[i]);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, s->top - 4, s->bottom + 4);
        svg_text(out, x, s->bottom + 18, s->width, "tick middle", axis_words(words, &s->x, i));
    }
    fprintf(out, "<path class=\"zero\" d=\"M%.1f %.1fV%.1f\"/>\n", zero, s->top - 8, s->bottom);
    svg_text(out, 2, s->bottom + 38, s->width - 10, "label", s->forest->x_label);
    if (svg_text_width(s->forest->below) <= zero - 8)
        svg_text(out, zero - 8, 16, zero - 8, "tick end", s->forest->below);
    if (svg_text_width(s->forest->above) <= s->width - zero - 8)
        svg_text(out, zero + 8, 16, s->width - zero - 8, "tick", s->forest->above);
}

// An interval; an arrow is where it goes on beyond the axis.
static void draw_bar(const Sheet *s, const ForestRow *row, double y) {
    const double low = fmax(axis_at(&s->x, row->low), s->x.from), high = fmin(axis_at(&s->x, row->high), s->x.to);
    fprintf(s->out, "<path class=\"bar\" d=\"M%.1f %.1fH%.1f", low, y, high);
    if (row->low < s->x.low) fprintf(s->out, "M%.1f %.1fl-5 4l5 4", low + 5, y - 4);
    if (row->high > s->x.high) fprintf(s->out, "M%.1f %.1fl5 4l-5 4", high - 5, y - 4);
    fputs("\"/>", s->out);
}

static void draw_row(const Sheet *s, const ForestRow *row, double y) {
    FILE *out = s->out;
    char words[INTERVAL_WORDS];
    value_words(words, row);
    const double middle = y + (s->narrow ? 27 : 10.5), text = y + 15, values = svg_text_width(words);
    fprintf(out, "<g class=\"h%d%s\"><title>", row->hue % HUES, row->filled ? "" : " hollow");
    xml_text(out, row->group);
    fputs(row->group[0] ? ": " : "", out);
    xml_text(out, row->name);
    fprintf(out, ": %s, ", words);
    xml_text(out, row->words);
    fputs("</title>\n", out);
    svg_text(out, 12, text, s->narrow ? s->width - 16 : s->x.from - 20, "row", row->name);
    if (!s->narrow)
        svg_text(out, s->x.to + 10, text, s->width - s->x.to - 10, "value", words);
    else if (svg_text_width(row->name) + values + 28 <= s->width)
        svg_text(out, s->width - 4, text, values + 1, "value end", words);
    if (bounded(row)) draw_bar(s, row, middle);
    if (known(row))
        fprintf(out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>", axis_at(&s->x, row->value), middle);
    fputs("</g>\n", out);
}

static void draw_forest(FILE *out, const void *what, const char *label, double width, bool alone) {
    Sheet s = {.out = out, .forest = what, .narrow = width < WIDE, .width = width};
    const double height = lay_out(&s);
    svg_open(out, width, height, label, alone);
    draw_ground(&s);
    double y = s.top;
    for (int i = 0; i < s.forest->count; i++) {
        if (heads(s.forest, i)) {
            svg_text(out, 2, y + 15, width - 8, "group", s.forest->rows[i].group);
            y += s.group_height;
        }
        draw_row(&s, &s.forest->rows[i], y);
        y += s.row_height;
    }
    svg_close(out);
}

static void write_rows(Page *page, const Forest *forest) {
    const bool grouped = *forest->group;
    page_row(page, true, "%s%s%s|difference|low|high|verdict|interval", forest->group, grouped ? "|" : "",
             forest->name);
    for (const ForestRow *row = forest->rows; row < forest->rows + forest->count; row++) {
        page_row(page, false, "%s", grouped ? row->group : row->name);
        if (grouped) page_cell(page, "%s", row->name);
        page_signed(page, row->value);
        page_signed(page, row->low);
        page_signed(page, row->high);
        page_cell(page, "%s", row->words);
        page_cell(page, "%s", isfinite(row->low) ? row->family : "-");
    }
}

bool page_forest(Page *page, const Forest *forest, const char *title, Error *error) {
    char label[1024];
    if (forest->count == 0) {
        page_paragraph(page, "%s: there is nothing to draw.", title);
        return true;
    }
    snprintf(label, sizeof label, "%.800s; the numbers are in the table below.", title);
    if (!page_figure(page, title, label, draw_forest, forest, error)) return false;
    fputs("<details><summary>The numbers</summary>\n", page->html.stream);
    page_table(page, "%s", "");
    write_rows(page, forest);
    page_table_end(page);
    fputs("</details>\n", page->html.stream);
    return true;
}
