// The style and the script of pages, which the build makes part of the program (scripts/embed.awk).
#ifndef BITTER_PAGE_FILES_H
#define BITTER_PAGE_FILES_H

#include "base/file/embedded.h"

#include <stdio.h>

extern const EmbeddedFile page_files[]; // page.css, plot.css, report.js

// Write the file of that name, one of these.
void page_file_write(FILE *out, const char *name);

#endif
