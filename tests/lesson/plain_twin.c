// lesson/plain.c with access to its static arrays and functions.
#include "tests/lesson/plain.h"

#ifdef REAL_DOUBLE
#define REAL double
#endif
#define WITHOUT_MAIN
#pragma GCC diagnostic ignored "-Wvla"             // of parameters, whose sizes are those of their arrays
#pragma GCC diagnostic ignored "-Wunused-function" // what only its main() calls
#include "lesson/plain.c"
#undef REAL

#include <assert.h>

_Static_assert((int)PLAIN_B == B && (int)PLAIN_T == T && (int)PLAIN_L == L && (int)PLAIN_H == H && (int)PLAIN_C == C &&
                   (int)PLAIN_V == V,
               "plain.h has the sizes of plain.c");
_Static_assert(sizeof(Parameters) % sizeof(real) == 0, "the parameters are one flat array");

// An array of p or a with its gradient in dp or da. LAYERED: of this layer.
#define WHOLE(name, in, member)                                                                                        \
    { name, (real *)in.member, (real *)d##in.member, sizeof in.member / sizeof(real), 0 }
#define LAYERED(name, in, member)                                                                                      \
    { name, (real *)in.member, (real *)d##in.member, sizeof in.member[0] / sizeof(real), 1 }

typedef struct {
    const char *name;
    real *values, *gradient;
    size_t count;
    int layered;
} Row;

static const Row parameters[] = {
    WHOLE("wte", p, wte),
    WHOLE("pos.table", p, wpe),
    WHOLE("ln_f.weight", p, lnfw),
    WHOLE("ln_f.bias", p, lnfb),
    LAYERED("ln_1.weight", p, ln1w),
    LAYERED("ln_1.bias", p, ln1b),
    LAYERED("attn.qkv.weight", p, qkvw),
    LAYERED("attn.qkv.bias", p, qkvb),
    LAYERED("attn.proj.weight", p, projw),
    LAYERED("attn.proj.bias", p, projb),
    LAYERED("ln_2.weight", p, ln2w),
    LAYERED("ln_2.bias", p, ln2b),
    LAYERED("mlp.fc.weight", p, fcw),
    LAYERED("mlp.fc.bias", p, fcb),
    LAYERED("mlp.proj.weight", p, fcprojw),
    LAYERED("mlp.proj.bias", p, fcprojb),
    {0},
};

static const Row activations[] = {
    LAYERED("x", a, x),
    LAYERED("qkv", a, qkv),
    LAYERED("heads", a, heads),
    LAYERED("x_mid", a, x_mid),
    LAYERED("hidden", a, hidden),
    WHOLE("nll", a, nll),
    {0},
};

static PlainArray find(const Row *row, const char *name, int layer) {
    while (row->name && strcmp(row->name, name) != 0) row++;
    assert(row->name && "plain.c has no such array");
    const size_t at = row->layered ? (size_t)layer * row->count : 0;
    return (PlainArray){row->values + at, row->gradient + at, row->count};
}

PlainArray plain_parameter(const char *name) {
    int layer = 0, skipped = 0;
    (void)sscanf(name, "h.%d.%n", &layer, &skipped);
    return find(parameters, name + skipped, layer);
}

PlainArray plain_activation(const char *name, int layer) {
    return find(activations, name, layer);
}

void plain_choose(const char *name) {
    memset(&adam_m, 0, sizeof adam_m);
    memset(&adam_v, 0, sizeof adam_v);
    scheme = NONE;
    while (strcmp(scheme_names[scheme], name) != 0) scheme++;
}

void plain_batch(const int *new_inputs, const int *new_targets) {
    memcpy(inputs, new_inputs, sizeof inputs);
    memcpy(targets, new_targets, sizeof targets);
}

double plain_pass(void) {
    const double loss = forward();
    backward();
    return loss;
}

double plain_step(int step, int steps) {
    return train_step(learning_rate(step, steps), step);
}
