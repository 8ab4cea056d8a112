// Which layers of a model are whose.
#include "posenc/mix.h"

#include <stdio.h>

// Does the item stand before the layers, outside of periods and lists?
static bool before_layers(const Mix *mix, const MixItem *item) {
    for (int i = 0; i < item->parts; i++)
        if (!position_embeds(&mix->part[item->part[i]])) return false;
    return true;
}

static bool in_period(const Mix *mix, const MixItem *item) {
    return !item->listed && !before_layers(mix, item);
}

// Are there items that name their layers?
static bool beside_lists(const Mix *mix) {
    for (int i = 0; i < mix->items; i++)
        if (mix->item[i].listed) return true;
    return false;
}

static int period_of(const Mix *mix) {
    int period = 0;
    for (int i = 0; i < mix->items; i++)
        if (in_period(mix, &mix->item[i])) period += mix->item[i].repeat;
    return period;
}

int mix_layers(const Mix *mix) {
    const int period = period_of(mix);
    int least = period > 0 ? period : 1;
    for (int i = 0; i < mix->items; i++)
        for (int l = least; l < LAYERS_CAPACITY; l++)
            if (mix->item[i].listed && has_layer(&mix->item[i].layers, l)) least = l + 1;
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

// Does the item name this layer? `turn` is the first layer of the period that is the item's.
static bool names_layer(const Mix *mix, const MixItem *item, int layer, int turn, int period) {
    if (item->listed) return has_layer(&item->layers, layer);
    if (!in_period(mix, item)) return true;
    const int within = layer % period - turn;
    return within >= 0 && within < item->repeat;
}

// Is there one item, for all layers?
static bool plain(const Mix *mix) {
    return mix->items == 1 && !mix->item[0].listed;
}

// Schemes that are added to the embeddings are not named twice either.
static bool check_codes(const Mix *mix, Error *error) {
    const Scheme *seen[ITEMS_CAPACITY * PARTS_CAPACITY];
    int count = 0;
    for (const MixItem *item = mix->item; item < mix->item + mix->items; item++)
        for (int i = 0; i < item->parts; i++) {
            const Scheme *scheme = mix->part[item->part[i]].scheme;
            if (!position_embeds(&mix->part[item->part[i]])) continue;
            for (int before = 0; before < count; before++)
                if (seen[before] == scheme)
                    return mix_fail_at(error, mix, item->at, "%s is added to the embeddings twice; name it once",
                                       scheme->name);
            seen[count++] = scheme;
        }
    return true;
}

// Each layer must be named once.
static bool check_cover(const Mix *mix, int period, Error *error) {
    bool by_layers = false;
    for (int i = 0; i < mix->items; i++) by_layers |= !before_layers(mix, &mix->item[i]);
    for (int l = 0; by_layers && l < mix->shape.layers; l++) {
        const MixItem *owner = NULL;
        int turn = 0;
        for (const MixItem *item = mix->item; item < mix->item + mix->items; item++) {
            const bool named = !before_layers(mix, item) && names_layer(mix, item, l, turn, period);
            if (in_period(mix, item)) turn += item->repeat;
            if (named && owner)
                return mix_fail_at(error, mix, item->at, "layer %d is named twice; name each once%s", l,
                                   in_period(mix, owner) != in_period(mix, item)
                                       ? ", and give every item its @, because one without @ is for all layers"
                                       : "");
            if (named) owner = item;
        }
        if (!owner)
            return mix_fail_at(error, mix, (int)strlen(mix->text),
                               "layer %d is not named; if it is to have no positions, give it to the scheme none", l);
    }
    return true;
}

// What is wrong with one item, whatever the others are.
static bool check_item(const Mix *mix, const MixItem *item, Error *error) {
    const bool everywhere = !item->listed && (period_of(mix) == item->repeat || before_layers(mix, item));
    for (int i = 0; i < item->parts; i++) {
        const Scheme *scheme = mix->part[item->part[i]].scheme;
        if (position_embeds(&mix->part[item->part[i]]) && (!everywhere || item->repeat > 1))
            return mix_fail_at(
                error, mix, item->at,
                "%s is added to the embeddings, before the first layer, so it cannot be for some layers; "
                "make it an item of its own, as in 'learned,rope*3,none'",
                scheme->name);
        if (!scheme->family && item->parts > 1)
            return mix_fail_at(error, mix, item->at, "%s adds nothing to a sum; leave it out", scheme->name);
    }
    if (in_period(mix, item) && item->repeat > 1 && beside_lists(mix))
        return mix_fail_at(error, mix, item->at,
                           "*%d cannot stand beside items with @; name these layers behind @, too, as in @0-%d",
                           item->repeat, item->repeat - 1);
    if (in_period(mix, item) && item->repeat > 1 && period_of(mix) == item->repeat)
        return mix_fail_at(error, mix, item->at, "nothing stands beside these %d layers; leave out *%d", item->repeat,
                           item->repeat);
    for (int l = mix->shape.layers; l < LAYERS_CAPACITY; l++)
        if (item->listed && has_layer(&item->layers, l))
            return mix_fail_at(error, mix, item->at, "there is no layer %d; --layers %d has 0 to %d", l,
                               mix->shape.layers, mix->shape.layers - 1);
    return true;
}

// Why two schemes cannot work in the same layer; NULL = they can.
static const char *clash(const Scheme *a, const Scheme *b) {
    const bool a_turns = a->enters == ENTERS_ROTATION, b_turns = b->enters == ENTERS_ROTATION;
    if (a_turns && b_turns) return "both turn queries and keys, and the second would turn what the first has turned";
    if ((a_turns && b->reads_queries) || (b_turns && a->reads_queries))
        return "one turns queries and keys, and the other reads them as they were";
    if (a->attention && b->attention) return "both compute the scores themselves";
    return NULL;
}

static bool check_clashes(const Mix *mix, const MixItem *item, Error *error) {
    for (int i = 0; i < item->parts; i++)
        for (int j = 0; j < i; j++) {
            const Scheme *a = mix->part[item->part[j]].scheme, *b = mix->part[item->part[i]].scheme;
            const char *why = clash(a, b);
            if (why)
                return mix_fail_at(error, mix, item->at, "%s and %s cannot be added up: %s; give them different layers",
                                   a->name, b->name, why);
        }
    return true;
}

// The layers of each part.
static void give_layers(Mix *mix, int period) {
    int turn = 0;
    for (const MixItem *item = mix->item; item < mix->item + mix->items; item++) {
        for (int i = 0; i < item->parts; i++)
            for (int l = 0; l < mix->shape.layers && !mix->part[item->part[i]].everywhere; l++)
                if (names_layer(mix, item, l, turn, period)) add_layer(&mix->part[item->part[i]].layers, l);
        if (in_period(mix, item)) turn += item->repeat;
    }
}

static int layers_of(const Position *pos, int L) {
    int count = 0;
    for (int l = 0; l < L; l++) count += position_layer(pos, l) >= 0;
    return count;
}

// The part's own shape: its layers.
static bool fit_part(Position *pos, const Mix *mix, Error *error) {
    Shape own = mix->shape;
    own.layers = layers_of(pos, own.layers);
    if (own.layers == 0)
        return fail_input(error, "none of the %d layers is left for %s", mix->shape.layers, pos->scheme->name);
    pos->everywhere = own.layers == mix->shape.layers;
    return position_fit(pos, &own, error);
}

int mix_place(const Mix *mix, int part) {
    for (const MixItem *item = mix->item; item < mix->item + mix->items; item++)
        for (int i = 0; i < item->parts; i++)
            if (item->part[i] == part) return item->at;
    return 0;
}

bool mix_fit(Mix *mix, const Shape *shape, Error *error) {
    const int period = period_of(mix);
    mix->shape = *shape;
    for (const MixItem *item = mix->item; item < mix->item + mix->items; item++)
        if (!check_item(mix, item, error) || !check_clashes(mix, item, error)) return false;
    if (!plain(mix) && shape->layers > LAYERS_CAPACITY)
        return fail_input(error, "--pos '%s': layers can differ in models of up to %d layers", mix->text,
                          LAYERS_CAPACITY);
    if (!plain(mix) && period > shape->layers)
        return mix_fail_at(error, mix, 0, "these are schemes for %d layers, but --layers %d", period, shape->layers);
    if (!plain(mix) && !(check_codes(mix, error) && check_cover(mix, period, error))) return false;
    for (int p = 0; p < mix->parts; p++) {
        mix->part[p].everywhere = plain(mix);
        mix->part[p].layers = (LayerSet){0};
    }
    if (!plain(mix)) give_layers(mix, period);
    for (int p = 0, features = 0; p < mix->parts; p++) {
        Error reason;
        if (!fit_part(&mix->part[p], mix, &reason))
            return mix->parts == 1 ? fail_input(error, "%s", reason.message)
                                   : mix_fail_at(error, mix, mix_place(mix, p), "%s", reason.message);
        mix->first_feature[p] = features;
        features += position_features(&mix->part[p]);
    }
    return true;
}

bool mix_create(Mix *mix, const char *text, const Shape *shape, Error *error) {
    return mix_parse(mix, text, error) && mix_fit(mix, shape, error);
}
