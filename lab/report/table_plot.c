// A chart of any table of numbers.
#include "lab/report/report.h"

#include "lab/report/page/chart.h"
#include "train/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Read a cell, without quotes around it, and move *at behind it. Returns whether another one follows in its row.
static bool next_cell(char cell[TEXT_CAPACITY], const char **at) {
    const char *c = *at;
    size_t size = 0;
    bool quoted = *c == '"';
    for (c += quoted; *c; c++) {
        if (quoted && *c == '"' && *++c != '"') quoted = false; // two quotes are one
        if (!quoted && strchr(",\r\n", *c)) break;
        if (size + 1 < TEXT_CAPACITY) cell[size++] = *c;
    }
    cell[size] = '\0';
    *at = c + (*c == ',');
    return *c == ',';
}

// Add the rows from `at` on to the last line; an empty cell is NAN.
static bool add_column(Chart *chart, const char *at, int column, const char *path, Error *error) {
    for (int row = 1; *at; row++) {
        double values[2] = {NAN, NAN};
        char cell[TEXT_CAPACITY], *end = cell;
        int count = 0;
        for (bool more = true; more; count++) {
            more = next_cell(cell, &at);
            if (!*cell || (count > 0 && count != column)) continue;
            values[count > 0] = strtod(cell, &end);
            if (end == cell || *end) return fail_input(error, "%s, row %d: '%s' is not a number", path, row, cell);
        }
        if (count <= column) return fail_input(error, "%s, row %d: a column is missing", path, row);
        chart_point(chart, values[0], values[1]);
        at += strspn(at, "\r\n");
    }
    return true;
}

static bool read_table(Chart *chart, char x_label[TEXT_CAPACITY], const char *text, const char *path, Error *error) {
    char cell[TEXT_CAPACITY];
    const char *at = text, *rows = text;
    while (next_cell(cell, &rows))
        ;
    rows += strspn(rows, "\r\n");
    for (bool more = next_cell(x_label, &at); more;) {
        more = next_cell(cell, &at);
        chart_line(chart, "%s", cell);
        if (chart->count > LINES_MOST) return fail_input(error, "%s has more than %d columns", path, LINES_MOST + 1);
        if (!add_column(chart, rows, chart->count, path, error)) return false;
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
    chart_draw(file.stream, chart, chart->y_label, true);
    return atomic_commit(&file, error);
}

bool table_plot(const char *out, const char *path, const char *y_label, bool log_x, bool log_y, Error *error) {
    char x_label[TEXT_CAPACITY];
    Chart chart = {.x_label = x_label, .y_label = y_label, .log_x = log_x, .log_y = log_y};
    Buffer file;
    if (!file_read(&file, path, error)) return false;
    const bool ok = read_table(&chart, x_label, (const char *)file.bytes, path, error) && draw(&chart, out, error);
    chart_free(&chart);
    free(file.bytes);
    return ok;
}
