#include "lab/report/report.h"

#include "lab/report/sections.h"
#include "train/result.h"

#include <math.h>
#include <string.h>

// A table in plain text of the losses in facts->setting, and a sentence for each contrast.
static bool print_table(FILE *out, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    Text text = {0};
    int columns = 16; // the longest name
    for (int variant = 0; variant < plan->variant_count; variant++)
        if ((int)strlen(plan->variants[variant].name) > columns) columns = (int)strlen(plan->variants[variant].name);
    if (plan->setting_count > 1) fprintf(out, "%s:\n", facts->at[facts->setting] + 1);
    fprintf(out, "%-*s %9s %10s %9s %10s\n", columns, "scheme", "positions", "mean loss", "± sd", "rate");
    for (int variant = 0; variant < plan->variant_count; variant++) {
        const Paired loss = report_loss(facts, facts->setting, variant);
        const double positions = outcome_value(facts->outcome, facts->setting, variant, 0, "positions", 0);
        const Job job = outcome_job(facts->outcome, facts->setting, variant, 0);
        char cells[3][32] = {"-", "diverged", ""};
        if (!isnan(positions)) snprintf(cells[0], sizeof cells[0], "%.0f", positions);
        if (!isnan(loss.mean)) snprintf(cells[1], sizeof cells[1], "%.4f", loss.mean);
        if (!isnan(loss.sd)) snprintf(cells[2], sizeof cells[2], "%.4f", loss.sd);
        fprintf(out, "%-*s %9s %10s %8s %10.3g\n", columns, plan->variants[variant].name, cells[0], cells[1], cells[2],
                plan_job_rate(plan, &job));
    }
    for (int i = 0; i < facts->contrasts; i++) {
        const Difference *d = report_contrast(facts, i) + facts->setting;
        if (!d->primary) text_print(&text, "exploratory: ");
        words_contrast(&text, facts, d, 1);
        text_print(&text, "\n");
    }
    int longer = 0; // of this setting
    for (const Difference *d = facts->longer; d < facts->longer + facts->longer_count; d++) {
        if (d->setting != facts->setting) continue;
        if (longer++ == 0 && facts->outcome->seeds > 1)
            text_print(&text, "in longer windows (the %d intervals hold together, as a family of their own):\n",
                       facts->longer_count);
        text_print(&text, "in windows of %.0f: ", d->times * report_context(facts, d->setting));
        words_contrast(&text, facts, d, 1);
        text_print(&text, "\n");
    }
    if (words_plateau(&text, facts, facts->setting)) text_print(&text, "\n");
    if (words_grid_ends(&text, facts, facts->setting)) text_print(&text, "\n");
    const bool ok = !text.failed || fail_run(error, "no memory for the sentences about differences");
    if (ok && text.size > 0) fwrite(text.bytes, 1, text.size, out);
    text_free(&text);
    return ok;
}

static const struct {
    bool (*write)(Page *, const Facts *, Error *);
    const char *fold; // heading of its fold; NULL = not folded
    enum { ALWAYS, WITH_RATES, WITH_TASKS, WITH_PAIRS, WITH_CONTRASTS } when;
} sections[] = {
    {report_answer, NULL, ALWAYS},
    {report_scale, NULL, ALWAYS},
    {report_rates, NULL, WITH_RATES},
    {report_pairs, "Differences of all pairs", WITH_PAIRS},
    {report_seeds, "What these seeds can resolve", WITH_CONTRASTS},
    {report_training, "Training", ALWAYS},
    {report_lengths, "Longer windows, and positions in them", ALWAYS},
    {report_tasks, "Tasks, by length", WITH_TASKS},
    {report_cost, "What positions cost", ALWAYS},
    {report_models, "What was learned, and what heads attend to", ALWAYS},
    {report_limits, "How the differences were judged, and limits", ALWAYS},
    {report_repeat, "How to repeat it", ALWAYS},
};

static bool write_page(FILE *out, const Facts *facts, Error *error) {
    const bool has[] = {[ALWAYS] = true,
                        [WITH_RATES] = facts->plan->rate_count > 1,
                        [WITH_TASKS] = facts->plan->task_count > 0,
                        [WITH_PAIRS] = report_has_pairs(facts),
                        [WITH_CONTRASTS] = facts->contrasts > 0};
    Page page;
    bool ok = page_open(&page, facts->outcome->comparison->directory, "report", "Which position scheme?", true, error);
    if (!ok) return false;
    page.tell = out;
    for (size_t i = 0; ok && i < sizeof sections / sizeof *sections; i++) {
        if (!has[sections[i].when]) continue;
        if (sections[i].fold) page_fold(&page, sections[i].fold);
        ok = sections[i].write(&page, facts, error);
        if (sections[i].fold) page_fold_end(&page);
    }
    ok = ok && page_close(&page, error);
    page_abandon(&page);
    return ok;
}

bool report_check(const char *directory, bool comparison, Error *error) {
    static const struct {
        const char *name, *head;
    } files[] = {{"report.md", PAGE_MARKDOWN_HEAD},
                 {"report.html", PAGE_HTML_HEAD},
                 {"report.tex", PAGE_LATEX_HEAD},
                 {"results.csv", RESULTS_HEADER}};
    char path[PATH_CAPACITY];
    for (int i = 0; i < (comparison ? 4 : 2); i++)
        if (!path_format(path, error, "%s/%s", directory, files[i].name) ||
            !result_replaces("", path, files[i].head, strlen(files[i].head), error))
            return false;
    for (int plot = 1; plot < 1000; plot++)
        if (!path_format(path, error, "%s/plot-%d.svg", directory, plot) ||
            !result_replaces("", path, SVG_HEAD, strlen(SVG_HEAD), error) ||
            !path_format(path, error, "%s/plot-%d.tex", directory, plot) ||
            (comparison && !result_replaces("", path, PGFPLOTS_HEAD, strlen(PGFPLOTS_HEAD), error)))
            return false;
    return true;
}

static bool write_all(const Outcome *outcome, FILE *out, Error *error) {
    const char *directory = outcome->comparison->directory;
    const Plan *plan = &outcome->comparison->plan;
    const int done = outcome_done(outcome), all = plan_job_count(plan);
    char path[PATH_CAPACITY];
    Facts facts;
    if (done < all) {
        fprintf(out, "not finished: %d of %d runs are done, %d are missing; to go on: ", done, all, all - done);
        print_commands(out, plan->command);
        fputc('\n', out);
    }
    if (outcome->seeds < plan->seeds)
        fprintf(out, "seed %lld lacks a run: it and later seeds are left out\n", plan->base.seed + outcome->seeds);
    if (outcome->seeds == 0)
        return fail_input(
            error,
            "%s: the first seed is not complete yet, or its runs were not kept; run the same `bitter compare` again "
            "to continue, or read %s/report.md if it is there",
            directory, directory);
    if (!report_check(directory, true, error) || !facts_gather(&facts, outcome, error)) return false;
    bool ok = print_table(out, &facts, error) && path_format(path, error, "%s/results.csv", directory);
    ok = ok && outcome_write(path, outcome, error) && write_page(out, &facts, error);
    if (ok) fprintf(out, "report   %s/report.html, report.md (names all plots), report.tex, results.csv\n", directory);
    facts_free(&facts);
    return ok;
}

bool report(const char *directory, FILE *out, Error *error) {
    static Comparison comparison;
    Outcome outcome;
    Lock lock;
    if (!comparison_paths(&comparison, directory, error) || !comparison_lock(&lock, &comparison, error)) return false;
    bool ok = plan_read(&comparison.plan, &comparison.data, comparison.file, error);
    if (ok && (ok = outcome_read(&outcome, &comparison, error))) {
        ok = write_all(&outcome, out, error);
        outcome_free(&outcome);
    }
    if (comparison.data) json_decref(comparison.data);
    comparison.data = NULL;
    lock_release(&lock);
    return ok;
}
