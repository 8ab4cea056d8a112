// What positions cost: parameters, and the time that the position code takes.
#include "lab/report/sections.h"

#include <math.h>
#include <string.h>

// Seconds per token of one run.
static double seed_pace(const Facts *facts, int setting, int arm, int seed) {
    return outcome_value(facts->outcome, setting, -1, arm, seed, "seconds", 0) /
           outcome_value(facts->outcome, setting, -1, arm, seed, "tokens", 0);
}

static double pace_of(const Facts *facts, int setting, int arm) {
    double least = INFINITY; // other work on the machine makes runs slower, never faster
    for (int seed = 0; seed < facts->outcome->seeds; seed++) least = fmin(least, seed_pace(facts, setting, arm, seed));
    return least;
}

// The arm without positions, or the cheapest arm if there is none.
static int cheapest(const Facts *facts, int setting) {
    const Plan *plan = &facts->outcome->comparison->plan;
    int base = 0;
    for (int arm = 0; arm < plan->arm_count; arm++) {
        if (strcmp(plan->arms[arm].scheme->name, "none") == 0) return arm;
        if (pace_of(facts, setting, arm) < pace_of(facts, setting, base)) base = arm;
    }
    return base;
}

bool report_cost(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = &facts->outcome->comparison->plan;
    const int setting = report_setting(facts);
    const int base = cheapest(facts, setting);
    page_table(
        page,
        "the fastest seed of each scheme; the share of the position code is the time beyond that of %s; its range "
        "over the seeds shows how much of it is noise",
        plan->arms[base].name);
    page_row(page, true,
             "scheme|parameters|of them positions|million tokens|seconds a million tokens|share of the position code|"
             "by seed");
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const double fastest = pace_of(facts, setting, arm), pace = isfinite(fastest) ? fastest : NAN; // it diverged
        const double share = 1 - pace_of(facts, setting, base) / pace;
        double low = INFINITY, high = -INFINITY;
        for (int seed = 0; seed < facts->outcome->seeds; seed++) {
            const double one = 1 - seed_pace(facts, setting, base, seed) / seed_pace(facts, setting, arm, seed);
            low = fmin(low, one);
            high = fmax(high, one);
        }
        page_row(page, false, "%s", plan->arms[arm].name);
        page_number(page, 0, outcome_value(facts->outcome, setting, -1, arm, 0, "parameters", 0));
        page_number(page, 0, outcome_value(facts->outcome, setting, -1, arm, 0, "positions", 0));
        page_number(page, 3, 1e-6 * outcome_value(facts->outcome, setting, -1, arm, 0, "tokens", 0));
        page_number(page, 1, 1e6 * pace);
        page_cell(page, isfinite(share) ? "%.1f%%" : "-", 100 * share);
        page_cell(page, isfinite(low) ? "%.1f%% to %.1f%%" : "-", 100 * low, 100 * high);
    }
    page_table_end(page);
    return true;
}
