// How the gap between learned and designed schemes changes with compute.
#include "lab/report/sections.h"

#include <math.h>
#include <string.h>

// 6 N D floating point operations; those of attention are not counted.
static double compute_of(const Plan *plan, int setting) {
    const Job job = {.setting = setting, .task = -1, .arm = plan->reference};
    return 6 * (double)plan->settings[setting].parameters * plan_job_tokens(plan, &job);
}

typedef struct {
    int arm, designed;
    Trend trend;
    double adjusted;
} Pair;

// Pair every learned scheme with its designed one; returns the number of pairs.
static int find_pairs(Pair *pairs, const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    double x[SETTINGS_MOST], gaps[SEEDS_MOST * SETTINGS_MOST], p[ARMS_MOST], adjusted[ARMS_MOST];
    int count = 0;
    for (int setting = 0; setting < plan->setting_count; setting++) x[setting] = log10(compute_of(plan, setting));
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const int designed = plan_designed(plan, arm);
        if (designed < 0) continue;
        for (int seed = 0; seed < o->seeds; seed++)
            for (int setting = 0; setting < plan->setting_count; setting++)
                gaps[seed * plan->setting_count + setting] =
                    outcome_value(o, setting, -1, arm, seed, "loss", (double)plan->settings[setting].context) -
                    outcome_value(o, setting, -1, designed, seed, "loss", (double)plan->settings[setting].context);
        pairs[count] = (Pair){.arm = arm, .designed = designed};
        pairs[count].trend = trend_fit(x, gaps, o->seeds, plan->setting_count);
        p[count] = pairs[count].trend.slope.p;
        count++;
    }
    holm(adjusted, p, count);
    for (int i = 0; i < count; i++) pairs[i].adjusted = adjusted[i];
    return count;
}

// A slope does not describe a gap that does not change along a straight line.
static const char *words_of(const Pair *pair) {
    return trend_is_bent(&pair->trend) ? "no straight line" : trend_words(trend_verdict(&pair->trend, pair->adjusted));
}

static void add_gaps(Text *list, const Outcome *o, const Pair *pair) {
    const Plan *plan = &o->comparison->plan;
    for (int setting = 0; setting < plan->setting_count; setting++) {
        const double T = (double)plan->settings[setting].context;
        const Paired gap = outcome_paired(o, setting, pair->arm, pair->designed, "loss", T);
        text_print(list, "%s%+.4f at %s", setting ? ", " : ": ", gap.mean, plan->settings[setting].name);
    }
}

void report_trend_sentence(Page *page, const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    Pair pairs[ARMS_MOST];
    Text list = {0};
    const int count = plan_is_ladder(plan) ? find_pairs(pairs, o) : 0;
    for (int i = 0; i < count; i++) {
        const Trend *t = &pairs[i].trend;
        text_print(&list, "%s%s minus %s ", i > 0 ? "; " : "", plan->arms[pairs[i].arm].name,
                   plan->arms[pairs[i].designed].name);
        report_difference(&list, &t->slope, words_of(&pairs[i]));
        if (trend_is_bent(t)) add_gaps(&list, o, &pairs[i]);
    }
    if (count > 0)
        page_paragraph(page,
                       "From %s to %s parameters, the gap between learned and designed changes by this much for ten "
                       "times the compute (below 0: in favour of learned): %.*s.",
                       plan->settings[0].name, plan->settings[plan->setting_count - 1].name, (int)list.size,
                       list.bytes);
    else if (plan->setting_count < 2)
        page_paragraph(page,
                       "With one size, nothing is known of how the gap changes with compute; --scale trains several.");
    text_free(&list);
}

static bool gap_chart(Page *page, const Outcome *o, const Pair *pairs, int count, Error *error) {
    const Plan *plan = &o->comparison->plan;
    char label[TEXT_CAPACITY + 128] = "training compute (floating point operations, 6 N D)";
    if (plan->by_seconds)
        snprintf(label, sizeof label, "training compute of %.200s (floating point operations, 6 N D)",
                 plan->arms[plan->reference].name);
    Chart chart = {.x_label = label,
                   .y_label = "gap in nats a token, with 95% intervals",
                   .spread = o->seeds > 1 ? SPREAD_BARS : SPREAD_NONE,
                   .log_x = true};
    for (int i = 0; i < count; i++) {
        chart_line(&chart, "%.60s - %.60s", plan->arms[pairs[i].arm].name, plan->arms[pairs[i].designed].name);
        for (int setting = 0; setting < plan->setting_count; setting++) {
            const Paired gap = outcome_paired(o, setting, pairs[i].arm, pairs[i].designed, "loss",
                                              (double)plan->settings[setting].context);
            chart_bar(&chart, compute_of(plan, setting), gap.mean, gap.t.low, gap.t.high);
        }
    }
    return page_chart(page, &chart, error,
                      "Gap between learned and designed against compute; below 0, learned is better");
}

bool report_scale(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    Pair pairs[ARMS_MOST];
    if (!plan_is_ladder(plan)) return true;
    const int count = find_pairs(pairs, o);
    if (count == 0) return true;
    page_heading(page, "Does the gap close with compute?");
    if (!gap_chart(page, o, pairs, count, error)) return false;
    page_table(
        page, "the gap at the smallest and at the largest size; the slope of a line through all sizes, one for each "
              "seed: change of the gap for ten times the compute; misfit: the largest distance of a gap from the line; "
              "\"bent\": seeds agree that the gap does not follow a line, so the slope does not describe it");
    page_row(page, true, "learned - designed|gap at %s|gap at %s|slope|95%% interval|p (Holm)|largest misfit|verdict",
             plan->settings[0].name, plan->settings[plan->setting_count - 1].name);
    for (int i = 0; i < count; i++) {
        const Trend *t = &pairs[i].trend;
        page_row(page, false, "%s - %s", plan->arms[pairs[i].arm].name, plan->arms[pairs[i].designed].name);
        page_number(page, 4, t->first.mean);
        page_number(page, 4, t->last.mean);
        const bool judged = report_difference_cells(page, &t->slope);
        page_cell(page, judged ? "%.3g" : "-", pairs[i].adjusted);
        page_cell(page, trend_is_bent(t) ? "%.4f, bent" : "%.4f", t->misfit);
        page_cell(page, "%s", judged ? words_of(&pairs[i]) : "");
    }
    page_table_end(page);
    return true;
}
