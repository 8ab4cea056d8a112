#include "train/config.h"

#include "base/file/crc.h"
#include "base/utf8.h"
#include "base/version.h"
#include "num/blas.h"
#include "num/gemm.h"
#include "posenc/written.h"
#include "posenc/rotation/rotate.h"

#include <omp.h>
#include <stdlib.h>
#include <sys/utsname.h>

json_t *options_json(const TrainOptions *options) {
    json_t *object = json_object();
    for (const Option *o = train_options; o->name; o++) {
        char text[TEXT_CAPACITY];
        if (o->type == OPTION_HEADING) continue;
        option_print(options, o, text);
        const size_t flags = JSON_DECODE_ANY | (o->type == OPTION_NUMBER ? JSON_DECODE_INT_AS_REAL : 0);
        const bool words = o->type == OPTION_TEXT || o->type == OPTION_CHOICE;
        json_t *value = words ? json_string(text) : json_loads(text, flags, NULL);
        if (json_object_set_new(object, o->name, value) == 0) continue;
        json_decref(object); // no memory, or text that is not UTF-8
        return NULL;
    }
    return object;
}

// {file, tokens, crc32} of each shard, by which corpora are compared.
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
    char line[256];
    snprintf(name, 128, "%s", uname(&system) == 0 ? system.machine : "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r"); // Linux; elsewhere the name is that of the architecture
    if (!file) return;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %127[^\n]", name) == 1) break;
    fclose(file);
}

static json_t *machine_json(void) {
    char cpu[128];
    cpu_name(cpu);
    return json_pack("{s:i, s:s, s:s, s:s, s:s}", "threads", omp_get_max_threads(), "blas", blas_description(), "core",
                     blas_core(), "kernels", gemm_kernels(), "cpu", cpu);
}

// The number of digits with which every number of the config is read back exactly: 15 if that is enough, so that
// numbers look as they were typed, or else 17, which always is. A stretched run gets 17, as nobody typed its factors.
static int digits_of(const json_t *config) {
    char *text = json_dumps(config, JSON_REAL_PRECISION(15));
    json_t *found = text ? json_loads(text, 0, NULL) : NULL;
    const bool exact = json_equal(found, config) && !json_object_get(config, "rotation");
    free(text);
    json_decref(found);
    return exact ? 15 : 17;
}

// Add the options and write the file. Releases `config`.
static bool write_config(const char *path, json_t *config, const TrainOptions *options, Error *error) {
    const bool stretched = options->stretch.original > 0;
    const bool complete =
        json_object_set_new(config, "options", options_json(options)) == 0 &&
        (!stretched || json_object_set_new(config, "rotation", stretch_to_json(&options->stretch)) == 0) &&
        (options->cosine_from == 0 ||
         json_object_set_new(config, "cosine_from", json_integer(options->cosine_from)) == 0);
    if (complete) return json_write_sealed(path, config, digits_of(config), error);
    json_decref(config);
    return json_write_sealed(path, NULL, 0, error);
}

bool config_check_names(const Corpus *corpus, Error *error) {
    const Split *const splits[] = {&corpus->train, &corpus->val};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < splits[s]->shard_count; i++)
            if (!name_check("the shard", splits[s]->shards[i].path, error)) return false;
    return true;
}

bool config_write(const char *path, const TrainOptions *options, const Gpt *gpt, const Corpus *corpus, Error *error) {
    json_t *config = json_pack(
        "{s:s, s:n, s:{s:i, s:I, s:I}, s:o, s:o}", "bitter", BITTER_VERSION, "options", "model", "vocab_size",
        gpt->shape.vocab, "parameters", (json_int_t)tensor_numbers(&gpt->tensors, false), "position_parameters",
        (json_int_t)tensor_numbers(&gpt->tensors, true), "data", data_json(corpus), "machine", machine_json());
    return write_config(path, config, options, error);
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
    if (strcmp(name, "tensorboard") == 0) return true; // an option of version 0.1, which changed nothing in a run
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
    else
        text = json_string_value(value);
    if (!text || !is_plain(text) || (strcmp(name, "pos") == 0 && written_names_file(text)) ||
        (option->type == OPTION_TEXT && !json_is_string(value)))
        return fail_damaged(error, path, "the option \"%s\" has no value that can be read", name);
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
    const json_t *rotation = json_object_get(config, "rotation");
    long long vocabulary = 0;
    options->stretch = (StretchRule){0};
    options->cosine_from = 0;
    const bool ok =
        options_read(options, json_object_get(config, "options"), path, error) &&
        (!json_object_get(config, "cosine_from") ||
         member_integer(&options->cosine_from, config, "cosine_from", 0, options->steps - 1, path, error)) &&
        (!rotation || stretch_from_json(&options->stretch, rotation, path, error)) &&
        member_integer(&vocabulary, json_object_get(config, "data"), "vocab_size", 1, TOKENIZER_VOCAB_MOST, path,
                       error);
    *vocab_size = (int)vocabulary;
    json_decref(config);
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
    return json_equal(json_object_get(a, "vocab_size"), json_object_get(b, "vocab_size")) &&
           same_split(json_object_get(a, "train"), json_object_get(b, "train")) &&
           same_split(json_object_get(a, "val"), json_object_get(b, "val"));
}

json_t *config_data(const char *path, Error *error) {
    json_t *config = load(path, error), *data = json_incref(json_object_get(config, "data"));
    json_decref(config);
    return data;
}

bool config_same_data(bool *same, const char *path, const Corpus *corpus, Error *error) {
    json_t *recorded = config_data(path, error), *found = data_json(corpus);
    const bool read = recorded;
    *same = data_same(recorded, found);
    json_decref(recorded);
    json_decref(found);
    return read;
}

// Does this name stand for a task's exercises? A task's plain text has the same tokens.
static bool names_task(const char *name) {
    BuiltinCorpus corpus;
    Error none;
    return name && is_builtin(name) && builtin_choose(&corpus, name, &none) && is_task(&corpus);
}

bool config_check_data(const char *path, const Corpus *corpus, Error *error) {
    bool same;
    if (!config_same_data(&same, path, corpus, error)) return false;
    if (!same)
        return fail_input(error,
                          "%s holds other tokens, or lacks the tokenizer.json, that the run in %s was trained with; "
                          "resume with the same data, or start a new run with --init",
                          corpus->name, path);
    json_t *recorded = config_data(path, error);
    const char *name = json_string_value(json_object_get(recorded, "name"));
    const bool task = is_task(&corpus->builtin);
    const bool ok = names_task(name) == task ||
                    fail_input(error, "%s gives %s, but the run in %s was trained on %s; resume with --data %s",
                               corpus->name, task ? "a task's exercises" : "text", path,
                               task ? "text" : "a task's exercises", name ? name : "DATA");
    json_decref(recorded);
    return ok;
}

bool config_machine(char text[TEXT_CAPACITY], const char *path, Error *error) {
    const char *cpu, *blas;
    json_t *config = load(path, error);
    *text = 0;
    if (json_unpack(config, "{s:{s:s, s:s}}", "machine", "cpu", &cpu, "blas", &blas) == 0) {
        snprintf(text, TEXT_CAPACITY, "%.200s, %.200s", cpu, blas);
        make_plain(text);
    }
    json_decref(config);
    return config != NULL;
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
        char *then = json_dumps(old, JSON_ENCODE_ANY), *here = json_dumps(value, JSON_ENCODE_ANY);
        const size_t used = result ? strlen(text) : 0;
        snprintf(text + used, TEXT_CAPACITY - used, "%s%s: %.200s before, %.200s now", used ? "; " : "", key,
                 then ? then : "", here ? here : "");
        free(then);
        free(here);
        make_plain(text);
        result = text;
    }
    json_decref(config);
    json_decref(now);
    return result;
}

// --- the stretch of a run's rotations ---

static void add_stretch(json_t *object, const Stretch *stretch, int pairs) {
    json_t *factors = json_array();
    for (int i = 0; i < pairs; i++) json_array_append_new(factors, json_real(stretch->factors[i]));
    json_object_set_new(object, "factors", factors);
    json_object_set_new(object, "unscaled_positions", json_integer(stretch->unscaled));
    json_object_set_new(object, "attention_factor", json_real(stretch->attention));
}

json_t *stretch_to_json(const StretchRule *rule) {
    char method[TEXT_CAPACITY];
    choice_word(METHOD_NAMES, rule->method, method);
    json_t *object =
        json_pack("{s:s, s:f, s:i}", "method", method, "factor", rule->factor, "original_context", rule->original);
    if (rule->method == METHOD_DYNAMIC)
        json_object_set_new(object, "growth", json_real(rule->growth));
    else
        add_stretch(object, &rule->long_stretch, rule->pairs);
    if (!rule->has_short) return object;
    json_t *at_short = json_object();
    add_stretch(at_short, &rule->short_stretch, rule->pairs);
    json_object_set_new(object, "short", at_short);
    return object;
}

static bool read_stretch(Stretch *stretch, int *pairs, const json_t *object, const char *where, Error *error) {
    const json_t *factors = json_object_get(object, "factors");
    long long unscaled;
    if (!member_length(pairs, object, "factors", 1, PAIRS_MOST, where, error)) return false;
    for (int i = 0; i < *pairs; i++) {
        stretch->factors[i] = json_number_value(json_array_get(factors, (size_t)i));
        if (!(stretch->factors[i] >= 1e-6 && stretch->factors[i] <= 1e9))
            return fail_damaged(error, where, "\"factors\" must be numbers from 1e-6 to 1e9");
    }
    if (!member_integer(&unscaled, object, "unscaled_positions", 0, 1000000000, where, error) ||
        !member_number(&stretch->attention, object, "attention_factor", ATTENTION_LEAST, ATTENTION_MOST, where, error))
        return false;
    stretch->unscaled = (int)unscaled;
    return !json_is_false(json_object_get(object, "attention_on_unscaled")) ||
           fail_input(error, "%s: its first tokens have no attention factor, as version 0.1 could; extend it again",
                      where);
}

bool stretch_from_json(StretchRule *rule, const json_t *object, const char *path, Error *error) {
    static const Option method = {"method", OPTION_CHOICE, 0, NULL, 0, 0, METHOD_NAMES, NULL, ""};
    char where[PATH_CAPACITY + 16], label[PATH_CAPACITY + 32];
    snprintf(where, sizeof where, "%s: \"rotation\"", path);
    snprintf(label, sizeof label, "%s: \"method\"", where);
    *rule = (StretchRule){0};
    const char *name = json_string_value(json_object_get(object, "method"));
    const json_t *at_short = json_object_get(object, "short");
    long long original;
    if (!option_set(&rule->method, &method, name ? name : "", label, error) ||
        !member_number(&rule->factor, object, "factor", 1, 1e6, where, error) ||
        !member_integer(&original, object, "original_context", 2, 100000000, where, error))
        return false;
    rule->original = (int)original;
    if (rule->method == METHOD_DYNAMIC) return member_number(&rule->growth, object, "growth", 1, 1e6, where, error);
    if (!read_stretch(&rule->long_stretch, &rule->pairs, object, where, error)) return false;
    int pairs = rule->pairs;
    rule->has_short = at_short;
    if (at_short && !read_stretch(&rule->short_stretch, &pairs, at_short, where, error)) return false;
    return pairs == rule->pairs ||
           fail_damaged(error, where, "there are %d factors, and %d for short windows", rule->pairs, pairs);
}

bool stretch_apply(Mix *mix, const StretchRule *rule, const char *path, Error *error) {
    const int part = mix_stretchable(mix);
    char names[TEXT_CAPACITY];
    if (rule->original == 0) return true;
    mix_names(mix, ", ", " and ", names);
    if (part < 0)
        return fail_input(error, "%s: the scheme%s %s %s %s; take \"rotation\" out", path, mix->parts > 1 ? "s" : "",
                          names, mix->parts > 1 ? "have" : "has",
                          part == STRETCH_SEVERAL ? "rotations of several kinds, which cannot be stretched together"
                          : part == STRETCH_GATED ? "rotations with gates, which cannot be stretched"
                                                  : "no rotations that could be stretched");
    Position *pos = &mix->part[part];
    if (rotary_pairs(pos) > PAIRS_MOST)
        return fail_input(error,
                          "%s: a head has %d pairs of channels, but at most %d can be stretched; take "
                          "\"rotation\" out",
                          path, rotary_pairs(pos), PAIRS_MOST);
    if (rule->method != METHOD_DYNAMIC && rule->pairs != rotary_pairs(pos))
        return fail_damaged(error, path, "\"rotation\" has %d factors, but a head has %d pairs", rule->pairs,
                            rotary_pairs(pos));
    pos->stretch = *rule;
    return true;
}
