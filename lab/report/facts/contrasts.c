// Contrasts, pairs, and the looks of schemes in charts.
#include "lab/report/facts/facts.h"

#include <math.h>
#include <string.h>

// The arms of the contrasts.
typedef struct {
    int arm, other;
} Arms;

static int list_contrasts(Arms *list, const Plan *plan) {
    int count = 0;
    for (int arm = 0; arm < plan->arm_count; arm++)
        if (plan_designed(plan, arm) >= 0) list[count++] = (Arms){arm, plan_designed(plan, arm)};
    for (int arm = 0; count == 0 && arm < plan->arm_count; arm++)
        for (int other = 0; other < plan->arm_count; other++)
            if (other == plan->reference && arm != other && count < ARMS_MOST) list[count++] = (Arms){arm, other};
    return count;
}

static Arms contrast_arms(const Outcome *o, int i) {
    Arms list[ARMS_MOST];
    list_contrasts(list, &o->comparison->plan);
    return list[i];
}

int report_contrasts(const Outcome *o) {
    Arms list[ARMS_MOST];
    const Plan *plan = &o->comparison->plan;
    int count = 0;
    for (int arm = 0; arm < plan->arm_count; arm++) count += plan_designed(plan, arm) >= 0;
    return count > 0 ? list_contrasts(list, plan) : plan->arm_count - 1;
}

int report_arm(const Outcome *o, int i) {
    return contrast_arms(o, i).arm;
}

int report_other(const Outcome *o, int i) {
    return contrast_arms(o, i).other;
}

bool report_primary(const Outcome *o, int i) {
    return true;
}

double report_comparisons(const Outcome *o) {
    return (double)report_contrasts(o) * o->comparison->plan.setting_count;
}

static Finding finding_of(const Outcome *o, int arm, int other, int setting, double comparisons) {
    const Plan *plan = &o->comparison->plan;
    Finding f = {.arm = plan->arms[arm].name, .other = plan->arms[other].name, .setting = plan->settings[setting].name};
    f.gap = outcome_paired(o, setting, arm, other, "loss", report_context(o, setting));
    f.interval = paired_interval(&f.gap, comparisons);
    f.verdict = paired_verdict(&f.gap, comparisons);
    f.resolvable = resolvable(f.gap.se, f.gap.df, comparisons);
    return f;
}

Finding report_contrast(const Outcome *o, int i, int setting) {
    const Arms arms = contrast_arms(o, i);
    return finding_of(o, arms.arm, arms.other, setting, report_comparisons(o));
}

Finding report_pair(const Outcome *o, int arm, int other, int setting) {
    const double arms = o->comparison->plan.arm_count;
    return finding_of(o, arm, other, setting, arms * (arms - 1) / 2);
}

Finding report_best_known(const Outcome *o, int arm, int other, int setting) {
    for (int i = 0; i < report_contrasts(o); i++) {
        const Arms arms = contrast_arms(o, i);
        if (arms.arm == arm && arms.other == other) return report_contrast(o, i, setting);
        if (arms.arm == other && arms.other == arm) return finding_of(o, arm, other, setting, report_comparisons(o));
    }
    return report_pair(o, arm, other, setting);
}

// The designed scheme whose hue an arm has; itself, if it has none.
static int root_of(const Plan *plan, int arm) {
    const int designed = plan_designed(plan, arm);
    return designed >= 0 ? designed : arm;
}

int report_hue(const Outcome *o, int arm) {
    const Plan *plan = &o->comparison->plan;
    int hue = 0;
    for (int before = 0; before < root_of(plan, arm); before++) hue += root_of(plan, before) == before;
    return hue;
}

void report_line(Chart *chart, const Outcome *o, int arm) {
    const Plan *plan = &o->comparison->plan;
    const bool learned = plan->arms[arm].learned;
    int dash = learned ? 1 : report_hue(o, arm) / HUES;
    for (int before = 0; learned && before < arm; before++)
        dash += before != root_of(plan, arm) && root_of(plan, before) == root_of(plan, arm);
    chart_line(chart, "%s", plan->arms[arm].name);
    chart_style(chart, report_hue(o, arm), learned ? 1 + (dash - 1) % (DASHES - 1) : dash);
}

void report_contrast_line(Chart *chart, const Outcome *o, int i) {
    const Plan *plan = &o->comparison->plan;
    const int hue = report_hue(o, report_arm(o, i));
    int dash = 0;
    for (int before = 0; before < i; before++) dash += report_hue(o, report_arm(o, before)) == hue;
    chart_line(chart, "%.60s - %.60s", plan->arms[report_arm(o, i)].name, plan->arms[report_other(o, i)].name);
    chart_style(chart, hue, dash);
}
