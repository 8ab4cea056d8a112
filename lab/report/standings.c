// How the schemes stand at each size: losses, gaps to the reference, and the losses of each seed.
#include "lab/report/sections.h"

#include <math.h>

enum { BOOTSTRAP_LEAST = 5 }; // seeds: with fewer, resampling has too little to choose from

// A gap: mean, interval, verdict, p, what is resolvable, bootstrap.
static void gap_cells(Page *page, const Outcome *o, const Standing *s, int arm) {
    const Interval *bootstrap = &s->gap.bootstrap;
    const Paired none = {.mean = NAN}; // the reference has no gap to itself
    const bool judged = report_difference_cells(page, arm == o->comparison->plan.reference ? &none : &s->gap);
    const bool enough = o->seeds >= BOOTSTRAP_LEAST && isfinite(bootstrap->low) && isfinite(bootstrap->high);
    page_cell(page, "%s", standing_words(o, s, arm));
    page_cell(page, judged ? "%.3g" : "-", s->adjusted);
    page_cell(page, judged ? "%.4f" : "-", s->resolvable);
    page_cell(page, !judged ? "-" : enough ? "%+.4f to %+.4f" : "too few seeds", bootstrap->low, bootstrap->high);
}

static void standings_table(Page *page, const Outcome *o, int setting) {
    const Plan *plan = &o->comparison->plan;
    Standing standings[ARMS_MOST];
    outcome_standings(standings, o, setting, (double)plan->settings[setting].context);
    page_table(page, "%s%sloss in nats a token in windows of %lld tokens, and the gap to %s",
               plan->settings[setting].name, *plan->settings[setting].name ? ": " : "", plan->settings[setting].context,
               plan->arms[plan->reference].name);
    page_row(page, true,
             "scheme|loss|gap|95%% t interval|verdict|p (Holm)|resolves|95%% bootstrap|perplexity|learning rate|"
             "position parameters");
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const Standing *s = &standings[arm];
        page_row(page, false, "%s", plan->arms[arm].name);
        page_number(page, 4, s->loss);
        gap_cells(page, o, s, arm);
        page_number(page, 3, exp(s->loss));
        page_cell(page, "%.3g", plan->rates[o->chosen_rate[setting][arm]]);
        page_number(page, 0, outcome_value(o, setting, -1, arm, 0, "positions", 0));
    }
    page_table_end(page);
}

static void seeds_table(Page *page, const Outcome *o, int setting) {
    const Plan *plan = &o->comparison->plan;
    page_table(page, "the same loss, seed by seed");
    page_row(page, true, "scheme");
    for (int seed = 0; seed < o->seeds; seed++) page_cell(page, "%lld", plan->base.seed + seed);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        page_row(page, false, "%s", plan->arms[arm].name);
        for (int seed = 0; seed < o->seeds; seed++)
            page_number(page, 4,
                        outcome_value(o, setting, -1, arm, seed, "loss", (double)plan->settings[setting].context));
    }
    page_table_end(page);
}

bool report_standings(Page *page, const Outcome *o, Error *error) {
    page_heading(page, "How the schemes stand");
    for (int setting = o->comparison->plan.setting_count - 1; setting >= 0; setting--) {
        standings_table(page, o, setting);
        seeds_table(page, o, setting);
    }
    return true;
}
