// A report that is written twice: as Markdown, and as one HTML file that needs nothing else.
#ifndef BITTER_PAGE_H
#define BITTER_PAGE_H

#include "base/file.h"

#include <stdio.h>

typedef struct {
    AtomicFile markdown, html;
    const char *directory; // where both are, and the plots of the Markdown
    int charts;            // so far
    bool plots;            // is there a gnuplot?
    bool heading;          // the row that is being written is one of headings,
    int cells;             // and has so many cells so far
} Page;

// Begin DIR/NAME.md and DIR/NAME.html.
bool page_open(Page *page, const char *directory, const char *name, const char *title, Error *error);
// End both. After a failure they are what they were before.
bool page_close(Page *page, Error *error);
void page_abandon(Page *page);

// Write text escaped for HTML or Markdown; control characters become spaces.
void html_text(FILE *out, const char *text);
void markdown_text(FILE *out, const char *text);

// Write text into both files, escaped for each, between what stands before and after it there.
void page_both(Page *page, const char *html, const char *html_end, const char *markdown, const char *markdown_end,
               const char *text);

// Plain text, escaped.
void page_heading(Page *page, const char *text);
void page_paragraph(Page *page, const char *format, ...) FORMAT_CHECK(2, 3);
// A line as it is, in a block.
void page_code(Page *page, const char *text);

// A table, cell by cell: a row of headings, then rows. The first column is text, the others are numbers.
void page_table(Page *page, const char *caption);
void page_row(Page *page, bool heading);
void page_row_of(Page *page, const char *name); // begin a row whose first cell is this text
void page_cell(Page *page, const char *format, ...) FORMAT_CHECK(2, 3);
void page_number(Page *page, int digits, double value); // so many digits behind the point; NAN is "-"
void page_row_end(Page *page);
void page_table_end(Page *page);

// One row, printed by one format that has the cells separated by '|'.
void page_cells(Page *page, bool heading, const char *format, ...) FORMAT_CHECK(3, 4);

// Lines of a chart. NAN breaks a line; low and high, if there are any, are drawn as bars.
typedef struct {
    const char *name;
    const double *x, *y, *low, *high; // (count)
    int count;
} Series;

typedef struct {
    const char *title, *x_label, *y_label;
    bool log_x, log_y; // log_y where values are far apart, else not
    double mark;       // a vertical line at this x, with a label; NAN = none
    const char *mark_label;
} Chart;

// A plot by gnuplot, and its numbers as a table to be opened; without a gnuplot the table only. Fails (run) when
// gnuplot does. Where there is no point to draw, a paragraph says so.
bool page_chart(Page *page, const Chart *chart, const Series *series, int count, Error *error);

// A matrix of cells -1..1, (n,n), as shades and as a table, like a chart; its rows and columns are positions `step`
// apart.
bool page_matrix(Page *page, const char *title, const double *cells, int n, double step, Error *error);

#endif
