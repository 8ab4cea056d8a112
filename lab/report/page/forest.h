// Forest plots: differences with their intervals, one under the other.
#ifndef BITTER_FOREST_H
#define BITTER_FOREST_H

#include "base/option.h"
#include "lab/report/page/page.h"

typedef struct {
    char group[2 * TEXT_CAPACITY]; // a heading stands above the first of the rows that share it; "" = none
    char name[2 * TEXT_CAPACITY];  // "rope - learned"
    char words[64];                // the verdict
    char family[64];               // what its interval is corrected for
    double value, low, high;       // NAN = not known
    int hue;
    bool filled; // a primary contrast; the point of an exploratory one is hollow
} ForestRow;

typedef struct {
    const char *x_label;       // "difference in nats a token"
    const char *below, *above; // what it means to be on this side of 0
    const char *group, *name;  // headings of these columns of the table; group "" = there are no groups
    const ForestRow *rows;     // (count)
    int count;
} Forest;

// Write a figure, and its numbers in a table, which the Markdown has, too. Fails as page_figure does.
bool page_forest(Page *page, const Forest *forest, const char *title, Error *error);

#endif
