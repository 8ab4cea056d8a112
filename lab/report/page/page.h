// A report in two forms, written side by side: one HTML file that needs no other file, and a summary in Markdown.
#ifndef BITTER_PAGE_H
#define BITTER_PAGE_H

#include "base/file/file.h"
#include "base/file/text.h"
#include "lab/report/page/svg.h"

#include <stdio.h>

// How each of them begins.
#define PAGE_MARKDOWN_HEAD "<!-- bitter report writes this file anew each time -->\n"
#define PAGE_HTML_HEAD                                                                                                 \
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"                                          \
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"                                       \
    "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>"

typedef struct {
    AtomicFile markdown, html;
    const char *directory; // where both are, and the plots of the Markdown
    int charts;            // drawn so far; each is a file of its own
    int folded;            // how many folds are open; what is in one is in the HTML only
    bool heading;          // the row that is being written is one of headings
    int cells;             // in that row so far; 0 = no row is open
    bool failed;           // there was no memory for some of the text; page_close says so
} Page;

// Begin DIR/NAME.md and DIR/NAME.html.
bool page_open(Page *page, const char *directory, const char *name, const char *title, Error *error);
// End both. After a failure, or when the page is abandoned, the files are what they were before.
bool page_close(Page *page, Error *error);
void page_abandon(Page *page);

// Free a text that was written to the page. If there was no memory for all of it, page_close fails.
void page_text_free(Page *page, Text *text);

// Write text escaped for Markdown; control characters become spaces.
void markdown_text(FILE *out, const char *text);

// Plain text, escaped.
void page_heading(Page *page, const char *text);
void page_paragraph(Page *page, const char *format, ...) FORMAT_CHECK(2, 3);
// A paragraph that is larger than others, for the answer.
void page_lead(Page *page, const char *format, ...) FORMAT_CHECK(2, 3);
// Lines of code, in a block of their own.
void page_code(Page *page, const char *text);

// Begin a part with this heading that the reader of the HTML can unfold, and that the Markdown does not have; and end
// it. Folds may be nested.
void page_fold(Page *page, const char *heading);
void page_fold_end(Page *page);

// A table in a fold, for the numbers of a chart or those of single seeds.
void page_numbers(Page *page);
void page_numbers_end(Page *page);

// Two columns, beside each other where the screen is wide: begin the first (0), begin the second (1), end (2).
void page_columns(Page *page, int part);

// A table, row by row: one of headings, then the others. The first column is text, the others are numbers.
void page_table(Page *page, const char *caption, ...) FORMAT_CHECK(2, 3);
// Begin a row by the cells that one format prints, separated by '|'; page_cell and page_number add more.
void page_row(Page *page, bool heading, const char *format, ...) FORMAT_CHECK(3, 4);
void page_cell(Page *page, const char *format, ...) FORMAT_CHECK(2, 3);
// A number with so many digits after the point, or one with its sign and four; what is not finite is "-".
void page_number(Page *page, int digits, double value);
void page_signed(Page *page, double value);
void page_table_end(Page *page);

// A figure: a drawing for wide and for narrow screens in the HTML, and one in a file plot-N.svg of its own, which the
// Markdown shows unless it is in a fold. Fails as atomic_open does.
bool page_figure(Page *page, const char *title, const char *label, Draw *draw, const void *what, Error *error);

#endif
