// How the gradients of a small model are checked against central differences.
#ifndef BITTER_GRADIENTS_H
#define BITTER_GRADIENTS_H

#include "model/gradcheck.h"
#include "tests/support/little_model.h"

#define TOLERANCE 1e-6

// A small model, and how it is checked.
typedef struct {
    int layers, heads, width, T, B, random_positions;
    double dropout;
    bool directions;
    Windows windows;
    int kv_heads;
    Block block;
    ScaleLogits scale_logits;
} Setting;

static inline Shape shape_of(const Setting *setting) {
    return (Shape){.vocab = 11,
                   .context = setting->T,
                   .layers = setting->layers,
                   .heads = setting->heads,
                   .width = setting->width,
                   .random_positions = setting->random_positions,
                   .windows = setting->windows,
                   .kv_heads = setting->kv_heads,
                   .block = setting->block,
                   .scale_logits = setting->scale_logits};
}

// A copy of a scheme and of its family, to be broken. Must not be moved: the scheme points at its family.
typedef struct {
    Scheme scheme;
    Family family;
} Broken;

static inline Family *broken_make(Broken *broken, const Scheme *scheme) {
    *broken = (Broken){.scheme = *scheme};
    if (scheme->family) broken->family = *scheme->family;
    broken->scheme.family = &broken->family;
    return &broken->family;
}

// The worst gradient error of a parsed scheme, and in `where` its tensor.
static inline double worst_error(GradientError *where, Mix *pos, const Setting *setting, uint64_t seed) {
    const Shape shape = shape_of(setting);
    const GradcheckSettings settings = {
        .B = setting->B, .T = setting->T, .dropout = setting->dropout, .directions = setting->directions, .seed = seed};
    GradientError *errors;
    int count;
    Error error;
    must(mix_fit(pos, &shape, &error), &error);
    must(gradcheck(&errors, &count, pos, &settings, &error), &error);
    *where = errors[0];
    for (int i = 1; i < count && !isnan(where->worst); i++)
        if (!(errors[i].worst <= where->worst)) *where = errors[i];
    const double worst = gradcheck_worst(errors, count);
    free(errors);
    return worst;
}

// The same; some schemes may try other random models: a difference across a corner, as of fire's units or between
// cope's codes, is not the gradient, and differences of path's long products have their rounding, divided by the step.
static inline double gradient_error(GradientError *where, Mix *mix, const Setting *setting) {
    bool several = false;
    double worst = NAN;
    for (int p = 0; p < mix->parts; p++)
        several |= mix->part[p].scheme->has_corners || strcmp(mix->part[p].scheme->name, "path") == 0;
    for (int seed = 1; !(worst <= TOLERANCE) && seed <= (several ? 4 : 1); seed++)
        worst = worst_error(where, mix, setting, (uint64_t)seed);
    return worst;
}

static inline void expect_gradients(const char *specification, const Setting *setting) {
    GradientError where;
    Mix mix;
    Error error;
    must(mix_parse(&mix, specification, &error), &error);
    const double worst = gradient_error(&where, &mix, setting);
    if (!(worst <= TOLERANCE))
        fail_msg("%s, T %d, first window %d: error %.2e at number %zu of %s, analytic %.9g, numeric %.9g",
                 specification, setting->T, setting->windows.keys[0], worst, where.at, where.name, where.analytic,
                 where.numeric);
}

#endif
