#include "posenc/registry.h"

#include "posenc/written.h"

#include <stdio.h>

#define SCHEME_ENTRY(name) &scheme_##name,
const Scheme *const schemes[] = {ALL_SCHEMES(SCHEME_ENTRY) NULL};

#define ROPE2D "rope2d" // the name of rope:axes=2 up to version 0.1, which is still read

static const Scheme *scheme_find(const char *name, size_t length) {
    for (const Scheme *const *scheme = schemes; *scheme; scheme++)
        if (strlen((*scheme)->name) == length && memcmp((*scheme)->name, name, length) == 0) return *scheme;
    return NULL;
}

bool position_named(const char *name, size_t length) {
    return scheme_find(name, length) || (length == strlen(ROPE2D) && memcmp(ROPE2D, name, length) == 0);
}

static bool fail_unknown(const char *name, Error *error) {
    const char *names[64];
    char all[TEXT_CAPACITY] = "";
    int count = 0;
    for (; schemes[count]; count++) {
        names[count] = schemes[count]->name;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", count ? ", " : "", names[count]);
    }
    if (strpbrk(name, "=()") || *name == '-')
        return fail_input(
            error,
            "there is no position scheme '%s'; options follow a colon, as in rope:base=500; a formula "
            "begins with bias:, angle: or code:, as in 'bias: -a*log(1 + d); a = 1'; only `compare` takes "
            "NAME= in front",
            name);
    const char *nearest = nearest_name(name, names, count);
    return fail_input(error, "there is no position scheme '%s'; %s%s%s%s, or a formula (docs/schemes.md)", name,
                      nearest ? "did you mean '" : "choose one of ", nearest ? nearest : "",
                      nearest ? "'? There are " : "", all);
}

bool position_parse(Position *pos, const char *specification, Error *error) {
    const size_t written = written_length(specification);
    if (written) return written_parse(pos, specification, written, error);
    char name[TEXT_CAPACITY], options[TEXT_CAPACITY];
    if (snprintf(name, sizeof name, "%s", specification) >= (int)sizeof name)
        return fail_input(error, "the position scheme '%.40s...' is too long; at most %d characters", specification,
                          TEXT_CAPACITY - 1);
    char *colon = strchr(name, ':');
    if (colon) *colon = 0;
    const char *given = colon ? colon + 1 : "";
    const bool old = strcmp(name, ROPE2D) == 0, add = old && !strstr(given, "axes=");
    if (snprintf(options, sizeof options, "%s%s%s", add ? "axes=2" : "", add && *given ? "," : "", given) >=
        (int)sizeof options)
        return fail_input(error, "the options of '%.40s...' are too long", specification);
    const Scheme *scheme = old ? &scheme_rope : scheme_find(name, strlen(name));
    return scheme ? position_parse_options(pos, scheme, options, error) : fail_unknown(name, error);
}
