// Line charts: a Chart is filled line by line, then page_chart writes it.
#ifndef BITTER_CHART_H
#define BITTER_CHART_H

#include "base/option.h"
#include "lab/report/page/page.h"

typedef struct {
    double x, y, low, high; // y NAN interrupts the line; low and high are the ends of an error bar or band
} Point;

typedef struct {
    char name[TEXT_CAPACITY];
    Point *points; // (count)
    int count;
    int hue, dash; // colour and pattern; designed schemes are solid (0)
    bool loose;    // points of the line before, such as one for each seed, without a line between them
    int ringed;    // the point that has a ring around it; -1 = none
} Line;

// More lines, or points of a line, than these cannot be told apart.
enum { LINES_MOST = 64, POINTS_MOST = 512, DASHES = 4 };

typedef enum { SPREAD_NONE, SPREAD_BARS, SPREAD_BANDS } Spread;

// Set the members up to mark_label, then add the lines, each followed by its points.
typedef struct {
    const char *x_label, *y_label; // with units; 45 characters fit on a narrow screen
    Spread spread;                 // how low and high are shown
    bool log_x, log_y;             // log_y applies only if the largest y is more than 5 times the smallest
    double mark;                   // a vertical line at this x
    const char *mark_label;        // NULL = no such line
    Line lines[LINES_MOST + 1];    // the last one takes the points of those that are too many, and is not drawn
    int count, left_out;           // lines
    bool failed;                   // memory ran out; page_chart reports it
} Chart;

// Begin a line of this name. Its hue is its number.
void chart_line(Chart *chart, const char *name, ...) FORMAT_CHECK(2, 3);
// Give the last line a hue and a dash, any numbers from 0 on.
void chart_style(Chart *chart, int hue, int dash);
// Begin loose points in the style of the last line, "LINE, seeds".
void chart_seeds(Chart *chart);
// Add a point to the last line, or a point with its error bar.
void chart_point(Chart *chart, double x, double y);
void chart_bar(Chart *chart, double x, double y, double low, double high);
// Put a ring around the last point of the last line.
void chart_ring(Chart *chart);
void chart_free(Chart *chart); // its points; page_chart does this

// Is there a point to draw?
bool chart_has_points(const Chart *chart);
Draw draw_chart; // of a Chart

// Write a chart as a figure, and its numbers in a table that the reader can unfold. If there is no point to draw, a
// paragraph says so. Frees the points. Fails (run) when memory ran out or the plot cannot be written.
bool page_chart(Page *page, Chart *chart, Error *error, const char *title, ...) FORMAT_CHECK(4, 5);

#endif
