// Where a token stands: the coordinates that travel with it to every position scheme.
#ifndef BITTER_PLACE_H
#define BITTER_PLACE_H

#include <stdint.h>

// t counts tokens. The others are the same place in text that has lines (a grid written row by row, a poem, code): the
// column in its line, the line in its page, the page in its document, and the document, each counted from 0.
typedef struct {
    int t, column, line, page, document;
} Place;

typedef enum { AXIS_T, AXIS_DOCUMENT, AXIS_PAGE, AXIS_LINE, AXIS_COLUMN } Axis;

static inline int place_on(const Place *place, Axis axis) {
    const int on[] = {place->t, place->document, place->page, place->line, place->column};
    return on[axis];
}

// The token ids that shape a text; -1 = there is none. A newline begins a new line. An empty line begins a new page,
// and of several empty lines only the first. The end of a document begins a new document.
typedef struct {
    int newline, end;
} PlaceRule;

// The place of the next token, which is `id`; *cursor, {0} in the beginning, moves behind it.
Place place_next(Place *cursor, int id, PlaceRule rule);

#endif
