// The contrasts of a plan, and what a plan takes over from the one before it.
#include "lab/compare/plan.h"

#include <stdlib.h>
#include <string.h>

// Was the contrast named already, in either direction?
static bool is_named(const Plan *plan, const char *variant, const char *other) {
    for (int c = 0; c < plan->contrast_count; c++) {
        const Contrast *contrast = &plan->contrasts[c];
        if (strcmp(contrast->variant, variant) == 0 && strcmp(contrast->other, other) == 0) return true;
        if (strcmp(contrast->variant, other) == 0 && strcmp(contrast->other, variant) == 0) return true;
    }
    return false;
}

// Add it unless it is named already.
static bool add(Plan *plan, const Contrast *contrast, Error *error) {
    if (is_named(plan, contrast->variant, contrast->other)) return true;
    Contrast *larger = realloc(plan->contrasts, (size_t)(plan->contrast_count + 1) * sizeof *larger);
    if (!larger) return fail_run(error, "no memory for %d contrasts", plan->contrast_count + 1);
    plan->contrasts = larger;
    plan->contrasts[plan->contrast_count++] = *contrast;
    return true;
}

static Contrast contrast_of(const Plan *plan, int variant, int other, const char *named, int after) {
    Contrast contrast = {.after = after};
    memcpy(contrast.variant, plan->variants[variant].name, sizeof contrast.variant);
    memcpy(contrast.other, plan->variants[other].name, sizeof contrast.other);
    snprintf(contrast.named, sizeof contrast.named, "%s", named);
    return contrast;
}

static bool fail_unknown(const Plan *plan, const char *text, const char *name, Error *error) {
    const char *names[VARIANTS_MOST];
    for (int a = 0; a < plan->variant_count; a++) names[a] = plan->variants[a].name;
    const char *nearest = nearest_name(name, names, plan->variant_count);
    return fail_input(error, "--contrast '%.200s': %.100s is none of the schemes that are compared%s%s%s", text, name,
                      nearest ? "; did you mean " : "; name two of them", nearest ? nearest : "", nearest ? "?" : "");
}

bool plan_contrast(Plan *plan, const char *text, const char *named, int after, Error *error) {
    char variant[TEXT_CAPACITY];
    const char *minus = strstr(text, MINUS), *other = minus ? minus + strlen(MINUS) : NULL;
    if (!minus || minus == text || !*other || strstr(other, MINUS))
        return fail_input(error, "--contrast '%.200s': write the names of two schemes with ' - ' between them", text);
    snprintf(variant, sizeof variant, "%.*s", (int)(minus - text), text);
    const int a = plan_variant(plan, variant), b = plan_variant(plan, other);
    if (a < 0 || b < 0) return fail_unknown(plan, text, a < 0 ? variant : other, error);
    if (a == b) return fail_input(error, "--contrast '%.200s': a scheme minus itself is 0; name two schemes", text);
    if (is_named(plan, variant, other))
        return fail_input(error, "--contrast '%.200s' is named twice, perhaps the other way round; leave one out",
                          text);
    const Contrast contrast = contrast_of(plan, a, b, named, after);
    return add(plan, &contrast, error);
}

bool plan_default_contrasts(Plan *plan, const char *named, int after, Error *error) {
    plan->default_contrasts = true;
    for (int pass = 0; pass < 2 && plan->contrast_count == 0; pass++)
        for (int variant = 0; variant < plan->variant_count; variant++) {
            const int other = pass == 0 ? plan_designed(plan, variant) : plan->reference;
            const Contrast contrast = contrast_of(plan, variant, other < 0 ? variant : other, named, after);
            if (other >= 0 && other != variant && !add(plan, &contrast, error)) return false;
        }
    return true;
}

// Variants keep their seeds; those that join get seeds that no variant has.
static bool follow_blocks(Plan *plan, const Plan *before, Error *error) {
    int next = 0;
    for (int b = 0; b < before->variant_count; b++)
        if (before->variants[b].seed_block >= next) next = before->variants[b].seed_block + 1;
    for (int a = 0; a < plan->variant_count; a++) {
        const int b = plan_variant(before, plan->variants[a].name);
        plan->variants[a].seed_block = b >= 0 ? before->variants[b].seed_block : next++;
    }
    return next <= SEED_BLOCKS_MOST || fail_input(error, "schemes have joined too often; use another --out");
}

// Before any run is done nobody has seen a result, so contrasts that are typed take the place of the earlier ones.
static bool follow_contrasts(Plan *plan, const Plan *before, int done, Error *error) {
    const Plan mine = *plan;
    const bool replace = done == 0 && !mine.default_contrasts;
    const int count = mine.default_contrasts && !before->default_contrasts ? 0 : mine.contrast_count;
    bool ok = true;
    plan->contrasts = NULL;
    plan->contrast_count = 0;
    plan->default_contrasts = mine.default_contrasts && before->default_contrasts;
    for (int c = 0; ok && c < before->contrast_count; c++) {
        const Contrast *contrast = &before->contrasts[c];
        if (!replace || is_named(&mine, contrast->variant, contrast->other)) ok = add(plan, contrast, error);
    }
    for (int c = 0; ok && c < count; c++) ok = add(plan, &mine.contrasts[c], error);
    free(mine.contrasts);
    return ok;
}

bool plan_follow(Plan *plan, const Plan *before, int done, bool complete, Error *error) {
    if (!follow_contrasts(plan, before, done, error)) return false;
    memcpy(plan->looks, before->looks, sizeof plan->looks);
    plan->look_count = before->look_count;
    const int last = plan->look_count > 0 ? plan->looks[plan->look_count - 1] : 0;
    if (complete && plan->seeds != before->seeds && before->seeds > last)
        plan->looks[plan->look_count++] = before->seeds;
    return follow_blocks(plan, before, error);
}
