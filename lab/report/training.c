// How training went: validation losses against tokens and time.
#include "lab/report/sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MOST 512

// Validation losses of a run, from its log.csv: step,tokens,seconds,train_loss,val_loss,...
typedef struct {
    double tokens[POINTS_MOST], seconds[POINTS_MOST], loss[POINTS_MOST];
    int count;
} Curve;

// Read every validation of a log, or every second, third, ... so that there are at most POINTS_MOST.
static void parse_curve(Curve *curve, const char *log) {
    int every = 1;
    for (int pass = 0; pass < 2; pass++) {
        curve->count = 0;
        int rows = 0;
        for (const char *line = strchr(log, '\n'); line; line = strchr(line + 1, '\n')) {
            double step, tokens, seconds, train, loss;
            if (sscanf(line + 1, "%lf,%lf,%lf,%lf,%lf", &step, &tokens, &seconds, &train, &loss) != 5)
                continue; // rows without a validation have nothing between the commas
            if (pass == 1 && rows % every == 0) {
                curve->tokens[curve->count] = tokens;
                curve->seconds[curve->count] = seconds;
                curve->loss[curve->count++] = loss;
            }
            rows++;
        }
        every = 1 + (rows - 1) / POINTS_MOST;
    }
}

static bool read_curve(Curve *curve, const Outcome *o, int setting, int arm, int seed, Error *error) {
    const Job job = outcome_job(o, setting, arm, seed);
    char path[PATH_CAPACITY];
    Buffer file;
    curve->count = 0;
    if (!comparison_path(path, o->comparison, &job, "log.csv", error)) return false;
    if (!path_exists(path)) return true;
    if (!file_read(&file, path, error)) return false;
    parse_curve(curve, (const char *)file.bytes);
    free(file.bytes);
    return true;
}

// Add a seed's losses to the sum, and drop points of the sum that this seed does not have.
static void add_curve(Curve *sum, const Curve *one) {
    int kept = 0;
    for (int i = 0, j = 0; i < sum->count; i++) {
        while (j < one->count && one->tokens[j] < sum->tokens[i]) j++;
        if (j == one->count || one->tokens[j] != sum->tokens[i]) continue;
        sum->tokens[kept] = sum->tokens[i];
        sum->seconds[kept] = sum->seconds[i] + one->seconds[j];
        sum->loss[kept++] = sum->loss[i] + one->loss[j];
    }
    sum->count = kept;
}

// The mean over seeds, at the numbers of tokens that all of them have.
static bool mean_curve(Curve *mean, const Outcome *o, int setting, int arm, Error *error) {
    static Curve one;
    if (!read_curve(mean, o, setting, arm, 0, error)) return false;
    for (int seed = 1; seed < o->seeds; seed++) {
        if (!read_curve(&one, o, setting, arm, seed, error)) return false;
        add_curve(mean, &one);
    }
    for (int i = 0; i < mean->count; i++) {
        mean->loss[i] /= o->seeds;
        mean->seconds[i] /= o->seeds;
    }
    return true;
}

// A chart of the curves, against tokens or seconds of training.
static bool loss_chart(Page *page, const Outcome *o, const Curve *curves, bool seconds, Error *error) {
    const Plan *plan = &o->comparison->plan;
    Chart chart = {.x_label = seconds ? "seconds" : "tokens", .y_label = "nats a token"};
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const Curve *curve = &curves[arm];
        chart_line(&chart, "%s", plan->arms[arm].name);
        for (int i = 0; i < curve->count; i++)
            chart_point(&chart, seconds ? curve->seconds[i] : curve->tokens[i], curve->loss[i]);
    }
    return page_chart(page, &chart, error, "Loss of the first validation tokens against training %s, mean of the seeds",
                      seconds ? "time" : "tokens");
}

bool report_training(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    const int setting = plan->setting_count - 1;
    Curve *curves = calloc((size_t)plan->arm_count, sizeof *curves);
    bool ok = curves || fail_run(error, "no memory for %d curves", plan->arm_count);
    for (int arm = 0; ok && arm < plan->arm_count; arm++) ok = mean_curve(&curves[arm], o, setting, arm, error);
    if (ok) page_heading(page, "How training went");
    ok = ok && loss_chart(page, o, curves, false, error) && loss_chart(page, o, curves, true, error);
    free(curves);
    return ok;
}
