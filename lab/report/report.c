#include "lab/report/report.h"

#include "lab/report/sections.h"

#include <math.h>

// A number in so many columns, or a dash.
static void print_number(FILE *out, int columns, int digits, double value) {
    if (isnan(value))
        fprintf(out, "%*s ", columns, "-");
    else
        fprintf(out, "%*.*f ", columns, digits, value);
}

void report_table(FILE *out, const Outcome *o, int setting) {
    const Plan *plan = &o->comparison->plan;
    Standing standings[ARMS_MOST];
    outcome_standings(standings, o, setting, (double)plan->settings[setting].context);
    fprintf(out, "%-24s %9s %10s %9s  %-18s %9s  %s\n", "scheme", "positions", "loss", "gap", "95% interval",
            "resolves", "verdict");
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const Standing *s = &standings[arm];
        fprintf(out, "%-24s ", plan->arms[arm].name);
        print_number(out, 9, 0, outcome_value(o, setting, -1, arm, 0, "positions", 0));
        print_number(out, 10, 4, s->loss);
        const char *words = standing_words(o, s, arm);
        if (arm == plan->reference || isnan(s->gap.mean))
            fprintf(out, "%9s  %-18s %9s  %s\n", "-", "", "", words);
        else if (isnan(s->gap.sd))
            fprintf(out, "%+9.4f  %-18s %9s  %s\n", s->gap.mean, "", "", words);
        else
            fprintf(out, "%+9.4f  %+.4f to %+.4f %9.4f  %s\n", s->gap.mean, s->gap.t.low, s->gap.t.high, s->resolvable,
                    words);
    }
}

static bool write_page(const Outcome *o, Error *error) {
    bool (*const sections[])(Page *, const Outcome *, Error *) = {
        report_answer,    report_standings, report_training, report_cost,        report_lengths,
        report_effects,   report_scale,     report_learned,  report_frequencies, report_biases,
        report_attention, report_tasks,     report_repeat};
    Page page;
    if (!page_open(&page, o->comparison->directory, "report", "Learned or designed positions?", error)) return false;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!sections[i](&page, o, error)) {
            page_abandon(&page);
            return false;
        }
    return page_close(&page, error);
}

static bool report_now(const Comparison *comparison, FILE *out, Error *error) {
    Outcome outcome;
    char path[PATH_CAPACITY];
    if (!outcome_read(&outcome, comparison, error)) return false;
    bool ok = outcome.seeds > 0 ||
              fail_input(error, "%s: no seed is complete yet; `bitter compare` goes on with it", comparison->directory);
    if (ok) report_table(out, &outcome, comparison->plan.setting_count - 1);
    const int done = outcome_done(&outcome), all = plan_job_count(&comparison->plan);
    if (ok && done < all) fprintf(out, "not finished: %d of %d runs are done\n", done, all);
    ok = ok && path_format(path, error, "%s/results.csv", comparison->directory) &&
         outcome_write(path, &outcome, error) && write_page(&outcome, error);
    if (ok) fprintf(out, "report   %s/report.html, report.md, results.csv\n", comparison->directory);
    outcome_free(&outcome);
    return ok;
}

bool report(const Comparison *comparison, FILE *out, Error *error) {
    Claim claim;
    if (!comparison_claim(&claim, comparison, "report", error)) return false;
    const bool ok = report_now(comparison, out, error);
    claim_release(&claim);
    return ok;
}
