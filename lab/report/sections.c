#include "lab/report/sections.h"

#include <math.h>

double report_mean(const Outcome *o, int setting, int arm, const char *quantity, double x) {
    double sum = 0;
    for (int seed = 0; seed < o->seeds; seed++) sum += outcome_value(o, setting, -1, arm, seed, quantity, x);
    return sum / o->seeds;
}

// The change of a quantity from one x to another, by seed.
static Paired change_of(const Outcome *o, int setting, int arm, const char *quantity, double from, double to) {
    double differences[SEEDS_MOST];
    for (int seed = 0; seed < o->seeds; seed++)
        differences[seed] = outcome_value(o, setting, -1, arm, seed, quantity, to) -
                            outcome_value(o, setting, -1, arm, seed, quantity, from);
    return paired_summary(differences, o->seeds);
}

void report_changes(Paired *changes, double *adjusted, const Outcome *o, int setting, const char *quantity,
                    double times) {
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->settings[setting].context;
    double p[ARMS_MOST];
    for (int arm = 0; arm < plan->arm_count; arm++) {
        changes[arm] = change_of(o, setting, arm, quantity, T, times * T);
        p[arm] = changes[arm].p;
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

bool report_run_path(char path[PATH_CAPACITY], const Outcome *o, int arm, const char *file, Error *error) {
    const Job job = outcome_job(o, o->comparison->plan.setting_count - 1, arm, 0);
    return comparison_path(path, o->comparison, &job, file, error);
}

bool report_open_run(Run *run, const Outcome *o, int arm, Error *error) {
    char path[PATH_CAPACITY];
    return report_run_path(path, o, arm, "", error) && run_open(run, path, "", error);
}

bool report_has_weights(const Outcome *o, int arm) {
    char path[PATH_CAPACITY];
    Error ignored;
    return report_run_path(path, o, arm, "model.safetensors", &ignored) && path_exists(path);
}

bool report_enters(const Outcome *o, int arm, Enters where) {
    return o->comparison->plan.arms[arm].scheme->enters == where && report_has_weights(o, arm);
}
