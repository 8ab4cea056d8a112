#include "lab/report/facts/facts.h"

#include <math.h>
#include <string.h>

int report_setting(const Outcome *o) {
    return o->comparison->plan.setting_count - 1;
}

const char *report_at(char words[NAME_CAPACITY + 8], const Outcome *o, int setting) {
    const char *name = o->comparison->plan.settings[setting].name;
    snprintf(words, NAME_CAPACITY + 8, "%s%s", *name ? " at " : "", name);
    return words;
}

double report_context(const Outcome *o, int setting) {
    return (double)o->comparison->plan.settings[setting].context;
}

double report_mean(const Outcome *o, int setting, int arm, const char *quantity, double x) {
    double sum = 0;
    for (int seed = 0; seed < o->seeds; seed++) sum += outcome_value(o, setting, -1, arm, seed, quantity, x);
    return sum / o->seeds;
}

double report_deviation(const Outcome *o, int setting, int arm, const char *quantity, double x) {
    double values[SEEDS_MOST];
    for (int seed = 0; seed < o->seeds; seed++) values[seed] = outcome_value(o, setting, -1, arm, seed, quantity, x);
    return paired_summary(values, o->seeds).sd;
}

Paired report_change(const Outcome *o, int setting, int arm, const char *quantity, double times) {
    const double T = report_context(o, setting);
    double differences[SEEDS_MOST];
    for (int seed = 0; seed < o->seeds; seed++)
        differences[seed] = outcome_value(o, setting, -1, arm, seed, quantity, times * T) -
                            outcome_value(o, setting, -1, arm, seed, quantity, T);
    return paired_summary(differences, o->seeds);
}

bool report_difference_cells(Page *page, double mean, Interval interval) {
    const bool known = !isnan(mean), judged = known && !isnan(interval.low);
    page_cell(page, known ? "%+.4f" : "-", mean);
    page_cell(page, judged ? "%+.4f to %+.4f" : "-", interval.low, interval.high);
    return judged;
}

double report_rate(const Outcome *o, int setting, int arm) {
    const Job job = outcome_job(o, setting, arm, 0);
    return plan_job_rate(&o->comparison->plan, &job);
}

bool report_run_path(char path[PATH_CAPACITY], const Outcome *o, int arm, const char *file, Error *error) {
    const Job job = outcome_job(o, report_setting(o), arm, 0);
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
