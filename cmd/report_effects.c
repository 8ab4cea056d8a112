// What is known of positions from elsewhere, held against this comparison.
#include "cmd/report.h"

#include <math.h>
#include <string.h>

typedef enum { RISES, DOES_NOT_RISE, TIES } Claimed;

// Nats a token: a loss that rises by less is no failure, and losses that differ by less tie.
#define MARGIN 0.02

typedef struct {
    char text[TEXT_CAPACITY + 64];
    Paired measured; // a difference of losses
    Claimed claimed; // of it
    double margin;   // that it must rise by, must not rise by, or must not differ by
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

static void add(Effects *all, Claimed claimed, double margin, Paired measured, const char *subject,
                const char *predicate) {
    Effect *effect = &all->effects[all->count];
    if (!isnan(measured.mean) && isnan(measured.sd)) return; // too few seeds
    *effect = (Effect){.measured = measured, .claimed = claimed, .margin = margin};
    snprintf(effect->text, sizeof effect->text, "%.500s %s", subject, predicate);
    all->count++;
}

// The loss from the trained length to eight times that.
static void add_past(Effects *all, const Outcome *o, int size, const char *scheme, Claimed claimed) {
    const double T = (double)o->comparison->plan.base.context;
    const int arm = arm_of(&o->comparison->plan, scheme);
    if (arm < 0) return;
    add(all, claimed, MARGIN, report_change(o, size, arm, "loss", T, 8 * T), o->comparison->plan.arms[arm].name,
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
        add(all, TIES, MARGIN, outcome_paired(o, size, learned, sinusoidal, "loss", T), plan->arms[learned].name,
            "ties sinusoidal within the trained length");
    for (int arm = 0; none >= 0 && arm < plan->arm_count; arm++)
        if (arm != none)
            add(all, RISES, 0, outcome_paired(o, size, none, arm, "loss", T), plan->arms[arm].name, "is ahead of none");
}

// An effect is reproduced, or contradicted, when all of the interval says so, and a difference only when its p, which
// is corrected for the number of effects, does.
static const char *found(const Effect *effect, double p) {
    const Interval in = effect->measured.t;
    const double margin = effect->margin;
    const bool differs = verdict(effect->measured.mean, p) != VERDICT_UNRESOLVED;
    const bool rises = differs && in.low > margin, falls = differs && in.high < -margin;
    bool reproduced = false, contradicted = false;
    switch (effect->claimed) {
    case RISES:
        reproduced = rises;
        contradicted = margin > 0 ? in.high < margin : falls;
        break;
    case DOES_NOT_RISE:
        reproduced = in.high < margin;
        contradicted = rises;
        break;
    case TIES:
        reproduced = in.low > -margin && in.high < margin;
        contradicted = rises || falls;
        break;
    }
    return reproduced ? "reproduced" : contradicted ? "contradicted" : "not resolved";
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
    page_paragraph(
        page,
        "To fail past the trained length is to lose more than %.2f nats a token from there to eight times as "
        "far, and to tie is to differ by less than that. Reproduced, or contradicted, is what the whole "
        "interval bears out; p-values are corrected among these effects.",
        MARGIN);
    page_table(page, "known effects: differences of losses in nats a token");
    page_cells(page, true, "effect|measured|95%% interval|p (Holm)|here");
    for (int i = 0; i < all.count; i++) {
        const Effect *e = &all.effects[i];
        if (isnan(e->measured.mean))
            page_cells(page, false, "%s|-|-|-|diverged", e->text);
        else
            page_cells(page, false, "%s|%+.4f|%+.4f to %+.4f|%.3g|%s", e->text, e->measured.mean, e->measured.t.low,
                       e->measured.t.high, adjusted[i], found(e, adjusted[i]));
    }
    page_table_end(page);
    return true;
}
