// What positions cost, how the differences were judged, what the comparison does not show, and how to repeat it.
#include "lab/report/sections.h"

#include "base/version.h"
#include "lab/report/page/numbers.h"
#include "train/config.h"

#include <math.h>
#include <string.h>

// Training seconds per token of the fastest seed, which other programs disturbed least. *spread: how much longer,
// relatively, the slowest seed took; NAN if there is one seed. NAN if a seed diverged.
static double seconds_a_token(double *spread, const Facts *facts, int setting, int variant) {
    double least = INFINITY, most = 0;
    for (int seed = 0; seed < facts->outcome->seeds; seed++) {
        const double seconds = outcome_value(facts->outcome, setting, variant, seed, "seconds", 0) /
                               outcome_value(facts->outcome, setting, variant, seed, "tokens", 0);
        if (isnan(seconds)) least = most = NAN;
        if (seconds < least) least = seconds;
        if (seconds > most) most = seconds;
    }
    *spread = facts->outcome->seeds > 1 ? most / least - 1 : NAN;
    return least;
}

bool report_cost(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int setting = facts->setting;
    const int none = report_none(facts), base = none < 0 ? plan->reference : none;
    double base_spread, spread;
    const double base_seconds = seconds_a_token(&base_spread, facts, setting, base),
                 base_operations = setting_operations(plan, setting, base);
    page_paragraph(page,
                   "FLOPs are floating point operations for a token of training, forward and backward, with those "
                   "of attention and of the position scheme. Times are those of the training itself, in the fastest "
                   "seed; the slowest took longer by the spread. Runs that trained at once shared the machine.");
    page_table(page, "costs%s", facts->at[setting]);
    page_row(
        page, true,
        "scheme|parameters|of them positions|FLOPs per token|more than %s|microseconds per token|more than %s|spread",
        plan->variants[base].name, plan->variants[base].name);
    for (int variant = 0; variant < plan->variant_count; variant++) {
        const double seconds = seconds_a_token(&spread, facts, setting, variant), more = seconds / base_seconds - 1;
        const double operations = setting_operations(plan, setting, variant), share = operations / base_operations - 1;
        char words[NUMBER_WORDS];
        page_row(page, false, "%s", plan->variants[variant].name);
        page_cells(page, "%.0f|%.0f|%s|%+.1f%%|%.2f",
                   outcome_value(facts->outcome, setting, variant, 0, "parameters", 0),
                   outcome_value(facts->outcome, setting, variant, 0, "positions", 0), number_words(words, operations),
                   unsigned_zero(100 * share, 1), 1e6 * seconds);
        page_cells(page, variant == base || isnan(more) ? "-" : "%+.1f%%%s", unsigned_zero(100 * more, 1),
                   isnan(spread)                             ? ", noise not known"
                   : fabs(more) <= fmax(spread, base_spread) ? ", within noise"
                                                             : "");
        page_cells(page, "%.1f%%", 100 * spread);
    }
    page_table_end(page);
    return true;
}

// How many validation tokens losses are measured on: the count of the first loss of a run that did not diverge.
static double measured_tokens(const Facts *facts) {
    for (int seed = 0; seed < facts->outcome->seeds; seed++)
        for (int variant = 0; variant < facts->plan->variant_count; variant++) {
            const Job job = outcome_job(facts->outcome, facts->setting, variant, seed);
            const Measures *measures = outcome_measures(facts->outcome, &job);
            for (const Measured *row = measures->rows; row < measures->rows + measures->count; row++)
                if (strcmp(row->quantity, "loss") == 0) return row->count;
        }
    return NAN;
}

// When the primary contrasts were named: all of them before any run was done.
static void contrasts_named(Page *page, const Plan *plan) {
    const char *first = NULL, *last = NULL; // dates, which sort as text
    for (int c = 0; c < plan->contrast_count; c++) {
        const Contrast *contrast = &plan->contrasts[c];
        if (contrast->after > 0) continue;
        if (!first || strcmp(contrast->named, first) < 0) first = contrast->named;
        if (!last || strcmp(contrast->named, last) > 0) last = contrast->named;
    }
    if (!first) return;
    text_print(&page->text, "The primary contrasts were named at %s", first);
    if (strcmp(first, last) != 0) text_print(&page->text, " to %s", last);
    page_paragraph(page, ", before any run was done.");
}

bool report_limits(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    page_paragraph(page, "Schemes share seeds: in a setting, the runs of a seed begin with the same weights and see "
                         "the same batches, so differences are paired, and the seeds are the independent units. "
                         "\"Not resolved\" does not mean \"equal\": every difference in the interval is possible.");
    const double tokens = measured_tokens(facts);
    if (!isnan(tokens)) // some run did not diverge
        page_paragraph(page,
                       "Losses%s are measured on %.0f tokens, the second half of what --eval-tokens takes of the "
                       "validation text (all of it by default), which was not used to choose anything.",
                       plan->text_count > 1 ? facts->at[facts->setting] : "", tokens);
    contrasts_named(page, plan);
    int given = 0; // variants whose rates were given with them
    for (int variant = 0; variant < plan->variant_count; variant++) given += plan->variants[variant].lr_count > 0;
    if (given == plan->variant_count)
        page_paragraph(page,
                       "Each scheme was trained at learning rates that were given with it. No others were tried here.");
    else if (plan->rate_count == 1)
        page_paragraph(
            page, "No grid of learning rates was tried: the rates that were given may suit some schemes better than "
                  "others. --lr-grid lets each scheme choose.");
    if (plan->rate_count > 1 && plan->task_count > 0) page_paragraph(page, "Tasks are trained at the rate of --lr.");
    return true;
}

bool report_repeat(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const Job first = {.task = -1, .variant = plan_weights(plan, plan->reference)};
    char path[PATH_CAPACITY], machine[TEXT_CAPACITY] = "";
    if (!comparison_path(path, facts->outcome->comparison, &first, "config.json", error) ||
        (!path_missing(path) && !config_machine(machine, path, error)))
        return false;
    page_code(page, plan->command);
    if (*machine)
        page_paragraph(page, "Machine: %s; %d thread%s a run.", machine, plan->threads, plan->threads == 1 ? "" : "s");
    page_paragraph(page, "bitter %s. Seeds %lld to %lld.", BITTER_VERSION, plan->base.seed,
                   plan->base.seed + facts->outcome->seeds - 1);
    page_paragraph(page,
                   "In each setting and task, all runs of a seed saw the same batches in the same order, which was "
                   "checked by the CRC-32 of all their inputs.");
    return true;
}
