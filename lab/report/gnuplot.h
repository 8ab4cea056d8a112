// gnuplot, which draws the plots of reports.
#ifndef BITTER_GNUPLOT_H
#define BITTER_GNUPLOT_H

#include "base/file.h"

// Can gnuplot be run?
bool gnuplot_exists(void);

// Run a script, from its beginning: a file open for reading. What gnuplot prints, an SVG drawing, goes to `svg`, whose
// bytes the caller frees. No shell takes part, and gnuplot, which runs in /, reads neither the user's settings nor a
// file of the working directory. Fails (run) when it cannot be started or does not draw.
bool gnuplot_draw(Buffer *svg, FILE *script, Error *error);

// Write a string of a script in single quotes, in which gnuplot knows neither escapes nor substitutions. Single quotes
// become typographic ones and control characters spaces, so that no text can end the string.
void gnuplot_string(FILE *script, const char *text);

#endif
