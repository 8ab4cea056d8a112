// What was asked, what came out, and how sure that is.
#include "cmd/report.h"

#include <math.h>
#include <string.h>

static double tokens_of(const Plan *plan, int size) {
    const Job job = {.size = size, .task = -1, .arm = plan->reference};
    return plan_job_tokens(plan, &job);
}

// "learned - sinusoidal +0.0031 (-0.0010 to +0.0072), not resolved"; gaps (arms) are by pair, adjusted among pairs.
static void print_pair(char *text, size_t capacity, const Plan *plan, int arm, const Paired *gap, Verdict found) {
    snprintf(text, capacity, "%s minus %s %+.4f (%+.4f to %+.4f), %s", plan->arms[arm].name,
             plan->arms[plan_designed(plan, arm)].name, gap->mean, gap->t.low, gap->t.high, verdict_words(found));
}

static void window_sentence(Page *page, const Outcome *o, int size) {
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->base.context;
    Paired gaps[ARMS_MOST] = {{0}};
    double p[ARMS_MOST] = {NAN}, adjusted[ARMS_MOST];
    int pairs = 0, counts[3] = {0};
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const int designed = plan_designed(plan, arm);
        p[arm] = NAN;
        if (designed < 0) continue;
        gaps[arm] = outcome_paired(o, size, arm, designed, "loss", T);
        p[arm] = gaps[arm].p;
        pairs++;
    }
    holm(adjusted, p, plan->arm_count);
    char list[3000] = "";
    for (int arm = 0; arm < plan->arm_count; arm++) {
        if (plan_designed(plan, arm) < 0) continue;
        const Verdict found = verdict(gaps[arm].mean, adjusted[arm]);
        counts[found]++;
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s", *list ? "; " : "");
        print_pair(list + strlen(list), sizeof list - strlen(list), plan, arm, &gaps[arm], found);
    }
    if (pairs == 0) {
        page_paragraph(page, "No learned scheme stands beside the designed one whose numbers it learns, so this "
                             "comparison does not answer the question; the table below says how its schemes stand.");
        return;
    }
    page_paragraph(
        page,
        "Within the trained length of %.0f tokens, with %.3g parameters and %.3g training tokens, %d of %d "
        "learned schemes are better than the designed one whose numbers they learn, %d are worse, and for %d "
        "the difference is not resolved by %d seeds. In nats a token, with 95%% intervals: %s.",
        T, 1e-6 * (double)plan->sizes[size].parameters, 1e-6 * tokens_of(plan, size), counts[VERDICT_BETTER], pairs,
        counts[VERDICT_WORSE], counts[VERDICT_UNRESOLVED], o->seeds, list);
}

static void caveats(Page *page, const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    page_paragraph(
        page,
        "What this does not say: anything of larger models, other texts or longer training. Seeds share "
        "weights and batches between schemes, so that differences are paired; p-values are corrected for "
        "their number by Holm's method, and \"not resolved\" is not \"equal\": the column \"resolves\" has the "
        "difference that would be found four times out of five. %s Losses are those of the second half of "
        "the validation tokens, which no choice was made on.",
        plan->rate_count > 1 ? "Each scheme has the learning rate that was best for it on the first half of validation."
                             : "All schemes have the same learning rate, which may suit some better than others.");
}

static void standings_table(Page *page, const Outcome *o, int size) {
    const Plan *plan = &o->comparison->plan;
    Standing standings[ARMS_MOST];
    outcome_standings(standings, o, size, (double)plan->base.context);
    char caption[256];
    snprintf(caption, sizeof caption, "%s%sloss in nats a token in windows of %lld tokens, and the gap to %s",
             plan->sizes[size].name, *plan->sizes[size].name ? ": " : "", plan->base.context,
             plan->arms[plan->reference].name);
    page_table(page, caption);
    page_cells(page, true,
               "scheme|position parameters|learning rate|loss|perplexity|gap|95%% t interval|95%% bootstrap|"
               "p (Holm)|resolves|verdict");
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const Standing *s = &standings[arm];
        char front[TEXT_CAPACITY + 128];
        snprintf(front, sizeof front, "%s|%.0f|%.3g|%.4f|%.3f", plan->arms[arm].name,
                 outcome_value(o, size, -1, arm, 0, "positions", 0), plan->rates[o->rates[size][arm]], s->loss,
                 exp(s->loss));
        if (arm == plan->reference)
            page_cells(page, false, "%s|-|||||the reference", front);
        else if (isnan(s->gap.sd))
            page_cells(page, false, "%s|%+.4f|||||%s", front, s->gap.mean,
                       isnan(s->gap.mean) ? "diverged" : "one seed tells nothing");
        else {
            char bootstrap[64] = "too few seeds";
            if (isfinite(s->gap.bootstrap.low) && isfinite(s->gap.bootstrap.high))
                snprintf(bootstrap, sizeof bootstrap, "%+.4f to %+.4f", s->gap.bootstrap.low, s->gap.bootstrap.high);
            page_cells(page, false, "%s|%+.4f|%+.4f to %+.4f|%s|%.3g|%.4f|%s", front, s->gap.mean, s->gap.t.low,
                       s->gap.t.high, bootstrap, s->adjusted, s->resolvable, verdict_words(s->verdict));
        }
    }
    page_table_end(page);
}

static void seeds_table(Page *page, const Outcome *o, int size) {
    const Plan *plan = &o->comparison->plan;
    char row[2048] = "scheme";
    page_table(page, "the same loss, seed by seed");
    for (int seed = 0; seed < o->seeds; seed++)
        snprintf(row + strlen(row), sizeof row - strlen(row), "|%lld", plan->base.seed + seed);
    page_cells(page, true, "%s", row);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        snprintf(row, sizeof row, "%s", plan->arms[arm].name);
        for (int seed = 0; seed < o->seeds; seed++)
            snprintf(row + strlen(row), sizeof row - strlen(row), "|%.4f",
                     outcome_value(o, size, -1, arm, seed, "loss", (double)plan->base.context));
        page_cells(page, false, "%s", row);
    }
    page_table_end(page);
}

bool report_answer(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    (void)error;
    page_heading(page, "The question, and the answer");
    page_paragraph(page, "Do positions that are learned catch up with positions that were designed, as compute grows?");
    window_sentence(page, o, plan->size_count - 1);
    report_trend_sentence(page, o);
    caveats(page, o);
    page_heading(page, "How the schemes stand");
    for (int size = plan->size_count - 1; size >= 0; size--) {
        standings_table(page, o, size);
        seeds_table(page, o, size);
    }
    return true;
}
