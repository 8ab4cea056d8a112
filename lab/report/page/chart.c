#include "lab/report/page/chart.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void chart_line(Chart *chart, const char *name, ...) {
    assert(chart->count < LINES_MOST);
    Line *line = &chart->lines[chart->count++];
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(line->name, sizeof line->name, name, arguments);
    va_end(arguments);
    line->hue = chart->count - 1;
    line->dash = line->hue / HUES;
    line->ringed = -1;
}

void chart_style(Chart *chart, int hue, int dash) {
    chart->lines[chart->count - 1].hue = hue;
    chart->lines[chart->count - 1].dash = dash;
}

void chart_loose_line(Chart *chart, const char *what) {
    const Line *line = &chart->lines[chart->count - 1];
    chart_line(chart, "%s, %s", line->name, what);
    chart_style(chart, line->hue, line->dash);
    chart->lines[chart->count - 1].loose = true;
}

void chart_ring(Chart *chart) {
    Line *line = &chart->lines[chart->count - 1];
    line->ringed = line->count - 1;
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
