#include "lab/report/report.h"

#include "lab/report/sections.h"
#include "train/result.h"

#include <math.h>
#include <string.h>

static void print_losses(FILE *out, const Facts *facts, int setting) {
    const Plan *plan = facts->plan;
    int columns = 16; // the longest name
    for (int variant = 0; variant < plan->variant_count; variant++)
        if ((int)strlen(plan->variants[variant].name) > columns) columns = (int)strlen(plan->variants[variant].name);
    fprintf(out, "%-*s %9s %10s %9s %10s\n", columns, "scheme", "positions", "loss", "± sd", "rate");
    for (int variant = 0; variant < plan->variant_count; variant++) {
        const Paired loss = report_loss(facts, setting, variant);
        const double positions = outcome_value(facts->outcome, setting, -1, variant, 0, "positions", 0);
        char cells[3][32] = {"-", "diverged", ""};
        if (!isnan(positions)) snprintf(cells[0], sizeof cells[0], "%.0f", positions);
        if (!isnan(loss.mean)) snprintf(cells[1], sizeof cells[1], "%.4f", loss.mean);
        if (!isnan(loss.sd)) snprintf(cells[2], sizeof cells[2], "%.4f", loss.sd);
        fprintf(out, "%-*s %9s %10s %8s %10.3g\n", columns, plan->variants[variant].name, cells[0], cells[1], cells[2],
                report_rate(facts, setting, variant));
    }
}

static bool print_table(FILE *out, const Facts *facts, int setting, Error *error) {
    print_losses(out, facts, setting);
    for (int i = 0; i < report_contrasts(facts); i++) {
        const Finding f = report_contrast(facts, i, setting);
        Text text = {0};
        words_contrast(&text, &f, 1);
        const bool ok = !text.failed || fail_run(error, "no memory for the sentences about differences");
        if (ok)
            fprintf(out, "%s%.*s\n", report_named(facts, i)->primary ? "" : "exploratory: ", (int)text.size,
                    text.bytes);
        text_free(&text);
        if (!ok) return false;
    }
    return true;
}

bool report_table(FILE *out, const Outcome *outcome, int setting, Error *error) {
    Facts facts;
    if (!facts_gather(&facts, outcome, error)) return false;
    const bool ok = print_table(out, &facts, setting, error);
    facts_free(&facts);
    return ok;
}

typedef struct {
    const char *fold; // the heading under which the reader can unfold it; NULL = it is seen at once
    bool (*write)(Page *, const Facts *, Error *);
} Section;

static const Section sections[] = {
    {NULL, report_answer},
    {NULL, report_scale},
    {NULL, report_chosen_rates},
    {"Losses of all schemes", report_losses},
    {"Differences of all pairs", report_pairs},
    {"Loss against learning rate", report_rates},
    {"Uncertainty: seeds and text", report_texts},
    {"Training", report_training},
    {"Longer windows, and positions in them", report_lengths},
    {"Tasks, by length", report_tasks},
    {"What positions cost", report_cost},
    {"What was learned", report_learned},
    {"What heads attend to", report_attention},
    {"How the differences were judged, and limits", report_limits},
    {"How to repeat it", report_repeat},
};

// Has the comparison anything for this section?
static bool applies(const Section *section, const Plan *plan) {
    return section->write == report_chosen_rates || section->write == report_rates ? plan->rate_count > 1
           : section->write == report_tasks                                        ? plan->task_count > 0
                                                                                   : true;
}

static bool write_page(const Facts *facts, Error *error) {
    Page page;
    if (!page_open(&page, facts->outcome->comparison->directory, "report", "Which position scheme?", error))
        return false;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (!applies(&sections[i], facts->plan)) continue;
        if (sections[i].fold) page_fold(&page, sections[i].fold);
        if (!sections[i].write(&page, facts, error)) {
            page_abandon(&page);
            return false;
        }
        if (sections[i].fold) page_fold_end(&page);
    }
    return page_close(&page, error);
}

static bool write_all(const Facts *facts, FILE *out, Error *error) {
    const Comparison *comparison = facts->outcome->comparison;
    const int done = outcome_done(facts->outcome), all = plan_job_count(&comparison->plan);
    char path[PATH_CAPACITY];
    if (!print_table(out, facts, report_setting(facts), error)) return false;
    if (done < all) fprintf(out, "not finished: %d of %d runs are done\n", done, all);
    if (!path_format(path, error, "%s/results.csv", comparison->directory) ||
        !outcome_write(path, facts->outcome, error) || !report_latex(facts, error) || !write_page(facts, error))
        return false;
    fprintf(out, "report   %s/report.html, report.md, report.tex, results.csv\n", comparison->directory);
    return true;
}

bool report_check(const char *directory, bool comparison, Error *error) {
    static const struct {
        const char *name, *heads[5]; // those of earlier versions, and last that of now
    } files[] = {
        {"report.md",
         {"# Which position scheme?\n", "# Learned or designed positions?\n", "# A run with ", PAGE_MARKDOWN_HEAD}},
        {"report.html", {PAGE_HTML_HEAD}},
        {"report.tex", {REPORT_LATEX_HEAD}},
        {"results.csv", {RESULTS_HEADER}}};
    char path[PATH_CAPACITY];
    for (int i = 0; i < (comparison ? 4 : 2); i++) {
        bool ours = false;
        if (!path_format(path, error, "%s/%s", directory, files[i].name)) return false;
        for (const char *const *head = files[i].heads; !ours && *head; head++)
            ours = result_replaces("", path, *head, strlen(*head), error);
        if (!ours) return false;
    }
    for (int plot = 1; plot < 1000; plot++)
        if (!path_format(path, error, "%s/plot-%d.svg", directory, plot) ||
            !result_replaces("", path, SVG_HEAD, strlen(SVG_HEAD), error))
            return false;
    return true;
}

static bool fail_no_seed(const Comparison *comparison, Error *error) {
    const char *directory = comparison->directory;
    char runs[PATH_CAPACITY], summary[PATH_CAPACITY];
    if (!path_format(runs, error, "%s/runs", directory) || !path_format(summary, error, "%s/report.md", directory))
        return false;
    if (path_exists(summary) && path_missing(runs))
        return fail_input(error, "%s has the report of a comparison, but not its runs; read %s", directory, summary);
    return fail_input(error, "%s: no seed is complete yet; run the same `bitter compare` again to continue", directory);
}

static bool report_now(const Comparison *comparison, FILE *out, Error *error) {
    Outcome outcome;
    Facts facts;
    if (!outcome_read(&outcome, comparison, error)) return false;
    bool ok = outcome.seeds > 0 || fail_no_seed(comparison, error);
    ok = ok && report_check(comparison->directory, true, error) && facts_gather(&facts, &outcome, error);
    if (ok) {
        ok = write_all(&facts, out, error);
        facts_free(&facts);
    }
    outcome_free(&outcome);
    return ok;
}

bool report(const Comparison *comparison, FILE *out, Error *error) {
    Lock lock;
    if (!comparison_lock(&lock, comparison, error)) return false;
    const bool ok = report_now(comparison, out, error);
    lock_release(&lock);
    return ok;
}
