// How differences change along a ladder of settings, from one to the next.
#include "lab/report/sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What differs along the ladder, and so is the axis of its charts.
typedef enum { BY_TOKENS, BY_SIZE, BY_COMPUTE } Ladder;

static Ladder ladder_of(const Plan *plan) {
    bool sizes = false, tokens = false;
    for (int s = 1; s < plan->setting_count; s++) {
        const double ratio = setting_tokens_per_parameter(plan, s) / setting_tokens_per_parameter(plan, 0);
        sizes = sizes || plan->settings[s].parameters != plan->settings[0].parameters;
        tokens = tokens || fabs(log(ratio)) > 0.1; // steps are whole numbers
    }
    return !sizes ? BY_TOKENS : !tokens ? BY_SIZE : BY_COMPUTE;
}

static double rung(const Plan *plan, int s, Ladder ladder) {
    const double parameters = (double)plan->settings[s].parameters;
    return ladder == BY_TOKENS ? setting_tokens_per_parameter(plan, s)
           : ladder == BY_SIZE ? parameters
                               : setting_operations(plan, s, plan->reference) * setting_tokens(plan, s);
}

static const char *const axes[] = {"training tokens a parameter", "parameters",
                                   "floating point operations of training"};

typedef struct {
    int setting;
    double x;
} Rung;

static int by_x(const void *a, const void *b) {
    const double one = ((const Rung *)a)->x, other = ((const Rung *)b)->x;
    return one < other ? -1 : one > other;
}

// The settings from the least to the most compute.
static Ladder climb(Rung *rungs, const Plan *plan) {
    const Ladder ladder = ladder_of(plan);
    for (int s = 0; s < plan->setting_count; s++) rungs[s] = (Rung){s, rung(plan, s, ladder)};
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
    const int arms[] = {report_named(facts, i)->arm, report_named(facts, i)->other};
    double changes[2][SEEDS_MOST];
    for (int k = 0; k < 2; k++)
        for (int seed = 0; seed < facts->outcome->seeds; seed++)
            changes[k][seed] =
                outcome_value(facts->outcome, to, -1, arms[k], seed, "loss", report_context(facts, to)) -
                outcome_value(facts->outcome, from, -1, arms[k], seed, "loss", report_context(facts, from));
    Finding f = {.arm = plan->arms[arms[0]].name, .other = plan->arms[arms[1]].name};
    f.gap = outcome_gap(facts->outcome, changes[0], changes[1]);
    f.interval = paired_interval(&f.gap, comparisons);
    f.verdict = paired_verdict(&f.gap, comparisons);
    return f;
}

// "from 25k to 70k -0.28 (-0.37 to -0.18), in favour of learned"
static void change_words(Text *text, const Facts *facts, int i, int from, int to) {
    const Finding f = change_of(facts, i, from, to);
    text_print(text, "from %s to %s ", facts->settings[from], facts->settings[to]);
    if (isnan(f.gap.mean)) {
        text_print(text, "not known, because a run diverged");
        return;
    }
    words_signed(text, f.gap.mean, f.interval);
    if (isnan(f.interval.low))
        text_print(text, ", one seed");
    else if (f.verdict == VERDICT_UNRESOLVED)
        text_print(text, ", not resolved");
    else
        text_print(text, ", in favour of %s", f.verdict == VERDICT_BETTER ? f.arm : f.other);
}

// The change of contrast i from the first setting to the last.
static Finding whole_change(const Facts *facts, int i) {
    Rung rungs[SETTINGS_MOST];
    climb(rungs, facts->plan);
    return change_of(facts, i, rungs[0].setting, rungs[facts->plan->setting_count - 1].setting);
}

// "From 50k to 400k"
static void from_to(Text *text, const Facts *facts) {
    Rung rungs[SETTINGS_MOST];
    climb(rungs, facts->plan);
    const char *from = facts->settings[rungs[0].setting],
               *to = facts->settings[rungs[facts->plan->setting_count - 1].setting];
    text_print(text, "From %.*s to %s", (int)strlen(from) - words_shared_end(from, to), from, to);
}

// Append a contrast to a list that begins with words: "; not resolved: rope - learned, fire - alibi"
static void add_name(Text *list, const char *begin, const Finding *f, bool primary) {
    text_print(list, "%s%s - %s%s", list->size > 0 ? ", " : begin, f->arm, f->other, primary ? "" : " (exploratory)");
}

bool report_scale_count(Page *page, const Facts *facts) {
    enum { LEARNED, DESIGNED, OPEN };
    const Plan *plan = facts->plan;
    const int contrasts = report_contrasts(facts);
    Text names[3] = {0}, text = {0};
    int count[3] = {0};
    bool known = contrasts > 1;
    if (!plan_is_ladder(plan)) return false;
    for (int i = 0; known && i < contrasts; i++) {
        const Finding f = whole_change(facts, i);
        const Difference *d = report_named(facts, i);
        const Arm *better = &plan->arms[f.verdict == VERDICT_BETTER ? d->arm : d->other];
        const int side = f.verdict == VERDICT_UNRESOLVED ? OPEN : better->learned ? LEARNED : DESIGNED;
        known = d->primary && !isnan(f.interval.low);
        count[side]++;
        add_name(&names[side], " (", &f, true);
    }
    for (int side = 0; side < 3; side++) text_print(&names[side], count[side] > 0 ? ")" : "");
    from_to(&text, facts);
    text_print(&text, ", the learned side gains ground in %d of %d comparisons%.*s", count[LEARNED], contrasts,
               (int)names[LEARNED].size, names[LEARNED].bytes);
    text_print(&text, ", the designed side in %d%.*s", count[DESIGNED], (int)names[DESIGNED].size,
               names[DESIGNED].bytes);
    if (count[OPEN] > 0)
        text_print(&text, "; %d %s not resolved%.*s", count[OPEN], count[OPEN] == 1 ? "is" : "are",
                   (int)names[OPEN].size, names[OPEN].bytes);
    if (known) page_lead(page, "%.*s.", (int)text.size, text.bytes);
    for (int side = 0; side < 3; side++) page_text_free(page, &names[side]);
    page_text_free(page, &text);
    return known;
}

void report_scale_changes(Page *page, const Facts *facts) {
    Text text = {0}, open = {0}, unknown = {0};
    bool moves = false;
    if (!plan_is_ladder(facts->plan)) return;
    from_to(&text, facts);
    for (int i = 0; i < report_contrasts(facts); i++) {
        const Finding f = whole_change(facts, i);
        const bool primary = report_named(facts, i)->primary;
        if (isnan(f.gap.mean)) add_name(&unknown, "; not known, because a run diverged: ", &f, primary);
        if (isnan(f.interval.low)) continue;
        if (f.verdict == VERDICT_UNRESOLVED) {
            add_name(&open, "; not resolved: ", &f, primary);
            continue;
        }
        moves = true;
        text_print(&text, ", %s - %s moves ", f.arm, f.other);
        words_amount(&text, &f);
        text_print(&text, " in favour of %s%s", f.verdict == VERDICT_BETTER ? f.arm : f.other,
                   primary ? "" : " (exploratory)");
    }
    if (!moves) text_print(&text, ", no change of a difference is resolved");
    if (moves && open.size > 0) text_print(&text, "%.*s", (int)open.size, open.bytes);
    if (unknown.size > 0) text_print(&text, "%.*s", (int)unknown.size, unknown.bytes);
    if (moves || open.size > 0) page_lead(page, "%.*s.", (int)text.size, text.bytes);
    page_text_free(page, &text);
    page_text_free(page, &open);
    page_text_free(page, &unknown);
}

static bool gap_chart(Page *page, const Facts *facts, const Rung *rungs, Ladder ladder, Error *error) {
    const Plan *plan = facts->plan;
    Chart chart = {.x_label = axes[ladder],
                   .y_label = facts->outcome->seeds > 1
                                  ? "difference in nats a token, with its corrected 95% interval; below 0, the first "
                                    "scheme is better"
                                  : "difference in nats a token; below 0, the first scheme is better",
                   .spread = facts->outcome->seeds > 1 ? SPREAD_BARS : SPREAD_NONE,
                   .log_x = true};
    for (int i = 0; i < report_contrasts(facts) && i < LINES_MOST; i++) {
        report_contrast_line(&chart, facts, i);
        for (int r = 0; r < plan->setting_count; r++) {
            const Finding f = report_contrast(facts, i, rungs[r].setting);
            chart_bar(&chart, rungs[r].x, f.gap.mean, f.interval.low, f.interval.high);
        }
    }
    return page_chart(page, &chart, error, "Differences against compute");
}

// The mean over the seeds as a line, and each seed as a dot.
static bool loss_chart(Page *page, const Facts *facts, const Rung *rungs, Ladder ladder, Error *error) {
    const Plan *plan = facts->plan;
    Chart chart = {.x_label = axes[ladder], .y_label = "loss in nats a token; a dot for each seed", .log_x = true};
    for (int arm = 0; arm < plan->arm_count && chart.count + 2 <= LINES_MOST; arm++) {
        report_line(&chart, facts, arm);
        for (int r = 0; r < plan->setting_count; r++)
            chart_point(&chart, rungs[r].x,
                        report_mean(facts, rungs[r].setting, arm, "loss", report_context(facts, rungs[r].setting)));
        chart_loose_line(&chart, "seeds");
        for (int r = 0; r < plan->setting_count; r++)
            for (int seed = 0; seed < facts->outcome->seeds; seed++)
                chart_point(&chart, rungs[r].x,
                            outcome_value(facts->outcome, rungs[r].setting, -1, arm, seed, "loss",
                                          report_context(facts, rungs[r].setting)));
    }
    if (2 * plan->arm_count > LINES_MOST)
        page_paragraph(page, "The next plot has the first %d of %d schemes.", LINES_MOST / 2, plan->arm_count);
    return page_chart(page, &chart, error, "Losses against compute");
}

bool report_scale(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int last = plan->setting_count - 1;
    Rung rungs[SETTINGS_MOST];
    if (!plan_is_ladder(plan)) return true;
    const Ladder ladder = climb(rungs, plan);
    page_heading(page, "As compute grows");
    if (!gap_chart(page, facts, rungs, ladder, error) || !loss_chart(page, facts, rungs, ladder, error)) return false;
    char intervals[64] = "";
    if (facts->outcome->seeds > 1)
        snprintf(intervals, sizeof intervals, "; %d interval%s at once", all_changes(facts),
                 all_changes(facts) > 1 ? "s hold" : " holds");
    page_paragraph(page, "How each difference changes from one setting to the next, and from the first to the last%s.",
                   intervals);
    for (int i = 0; i < report_contrasts(facts); i++) {
        Text text = {0};
        const Finding f = report_contrast(facts, i, 0);
        text_print(&text, "%s - %s: ", f.arm, f.other);
        for (int r = 0; r < last; r++) {
            if (r > 0) text_print(&text, "; ");
            change_words(&text, facts, i, rungs[r].setting, rungs[r + 1].setting);
        }
        if (last > 1) {
            text_print(&text, "; in all, ");
            change_words(&text, facts, i, rungs[0].setting, rungs[last].setting);
        }
        page_paragraph(page, "%.*s.", (int)text.size, text.bytes);
        page_text_free(page, &text);
    }
    return true;
}
