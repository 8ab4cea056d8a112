#include "posenc/registry.h"

#include "posenc/written.h"

#include <stdio.h>

#define SCHEME_ENTRY(name) &scheme_##name,
const Scheme *const schemes[] = {ALL_SCHEMES(SCHEME_ENTRY) NULL};

// NULL = there is none of this name, of `length` characters.
static const Scheme *scheme_named(const char *name, size_t length) {
    static const Scheme *const old[] = {&scheme_rope2d, NULL}, *const *const lists[] = {schemes, old};
    for (int list = 0; list < 2; list++)
        for (const Scheme *const *scheme = lists[list]; *scheme; scheme++)
            if (strlen((*scheme)->name) == length && memcmp((*scheme)->name, name, length) == 0) return *scheme;
    return NULL;
}

static const Scheme *scheme_find(const char *name, Error *error) {
    const Scheme *scheme = scheme_named(name, strlen(name));
    if (scheme) return scheme;
    const char *names[64];
    int count = 0;
    for (; schemes[count]; count++) names[count] = schemes[count]->name;
    const char *nearest = nearest_name(name, names, count);
    char all[TEXT_CAPACITY] = "";
    for (int i = 0; i < count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    if (nearest)
        fail_input(error, "there is no position scheme '%s'; did you mean '%s'? (%s, or a formula: docs/schemes.md)",
                   name, nearest, all);
    else
        fail_input(error, "there is no position scheme '%s'; choose one of %s, or a formula (docs/schemes.md)", name,
                   all);
    return NULL;
}

bool position_named(const char *name, size_t length) {
    return scheme_named(name, length) != NULL;
}

bool position_parse(Position *pos, const char *specification, Error *error) {
    const size_t written = written_length(specification);
    if (written) return written_parse(pos, specification, written, error);
    char name[TEXT_CAPACITY];
    if (snprintf(name, sizeof name, "%s", specification) >= (int)sizeof name)
        return fail_input(error, "the position scheme '%.40s...' is too long; at most %d characters", specification,
                          TEXT_CAPACITY - 1);
    char *colon = strchr(name, ':');
    if (colon) *colon = 0;
    const Scheme *scheme = scheme_find(name, error);
    return scheme && position_parse_options(pos, scheme, colon ? colon + 1 : NULL, error);
}
