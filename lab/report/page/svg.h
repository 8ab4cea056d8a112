// Pieces of SVG drawings, and text in HTML and XML. Places and sizes are in pixels.
#ifndef BITTER_SVG_H
#define BITTER_SVG_H

#include "base/file/embedded.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Style and script of pages, which the build makes part of the program (scripts/embed.awk): page.css, plot.css,
// report.js.
extern const EmbeddedFile page_files[];

// Write one of these files.
void page_file_write(FILE *out, const char *name);

// Write text escaped for HTML and XML; control characters become spaces, and bytes that are not UTF-8 U+FFFD.
void xml_text(FILE *out, const char *text);

// How every drawing begins, and every one in a file of its own.
#define SVG_ROOT "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\""
#define SVG_HEAD "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" SVG_ROOT

enum { TEXT_SIZE = 13, WIDE = 760, NARROW = 340, HUES = 8 };

// Draw `what`, WIDE or NARROW. `label` describes it for screen readers; alone: in a file of its own.
typedef void Draw(FILE *out, const void *what, const char *label, double width, bool alone);

// Begin and end a drawing; one in a file of its own has its style in it, and a background.
void svg_open(FILE *out, double width, double height, const char *label, bool alone);
void svg_close(FILE *out);

// Write text, cut to a width, with classes of plot.css; "end" and "middle" say which part of it is at x.
void svg_text(FILE *out, double x, double y, double width, const char *class, const char *text);

// About how wide a text is; rather more than less.
double svg_text_width(const char *text);

#endif
