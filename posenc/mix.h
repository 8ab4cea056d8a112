// What --pos asks for: one position scheme, or several that share a model, by layer, or added up in the same
// place. Each has a Position and Tables of its own, and its hooks are given no others.
//
//   rope                             one scheme, in all layers and heads
//   learned+alibi                    a sum: both, in all layers
//   rope*3,none                      by layers: three with rope, one without, and again from the start
//   rope@0-2,4 none@3                the same by the layers' numbers, counted from 0
#ifndef BITTER_MIX_H
#define BITTER_MIX_H

#include "posenc/scheme.h"
#include "posenc/written.h"

#define PARTS_CAPACITY 8  // schemes of a model, each with its options
#define ITEMS_CAPACITY 16 // items of --pos

// One item: a sum of schemes, and the layers in which it works.
typedef struct {
    int at;                       // where it begins in the text
    int parts;                    // of the sum
    int part[PARTS_CAPACITY];     // indices into Mix.part
    bool listed;                  // the text lists its layers; otherwise it takes turns with other items
    bool layers[LAYERS_CAPACITY]; // the listed ones
    int repeat;                   // if not listed: how many layers its turn has
} MixItem;

// The token ids that shape a text; -1 = there is none. A newline begins a new line. An empty line begins a new page,
// and of several empty lines in a row only the first does. The end of a document begins a new document.
typedef struct {
    int newline, end;
} PlaceRule;

typedef struct {
    char text[TEXT_CAPACITY]; // as it was given
    Shape shape;              // of the model
    int parts, items;
    Position part[PARTS_CAPACITY];
    int features;                      // features of all schemes together, for each token and layer
    int first_feature[PARTS_CAPACITY]; // the first of these that is the part's own
    MixItem item[ITEMS_CAPACITY];
    PlaceRule rule; // which tokens end a line or a document
} Mix;

// --- setting up ---
//
// Parse the text of --pos; mix_fit then sets it up for a model. Nothing is allocated, so there is nothing to free.
// Fails (input) with the place in the text.
bool mix_parse(Mix *mix, const char *text, Error *error);

// Set it up for a model of this shape: decide which item has which layers. Fails (input) where a layer has no item or
// two, where schemes cannot work together, and with a scheme's own sentence.
bool mix_fit(Mix *mix, const Shape *shape, Error *error);

// mix_parse and mix_fit.
bool mix_create(Mix *mix, const char *text, const Shape *shape, Error *error);

// The fewest layers that a model for a parsed text can have.
int mix_layers(const Mix *mix);

// The first layer in which the same parts work as in this one.
int mix_like(const Mix *mix, int layer);

// Fail (input) at a character of mix->text, counted from 0: the message says what is wrong there.
#define mix_fail_at(error, mix, at, ...) typed_fail(error, "--pos", (mix)->text, at, __VA_ARGS__)

// The whole text, every option spelled out. Returns its length, which mix_parse has checked to be below TEXT_CAPACITY.
size_t mix_print(const Mix *mix, char text[TEXT_CAPACITY]);

// Announce the trainable tensors of all parts: "pos.NAME", or "pos.SCHEME.NAME" where there are several parts.
void mix_params(Mix *mix, TensorTable *table);
// Set the initial values that no Init describes (the hook `init`), then call mix_project.
void mix_init(Mix *mix, uint64_t seed);
// The hook `project`. Call it after anything that writes parameters: initial values, a checkpoint, an optimiser step.
void mix_project(Mix *mix);

// --- what it is ---
//
// The part whose rotations `bitter extend` can stretch; -1 = there is none, or STRETCH_SEVERAL: more than one, or
// STRETCH_GATED: some have gates, so that each of their layers has angles of its own.
int mix_stretchable(const Mix *mix);
enum { STRETCH_SEVERAL = -2, STRETCH_GATED = -3 };
// The names of its schemes, with `between` between two of them and `last` before the last: "rope", "rope and none".
void mix_names(const Mix *mix, const char *between, const char *last, char text[TEXT_CAPACITY]);
// The bound of --random-positions: positions are drawn below it. 0 = they are 0, 1, 2 ..., or no scheme reads any.
int mix_random_bound(const Mix *mix);
// How many different coordinates training uses: the context, or the bound of --random-positions.
int mix_span(const Mix *mix);
// The longest input that all schemes are defined for; 0 = any.
int mix_max_length(const Mix *mix);
// The longest input, of at most `most` tokens, for which all formulas of a model are finite, with its parameters; if it
// is less than `most`, `why` says what goes wrong after it.
int mix_finite_length(char why[WRITTEN_WHY], const Mix *mix, int most);
// Does a scheme bring the attention op of this layer of the model?
bool mix_brings_attention(const Mix *mix, int layer);
// The floating point operations that the schemes cost a token in training (see the hook `operations`).
double mix_operations(const Mix *mix, int T);

// --- coordinates of tokens ---
//
// The place of the next token, which is `id`; *cursor, {0} at the beginning, moves past it.
Place place_next(Place *cursor, int id, PlaceRule rule);

// The same place with every coordinate n replaced by drawn[n].
static inline Place place_drawn(const Place *place, const int *drawn) {
    return (Place){drawn[place->t], drawn[place->column], drawn[place->line], drawn[place->page],
                   drawn[place->document]};
}

// Randomised positions (Ruoss et al. 2023): `count` different numbers of 0..span-1 in rising order, each choice equally
// likely, a function of key. count <= span.
void places_draw(int *drawn, int count, int span, uint64_t key);

#endif
