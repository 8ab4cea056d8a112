// Charts as SVG: lines over an axis, or rows of intervals (a forest plot). A Chart is filled line by line, then
// page_chart writes it.
#ifndef BITTER_CHART_H
#define BITTER_CHART_H

#include "base/option.h"
#include "lab/report/page/page.h"

typedef struct {
    double x, y, low, high; // y NAN interrupts the line; low and high are the ends of an interval
} Point;

typedef struct {
    char name[2 * TEXT_CAPACITY];
    Point *points; // (count)
    int count;
    int hue, dash; // colour and pattern; 0 is solid
    int ringed;    // the point that has a ring around it; -1 = none
} Line;

// More lines, or points of a line, than these cannot be told apart.
enum { LINES_MOST = 64, POINTS_MOST = 512, HUES = 8, DASHES = 4 };

// Set the members up to mark_label, then add the lines, each followed by its points.
typedef struct {
    const char *x_label, *y_label; // with units
    const char *sides[2];          // for rows of intervals: what left and right of 0 mean
    bool bands;                    // from low to high, around lines
    bool log_x, log_y;             // chart_log_y decides whether log_y applies
    double mark;                   // a vertical line at this x
    const char *mark_label;        // NULL = no such line
    Line *lines;                   // (count)
    int count;
    bool failed; // memory ran out; page_chart reports it
} Chart;

// Begin a line with this name; its hue is its number. In a chart with `sides`, a line is a row that shows its one
// point, y with the interval from low to high; a line without a point is a heading for the rows below.
void chart_line(Chart *chart, const char *name, ...) FORMAT_CHECK(2, 3);
// Give the last line a hue and a dash, any numbers from 0 on. The point of a row with a dash is hollow.
void chart_style(Chart *chart, int hue, int dash);
// Add a point to the last line, or one with its interval.
void chart_point(Chart *chart, double x, double y);
void chart_interval(Chart *chart, double x, double y, double low, double high);
// Is the y axis logarithmic? If log_y is set, and the largest y is more than 5 times the smallest positive one, which a
// linear axis would hide.
bool chart_log_y(const Chart *chart);
// The line with the most points; if they are few, the x axis has its ticks there. The chart must have a line.
const Line *chart_longest(const Chart *chart);
// Put a ring around the last point of the last line.
void chart_ring(Chart *chart);
void chart_free(Chart *chart); // page_chart does this

// How a drawing in a file of its own begins.
#define SVG_ROOT "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\""
#define SVG_HEAD "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" SVG_ROOT

// A chart for a document with \usepackage{pgfplots}.
#define PGFPLOTS_HEAD "% a chart of bitter, which writes this file anew each time\n"
void chart_pgfplots(FILE *out, const Chart *chart, const char *title);

// Write a chart as a figure of the HTML, with its numbers in a table that the reader can unfold, and as a file
// plot-N.svg, which the Markdown shows unless it is in a fold, and, if the page has LaTeX, plot-N.tex. If there is no
// point to draw, a paragraph says so. Frees the chart. Fails (run) when memory ran out, and as atomic_open does.
bool page_chart(Page *page, Chart *chart, Error *error, const char *title, ...) FORMAT_CHECK(4, 5);

#endif
