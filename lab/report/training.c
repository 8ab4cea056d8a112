// Learning rates, which scheme chose which, and how training went.
#include "lab/report/sections.h"

#include <math.h>
#include <stdlib.h>

// --- learning rates ---
bool report_rates(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    for (int setting = facts->setting; setting >= 0; setting--) {
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
        if (!page_chart(page, &chart, error,
                        "Loss on the half of the text that chooses, by learning rate%s; ring: chosen",
                        facts->at[setting]))
            return false;
    }
    return true;
}

bool report_chosen_rates(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    page_heading(page, "Learning rates");
    for (int rate = 0; rate < plan->rate_count; rate++)
        text_print(&page->text, "%s%g",
                   rate == 0                      ? "Each scheme was trained at "
                   : rate + 1 == plan->rate_count ? " and "
                                                  : ", ",
                   plan->rates[rate]);
    page_paragraph(page, ", and has the rate with the lowest mean loss, without a seed that diverged, on one half of "
                         "the validation text; beyond the smallest and the largest, a better one may lie. Apart from "
                         "the curves during training, all other losses on this page "
                         "are those of the other half.");
    page_table(page, "the learning rate of each scheme");
    page_row(page, true, "scheme");
    for (int setting = 0; setting < plan->setting_count; setting++)
        page_cells(page, "%s", plan->setting_count > 1 ? facts->names[setting] : "rate");
    for (int variant = 0; variant < plan->variant_count; variant++) {
        page_row(page, false, "%s", plan->variants[variant].name);
        for (int setting = 0; setting < plan->setting_count; setting++) {
            const int end = outcome_rate_end(facts->outcome, setting, variant);
            RateLoss losses[RATES_MOST];
            outcome_rates(losses, facts->outcome, setting, variant);
            const bool chosen = !isnan(losses[facts->outcome->chosen_rate[setting][variant]].mean);
            page_cells(page, chosen ? "%g%s" : "diverged at every rate", report_rate(facts, setting, variant),
                       end < 0   ? ", the smallest"
                       : end > 0 ? ", the largest"
                                 : "");
        }
    }
    page_table_end(page);
    return true;
}

// --- losses during training ---
// Validations after the same number of tokens, one for each seed: sums over the seeds, and the range of losses.
typedef struct {
    int seeds;
    double tokens, seconds, loss, low, high;
} Measurement;

typedef struct {
    Measurement at[POINTS_MOST];
    int count;
} Curve;

// Add a run's log.csv: of the first seed every validation, or every second, third ... if there are too many; of the
// others those after the same numbers of tokens.
static void add_log(Curve *curve, const char *log, bool first) {
    int rows = 0, number = 0;
    LogRow row;
    for (const char *at = log; log_next(&row, &at);) rows += !isnan(row.validation);
    const int every = 1 + (rows - 1) / POINTS_MOST;
    while (log_next(&row, &log)) {
        if (isnan(row.validation)) continue;
        if (first && number++ % every == 0)
            curve->at[curve->count++] = (Measurement){.tokens = row.tokens, .low = INFINITY, .high = -INFINITY};
        for (Measurement *v = curve->at; v < curve->at + curve->count; v++) {
            if (v->tokens != row.tokens) continue;
            v->seeds++;
            v->seconds += row.seconds;
            v->loss += row.validation;
            v->low = fmin(v->low, row.validation);
            v->high = fmax(v->high, row.validation);
        }
    }
}

static bool read_curve(Curve *curve, const Facts *facts, int variant, Error *error) {
    curve->count = 0;
    for (int seed = 0; seed < facts->outcome->seeds; seed++) {
        const Job job = outcome_job(facts->outcome, facts->setting, variant, seed);
        char path[PATH_CAPACITY];
        Buffer file;
        if (!comparison_path(path, facts->outcome->comparison, &job, "log.csv", error)) return false;
        if (path_missing(path)) continue;
        if (!file_read(&file, path, error)) return false;
        add_log(curve, (const char *)file.bytes, seed == 0);
        free(file.bytes);
    }
    return true;
}

bool report_training(Page *page, const Facts *facts, Error *error) {
    static Curve curve;
    const char *at = facts->at[facts->setting], loss[] = "loss in nats a token";
    const int seeds = facts->outcome->seeds;
    Chart tokens = {.x_label = "training tokens", .y_label = loss, .log_x = true},
          time = {.x_label = "training time in seconds", .y_label = loss, .log_x = true};
    if (seeds > 1) tokens.spread = SPREAD_BANDS;
    bool ok = true, any = false;
    for (int variant = 0; ok && variant < facts->plan->variant_count; variant++) {
        ok = read_curve(&curve, facts, variant, error);
        report_line(&tokens, facts, variant);
        report_line(&time, facts, variant);
        int points = 0; // that all seeds have
        for (const Measurement *v = curve.at; ok && v < curve.at + curve.count; v++) {
            if (v->seeds < seeds) continue;
            chart_bar(&tokens, v->tokens, v->loss / seeds, v->low, v->high);
            chart_point(&time, v->seconds / seeds, v->loss / seeds);
            any = any || ++points > 1;
        }
    }
    if (ok && !any)
        page_paragraph(page, "There is no curve of the loss during training, because the seeds have fewer than two "
                             "measurements in common; --eval-every sets how often it is measured.");
    if (ok && any)
        ok = page_chart(page, &tokens, error, "Loss on validation text against training tokens%s, mean of the seeds%s",
                        at, tokens.spread ? "; bands: from the lowest to the highest seed" : "") &&
             page_chart(page, &time, error, "Loss on validation text against training time%s, mean of the seeds", at);
    chart_free(&tokens);
    chart_free(&time);
    return ok;
}
