// Sections that look inside trained models: what they learned, and where heads attend.
#ifndef BITTER_INSIDE_H
#define BITTER_INSIDE_H

#include "lab/report/facts/facts.h"

// A section writes nothing when the comparison has nothing for it, and fails as page_chart does, or when a run cannot
// be read.
bool report_learned(Page *page, const Facts *facts, Error *error);     // what was learned: embedding tables,
bool report_frequencies(Page *page, const Facts *facts, Error *error); // rotation frequencies,
bool report_biases(Page *page, const Facts *facts, Error *error);      // and biases by distance
bool report_attention(Page *page, const Facts *facts, Error *error);   // attention by distance

// Attention by distance of a single run.
bool report_run_attention(Page *page, const Run *run, Error *error);

#endif
