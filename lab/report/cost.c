// What positions cost: parameters, operations, and the time that the position code takes.
#include "lab/report/sections.h"

#include "lab/compare/pace.h"
#include "lab/report/page/axis.h"

#include <math.h>
#include <string.h>

// The arm without positions, or the fastest arm if there is none.
static int cheapest(const Plan *plan, int setting) {
    int base = 0;
    for (int arm = 0; arm < plan->arm_count; arm++) {
        if (arm_is(&plan->arms[arm], "none")) return arm;
        if (speed_seconds(&plan->arms[arm].speeds[setting]) < speed_seconds(&plan->arms[base].speeds[setting]))
            base = arm;
    }
    return base;
}

static void arm_row(Page *page, const Facts *facts, int setting, int arm, int base) {
    const Plan *plan = facts->plan;
    const Speed *speed = &plan->arms[arm].speeds[setting], *first = &plan->arms[base].speeds[setting];
    const double seconds = speed_seconds(speed), more = seconds / speed_seconds(first) - 1;
    const double operations = setting_operations(plan, setting, arm);
    char words[TICK_WORDS];
    page_row(page, false, "%s", plan->arms[arm].name);
    page_number(page, 0, outcome_value(facts->outcome, setting, -1, arm, 0, "parameters", 0));
    page_number(page, 0, outcome_value(facts->outcome, setting, -1, arm, 0, "positions", 0));
    page_cell(page, "%s", number_words(words, operations));
    const double share = 100 * (operations / setting_operations(plan, setting, base) - 1);
    page_cell(page, isnan(share) ? "-" : fabs(share) < 0.05 ? "0.0%%" : "%+.1f%%", share);
    page_number(page, 2, 1e6 * seconds);
    if (arm == base || isnan(more))
        page_cell(page, "-");
    else
        page_cell(page, "%+.1f%%%s", 100 * more, speed_same(speed, first) ? ", within noise" : "");
    page_cell(page, isfinite(seconds) ? "%.1f%%" : "-", 100 * speed_spread(speed));
}

bool report_cost(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int setting = report_setting(facts), base = cheapest(plan, setting);
    page_paragraph(page,
                   "Operations are floating point operations for a token of training, forward and backward, with those "
                   "of attention and of the position scheme. Times were taken before the first run, the schemes in "
                   "turn, in short rounds, of which the fastest count; the spread is between these rounds.%s",
                   plan->arm_count == 1 ? " One scheme alone is not timed."
                   : pace_known(plan)   ? ""
                                        : " They were not all taken.");
    page_table(page, "costs%s", facts->at[setting]);
    page_row(
        page, true,
        "scheme|parameters|of them positions|operations a token|more than %s|microseconds a token|more than %s|spread",
        plan->arms[base].name, plan->arms[base].name);
    for (int arm = 0; arm < plan->arm_count; arm++) arm_row(page, facts, setting, arm, base);
    page_table_end(page);
    return true;
}
