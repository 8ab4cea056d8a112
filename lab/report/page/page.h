// A report in two forms, written side by side: Markdown, and one HTML file that needs no other file.
#ifndef BITTER_PAGE_H
#define BITTER_PAGE_H

#include "base/file/file.h"

#include <stdio.h>

typedef struct {
    AtomicFile markdown, html;
    const char *directory; // where both are, and the plots of the Markdown
    int charts;            // written so far
    bool plots;            // gnuplot is installed
    bool heading;          // the row that is being written is one of headings
    int cells;             // in that row so far
} Page;

// Begin DIR/NAME.md and DIR/NAME.html.
bool page_open(Page *page, const char *directory, const char *name, const char *title, Error *error);
// End both. After a failure, or when the page is abandoned, the files are what they were before.
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
// A line of code, in a block of its own.
void page_code(Page *page, const char *text);

// A table, cell by cell: a row of headings, then other rows. The first column is text, the others are numbers.
void page_table(Page *page, const char *caption);
void page_row(Page *page, bool heading);
void page_row_of(Page *page, const char *name); // begin a row whose first cell is this text
void page_cell(Page *page, const char *format, ...) FORMAT_CHECK(2, 3);
void page_number(Page *page, int digits, double value); // with so many digits after the point; NAN is "-"
void page_row_end(Page *page);
void page_table_end(Page *page);

// A whole row, printed by one format in which '|' separates the cells.
void page_cells(Page *page, bool heading, const char *format, ...) FORMAT_CHECK(3, 4);

// A line of a chart. NAN breaks the line; low and high, unless NULL, are drawn as error bars.
typedef struct {
    const char *name;
    const double *x, *y, *low, *high; // (count)
    int count;
} Series;

typedef struct {
    const char *title, *x_label, *y_label;
    bool log_x, log_y; // log_y applies only if the largest y is more than 5 times the smallest
    double mark;       // a vertical line at this x, with a label; NAN = none
    const char *mark_label;
} Chart;

// A plot by gnuplot, and its numbers in a table that the reader can unfold; without gnuplot only the table. If there is
// no point to draw, a paragraph says so. Fails (run) when gnuplot fails.
bool page_chart(Page *page, const Chart *chart, const Series *series, int count, Error *error);

// A matrix of cells (n, n) from -1 to 1, as shades and as a table, like a chart; its rows and columns are positions
// that are `step` apart.
bool page_matrix(Page *page, const char *title, const double *cells, int n, double step, Error *error);

#endif
