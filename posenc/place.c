#include "posenc/place.h"

#include "base/random.h"

#include <assert.h>

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

// Each number in turn is taken with the probability that what is still needed has among what is left.
void places_draw(int *drawn, int count, int span, uint64_t key) {
    assert(count <= span);
    Random random = {key, 0};
    int taken = 0;
    for (int value = 0; taken < count; value++)
        if (random_next(&random) * (span - value) < count - taken) drawn[taken++] = value;
}
