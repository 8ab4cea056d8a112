// The list of all schemes, in the order in which tables show them. A new scheme is named here, after its file.
#ifndef BITTER_REGISTRY_H
#define BITTER_REGISTRY_H

#include "posenc/scheme.h"

#define ALL_SCHEMES(entry)                                                                                             \
    entry(none) entry(random) entry(integer) entry(normalized) entry(binary) entry(sinusoidal) entry(learned)          \
        entry(rope) entry(partial) entry(prope) entry(xpos) entry(rope_learned) entry(alibi) entry(sandwich)           \
            entry(alibi_learned) entry(t5) entry(kerple) entry(fire) entry(table) entry(transformer_xl) entry(shaw)    \
                entry(cope) entry(fox) entry(cable) entry(path) entry(pope) entry(selective) entry(stick_breaking)

#define DECLARE_SCHEME(name) extern const Scheme scheme_##name;
ALL_SCHEMES(DECLARE_SCHEME)

extern const Scheme *const schemes[]; // all of them, and NULL

// Find the scheme of "NAME[:key=value,...]" and parse its options; position_fit then sets it up for a model. Fails
// (input, see base/error.h) with the nearest name or key.
bool position_parse(Position *pos, const char *specification, Error *error);

// Are the first `length` characters of `name` the name of a scheme?
bool position_named(const char *name, size_t length);

#endif
