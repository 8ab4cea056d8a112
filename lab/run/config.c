#include "lab/run/config.h"

#include "base/file/crc.h"
#include "base/utf8.h"
#include "base/version.h"
#include "lab/run/stretch_json.h"

#include "model/base/gemm.h"

#include <omp.h>
#include <stdlib.h>
#include <sys/utsname.h>

json_t *options_json(const TrainOptions *options) {
    json_t *object = json_object();
    for (const Option *o = train_options; o->name; o++) {
        char text[TEXT_CAPACITY];
        option_print(options, o, text);
        json_t *value = NULL;
        switch (o->type) {
        case OPTION_HEADING:
            continue;
        case OPTION_INTEGER:
            value = json_integer(strtoll(text, NULL, 10));
            break;
        case OPTION_NUMBER:
            value = json_real(strtod(text, NULL));
            break;
        case OPTION_FLAG:
            value = json_boolean(strcmp(text, "true") == 0);
            break;
        case OPTION_CHOICE:
        case OPTION_TEXT:
            value = json_string(text);
            break;
        }
        if (json_object_set_new(object, o->name, value) != 0) { // no memory, or text that is not UTF-8
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

// {file, tokens, crc32} of each shard, which tells whether a corpus is the same.
static json_t *split_json(const Split *split) {
    json_t *array = json_array();
    for (int i = 0; i < split->shard_count; i++) {
        const Shard *shard = &split->shards[i];
        char hex[CRC_CAPACITY];
        json_t *description = json_pack("{s:s, s:I, s:s}", "file", path_name(shard->path), "tokens",
                                        (json_int_t)shard->count, "crc32", crc_text(hex, shard->crc));
        if (json_array_append_new(array, description) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *data_json(const Corpus *corpus) {
    return json_pack("{s:s, s:s, s:i, s:o, s:o}", "name", corpus->name, "tokenizer",
                     tokenizer_kind_name(corpus->tokenizer.kind), "vocab_size", corpus->tokenizer.vocab_size, "train",
                     split_json(&corpus->train), "val", split_json(&corpus->val));
}

static void cpu_name(char name[128]) {
    struct utsname system;
    snprintf(name, 128, "%s", uname(&system) == 0 ? system.machine : "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r"); // Linux; elsewhere the name is that of the architecture
    if (!file) return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) != 0) continue;
        const char *colon = strchr(line, ':');
        if (colon) snprintf(name, 128, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    fclose(file);
}

static json_t *machine_json(void) {
    char cpu[128];
    cpu_name(cpu);
    return json_pack("{s:i, s:s, s:s, s:s}", "threads", omp_get_max_threads(), "blas", gemm_description(), "core",
                     gemm_core(), "cpu", cpu);
}

// The number of digits from which every number of the options is read back exactly: 15 if they suffice, so that numbers
// look as they were typed, or else 17, which always do.
static size_t digits_of(const TrainOptions *options) {
    if (options->stretch.rule.original > 0) return 17;
    for (const Option *o = train_options; o->name; o++) {
        if (o->type != OPTION_NUMBER) continue;
        double value;
        memcpy(&value, (const char *)options + o->offset, sizeof value);
        char text[64];
        snprintf(text, sizeof text, "%.15g", value);
        if (strtod(text, NULL) != value) return 17;
    }
    return 15;
}

// The CRC-32 of an object without its member "crc32", independent of the layout: 8 digits, or "" when memory is short.
static void checksum(char hex[CRC_CAPACITY], const json_t *object) {
    json_t *rest = json_copy((json_t *)object);
    if (rest) json_object_del(rest, "crc32");
    char *text = rest ? json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17)) : NULL;
    hex[0] = 0;
    if (text) crc_text(hex, crc_bytes(0, text, strlen(text)));
    free(text);
    json_decref(rest);
}

// The text of the file, with the checksum in a line of its own, so that a user can remove it. The checksum is that of
// the object that a reader of the text finds, because writing may round numbers. Releases `config`. NULL when memory is
// short or a name is not UTF-8.
static char *sealed_text(json_t *config, size_t flags) {
    char hex[CRC_CAPACITY] = "";
    char *text = config ? json_dumps(config, flags) : NULL;
    json_decref(config);
    json_t *found = text ? json_loads(text, 0, NULL) : NULL, *sealed = NULL;
    free(text);
    text = NULL;
    if (found) checksum(hex, found);
    if (hex[0]) sealed = json_pack("{s:s}", "crc32", hex);
    if (sealed) json_object_del(found, "crc32"); // that of the config that this one was derived from
    if (sealed && json_object_update(sealed, found) == 0) text = json_dumps(sealed, flags);
    json_decref(found);
    json_decref(sealed);
    return text;
}

// Add the options and write the file. Releases `config`.
static bool write_config(const char *path, json_t *config, const TrainOptions *options, Error *error) {
    const bool stretched = options->stretch.rule.original > 0;
    const bool complete =
        json_object_set_new(config, "options", options_json(options)) == 0 &&
        (!stretched || json_object_set_new(config, "rotation", stretch_to_json(&options->stretch)) == 0);
    if (!complete) {
        json_decref(config);
        config = NULL;
    }
    char *text = sealed_text(config, JSON_INDENT(2) | JSON_REAL_PRECISION(digits_of(options)));
    if (!text) return fail_run(error, "cannot write %s: no memory, or a name in it is not UTF-8", path);
    const bool ok = atomic_text(path, text, error);
    free(text);
    return ok;
}

static bool check_split_names(const Split *split, Error *error) {
    for (int i = 0; i < split->shard_count; i++)
        if (!name_check("the shard", split->shards[i].path, error)) return false;
    return true;
}

bool config_check_names(const Corpus *corpus, Error *error) {
    return check_split_names(&corpus->train, error) && check_split_names(&corpus->val, error);
}

bool config_write(const char *path, const TrainOptions *options, const Gpt *gpt, const Corpus *corpus, Error *error) {
    json_t *config = json_pack(
        "{s:s, s:n, s:{s:i, s:I, s:I}, s:o, s:o}", "bitter", BITTER_VERSION, "options", "model", "vocab_size",
        gpt->shape.vocab, "parameters", (json_int_t)tensor_numbers(&gpt->tensors, false), "position_parameters",
        (json_int_t)tensor_numbers(&gpt->tensors, true), "data", data_json(corpus), "machine", machine_json());
    return write_config(path, config, options, error);
}

// Files of earlier versions have no checksum, and are accepted.
static bool check_seal(const json_t *object, const char *path, Error *error) {
    const json_t *seal = json_object_get(object, "crc32");
    char hex[CRC_CAPACITY];
    checksum(hex, object);
    if (!seal || (json_is_string(seal) && strcmp(json_string_value(seal), hex) == 0)) return true;
    return fail_input(error,
                      "%s does not match the CRC-32 in its first line: the file is damaged, or was edited by hand; to "
                      "accept an edit, remove the line \"crc32\"",
                      path);
}

json_t *json_read(const char *path, Error *error) {
    Buffer file;
    if (!file_read(&file, path, error)) return NULL;
    json_error_t where;
    json_t *json = json_loadb((const char *)file.bytes, file.size, JSON_REJECT_DUPLICATES, &where);
    free(file.bytes);
    if (!json) {
        fail_input(error, "%s, line %d: %s; the file is damaged, or was edited by hand", path, where.line, where.text);
        return NULL;
    }
    if (json_is_object(json_object_get(json, "options"))) {
        if (check_seal(json, path, error)) return json;
    } else {
        fail_input(error, "%s has no \"options\"; it is not a file that bitter wrote", path);
    }
    json_decref(json);
    return NULL;
}

// Read a config. NULL when the file is not a JSON object with the members that every config has.
static json_t *load(const char *path, Error *error) {
    json_t *config = json_read(path, error);
    if (!config || json_is_object(json_object_get(config, "data"))) return config;
    fail_input(error, "%s has no \"data\"; it is not a run's config.json", path);
    json_decref(config);
    return NULL;
}

bool config_derive(const char *path, const char *from, const TrainOptions *options, Error *error) {
    json_t *config = load(from, error);
    return config && write_config(path, config, options, error);
}

static bool read_option(TrainOptions *options, const char *name, const json_t *value, const char *path, Error *error) {
    const Option *option = option_find(train_options, name);
    if (!option) {
        const Option *nearest = option_nearest(train_options, name);
        return fail_input(error, "%s: there is no option \"%s\"%s%s%s", path, name, nearest ? "; did you mean \"" : "",
                          nearest ? nearest->name : "", nearest ? "\"?" : "; take it out");
    }
    char number[64], label[TEXT_CAPACITY];
    const char *text = number;
    if (json_is_integer(value))
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        snprintf(number, sizeof number, "%.17g", json_real_value(value));
    else if (json_is_boolean(value))
        text = json_is_true(value) ? "true" : "false";
    else if (json_is_string(value))
        text = json_string_value(value);
    else
        return fail_input(error, "%s: \"%s\" is neither a number, a string nor true or false", path, name);
    if (!is_plain(text))
        return fail_input(error, "%s: \"%s\" holds a control character; the file is damaged, or was edited by hand",
                          path, name);
    snprintf(label, sizeof label, "%.400s: \"%.80s\"", path, name);
    return option_set(options, option, text, label, error);
}

bool options_read(TrainOptions *options, const json_t *object, const char *path, Error *error) {
    const char *name;
    json_t *value;
    options_default(options, train_options);
    json_object_foreach((json_t *)object, name, value) {
        if (!read_option(options, name, value, path, error)) return false;
    }
    return true;
}

bool config_read(const char *path, TrainOptions *options, int *vocab_size, Error *error) {
    json_t *config = load(path, error);
    if (!config) return false;
    options->stretch = (RunStretch){0};
    bool ok = options_read(options, json_object_get(config, "options"), path, error);
    const json_t *rotation = json_object_get(config, "rotation");
    ok = ok && (!rotation || stretch_from_json(&options->stretch, rotation, path, error));
    const json_int_t vocabulary = json_integer_value(json_object_get(json_object_get(config, "data"), "vocab_size"));
    json_decref(config);
    if (ok && (vocabulary < 1 || vocabulary > TOKENIZER_VOCAB_MOST))
        return fail_input(error, "%s: vocab_size must be 1 to %d; the file is damaged, or was edited by hand", path,
                          TOKENIZER_VOCAB_MOST);
    *vocab_size = (int)vocabulary;
    return ok;
}

static bool same_split(const json_t *a, const json_t *b) {
    bool same = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; same && i < json_array_size(a); i++) {
        const json_t *one = json_array_get(a, i), *other = json_array_get(b, i);
        same = json_equal(json_object_get(one, "tokens"), json_object_get(other, "tokens")) &&
               json_equal(json_object_get(one, "crc32"), json_object_get(other, "crc32"));
    }
    return same;
}

bool data_same(const json_t *a, const json_t *b) {
    return same_split(json_object_get(a, "train"), json_object_get(b, "train")) &&
           same_split(json_object_get(a, "val"), json_object_get(b, "val"));
}

json_t *config_data(const char *path, Error *error) {
    json_t *config = load(path, error), *data = json_incref(json_object_get(config, "data"));
    json_decref(config);
    return data;
}

bool config_check_data(const char *path, const Corpus *corpus, Error *error) {
    json_t *recorded = config_data(path, error);
    if (!recorded) return false;
    json_t *found = data_json(corpus);
    const bool same = data_same(recorded, found);
    json_decref(recorded);
    json_decref(found);
    return same ||
           fail_input(error,
                      "%s holds other tokens than the run in %s was trained on; resume with the same data, or start a "
                      "new run with --init",
                      corpus->name, path);
}

bool config_machine(char text[TEXT_CAPACITY], const char *path) {
    Error ignored;
    json_t *config = load(path, &ignored);
    const json_t *machine = json_object_get(config, "machine");
    const char *cpu = json_string_value(json_object_get(machine, "cpu")),
               *blas = json_string_value(json_object_get(machine, "blas"));
    if (cpu && blas) snprintf(text, TEXT_CAPACITY, "%.200s, %.200s", cpu, blas);
    if (cpu && blas) make_plain(text);
    json_decref(config);
    return cpu && blas;
}

// The value of a member of the machine, as text.
static void member_text(char text[256], const json_t *member) {
    const char *name = json_string_value(member);
    if (json_is_integer(member))
        snprintf(text, 256, "%" JSON_INTEGER_FORMAT, json_integer_value(member));
    else
        snprintf(text, 256, "%.250s", name ? name : "unknown");
}

const char *config_other_machine(char text[TEXT_CAPACITY], const char *path) {
    Error ignored;
    json_t *config = load(path, &ignored), *now = machine_json();
    const json_t *before = json_object_get(config, "machine");
    const char *result = NULL, *key;
    json_t *value;
    json_object_foreach(now, key, value) {
        const json_t *old = json_object_get(before, key);
        if (!old || json_equal(old, value)) continue;
        char then[256], here[256];
        member_text(then, old);
        member_text(here, value);
        snprintf(text, TEXT_CAPACITY, "%s: %.200s before, %.200s now", key, then, here);
        make_plain(text);
        result = text;
    }
    json_decref(config);
    json_decref(now);
    return result;
}
