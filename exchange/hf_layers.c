// What differs from layer to layer in config.json: rotations ("no_rope_layers") and windows ("sliding_window", with
// "layer_types"). A query of a layer with a window W sees the keys j > i - W, as in model/ops/attention.c.
#include "exchange/hf_config.h"

#include "base/file/text.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LAYERS = 1000, MOST_KEYS = 10000000 };
static const char sliding[] = "sliding_attention", full[] = "full_attention";

// Do all layers of these models have the same window, or none?
static bool has_one_window(Home home) {
    return home == HOME_STARCODER2 || home == HOME_MISTRAL;
}

// --- writing ---

static json_t *window_json(int keys) {
    return keys ? json_integer(keys) : json_null();
}

void hf_layers_add(json_t *config, Home home, const Gpt *gpt) {
    const Shape *s = &gpt->shape;
    if (has_one_window(home)) json_object_set_new(config, "sliding_window", window_json(window_of(s, 0)));
    if (home != HOME_SMOLLM3) return;
    json_t *rotating = json_array(), *types = json_array();
    int window = 0;
    for (int l = 0; l < s->layers; l++) {
        json_array_append_new(rotating, json_integer(rotates_in(gpt, l)));
        json_array_append_new(types, json_string(window_of(s, l) ? sliding : full));
        if (window_of(s, l)) window = window_of(s, l);
    }
    json_object_set_new(config, "no_rope_layers", rotating);
    json_object_set_new(config, "layer_types", types);
    json_object_set_new(config, "use_sliding_window", json_boolean(window));
    json_object_set_new(config, "sliding_window", window_json(window));
    json_object_set_new(config, "pad_token_id", json_null()); // it would be 128004
}

// --- reading ---

// For each layer, yes or no.
typedef struct {
    int count;
    bool of[MOST_LAYERS];
} Layers;

static bool in_all(const Layers *layers, bool value) {
    for (int l = 0; l < layers->count; l++)
        if (layers->of[l] != value) return false;
    return true;
}

// The list `name` of a config, one item for each layer. Fails (input) when there are more or fewer.
static bool find_list(const json_t **list, const json_t *config, const char *name, int layers, const char *path,
                      Error *error) {
    *list = json_object_get(config, name);
    if (!json_is_array(*list)) return fail_damaged(error, path, "\"%s\" must be a list or null", name);
    return json_array_size(*list) == (size_t)layers ||
           fail_input(error, "%s: \"%s\" has %zu items, but the model %d layers; give one for each layer", path, name,
                      json_array_size(*list), layers);
}

static bool is_missing(const json_t *config, const char *name) {
    const json_t *member = json_object_get(config, name);
    return !member || json_is_null(member);
}

// A smollm3 that does not list them leaves out the rotations of every fourth layer.
static bool read_rotating(Layers *rotating, Home home, const json_t *config, const char *path, Error *error) {
    const json_t *list;
    long long interval = 4;
    for (int l = 0; l < rotating->count; l++) rotating->of[l] = true;
    if (home != HOME_SMOLLM3) return true;
    if (is_missing(config, "no_rope_layers")) {
        if (json_object_get(config, "no_rope_layer_interval") &&
            !member_integer(&interval, config, "no_rope_layer_interval", 1, MOST_KEYS, path, error))
            return false;
        for (int l = 0; l < rotating->count; l++) rotating->of[l] = (l + 1) % interval != 0;
        return true;
    }
    if (!find_list(&list, config, "no_rope_layers", rotating->count, path, error)) return false;
    for (int l = 0; l < rotating->count; l++) {
        const json_t *item = json_array_get(list, (size_t)l);
        const json_int_t value = json_integer_value(item);
        if (!json_is_integer(item) || value < 0 || value > 1)
            return fail_input(error,
                              "%s: item %d of \"no_rope_layers\" must be 1 for a layer with rotations, or 0 for one "
                              "without",
                              path, l + 1);
        rotating->of[l] = value;
    }
    return true;
}

// What "layer_types" says of each layer.
static bool read_types(Layers *slides, const json_t *config, const char *path, Error *error) {
    const json_t *list;
    if (!find_list(&list, config, "layer_types", slides->count, path, error)) return false;
    for (int l = 0; l < slides->count; l++) {
        const char *type = json_string_value(json_array_get(list, (size_t)l));
        slides->of[l] = type && strcmp(type, sliding) == 0;
        if (!slides->of[l] && (!type || strcmp(type, full) != 0))
            return fail_input(error, "%s: item %d of \"layer_types\" is %.80s, but bitter has %s and %s", path, l + 1,
                              type ? type : "no text", full, sliding);
    }
    return true;
}

// The window of the layers that have one; 0 = there is none. A mistral that does not say it has 4096.
static bool read_window(long long *window, Home home, const json_t *config, const char *path, Error *error) {
    *window = home == HOME_MISTRAL && !json_object_get(config, "sliding_window") ? 4096 : 0;
    return is_missing(config, "sliding_window") ||
           member_integer(window, config, "sliding_window", 1, MOST_KEYS, path, error);
}

// Where nothing else is said, those layers of a smollm3 have a window that do not rotate.
static bool read_sliding(Layers *slides, long long *window, Home home, const Layers *rotating, const json_t *config,
                         const char *path, Error *error) {
    bool use;
    if (!boolean_or(&use, false, config, "use_sliding_window", path, error) ||
        !read_window(window, home, config, path, error))
        return false;
    for (int l = 0; l < slides->count; l++)
        slides->of[l] = *window && (has_one_window(home) || (use && !rotating->of[l]));
    if (is_missing(config, "layer_types")) return true;
    const Layers before = *slides;
    if (!read_types(slides, config, path, error)) return false;
    if (has_one_window(home) && memcmp(before.of, slides->of, (size_t)slides->count * sizeof *slides->of) != 0)
        return fail_input(error,
                          "%s: \"layer_types\" and \"sliding_window\" disagree; a model of this type has the same "
                          "window in all layers, or none",
                          path);
    if (home == HOME_SMOLLM3 && !in_all(slides, false) && !(use && *window))
        return fail_input(error, "%s: \"layer_types\" has %s, but \"%s\" is %s", path, sliding,
                          use ? "sliding_window" : "use_sliding_window", use ? "missing" : "not true");
    return true;
}

// --- the texts of --pos and --window ---

static int period_of(const Layers *layers) {
    for (int period = 1;; period++) {
        int l = period;
        while (l < layers->count && layers->of[l] == layers->of[l - period]) l++;
        if (l >= layers->count) return period;
    }
}

// How many layers from `first` on, up to `end`, are alike.
static int run_length(const Layers *layers, int first, int end) {
    int last = first + 1;
    while (last < end && layers->of[last] == layers->of[first]) last++;
    return last - first;
}

// One period: "rope*3,none", "64*5,0".
static void print_period(Text *text, const Layers *layers, const char *yes, const char *no) {
    const int period = period_of(layers);
    for (int l = 0, count; l < period; l += count) {
        count = run_length(layers, l, period);
        text_print(text, "%s%s", l ? "," : "", layers->of[l] ? yes : no);
        if (count > 1 && period > count) text_print(text, "*%d", count);
    }
}

// Both lists: "rope@0-2,5 none@3-4".
static void print_lists(Text *text, const Layers *layers, const char *yes, const char *no) {
    for (int of = 1; of >= 0; of--) {
        char before = '@';
        text_print(text, "%s%s", of ? "" : " ", of ? yes : no);
        for (int l = 0, count; l < layers->count; l += count) {
            count = run_length(layers, l, layers->count);
            if (layers->of[l] != of) continue;
            text_print(text, "%c%d", before, l);
            if (count > 1) text_print(text, "-%d", l + count - 1);
            before = ',';
        }
    }
}

// Move the text to an option. False when it does not fit.
static bool set_option(char option[TEXT_CAPACITY], Text *text) {
    const bool fits = !text->failed && text->size < TEXT_CAPACITY;
    if (fits) snprintf(option, TEXT_CAPACITY, "%.*s", (int)text->size, text->bytes);
    text_free(text);
    return fits;
}

static bool print_pos(char pos[TEXT_CAPACITY], const Layers *rotating, const char *path, Error *error) {
    Text text = {0};
    int changes = 0;
    if (in_all(rotating, true)) return true;
    for (int l = 1; l < period_of(rotating); l++) changes += rotating->of[l] != rotating->of[l - 1];
    (changes <= 3 ? print_period : print_lists)(&text, rotating, pos, "none");
    return (set_option(pos, &text) && (rotating->count <= LAYERS_CAPACITY || in_all(rotating, false))) ||
           fail_input(error, "%s: \"no_rope_layers\" differs too often between %d layers for bitter's --pos", path,
                      rotating->count);
}

static bool print_window(char option[TEXT_CAPACITY], const Layers *slides, int window, const char *path, Error *error) {
    Text text = {0};
    char keys[32];
    *option = 0;
    if (in_all(slides, false)) return true;
    snprintf(keys, sizeof keys, "%d", window);
    print_period(&text, slides, keys, "0");
    return (set_option(option, &text) && period_of(slides) <= WINDOWS_CAPACITY) ||
           fail_input(error, "%s: \"layer_types\" repeats after %d layers, but bitter's windows after at most %d", path,
                      period_of(slides), WINDOWS_CAPACITY);
}

// In other models transformers ignores "sliding_window", but for the keys that it keeps while it generates.
static bool check_no_window(const TrainOptions *o, const json_t *config, const char *path, Error *error) {
    const json_t *window = json_object_get(config, "sliding_window");
    return !json_is_integer(window) || json_integer_value(window) >= o->context ||
           fail_input(error, "%s: \"sliding_window\" is %lld, but models of this type have no windows", path,
                      (long long)json_integer_value(window));
}

bool hf_layers_read(TrainOptions *o, Home home, const json_t *config, const char *path, Error *error) {
    Layers rotating = {.count = (int)o->layers}, slides = {.count = (int)o->layers};
    long long window;
    if (!has_one_window(home) && home != HOME_SMOLLM3) return check_no_window(o, config, path, error);
    return read_rotating(&rotating, home, config, path, error) &&
           read_sliding(&slides, &window, home, &rotating, config, path, error) &&
           print_pos(o->pos, &rotating, path, error) && print_window(o->window, &slides, (int)window, path, error);
}
