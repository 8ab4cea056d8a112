// Pieces of SVG drawings. Places and sizes are in pixels.
#ifndef BITTER_SVG_H
#define BITTER_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Write text escaped for HTML and XML; control characters become spaces, and bytes that are not UTF-8 U+FFFD.
void xml_text(FILE *out, const char *text);

// How every drawing begins, and every one in a file of its own.
#define SVG_ROOT "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\""
#define SVG_HEAD "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" SVG_ROOT

enum { TEXT_SIZE = 13, LINE_HEIGHT = 16 };

// Begin a drawing, which a reader without eyes is told as `label`: the root element with the class "plot"; with the
// attributes `extra` in HTML, or alone in a file of its own, with its style and a background.
void svg_open(FILE *out, double width, double height, const char *label, const char *extra, bool alone);
void svg_close(FILE *out);

// Text with a class of plot.css: "end" and "middle" say where x is in it.
void svg_text(FILE *out, double x, double y, const char *class, const char *text);

// About how wide a text is; rather more than less.
double svg_text_width(const char *text);

// The text, or as much of it as fits into the width and "...". Returns `cut`.
const char *svg_cut(char *cut, size_t capacity, const char *text, double width);

// Write text in lines that fit into the width, from y downwards, three at most; without a stream only count them.
// Returns the number of lines.
int svg_wrapped(FILE *out, double x, double y, double width, const char *class, const char *text);

// Move places (count), which are sorted, apart so that they have at least `gap` between them and are from low to high;
// each stays as near to where it was as the others allow. With too many for the room they are spread evenly.
void svg_spread(double *places, int count, double gap, double low, double high);

#endif
