// Drawings of charts as SVG. Each is written for a width, with text of one size in all, so that it can be read on wide
// and on narrow screens. `label` is what a reader without eyes is told; `alone`: in a file of its own.
#ifndef BITTER_DRAW_H
#define BITTER_DRAW_H

#include "lab/report/page/chart.h"

#include <stdio.h>

enum { WIDE = 760, NARROW = 340 };

// Is there a point to draw?
bool chart_has_points(const Chart *chart);

void draw_chart(FILE *out, const void *chart, const char *label, double width, bool alone);
void draw_forest(FILE *out, const void *forest, const char *label, double width, bool alone);

// Cells (n, n) from -1 to 1 as shades; rows and columns are positions that are `step` apart.
typedef struct {
    const double *cells;
    int n;
    double step;
} Matrix;
void draw_matrix(FILE *out, const void *matrix, const char *label, double width, bool alone);

#endif
