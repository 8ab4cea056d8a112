// Learning rates, which scheme chose which, and how training went.
#include "lab/report/sections.h"
#include "train/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- learning rates ---
static bool rate_chart(Page *page, const Facts *facts, int setting, Error *error) {
    const Plan *plan = facts->plan;
    Chart chart = {.x_label = "learning rate", .y_label = "loss in nats a token", .log_x = true};
    for (int arm = 0; arm < plan->arm_count; arm++) {
        RateLoss losses[RATES_MOST];
        outcome_rates(losses, facts->outcome, setting, arm);
        report_line(&chart, facts, arm);
        for (int rate = 0; rate < plan->rate_count; rate++) {
            chart_point(&chart, losses[rate].rate, losses[rate].mean);
            if (rate == facts->outcome->chosen_rate[setting][arm]) chart_ring(&chart);
        }
    }
    return page_chart(page, &chart, error,
                      "Loss on the half of the text that chooses, by learning rate%s; ring: chosen",
                      facts->settings[setting].at);
}

static RateLoss chosen(const Facts *facts, int setting, int arm) {
    RateLoss losses[RATES_MOST];
    outcome_rates(losses, facts->outcome, setting, arm);
    return losses[facts->outcome->chosen_rate[setting][arm]];
}

static void ends(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    Text list = {0}, diverged = {0};
    for (int setting = 0; setting < plan->setting_count; setting++)
        for (int arm = 0; arm < plan->arm_count; arm++) {
            const int end = outcome_rate_end(facts->outcome, setting, arm);
            if (isnan(chosen(facts, setting, arm).mean)) {
                text_print(&diverged, "%s%s%s", diverged.size ? ", " : "", plan->arms[arm].name,
                           facts->settings[setting].at);
                continue;
            }
            if (end == 0) continue;
            text_print(&list, "%s%s%s (%s, %g)", list.size ? ", " : "", plan->arms[arm].name,
                       facts->settings[setting].at, end < 0 ? "the smallest" : "the largest",
                       report_rate(facts, setting, arm));
        }
    if (list.size > 0)
        page_paragraph(page, "At the grid's end, so that a better rate may lie beyond: %.*s.", (int)list.size,
                       list.bytes);
    else if (diverged.size == 0)
        page_paragraph(page, "No scheme chose an end of the grid.");
    if (diverged.size > 0)
        page_paragraph(page, "Diverged at every rate, from one seed or more: %.*s.", (int)diverged.size,
                       diverged.bytes);
    page_text_free(page, &list);
    page_text_free(page, &diverged);
}

bool report_chosen_rates(Page *page, const Facts *facts, Error *error) {
    (void)error;
    const Plan *plan = facts->plan;
    Text tried = {0};
    for (int rate = 0; rate < plan->rate_count; rate++)
        text_print(&tried, "%s%g", rate == 0 ? "" : rate + 1 == plan->rate_count ? " and " : ", ", plan->rates[rate]);
    page_heading(page, "Learning rates");
    page_paragraph(page,
                   "Each scheme was trained at %.*s, and has the rate with the lowest mean loss, without a seed that "
                   "diverged, on one half of the "
                   "validation text. Apart from the curves during training, all other losses on this page are those of "
                   "the other half.",
                   (int)tried.size, tried.bytes);
    page_text_free(page, &tried);
    page_table(page, "the learning rate of each scheme");
    page_row(page, true, "scheme");
    for (int setting = 0; setting < plan->setting_count; setting++)
        page_cell(page, "%s", plan->setting_count > 1 ? plan->settings[setting].name : "rate");
    for (int arm = 0; arm < plan->arm_count; arm++) {
        page_row(page, false, "%s", plan->arms[arm].name);
        for (int setting = 0; setting < plan->setting_count; setting++)
            if (isnan(chosen(facts, setting, arm).mean))
                page_cell(page, "diverged");
            else
                page_cell(page, "%g", report_rate(facts, setting, arm));
    }
    page_table_end(page);
    ends(page, facts);
    return true;
}

bool report_rates(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    for (int setting = plan->setting_count - 1; setting >= 0; setting--)
        if (!rate_chart(page, facts, setting, error)) return false;
    return true;
}

// --- losses during training ---
// Validation losses of a run, from its log.csv: step,tokens,seconds,train_loss,val_loss,... Or of several runs: then
// the sums or means, and the lowest and highest loss.
typedef struct {
    double tokens[POINTS_MOST], seconds[POINTS_MOST], loss[POINTS_MOST], low[POINTS_MOST], high[POINTS_MOST];
    int count;
} Curve;

// Read every validation of a log, or every second, third, ... so that there are at most POINTS_MOST.
static void parse_curve(Curve *curve, const char *log) {
    int every = 1;
    for (int pass = 0; pass < 2; pass++) {
        curve->count = 0;
        int rows = 0;
        LogRow row;
        for (const char *at = log; log_next(&row, &at);) {
            if (isnan(row.validation)) continue;
            if (pass == 1 && rows % every == 0) {
                curve->tokens[curve->count] = row.tokens;
                curve->seconds[curve->count] = row.seconds;
                curve->low[curve->count] = curve->high[curve->count] = row.validation;
                curve->loss[curve->count++] = row.validation;
            }
            rows++;
        }
        every = 1 + (rows - 1) / POINTS_MOST;
    }
}

static bool read_curve(Curve *curve, const Facts *facts, int setting, int arm, int seed, Error *error) {
    const Job job = outcome_job(facts->outcome, setting, arm, seed);
    char path[PATH_CAPACITY];
    Buffer file;
    curve->count = 0;
    if (!comparison_path(path, facts->outcome->comparison, &job, "log.csv", error)) return false;
    if (path_missing(path)) return true;
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
        sum->low[kept] = fmin(sum->low[i], one->loss[j]);
        sum->high[kept] = fmax(sum->high[i], one->loss[j]);
        sum->loss[kept++] = sum->loss[i] + one->loss[j];
    }
    sum->count = kept;
}

// The mean over seeds, at the numbers of tokens that all of them have.
static bool mean_curve(Curve *mean, const Facts *facts, int setting, int arm, Error *error) {
    static Curve one;
    if (!read_curve(mean, facts, setting, arm, 0, error)) return false;
    for (int seed = 1; seed < facts->outcome->seeds; seed++) {
        if (!read_curve(&one, facts, setting, arm, seed, error)) return false;
        add_curve(mean, &one);
    }
    for (int i = 0; i < mean->count; i++) {
        mean->loss[i] /= facts->outcome->seeds;
        mean->seconds[i] /= facts->outcome->seeds;
    }
    return true;
}

// A chart of the curves, against tokens or seconds of training.
static bool loss_chart(Page *page, const Facts *facts, const Curve *curves, bool seconds, Error *error) {
    const Plan *plan = facts->plan;
    Chart chart = {.x_label = seconds ? "training time in seconds" : "training tokens",
                   .y_label = "loss in nats a token",
                   .spread = facts->outcome->seeds > 1 && !seconds ? SPREAD_BANDS : SPREAD_NONE,
                   .log_x = true};
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const Curve *curve = &curves[arm];
        report_line(&chart, facts, arm);
        for (int i = 0; i < curve->count; i++)
            chart_bar(&chart, seconds ? curve->seconds[i] : curve->tokens[i], curve->loss[i], curve->low[i],
                      curve->high[i]);
    }
    return page_chart(page, &chart, error, "Loss on validation text against training %s%s, mean of the seeds%s",
                      seconds ? "time" : "tokens", facts->settings[report_setting(facts)].at,
                      chart.spread ? "; bands: from the lowest to the highest seed" : "");
}

bool report_training(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int setting = plan->setting_count - 1;
    Curve *curves = calloc((size_t)plan->arm_count, sizeof *curves);
    bool ok = curves || fail_run(error, "no memory for %d curves", plan->arm_count);
    for (int arm = 0; ok && arm < plan->arm_count; arm++) ok = mean_curve(&curves[arm], facts, setting, arm, error);
    int longest = 0;
    for (int arm = 0; ok && arm < plan->arm_count; arm++)
        if (curves[arm].count > longest) longest = curves[arm].count;
    if (ok && longest < 2)
        page_paragraph(
            page, "There is no curve of the loss during training, because the seeds have fewer than two measurements "
                  "in common; --eval-every sets how often it is measured.");
    else
        ok = ok && loss_chart(page, facts, curves, false, error) && loss_chart(page, facts, curves, true, error);
    free(curves);
    return ok;
}
