#include "exchange/target.h"

#include "base/option.h"
#include "posenc/registry.h"
#include "posenc/rotation/angles.h"

#include <stdio.h>
#include <string.h>

// --- rotations ---

// Are these the factors of a formula, with its defaults?
static bool is_formula(const Stretch *stretch, Method method, const Rotations *r) {
    Stretch expected;
    stretch_formula(&expected, method, &formula_defaults, r->factor, r->original, r->base, r->pairs);
    for (int i = 0; i < r->pairs; i++)
        if (!(fabs(stretch->factors[i] - expected.factors[i]) <= 1e-9 * expected.factors[i])) return false;
    return method == METHOD_YARN || stretch->attention == 1; // only yarn's description has an attention factor
}

// The kind of a stretch that is the same in all windows. ntk only changes the base, so it is not a stretch.
static void find_kind(Rotations *r, const Stretch *stretch) {
    static const struct {
        Method method;
        RopeKind kind;
    } formulas[] = {
        {METHOD_PI, ROPE_LINEAR}, {METHOD_NTK, ROPE_PLAIN}, {METHOD_YARN, ROPE_YARN}, {METHOD_LLAMA3, ROPE_LLAMA3}};
    size_t i = 0, count = sizeof formulas / sizeof *formulas;
    while (i < count && !is_formula(stretch, formulas[i].method, r)) i++;
    r->kind = i < count ? formulas[i].kind : ROPE_FACTORS;
    if (r->kind == ROPE_PLAIN) r->base *= pow(r->factor, r->pairs / (r->pairs - 1.0));
}

// The only part that rotates, or NULL.
static const Position *rotary_part(const Gpt *gpt) {
    const int p = mix_stretchable(&gpt->pos);
    return p < 0 ? NULL : &gpt->pos.part[p];
}

bool rotates_in(const Gpt *gpt, int layer) {
    const Position *pos = rotary_part(gpt);
    return pos && position_layer(pos, layer) >= 0;
}

// Describe the rotations of a model with at most one kind of them.
static void rotations_of(Rotations *r, const Gpt *gpt) {
    const Position *pos = rotary_part(gpt);
    *r = (Rotations){
        .base = 10000, .context = gpt->shape.context, .factor = 1, .attention = 1, .formula = formula_defaults};
    if (!pos) return;
    const StretchRule *rule = &pos->stretch;
    const Stretch *at_long = &rule->long_stretch, *at_short = rule->has_short ? &rule->short_stretch : at_long;
    r->base = rotary_of(pos)->base;
    r->pairs = rotary_pairs(pos);
    for (int i = 0; i < r->pairs; i++) r->moving += theta_of(pos, 0, 0, i) > 0;
    r->kind = r->moving < r->pairs ? ROPE_PROPORTIONAL : ROPE_PLAIN;
    r->original = rule->original;
    if (rule->original == 0) return;
    r->factor = rule->factor;
    if (rule->method == METHOD_DYNAMIC) {
        r->kind = ROPE_DYNAMIC;
        r->context = r->original;
        r->factor = rule->growth;
        return;
    }
    r->attention = at_long->attention;
    if (!rule->has_short && r->moving == r->pairs)
        find_kind(r, at_long);
    else
        r->kind = ROPE_FACTORS;
    for (int i = 0; i < r->pairs; i++) {
        const bool moves = theta_of(pos, 0, 0, i) > 0;
        r->for_long[i] = moves ? at_long->factors[i] : STANDS_STILL;
        r->for_short[i] = moves ? at_short->factors[i] : STANDS_STILL;
    }
}

// --- architectures ---

// Schemes that add a code to the embedding of each position become a gpt2 with that table. `none` has positions from
// the mask alone, so its table is 0. llm.c trains the table, so only a learned one belongs there.
static const struct {
    const Scheme *scheme;
    Target target;
    bool in[3]; // by Format
} targets[] = {
    {&scheme_learned, TARGET_GPT2, {true, true, true}}, {&scheme_none, TARGET_GPT2, {true, true}},
    {&scheme_random, TARGET_GPT2, {true, true}},        {&scheme_integer, TARGET_GPT2, {true, true}},
    {&scheme_normalized, TARGET_GPT2, {true, true}},    {&scheme_binary, TARGET_GPT2, {true, true}},
    {&scheme_sinusoidal, TARGET_GPT2, {true, true}},    {&scheme_rope, TARGET_STARCODER2, {true, true}},
    {&scheme_partial, TARGET_GPT_NEOX, {true, true}},   {&scheme_prope, TARGET_STARCODER2, {true}},
    {&scheme_alibi, TARGET_MPT, {false, true}},
};
enum { KNOWN = sizeof targets / sizeof *targets };

static const char *const programs[] = {"transformers", "llama.cpp", "llm.c"};

// Where a model with GPT-2's block becomes a starcoder2, one with Llama's block becomes a llama: in both, all pairs of
// a head turn. Without positions, it becomes a smollm3 that never rotates, which llama.cpp does not have.
static Target target_of(int row, Format format, Block block) {
    const Target target = targets[row].in[format] ? targets[row].target : NO_TARGET;
    if (block == BLOCK_GPT2) return target;
    if (targets[row].scheme == &scheme_none) return format == FORMAT_HF ? TARGET_SMOLLM3 : NO_TARGET;
    return target == TARGET_STARCODER2 ? TARGET_LLAMA : NO_TARGET;
}

// The part that gives the model its positions, perhaps not in all layers: the other parts may only be `none`. NULL =
// there are several such parts.
static const Position *main_part(const Mix *mix) {
    const Position *found = &mix->part[0];
    for (const Position *pos = mix->part + 1; pos < mix->part + mix->parts; pos++) {
        if (pos->scheme == &scheme_none) continue;
        if (found->scheme != &scheme_none) return NULL;
        found = pos;
    }
    return found;
}

// Fails (input), and names the schemes that this format has, or another format that has the scheme of this row.
static bool fail_scheme(Error *error, int row, Format format, const Gpt *gpt, const Position *pos, const char *name) {
    const Block block = gpt->shape.block;
    char others[TEXT_CAPACITY] = "";
    const char *other = "";
    if (row < KNOWN && target_of(row, FORMAT_GGUF, block)) other = "use --to gguf, or ";
    if (row < KNOWN && target_of(row, FORMAT_HF, block)) other = "use --to hf, or ";
    for (int i = 0; i < KNOWN; i++)
        if (target_of(i, format, block))
            snprintf(others + strlen(others), sizeof others - strlen(others), "%s%s", *others ? ", " : "",
                     targets[i].scheme->name);
    if (!*others)
        return fail_input(error, "%s: no model of %s has Llama's block; %strain with --block gpt2", name,
                          programs[format], other);
    const bool axes = pos->scheme->enters == ENTERS_ROTATION && rotary_axes(pos) > 1;
    return fail_input(error, "%s: no model of %s%s has positions of the scheme %s%s; %strain with one of these: %s",
                      name, programs[format], block == BLOCK_LLAMA ? " with Llama's block" : "", pos->scheme->name,
                      axes ? " with several axes" : "", other, others);
}

// Fails (input) on options of the model or of its scheme that its target does not have.
static bool check_options(Target target, const Gpt *gpt, const Position *pos, const char *name, Error *error) {
    if (target != TARGET_STARCODER2 && !is_llama(target) && key_heads(&gpt->shape) < gpt->shape.heads)
        return fail_input(error,
                          "%s: its %d heads share %d heads of keys, and the only models elsewhere that do so have "
                          "positions of the scheme rope; train it without --kv-heads",
                          name, gpt->shape.heads, key_heads(&gpt->shape));
    Tables tables = {.pos = pos, .stretch = &pos->stretch, .positions = gpt->shape.context};
    if (target == TARGET_GPT2 && pos->scheme->length_class &&
        pos->scheme->length_class(&tables, gpt->shape.context) != pos->scheme->length_class(&tables, 1))
        return fail_input(error,
                          "%s: with these options, the codes of the scheme %s depend on the length of the window, and "
                          "a table of codes cannot; train it with length=trained",
                          name, pos->scheme->name);
    if (target != TARGET_MPT) return true;
    double scale;
    memcpy(&scale, pos->options + option_find(pos->scheme->options, "scale")->offset, sizeof scale);
    return scale == 1 ||
           fail_input(error, "%s has slopes multiplied by %g, and llama.cpp's are ALiBi's own; train it with scale=1",
                      name, scale);
}

// How the layers of a model differ.
typedef struct {
    bool apart;          // some have other positions than others
    bool every_fourth;   // those without rotations are the fourth, the eighth ...
    int window;          // the longest; 0 = all layers see all keys
    bool same, one_size; // all layers have this window; all that have a window have this one
} Layers;

static Layers layers_of(const Gpt *gpt, const Position *pos) {
    const Shape *s = &gpt->shape;
    Layers layers = {.apart = !pos->everywhere, .every_fourth = true, .same = true, .one_size = true};
    for (int l = 0; l < s->layers; l++) {
        const bool rotates = rotates_in(gpt, l);
        if (pos->scheme->stretches && !rotates) layers.apart = true;
        if (rotates == ((l + 1) % 4 == 0)) layers.every_fourth = false;
        if (window_of(s, l) > layers.window) layers.window = window_of(s, l);
    }
    for (int l = 0; l < s->layers; l++) {
        if (window_of(s, l) != layers.window) layers.same = false;
        if (window_of(s, l) && window_of(s, l) != layers.window) layers.one_size = false;
    }
    return layers;
}

// Fails (input) where the target does not have layers that differ like these.
static bool check_layers(Target target, Format format, const Layers *layers, const Position *pos, const char *name,
                         Error *error) {
    const bool rotary = target == TARGET_STARCODER2 || is_llama(target), elsewhere = rotary && format != FORMAT_HF;
    const bool sizes = is_llama(target) ? layers->one_size : layers->same; // of windows, which Hugging Face has
    const char *program = programs[format], *hf = "use --to hf, or ";
    if (layers->apart && target != TARGET_SMOLLM3)
        return fail_input(
            error,
            "%s: some of its layers have no positions, and %s has such layers only in models with rope and "
            "Llama's block%s; %strain it with the same scheme in all layers, or with --block llama --pos "
            "'rope*3,none'",
            name, program, format == FORMAT_GGUF ? ", every fourth of them" : "",
            elsewhere && is_llama(target) && sizes ? hf : "");
    if (layers->window == 0) return true;
    if (format != FORMAT_HF || !rotary)
        return fail_input(error,
                          "%s: the models of %s with positions of the scheme %s have no windows; %strain it without "
                          "--window%s",
                          name, program, pos->scheme->name, elsewhere && sizes ? hf : "",
                          format == FORMAT_HF ? ", or with rope" : "");
    return (target == TARGET_SMOLLM3 ? layers->one_size : layers->same) ||
           fail_input(
               error,
               "%s: its layers have different windows, and %s has only one size, beside layers that see all keys "
               "in models with Llama's block; train it with the same window in all layers, or as in --block llama "
               "--window '64*5,0'",
               name, program);
}

// Among Llama's relatives, the one whose layers are like these.
static Target relative_of(const Layers *layers, Format format) {
    if (format == FORMAT_GGUF) return layers->apart && layers->every_fourth ? TARGET_SMOLLM3 : TARGET_LLAMA;
    if (layers->apart || !layers->same) return TARGET_SMOLLM3;
    return layers->window ? TARGET_MISTRAL : TARGET_LLAMA;
}

bool find_target(Target *target, Rotations *rotations, Format format, const Gpt *gpt, const char *name, Error *error) {
    const Position *pos = main_part(&gpt->pos);
    if (!pos)
        return fail_input(error,
                          "%s has several position schemes (%s), and no other program has such models; train it with "
                          "one, beside which layers may have none, as in --block llama --pos 'rope*3,none'",
                          name, gpt->pos.text);
    rotations_of(rotations, gpt);
    const Rotations *r = rotations;
    const Stretch *at_long = &pos->stretch.long_stretch, *at_short = &pos->stretch.short_stretch;
    const struct {
        bool found;
        const char *what, *remedy;
    } alone[] = {
        {pos->gated, "weighs its positions by trained gates, one for each layer", "train it without gate=trained"},
        {gpt->shape.scale_logits, "multiplies its attention scores by the logarithm of the number of keys",
         "train it without --scale-logits log"},
        {position_random_bound(pos), "was trained at random positions", "train it without --random-positions"},
        {r->kind == ROPE_DYNAMIC && (r->moving < r->pairs || r->pairs == 1),
         "stretches rotations of only some pairs of channels by the dynamic method",
         "use another method of `bitter extend`"},
        {at_long->unscaled > 0 || at_short->unscaled > 0, "turns its first tokens as before (LongRoPE's n_hat)",
         "extend the run by another method, or by --method given with these factors"},
        {pos->stretch.has_short && at_short->attention != at_long->attention,
         "has another attention factor in short windows than in long ones",
         "extend the run again from the one it was made of"},
    };
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (alone[i].found)
            return fail_input(error, "%s %s, and no other program does; %s", name, alone[i].what, alone[i].remedy);
    int row = 0;
    while (row < KNOWN && targets[row].scheme != pos->scheme) row++;
    *target = row < KNOWN ? target_of(row, format, gpt->shape.block) : NO_TARGET;
    if (!*target) return fail_scheme(error, row, format, gpt, pos, name);
    const Layers layers = layers_of(gpt, pos);
    if (*target == TARGET_LLAMA) *target = relative_of(&layers, format);
    if (!check_layers(*target, format, &layers, pos, name, error) || !check_options(*target, gpt, pos, name, error))
        return false;
    return format != FORMAT_GGUF || r->kind == ROPE_PLAIN || r->kind == ROPE_LINEAR || r->kind == ROPE_YARN ||
           fail_input(error,
                      "%s: llama.cpp has no rotations that are stretched this way (only by pi, ntk, or yarn with its "
                      "default betas); use --to hf, or stretch the run by one of these",
                      name);
}
