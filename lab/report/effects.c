// Published effects of position schemes, and whether this comparison reproduces them.
#include "lab/report/sections.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef enum { RISES, DOES_NOT_RISE, TIES, FALLS } Claimed;

// Nats per token: a loss that rises by less than this is no failure, and losses that differ by less tie.
#define MARGIN 0.02

typedef struct {
    char text[TEXT_CAPACITY + 64];
    const char *source;
    Paired measured; // a difference of losses
    double p;        // its adjusted p-value, as in the other table that shows it
    Claimed claimed; // what the source says about it
    double margin;   // what counts as no change
} Effect;

typedef struct {
    Effect effects[16];
    int count;
} Effects;

// The first arm that is this scheme with its default options, because effects were published for those; -1 if none is.
static int arm_of(const Plan *plan, const char *scheme) {
    Position pos;
    Error error;
    char text[TEXT_CAPACITY];
    if (!position_parse(&pos, scheme, &error)) return -1;
    position_print(&pos, text);
    for (int arm = 0; arm < plan->arm_count; arm++)
        if (strcmp(plan->arms[arm].pos, text) == 0) return arm;
    return -1;
}

static void add(Effects *all, const Effect *effect, const char *subject, const char *predicate) {
    if (!isnan(effect->measured.mean) && isnan(effect->measured.sd)) return; // too few seeds
    assert(all->count < (int)(sizeof all->effects / sizeof *all->effects));
    Effect *added = &all->effects[all->count++];
    *added = *effect;
    snprintf(added->text, sizeof added->text, "%.500s %s", subject, predicate);
}

// Changes of the loss from the trained length to eight times that length.
static void collect_changes(Effects *all, const Outcome *o, int size) {
    static const struct {
        const char *scheme, *source, *predicate;
        Claimed claimed;
    } known[] = {{"sinusoidal", "Press et al. 2021", "fails past the trained length", RISES},
                 {"rope", "Press et al. 2021", "fails past the trained length", RISES},
                 {"alibi", "Press et al. 2021", "does not fail past the trained length", DOES_NOT_RISE}};
    const Plan *plan = &o->comparison->plan;
    Paired changes[ARMS_MOST];
    double p[ARMS_MOST];
    report_changes(changes, p, o, size, "loss", 8);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const int arm = arm_of(plan, known[i].scheme);
        if (arm < 0) continue;
        const Effect effect = {.source = known[i].source,
                               .measured = changes[arm],
                               .p = p[arm],
                               .claimed = known[i].claimed,
                               .margin = MARGIN};
        add(all, &effect, plan->arms[arm].name, known[i].predicate);
    }
}

// Gaps that other tables show, too: gaps to `none` are left out unless it is the reference.
static void collect_gaps(Effects *all, const Outcome *o, int size) {
    static const struct {
        const char *scheme, *other, *source, *predicate;
        Claimed claimed;
        double margin;
    } known[] = {
        {"learned", "sinusoidal", "Vaswani et al. 2017", "ties sinusoidal within the trained length", TIES, MARGIN},
        {"learned", "none", "Haviv et al. 2022", "is ahead of none", FALLS, 0},
        {"sinusoidal", "none", "Haviv et al. 2022", "is ahead of none", FALLS, 0},
        {"alibi", "none", "Haviv et al. 2022", "is ahead of none", FALLS, 0},
        {"rope", "none", "Barbero et al. 2024", "is ahead of none", FALLS, 0}};
    const Plan *plan = &o->comparison->plan;
    Gaps gaps;
    outcome_gaps(&gaps, o, size, (double)plan->base.context);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const int arm = arm_of(plan, known[i].scheme), other = arm_of(plan, known[i].other);
        const Gap *gap = arm < 0 || other < 0 ? NULL : gaps_find(&gaps, arm, other);
        if (!gap) continue;
        const Effect effect = {.source = known[i].source,
                               .measured = gap->gap,
                               .p = gap->adjusted,
                               .claimed = known[i].claimed,
                               .margin = known[i].margin};
        add(all, &effect, plan->arms[arm].name, known[i].predicate);
    }
}

// An effect is reproduced or contradicted only if the whole interval says so; a difference also needs a small p.
static const char *found(const Effect *effect) {
    const Interval in = effect->measured.t;
    const double margin = effect->margin;
    const bool differs = verdict(effect->measured.mean, effect->p) != VERDICT_UNRESOLVED;
    const bool rises = differs && in.low > margin, falls = differs && in.high < -margin;
    bool reproduced = false, contradicted = false;
    switch (effect->claimed) {
    case RISES:
        reproduced = rises;
        contradicted = in.high < margin;
        break;
    case FALLS:
        reproduced = falls;
        contradicted = rises;
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
    const int size = o->comparison->plan.size_count - 1;
    Effects all = {.count = 0};
    collect_changes(&all, o, size);
    collect_gaps(&all, o, size);
    if (all.count == 0) return true;
    page_heading(page, "What is known from elsewhere");
    page_paragraph(
        page,
        "To fail past the trained length is to lose more than %.2f nats a token from there to eight times as "
        "far, and to tie is to differ by less than that. Reproduced, or contradicted, is what the whole "
        "interval bears out; differences and their p-values are those of the tables above.",
        MARGIN);
    page_table(page, "effects that were published: differences of losses in nats a token");
    page_row(page, true, "effect|source|measured|95%% interval|p (Holm)|here");
    for (int i = 0; i < all.count; i++) {
        const Effect *e = &all.effects[i];
        if (isnan(e->measured.mean))
            page_row(page, false, "%s|%s|-|-|-|diverged", e->text, e->source);
        else
            page_row(page, false, "%s|%s|%+.4f|%+.4f to %+.4f|%.3g|%s", e->text, e->source, e->measured.mean,
                     e->measured.t.low, e->measured.t.high, e->p, found(e));
    }
    page_table_end(page);
    return true;
}
