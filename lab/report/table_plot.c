// A chart of any table of numbers.
#include "lab/report/table_plot.h"

#include "lab/report/page/draw.h"
#include "lab/report/page/page.h"
#include "lab/report/page/svg.h"
#include "lab/run/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Where the cell of a column begins in a line; NULL if the line has fewer.
static const char *cell_of(const char *line, int column) {
    for (; column > 0; column--) {
        line += strcspn(line, ",\r\n");
        if (*line++ != ',') return NULL;
    }
    return line;
}

static size_t cell_length(const char *cell) {
    return strcspn(cell, ",\r\n");
}

// Parse a cell; NAN if it is empty.
static bool cell_number(double *value, const char *cell, const char *path, int row, Error *error) {
    char *end = NULL;
    if (!cell) return fail_input(error, "%s, row %d: a column is missing", path, row);
    *value = cell_length(cell) == 0 ? NAN : strtod(cell, &end);
    return cell_length(cell) == 0 || end == cell + cell_length(cell) ||
           fail_input(error, "%s, row %d: '%.*s' is not a number", path, row, (int)cell_length(cell), cell);
}

static bool add_column(Chart *chart, const char *text, int column, const char *path, Error *error) {
    const char *name = cell_of(text, column);
    int row = 0;
    chart_line(chart, "%.*s", (int)cell_length(name), name);
    for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        double x, y = NAN;
        row++;
        if (!cell_number(&x, line + 1, path, row, error) ||
            !cell_number(&y, cell_of(line + 1, column), path, row, error))
            return false;
        chart_point(chart, x, y);
    }
    return true;
}

static bool read_table(Chart *chart, char *x_label, size_t capacity, const char *text, const char *path, Error *error) {
    snprintf(x_label, capacity, "%.*s", (int)cell_length(text), text);
    for (int column = 1; cell_of(text, column); column++) {
        if (column > LINES_MOST) return fail_input(error, "%s has more than %d columns", path, LINES_MOST);
        if (!add_column(chart, text, column, path, error)) return false;
    }
    return chart_has_points(chart) ||
           fail_input(error, "%s has no numbers to draw; it needs a line of names and a column of x before the others",
                      path);
}

static bool draw(const Chart *chart, const char *path, Error *error) {
    AtomicFile file;
    if (chart->failed) return fail_run(error, "no memory for the numbers of the chart");
    if (!result_check("the chart", path, SVG_HEAD, strlen(SVG_HEAD), error) || !atomic_open(&file, path, error))
        return false;
    draw_chart(file.stream, chart, chart->y_label, WIDE, true);
    return atomic_commit(&file, error);
}

bool table_plot(const char *out, const char *path, const char *y_label, bool log_x, bool log_y, Error *error) {
    char x_label[TEXT_CAPACITY];
    Chart chart = {.x_label = x_label, .y_label = y_label, .log_x = log_x, .log_y = log_y};
    Buffer file;
    if (!file_read(&file, path, error)) return false;
    const bool ok =
        read_table(&chart, x_label, sizeof x_label, (const char *)file.bytes, path, error) && draw(&chart, out, error);
    for (int l = 0; l < chart.count; l++) free(chart.lines[l].points);
    free(file.bytes);
    return ok;
}
