#include "lab/report/report.h"

#include "cmd/arguments.h"
#include "cmd/commands.h"

#include <math.h>

double report_mean(const Outcome *o, int size, int arm, const char *quantity, double x) {
    double sum = 0;
    for (int seed = 0; seed < o->seeds; seed++) sum += outcome_value(o, size, -1, arm, seed, quantity, x);
    return sum / o->seeds;
}

Paired report_change(const Outcome *o, int size, int arm, const char *quantity, double from, double to) {
    double differences[SEEDS_MOST];
    for (int seed = 0; seed < o->seeds; seed++)
        differences[seed] =
            outcome_value(o, size, -1, arm, seed, quantity, to) - outcome_value(o, size, -1, arm, seed, quantity, from);
    return paired_summary(differences, o->seeds);
}

void report_changes(Paired *found, double *adjusted, const Outcome *o, int size, const char *quantity, double times) {
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->base.context;
    double p[ARMS_MOST];
    for (int arm = 0; arm < plan->arm_count; arm++) {
        found[arm] = report_change(o, size, arm, quantity, T, times * T);
        p[arm] = found[arm].p;
    }
    holm(adjusted, p, plan->arm_count);
}

void report_difference(Text *text, const Paired *difference, const char *words) {
    if (isnan(difference->mean))
        text_print(text, "diverged");
    else if (isnan(difference->sd))
        text_print(text, "%+.4f, one seed tells nothing", difference->mean);
    else
        text_print(text, "%+.4f (%+.4f to %+.4f), %s", difference->mean, difference->t.low, difference->t.high, words);
}

bool report_difference_cells(Page *page, const Paired *difference) {
    const bool known = !isnan(difference->mean), judged = known && !isnan(difference->sd);
    page_cell(page, known ? "%+.4f" : "-", difference->mean);
    page_cell(page, judged ? "%+.4f to %+.4f" : "-", difference->t.low, difference->t.high);
    return judged;
}

const char *standing_words(const Outcome *o, const Standing *s, int arm) {
    return isnan(s->loss)                         ? "diverged"
           : arm == o->comparison->plan.reference ? "the reference"
           : isnan(s->gap.mean)                   ? "the reference diverged"
           : isnan(s->gap.sd)                     ? "one seed tells nothing"
                                                  : verdict_words(s->verdict);
}

// A number in so many columns, or a dash.
static void print_number(FILE *out, int columns, int digits, double value) {
    if (isnan(value))
        fprintf(out, "%*s ", columns, "-");
    else
        fprintf(out, "%*.*f ", columns, digits, value);
}

void report_table(FILE *out, const Outcome *o, int size) {
    const Plan *plan = &o->comparison->plan;
    Standing standings[ARMS_MOST];
    outcome_standings(standings, o, size, (double)plan->base.context);
    fprintf(out, "%-24s %9s %10s %9s  %-18s %9s  %s\n", "scheme", "positions", "loss", "gap", "95% interval",
            "resolves", "verdict");
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const Standing *s = &standings[arm];
        fprintf(out, "%-24s ", plan->arms[arm].name);
        print_number(out, 9, 0, outcome_value(o, size, -1, arm, 0, "positions", 0));
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
    bool (*const sections[])(Page *, const Outcome *, Error *) = {report_answer,    report_training, report_lengths,
                                                                  report_effects,   report_scale,    report_learned,
                                                                  report_attention, report_tasks,    report_repeat};
    Page page;
    if (!page_open(&page, o->comparison->directory, "report", "Learned or designed positions?", error)) return false;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!sections[i](&page, o, error)) {
            page_abandon(&page);
            return false;
        }
    return page_close(&page, error);
}

bool report(const Comparison *comparison, FILE *out, Error *error) {
    Outcome outcome;
    char path[PATH_CAPACITY];
    if (!outcome_read(&outcome, comparison, error)) return false;
    bool ok = outcome.seeds > 0 ||
              fail_input(error, "%s: no seed is complete yet; `bitter compare` goes on with it", comparison->directory);
    if (ok) report_table(out, &outcome, comparison->plan.size_count - 1);
    const int done = outcome_done(&outcome), all = plan_job_count(&comparison->plan);
    if (ok && done < all) fprintf(out, "not finished: %d of %d runs are done\n", done, all);
    ok = ok && path_format(path, error, "%s/results.csv", comparison->directory) &&
         outcome_write(path, &outcome, error) && write_page(&outcome, error);
    if (ok) fprintf(out, "report   %s/report.html, report.md, results.csv\n", comparison->directory);
    outcome_free(&outcome);
    return ok;
}

int command_report(int argc, char **argv) {
    static const Option no_options[] = {{0}};
    static const Usage usage = {"report",
                                "Write the tables, plots and pages of a comparison again, from the files of its runs.",
                                "DIR", no_options, "  bitter report runs/compare\n"};
    static Comparison comparison;
    Error error;
    char nothing;
    const int first = arguments_parse(&nothing, NULL, &usage, argc, argv);
    const char *directory = arguments_single(&usage, first, argc, argv);
    if (!comparison_paths(&comparison, directory, &error)) die("report", &error);
    if (!path_exists(comparison.file)) {
        fail_input(&error, "%s holds no comparison (there is no compare.json); name a directory of `bitter compare`",
                   directory);
        die("report", &error);
    }
    Claim claim; // of several that are written at once, one is after the other
    comparison.patience = 120;
    if (!plan_read(&comparison.plan, comparison.file, &error) ||
        !plan_data(&comparison.data, comparison.file, &error) ||
        !comparison_claim(&claim, &comparison, "report", &error))
        die("report", &error);
    const bool ok = report(&comparison, stdout, &error);
    claim_release(&claim);
    if (!ok) die("report", &error);
    return 0;
}
