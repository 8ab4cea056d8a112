// A chart of any table of numbers.
#ifndef BITTER_TABLE_PLOT_H
#define BITTER_TABLE_PLOT_H

#include "base/error.h"

// Draw the table of a CSV file as the SVG file `out`. Its first line has names; the first column is x, each other
// column a line, and an empty cell interrupts it. Cells may stand in quotes. log_x, log_y: logarithmic axes. Fails
// (input) on anything else but numbers.
bool table_plot(const char *out, const char *path, const char *y_label, bool log_x, bool log_y, Error *error);

#endif
