#include "lab/exchange/homes.h"

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

// Llama's block is a llama where GPT-2's is a starcoder2: there, too, all pairs of a head turn.
static Home home_of(int row, Format format, Block block) {
    const Home home = homes[row].in[format];
    if (block == BLOCK_GPT2) return home;
    return home == HOME_STARCODER2 ? HOME_LLAMA : NO_HOME;
}

// Fails (input): another format has room for this model, or other schemes fit into this one.
static bool fail_homeless(Error *error, Format format, const Gpt *gpt, int row, const char *name) {
    const Scheme *scheme = mix_only(&gpt->pos)->scheme;
    const Block block = gpt->shape.block;
    const char *blocks = block == BLOCK_LLAMA ? " with Llama's block" : "";
    char others[TEXT_CAPACITY] = "", word[TEXT_CAPACITY];
    Home home;
    Rotations rotations;
    Error ignored;
    for (int f = FORMAT_HF; row < KNOWN && f <= FORMAT_LLMC; f++)
        if (home_of(row, f, block) && find_home(&home, &rotations, f, gpt, name, &ignored) &&
            choice_word(FORMAT_NAMES, f, word))
            return fail_input(error, "%s: no model of %s%s has positions of the scheme %s; use --to %s", name,
                              programs[format], blocks, scheme->name, word);
    for (int i = 0; i < KNOWN; i++)
        if (home_of(i, format, block))
            snprintf(others + strlen(others), sizeof others - strlen(others), "%s%s", *others ? ", " : "",
                     homes[i].scheme->name);
    if (!*others)
        return fail_input(error, "%s: no model of %s has Llama's block; train with --block gpt2", name,
                          programs[format]);
    return fail_input(error, "%s: no model of %s%s has positions of the scheme %s; train with one of these: %s", name,
                      programs[format], blocks, scheme->name, others);
}

// Options of a scheme that its home does not have.
static bool check_options(Home home, const Gpt *gpt, const char *name, Error *error) {
    const Position *pos = mix_only(&gpt->pos);
    const bool shares = home == HOME_STARCODER2 || home == HOME_LLAMA;
    if (!shares && key_heads(&gpt->shape) < gpt->shape.heads)
        return fail_input(error,
                          "%s: its %d heads share %d heads of keys, and the only models elsewhere that do so have "
                          "positions of the scheme rope; train it without --kv-heads",
                          name, gpt->shape.heads, key_heads(&gpt->shape));
    Tables tables = {.pos = pos, .stretch = &pos->stretch, .positions = gpt->shape.context};
    if (position_random_bound(pos))
        return fail_input(error,
                          "%s was trained at random positions below %d, which no other program draws; train it without "
                          "--random-positions",
                          name, position_random_bound(pos));
    if (home == HOME_GPT2 && pos->scheme->length_class &&
        pos->scheme->length_class(&tables, gpt->shape.context) != pos->scheme->length_class(&tables, 1))
        return fail_input(error,
                          "%s: with these options, the codes of the scheme %s depend on the length of the window, and "
                          "a table of codes cannot; train it with length=trained",
                          name, pos->scheme->name);
    if (home != HOME_MPT) return true;
    double scale;
    memcpy(&scale, pos->options + option_find(pos->scheme->options, "scale")->offset, sizeof scale);
    return scale == 1 ||
           fail_input(error, "%s has slopes multiplied by %g, and llama.cpp's are ALiBi's own; train it with scale=1",
                      name, scale);
}

bool find_home(Home *home, Rotations *rotations, Format format, const Gpt *gpt, const char *name, Error *error) {
    const Position *pos = mix_only(&gpt->pos);
    if (gpt->shape.windows.period)
        return fail_input(error, "%s was trained with --window, and models with windows cannot be exported yet", name);
    if (!pos)
        return fail_input(error, "%s has several position schemes (%s), and such models cannot be exported", name,
                          gpt->pos.text);
    if (pos->gated)
        return fail_input(error,
                          "%s weighs its positions by trained gates, one for each layer, and no other program has "
                          "these; train it without gate=trained",
                          name);
    const Scheme *scheme = pos->scheme;
    int row = 0;
    while (row < KNOWN && homes[row].scheme != scheme) row++;
    *home = row < KNOWN ? home_of(row, format, gpt->shape.block) : NO_HOME;
    if (!*home) return fail_homeless(error, format, gpt, row, name);
    if (!check_options(*home, gpt, name, error)) return false;
    if (!scheme->theta) return true;
    if (!rotations_of(rotations, gpt, name, error)) return false;
    return format != FORMAT_GGUF || rotations->kind == ROPE_PLAIN || rotations->kind == ROPE_LINEAR ||
           rotations->kind == ROPE_YARN ||
           fail_input(error,
                      "%s: llama.cpp has no rotations that are stretched this way (only by pi, ntk, or yarn with its "
                      "default betas); use --to hf, or stretch the run by one of these",
                      name);
}
