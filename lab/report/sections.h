// The sections of a report's page, in its order. A section writes nothing when the comparison has nothing for it, and
// fails as page_chart does, or when a run cannot be read.
#ifndef BITTER_SECTIONS_H
#define BITTER_SECTIONS_H

#include "lab/report/facts.h"

bool report_answer(Page *page, const Facts *facts, Error *error);       // the best scheme, contrasts, settings
bool report_scale(Page *page, const Facts *facts, Error *error);        // differences against compute
bool report_chosen_rates(Page *page, const Facts *facts, Error *error); // which learning rate each scheme has
bool report_losses(Page *page, const Facts *facts, Error *error);       // loss of every scheme, by setting and seed
bool report_pairs(Page *page, const Facts *facts, Error *error);        // differences of all pairs
bool report_rates(Page *page, const Facts *facts, Error *error);        // loss against learning rate
bool report_texts(Page *page, const Facts *facts, Error *error);        // how much of it is the text
bool report_training(Page *page, const Facts *facts, Error *error);     // loss against tokens and time
bool report_lengths(Page *page, const Facts *facts, Error *error);      // by window and position
bool report_tasks(Page *page, const Facts *facts, Error *error);        // right answers by length
bool report_cost(Page *page, const Facts *facts, Error *error);         // parameters, operations and time
bool report_learned(Page *page, const Facts *facts, Error *error);      // tables, frequencies and biases
bool report_attention(Page *page, const Facts *facts, Error *error);    // where heads attend, by distance
bool report_limits(Page *page, const Facts *facts, Error *error);       // how it was judged, and what it does not show
bool report_repeat(Page *page, const Facts *facts, Error *error);       // how to repeat the comparison

// A sentence about how differences change from the first setting of a ladder to its last, in nothing but a ladder.
void report_scale_changes(Page *page, const Facts *facts);

// Attention by distance of a single run.
bool report_run_attention(Page *page, const Run *run, Error *error);

#define REPORT_LATEX_HEAD "% Loss in nats a token: mean and standard deviation of "
// Write report.tex: losses and contrasts as tables in LaTeX. Fails as atomic_open does.
bool report_latex(const Facts *facts, Error *error);

#endif
