// Learning rates: how the loss that chooses depends on them, and who chose an end of the grid.
#include "lab/report/sections.h"

#include <math.h>
#include <string.h>

static bool chooses(const Plan *plan, int arm) {
    return plan->arms[arm].lr == 0 && plan->rate_count > 1;
}

// The mean over the seeds of the loss on the choosing half, at one rate of the grid; NAN if a seed diverged.
static double choosing_loss(const Facts *facts, int setting, int arm, int rate) {
    double sum = 0;
    for (int seed = 0; seed < facts->outcome->seeds; seed++) {
        const Job job = {.setting = setting, .task = -1, .arm = arm, .rate = rate, .seed = seed};
        const Measures *measures = outcome_measures(facts->outcome, &job);
        double value = NAN;
        for (int i = 0; i < measures->count; i++)
            if (strcmp(measures->rows[i].quantity, "choose") == 0) value = measures->rows[i].value;
        sum += value;
    }
    return sum / facts->outcome->seeds;
}

static bool rate_chart(Page *page, const Facts *facts, int setting, Error *error) {
    const Plan *plan = &facts->outcome->comparison->plan;
    char at[NAME_CAPACITY + 8];
    Chart chart = {.x_label = "learning rate",
                   .y_label = "loss in nats a token on the half of the validation text that chooses",
                   .log_x = true};
    for (int arm = 0; arm < plan->arm_count; arm++) {
        if (!chooses(plan, arm)) continue;
        report_line(&chart, facts, arm);
        for (int rate = 0; rate < plan->rate_count; rate++) {
            chart_point(&chart, plan->rates[rate], choosing_loss(facts, setting, arm, rate));
            if (rate == facts->outcome->chosen_rate[setting][arm]) chart_ring(&chart);
        }
    }
    return page_chart(page, &chart, error, "Loss against learning rate%s; a ring is around the chosen rate",
                      report_at(at, facts, setting));
}

// -1 or 1 if a scheme chose the smallest or the largest rate of the grid; a better one may lie beyond.
static int end_of(const Facts *facts, int setting, int arm) {
    const Plan *plan = &facts->outcome->comparison->plan;
    const double rate = plan->rates[facts->outcome->chosen_rate[setting][arm]];
    bool lower = false, higher = false;
    for (int other = 0; other < plan->rate_count; other++) {
        lower = lower || plan->rates[other] < rate;
        higher = higher || plan->rates[other] > rate;
    }
    return !lower ? -1 : !higher ? 1 : 0;
}

static void ends(Page *page, const Facts *facts) {
    const Plan *plan = &facts->outcome->comparison->plan;
    Text list = {0};
    for (int setting = 0; setting < plan->setting_count; setting++)
        for (int arm = 0; arm < plan->arm_count; arm++) {
            const int end = chooses(plan, arm) ? end_of(facts, setting, arm) : 0;
            char at[NAME_CAPACITY + 8];
            if (end == 0) continue;
            text_print(&list, "%s%s%s (%s, %g)", list.size ? ", " : "", plan->arms[arm].name,
                       report_at(at, facts, setting), end < 0 ? "the smallest" : "the largest",
                       plan->rates[facts->outcome->chosen_rate[setting][arm]]);
        }
    if (list.size > 0)
        page_paragraph(page, "At the grid's end, so that a better rate may lie beyond: %.*s.", (int)list.size,
                       list.bytes);
    else
        page_paragraph(page, "No scheme chose an end of the grid.");
    text_free(&list);
}

bool report_rates(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = &facts->outcome->comparison->plan;
    if (plan->rate_count < 2) return true;
    page_paragraph(page,
                   "Each scheme was trained at every rate of the grid, and has the rate with the lowest mean loss on "
                   "one half of the validation text. All other losses on this page are those of the other half.");
    ends(page, facts);
    for (int setting = plan->setting_count - 1; setting >= 0; setting--)
        if (!rate_chart(page, facts, setting, error)) return false;
    return true;
}
