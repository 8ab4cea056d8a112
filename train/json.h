// The JSON files config.json and compare.json: writing them, and checking what a user may have edited.
#ifndef BITTER_JSON_H
#define BITTER_JSON_H

#include "base/error.h"

#include <jansson.h>

// Fail (input) with "WHERE: ...; the file is damaged, or was edited by hand". `where` begins with the path of the file.
bool fail_damaged(Error *error, const char *where, const char *format, ...) FORMAT_CHECK(3, 4);

// Read an object with a member "options". Returns NULL, and fails (input), when there is none or when the object does
// not match its member "crc32", which may be missing.
json_t *json_read(const char *path, Error *error);

// Write an object, its numbers with so many significant digits, and release it. Fails (run) on NULL. Atomic.
bool json_write(const char *path, json_t *object, int digits, Error *error);

// The same with a first member "crc32", the checksum of the rest. So many digits must suffice to read the same numbers
// back.
bool json_write_sealed(const char *path, json_t *object, int digits, Error *error);

// Read the member `name` of an object: a whole number, a number, or the length of a list. Fail (input) when the member
// is missing, or not from `least` to `most`.
bool member_integer(long long *value, const json_t *object, const char *name, long long least, long long most,
                    const char *where, Error *error);
bool member_number(double *value, const json_t *object, const char *name, double least, double most, const char *where,
                   Error *error);
bool member_length(int *length, const json_t *object, const char *name, int least, int most, const char *where,
                   Error *error);

#endif
