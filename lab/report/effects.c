// Published effects of position schemes, and whether this comparison reproduces them.
#include "lab/report/sections.h"

#include <math.h>
#include <string.h>

typedef enum { RISES, DOES_NOT_RISE, TIES, FALLS } Claimed;

// Nats per token: a loss that rises by less than this is no failure, and losses that differ by less tie.
#define MARGIN 0.02

// What a source says about a difference of losses: those of a scheme at eight times the trained length and at that
// length (other is NULL), or those of two schemes within it.
typedef struct {
    const char *scheme, *other, *source, *predicate;
    Claimed claimed;
} Effect;

static const Effect known[] = {
    {"sinusoidal", NULL, "Press et al. 2021", "fails past the trained length", RISES},
    {"rope", NULL, "Press et al. 2021", "fails past the trained length", RISES},
    {"alibi", NULL, "Press et al. 2021", "does not fail past the trained length", DOES_NOT_RISE},
    {"learned", "sinusoidal", "Vaswani et al. 2017", "ties sinusoidal within the trained length", TIES},
    {"learned", "none", "Haviv et al. 2022", "is ahead of none", FALLS},
    {"sinusoidal", "none", "Haviv et al. 2022", "is ahead of none", FALLS},
    {"alibi", "none", "Haviv et al. 2022", "is ahead of none", FALLS},
    {"rope", "none", "Barbero et al. 2024", "is ahead of none", FALLS},
};

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

// An effect is reproduced or contradicted only if the whole interval says so; a difference also needs a small p.
static const char *found(Claimed claimed, const Paired *measured, double p) {
    const Interval in = measured->t;
    const double margin = claimed == FALLS ? 0 : MARGIN; // any lead counts
    const bool differs = verdict(measured->mean, p) != VERDICT_UNRESOLVED;
    const bool rises = differs && in.low > margin, falls = differs && in.high < -margin;
    bool reproduced = false, contradicted = false;
    switch (claimed) {
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

static void begin_table(Page *page) {
    page_heading(page, "What is known from elsewhere");
    page_paragraph(
        page,
        "A scheme fails past the trained length if its loss at eight times that length is more than %.2f nats a token "
        "higher; schemes tie if they differ by less than that. An effect is reproduced or contradicted only if the "
        "whole interval says so. Differences and p-values are those of the tables above.",
        MARGIN);
    page_table(page, "effects that were published: differences of losses in nats a token");
    page_row(page, true, "effect|source|measured|95%% interval|p (Holm)|here");
}

// Differences and p-values are those of other tables. These leave gaps to `none` out unless it is the reference.
bool report_effects(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    const int setting = plan->setting_count - 1;
    Paired changes[ARMS_MOST];
    double p[ARMS_MOST];
    Gaps gaps;
    bool any = false;
    report_changes(changes, p, o, setting, "loss", 8);
    outcome_gaps(&gaps, o, setting, (double)plan->settings[setting].context);
    for (const Effect *e = known; e < known + sizeof known / sizeof *known; e++) {
        const int arm = arm_of(plan, e->scheme), other = e->other ? arm_of(plan, e->other) : -1;
        const Gap *gap = arm < 0 || other < 0 ? NULL : gaps_find(&gaps, arm, other);
        if (arm < 0 || (e->other && !gap)) continue;
        const Paired *measured = gap ? &gap->gap : &changes[arm];
        const double adjusted = gap ? gap->adjusted : p[arm];
        if (!isnan(measured->mean) && isnan(measured->sd)) continue; // too few seeds
        if (!any) begin_table(page);
        any = true;
        page_row(page, false, "%s %s|%s", plan->arms[arm].name, e->predicate, e->source);
        report_difference_cells(page, measured);
        if (isnan(measured->mean)) {
            page_cell(page, "-");
            page_cell(page, "diverged");
        } else {
            page_cell(page, "%.3g", adjusted);
            page_cell(page, "%s", found(e->claimed, measured, adjusted));
        }
    }
    if (any) page_table_end(page);
    return true;
}
