// config.json: the model's words and sizes, what differs from layer to layer, and rotations. Each part is written and
// read side by side.
#include "exchange/exchange.h"

#include "base/file/text.h"
#include "base/path.h"
#include "data/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS_MOST = 1000, LENGTH_MOST = 10000000, WHERE_CAPACITY = PATH_CAPACITY + 32 };

// What transformers calls the sizes: in gpt2, and in all others.
typedef struct {
    const char *layers, *heads, *width, *context, *inner;
} SizeNames;
static const SizeNames gpt2_names = {"n_layer", "n_head", "n_embd", "n_positions", "n_inner"},
                       other_names = {"num_hidden_layers", "num_attention_heads", "hidden_size",
                                      "max_position_embeddings", "intermediate_size"};

static const SizeNames *names_of(Target target) {
    return target == TARGET_GPT2 ? &gpt2_names : &other_names;
}

static const struct {
    const char *type, *class;
} words[TARGETS] = {
    [TARGET_GPT2] = {"gpt2", "GPT2LMHeadModel"},          [TARGET_STARCODER2] = {"starcoder2", "Starcoder2ForCausalLM"},
    [TARGET_LLAMA] = {"llama", "LlamaForCausalLM"},       [TARGET_MISTRAL] = {"mistral", "MistralForCausalLM"},
    [TARGET_SMOLLM3] = {"smollm3", "SmolLM3ForCausalLM"}, [TARGET_GPT_NEOX] = {"gpt_neox", "GPTNeoXForCausalLM"},
};

// Members that have a fixed `value`, in JSON, because bitter's blocks have no other; `preset` is what transformers
// assumes when the member is missing, or NULL if it does not matter in a file that is read.
enum {
    GPT2 = 1 << TARGET_GPT2,
    STARCODER2 = 1 << TARGET_STARCODER2,
    LLAMA = 1 << TARGET_LLAMA,
    MISTRAL = 1 << TARGET_MISTRAL,
    SMOLLM3 = 1 << TARGET_SMOLLM3,
    NEOX = 1 << TARGET_GPT_NEOX,
    LLAMAS = LLAMA | MISTRAL | SMOLLM3
};
static const struct {
    int targets;
    const char *name, *value, *preset;
} musts[] = {
    {GPT2, "activation_function", "\"gelu_new\"", "\"gelu_new\""},
    {STARCODER2, "hidden_act", "\"gelu_pytorch_tanh\"", "\"gelu_pytorch_tanh\""},
    {LLAMAS, "hidden_act", "\"silu\"", "\"silu\""},
    {NEOX, "hidden_act", "\"gelu_new\"", "\"gelu\""},
    {GPT2, "layer_norm_epsilon", "1e-05", "1e-05"},
    {STARCODER2, "norm_epsilon", "1e-05", "1e-05"},
    {LLAMAS, "rms_norm_eps", "1e-05", "1e-06"},
    {NEOX, "layer_norm_eps", "1e-05", "1e-05"},
    {GPT2 | STARCODER2 | SMOLLM3, "tie_word_embeddings", "true", "true"},
    {LLAMA | MISTRAL | NEOX, "tie_word_embeddings", "true", "false"},
    {GPT2, "scale_attn_weights", "true", "true"},
    {GPT2, "scale_attn_by_inverse_layer_idx", "false", "false"},
    {GPT2, "add_cross_attention", "false", "false"},
    {STARCODER2, "use_bias", "true", "true"},
    {LLAMA | SMOLLM3, "attention_bias", "false", "false"},
    {LLAMA | SMOLLM3, "mlp_bias", "false", "false"},
    {NEOX, "use_parallel_residual", "false", "true"},
    {NEOX, "attention_bias", "true", "true"},
    {GPT2, "resid_pdrop", "0.0", NULL},
    {GPT2, "embd_pdrop", "0.0", NULL},
    {GPT2, "attn_pdrop", "0.0", NULL},
    {STARCODER2, "residual_dropout", "0.0", NULL},
    {STARCODER2, "embedding_dropout", "0.0", NULL},
    {NEOX, "hidden_dropout", "0.0", NULL},
    {STARCODER2 | LLAMAS | NEOX, "attention_dropout", "0.0", NULL},
};
enum { MUSTS = sizeof musts / sizeof *musts };

// --- members that may be missing; null counts as missing ---

static bool is_missing(const json_t *object, const char *name) {
    const json_t *member = json_object_get(object, name);
    return !member || json_is_null(member);
}

static bool number_or(double *value, double preset, const json_t *object, const char *name, double least, double most,
                      const char *where, Error *error) {
    *value = preset;
    return is_missing(object, name) || member_number(value, object, name, least, most, where, error);
}

// Here null is a mistake, as it is in transformers.
static bool boolean_or(bool *value, bool preset, const json_t *object, const char *name, const char *where,
                       Error *error) {
    const json_t *member = json_object_get(object, name);
    *value = member ? json_is_true(member) : preset;
    return !member || json_is_boolean(member) || fail_damaged(error, where, "\"%s\" must be true or false", name);
}

// --- layers: rotations ("no_rope_layers") and windows ("sliding_window", with "layer_types") ---
// A query of a layer with a window W sees the keys j > i - W, as in model/ops/attention.h.

// Do all layers of these models have the same window, or none?
static bool has_one_window(Target target) {
    return target == TARGET_STARCODER2 || target == TARGET_MISTRAL;
}

static json_t *window_json(int keys) {
    return keys ? json_integer(keys) : json_null();
}

static void add_layers(json_t *config, Target target, const Gpt *gpt) {
    const Shape *s = &gpt->shape;
    if (has_one_window(target)) json_object_set_new(config, "sliding_window", window_json(window_of(s, 0)));
    if (target != TARGET_SMOLLM3) return;
    json_t *rotating = json_array(), *types = json_array();
    int window = 0;
    for (int l = 0; l < s->layers; l++) {
        json_array_append_new(rotating, json_integer(rotates_in(gpt, l)));
        json_array_append_new(types, json_string(window_of(s, l) ? "sliding_attention" : "full_attention"));
        if (window_of(s, l)) window = window_of(s, l);
    }
    json_object_set_new(config, "no_rope_layers", rotating);
    json_object_set_new(config, "layer_types", types);
    json_object_set_new(config, "use_sliding_window", json_boolean(window));
    json_object_set_new(config, "sliding_window", window_json(window));
    json_object_set_new(config, "pad_token_id", json_null()); // it would be 128004
}

// For each layer, yes or no.
typedef struct {
    int count;
    bool of[LAYERS_MOST];
} Layers;

static bool in_all(const Layers *layers, bool value) {
    for (int l = 0; l < layers->count; l++)
        if (layers->of[l] != value) return false;
    return true;
}

// Read the list `name` of a config, which says `yes` or `no` of each layer, in JSON.
static bool read_list(Layers *layers, const json_t *config, const char *name, const char *yes, const char *no,
                      const char *path, Error *error) {
    const json_t *list = json_object_get(config, name);
    if (!json_is_array(list)) return fail_damaged(error, path, "\"%s\" must be a list or null", name);
    if (json_array_size(list) != (size_t)layers->count)
        return fail_input(error, "%s: \"%s\" has %zu items, but the model %d layers; give one for each layer", path,
                          name, json_array_size(list), layers->count);
    for (int l = 0; l < layers->count; l++) {
        char *item = json_dumps(json_array_get(list, (size_t)l), JSON_ENCODE_ANY);
        layers->of[l] = item && strcmp(item, yes) == 0;
        const bool known = layers->of[l] || (item && strcmp(item, no) == 0);
        if (!known)
            fail_input(error, "%s: item %d of \"%s\" is %.80s, but bitter has %s and %s", path, l + 1, name,
                       item ? item : "too large", yes, no);
        free(item);
        if (!known) return false;
    }
    return true;
}

// Which layers rotate, and which have a window, of *window keys. A smollm3 that does not list them leaves out the
// rotations of every fourth layer, and gives a window to those that do not rotate; a mistral that does not say its
// window has 4096.
static bool read_layer_kinds(Layers *rotating, Layers *slides, long long *window, Target target, const json_t *config,
                             const char *path, Error *error) {
    const bool one = has_one_window(target);
    long long interval = 4;
    bool use;
    if (!one && json_object_get(config, "no_rope_layer_interval") &&
        !member_integer(&interval, config, "no_rope_layer_interval", 1, LENGTH_MOST, path, error))
        return false;
    for (int l = 0; l < rotating->count; l++) rotating->of[l] = one || (l + 1) % interval != 0;
    if (!one && !is_missing(config, "no_rope_layers") &&
        !read_list(rotating, config, "no_rope_layers", "1", "0", path, error))
        return false;
    *window = target == TARGET_MISTRAL && !json_object_get(config, "sliding_window") ? 4096 : 0;
    if (!boolean_or(&use, false, config, "use_sliding_window", path, error) ||
        (!is_missing(config, "sliding_window") &&
         !member_integer(window, config, "sliding_window", 1, LENGTH_MOST, path, error)))
        return false;
    for (int l = 0; l < slides->count; l++) slides->of[l] = *window && (one || (use && !rotating->of[l]));
    if (is_missing(config, "layer_types")) return true;
    if (!read_list(slides, config, "layer_types", "\"sliding_attention\"", "\"full_attention\"", path, error))
        return false;
    if (one && !in_all(slides, *window > 0))
        return fail_input(error,
                          "%s: \"layer_types\" and \"sliding_window\" disagree; a model of this type has the same "
                          "window in all layers, or none",
                          path);
    return one || in_all(slides, false) || (use && *window) ||
           fail_input(error, "%s: \"layer_types\" has sliding_attention, but \"%s\" is %s", path,
                      use ? "sliding_window" : "use_sliding_window", use ? "missing" : "not true");
}

// The text of --pos or --window, where `yes` and `no` stand for the layers that have it and those that do not: one
// period, as in "rope*3,none" or "64*5,0". It follows from the member `member`.
static bool print_layers(char option[TEXT_CAPACITY], const Layers *layers, const char *yes, const char *no,
                         const char *member, const char *path, Error *error) {
    Text text = {0};
    int period = 1;
    for (int l = 1; l < layers->count; l++)
        if (layers->of[l] != layers->of[l - period]) l = ++period - 1; // try the next
    for (int l = 0, next; l < period; l = next) {
        for (next = l + 1; next < period && layers->of[next] == layers->of[l];) next++;
        text_print(&text, "%s%s", l ? "," : "", layers->of[l] ? yes : no);
        if (next > l + 1) text_print(&text, "*%d", next - l);
    }
    const bool fits = !text.failed && text.size < TEXT_CAPACITY;
    if (fits) snprintf(option, TEXT_CAPACITY, "%.*s", (int)text.size, text.bytes);
    text_free(&text);
    return fits ||
           fail_input(error, "%s: \"%s\" differs too often between %d layers for bitter", path, member, layers->count);
}

// Set o->window, and let o->pos, which is the scheme of the layers that rotate, become that of all layers.
static bool read_layers(TrainOptions *o, Target target, const json_t *config, const char *path, Error *error) {
    Layers rotating = {.count = (int)o->layers}, slides = {.count = (int)o->layers};
    const json_t *ignored = json_object_get(config, "sliding_window");
    long long window;
    char scheme[TEXT_CAPACITY], keys[32];
    // In other models, transformers uses it only to limit the keys that it keeps while it generates.
    if (!has_one_window(target) && target != TARGET_SMOLLM3)
        return !json_is_integer(ignored) || json_integer_value(ignored) >= o->context ||
               fail_input(error, "%s: \"sliding_window\" is %lld, but models of this type have no windows", path,
                          (long long)json_integer_value(ignored));
    if (!read_layer_kinds(&rotating, &slides, &window, target, config, path, error)) return false;
    memcpy(scheme, o->pos, sizeof scheme);
    snprintf(keys, sizeof keys, "%lld", window);
    *o->window = 0;
    return print_layers(o->pos, &rotating, scheme, "none", "no_rope_layers", path, error) &&
           (in_all(&slides, false) || print_layers(o->window, &slides, keys, "0", "layer_types", path, error));
}

// --- rotations: "rope_scaling" and its neighbours, as transformers has them before version 5 and still reads them;
// newer files have all of it in "rope_parameters" ---

static const char *const types[] = {[ROPE_PLAIN] = "default",   [ROPE_PROPORTIONAL] = "proportional",
                                    [ROPE_LINEAR] = "linear",   [ROPE_DYNAMIC] = "dynamic",
                                    [ROPE_YARN] = "yarn",       [ROPE_LLAMA3] = "llama3",
                                    [ROPE_FACTORS] = "longrope"};
enum { TYPES = sizeof types / sizeof *types };
static const char original_length[] = "original_max_position_embeddings";

// The fraction x of `whole` for which (int)(x * whole) is `part`, which division alone does not always give.
static double fraction_of(int part, int whole) {
    double x = (double)part / whole;
    while ((int)(x * whole) < part) x = nextafter(x, 2);
    return x;
}

// The numbers that describe a stretch, of the kinds that have them.
#define KIND(kind) (1u << (kind))
static const struct {
    const char *name;
    size_t offset; // in Rotations
    unsigned kinds;
    double least, most;
} numbers[] = {
    {"factor", offsetof(Rotations, factor), ~KIND(ROPE_PROPORTIONAL), 1, 1e6},
    {"attention_factor", offsetof(Rotations, attention), KIND(ROPE_YARN) | KIND(ROPE_FACTORS), 1e-3, 1e3},
    {"beta_fast", offsetof(Rotations, formula.beta_fast), KIND(ROPE_YARN), 0.001, 1e6},
    {"beta_slow", offsetof(Rotations, formula.beta_slow), KIND(ROPE_YARN), 0.001, 1e6},
    {"low_freq_factor", offsetof(Rotations, formula.low_freq), KIND(ROPE_LLAMA3), 0.001, 1e6},
    {"high_freq_factor", offsetof(Rotations, formula.high_freq), KIND(ROPE_LLAMA3), 0.001, 1e6},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

// Does its description have the length before the stretch?
static bool has_original(RopeKind kind) {
    return kind == ROPE_YARN || kind == ROPE_LLAMA3 || kind == ROPE_FACTORS;
}

static json_t *scaling_json(const Rotations *r, int head) {
    if (r->kind == ROPE_PLAIN) return json_null();
    json_t *scaling = json_pack("{s:s}", "rope_type", types[r->kind]);
    if (r->kind == ROPE_PROPORTIONAL)
        json_object_set_new(scaling, "partial_rotary_factor", json_real(fraction_of(2 * r->moving, head)));
    for (int i = 0; i < NUMBERS; i++)
        if (numbers[i].kinds & KIND(r->kind))
            json_object_set_new(scaling, numbers[i].name,
                                json_real(*(const double *)((const char *)r + numbers[i].offset)));
    if (has_original(r->kind)) json_object_set_new(scaling, original_length, json_integer(r->original));
    if (r->kind != ROPE_FACTORS) return scaling;
    json_t *at_short = json_array(), *at_long = json_array();
    for (int i = 0; i < r->pairs; i++) {
        json_array_append_new(at_short, json_real(r->for_short[i]));
        json_array_append_new(at_long, json_real(r->for_long[i]));
    }
    json_object_set_new(scaling, "short_factor", at_short);
    json_object_set_new(scaling, "long_factor", at_long);
    return scaling;
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
    const json_t *member = json_object_get(scaling, is_missing(scaling, "rope_type") ? "type" : "rope_type");
    const char *type = json_string_value(member);
    int kind = 0;
    if (!type && member && !json_is_null(member))
        return fail_input(error, "%s: \"rope_type\" is no text; get the file again", where);
    while (kind < TYPES && strcmp(types[kind], type ? type : "default") != 0) kind++;
    if (kind == TYPES) return fail_input(error, "%s: \"rope_type\" is %.80s, which bitter does not have", where, type);
    r->kind = (RopeKind)kind;
    // Without a kind, other members would describe a stretch of an unknown kind, or several kinds of layers.
    static const char *const plain[] = {"rope_theta", "partial_rotary_factor", original_length};
    const char *name;
    json_object_foreach((json_t *)scaling, name, member) {
        bool known = type || json_is_null(member);
        for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) known = known || strcmp(name, plain[i]) == 0;
        if (!known)
            return fail_input(error, "%s has \"%.80s\", but no \"rope_type\", so bitter does not know what it means",
                              where, name);
    }
    if (!is_missing(scaling, "mscale") || !is_missing(scaling, "mscale_all_dim")) // they change the rotations
        return fail_input(error, "%s has \"mscale\" or \"mscale_all_dim\", which bitter does not have", where);
    return true;
}

// Read the numbers of a stretch. If the length before the stretch is missing, it is the model's; a missing factor
// follows from these two lengths where it can.
static bool read_stretch(Rotations *r, const json_t *scaling, const char *where, Error *error) {
    const bool factors = r->kind == ROPE_FACTORS;
    double original = r->context;
    if (has_original(r->kind) && !number_or(&original, r->context, scaling, original_length, 2, 1e8, where, error))
        return false;
    if (factors) r->factor = fmax(r->context / original, 1);
    if (factors || r->kind == ROPE_PROPORTIONAL
            ? !number_or(&r->factor, r->factor, scaling, "factor", 1, 1e6, where, error)
            : !member_number(&r->factor, scaling, "factor", 1, 1e6, where, error))
        return false;
    if (r->kind == ROPE_LINEAR || r->kind == ROPE_PROPORTIONAL) original = round(r->context / r->factor);
    r->original = (int)fmax(original, 2);
    if (r->kind == ROPE_YARN) r->attention = 0.1 * log(r->factor) + 1;
    if (factors) r->attention = longrope_attention(r->factor, r->original);
    for (int i = 1; i < NUMBERS; i++) { // all but the factor
        double *number = (double *)((char *)r + numbers[i].offset);
        if ((numbers[i].kinds & KIND(r->kind)) &&
            !number_or(number, *number, scaling, numbers[i].name, numbers[i].least, numbers[i].most, where, error))
            return false;
    }
    FormulaOptions *f = &r->formula;
    bool truncate;
    if (!boolean_or(&truncate, true, scaling, "truncate", where, error)) return false;
    if (!truncate) f->ramp = RAMP_EXACT;
    if (f->beta_fast <= f->beta_slow || f->high_freq <= f->low_freq)
        return fail_input(error,
                          "%s: \"beta_fast\" must be above \"beta_slow\", and \"high_freq_factor\" above "
                          "\"low_freq_factor\"",
                          where);
    return !factors || (read_factors(r->for_long, scaling, "long_factor", r->pairs, where, error) &&
                        read_factors(r->for_short, scaling, "short_factor", r->pairs, where, error));
}

static bool is_stretched(const Rotations *r) {
    return r->kind != ROPE_PLAIN && !(r->kind == ROPE_PROPORTIONAL && r->factor == 1);
}

static bool check_stretched(const Rotations *r, const char *path, Error *error) {
    return r->pairs <= PAIRS_MOST || !is_stretched(r) ||
           fail_input(error, "%s: a head has %d pairs of channels, but at most %d can be stretched", path, r->pairs,
                      PAIRS_MOST);
}

// How many pairs there are, and how many turn.
static bool read_pairs(Rotations *r, Target target, const json_t *scaling, const json_t *config, int head,
                       const char *path, Error *error) {
    double share;
    const bool inside = json_object_get(scaling, "partial_rotary_factor"), neox = target == TARGET_GPT_NEOX;
    if (!number_or(&share, neox ? 0.25 : 1, inside ? scaling : config,
                   inside || !neox ? "partial_rotary_factor" : "rotary_pct", 0, 1, path, error))
        return false;
    const int turned = (int)(share * head);
    r->pairs = neox ? turned / 2 : head / 2;
    r->moving = turned / 2;
    const bool proportional = r->kind == ROPE_PROPORTIONAL; // which rounds down to whole pairs
    if (head % 2 || (turned % 2 && !proportional) || r->pairs < 1 || (proportional ? neox : r->moving < r->pairs))
        return fail_input(error, "%s: %d of the %d channels of a head turn, and bitter has no such rotations", path,
                          turned, head);
    // A proportional one may turn out to have the factor 1 (check_stretched).
    return proportional || check_stretched(r, path, error);
}

// A copy of the object that describes the rotations. As transformers does, take "rope_parameters" only where
// "rope_scaling" is missing, null or empty, and the original length beside them before that inside.
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

static bool read_rotations(Rotations *r, Target target, const json_t *config, int head, int context, const char *path,
                           Error *error) {
    char where[WHERE_CAPACITY];
    json_t *scaling = find_scaling(where, config, path, error);
    const double base = target == TARGET_SMOLLM3 ? 2000000 : 10000; // if the config does not say
    *r = (Rotations){.base = base, .context = context, .factor = 1, .attention = 1, .formula = formula_defaults};
    const bool inside = json_object_get(scaling, "rope_theta");
    const char *name = inside || target != TARGET_GPT_NEOX ? "rope_theta" : "rotary_emb_base";
    const bool ok = scaling && find_kind(r, scaling, where, error) &&
                    number_or(&r->base, base, inside ? scaling : config, name, 1.000001, 1e30, path, error) &&
                    read_pairs(r, target, scaling, config, head, path, error) &&
                    (r->kind == ROPE_PLAIN || read_stretch(r, scaling, where, error)) &&
                    check_stretched(r, path, error);
    json_decref(scaling);
    return ok;
}

// Set the scheme, the context and the stretch of a run: rope, or prope or partial where fewer of the `head_pairs` pairs
// of a head turn.
static void rotations_to_options(TrainOptions *options, const Rotations *r, int head_pairs) {
    static const Method methods[] = {
        [ROPE_PROPORTIONAL] = METHOD_PI, [ROPE_LINEAR] = METHOD_PI,     [ROPE_DYNAMIC] = METHOD_DYNAMIC,
        [ROPE_YARN] = METHOD_YARN,       [ROPE_LLAMA3] = METHOD_LLAMA3, [ROPE_FACTORS] = METHOD_GIVEN};
    StretchRule *rule = &options->stretch;
    int moving = r->moving; // a stretched prope is described by factors alone
    while (r->kind == ROPE_FACTORS && moving > 1 && r->for_long[moving - 1] == STANDS_STILL &&
           r->for_short[moving - 1] == STANDS_STILL)
        moving--;
    options->context = r->context;
    if (r->pairs < head_pairs)
        snprintf(options->pos, TEXT_CAPACITY, "partial:fraction=%.17g,base=%.17g", fraction_of(r->pairs, head_pairs),
                 r->base);
    else if (moving < r->pairs)
        snprintf(options->pos, TEXT_CAPACITY, "prope:p=%.17g,base=%.17g", fraction_of(moving, r->pairs), r->base);
    else
        snprintf(options->pos, TEXT_CAPACITY, "rope:base=%.17g", r->base);
    if (!is_stretched(r)) return;
    *rule = (StretchRule){.method = methods[r->kind], .factor = r->factor, .original = r->original};
    if (r->kind == ROPE_DYNAMIC) {
        rule->growth = r->factor;
        return;
    }
    rule->pairs = r->pairs;
    if (r->kind == ROPE_FACTORS) {
        memcpy(rule->long_stretch.factors, r->for_long, sizeof r->for_long);
        memcpy(rule->short_stretch.factors, r->for_short, sizeof r->for_short);
        rule->has_short = memcmp(r->for_long, r->for_short, (size_t)r->pairs * sizeof *r->for_long) != 0;
        rule->short_stretch.attention = r->attention;
    } else {
        stretch_formula(&rule->long_stretch, methods[r->kind], &r->formula, r->factor, r->original, r->base, r->pairs);
    }
    rule->long_stretch.attention = r->attention;
}

// --- the whole ---

// Can its heads share keys?
static bool shares_keys(Target target) {
    return target == TARGET_STARCODER2 || is_llama(target);
}

json_t *hf_config(Target target, const Gpt *gpt, const Rotations *rotations, int end) {
    const Shape *s = &gpt->shape;
    const SizeNames *names = names_of(target);
    const bool rotates = target != TARGET_GPT2;
    json_t *const token = end >= 0 ? json_integer(end) : json_null();
    json_t *config =
        json_pack("{s:[s], s:s, s:s, s:i, s:O, s:o, s:i, s:i, s:i, s:i, s:i}", "architectures", words[target].class,
                  "model_type", words[target].type, "torch_dtype", "float32", "vocab_size", s->vocab, "bos_token_id",
                  token, "eos_token_id", token, names->layers, s->layers, names->heads, s->heads, names->width,
                  s->width, names->inner, mlp_width(s), names->context, rotates ? rotations->context : s->context);
    for (int i = 0; i < MUSTS; i++)
        if (musts[i].targets >> target & 1)
            json_object_set_new(config, musts[i].name, json_loads(musts[i].value, JSON_DECODE_ANY, NULL));
    if (shares_keys(target)) json_object_set_new(config, "num_key_value_heads", json_integer(key_heads(s)));
    add_layers(config, target, gpt);
    if (!rotates) return config;
    const bool neox = target == TARGET_GPT_NEOX;
    json_object_set_new(config, neox ? "rotary_emb_base" : "rope_theta", json_real(rotations->base));
    if (neox) json_object_set_new(config, "rotary_pct", json_real(fraction_of(2 * rotations->pairs, head_width(s))));
    json_object_set_new(config, "rope_scaling", scaling_json(rotations, head_width(s)));
    return config;
}

static bool find_type(Target *target, const json_t *config, const char *path, Error *error) {
    const char *type = json_string_value(json_object_get(config, "model_type"));
    if (json_object_get(config, "options"))
        return fail_input(error, "%s is that of a run of bitter, which every command reads without import", path);
    for (*target = TARGET_GPT2; type && *target < TARGETS; (*target)++)
        if (words[*target].type && strcmp(words[*target].type, type) == 0) return true;
    return fail_input(error,
                      "%s: \"model_type\" is %.80s, but bitter has only the blocks of gpt2, starcoder2, llama, "
                      "mistral, smollm3 and gpt_neox",
                      path, type ? type : "missing");
}

static bool is_tanh_gelu(const json_t *value) {
    const char *name = json_is_string(value) ? json_string_value(value) : "";
    return strcmp(name, "gelu_new") == 0 || strcmp(name, "gelu_pytorch_tanh") == 0 || strcmp(name, "gelu_fast") == 0;
}

// Numbers may have been converted to float and back, and the tanh form of GELU has several names.
static bool same_value(const json_t *a, const json_t *b) {
    if (json_is_number(a) && json_is_number(b)) return (float)json_number_value(a) == (float)json_number_value(b);
    return json_equal(a, b) || (is_tanh_gelu(a) && is_tanh_gelu(b));
}

static bool check_musts(Target target, const json_t *config, const char *path, Error *error) {
    for (int i = 0; i < MUSTS; i++) {
        if (!(musts[i].targets >> target & 1) || !musts[i].preset) continue;
        json_t *value = json_loads(musts[i].value, JSON_DECODE_ANY, NULL),
               *preset = json_loads(musts[i].preset, JSON_DECODE_ANY, NULL);
        const json_t *member = json_object_get(config, musts[i].name);
        const bool missing = !member || (json_is_null(member) && !json_is_boolean(preset)),
                   same = same_value(value, missing ? preset : member);
        char *found = json_dumps(missing ? preset : member, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        if (!same)
            fail_input(error, "%s: \"%s\" is %.80s%s, but bitter's models have %s", path, musts[i].name,
                       found ? found : "too large", missing ? " where it is missing" : "", musts[i].value);
        free(found);
        json_decref(value);
        json_decref(preset);
        if (!same) return false;
    }
    return true;
}

// The sizes that follow from others here, but not in transformers.
static bool check_sizes(Target target, const TrainOptions *o, const json_t *config, const char *path, Error *error) {
    const SizeNames *names = names_of(target);
    const Shape shape = sizes_of(o, 1);
    const int hidden = mlp_width(&shape);
    const json_t *inner = json_object_get(config, names->inner), *head = json_object_get(config, "head_dim");
    if (json_integer_value(inner) != hidden && !(target == TARGET_GPT2 && is_missing(config, names->inner)))
        return fail_input(error, "%s: \"%s\" is not %d, which is %s%d times \"%s\"%s; bitter has no such MLP", path,
                          names->inner, hidden, is_llama(target) ? "two thirds of " : "", MLP_RATIO, names->width,
                          is_llama(target) ? ", rounded up to a multiple of 32" : "");
    if (o->width % o->heads)
        return fail_input(error, "%s: %lld heads do not share the width of %lld equally; bitter's heads do", path,
                          o->heads, o->width);
    return !json_is_integer(head) || json_integer_value(head) == o->width / o->heads ||
           fail_input(error,
                      "%s: \"head_dim\" is %lld, but bitter's %lld heads share the width of %lld: it must be %lld",
                      path, (long long)json_integer_value(head), o->heads, o->width, o->width / o->heads);
}

// In Llama's relatives, every head has keys of its own if the member is null; in a llama, also if it is missing.
static bool read_key_heads(Target target, TrainOptions *o, const json_t *config, const char *path, Error *error) {
    const json_t *member = json_object_get(config, "num_key_value_heads");
    o->kv_heads = 0;
    if (!shares_keys(target) || (is_llama(target) && json_is_null(member)) || (target == TARGET_LLAMA && !member))
        return true;
    if (!member_integer(&o->kv_heads, config, "num_key_value_heads", 1, 1000, path, error)) return false;
    if (o->heads % o->kv_heads)
        return fail_input(
            error, "%s: \"num_key_value_heads\" is %lld, which %lld heads cannot share equally; bitter's heads do",
            path, o->kv_heads, o->heads);
    if (o->kv_heads == o->heads) o->kv_heads = 0; // the default
    return true;
}

// Read a size of another program's model. One that is too large for bitter does not mean that the file is damaged.
static bool member_size(long long *size, const json_t *config, const char *name, int most, const char *path,
                        Error *error) {
    const json_int_t given = json_integer_value(json_object_get(config, name));
    if (given > most)
        return fail_input(error, "%s: \"%s\" is %" JSON_INTEGER_FORMAT ", and bitter's models have at most %d", path,
                          name, given, most);
    return member_integer(size, config, name, 1, most, path, error);
}

bool hf_config_read(Target *target, TrainOptions *o, int *vocab, const json_t *config, const char *path, Error *error) {
    long long tokens;
    Rotations rotations;
    if (!find_type(target, config, path, error)) return false;
    const SizeNames *names = names_of(*target);
    o->block = is_llama(*target) ? BLOCK_LLAMA : BLOCK_GPT2;
    if (!member_size(&tokens, config, "vocab_size", TOKENIZER_VOCAB_MOST, path, error) ||
        !member_size(&o->layers, config, names->layers, LAYERS_MOST, path, error) ||
        !member_size(&o->heads, config, names->heads, 1000, path, error) ||
        !member_size(&o->width, config, names->width, 20000, path, error) ||
        !member_size(&o->context, config, names->context, LENGTH_MOST, path, error) ||
        !check_musts(*target, config, path, error) || !check_sizes(*target, o, config, path, error) ||
        !read_key_heads(*target, o, config, path, error))
        return false;
    *vocab = (int)tokens;
    if (*target == TARGET_GPT2) {
        strcpy(o->pos, "learned");
    } else {
        const int head = (int)(o->width / o->heads);
        if (!read_rotations(&rotations, *target, config, head, (int)o->context, path, error)) return false;
        rotations_to_options(o, &rotations, head / 2);
    }
    return read_layers(o, *target, config, path, error);
}
