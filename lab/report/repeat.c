// How to repeat the comparison: command, machine, seeds, and checksums of the batches.
#include "lab/report/sections.h"

#include "base/version.h"
#include "train/config.h"

#include <inttypes.h>
#include <math.h>

bool report_repeat(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const Job first = {.task = -1, .arm = plan->reference};
    const long long from = plan_job_seed(plan, &first);
    char path[PATH_CAPACITY], machine[TEXT_CAPACITY] = "";
    if (!comparison_path(path, facts->outcome->comparison, &first, "config.json", error) ||
        (!path_missing(path) && !config_machine(machine, path, error)))
        return false;
    page_code(page, plan->command);
    if (*machine)
        page_paragraph(page, "Machine: %s; %d thread%s a run.", machine, plan->threads, plan->threads == 1 ? "" : "s");
    page_paragraph(page, "bitter %s. Seeds %lld to %lld%s%s%s.", BITTER_VERSION, from, from + facts->outcome->seeds - 1,
                   plan->unpaired ? " for " : "", plan->unpaired ? plan->arms[plan->reference].name : "",
                   plan->unpaired ? "; every other scheme has seeds of its own" : "");
    if (plan->by_seconds)
        page_paragraph(page,
                       "All runs of a seed see the same batches in the same order, but faster schemes make more steps, "
                       "so the CRC-32 of all inputs agrees only between runs of equally many steps. For %s it is:",
                       plan->arms[plan->reference].name);
    else
        page_paragraph(
            page,
            "In each setting, all finished runs of a seed saw the same batches, which was checked by the CRC-32 of "
            "all their inputs:");
    page_table(page, "batches");
    page_row(page, true, "seed");
    for (int setting = 0; setting < plan->setting_count; setting++) page_cell(page, "CRC-32%s", facts->at[setting]);
    for (int seed = 0; seed < facts->outcome->seeds; seed++) {
        page_row(page, false, "%lld", from + seed);
        for (int setting = 0; setting < plan->setting_count; setting++) {
            const double batches = outcome_value(facts->outcome, setting, -1, plan->reference, seed, "batches", 0);
            page_cell(page, isnan(batches) ? "-" : "%08" PRIx32, isnan(batches) ? 0 : (uint32_t)batches);
        }
    }
    page_table_end(page);
    return true;
}
