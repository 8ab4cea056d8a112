// How training went, what it cost, and how to do it again.
#include "base/version.h"
#include "lab/report/report.h"
#include "lab/run/config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MOST 512

// Validation losses of a run, from its log.csv: step,tokens,seconds,train_loss,val_loss,...
typedef struct {
    double tokens[POINTS_MOST], seconds[POINTS_MOST], loss[POINTS_MOST];
    int count;
} Curve;

// Of a log with more validations than POINTS_MOST, every second, third, ... is read.
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

static bool read_curve(Curve *curve, const Outcome *o, int size, int arm, int seed, Error *error) {
    const Job job = outcome_job(o, size, arm, seed);
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

// Add a seed's losses to a sum; points of the sum that the seed has not are left out.
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
static bool mean_curve(Curve *mean, const Outcome *o, int size, int arm, Error *error) {
    static Curve one;
    if (!read_curve(mean, o, size, arm, 0, error)) return false;
    for (int seed = 1; seed < o->seeds; seed++) {
        if (!read_curve(&one, o, size, arm, seed, error)) return false;
        add_curve(mean, &one);
    }
    for (int i = 0; i < mean->count; i++) {
        mean->loss[i] /= o->seeds;
        mean->seconds[i] /= o->seeds;
    }
    return true;
}

static bool loss_charts(Page *page, const Outcome *o, const Curve *curves, Error *error) {
    const Plan *plan = &o->comparison->plan;
    Series series[ARMS_MOST];
    for (int arm = 0; arm < plan->arm_count; arm++)
        series[arm] = (Series){
            .name = plan->arms[arm].name, .x = curves[arm].tokens, .y = curves[arm].loss, .count = curves[arm].count};
    const Chart tokens = {.title = "Loss of all validation tokens against training tokens, mean of the seeds",
                          .x_label = "tokens",
                          .y_label = "nats a token",
                          .mark = NAN};
    if (!page_chart(page, &tokens, series, plan->arm_count, error)) return false;
    for (int arm = 0; arm < plan->arm_count; arm++) series[arm].x = curves[arm].seconds;
    const Chart seconds = {.title = "Loss of all validation tokens against training time, mean of the seeds",
                           .x_label = "seconds",
                           .y_label = "nats a token",
                           .mark = NAN};
    return page_chart(page, &seconds, series, plan->arm_count, error);
}

// Seconds a token.
static double seed_pace(const Outcome *o, int size, int arm, int seed) {
    return outcome_value(o, size, -1, arm, seed, "seconds", 0) / outcome_value(o, size, -1, arm, seed, "tokens", 0);
}

static double pace_of(const Outcome *o, int size, int arm) {
    double least = INFINITY; // others at work make runs slower, never faster
    for (int seed = 0; seed < o->seeds; seed++) least = fmin(least, seed_pace(o, size, arm, seed));
    return least;
}

// The model without positions; where it is not among the schemes, the cheapest.
static int cheapest(const Outcome *o, int size) {
    const Plan *plan = &o->comparison->plan;
    int base = 0;
    for (int arm = 0; arm < plan->arm_count; arm++) {
        if (strcmp(plan_scheme(plan, arm)->name, "none") == 0) return arm;
        if (pace_of(o, size, arm) < pace_of(o, size, base)) base = arm;
    }
    return base;
}

static void cost_table(Page *page, const Outcome *o, int size) {
    const Plan *plan = &o->comparison->plan;
    const int base = cheapest(o, size);
    page_heading(page, "What positions cost");
    char caption[TEXT_CAPACITY + 256];
    snprintf(
        caption, sizeof caption,
        "the fastest seed of each scheme; the position code's share of the time is what it takes beyond %s, and by "
        "seed from the least to the most, which shows how much of it is noise",
        plan->arms[base].name);
    page_table(page, caption);
    page_cells(page, true,
               "scheme|parameters|of them positions|million tokens|seconds a million tokens|share of the position code|"
               "by seed");
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const double fastest = pace_of(o, size, arm), pace = isfinite(fastest) ? fastest : NAN; // it diverged
        const double share = 1 - pace_of(o, size, base) / pace;
        double low = INFINITY, high = -INFINITY;
        for (int seed = 0; seed < o->seeds; seed++) {
            const double one = 1 - seed_pace(o, size, base, seed) / seed_pace(o, size, arm, seed);
            low = fmin(low, one);
            high = fmax(high, one);
        }
        page_row(page, false);
        page_cell(page, "%s", plan->arms[arm].name);
        page_number(page, 0, outcome_value(o, size, -1, arm, 0, "parameters", 0));
        page_number(page, 0, outcome_value(o, size, -1, arm, 0, "positions", 0));
        page_number(page, 3, 1e-6 * outcome_value(o, size, -1, arm, 0, "tokens", 0));
        page_number(page, 1, 1e6 * pace);
        page_cell(page, isfinite(share) ? "%.1f%%" : "-", 100 * share);
        page_cell(page, isfinite(low) ? "%.1f%% to %.1f%%" : "-", 100 * low, 100 * high);
        page_row_end(page);
    }
    page_table_end(page);
}

bool report_training(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    const int size = plan->size_count - 1;
    Curve *curves = calloc((size_t)plan->arm_count, sizeof *curves);
    bool ok = curves || fail_run(error, "no memory for %d curves", plan->arm_count);
    for (int arm = 0; ok && arm < plan->arm_count; arm++) ok = mean_curve(&curves[arm], o, size, arm, error);
    if (ok) page_heading(page, "How training went");
    ok = ok && loss_charts(page, o, curves, error);
    if (ok) cost_table(page, o, size);
    free(curves);
    return ok;
}

bool report_repeat(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    const Job first = {.task = -1, .arm = plan->reference};
    char path[PATH_CAPACITY], machine[TEXT_CAPACITY];
    if (!comparison_path(path, o->comparison, &first, "config.json", error)) return false;
    page_heading(page, "How to repeat it");
    page_code(page, plan->command);
    if (path_exists(path) && config_machine(machine, path))
        page_paragraph(page, "Machine: %s; %d thread%s a run.", machine, plan->threads, plan->threads == 1 ? "" : "s");
    page_paragraph(page, "bitter %s. Seeds %lld to %lld.", BITTER_VERSION, plan->base.seed,
                   plan->base.seed + o->seeds - 1);
    if (plan->by_seconds)
        page_paragraph(page,
                       "Every scheme's runs of a seed see the same batches as far as they go; as they make different "
                       "numbers of steps, the CRC-32 of all their inputs says so only where these are equal. Those "
                       "of %s:",
                       plan->arms[plan->reference].name);
    else
        page_paragraph(page,
                       "Every scheme's runs of a seed saw the same batches, which was checked by the CRC-32 of all "
                       "their inputs:");
    page_table(page, "batches");
    page_row(page, true);
    page_cell(page, "seed");
    for (int size = 0; size < plan->size_count; size++)
        page_cell(page, "CRC-32%s%s", plan->size_count > 1 ? " at " : "", plan->sizes[size].name);
    page_row_end(page);
    for (int seed = 0; seed < o->seeds; seed++) {
        page_row(page, false);
        page_cell(page, "%lld", plan->base.seed + seed);
        for (int size = 0; size < plan->size_count; size++) {
            const double batches = outcome_value(o, size, -1, plan->reference, seed, "batches", 0);
            page_cell(page, isnan(batches) ? "-" : "%08" PRIx32, isnan(batches) ? 0 : (uint32_t)batches);
        }
        page_row_end(page);
    }
    page_table_end(page);
    return true;
}
