#include "train/json.h"

#include "base/file/crc.h"
#include "base/file/file.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool fail_damaged(Error *error, const char *where, const char *format, ...) {
    char what[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return fail_input(error, "%s: %s; the file is damaged, or was edited by hand", where, what);
}

// The CRC-32 of an object without its member "crc32", independent of the layout: 8 digits, or "" when memory is short.
static void checksum(char hex[CRC_CAPACITY], const json_t *object) {
    json_t *rest = json_copy((json_t *)object);
    json_object_del(rest, "crc32");
    char *text = json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    hex[0] = 0;
    if (text) crc_text(hex, crc_bytes(0, text, strlen(text)));
    free(text);
    json_decref(rest);
}

bool json_write(const char *path, json_t *object, int digits, Error *error) {
    char *text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION((size_t)digits));
    json_decref(object);
    const bool ok = text ? atomic_text(path, text, error)
                         : fail_run(error, "cannot write %s: no memory, or a name in it is not UTF-8", path);
    free(text);
    return ok;
}

bool json_write_sealed(const char *path, json_t *object, int digits, Error *error) {
    char hex[CRC_CAPACITY];
    checksum(hex, object);
    json_t *sealed = json_pack("{s:s}", "crc32", hex);
    if (!hex[0] || json_object_update_missing(sealed, object) != 0) {
        json_decref(sealed);
        sealed = NULL;
    }
    json_decref(object);
    return json_write(path, sealed, digits, error);
}

static bool check_frame(const json_t *json, const char *path, Error *error) {
    const json_t *seal = json_object_get(json, "crc32");
    char hex[CRC_CAPACITY];
    if (json_object_get(json, "model_type"))
        return fail_input(error, "%s is a model of transformers; `bitter import DIRECTORY --out RUN` makes a run of it",
                          path);
    if (!json_is_object(json_object_get(json, "options")))
        return fail_input(error, "%s has no \"options\"; it is not a file that bitter wrote", path);
    checksum(hex, json);
    if (!seal || (json_is_string(seal) && strcmp(json_string_value(seal), hex) == 0)) return true;
    return fail_damaged(error, path, "it does not match its CRC-32; to accept an edit, remove the line \"crc32\"");
}

json_t *json_read(const char *path, Error *error) {
    Buffer file;
    json_error_t mistake;
    if (!file_read(&file, path, error)) return NULL;
    json_t *json = json_loadb((const char *)file.bytes, file.size, JSON_REJECT_DUPLICATES, &mistake);
    free(file.bytes);
    if (json ? check_frame(json, path, error) : fail_damaged(error, path, "line %d: %s", mistake.line, mistake.text))
        return json;
    json_decref(json);
    return NULL;
}

bool member_integer(long long *value, const json_t *object, const char *name, long long least, long long most,
                    const char *where, Error *error) {
    const json_t *member = json_object_get(object, name);
    *value = json_integer_value(member);
    return (json_is_integer(member) && *value >= least && *value <= most) ||
           fail_damaged(error, where, "\"%s\" must be a whole number from %lld to %lld", name, least, most);
}

bool member_number(double *value, const json_t *object, const char *name, double least, double most, const char *where,
                   Error *error) {
    const json_t *member = json_object_get(object, name);
    *value = json_number_value(member);
    return (json_is_number(member) && *value >= least && *value <= most) ||
           fail_damaged(error, where, "\"%s\" must be a number from %.9g to %.9g", name, least, most);
}

bool member_length(int *length, const json_t *object, const char *name, int least, int most, const char *where,
                   Error *error) {
    *length = (int)json_array_size(json_object_get(object, name));
    return (*length >= least && *length <= most) ||
           fail_damaged(error, where, "\"%s\" must list %d to %d items, and has %d", name, least, most, *length);
}
