#include "model/transfer.h"

#include "posenc/registry.h"

#include <assert.h>
#include <stdio.h>

// How many sets of numbers, one for each of the part's layers, a tensor of a position holds; 1 = all layers share them.
static int sets_of(const Position *pos, int param) {
    if (pos->gated && param == pos->param_count - 1) return gate_count(pos);
    return pos->scheme->feature_count ? pos->shape.layers : pos->sets;
}

static const Tensor *tensor_of(const Gpt *gpt, const Position *pos, int param) {
    return &gpt->tensors.items[pos->tensors[param]];
}

// Which tensor of the part has this name, behind the prefix of its names; -1 = none.
static int same_param(const Gpt *gpt, const Position *pos, const char *name) {
    for (int i = 0; i < pos->param_count; i++)
        if (strcmp(tensor_of(gpt, pos, i)->name + strlen(pos->prefix), name) == 0) return i;
    return -1;
}

// How alike two parts are: -1 when they have other schemes, 2 with the same options, 1 when both have gates or none.
static int likeness(const Position *a, const Position *b) {
    if (a->scheme != b->scheme) return -1;
    return memcmp(a->options, b->options, sizeof a->options) == 0 ? 2 : a->gated == b->gated;
}

// The part of `from` that `like`, a part of `to`, corresponds to in this layer; NULL = there is none. The parts most
// alike are paired first, and each only once: the layer may have a scheme twice.
static const Position *same_part(const Mix *from, const Mix *to, const Position *like, int layer) {
    const Position *found[PARTS_CAPACITY] = {0}; // by the parts of `to`
    bool taken[PARTS_CAPACITY] = {0};            // by those of `from`
    for (int alike = 2; alike >= 0; alike--)
        for (int p = 0; p < to->parts; p++)
            for (int q = 0; q < from->parts && !found[p]; q++) {
                if (taken[q] || likeness(&to->part[p], &from->part[q]) != alike) continue;
                if (position_layer(&to->part[p], layer) < 0 || position_layer(&from->part[q], layer) < 0) continue;
                found[p] = &from->part[q];
                taken[q] = true;
            }
    return found[like - to->part];
}

typedef struct {
    Gpt *gpt;
    const Gpt *from;
    const char *name;                          // of `from`, as the user gave it
    int used[PARTS_CAPACITY][PARAMS_CAPACITY]; // sets of numbers of `from` that were copied
} Transfer;

// Fails (input) when a table with numbers for each position has too few of them for this model, or random ones. Of a
// longer one, the first are taken.
static bool check_positions(const Transfer *t, const Position *to, const Position *from, const Tensor *into,
                            const Tensor *of, Error *error) {
    const int wanted = position_span(to), had = position_span(from);
    const bool scattered = position_random_bound(to) || position_random_bound(from);
    if (wanted == had || (wanted < had && !scattered) || of->count == into->count) return true;
    return fail_input(error, "--init %s: its %s has %zu numbers, this model's %zu; use the same --%s", t->name,
                      of->name, of->count, into->count, scattered ? "random-positions" : "context");
}

// Copy a set of numbers from the first layer where the other model has it; *copied = there is one.
static bool take_set(bool *copied, Transfer *t, Position *to, int param, int set, Error *error) {
    const Tensor *into = tensor_of(t->gpt, to, param);
    const int sets = sets_of(to, param);
    const size_t count = into->count / (size_t)sets;
    *copied = false;
    for (int layer = 0; layer < t->gpt->shape.layers && !*copied; layer++) {
        const int own = position_layer(to, layer);
        if (own < 0 || (sets > 1 && own != set)) continue;
        const Position *from = same_part(&t->from->pos, &t->gpt->pos, to, layer);
        const int same = from ? same_param(t->from, from, into->name + strlen(to->prefix)) : -1;
        if (same < 0) continue;
        const Tensor *of = tensor_of(t->from, from, same);
        const int available = sets_of(from, same), chosen = available > 1 ? position_layer(from, layer) : 0;
        const size_t size = of->count / (size_t)available;
        const bool table = to->scheme == &scheme_learned || to->scheme == &scheme_table;
        if (table && !check_positions(t, to, from, into, of, error)) return false;
        // A layer's own numbers are not copied into a tensor that all layers share.
        if ((size != count && !table) || (sets == 1 && available > 1 && to->shape.layers > 1)) continue;
        const bool columns = of->shape[1] > into->shape[1]; // positions are columns, otherwise rows
        const size_t row = columns ? (size_t)into->shape[1] : count;
        for (size_t n = 0; n < count / row; n++)
            memcpy(to->params[param] + (size_t)set * count + n * row,
                   from->params[same] + (size_t)chosen * size + n * (columns ? (size_t)of->shape[1] : row),
                   row * sizeof(real));
        t->used[from - t->from->pos.part][same]++;
        *copied = true;
    }
    return true;
}

// Append "SCHEME.NAME" of a tensor of which `done` of its sets were copied, unless all were. `head` is what stands
// before the first.
static void tell(char said[TEXT_CAPACITY], bool *begun, const char *head, const Gpt *gpt, const Position *pos,
                 int param, int done) {
    const size_t used = strlen(said);
    const int sets = sets_of(pos, param);
    const char *name = tensor_of(gpt, pos, param)->name + strlen(pos->prefix), *between = used ? "; " : "";
    char layers[64] = "";
    if (done >= sets) return;
    if (done > 0) snprintf(layers, sizeof layers, " in %d of its %d layers", sets - done, sets);
    const int more = snprintf(said + used, TEXT_CAPACITY - used, "%s%s%s.%s%s", *begun ? ", " : between,
                              *begun ? "" : head, pos->scheme->name, name, layers);
    if ((size_t)more >= TEXT_CAPACITY - used) memcpy(said + TEXT_CAPACITY - 4, "...", 4);
    *begun = true;
}

static bool take_positions(Transfer *t, char said[TEXT_CAPACITY], Error *error) {
    bool begun = false;
    for (Position *to = t->gpt->pos.part; to < t->gpt->pos.part + t->gpt->pos.parts; to++)
        for (int i = 0; i < to->param_count; i++) {
            const int sets = sets_of(to, i);
            int done = 0;
            for (int set = 0; set < sets; set++) {
                bool copied;
                if (!take_set(&copied, t, to, i, set, error)) return false;
                done += copied;
            }
            tell(said, &begun, "new, with initial values: ", t->gpt, to, i, done);
        }
    begun = false;
    for (int p = 0; p < t->from->pos.parts; p++)
        for (int i = 0; i < t->from->pos.part[p].param_count; i++)
            tell(said, &begun, "not taken over: ", t->from, &t->from->pos.part[p], i, t->used[p][i]);
    return true;
}

bool gpt_transfer(Gpt *gpt, char said[TEXT_CAPACITY], const Gpt *from, const char *name, Error *error) {
    Transfer transfer = {.gpt = gpt, .from = from, .name = name};
    *said = 0;
    if (!take_positions(&transfer, said, error)) return false;
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *to = &gpt->tensors.items[i], *of = tensor_find(&from->tensors, to->name);
        if (to->position) continue;
        assert(of && of->count == to->count); // the shapes are equal
        memcpy(gpt->params + to->offset, from->params + of->offset, to->count * sizeof(real));
    }
    mix_project(&gpt->pos);
    return true;
}
