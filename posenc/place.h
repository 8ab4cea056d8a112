// Where a token stands: the coordinates that travel with it to every position scheme.
#ifndef BITTER_PLACE_H
#define BITTER_PLACE_H

#include <stdint.h>

// t counts tokens; line and column are the same place in text that has lines: a grid written row by row, a poem, code.
typedef struct {
    int t, line, column;
} Place;

typedef enum { AXIS_T, AXIS_LINE, AXIS_COLUMN } Axis;

static inline int place_on(const Place *place, Axis axis) {
    return axis == AXIS_T ? place->t : axis == AXIS_LINE ? place->line : place->column;
}

// The token ids that shape a text; -1 = there is none. A newline begins a new line; an empty line, and the end of a
// document, begin a new page, whose first line and column are 0 again.
typedef struct {
    int newline, end;
} PlaceRule;

// The place of the next token, which is `id`; *cursor, {0} in the beginning, moves behind it.
Place place_next(Place *cursor, int id, PlaceRule rule);

// The same place with every coordinate n replaced by drawn[n].
static inline Place place_drawn(const Place *place, const int *drawn) {
    return (Place){drawn[place->t], drawn[place->line], drawn[place->column]};
}

// Randomised positions (Ruoss et al. 2023): `count` different numbers of 0..span-1 in rising order, each choice equally
// likely, a function of key. count <= span.
void places_draw(int *drawn, int count, int span, uint64_t key);

#endif
