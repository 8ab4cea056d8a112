#include "lab/run/stretch_json.h"

#include "posenc/rotation/rotate.h"

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

// A number from `least` to `most`; NaN is neither.
static bool read_number(double *value, const json_t *object, const char *name, double least, double most,
                        const char *path, Error *error) {
    const json_t *member = json_object_get(object, name);
    *value = json_number_value(member);
    return (json_is_number(member) && *value >= least && *value <= most) ||
           fail_input(
               error,
               "%s: \"rotation\" needs \"%s\", a number from %g to %g; the file is damaged, or was edited by hand",
               path, name, least, most);
}

static bool read_integer(int *value, const json_t *object, const char *name, int least, int most, const char *path,
                         Error *error) {
    const json_t *member = json_object_get(object, name);
    const json_int_t number = json_integer_value(member);
    *value = (int)number;
    return (json_is_integer(member) && number >= least && number <= most) ||
           fail_input(error,
                      "%s: \"rotation\" needs \"%s\", a whole number from %d to %d; the file is damaged, or was edited "
                      "by hand",
                      path, name, least, most);
}

static bool read_stretch(Stretch *stretch, int *pairs, const json_t *object, const char *path, Error *error) {
    const json_t *factors = json_object_get(object, "factors");
    *pairs = (int)json_array_size(factors);
    if (*pairs < 1 || *pairs > PAIRS_MOST)
        return fail_input(error,
                          "%s: \"rotation\" needs \"factors\", 1 to %d of them, and has %d; the file is damaged, or "
                          "was edited by hand",
                          path, PAIRS_MOST, *pairs);
    for (int i = 0; i < *pairs; i++) {
        const json_t *factor = json_array_get(factors, (size_t)i);
        stretch->factors[i] = json_number_value(factor);
        if (!(stretch->factors[i] >= 1e-6 && stretch->factors[i] <= 1e9))
            return fail_input(error,
                              "%s: \"factors\" of \"rotation\" holds something else than numbers from 1e-6 to 1e9; the "
                              "file is damaged, or was edited by hand",
                              path);
    }
    if (!read_integer(&stretch->unscaled, object, "unscaled_positions", 0, 1000000000, path, error) ||
        !read_number(&stretch->attention, object, "attention_factor", 1e-3, 1e3, path, error))
        return false;
    const json_t *on_unscaled = json_object_get(object, "attention_on_unscaled");
    stretch->bare_start = json_is_false(on_unscaled);
    return !on_unscaled || json_is_boolean(on_unscaled) ||
           fail_input(error,
                      "%s: \"rotation\" has \"attention_on_unscaled\", which is neither true nor false; the file is "
                      "damaged, or was edited by hand",
                      path);
}

bool stretch_from_json(RunStretch *stretch, const json_t *object, const char *path, Error *error) {
    static const Option method = {"method", OPTION_CHOICE, 0, NULL, 0, 0, METHOD_NAMES, NULL, ""};
    char label[TEXT_CAPACITY];
    snprintf(label, sizeof label, "%.400s: \"method\" of \"rotation\"", path);
    *stretch = (RunStretch){0};
    StretchRule *rule = &stretch->rule;
    const char *name = json_string_value(json_object_get(object, "method"));
    if (!option_set(&rule->method, &method, name ? name : "", label, error) ||
        !read_number(&rule->factor, object, "factor", 1, 1e6, path, error) ||
        !read_integer(&rule->original, object, "original_context", 2, 100000000, path, error))
        return false;
    if (rule->method == METHOD_DYNAMIC) return read_number(&rule->growth, object, "growth", 1, 1e6, path, error);
    if (!read_stretch(&rule->long_stretch, &rule->pairs, object, path, error)) return false;
    const json_t *search = json_object_get(object, "search"), *at_short = json_object_get(object, "short");
    stretch->loss = json_number_value(json_object_get(search, "loss"));
    stretch->evaluations = json_integer_value(json_object_get(search, "evaluations"));
    stretch->tokens = json_integer_value(json_object_get(search, "tokens"));
    if (search &&
        !(json_is_number(json_object_get(search, "loss")) && stretch->evaluations >= 1 && stretch->tokens >= 1))
        return fail_input(
            error,
            "%s: \"search\" of \"rotation\" needs \"loss\", and \"evaluations\" and \"tokens\" of at least "
            "1; the file is damaged, or was edited by hand",
            path);
    int pairs = rule->pairs;
    rule->has_short = at_short;
    if (at_short && !read_stretch(&rule->short_stretch, &pairs, at_short, path, error)) return false;
    return pairs == rule->pairs ||
           fail_input(
               error,
               "%s: \"rotation\" has %d factors, and %d for short windows; the file is damaged, or was edited by hand",
               path, rule->pairs, pairs);
}

bool stretch_apply(Position *pos, const StretchRule *rule, const char *path, Error *error) {
    if (rule->original == 0) return true;
    if (!pos->scheme->theta)
        return fail_input(error, "%s: the scheme %s has no rotations that could be stretched; take \"rotation\" out",
                          path, pos->scheme->name);
    if (rule->method != METHOD_DYNAMIC && rule->pairs != rotary_pairs(pos))
        return fail_input(
            error,
            "%s: \"rotation\" has %d factors, but a head has %d pairs; the file is damaged, or was edited by hand",
            path, rule->pairs, rotary_pairs(pos));
    pos->stretch = *rule;
    return true;
}
