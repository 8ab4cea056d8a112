// A report in two forms, written side by side: Markdown, and one HTML file that needs no other file.
#ifndef BITTER_PAGE_H
#define BITTER_PAGE_H

#include "base/file/file.h"
#include "base/option.h"

#include <stdio.h>

typedef struct {
    AtomicFile markdown, html;
    const char *directory; // where both are, and the plots of the Markdown
    int charts;            // written so far
    bool plots;            // gnuplot is installed
    bool heading;          // the row that is being written is one of headings
    int cells;             // in that row so far; 0 = no row is open
} Page;

// Begin DIR/NAME.md and DIR/NAME.html.
bool page_open(Page *page, const char *directory, const char *name, const char *title, Error *error);
// End both. After a failure, or when the page is abandoned, the files are what they were before.
bool page_close(Page *page, Error *error);
void page_abandon(Page *page);

// Write text escaped for HTML or Markdown; control characters become spaces.
void html_text(FILE *out, const char *text);
void markdown_text(FILE *out, const char *text);

// Write `text`, escaped for each file: html text html_end into the HTML, markdown text markdown_end into the Markdown.
void page_both(Page *page, const char *html, const char *html_end, const char *markdown, const char *markdown_end,
               const char *text);

// Plain text, escaped.
void page_heading(Page *page, const char *text);
void page_paragraph(Page *page, const char *format, ...) FORMAT_CHECK(2, 3);
// A line of code, in a block of its own.
void page_code(Page *page, const char *text);

// A table, row by row: one of headings, then the others. The first column is text, the others are numbers.
void page_table(Page *page, const char *caption, ...) FORMAT_CHECK(2, 3);
// Begin a row by the cells that one format prints, separated by '|'; page_cell and page_number add more.
void page_row(Page *page, bool heading, const char *format, ...) FORMAT_CHECK(3, 4);
void page_cell(Page *page, const char *format, ...) FORMAT_CHECK(2, 3);
void page_number(Page *page, int digits, double value); // with so many digits after the point; NAN is "-"
void page_table_end(Page *page);

typedef struct {
    double x, y, low, high; // y NAN interrupts the line; low and high are the ends of an error bar
} Point;

typedef struct {
    char name[TEXT_CAPACITY];
    Point *points; // (count)
    int count;
} Line;

#define LINES_MOST 65
#define POINTS_MOST 512 // of a line; more cannot be told apart, so leave some out

// Set the members up to mark_label, then add the lines, each followed by its points.
typedef struct {
    const char *x_label, *y_label;
    bool bars;              // points have error bars
    bool log_x, log_y;      // log_y applies only if the largest y is more than 5 times the smallest
    double mark;            // a vertical line at this x
    const char *mark_label; // NULL = no such line
    Line lines[LINES_MOST];
    int count;
    bool failed; // memory ran out; page_chart reports it
} Chart;

// Begin a line of this name; there may be LINES_MOST.
void chart_line(Chart *chart, const char *name, ...) FORMAT_CHECK(2, 3);
// Add a point to the last line, or a point with its error bar.
void chart_point(Chart *chart, double x, double y);
void chart_bar(Chart *chart, double x, double y, double low, double high);

// A plot by gnuplot, and its numbers in a table that the reader can unfold; without gnuplot only the table. If there is
// no point to draw, a paragraph says so. Frees the points. Fails (run) when gnuplot fails or memory ran out.
bool page_chart(Page *page, Chart *chart, Error *error, const char *title, ...) FORMAT_CHECK(4, 5);

// A matrix of cells (n, n) from -1 to 1, as shades and as a table, like a chart; its rows and columns are positions
// that are `step` apart.
bool page_matrix(Page *page, const char *title, const double *cells, int n, double step, Error *error);

#endif
