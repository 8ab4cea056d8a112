// Files of other programs, damaged in many ways: each is refused as bad input with a sentence, or gives a model.
#ifndef BITTER_DAMAGED_H
#define BITTER_DAMAGED_H

#include "train/json.h"
#include "tests/exchange/exchanged.h"

static char there[PATH_CAPACITY]; // the directory with the files

static inline bool import_there(Error *error) {
    Run run;
    *error = (Error){0};
    const bool ok = import_hf(&run, there, error);
    if (ok) {
        free(logits_of(&run.gpt, CONTEXT));
        run_close(&run);
    }
    return ok;
}

static inline void survives(const char *name) {
    Error error;
    if (import_there(&error)) return;
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_true(strlen(error.message) > 10);
}

// Cut at many places, and with bits flipped: in all of a short file, or in the beginning of a long one.
static inline void damage(const char *name) {
    Error error;
    char path[PATH_CAPACITY];
    snprintf(path, sizeof path, "%.1000s/%s", there, name);
    const Buffer file = read_from(there, name);
    for (size_t size = 0; size < file.size; size += size < 300 ? 3 : file.size / 53) {
        write_file(there, name, file.bytes, size);
        if (import_there(&error)) fail_msg("%s: accepted with %zu of %zu bytes", name, size, file.size);
        assert_int_equal(error.kind, ERROR_INPUT);
    }
    write_file(there, name, file.bytes, file.size);
    const size_t bits = 8 * (file.size < 6000 ? file.size : 6000), step = bits / 2500 + 1;
    for (size_t bit = 0; bit < bits; bit += step) {
        flip_bit(path, bit);
        survives(name);
        flip_bit(path, bit);
    }
    free(file.bytes);
    must(import_there(&error), &error);
}

// config.json with one member ("member" or "object.member") changed, or removed (value NULL).
static inline void expect_config(const char *member, const char *value, const char *part) {
    char path[PATH_CAPACITY], outer[64];
    Error error;
    snprintf(path, sizeof path, "%.1000s/config.json", there);
    const Buffer before = read_from(there, "config.json");
    json_t *config = json_loadb((const char *)before.bytes, before.size, 0, NULL), *object = config;
    const char *dot = strchr(member, '.');
    if (dot) {
        snprintf(outer, sizeof outer, "%.*s", (int)(dot - member), member);
        object = json_object_get(config, outer);
        member = dot + 1;
    }
    assert_non_null(object);
    if (value)
        assert_int_equal(json_object_set_new(object, member, json_loads(value, JSON_DECODE_ANY, NULL)), 0);
    else
        json_object_del(object, member);
    must(json_write(path, config, 17, &error), &error);
    expect_refused(import_there(&error), &error, part);
    write_file(there, "config.json", before.bytes, before.size);
    free(before.bytes);
}

#endif
