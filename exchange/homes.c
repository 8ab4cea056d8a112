#include "exchange/homes.h"

#include "base/option.h"

#include <stdio.h>
#include <string.h>

// Schemes that add a code to the embedding of each position become a gpt2 with that table. Nothing but the mask tells
// the positions of `none`, so its table is 0. In llm.c the table is trained, so that only a learned one belongs there.
static const struct {
    const Scheme *scheme;
    Home in[3]; // by Format
} homes[] = {
    {&scheme_learned, {HOME_GPT2, HOME_GPT2, HOME_GPT2}},
    {&scheme_none, {HOME_GPT2, HOME_GPT2, NO_HOME}},
    {&scheme_random, {HOME_GPT2, HOME_GPT2, NO_HOME}},
    {&scheme_integer, {HOME_GPT2, HOME_GPT2, NO_HOME}},
    {&scheme_normalized, {HOME_GPT2, HOME_GPT2, NO_HOME}},
    {&scheme_binary, {HOME_GPT2, HOME_GPT2, NO_HOME}},
    {&scheme_sinusoidal, {HOME_GPT2, HOME_GPT2, NO_HOME}},
    {&scheme_rope, {HOME_STARCODER2, HOME_STARCODER2, NO_HOME}},
    {&scheme_partial, {HOME_GPT_NEOX, HOME_GPT_NEOX, NO_HOME}},
    {&scheme_prope, {HOME_STARCODER2, NO_HOME, NO_HOME}},
    {&scheme_alibi, {NO_HOME, HOME_MPT, NO_HOME}},
};
enum { KNOWN = sizeof homes / sizeof *homes };

static const char *const programs[] = {"transformers", "llama.cpp", "llm.c"};

// Llama's block is a llama where GPT-2's is a starcoder2: there, too, all pairs of a head turn. Without positions it is
// a smollm3 that never rotates, which llama.cpp does not have.
static Home home_of(int row, Format format, Block block) {
    const Home home = homes[row].in[format];
    if (block == BLOCK_GPT2) return home;
    if (homes[row].scheme == &scheme_none) return format == FORMAT_HF ? HOME_SMOLLM3 : NO_HOME;
    return home == HOME_STARCODER2 ? HOME_LLAMA : NO_HOME;
}

// A model that looks for a home.
typedef struct {
    const Gpt *gpt;
    const char *name; // of its run
    Format format;
    const char *other; // "use --to hf, or " where another format has room for it, otherwise ""
} Seeker;

// The part that gives the model its positions, in all heads, but perhaps not in all layers: beside it there may be
// none. NULL = there are several.
static const Position *main_part(const Mix *mix) {
    const Position *found = &mix->part[0];
    for (const Position *pos = mix->part + 1; pos < mix->part + mix->parts; pos++) {
        if (pos->scheme == &scheme_none) continue;
        if (found->scheme != &scheme_none) return NULL;
        found = pos;
    }
    return found->scheme == &scheme_none || found->shape.heads == mix->shape.heads ? found : NULL;
}

// Fails (input): other schemes fit into this format.
static bool fail_homeless(Error *error, const Seeker *seeker, const char *scheme) {
    const Block block = seeker->gpt->shape.block;
    const char *blocks = block == BLOCK_LLAMA ? " with Llama's block" : "", *program = programs[seeker->format];
    char others[TEXT_CAPACITY] = "";
    for (int i = 0; i < KNOWN; i++)
        if (home_of(i, seeker->format, block))
            snprintf(others + strlen(others), sizeof others - strlen(others), "%s%s", *others ? ", " : "",
                     homes[i].scheme->name);
    if (!*others)
        return fail_input(error, "%s: no model of %s has Llama's block; %strain with --block gpt2", seeker->name,
                          program, seeker->other);
    return fail_input(error, "%s: no model of %s%s has positions of the scheme %s; %strain with one of these: %s",
                      seeker->name, program, blocks, scheme, seeker->other, others);
}

// Options of the model and of its scheme that its home does not have.
static bool check_options(Home home, const Position *pos, const Seeker *seeker, Error *error) {
    const Gpt *gpt = seeker->gpt;
    if (home != HOME_STARCODER2 && !is_llama(home) && key_heads(&gpt->shape) < gpt->shape.heads)
        return fail_input(error,
                          "%s: its %d heads share %d heads of keys, and the only models elsewhere that do so have "
                          "positions of the scheme rope; train it without --kv-heads",
                          seeker->name, gpt->shape.heads, key_heads(&gpt->shape));
    if (position_random_bound(pos))
        return fail_input(error,
                          "%s was trained at random positions below %d, which no other program draws; train it without "
                          "--random-positions",
                          seeker->name, position_random_bound(pos));
    Tables tables = {.pos = pos, .stretch = &pos->stretch, .positions = gpt->shape.context};
    if (home == HOME_GPT2 && pos->scheme->length_class &&
        pos->scheme->length_class(&tables, gpt->shape.context) != pos->scheme->length_class(&tables, 1))
        return fail_input(error,
                          "%s: with these options, the codes of the scheme %s depend on the length of the window, and "
                          "a table of codes cannot; train it with length=trained",
                          seeker->name, pos->scheme->name);
    if (home != HOME_MPT) return true;
    double scale;
    memcpy(&scale, pos->options + option_find(pos->scheme->options, "scale")->offset, sizeof scale);
    return scale == 1 ||
           fail_input(error, "%s has slopes multiplied by %g, and llama.cpp's are ALiBi's own; train it with scale=1",
                      seeker->name, scale);
}

// How the layers of a model differ.
typedef struct {
    bool apart;          // some have other positions than others
    bool every_fourth;   // those without rotations are the fourth, the eighth ...
    int window;          // the longest; 0 = all layers see all keys
    bool same, one_size; // all layers have this window; all that have one
} Layers;

static Layers layers_of(const Gpt *gpt, const Position *pos) {
    const Shape *s = &gpt->shape;
    Layers layers = {.apart = !pos->everywhere, .every_fourth = true, .same = true, .one_size = true};
    for (int l = 0; l < s->layers; l++) {
        const bool rotates = rotates_in(gpt, l);
        if (position_stretches(pos) && !rotates) layers.apart = true;
        if (rotates == ((l + 1) % 4 == 0)) layers.every_fourth = false;
        if (window_of(s, l) > layers.window) layers.window = window_of(s, l);
    }
    for (int l = 0; l < s->layers; l++) {
        if (window_of(s, l) != layers.window) layers.same = false;
        if (window_of(s, l) && window_of(s, l) != layers.window) layers.one_size = false;
    }
    return layers;
}

// Layers without positions, where the home is not a smollm3.
static bool check_apart(Home home, const Position *pos, const Seeker *seeker, Error *error) {
    const char *program = programs[seeker->format];
    if (home == HOME_STARCODER2 || is_llama(home))
        return fail_input(error,
                          "%s: some of its layers have no positions, and in %s only models with Llama's block have "
                          "such layers%s; %strain it with the same scheme in all layers (skip=0), or with %s",
                          seeker->name, program, is_llama(home) ? ", every fourth of them" : "", seeker->other,
                          is_llama(home) ? "--pos 'rope*3,none'" : "--block llama");
    return fail_input(error,
                      "%s: some of its layers have no positions, and no model of %s has the scheme %s in some layers "
                      "only; %strain it with the same scheme in all layers",
                      seeker->name, program, pos->scheme->name, seeker->other);
}

// Windows that the home does not have.
static bool check_windows(Home home, const Position *pos, const Layers *layers, const Seeker *seeker, Error *error) {
    const char *name = seeker->name, *program = programs[seeker->format];
    if (layers->window == 0) return true;
    if (seeker->format != FORMAT_HF)
        return fail_input(error, "%s: the models of %s that are like it have no windows; %strain it without --window",
                          name, program, seeker->other);
    if (home == HOME_SMOLLM3)
        return layers->one_size ||
               fail_input(error,
                          "%s: its layers have windows of several sizes, and models of %s have one size, beside layers "
                          "that see all keys; train it with one size, as in --window '64*5,0'",
                          name, program);
    if (home == HOME_GPT2 || home == HOME_GPT_NEOX)
        return fail_input(error,
                          "%s: no model of %s has both windows and positions of the scheme %s; train it with rope, or "
                          "without --window",
                          name, program, pos->scheme->name);
    return layers->same ||
           fail_input(error,
                      "%s: its layers have different windows, and in %s only models with Llama's block have them; "
                      "train it with --block llama, or with the same window in all layers",
                      name, program);
}

// What llama.cpp does not have among the rotations.
static bool check_rotations(const Rotations *rotations, const Seeker *seeker, Error *error) {
    return seeker->format != FORMAT_GGUF || rotations->kind == ROPE_PLAIN || rotations->kind == ROPE_LINEAR ||
           rotations->kind == ROPE_YARN ||
           fail_input(error,
                      "%s: llama.cpp has no rotations that are stretched this way (only by pi, ntk, or yarn with its "
                      "default betas); use --to hf, or stretch the run by one of these",
                      seeker->name);
}

// Among Llama's relatives, the one whose layers are like these.
static Home relative_of(const Layers *layers, Format format) {
    if (format == FORMAT_GGUF) return layers->apart && layers->every_fourth ? HOME_SMOLLM3 : HOME_LLAMA;
    if (layers->apart || !layers->same) return HOME_SMOLLM3;
    return layers->window ? HOME_MISTRAL : HOME_LLAMA;
}

static bool seek(Home *home, Rotations *rotations, const Seeker *seeker, Error *error) {
    const Gpt *gpt = seeker->gpt;
    const Position *pos = main_part(&gpt->pos);
    if (!pos)
        return fail_input(error,
                          "%s has several position schemes (%s), and no other program has such models; train it with "
                          "one, beside which layers may have none, as in --block llama --pos 'rope*3,none'",
                          seeker->name, gpt->pos.text);
    if (pos->gated)
        return fail_input(error,
                          "%s weighs its positions by trained gates, one for each layer, and no other program has "
                          "these; train it without gate=trained",
                          seeker->name);
    int row = 0;
    while (row < KNOWN && homes[row].scheme != pos->scheme) row++;
    *home = row < KNOWN ? home_of(row, seeker->format, gpt->shape.block) : NO_HOME;
    if (!*home) return fail_homeless(error, seeker, pos->scheme->name);
    const Layers layers = layers_of(gpt, pos);
    if (*home == HOME_LLAMA) *home = relative_of(&layers, seeker->format);
    return (!layers.apart || *home == HOME_SMOLLM3 || check_apart(*home, pos, seeker, error)) &&
           check_windows(*home, pos, &layers, seeker, error) && check_options(*home, pos, seeker, error) &&
           rotations_of(rotations, gpt, seeker->name, error) && check_rotations(rotations, seeker, error);
}

bool find_home(Home *home, Rotations *rotations, Format format, const Gpt *gpt, const char *name, Error *error) {
    Seeker seeker = {.gpt = gpt, .name = name, .other = ""};
    char word[TEXT_CAPACITY], other[TEXT_CAPACITY + 32] = "";
    Error ignored;
    for (seeker.format = FORMAT_HF; seeker.format <= FORMAT_LLMC && !*other; seeker.format++)
        if (seeker.format != format && seek(home, rotations, &seeker, &ignored) &&
            choice_word(FORMAT_NAMES, seeker.format, word))
            snprintf(other, sizeof other, "use --to %s, or ", word);
    seeker.format = format;
    seeker.other = other;
    return seek(home, rotations, &seeker, error);
}
