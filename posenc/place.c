#include "posenc/place.h"

Place place_next(Place *cursor, int id, PlaceRule rule) {
    const Place place = *cursor;
    cursor->t++;
    cursor->column++;
    if (id >= 0 && id == rule.newline) {
        cursor->line = place.column > 0 ? place.line + 1 : 0;
        cursor->column = 0;
        cursor->page += place.column == 0 && place.line > 0;
    }
    if (id >= 0 && id == rule.end) *cursor = (Place){.t = cursor->t, .document = place.document + 1};
    return place;
}
