// gnuplot, which draws the plots of reports.
#ifndef BITTER_GNUPLOT_H
#define BITTER_GNUPLOT_H

#include "base/file/file.h"

// Can gnuplot be run?
bool gnuplot_exists(void);

// Run the script in a file that is open for reading. `svg` receives the SVG drawing that gnuplot prints; the caller
// frees its bytes. No shell is involved, and gnuplot runs in / and reads neither the user's settings nor a file of the
// working directory. Fails (run) when gnuplot cannot be started or does not draw.
bool gnuplot_draw(Buffer *svg, FILE *script, Error *error);

// Write a string of a script in single quotes, in which gnuplot has neither escapes nor substitutions. Single quotes in
// the text become typographic ones and control characters spaces, so that no text can end the string.
void gnuplot_string(FILE *script, const char *text);

#endif
