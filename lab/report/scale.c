// How differences change along a ladder of settings, from one to the next.
#include "lab/report/sections.h"

#include <math.h>
#include <stdlib.h>

// What differs along the ladder, and so is the axis of its charts.
typedef enum { BY_TOKENS, BY_SIZE, BY_COMPUTE } Ladder;

typedef struct {
    int setting;
    double x;
} Rung;

static const char *const axes[] = {"training tokens a parameter", "parameters",
                                   "floating point operations of training"};

static Ladder ladder_of(const Plan *plan) {
    bool sizes = false, tokens = false;
    for (int s = 1; s < plan->setting_count; s++) {
        const double ratio = setting_tokens_per_parameter(plan, s) / setting_tokens_per_parameter(plan, 0);
        sizes = sizes || plan->settings[s].parameters != plan->settings[0].parameters;
        tokens = tokens || fabs(log(ratio)) > 0.1; // steps are whole numbers
    }
    return !sizes ? BY_TOKENS : !tokens ? BY_SIZE : BY_COMPUTE;
}

static int by_x(const void *a, const void *b) {
    const double one = ((const Rung *)a)->x, other = ((const Rung *)b)->x;
    return one < other ? -1 : one > other;
}

// The settings from the least to the most compute.
static Ladder climb(Rung rungs[SETTINGS_MOST], const Plan *plan) {
    const Ladder ladder = ladder_of(plan);
    for (int s = 0; s < plan->setting_count; s++)
        rungs[s] =
            (Rung){s, ladder == BY_TOKENS ? setting_tokens_per_parameter(plan, s)
                      : ladder == BY_SIZE ? (double)plan->settings[s].parameters
                                          : setting_operations(plan, s, plan->reference) * setting_tokens(plan, s)};
    qsort(rungs, (size_t)plan->setting_count, sizeof *rungs, by_x);
    return ladder;
}

// Of each contrast, the changes from one setting to the next and from the first to the last; together one family.
static int all_changes(const Facts *facts) {
    const int settings = facts->plan->setting_count;
    return report_contrasts(facts) * (settings > 2 ? settings : 1);
}

// The change of contrast i from one setting to another; the seeds are the units. Corrected for all_changes.
static Finding change_of(const Facts *facts, int i, int from, int to) {
    const Plan *plan = facts->plan;
    const double comparisons = all_changes(facts);
    const int variants[] = {report_named(facts, i)->variant, report_named(facts, i)->other};
    double changes[2][SEEDS_MOST];
    for (int k = 0; k < 2; k++)
        for (int seed = 0; seed < facts->outcome->seeds; seed++)
            changes[k][seed] =
                outcome_value(facts->outcome, to, -1, variants[k], seed, "loss", report_context(facts, to)) -
                outcome_value(facts->outcome, from, -1, variants[k], seed, "loss", report_context(facts, from));
    Finding f = {.variant = plan->variants[variants[0]].name, .other = plan->variants[variants[1]].name};
    f.gap = outcome_gap(facts->outcome, changes[0], changes[1]);
    f.interval = paired_interval(&f.gap, comparisons);
    f.verdict = paired_verdict(&f.gap, comparisons);
    return f;
}

void report_scale_changes(Page *page, const Facts *facts) {
    const int last = facts->plan->setting_count - 1;
    Rung rungs[SETTINGS_MOST];
    Text moved = {0}, rest = {0};
    if (!plan_is_ladder(facts->plan) || facts->outcome->seeds < 2) return;
    climb(rungs, facts->plan);
    for (int i = 0; i < report_contrasts(facts); i++) {
        const Finding f = change_of(facts, i, rungs[0].setting, rungs[last].setting);
        const char *exploratory = report_named(facts, i)->primary ? "" : " (exploratory)";
        if (f.verdict == VERDICT_UNRESOLVED) {
            text_print(&rest, "%s%s - %s%s%s", rest.size ? ", " : "not resolved: ", f.variant, f.other,
                       isnan(f.gap.mean) ? " (diverged)" : "", exploratory);
            continue;
        }
        text_print(&moved, "%s - %s moves ", f.variant, f.other);
        words_amount(&moved, &f);
        text_print(&moved, " in favour of %s%s; ", f.verdict == VERDICT_BETTER ? f.variant : f.other, exploratory);
    }
    if (rest.size == 0 && moved.size > 0) moved.size -= 2; // the last "; "
    page_lead(page, "Change from %s to %s: %.*s%.*s.", facts->settings[rungs[0].setting].name,
              facts->settings[rungs[last].setting].name, (int)moved.size, moved.bytes, (int)rest.size, rest.bytes);
    page_text_free(page, &moved);
    page_text_free(page, &rest);
}

static bool gap_chart(Page *page, const Facts *facts, const Rung *rungs, Ladder ladder, Error *error) {
    const bool seeds = facts->outcome->seeds > 1;
    Chart chart = {.x_label = axes[ladder],
                   .y_label = "difference in nats a token",
                   .spread = seeds ? SPREAD_BARS : SPREAD_NONE,
                   .log_x = true};
    for (int i = 0; i < report_contrasts(facts); i++) {
        report_contrast_line(&chart, facts, i);
        for (int r = 0; r < facts->plan->setting_count; r++) {
            const Finding f = report_contrast(facts, i, rungs[r].setting);
            chart_bar(&chart, rungs[r].x, f.gap.mean, f.interval.low, f.interval.high);
        }
    }
    return page_chart(page, &chart, error, "Differences against compute%s; below 0, the first scheme is better",
                      seeds ? ", with corrected 95% intervals" : "");
}

// The mean over the seeds as a line, and each seed as a dot.
static bool loss_chart(Page *page, const Facts *facts, const Rung *rungs, Ladder ladder, Error *error) {
    Chart chart = {.x_label = axes[ladder], .y_label = "loss in nats a token", .log_x = true};
    for (int variant = 0; variant < facts->plan->variant_count; variant++) {
        report_line(&chart, facts, variant);
        for (int r = 0; r < facts->plan->setting_count; r++)
            chart_point(&chart, rungs[r].x, report_loss(facts, rungs[r].setting, variant).mean);
        chart_seeds(&chart);
        for (int r = 0; r < facts->plan->setting_count; r++)
            for (int seed = 0; seed < facts->outcome->seeds; seed++)
                chart_point(&chart, rungs[r].x,
                            outcome_value(facts->outcome, rungs[r].setting, -1, variant, seed, "loss",
                                          report_context(facts, rungs[r].setting)));
    }
    return page_chart(page, &chart, error, "Losses against compute; a dot for each seed");
}

bool report_scale(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int last = plan->setting_count - 1;
    Rung rungs[SETTINGS_MOST];
    if (!plan_is_ladder(plan)) return true;
    const Ladder ladder = climb(rungs, plan);
    page_heading(page, "As compute grows");
    if (!gap_chart(page, facts, rungs, ladder, error) || !loss_chart(page, facts, rungs, ladder, error)) return false;
    page_paragraph(page,
                   "How each difference changes from one setting to the next, and from the first to the last; the "
                   "intervals are corrected for all %d changes.",
                   all_changes(facts));
    for (int i = 0; i < report_contrasts(facts); i++) {
        Text text = {0};
        for (int r = 0; r < last + (last > 1); r++) {
            const int from = rungs[r < last ? r : 0].setting, to = rungs[r < last ? r + 1 : last].setting;
            const Finding f = change_of(facts, i, from, to);
            if (r == 0) text_print(&text, "%s - %s: ", f.variant, f.other);
            text_print(&text, "%s", r == 0 ? "" : r < last ? "; " : "; in all, ");
            words_change(&text, &f, facts->settings[from].name, facts->settings[to].name);
        }
        page_paragraph(page, "%.*s.", (int)text.size, text.bytes);
        page_text_free(page, &text);
    }
    return true;
}
