// Learning rates: how the loss that chooses depends on them, and who chose an end of the grid.
#include "lab/report/sections.h"

#include <math.h>

static bool rate_chart(Page *page, const Facts *facts, int setting, Error *error) {
    const Plan *plan = facts->plan;
    Chart chart = {.x_label = "learning rate",
                   .y_label = "loss in nats a token on the half of the validation text that chooses",
                   .log_x = true};
    for (int arm = 0; arm < plan->arm_count; arm++) {
        RateLoss losses[RATES_MOST];
        outcome_rates(losses, facts->outcome, setting, arm);
        report_line(&chart, facts, arm);
        for (int rate = 0; rate < plan->rate_count; rate++) {
            chart_point(&chart, losses[rate].rate, losses[rate].mean);
            if (rate == facts->outcome->chosen_rate[setting][arm]) chart_ring(&chart);
        }
    }
    return page_chart(page, &chart, error, "Loss against learning rate%s; a ring is around the chosen rate",
                      facts->at[setting]);
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
                text_print(&diverged, "%s%s%s", diverged.size ? ", " : "", plan->arms[arm].name, facts->at[setting]);
                continue;
            }
            if (end == 0) continue;
            text_print(&list, "%s%s%s (%s, %g)", list.size ? ", " : "", plan->arms[arm].name, facts->at[setting],
                       end < 0 ? "the smallest" : "the largest", report_rate(facts, setting, arm));
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
