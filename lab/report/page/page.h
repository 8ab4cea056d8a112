// A report in three forms, written side by side: one HTML file that needs no other file, a summary in Markdown, and
// some of the tables in LaTeX, for a document with \usepackage{graphicx}.
#ifndef BITTER_PAGE_H
#define BITTER_PAGE_H

#include "base/file/text.h"
#include "base/file/file.h"

#include <stdio.h>

// How each of them begins.
#define PAGE_MARKDOWN_HEAD "<!-- bitter report writes this file anew each time -->\n"
#define PAGE_LATEX_HEAD    "% bitter report writes this file anew each time\n"
#define PAGE_HTML_HEAD                                                                                                 \
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"                                          \
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"                                       \
    "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>"

typedef struct {
    AtomicFile files[3];
    FILE *markdown, *html, *latex; // their streams; latex NULL = there is none
    const char *directory;         // of these files and of the plots
    Text text;                     // the beginning of the next paragraph, row or cell; text_print adds to it
    int charts;                    // drawn so far; each is a file of its own
    FILE *tell;                    // gets a line for each chart that the Markdown shows, unless it is NULL
    int folded;                    // number of open folds; their contents are in the HTML only
    bool heading;                  // is the row being written one of headings?
    int cells;                     // in this row so far; 0 = no row is open
    const char *in_latex;          // LaTeX environment of the table being written; NULL = it is not in the LaTeX
    bool failed;                   // there was no memory for some of the text; page_close reports it
} Page;

// Begin DIR/NAME.md, DIR/NAME.html and, if it is wanted, DIR/NAME.tex.
bool page_open(Page *page, const char *directory, const char *name, const char *title, bool latex, Error *error);
// End the files. After a failure, or when the page is abandoned, each file is either unchanged or new and complete;
// page_abandon is harmless after page_close.
bool page_close(Page *page, Error *error);
void page_abandon(Page *page);

// All text is plain, and escaped for each file.
void page_heading(Page *page, const char *text);
void page_paragraph(Page *page, const char *format, ...) FORMAT_CHECK(2, 3);
// A paragraph that is larger than others, for the answer.
void page_lead(Page *page, const char *format, ...) FORMAT_CHECK(2, 3);
// Lines of code, in a block of their own.
void page_code(Page *page, const char *text);

// Begin, and end, a part with this heading that the reader of the HTML can unfold and that the Markdown leaves out.
// Folds may be nested.
void page_fold(Page *page, const char *heading);
void page_fold_end(Page *page);

// A table, row by row: one of headings, then the others. The first column is text, the others are numbers.
void page_table(Page *page, const char *caption, ...) FORMAT_CHECK(2, 3);
// Begin a row with the cells that one format prints, separated by '|'.
void page_row(Page *page, bool heading, const char *format, ...) FORMAT_CHECK(3, 4);
// Add cells to the row; a number that is NaN or infinite is shown as "-".
void page_cells(Page *page, const char *format, ...) FORMAT_CHECK(2, 3);
// Add a cell with this many decimals: a difference, "+0.15"; an interval, "+0.13 to +0.17", or "-" for none.
void page_difference(Page *page, double difference, int digits);
void page_interval(Page *page, double low, double high, int digits);
// Add three cells: a difference and the ends of its interval, with as many digits as these need.
void page_gap(Page *page, double estimate, double low, double high);
void page_table_end(Page *page);
// Begin a table that is also written to the LaTeX, with this number of columns and the label tab:LABEL-SETTING, or
// tab:LABEL without a setting.
void page_table_latex(Page *page, int columns, const char *label, const char *setting, const char *caption, ...)
    FORMAT_CHECK(5, 6);

// Write text escaped for HTML and XML, or for Markdown. Control characters become spaces, and for XML bytes that are
// not UTF-8 U+FFFD.
void xml_text(FILE *out, const char *text);
void markdown_text(FILE *out, const char *text);
void latex_text(FILE *out, const char *text);

// The style sheets and the script of pages, which the build embeds (scripts/embed.awk): page.css, plot.css, report.js.
// page_file_write writes one of them.
extern const EmbeddedFile page_files[];
void page_file_write(FILE *out, const char *name);

#endif
