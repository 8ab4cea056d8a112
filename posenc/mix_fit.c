// Which schemes work in which layers of a model.
#include "posenc/mix.h"
#include "posenc/written.h"

#include <stdio.h>

// Is the item a code, which is added before the layers and takes none of them?
static bool embeds(const Mix *mix, const MixItem *item) {
    for (int i = 0; i < item->parts; i++)
        if (!position_embeds(&mix->part[item->part[i]])) return false;
    return true;
}

// Is it one of those that take turns, for `repeat` layers each?
static bool takes_turns(const Mix *mix, const MixItem *item) {
    return !item->listed && !embeds(mix, item);
}

static int period_of(const Mix *mix) {
    int period = 0;
    for (int i = 0; i < mix->items; i++)
        if (takes_turns(mix, &mix->item[i])) period += mix->item[i].repeat;
    return period;
}

int mix_layers(const Mix *mix) {
    const int period = period_of(mix);
    int least = period > 0 ? period : 1;
    for (int i = 0; i < mix->items; i++)
        for (int l = least; l < LAYERS_CAPACITY; l++)
            if (mix->item[i].listed && mix->item[i].layers[l]) least = l + 1;
    return least;
}

int mix_like(const Mix *mix, int layer) {
    for (int l = 0; l < layer; l++) {
        bool same = true;
        for (const Position *pos = mix->part; pos < mix->part + mix->parts; pos++)
            same = same && (position_layer(pos, l) >= 0) == (position_layer(pos, layer) >= 0);
        if (same) return l;
    }
    return layer;
}

// Is there one item, for all layers?
static bool plain(const Mix *mix) {
    return mix->items == 1 && !mix->item[0].listed;
}

// Does the item work in this layer?
static bool works(const Mix *mix, const MixItem *item, int layer) {
    if (item->listed) return item->layers[layer];
    if (embeds(mix, item)) return true;
    int turn = layer % period_of(mix); // counted from the item's first layer
    for (const MixItem *before = mix->item; before < item; before++)
        if (takes_turns(mix, before)) turn -= before->repeat;
    return turn >= 0 && turn < item->repeat;
}

// The layers in which each part works.
static void give_layers(Mix *mix) {
    for (int p = 0; p < mix->parts; p++) memset(mix->part[p].layers, 0, sizeof mix->part[p].layers);
    for (const MixItem *item = mix->item; item < mix->item + mix->items; item++)
        for (int l = 0; l < mix->shape.layers; l++)
            for (int i = 0; i < item->parts; i++) mix->part[item->part[i]].layers[l] |= works(mix, item, l);
}

// Each layer must be named once.
static bool check_cover(const Mix *mix, Error *error) {
    bool by_layers = false;
    for (int i = 0; i < mix->items; i++) by_layers |= !embeds(mix, &mix->item[i]);
    for (int l = 0; by_layers && l < mix->shape.layers; l++) {
        bool named = false;
        for (const MixItem *item = mix->item; item < mix->item + mix->items; item++) {
            if (embeds(mix, item) || !works(mix, item, l)) continue;
            if (named)
                return mix_fail_at(error, mix, item->at,
                                   "layer %d is named twice; name each once, and where one item has its @, give it to "
                                   "all",
                                   l);
            named = true;
        }
        if (!named)
            return mix_fail_at(error, mix, (int)strlen(mix->text),
                               "layer %d is not named; if it is to have no positions, give it to the scheme none", l);
    }
    return true;
}

// Does an earlier part of the item have the scheme, or the formula, of its part number `i`?
static bool named_before(const Mix *mix, const MixItem *item, int i) {
    const Position *pos = &mix->part[item->part[i]];
    for (const MixItem *other = mix->item; other <= item; other++)
        for (int j = 0; j < (other == item ? i : other->parts); j++)
            if (mix->part[other->part[j]].scheme == pos->scheme && mix->part[other->part[j]].written == pos->written)
                return true;
    return false;
}

// Why two schemes cannot work in the same layer; NULL = they can.
static const char *clash(const Scheme *a, const Scheme *b) {
    const bool a_turns = a->enters == ENTERS_ROTATION, b_turns = b->enters == ENTERS_ROTATION;
    if (a_turns && b_turns) return "both turn queries and keys, and the second would turn what the first has turned";
    if ((a_turns && b->reads_queries) || (b_turns && a->reads_queries))
        return "one turns queries and keys, and the other reads them as they were";
    if (a->attention && b->attention) return "both compute the scores themselves";
    if (a->weights && b->weights) return "both make weights of the scores";
    return NULL;
}

// What is wrong with the schemes of an item.
static bool check_schemes(const Mix *mix, const MixItem *item, Error *error) {
    const bool everywhere = !item->listed && item->repeat == 1 && (embeds(mix, item) || period_of(mix) == item->repeat);
    for (int i = 0; i < item->parts; i++) {
        const Scheme *scheme = mix->part[item->part[i]].scheme;
        if (position_embeds(&mix->part[item->part[i]]) && (!everywhere || named_before(mix, item, i)))
            return mix_fail_at(error, mix, item->at,
                               "%s is added to the embeddings, before the first layer, so it cannot be for some "
                               "layers, nor named twice; make it an item of its own, as in 'learned,rope*3,none'",
                               scheme->name);
        if (!scheme->family && item->parts > 1)
            return mix_fail_at(error, mix, item->at, "%s adds nothing to a sum; leave it out", scheme->name);
        for (int j = 0; j < i; j++) {
            const Scheme *other = mix->part[item->part[j]].scheme;
            const char *why = clash(other, scheme);
            if (why)
                return mix_fail_at(error, mix, item->at, "%s and %s cannot be added up: %s; give them different layers",
                                   other->name, scheme->name, why);
        }
    }
    return true;
}

// What is wrong with the layers of an item.
static bool check_layers(const Mix *mix, const MixItem *item, Error *error) {
    bool lists = false;
    for (int i = 0; i < mix->items; i++) lists |= mix->item[i].listed;
    if (item->repeat > 1 && lists)
        return mix_fail_at(error, mix, item->at,
                           "*%d cannot stand beside items with @; name these layers behind @, too, as in @0-%d",
                           item->repeat, item->repeat - 1);
    if (item->repeat > 1 && period_of(mix) == item->repeat)
        return mix_fail_at(error, mix, item->at, "nothing stands beside these %d layers; leave out *%d", item->repeat,
                           item->repeat);
    for (int l = mix->shape.layers; l < LAYERS_CAPACITY; l++)
        if (item->listed && item->layers[l])
            return mix_fail_at(error, mix, item->at, "there is no layer %d; --layers %d has 0 to %d", l,
                               mix->shape.layers, mix->shape.layers - 1);
    return true;
}

// Set a part up for its own shape, which counts only its own layers.
static bool fit_part(Position *pos, const Mix *mix, Error *error) {
    Shape own = mix->shape;
    if (!pos->everywhere) {
        own.layers = 0;
        for (int l = 0; l < mix->shape.layers; l++) own.layers += pos->layers[l];
        if (own.layers == 0)
            return fail_input(error, "none of the %d layers is left for %s", mix->shape.layers, pos->scheme->name);
        pos->everywhere = own.layers == mix->shape.layers;
    }
    return position_fit(pos, &own, error) && (!pos->written || written_check(pos, error));
}

// Where the part's first item begins in mix->text.
static int place_of(const Mix *mix, int part) {
    for (const MixItem *item = mix->item; item < mix->item + mix->items; item++)
        for (int i = 0; i < item->parts; i++)
            if (item->part[i] == part) return item->at;
    return 0;
}

bool mix_fit(Mix *mix, const Shape *shape, Error *error) {
    mix->shape = *shape;
    for (const MixItem *item = mix->item; item < mix->item + mix->items; item++)
        if (!check_schemes(mix, item, error) || !check_layers(mix, item, error)) return false;
    for (int p = 0; p < mix->parts; p++) mix->part[p].everywhere = plain(mix);
    if (!plain(mix)) {
        if (shape->layers > LAYERS_CAPACITY)
            return fail_input(error, "--pos '%s': layers can differ in models of up to %d layers", mix->text,
                              LAYERS_CAPACITY);
        if (period_of(mix) > shape->layers)
            return mix_fail_at(error, mix, 0, "these are schemes for %d layers, but --layers %d", period_of(mix),
                               shape->layers);
        give_layers(mix);
        if (!check_cover(mix, error)) return false;
    }
    mix->features = 0;
    for (int p = 0; p < mix->parts; p++) {
        Error reason;
        if (!fit_part(&mix->part[p], mix, &reason))
            return mix->parts == 1 ? fail_input(error, "%s", reason.message)
                                   : mix_fail_at(error, mix, place_of(mix, p), "%s", reason.message);
        mix->first_feature[p] = mix->features;
        mix->features += position_features(&mix->part[p]);
    }
    return true;
}

bool mix_create(Mix *mix, const char *text, const Shape *shape, Error *error) {
    return mix_parse(mix, text, error) && mix_fit(mix, shape, error);
}
