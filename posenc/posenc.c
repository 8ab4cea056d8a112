#include "posenc/posenc.h"

#include <assert.h>
#include <stdio.h>

const Scheme *const schemes[] = {
    &scheme_none, &scheme_learned, &scheme_sinusoidal, &scheme_rope, &scheme_alibi, NULL,
};

static const Scheme *scheme_find(const char *name, Error *error) {
    const char *names[64];
    int count = 0;
    for (; schemes[count]; count++) {
        if (strcmp(schemes[count]->name, name) == 0) return schemes[count];
        names[count] = schemes[count]->name;
    }
    const char *nearest = nearest_name(name, names, count);
    char all[TEXT_CAPACITY] = "";
    for (int i = 0; i < count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    if (nearest)
        fail_input(error, "there is no position scheme '%s'; did you mean '%s'? (%s)", name, nearest, all);
    else
        fail_input(error, "there is no position scheme '%s'; choose one of %s", name, all);
    return NULL;
}

bool position_create_scheme(Position *pos, const Scheme *scheme, const char *list, const Shape *shape, Error *error) {
    *pos = (Position){.scheme = scheme, .shape = *shape};
    if (scheme->options) {
        options_default(pos->options, scheme->options);
        if (!options_parse_list(pos->options, scheme->options, list, scheme->name, error)) return false;
    } else if (list && *list) {
        return fail_input(error, "the position scheme '%s' has no options, but got '%s'", scheme->name, list);
    }
    const char *objection = scheme->check ? scheme->check(pos) : NULL;
    if (objection) return fail_input(error, "--pos %s: %s", scheme->name, objection);
    return true;
}

bool position_create(Position *pos, const char *specification, const Shape *shape, Error *error) {
    char name[TEXT_CAPACITY];
    snprintf(name, sizeof name, "%s", specification);
    char *colon = strchr(name, ':');
    if (colon) *colon = 0;
    const Scheme *scheme = scheme_find(name, error);
    return scheme && position_create_scheme(pos, scheme, colon ? colon + 1 : NULL, shape, error);
}

void position_print(const Position *pos, char text[TEXT_CAPACITY]) {
    size_t used = (size_t)snprintf(text, TEXT_CAPACITY, "%s", pos->scheme->name);
    for (const Option *o = pos->scheme->options; o && o->name; o++) {
        char value[TEXT_CAPACITY];
        option_print(pos->options, o, value);
        used += (size_t)snprintf(text + used, TEXT_CAPACITY - used, "%c%s=%s", o == pos->scheme->options ? ':' : ',',
                                 o->name, value);
        assert(used < TEXT_CAPACITY);
    }
}

void position_param(Position *pos, TensorTable *table, const char *name, int rows, int columns, Init init,
                    double scale) {
    assert(pos->param_count < PARAMS_CAPACITY);
    Tensor tensor = {.rank = 2, .shape = {rows, columns}, .init = init, .scale = scale, .position = true};
    snprintf(tensor.name, sizeof tensor.name, "pos.%s", name);
    pos->tensors[pos->param_count++] = tensor_add(table, tensor);
}

void position_layout(Position *pos, Arena *arena, int positions, int batch, bool training) {
    pos->positions = positions;
    pos->batch = batch;
    if (pos->scheme->layout) pos->scheme->layout(pos, arena, training);
}

void position_prepare(Position *pos, bool fresh) {
    if (pos->scheme->prepare && (fresh || pos->param_count > 0)) pos->scheme->prepare(pos);
}

int position_max_length(const Position *pos) {
    return pos->scheme->max_length ? pos->scheme->max_length(pos) : 0;
}
