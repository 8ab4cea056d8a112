// What is known of positions from elsewhere, held against this comparison.
#include "cmd/report.h"

#include <math.h>
#include <string.h>

typedef enum { RISES, DOES_NOT_RISE, TIES } Claimed;

typedef struct {
    char text[TEXT_CAPACITY + 64];
    Paired measured; // a difference of losses
    Claimed claimed; // of it
} Effect;

typedef struct {
    Effect effects[ARMS_MOST + 4];
    int count;
} Effects;

// The first arm of a scheme; -1 = none is here.
static int arm_of(const Plan *plan, const char *scheme) {
    for (int arm = 0; arm < plan->arm_count; arm++)
        if (strcmp(plan_scheme(plan, arm)->name, scheme) == 0) return arm;
    return -1;
}

static void add(Effects *all, Claimed claimed, Paired measured, const char *subject, const char *predicate) {
    Effect *effect = &all->effects[all->count];
    if (isnan(measured.sd)) return; // too few seeds, or the scheme is not defined there
    *effect = (Effect){.measured = measured, .claimed = claimed};
    snprintf(effect->text, sizeof effect->text, "%.500s %s", subject, predicate);
    all->count++;
}

// The loss from the trained length to eight times that.
static void add_past(Effects *all, const Outcome *o, int size, const char *scheme, Claimed claimed) {
    const double T = (double)o->comparison->plan.base.context;
    const int arm = arm_of(&o->comparison->plan, scheme);
    if (arm < 0) return;
    add(all, claimed, report_change(o, size, arm, "loss", T, 8 * T), scheme,
        claimed == RISES ? "fails past the trained length" : "does not fail past the trained length");
}

static void collect(Effects *all, const Outcome *o, int size) {
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->base.context;
    const int learned = arm_of(plan, "learned"), sinusoidal = arm_of(plan, "sinusoidal"), none = arm_of(plan, "none");
    add_past(all, o, size, "sinusoidal", RISES);
    add_past(all, o, size, "rope", RISES);
    add_past(all, o, size, "alibi", DOES_NOT_RISE);
    if (learned >= 0 && sinusoidal >= 0)
        add(all, TIES, outcome_paired(o, size, learned, sinusoidal, "loss", T), "learned",
            "ties sinusoidal within the trained length");
    for (int arm = 0; none >= 0 && arm < plan->arm_count; arm++)
        if (arm != none)
            add(all, RISES, outcome_paired(o, size, none, arm, "loss", T), plan->arms[arm].name, "is ahead of none");
}

// The correction makes differences harder to call, so what claims that there is none must also stand without it.
static const char *found(const Effect *effect, double p) {
    const Verdict corrected = verdict(effect->measured.mean, p),
                  alone = verdict(effect->measured.mean, effect->measured.p);
    switch (effect->claimed) {
    case RISES:
        return corrected == VERDICT_WORSE    ? "reproduced"
               : corrected == VERDICT_BETTER ? "contradicted"
                                             : "not resolved";
    case DOES_NOT_RISE:
        return corrected == VERDICT_WORSE ? "contradicted" : alone == VERDICT_WORSE ? "not resolved" : "reproduced";
    case TIES:
        return corrected != VERDICT_UNRESOLVED ? "contradicted"
               : alone != VERDICT_UNRESOLVED   ? "not resolved"
                                               : "reproduced";
    }
    return "";
}

bool report_effects(Page *page, const Outcome *o, Error *error) {
    Effects all = {.count = 0};
    double p[ARMS_MOST + 4], adjusted[ARMS_MOST + 4];
    (void)error;
    collect(&all, o, o->comparison->plan.size_count - 1);
    if (all.count == 0) return true;
    for (int i = 0; i < all.count; i++) p[i] = all.effects[i].measured.p;
    holm(adjusted, p, all.count);
    page_heading(page, "What is known from elsewhere");
    page_paragraph(page, "That nothing was found to rise, or to differ, is called reproduced as far as the interval "
                         "tells: it may hide a difference that small.");
    page_table(page, "known effects: differences of losses in nats a token");
    page_cells(page, true, "effect|measured|95%% interval|p (Holm)|here");
    for (int i = 0; i < all.count; i++) {
        const Effect *e = &all.effects[i];
        page_cells(page, false, "%s|%+.4f|%+.4f to %+.4f|%.3g|%s", e->text, e->measured.mean, e->measured.t.low,
                   e->measured.t.high, adjusted[i], found(e, adjusted[i]));
    }
    page_table_end(page);
    return true;
}
