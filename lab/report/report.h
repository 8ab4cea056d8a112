// The tables and pages that report the results of a comparison or of a run.
#ifndef BITTER_REPORT_H
#define BITTER_REPORT_H

#include "lab/compare/outcome.h"

#include <stdio.h>

// Check that a report in this directory, of a comparison or of a run, would replace only files that bitter wrote. Fails
// as result_replaces does.
bool report_check(const char *directory, bool comparison, Error *error);

// Print the losses of all schemes in the most trained setting and a sentence for each contrast, and write results.csv,
// report.md, report.tex and report.html into the directory of a comparison. Reads the plan in that directory, because
// another process may have changed it. Processes that finish at the same time do this one after the other. Fails
// (input) when no seed is complete, and as plan_read does.
bool report(const char *directory, FILE *out, Error *error);

// Write report.md and report.html into the directory of a single run, named as for run_paths: its losses, a sample,
// what its position scheme has trained (positions.csv), and attention. Fails (input) when there is no run, or a file of
// it is damaged.
bool report_run(const char *name, FILE *out, Error *error);

#endif
