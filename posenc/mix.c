#include "posenc/mix.h"

#include "base/random.h"

#include <assert.h>
#include <stdio.h>

// --- what it is ---

int mix_stretchable(const Mix *mix) {
    int found = -1;
    for (int p = 0; p < mix->parts; p++) {
        if (!position_stretches(&mix->part[p])) continue;
        if (mix->part[p].gated) return STRETCH_GATED;
        found = found == -1 ? p : STRETCH_SEVERAL;
    }
    return found;
}

void mix_names(const Mix *mix, const char *between, const char *last, char text[TEXT_CAPACITY]) {
    size_t used = 0;
    for (int p = 0; p < mix->parts; p++)
        used += (size_t)snprintf(text + used, TEXT_CAPACITY - used, "%s%s",
                                 p == 0               ? ""
                                 : p + 1 < mix->parts ? between
                                                      : last,
                                 mix->part[p].scheme->name);
}

int mix_random_bound(const Mix *mix) {
    for (int p = 0; p < mix->parts; p++)
        if (position_random_bound(&mix->part[p])) return position_random_bound(&mix->part[p]);
    return 0;
}

int mix_span(const Mix *mix) {
    return mix_random_bound(mix) ? mix_random_bound(mix) : mix->shape.context;
}

int mix_max_length(const Mix *mix) {
    int least = 0;
    for (int p = 0; p < mix->parts; p++) {
        const int most = position_max_length(&mix->part[p]);
        if (most && (least == 0 || most < least)) least = most;
    }
    return least;
}

int mix_finite_length(char why[WRITTEN_WHY], const Mix *mix, int most) {
    for (int p = 0; p < mix->parts; p++) most = written_longest(why, &mix->part[p], most);
    return most;
}

bool mix_brings_attention(const Mix *mix, int layer) {
    for (int p = 0; p < mix->parts; p++)
        if (mix->part[p].scheme->attention && position_layer(&mix->part[p], layer) >= 0) return true;
    return false;
}

double mix_operations(const Mix *mix, int T) {
    double operations = 0;
    for (int p = 0; p < mix->parts; p++) {
        const Position *pos = &mix->part[p];
        if (pos->scheme->operations) operations += pos->scheme->operations(pos, T);
    }
    return operations;
}

// --- parameters ---

// "pos.", or "pos.SCHEME." among several parts; the second part of a scheme is "pos.SCHEME-2.".
static void name_tensors(Position *pos, const Mix *mix) {
    pos->earlier = 0;
    for (const Position *before = mix->part; before < pos; before++)
        pos->earlier += strcmp(before->scheme->name, pos->scheme->name) == 0;
    if (mix->parts == 1)
        snprintf(pos->prefix, sizeof pos->prefix, "pos.");
    else if (pos->earlier == 0)
        snprintf(pos->prefix, sizeof pos->prefix, "pos.%s.", pos->scheme->name);
    else
        snprintf(pos->prefix, sizeof pos->prefix, "pos.%s-%d.", pos->scheme->name, pos->earlier + 1);
}

void mix_params(Mix *mix, TensorTable *table) {
    for (Position *pos = mix->part; pos < mix->part + mix->parts; pos++) {
        pos->param_count = 0;
        name_tensors(pos, mix);
        if (position_trained(pos)) pos->scheme->params(pos, table);
        if (pos->gated) position_param(pos, table, GATE_TENSOR, gate_count(pos), 0, INIT_ONE, 0);
    }
}

void mix_init(Mix *mix, uint64_t seed) {
    for (Position *pos = mix->part; pos < mix->part + mix->parts; pos++)
        if (pos->scheme->init && position_trained(pos)) pos->scheme->init(pos, seed);
    mix_project(mix);
}

void mix_project(Mix *mix) {
    for (Position *pos = mix->part; pos < mix->part + mix->parts; pos++)
        if (pos->scheme->project && position_trained(pos)) pos->scheme->project(pos);
}

// --- coordinates of tokens ---

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

// Selection sampling: each number in turn is taken with probability (numbers still needed) / (numbers left).
void places_draw(int *drawn, int count, int span, uint64_t key) {
    assert(count <= span);
    Random random = {key, 0};
    int taken = 0;
    for (int value = 0; taken < count; value++)
        if (random_next(&random) * (span - value) < count - taken) drawn[taken++] = value;
}
