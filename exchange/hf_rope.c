// Rotations in config.json: "rope_scaling" and its neighbours, as transformers has them before version 5 and still
// reads them; newer files have all of it in "rope_parameters".
#include "exchange/hf_config.h"

#include "base/path.h"

#include <string.h>

static const char *const types[] = {[ROPE_PLAIN] = "default",   [ROPE_PROPORTIONAL] = "proportional",
                                    [ROPE_LINEAR] = "linear",   [ROPE_DYNAMIC] = "dynamic",
                                    [ROPE_YARN] = "yarn",       [ROPE_LLAMA3] = "llama3",
                                    [ROPE_FACTORS] = "longrope"};
enum { TYPES = sizeof types / sizeof *types, WHERE_CAPACITY = PATH_CAPACITY + 32 };
static const char original_length[] = "original_max_position_embeddings";

static json_t *factors_json(const double *factors, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, json_real(factors[i]));
    return list;
}

static json_t *scaling_json(const Rotations *r, int head) {
    if (r->kind == ROPE_PLAIN) return json_null();
    json_t *scaling = json_pack("{s:s}", "rope_type", types[r->kind]);
    if (r->kind == ROPE_PROPORTIONAL)
        json_object_set_new(scaling, "partial_rotary_factor", json_real(fraction_of(2 * r->moving, head)));
    else
        json_object_set_new(scaling, "factor", json_real(r->factor));
    if (r->kind == ROPE_YARN || r->kind == ROPE_LLAMA3 || r->kind == ROPE_FACTORS)
        json_object_set_new(scaling, original_length, json_integer(r->original));
    if (r->kind == ROPE_YARN || r->kind == ROPE_FACTORS)
        json_object_set_new(scaling, "attention_factor", json_real(r->attention));
    if (r->kind == ROPE_YARN) {
        json_object_set_new(scaling, "beta_fast", json_real(r->formula.beta_fast));
        json_object_set_new(scaling, "beta_slow", json_real(r->formula.beta_slow));
    }
    if (r->kind == ROPE_LLAMA3) {
        json_object_set_new(scaling, "low_freq_factor", json_real(r->formula.low_freq));
        json_object_set_new(scaling, "high_freq_factor", json_real(r->formula.high_freq));
    }
    if (r->kind == ROPE_FACTORS) {
        json_object_set_new(scaling, "short_factor", factors_json(r->for_short, r->pairs));
        json_object_set_new(scaling, "long_factor", factors_json(r->for_long, r->pairs));
    }
    return scaling;
}

void hf_rope_add(json_t *config, Home home, const Rotations *r, int head) {
    const bool neox = home == HOME_GPT_NEOX;
    json_object_set_new(config, neox ? "rotary_emb_base" : "rope_theta", json_real(r->base));
    if (neox) json_object_set_new(config, "rotary_pct", json_real(fraction_of(2 * r->pairs, head)));
    json_object_set_new(config, "rope_scaling", scaling_json(r, head));
}

// A number from an object that may lack it, as transformers' files do; null counts as missing.
static bool number_or(double *value, double preset, const json_t *object, const char *name, double least, double most,
                      const char *where, Error *error) {
    const json_t *member = json_object_get(object, name);
    *value = preset;
    return !member || json_is_null(member) || member_number(value, object, name, least, most, where, error);
}

static bool read_factors(double factors[PAIRS_MOST], const json_t *scaling, const char *name, int pairs,
                         const char *where, Error *error) {
    int count;
    if (!member_length(&count, scaling, name, 1, PAIRS_MOST, where, error)) return false;
    if (count != pairs)
        return fail_input(error, "%s: \"%s\" has %d factors, but a head has %d pairs that turn", where, name, count,
                          pairs);
    for (int i = 0; i < count; i++) {
        factors[i] = json_number_value(json_array_get(json_object_get(scaling, name), (size_t)i));
        if (!(factors[i] >= 1e-6 && factors[i] <= 1e9))
            return fail_input(error, "%s: \"%s\" has %g, but factors are numbers from 1e-6 to 1e9", where, name,
                              factors[i]);
    }
    return true;
}

static bool find_kind(Rotations *r, const json_t *scaling, const char *where, Error *error) {
    const json_t *member = json_object_get(scaling, "rope_type");
    const char *type = json_string_value(member ? member : json_object_get(scaling, "type"));
    for (int kind = 0; kind < TYPES; kind++)
        if (strcmp(types[kind], type ? type : "default") == 0) {
            r->kind = (RopeKind)kind;
            return true;
        }
    return fail_input(error, "%s: \"rope_type\" is %.80s, which bitter does not have", where, type);
}

// Members that change the rotations and that no kind here has.
static bool check_members(const json_t *scaling, const char *where, Error *error) {
    static const char *const unknown[] = {"mscale", "mscale_all_dim"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (json_object_get(scaling, unknown[i]) && !json_is_null(json_object_get(scaling, unknown[i])))
            return fail_input(error, "%s has \"%s\", which bitter does not have", where, unknown[i]);
    return true;
}

// The factor, and the length before it was stretched. Some kinds do not say that length; where others do not, it is
// that of the model.
static bool read_lengths(Rotations *r, const json_t *scaling, const char *where, Error *error) {
    double original = r->context;
    const bool says = r->kind == ROPE_YARN || r->kind == ROPE_LLAMA3 || r->kind == ROPE_FACTORS;
    if (says && !number_or(&original, r->context, scaling, original_length, 2, 1e8, where, error)) return false;
    const double usual = r->kind == ROPE_FACTORS ? fmax(r->context / original, 1) : 1;
    if (r->kind == ROPE_FACTORS || r->kind == ROPE_PROPORTIONAL
            ? !number_or(&r->factor, usual, scaling, "factor", 1, 1e6, where, error)
            : !member_number(&r->factor, scaling, "factor", 1, 1e6, where, error))
        return false;
    if (r->kind == ROPE_LINEAR || r->kind == ROPE_PROPORTIONAL) original = round(r->context / r->factor);
    r->original = (int)fmax(original, 2);
    return true;
}

// What the kinds of stretch have.
static bool read_stretch(Rotations *r, const json_t *scaling, const char *where, Error *error) {
    if (!read_lengths(r, scaling, where, error)) return false;
    FormulaOptions *f = &r->formula;
    const double usual = r->kind == ROPE_YARN ? 0.1 * log(r->factor) + 1 : longrope_attention(r->factor, r->original);
    const bool attends = r->kind == ROPE_YARN || r->kind == ROPE_FACTORS;
    if (attends && !number_or(&r->attention, usual, scaling, "attention_factor", 1e-3, 1e3, where, error)) return false;
    bool truncate;
    if (!boolean_or(&truncate, true, scaling, "truncate", where, error)) return false;
    if (!truncate) f->ramp = RAMP_EXACT;
    if (!number_or(&f->beta_fast, f->beta_fast, scaling, "beta_fast", 0.001, 1e6, where, error) ||
        !number_or(&f->beta_slow, f->beta_slow, scaling, "beta_slow", 0.001, 1e6, where, error) ||
        !number_or(&f->low_freq, f->low_freq, scaling, "low_freq_factor", 0.001, 1e6, where, error) ||
        !number_or(&f->high_freq, f->high_freq, scaling, "high_freq_factor", 0.001, 1e6, where, error))
        return false;
    if (f->beta_fast <= f->beta_slow || f->high_freq <= f->low_freq)
        return fail_input(error,
                          "%s: \"beta_fast\" must be above \"beta_slow\", and \"high_freq_factor\" above "
                          "\"low_freq_factor\"",
                          where);
    return r->kind != ROPE_FACTORS || (read_factors(r->for_long, scaling, "long_factor", r->pairs, where, error) &&
                                       read_factors(r->for_short, scaling, "short_factor", r->pairs, where, error));
}

// How many pairs there are, and how many turn.
static bool read_pairs(Rotations *r, Home home, const json_t *scaling, const json_t *config, int head, const char *path,
                       Error *error) {
    double share;
    const bool inside = json_object_get(scaling, "partial_rotary_factor"), neox = home == HOME_GPT_NEOX;
    if (!number_or(&share, neox ? 0.25 : 1, inside ? scaling : config,
                   inside || !neox ? "partial_rotary_factor" : "rotary_pct", 0, 1, path, error))
        return false;
    const int turned = (int)(share * head);
    r->pairs = neox ? turned / 2 : head / 2;
    r->moving = turned / 2;
    if (head % 2 || turned % 2 || r->pairs < 1 || (r->kind == ROPE_PROPORTIONAL) != (r->moving < r->pairs))
        return fail_input(error, "%s: %d of the %d channels of a head turn, and bitter has no such rotations", path,
                          turned, head);
    return r->pairs <= PAIRS_MOST || r->kind == ROPE_PLAIN || r->kind == ROPE_PROPORTIONAL ||
           fail_input(error, "%s: a head has %d pairs of channels, but at most %d can be stretched", path, r->pairs,
                      PAIRS_MOST);
}

// A copy of the object that describes the rotations. As transformers does, take "rope_parameters" only where
// "rope_scaling" is missing, null or empty, and the original length that stands beside them before that inside.
static json_t *find_scaling(char where[WHERE_CAPACITY], const json_t *config, const char *path, Error *error) {
    static const char *const names[] = {"rope_scaling", "rope_parameters"};
    const json_t *member = NULL, *original = json_object_get(config, original_length);
    for (int i = 0; i < 2 && json_object_size(member) == 0; i++) {
        member = json_object_get(config, names[i]);
        snprintf(where, WHERE_CAPACITY, "%s: \"%s\"", path, names[i]);
        if (member && !json_is_object(member) && !json_is_null(member)) {
            fail_damaged(error, where, "an object or null was expected");
            return NULL;
        }
    }
    json_t *scaling = json_is_object(member) ? json_copy((json_t *)member) : json_object();
    if (original && !json_is_null(original)) json_object_set(scaling, original_length, (json_t *)original);
    if (!scaling) fail_run(error, "%s: no memory", path);
    return scaling;
}

bool hf_rope_read(Rotations *r, Home home, const json_t *config, int head, int context, const char *path,
                  Error *error) {
    char where[WHERE_CAPACITY];
    json_t *scaling = find_scaling(where, config, path, error);
    const double base = home == HOME_SMOLLM3 ? 2000000 : 10000; // where nothing is said
    *r = (Rotations){.base = base, .context = context, .factor = 1, .attention = 1, .formula = formula_defaults};
    const bool inside = json_object_get(scaling, "rope_theta");
    const char *name = inside || home != HOME_GPT_NEOX ? "rope_theta" : "rotary_emb_base";
    const bool ok = scaling && find_kind(r, scaling, where, error) && check_members(scaling, where, error) &&
                    number_or(&r->base, base, inside ? scaling : config, name, 1.000001, 1e30, path, error) &&
                    read_pairs(r, home, scaling, config, head, path, error) &&
                    (r->kind == ROPE_PLAIN || read_stretch(r, scaling, where, error));
    json_decref(scaling);
    return ok;
}
