#include "lab/report/facts/facts.h"

#include <math.h>
#include <string.h>

int report_setting(const Facts *facts) {
    return facts->plan->setting_count - 1;
}

double report_context(const Facts *facts, int setting) {
    return (double)facts->plan->settings[setting].context;
}

double report_mean(const Facts *facts, int setting, int arm, const char *quantity, double x) {
    double sum = 0;
    for (int seed = 0; seed < facts->outcome->seeds; seed++)
        sum += outcome_value(facts->outcome, setting, -1, arm, seed, quantity, x);
    return sum / facts->outcome->seeds;
}

double report_deviation(const Facts *facts, int setting, int arm, const char *quantity, double x) {
    double values[SEEDS_MOST];
    for (int seed = 0; seed < facts->outcome->seeds; seed++)
        values[seed] = outcome_value(facts->outcome, setting, -1, arm, seed, quantity, x);
    return paired_summary(values, facts->outcome->seeds).sd;
}

Paired report_change(const Facts *facts, int setting, int arm, const char *quantity, double times) {
    const double T = report_context(facts, setting);
    double differences[SEEDS_MOST];
    for (int seed = 0; seed < facts->outcome->seeds; seed++)
        differences[seed] = outcome_value(facts->outcome, setting, -1, arm, seed, quantity, times * T) -
                            outcome_value(facts->outcome, setting, -1, arm, seed, quantity, T);
    return paired_summary(differences, facts->outcome->seeds);
}

bool report_difference_cells(Page *page, double mean, Interval interval) {
    const bool known = !isnan(mean), judged = known && !isnan(interval.low);
    page_cell(page, known ? "%+.4f" : "-", mean);
    page_cell(page, judged ? "%+.4f to %+.4f" : "-", interval.low, interval.high);
    return judged;
}

double report_rate(const Facts *facts, int setting, int arm) {
    const Job job = outcome_job(facts->outcome, setting, arm, 0);
    return plan_job_rate(facts->plan, &job);
}

bool report_run_path(char path[PATH_CAPACITY], const Facts *facts, int arm, const char *file, Error *error) {
    const Job job = outcome_job(facts->outcome, report_setting(facts), arm, 0);
    return comparison_path(path, facts->outcome->comparison, &job, file, error);
}

bool report_open_run(Run *run, const Facts *facts, int arm, Error *error) {
    char path[PATH_CAPACITY];
    return report_run_path(path, facts, arm, "", error) && run_open(run, path, "", error);
}

bool report_has_weights(const Facts *facts, int arm) {
    char path[PATH_CAPACITY];
    Error ignored;
    return report_run_path(path, facts, arm, "model.safetensors", &ignored) && !path_missing(path);
}

bool report_enters(const Facts *facts, int arm, Enters where) {
    return facts->plan->arms[arm].enters >> where & 1 && report_has_weights(facts, arm);
}
