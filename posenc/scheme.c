#include "posenc/scheme.h"

#include "base/random.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

bool position_parse_options(Position *pos, const Scheme *scheme, const char *list, Error *error) {
    *pos = (Position){.scheme = scheme, .everywhere = true};
    if (!scheme->options)
        return !*list || fail_input(error, "the position scheme '%s' has no options, but got '%s'", scheme->name, list);
    if (strstr(list, GATE_OPTION "=") && !option_find(scheme->options, GATE_OPTION))
        return fail_input(error,
                          "%s has no option '" GATE_OPTION
                          "' in version 0.2; codes, curves of the distance and angles have it",
                          scheme->name);
    const char *skip = strstr(list, "skip=");
    const long every = skip && option_find(scheme->options, "skip") ? strtol(skip + strlen("skip="), NULL, 10) : 0;
    if (every == 1) return fail_input(error, "%s:skip went with version 0.2; none is the same as skip=1", scheme->name);
    if (every > 1)
        return fail_input(error, "%s:skip went with version 0.2; %s*%ld,none is the same as skip=%ld", scheme->name,
                          scheme->name, every - 1, every);
    options_default(pos->options, scheme->options);
    if (!options_parse_list(pos->options, scheme->options, list, scheme->name, error)) return false;
    const Scheme *meant = scheme->meant ? scheme->meant(pos->options) : NULL;
    if (meant) return position_parse_options(pos, meant, list, error);
    const Option *gate = option_find(scheme->options, GATE_OPTION);
    pos->gated = gate && *(const int *)(pos->options + gate->offset) == 1;
    return true;
}

bool position_fit(Position *pos, const Shape *shape, Error *error) {
    const Option *layers = pos->scheme->options ? option_find(pos->scheme->options, LAYERS_OPTION) : NULL;
    bool own = layers && *(const int *)(pos->options + layers->offset) == 1;
    for (int p = 0; pos->written && p < pos->written->params; p++) own |= pos->written->param[p].by_layer;
    pos->shape = *shape;
    pos->sets = own ? shape->layers : 1;
    const char *objection = pos->scheme->check ? pos->scheme->check(pos) : NULL;
    if (objection)
        return fail_input(error, "--pos %s, --width %d, --heads %d (%d channel%s a head): %s", pos->scheme->name,
                          shape->width, shape->heads, head_width(shape), head_width(shape) == 1 ? "" : "s", objection);
    const int most = pos->scheme->max_length ? pos->scheme->max_length(pos) : 0;
    return most == 0 || most >= position_span(pos) ||
           fail_input(error,
                      "--pos %s: with these options it is defined for %d positions, and training asks for %d; choose "
                      "other options or fewer positions",
                      pos->scheme->name, most, position_span(pos));
}

int position_layer(const Position *pos, int layer) {
    if (pos->everywhere) return layer;
    int before = 0;
    for (int l = 0; l < layer; l++) before += pos->layers[l];
    return pos->layers[layer] ? before : -1;
}

double keys_seen_within(const Position *pos, int T, int most) {
    double keys = 0;
    if (pos->shape.windows.period == 0) return keys_seen_of(T, most);
    for (int layer = 0, counted = 0; counted < pos->shape.layers; layer++) {
        const int window = window_of(&pos->shape, layer);
        if (position_layer(pos, layer) < 0) continue;
        keys += keys_seen_of(T, window && (most == 0 || window < most) ? window : most);
        counted++;
    }
    return keys / pos->shape.layers;
}

void position_print(const Position *pos, char text[TEXT_CAPACITY]) {
    if (pos->written) {
        snprintf(text, TEXT_CAPACITY, "{%s}", pos->written->text);
        return;
    }
    size_t used = (size_t)snprintf(text, TEXT_CAPACITY, "%s", pos->scheme->name);
    char before = ':';
    bool newer = false;
    for (const Option *o = pos->scheme->options; o && o->name; o++) {
        char value[TEXT_CAPACITY];
        option_print(pos->options, o, value);
        newer |= strcmp(o->name, GATE_OPTION) == 0;
        if (newer && o->preset && strcmp(value, o->preset) == 0) continue;
        used += (size_t)snprintf(text + used, TEXT_CAPACITY - used, "%c%s=%s", before, o->name, value);
        assert(used < TEXT_CAPACITY);
        before = ',';
    }
}

void position_param(Position *pos, TensorTable *table, const char *name, int rows, int columns, Init init,
                    double scale) {
    assert(pos->param_count < PARAMS_CAPACITY);
    Tensor tensor = {
        .rank = columns ? 2 : 1, .shape = {rows, columns}, .init = init, .scale = scale, .position = true, .rate = 1};
    snprintf(tensor.name, sizeof tensor.name, "%s%s", pos->prefix, name);
    pos->tensors[pos->param_count++] = tensor_add(table, tensor);
}

// The first part keeps the key that it has alone, so that recorded runs start as they did.
uint64_t position_key(const Position *pos, uint64_t seed) {
    const uint64_t key = random_key(seed, pos->scheme->name);
    return pos->earlier ? random_bits(key, (uint64_t)pos->earlier) : key;
}

int position_max_length(const Position *pos) {
    const int scheme = pos->scheme->max_length ? pos->scheme->max_length(pos) : 0, drawn = position_random_bound(pos);
    return drawn && (scheme == 0 || drawn < scheme) ? drawn : scheme;
}
