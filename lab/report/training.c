// Learning rates, which of them were chosen, and how training went.
#include "lab/report/sections.h"

#include "lab/compare/measure.h"

#include <math.h>
#include <string.h>

// --- learning rates ---
static bool rates_chart(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    for (int setting = plan->setting_count - 1; setting >= 0; setting--) {
        Chart chart = {.x_label = "learning rate",
                       .y_label = "loss in nats a token",
                       .log_x = true,
                       .bands = facts->outcome->seeds > 1};
        for (int variant = 0; variant < plan->variant_count; variant++) {
            report_line(&chart, facts, variant);
            for (int rate = 0; rate < plan->rate_count; rate++) {
                const Paired loss = outcome_choosing_losses(facts->outcome, setting, variant, rate);
                chart_interval(&chart, plan->rates[rate], loss.mean, loss.sorted[0], loss.sorted[loss.n - 1]);
                if (rate == facts->outcome->chosen_rate[setting][variant]) chart_ring(&chart);
            }
        }
        if (!page_chart(page, &chart, error,
                        "Mean loss on the half of the text that chooses, by learning rate%s; ring: chosen%s",
                        facts->at[setting], chart.bands ? "; bands: from the lowest to the highest seed" : ""))
            return false;
    }
    return true;
}

bool report_rates(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    page_heading(page, "Learning rates");
    for (int rate = 0; rate < plan->rate_count; rate++)
        text_print(&page->text, "%s%g",
                   rate == 0                      ? "Each scheme was trained at "
                   : rate + 1 == plan->rate_count ? " and "
                                                  : ", ",
                   plan->rates[rate]);
    page_paragraph(page,
                   ", and uses the rate with the lowest mean loss on one half of the validation text, among those at "
                   "which no seed diverged; a better one may lie beyond the smallest or the largest. Apart from the "
                   "curves during training, all other losses on this page are those of the other half.");
    page_table(page, "the learning rate of each scheme");
    page_row(page, true, "scheme");
    for (int setting = 0; setting < plan->setting_count; setting++)
        page_cells(page, "%s", plan->setting_count > 1 ? facts->names[setting] : "rate");
    for (int variant = 0; variant < plan->variant_count; variant++) {
        page_row(page, false, "%s", plan->variants[variant].name);
        for (int setting = 0; setting < plan->setting_count; setting++) {
            const int chosen = facts->outcome->chosen_rate[setting][variant];
            const bool diverged = isnan(outcome_choosing_losses(facts->outcome, setting, variant, chosen).mean);
            page_cells(page, diverged ? "diverged at every rate" : "%g%s", plan->rates[chosen],
                       chosen == 0                      ? ", the smallest"
                       : chosen == plan->rate_count - 1 ? ", the largest"
                                                        : "");
        }
    }
    page_table_end(page);
    page_fold(page, "Loss against learning rate");
    const bool ok = rates_chart(page, facts, error);
    page_fold_end(page);
    return ok;
}

// --- losses during training ---
// Add the validation curve of a scheme: medians over the seeds, and the range of losses, at the steps that no seed
// lacks. Returns the number of points.
static int add_curve(Chart *tokens, Chart *time, const Facts *facts, int variant) {
    const int setting = facts->setting;
    const Job first = outcome_job(facts->outcome, setting, variant, 0);
    const Measures *measures = outcome_measures(facts->outcome, &first);
    const double steps = (double)facts->plan->settings[setting].steps,
                 seconds = report_summary(facts, setting, variant, "seconds", 0).estimate;
    int points = 0;
    for (const Measured *row = measures->rows; row < measures->rows + measures->count; row++) {
        if (strcmp(row->quantity, "curve") != 0) continue;
        const Paired loss = report_summary(facts, setting, variant, "curve", row->x);
        if (isnan(loss.estimate)) continue;
        chart_interval(tokens, row->x / steps * setting_tokens(facts->plan, setting), loss.estimate, loss.sorted[0],
                       loss.sorted[loss.n - 1]);
        chart_point(time, row->x / steps * seconds, loss.estimate);
        points++;
    }
    return points;
}

// The loss of a run after `step` steps, between two validations interpolated linearly over the logarithm of steps; NAN
// beyond the last step.
static double loss_after(const Facts *facts, int variant, int seed, double step) {
    const Job job = outcome_job(facts->outcome, facts->setting, variant, seed);
    const Measures *measures = outcome_measures(facts->outcome, &job);
    const Measured *before = NULL;
    for (const Measured *row = measures->rows; row < measures->rows + measures->count; row++) {
        if (strcmp(row->quantity, "curve") != 0) continue;
        if (row->x >= step && before)
            return before->value + (row->value - before->value) * log(step / before->x) / log(row->x / before->x);
        before = row;
    }
    return NAN;
}

// When runs leave the plateau on which they begin, and what their losses are from then on.
static void plateaus(Page *page, const Facts *facts) {
    const int setting = facts->setting, seeds = facts->outcome->seeds;
    page_paragraph(
        page,
        "Many runs begin on a plateau, where the model knows only how frequent characters and pairs of them "
        "are. By definition, a run leaves it at the validation, of %d, whose loss lies farthest above a "
        "straight line from an earlier validation to the last one, over the logarithm of steps, if by more "
        "than %.1f nats. The line may begin only where the loss falls more steeply up to there than from "
        "there to the end of the plateau. A run without such a validation had no plateau, or is still on it. "
        "To separate how late a scheme leaves from how good it is afterwards, the table has losses at equal "
        "ratios of steps after leaving.",
        CURVE_STEPS, PLATEAU_LEAST);
    page_table(page, "when runs leave the plateau%s, and their losses then: medians of the seeds that leave",
               facts->at[setting]);
    page_row(page, true, "scheme|seeds that leave|step|earliest|latest|loss there|after twice the steps|at the end");
    for (int variant = 0; variant < facts->plan->variant_count; variant++) {
        double steps[SEEDS_MOST], there[SEEDS_MOST], twice[SEEDS_MOST], end[SEEDS_MOST];
        int leave = 0, go_on = 0;
        for (int seed = 0; seed < seeds; seed++) {
            const double step = outcome_value(facts->outcome, setting, variant, seed, "left", 0);
            if (isnan(step)) continue;
            steps[leave] = step;
            there[leave] = loss_after(facts, variant, seed, step);
            end[leave++] =
                outcome_value(facts->outcome, setting, variant, seed, "loss", report_context(facts, setting));
            twice[go_on] = loss_after(facts, variant, seed, 2 * step);
            go_on += !isnan(twice[go_on]);
        }
        const Paired left = paired_summary(steps, leave);
        page_row(page, false, "%s", facts->plan->variants[variant].name);
        page_cells(page, "%d of %d", leave, seeds);
        page_cells(page, "%.0f|%.0f|%.0f", left.estimate, leave ? left.sorted[0] : NAN,
                   leave ? left.sorted[leave - 1] : NAN);
        page_cells(page, "%.4f|%.4f|%.4f", paired_summary(there, leave).estimate,
                   go_on == leave ? paired_summary(twice, go_on).estimate : NAN, // some runs ended before
                   paired_summary(end, leave).estimate);
    }
    page_table_end(page);
}

bool report_training(Page *page, const Facts *facts, Error *error) {
    const char *at = facts->at[facts->setting], loss[] = "loss in nats a token";
    Chart tokens = {.x_label = "training tokens", .y_label = loss, .log_x = true, .bands = facts->outcome->seeds > 1},
          time = {.x_label = "training time in seconds", .y_label = loss, .log_x = true};
    int most = 0;
    for (int variant = 0; variant < facts->plan->variant_count; variant++) {
        report_line(&tokens, facts, variant);
        report_line(&time, facts, variant);
        const int points = add_curve(&tokens, &time, facts, variant);
        if (points > most) most = points;
    }
    bool ok = true;
    if (most > 1) {
        plateaus(page, facts);
        ok =
            page_chart(page, &tokens, error, "Loss on validation text against training tokens%s, median of the seeds%s",
                       at, tokens.bands ? "; bands: from the lowest to the highest seed" : "") &&
            page_chart(page, &time, error, "Loss on validation text against training time%s, median of the seeds", at);
    } else {
        page_paragraph(page, "There is no curve of the loss during training: a run that diverged, that made one step, "
                             "or that was made by an earlier version has none.");
    }
    chart_free(&tokens);
    chart_free(&time);
    return ok;
}
