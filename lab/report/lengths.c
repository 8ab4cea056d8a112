// Losses beyond the trained context: in longer windows, by position in them, and of the same tokens with more text
// before them. And right answers to tasks, by length.
#include "lab/report/sections.h"

#include "data/made/builtin.h"
#include "lab/compare/measure.h"
#include "lab/report/page/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Chart a quantity against its x, at every x that the first run of each scheme has.
static bool length_chart(Page *page, const Facts *facts, const char *quantity, const char *x_label, bool marked,
                         const char *title, Error *error) {
    const int setting = facts->setting;
    Chart chart = {.x_label = x_label,
                   .y_label = "loss in nats a token",
                   .log_x = true,
                   .mark = report_context(facts, setting),
                   .mark_label = marked ? "trained" : NULL,
                   .bands = facts->outcome->seeds > 1};
    for (int variant = 0; variant < facts->plan->variant_count; variant++) {
        const Job first = outcome_job(facts->outcome, setting, variant, 0);
        const Measures *measures = outcome_measures(facts->outcome, &first);
        report_line(&chart, facts, variant);
        for (const Measured *row = measures->rows; row < measures->rows + measures->count; row++)
            if (strcmp(row->quantity, quantity) == 0) {
                const Paired loss = report_summary(facts, setting, variant, quantity, row->x);
                chart_interval(&chart, row->x, loss.estimate, loss.sorted[0], loss.sorted[loss.n - 1]);
            }
    }
    return page_chart(page, &chart, error, "%s%s%s", title, facts->at[setting],
                      chart.bands ? ", medians of the seeds; bands: from the lowest to the highest seed" : "");
}

// One row for each scheme: a quantity at 1, 2, 4, ... times the trained length (`count` columns), and its change from
// the first to the last.
static void change_table(Page *page, const Facts *facts, const char *quantity, int count, const char *caption) {
    static const char *const words[VERDICTS] = {"falls", "rises", "not resolved", "", "has no value there"};
    const Plan *plan = facts->plan;
    const int setting = facts->setting, times = 1 << (count - 1), seeds = facts->outcome->seeds;
    const double T = report_context(facts, setting);
    page_table(page, plan->variant_count > 1 && seeds > 1 ? "%s%s; the %d intervals hold at once" : "%s%s", caption,
               facts->at[setting], plan->variant_count);
    page_row(page, true, "scheme");
    for (int i = 0; i < count; i++) page_cells(page, "%.0f", T * (1 << i));
    page_cells(page, "median change at %dx|95%% interval|the loss", times);
    for (int variant = 0; variant < plan->variant_count; variant++) {
        double changes[SEEDS_MOST], before[SEEDS_MOST];
        outcome_values(changes, facts->outcome, setting, variant, quantity, times * T);
        outcome_values(before, facts->outcome, setting, variant, quantity, T);
        for (int seed = 0; seed < seeds; seed++) changes[seed] -= before[seed];
        const Paired change = paired_summary(changes, seeds);
        const Interval interval = paired_interval(&change, plan->variant_count);
        page_row(page, false, "%s", plan->variants[variant].name);
        for (int i = 0; i < count; i++)
            page_cells(page, "%.4f", report_summary(facts, setting, variant, quantity, T * (1 << i)).estimate);
        const int digits = digits_of(change.estimate, interval.low, interval.high);
        page_difference(page, change.estimate, digits);
        page_interval(page, interval.low, interval.high, digits);
        page_cells(page, "%s",
                   isnan(report_loss(facts, setting, variant).mean)
                       ? "diverged"
                       : words[paired_verdict(&change, plan->variant_count)]);
    }
    page_table_end(page);
}

bool report_lengths(Page *page, const Facts *facts, Error *error) {
    static const char position[] = "position in the window";
    if (!length_chart(page, facts, "position", position, false, "Loss by position in windows of the trained length",
                      error) ||
        !length_chart(page, facts, "loss", "tokens of a window", true, "Loss against the length of the window", error))
        return false;
    change_table(page, facts, "loss", MULTIPLES,
                 "median loss by the length of the window, and its change from the trained length to eight times that");
    if (!length_chart(page, facts, "beyond", position, true,
                      "Loss by position in windows of eight times the trained length", error))
        return false;
    page_heading(page, "Does more context help?");
    page_paragraph(
        page,
        "The loss of the same tokens, the last quarter of a trained window, with more and more text before them.");
    change_table(page, facts, "same", 3, "median loss of the same tokens by the length of their windows");
    return true;
}

// --- tasks; the seeds are the units, because the answers of a run are not independent ---
static bool tasks_chart(Page *page, const Facts *facts, int task, const BuiltinCorpus *builtin, Error *error) {
    const Plan *plan = facts->plan;
    char label[128];
    snprintf(label, sizeof label, "number of %s", builtin->builtin->counts);
    Chart chart = {.x_label = label,
                   .y_label = "right answers in percent",
                   .mark = (double)builtin->max,
                   .mark_label = "trained",
                   .bands = facts->outcome->seeds > 1};
    for (int variant = 0; variant < plan->variant_count; variant++) {
        report_line(&chart, facts, variant);
        for (int length = (int)builtin->min; length <= 2 * (int)builtin->max; length++) {
            const Paired all = report_shares(facts, task, variant, length, length);
            if (!isnan(all.mean)) // it was asked
                chart_interval(&chart, length, all.mean, all.sorted[0], all.sorted[all.n - 1]);
        }
    }
    return page_chart(page, &chart, error, "Right answers by length: %s, mean of the seeds%s", plan->tasks[task],
                      chart.bands ? "; bands: from the lowest to the highest seed" : "");
}

// "57.2 ± 30.1 (20, 61, 90)": in percent, over the seeds.
static void share_cell(Page *page, const Facts *facts, int task, int variant, double first, double last) {
    const Paired all = report_shares(facts, task, variant, first, last);
    if (isnan(all.sd)) {
        page_cells(page, "%.1f", all.mean);
        return;
    }
    text_print(&page->text, "%.1f ± %.1f", all.mean, all.sd);
    for (int i = 0; i < all.n; i++) text_print(&page->text, "%s%.0f", i ? ", " : " (", all.sorted[i]);
    page_cells(page, ")");
}

int report_task_gaps(const Facts *facts) {
    return facts->contrasts > 0 ? 2 * facts->plan->contrast_count * facts->plan->task_count : 0;
}

// "+12.0 (+1.5 to +22.5) *": in percentage points; * = the interval leaves out 0. A few seeds may agree exactly by
// chance, because answers are counted; then there is no interval.
static void gap_cell(Page *page, const Facts *facts, int task, const Difference *d, double first, double last) {
    const double comparisons = report_task_gaps(facts);
    double gaps[SEEDS_MOST];
    for (int seed = 0; seed < facts->outcome->seeds; seed++)
        gaps[seed] = 100 * (outcome_share(facts->outcome, task, d->variant, seed, first, last) -
                            outcome_share(facts->outcome, task, d->other, seed, first, last));
    const Paired all = paired_summary(gaps, facts->outcome->seeds);
    const Interval interval = paired_interval(&all, comparisons);
    const bool unknown = isnan(interval.low) || (all.sd < 1e-9 && !paired_exact(&all, comparisons));
    page_cells(page, unknown ? "%+.1f" : "%+.1f (%+.1f to %+.1f)%s", unsigned_zero(all.estimate, 1),
               unsigned_zero(interval.low, 1), unsigned_zero(interval.high, 1),
               verdict_resolved(paired_verdict(&all, comparisons)) ? " *" : "");
}

bool report_tasks(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    for (int task = 0; task < plan->task_count; task++) {
        BuiltinCorpus builtin;
        if (!builtin_choose(&builtin, plan->tasks[task], error) || !tasks_chart(page, facts, task, &builtin, error))
            return false;
        const double min = (double)builtin.min, max = (double)builtin.max;
        text_print(&page->text, "right answers in percent: mean ± standard deviation of the seeds, and each seed; and "
                                "median differences in percentage points");
        if (facts->outcome->seeds > 1 && facts->contrasts > 0)
            text_print(&page->text, ", whose %d intervals of all tasks hold at once; * = the interval leaves out 0",
                       report_task_gaps(facts));
        page_table(page, "%s", "");
        page_row(page, true, "scheme|trained lengths, %lld to %lld|beyond, up to %lld", builtin.min, builtin.max,
                 2 * builtin.max);
        for (int variant = 0; variant < plan->variant_count; variant++) {
            page_row(page, false, "%s", plan->variants[variant].name);
            share_cell(page, facts, task, variant, min, max);
            share_cell(page, facts, task, variant, max + 1, 2 * max);
        }
        for (int i = 0; i < facts->contrasts; i++) {
            const Difference *d = report_contrast(facts, i);
            page_row(page, false, "%s - %s%s", plan->variants[d->variant].name, plan->variants[d->other].name,
                     d->primary ? "" : " (exploratory)");
            gap_cell(page, facts, task, d, min, max);
            gap_cell(page, facts, task, d, max + 1, 2 * max);
        }
        page_table_end(page);
    }
    return true;
}
