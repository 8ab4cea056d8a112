// How training went, what it cost, and how to do it again.
#include "cmd/config.h"
#include "cmd/report.h"

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

static bool read_curve(Curve *curve, const Outcome *o, int size, int arm, int seed, Error *error) {
    const Job job = {.size = size, .task = -1, .arm = arm, .rate = o->rates[size][arm], .seed = seed};
    char path[PATH_CAPACITY];
    Buffer file;
    curve->count = 0;
    if (!comparison_path(path, o->comparison, &job, "log.csv", error)) return false;
    if (!path_exists(path)) return true;
    if (!file_read(&file, path, error)) return false;
    for (const char *line = strchr((const char *)file.bytes, '\n'); line && curve->count < POINTS_MOST;
         line = strchr(line + 1, '\n')) {
        double step, train, *tokens = &curve->tokens[curve->count], *seconds = &curve->seconds[curve->count];
        const int read =
            sscanf(line + 1, "%lf,%lf,%lf,%lf,%lf", &step, tokens, seconds, &train, &curve->loss[curve->count]);
        curve->count += read == 5; // rows without a validation have nothing between the commas
    }
    free(file.bytes);
    return true;
}

// The mean over seeds, at the steps that all of them have.
static bool mean_curve(Curve *mean, const Outcome *o, int size, int arm, Error *error) {
    static Curve one;
    for (int seed = 0; seed < o->seeds; seed++) {
        if (!read_curve(&one, o, size, arm, seed, error)) return false;
        if (seed == 0) {
            *mean = (Curve){.count = one.count};
            memcpy(mean->tokens, one.tokens, sizeof mean->tokens);
        }
        if (one.count < mean->count) mean->count = one.count;
        for (int i = 0; i < mean->count; i++) {
            mean->loss[i] += one.loss[i] / o->seeds;
            mean->seconds[i] += one.seconds[i] / o->seeds;
        }
    }
    return true;
}

static bool loss_charts(Page *page, const Outcome *o, const Curve *curves, Error *error) {
    const Plan *plan = &o->comparison->plan;
    Series series[ARMS_MOST];
    for (int arm = 0; arm < plan->arm_count; arm++)
        series[arm] = (Series){
            .name = plan->arms[arm].name, .x = curves[arm].tokens, .y = curves[arm].loss, .count = curves[arm].count};
    const Chart tokens = {.title = "Validation loss against training tokens, mean of the seeds",
                          .x_label = "tokens",
                          .y_label = "nats a token",
                          .mark = NAN};
    if (!page_chart(page, &tokens, series, plan->arm_count, error)) return false;
    for (int arm = 0; arm < plan->arm_count; arm++) series[arm].x = curves[arm].seconds;
    const Chart seconds = {.title = "Validation loss against training time, mean of the seeds",
                           .x_label = "seconds",
                           .y_label = "nats a token",
                           .mark = NAN};
    return page_chart(page, &seconds, series, plan->arm_count, error);
}

static double pace_of(const Outcome *o, int size, int arm) {
    double pace[SEEDS_MOST];
    for (int seed = 0; seed < o->seeds; seed++)
        pace[seed] =
            outcome_value(o, size, -1, arm, seed, "seconds", 0) / outcome_value(o, size, -1, arm, seed, "tokens", 0);
    double least = INFINITY; // others at work make runs slower, never faster
    for (int seed = 0; seed < o->seeds; seed++) least = pace[seed] < least ? pace[seed] : least;
    return least;
}

// Time beyond that of a model without positions; of the cheapest scheme where that one is not among them.
static void cost_table(Page *page, const Outcome *o, int size) {
    const Plan *plan = &o->comparison->plan;
    int base = 0;
    for (int arm = 1; arm < plan->arm_count; arm++)
        if (pace_of(o, size, arm) < pace_of(o, size, base)) base = arm;
    for (int arm = 0; arm < plan->arm_count; arm++)
        if (strcmp(plan_scheme(plan, arm)->name, "none") == 0) base = arm;
    page_heading(page, "What positions cost");
    char caption[TEXT_CAPACITY + 128];
    snprintf(caption, sizeof caption,
             "the fastest seed of each scheme; the position code's share is what it takes beyond %s",
             plan->arms[base].name);
    page_table(page, caption);
    page_cells(page, true, "scheme|parameters|of them positions|seconds a million tokens|share of the position code");
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const double pace = pace_of(o, size, arm), share = 1 - pace_of(o, size, base) / pace;
        page_cells(page, false, "%s|%.0f|%.0f|%.1f|%.1f%%", plan->arms[arm].name,
                   outcome_value(o, size, -1, arm, 0, "parameters", 0),
                   outcome_value(o, size, -1, arm, 0, "positions", 0), 1e6 * pace, 100 * share);
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
    page_paragraph(page,
                   "bitter %s. Seeds %lld to %lld. Every scheme's runs of a seed saw the same batches, which was "
                   "checked by the CRC-32 of all their inputs:",
                   BITTER_VERSION, plan->base.seed, plan->base.seed + o->seeds - 1);
    page_table(page, "batches");
    page_cells(page, true, "seed|%s", "CRC-32, by size");
    for (int seed = 0; seed < o->seeds; seed++) {
        char row[512] = "";
        for (int size = 0; size < plan->size_count; size++)
            snprintf(row + strlen(row), sizeof row - strlen(row), "%s%08" PRIx32, size ? ", " : "",
                     (uint32_t)outcome_value(o, size, -1, plan->reference, seed, "batches", 0));
        page_cells(page, false, "%lld|%s", plan->base.seed + seed, row);
    }
    page_table_end(page);
    return true;
}
