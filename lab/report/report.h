// The tables and pages that tell what a comparison has found.
#ifndef BITTER_REPORT_H
#define BITTER_REPORT_H

#include "lab/compare/outcome.h"

#include <stdio.h>

// Print how the schemes of one size stand, as a table in plain text.
void report_table(FILE *out, const Outcome *outcome, int size);

// Print the table of the largest size, and write results.csv, report.md and report.html into the comparison's
// directory. Processes that finish at the same time do this one after the other. Fails (input) when no seed is
// complete.
bool report(const Comparison *comparison, FILE *out, Error *error);

#endif
