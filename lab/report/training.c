// Learning rates, which scheme chose which, and how training went.
#include "lab/report/sections.h"
#include "train/run.h"

#include <math.h>
#include <stdlib.h>

// --- learning rates ---
static bool rate_chart(Page *page, const Facts *facts, int setting, Error *error) {
    const Plan *plan = facts->plan;
    Chart chart = {.x_label = "learning rate", .y_label = "loss in nats a token", .log_x = true};
    for (int variant = 0; variant < plan->variant_count; variant++) {
        RateLoss losses[RATES_MOST];
        outcome_rates(losses, facts->outcome, setting, variant);
        report_line(&chart, facts, variant);
        for (int rate = 0; rate < plan->rate_count; rate++) {
            chart_point(&chart, losses[rate].rate, losses[rate].mean);
            if (rate == facts->outcome->chosen_rate[setting][variant]) chart_ring(&chart);
        }
    }
    return page_chart(page, &chart, error,
                      "Loss on the half of the text that chooses, by learning rate%s; ring: chosen",
                      facts->settings[setting].at);
}

static RateLoss chosen(const Facts *facts, int setting, int variant) {
    RateLoss losses[RATES_MOST];
    outcome_rates(losses, facts->outcome, setting, variant);
    return losses[facts->outcome->chosen_rate[setting][variant]];
}

static void ends(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    Text list = {0}, diverged = {0};
    for (int setting = 0; setting < plan->setting_count; setting++)
        for (int variant = 0; variant < plan->variant_count; variant++) {
            const int end = outcome_rate_end(facts->outcome, setting, variant);
            if (isnan(chosen(facts, setting, variant).mean)) {
                text_print(&diverged, "%s%s%s", diverged.size ? ", " : "", plan->variants[variant].name,
                           facts->settings[setting].at);
                continue;
            }
            if (end == 0) continue;
            text_print(&list, "%s%s%s (%s, %g)", list.size ? ", " : "", plan->variants[variant].name,
                       facts->settings[setting].at, end < 0 ? "the smallest" : "the largest",
                       report_rate(facts, setting, variant));
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
    for (int variant = 0; variant < plan->variant_count; variant++) {
        page_row(page, false, "%s", plan->variants[variant].name);
        for (int setting = 0; setting < plan->setting_count; setting++)
            if (isnan(chosen(facts, setting, variant).mean))
                page_cell(page, "diverged");
            else
                page_cell(page, "%g", report_rate(facts, setting, variant));
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
// Validations at the numbers of tokens that all seeds read so far have: sums over the seeds, and the range of losses.
typedef struct {
    struct {
        double tokens, seconds, loss, low, high;
    } at[POINTS_MOST];
    int count;
} Curve;

// Add a run's log.csv. Of the first one, every validation counts, or every second, third ... if there are too many.
static void add_log(Curve *curve, const char *log, bool first) {
    int rows = 0, kept = 0, next = 0;
    LogRow row;
    for (const char *at = log; log_next(&row, &at);) rows += !isnan(row.validation);
    const int every = 1 + (rows - 1) / POINTS_MOST;
    rows = 0;
    while (log_next(&row, &log)) {
        const double loss = row.validation;
        if (isnan(loss)) continue;
        if (first && rows++ % every == 0) {
            curve->at[kept].tokens = row.tokens;
            curve->at[kept].seconds = row.seconds;
            curve->at[kept].loss = curve->at[kept].low = curve->at[kept].high = loss;
            kept++;
        }
        while (!first && next < curve->count && curve->at[next].tokens < row.tokens) next++;
        if (first || next == curve->count || curve->at[next].tokens != row.tokens) continue;
        curve->at[kept] = curve->at[next++];
        curve->at[kept].seconds += row.seconds;
        curve->at[kept].loss += loss;
        curve->at[kept].low = fmin(curve->at[kept].low, loss);
        curve->at[kept].high = fmax(curve->at[kept].high, loss);
        kept++;
    }
    curve->count = kept;
}

static bool read_curve(Curve *curve, const Facts *facts, int variant, Error *error) {
    for (int seed = 0; seed < facts->outcome->seeds; seed++) {
        const Job job = outcome_job(facts->outcome, report_setting(facts), variant, seed);
        char path[PATH_CAPACITY];
        Buffer file;
        if (!comparison_path(path, facts->outcome->comparison, &job, "log.csv", error)) return false;
        if (path_missing(path)) {
            curve->count = 0;
            return true;
        }
        if (!file_read(&file, path, error)) return false;
        add_log(curve, (const char *)file.bytes, seed == 0);
        free(file.bytes);
    }
    return true;
}

bool report_training(Page *page, const Facts *facts, Error *error) {
    static Curve curve;
    const char *at = facts->settings[report_setting(facts)].at;
    const double seeds = facts->outcome->seeds;
    Chart tokens = {.x_label = "training tokens",
                    .y_label = "loss in nats a token",
                    .spread = seeds > 1 ? SPREAD_BANDS : SPREAD_NONE,
                    .log_x = true},
          time = {.x_label = "training time in seconds", .y_label = "loss in nats a token", .log_x = true};
    bool ok = true, any = false;
    for (int variant = 0; ok && variant < facts->plan->variant_count; variant++) {
        ok = read_curve(&curve, facts, variant, error);
        report_line(&tokens, facts, variant);
        report_line(&time, facts, variant);
        any = any || curve.count > 1;
        for (int i = 0; ok && i < curve.count; i++) {
            const double loss = curve.at[i].loss / seeds;
            chart_bar(&tokens, curve.at[i].tokens, loss, curve.at[i].low, curve.at[i].high);
            chart_point(&time, curve.at[i].seconds / seeds, loss);
        }
    }
    if (ok && any) {
        ok = page_chart(page, &tokens, error, "Loss on validation text against training tokens%s, mean of the seeds%s",
                        at, tokens.spread ? "; bands: from the lowest to the highest seed" : "");
        if (ok)
            return page_chart(page, &time, error, "Loss on validation text against training time%s, mean of the seeds",
                              at);
    } else {
        chart_free(&tokens);
    }
    chart_free(&time);
    if (ok)
        page_paragraph(page, "There is no curve of the loss during training, because the seeds have fewer than two "
                             "measurements in common; --eval-every sets how often it is measured.");
    return ok;
}
