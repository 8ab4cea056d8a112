#include "model/transfer.h"

#include "posenc/registry.h"

#include <assert.h>
#include <stdio.h>

static const Tensor *tensor_of(const Gpt *gpt, const Position *pos, int param) {
    return &gpt->tensors.items[pos->tensors[param]];
}

// The part of `from` with the same scheme as `part`, the first one for the first one of `to`, and so on; NULL = none.
static const Position *counterpart(const Mix *from, const Mix *to, const Position *part) {
    int before = 0;
    for (const Position *p = to->part; p < part; p++) before += p->scheme == part->scheme;
    for (const Position *p = from->part; p < from->part + from->parts; p++)
        if (p->scheme == part->scheme && before-- == 0) return p;
    return NULL;
}

// Does the tensor have numbers for each layer, while the two parts work in different layers?
static bool other_layers(const Position *a, const Position *b, const Gpt *gpt, int param) {
    const bool gates = a->gated && param == a->param_count - 1 && gate_count(a) > 1;
    if (a->sets == 1 && !a->scheme->feature_count && !gates) return false;
    for (int l = 0; l < gpt->shape.layers; l++)
        if ((position_layer(a, l) < 0) != (position_layer(b, l) < 0)) return true;
    return false;
}

// Append the "SCHEME.NAME" of a tensor to `said`; *head goes before the first.
static void tell(char said[TEXT_CAPACITY], const char **head, const char *scheme, const char *name) {
    const size_t used = strlen(said);
    const int more = snprintf(said + used, TEXT_CAPACITY - used, "%s%s%s.%s", used && strlen(*head) > 2 ? "; " : "",
                              *head, scheme, name);
    if ((size_t)more >= TEXT_CAPACITY - used) memcpy(said + TEXT_CAPACITY - 4, "...", 4);
    *head = ", ";
}

static void tell_param(char said[TEXT_CAPACITY], const char **head, const Gpt *gpt, const Position *pos, int param) {
    tell(said, head, pos->scheme->name, tensor_of(gpt, pos, param)->name + strlen(pos->prefix));
}

// Do the tensors have a number for the same thing each? As many numbers may be of heads here and of layers there.
static bool same_numbers(const Position *to, int param, const Tensor *into, const Position *from, const Tensor *of) {
    const bool gates = to->gated && param == to->param_count - 1; // of layers in any case
    return into->shape[0] == of->shape[0] && into->shape[1] == of->shape[1] && (gates || to->sets == from->sets);
}

// Copy the tensors of a part, and mark them in `taken` and `used`. Fails (input) when a table with numbers for each
// position has another length. Of a longer table of `learned`, the first rows are taken, unless positions are random.
static bool take_part(bool taken[PARAMS_CAPACITY], bool used[PARAMS_CAPACITY], Gpt *gpt, Position *to, const Gpt *other,
                      const Position *from, const char *name, Error *error) {
    const bool scattered = position_random_bound(to) || position_random_bound(from);
    for (int i = 0; i < to->param_count; i++)
        for (int j = 0; j < from->param_count; j++) {
            const Tensor *into = tensor_of(gpt, to, i), *of = tensor_of(other, from, j);
            if (strcmp(into->name + strlen(to->prefix), of->name + strlen(from->prefix)) != 0) continue;
            const bool table = (to->scheme == &scheme_learned || to->scheme == &scheme_table) && j == 0,
                       longer = to->scheme == &scheme_learned && of->count > into->count && !scattered;
            if (table && of->count != into->count && !longer && to->sets == from->sets)
                return fail_input(error, "--init %s: its %s has %zu numbers, this model's %zu; use the same --%s", name,
                                  of->name, of->count, into->count, scattered ? "random-positions" : "context");
            if (!(same_numbers(to, i, into, from, of) || (table && longer)) || other_layers(to, from, gpt, i)) continue;
            memcpy(to->params[i], from->params[j], into->count * sizeof(real));
            taken[i] = used[j] = true;
        }
    return true;
}

bool gpt_transfer(Gpt *gpt, char said[TEXT_CAPACITY], const Gpt *from, const char *name, Error *error) {
    bool taken[PARTS_CAPACITY][PARAMS_CAPACITY] = {0}, used[PARTS_CAPACITY][PARAMS_CAPACITY] = {0};
    const Mix *own = &gpt->pos, *other = &from->pos;
    for (int p = 0; p < own->parts; p++) {
        const Position *like = counterpart(other, own, &own->part[p]);
        if (like && !take_part(taken[p], used[like - other->part], gpt, &gpt->pos.part[p], from, like, name, error))
            return false;
    }
    const char *begin = "new, with initial values: ", *left = "not taken over: ";
    *said = 0;
    for (int p = 0; p < own->parts; p++)
        for (int i = 0; i < own->part[p].param_count; i++)
            if (!taken[p][i]) tell_param(said, &begin, gpt, &own->part[p], i);
    if (gpt->shape.scale_logits && !from->shape.scale_logits) tell(said, &begin, "attn", "logit_scale");
    for (int p = 0; p < other->parts; p++)
        for (int i = 0; i < other->part[p].param_count; i++)
            if (!used[p][i]) tell_param(said, &left, from, &other->part[p], i);
    if (from->shape.scale_logits && !gpt->shape.scale_logits) tell(said, &left, "attn", "logit_scale");
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *to = &gpt->tensors.items[i], *of = tensor_find(&from->tensors, to->name);
        if (to->position) continue;
        assert(of ? of->count == to->count : gpt->shape.scale_logits); // otherwise the shapes are equal
        if (!of) continue;
        memcpy(gpt->params + to->offset, from->params + of->offset, to->count * sizeof(real));
    }
    mix_project(&gpt->pos);
    return true;
}
