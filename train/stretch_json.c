// The stretch of a run's rotations in config.json.
#include "train/config.h"
#include "posenc/rotation/rotate.h"

#include <limits.h>

static void add_stretch(json_t *object, const Stretch *stretch, int pairs) {
    json_t *factors = json_array();
    for (int i = 0; i < pairs; i++) json_array_append_new(factors, json_real(stretch->factors[i]));
    json_object_set_new(object, "factors", factors);
    json_object_set_new(object, "unscaled_positions", json_integer(stretch->unscaled));
    json_object_set_new(object, "attention_factor", json_real(stretch->attention));
    if (stretch->bare_start) json_object_set_new(object, "attention_on_unscaled", json_false());
}

json_t *stretch_to_json(const RunStretch *stretch) {
    const StretchRule *rule = &stretch->rule;
    char method[TEXT_CAPACITY];
    choice_word(METHOD_NAMES, rule->method, method);
    json_t *object =
        json_pack("{s:s, s:f, s:i}", "method", method, "factor", rule->factor, "original_context", rule->original);
    if (rule->method == METHOD_DYNAMIC)
        json_object_set_new(object, "growth", json_real(rule->growth));
    else
        add_stretch(object, &rule->long_stretch, rule->pairs);
    if (stretch->evaluations > 0)
        json_object_set_new(object, "search",
                            json_pack("{s:f, s:I, s:I}", "loss", stretch->loss, "evaluations",
                                      (json_int_t)stretch->evaluations, "tokens", (json_int_t)stretch->tokens));
    if (!rule->has_short) return object;
    json_t *at_short = json_object();
    add_stretch(at_short, &rule->short_stretch, rule->pairs);
    json_object_set_new(object, "short", at_short);
    return object;
}

static bool read_stretch(Stretch *stretch, int *pairs, const json_t *object, const char *where, Error *error) {
    const json_t *factors = json_object_get(object, "factors"),
                 *on_unscaled = json_object_get(object, "attention_on_unscaled");
    long long unscaled;
    if (!member_length(pairs, object, "factors", 1, PAIRS_MOST, where, error)) return false;
    for (int i = 0; i < *pairs; i++) {
        stretch->factors[i] = json_number_value(json_array_get(factors, (size_t)i));
        if (!(stretch->factors[i] >= 1e-6 && stretch->factors[i] <= 1e9))
            return fail_damaged(error, where, "\"factors\" must be numbers from 1e-6 to 1e9");
    }
    if (!member_integer(&unscaled, object, "unscaled_positions", 0, 1000000000, where, error) ||
        !member_number(&stretch->attention, object, "attention_factor", 1e-3, 1e3, where, error))
        return false;
    stretch->unscaled = (int)unscaled;
    stretch->bare_start = json_is_false(on_unscaled);
    return !on_unscaled || json_is_boolean(on_unscaled) ||
           fail_damaged(error, where, "\"attention_on_unscaled\" is neither true nor false");
}

static bool read_search(RunStretch *stretch, const json_t *search, const char *where, Error *error) {
    return !search || (member_number(&stretch->loss, search, "loss", 0, 1e9, where, error) &&
                       member_integer(&stretch->evaluations, search, "evaluations", 1, LLONG_MAX, where, error) &&
                       member_integer(&stretch->tokens, search, "tokens", 1, LLONG_MAX, where, error));
}

bool stretch_from_json(RunStretch *stretch, const json_t *object, const char *path, Error *error) {
    static const Option method = {"method", OPTION_CHOICE, 0, NULL, 0, 0, METHOD_NAMES, NULL, ""};
    char where[PATH_CAPACITY + 16], label[PATH_CAPACITY + 32];
    snprintf(where, sizeof where, "%s: \"rotation\"", path);
    snprintf(label, sizeof label, "%s: \"method\"", where);
    *stretch = (RunStretch){0};
    StretchRule *rule = &stretch->rule;
    const char *name = json_string_value(json_object_get(object, "method"));
    const json_t *at_short = json_object_get(object, "short");
    long long original;
    if (!option_set(&rule->method, &method, name ? name : "", label, error) ||
        !member_number(&rule->factor, object, "factor", 1, 1e6, where, error) ||
        !member_integer(&original, object, "original_context", 2, 100000000, where, error))
        return false;
    rule->original = (int)original;
    if (rule->method == METHOD_DYNAMIC) return member_number(&rule->growth, object, "growth", 1, 1e6, where, error);
    if (!read_stretch(&rule->long_stretch, &rule->pairs, object, where, error) ||
        !read_search(stretch, json_object_get(object, "search"), where, error))
        return false;
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
    if (rule->method != METHOD_DYNAMIC && rule->pairs != rotary_pairs(pos))
        return fail_damaged(error, path, "\"rotation\" has %d factors, but a head has %d pairs", rule->pairs,
                            rotary_pairs(pos));
    pos->stretch = *rule;
    return true;
}
