// Charts of a page: what is in them. page_chart, page_forest and page_matrix (page.h) draw them and free their points.
#ifndef BITTER_CHART_H
#define BITTER_CHART_H

#include "base/option.h"

#include <stdbool.h>

typedef struct {
    double x, y, low, high; // y NAN interrupts the line; low and high are the ends of an error bar or band
} Point;

typedef struct {
    char name[TEXT_CAPACITY];
    Point *points; // (count)
    int count;
    int hue, dash; // colour and pattern, from 0; designed schemes are solid (0)
    bool loose;    // points without a line between them and without a name at its end, such as one for each seed
    int ringed;    // the point that has a ring around it; -1 = none
} Line;

// More points of a line than these cannot be told apart: leave some out.
enum { LINES_MOST = 65, POINTS_MOST = 512, HUES = 8, DASHES = 4 };

typedef enum { SPREAD_NONE, SPREAD_BARS, SPREAD_BANDS } Spread;

// Set the members up to mark_label, then add the lines, each followed by its points.
typedef struct {
    const char *x_label, *y_label; // with units
    Spread spread;                 // how low and high are shown
    bool log_x, log_y;             // log_y applies only if the largest y is more than 5 times the smallest
    double mark;                   // a vertical line at this x
    const char *mark_label;        // NULL = no such line
    Line lines[LINES_MOST];
    int count;
    bool failed; // memory ran out; page_chart reports it
} Chart;

// Begin a line of this name; there may be LINES_MOST. Its hue is its number.
void chart_line(Chart *chart, const char *name, ...) FORMAT_CHECK(2, 3);
// Give the last line a hue and a dash, any numbers from 0 on.
void chart_style(Chart *chart, int hue, int dash);
// Begin a line of loose points in the style of the last one, "LINE, WHAT".
void chart_loose_line(Chart *chart, const char *what);
// Add a point to the last line, or a point with its error bar.
void chart_point(Chart *chart, double x, double y);
void chart_bar(Chart *chart, double x, double y, double low, double high);
// Put a ring around the last point of the last line.
void chart_ring(Chart *chart);

// Differences with their intervals, one under the other.
typedef struct {
    char group[TEXT_CAPACITY]; // a heading stands above the first of the rows that share it; "" = none
    char name[TEXT_CAPACITY];  // "rope - learned"
    char words[TEXT_CAPACITY]; // the verdict
    char family[64];           // what its interval is corrected for
    double value, low, high;   // NAN = not known
    int hue;
    bool filled; // a primary contrast; the point of an exploratory one is hollow
} ForestRow;

enum { FOREST_MOST = 96 };

typedef struct {
    const char *x_label;       // "difference in nats a token"
    const char *below, *above; // what it means to be on this side of 0
    ForestRow rows[FOREST_MOST];
    int count;
} Forest;

#endif
