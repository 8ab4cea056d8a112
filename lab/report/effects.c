// Published effects of position schemes, and whether this comparison reproduces them.
#include "lab/report/sections.h"

#include <assert.h>
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

// The first arm with the scheme's default options and no window, as in the publications; -1 if there is none. No
// property of schemes could stand here for their names, because each effect is one author's about one scheme.
static int arm_of(const Plan *plan, const char *scheme) {
    Position pos;
    Error error;
    char text[TEXT_CAPACITY];
    const bool known_scheme = position_parse(&pos, scheme, &error);
    assert(known_scheme);
    position_print(&pos, text);
    for (int arm = 0; arm < plan->arm_count; arm++)
        if (strcmp(plan->arms[arm].pos, text) == 0 && !*plan->arms[arm].window && !*plan->base.window) return arm;
    return -1;
}

// An effect is reproduced or contradicted only if the whole interval says so.
static const char *found(Claimed claimed, Interval in) {
    const double margin = claimed == FALLS ? 0 : MARGIN; // any lead counts
    const bool rises = in.low > margin, falls = in.high < -margin;
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

// The measured difference with its interval; false when the comparison does not have both schemes.
static bool measure_effect(Finding *f, const Facts *facts, const Effect *e, int setting) {
    const Plan *plan = facts->plan;
    const int arm = arm_of(plan, e->scheme), other = e->other ? arm_of(plan, e->other) : -1;
    if (arm < 0 || (e->other && other < 0)) return false;
    if (e->other) {
        *f = report_pair(facts, arm, other, setting);
    } else {
        *f = (Finding){.arm = plan->arms[arm].name, .gap = report_change(facts, setting, arm, "loss", 8)};
        f->interval = paired_interval(&f->gap, plan->arm_count);
    }
    f->arm = plan->arms[arm].name;
    return true;
}

bool report_effects(Page *page, const Facts *facts, Error *error) {
    const int setting = report_setting(facts);
    bool any = false;
    for (const Effect *e = known; e < known + sizeof known / sizeof *known; e++) {
        Finding f;
        if (!measure_effect(&f, facts, e, setting)) continue;
        if (!isnan(f.gap.mean) && isnan(f.interval.low)) continue; // too few seeds
        if (!any) {
            page_paragraph(
                page,
                "A scheme fails past the trained length if its loss at eight times that length is more than %.2f nats "
                "a token higher; schemes tie if they differ by less than that. An effect is reproduced or contradicted "
                "only if the whole interval says so. The difference of two schemes has the same interval as in the "
                "other tables; the change of one scheme is corrected for all %d schemes.",
                MARGIN, facts->plan->arm_count);
            page_table(page, "published effects: differences of losses in nats a token");
            page_row(page, true, "effect|source|measured|interval|here");
        }
        any = true;
        page_row(page, false, "%s %s|%s", f.arm, e->predicate, e->source);
        report_difference_cells(page, f.gap.mean, f.interval);
        page_cell(page, "%s", isnan(f.gap.mean) ? "diverged" : found(e->claimed, f.interval));
    }
    if (any)
        page_table_end(page);
    else
        page_paragraph(page, "The comparison has none of the schemes for which effects are listed, or too few seeds.");
    return true;
}
