// How the differences were judged, and what the comparison does not show.
#include "lab/report/sections.h"

bool report_limits(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    page_paragraph(
        page,
        "%s Intervals and verdicts are corrected (Bonferroni), those of the primary contrasts together and those of "
        "all other pairs for the pairs of a setting: a contrast is better or worse exactly if its interval leaves out "
        "0. \"Not resolved\" does not mean \"equal\": every difference in "
        "the interval is possible.",
        plan->unpaired ? "Every scheme has seeds of its own, and the runs are the independent units (Welch's t-test)."
                       : "Schemes share seeds: the runs of a seed begin with the same weights and see the same "
                         "batches, so differences are paired, and the seeds are the independent units (Student's t).");
    page_paragraph(
        page, "Larger models, other texts and longer training may give other results. The losses that are compared "
              "are measured on the second half of the validation text, which was not used to choose anything.");
    int given = 0; // arms whose rates were given with them
    for (int arm = 0; arm < plan->arm_count; arm++) given += plan->arms[arm].lr_count > 0;
    if (given == plan->arm_count)
        page_paragraph(page,
                       "Each scheme was trained at learning rates that were given with it. No others were tried here.");
    else if (plan->rate_count == 1)
        page_paragraph(
            page, "No grid of learning rates was tried: the rates that were given may suit some schemes better than "
                  "others. --lr-grid lets each scheme choose.");
    if (plan->rate_count > 1 && plan->task_count > 0) page_paragraph(page, "Tasks are trained at the rate of --lr.");
    if (plan->by_seconds)
        page_paragraph(page,
                       "All schemes train for about the same time, so faster ones make more steps. Their speeds were "
                       "measured before the first run; no interval covers the error of that measurement.");
    return true;
}
