// The question, the answer, and how certain it is.
#include "lab/report/sections.h"

#include <math.h>

static double tokens_of(const Plan *plan, int setting) {
    const Job job = {.setting = setting, .task = -1, .arm = plan->reference};
    return plan_job_tokens(plan, &job);
}

// The scheme with the lowest loss among those with position parameters, or among those without; -1 if there is none.
static int best_of(const Standing *standings, const Plan *plan, bool learned) {
    int best = -1;
    for (int arm = 0; arm < plan->arm_count; arm++) {
        if (plan->arms[arm].learned != learned || isnan(standings[arm].loss)) continue;
        if (best < 0 || standings[arm].loss < standings[best].loss) best = arm;
    }
    return best;
}

// A learned scheme may be better than the designed scheme of its kind, and still worse than another designed scheme.
static void best_sentence(Page *page, const Outcome *o, int setting) {
    const Plan *plan = &o->comparison->plan;
    Standing standings[ARMS_MOST];
    outcome_standings(standings, o, setting, (double)plan->settings[setting].context);
    const int learned = best_of(standings, plan, true), designed = best_of(standings, plan, false);
    if (learned < 0 || designed < 0) return;
    page_paragraph(
        page, "Of all schemes with learned positions, %s has the lowest loss (%.4f); of all others, %s (%.4f).",
        plan->arms[learned].name, standings[learned].loss, plan->arms[designed].name, standings[designed].loss);
}

static void window_sentence(Page *page, const Outcome *o, int setting) {
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->settings[setting].context;
    Gaps gaps;
    Text list = {0};
    char time[TEXT_CAPACITY + 64] = "";
    if (plan->by_seconds)
        snprintf(time, sizeof time, "the time in which %.200s sees ", plan->arms[plan->reference].name);
    outcome_gaps(&gaps, o, setting, T);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const int designed = plan_designed(plan, arm);
        const Gap *gap = gaps_find(&gaps, arm, designed);
        if (!gap) continue;
        text_print(&list, "%s%s minus %s ", list.size ? "; " : "", plan->arms[arm].name, plan->arms[designed].name);
        report_difference(&list, &gap->gap, verdict_words(gap->verdict));
    }
    if (list.size == 0)
        page_paragraph(page, "This comparison does not answer the question, because it has no learned scheme together "
                             "with its designed counterpart; the table below compares the schemes that it has.");
    else
        page_paragraph(
            page,
            "Within the trained length of %.0f tokens, with %.3g million parameters and %s%.3g million "
            "training tokens, the loss of each learned scheme minus that of its designed counterpart, in nats "
            "a token with 95%% intervals (below 0, learned is better): %.*s.",
            T, 1e-6 * (double)plan->settings[setting].parameters, time, 1e-6 * tokens_of(plan, setting), (int)list.size,
            list.bytes);
    text_free(&list);
    best_sentence(page, o, setting);
}

// Says first if the comparison is not complete yet.
static void unfinished(Page *page, const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    const int done = outcome_done(o), all = plan_job_count(plan);
    if (done < all)
        page_paragraph(page, "Not finished: %d of %d runs are done, and this page has the first %d of %d seeds.", done,
                       all, o->seeds, plan->seeds);
}

// Did a scheme choose the smallest or largest learning rate of the grid? Then a better one may lie beyond.
static bool rate_at_end(const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    for (int setting = 0; setting < plan->setting_count; setting++)
        for (int arm = 0; arm < plan->arm_count; arm++) {
            const double rate = plan->rates[o->chosen_rate[setting][arm]];
            bool lower = false, higher = false;
            for (int other = 0; other < plan->rate_count; other++) {
                lower = lower || plan->rates[other] < rate;
                higher = higher || plan->rates[other] > rate;
            }
            if (!lower || !higher) return true;
        }
    return false;
}

static void caveats(Page *page, const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    page_paragraph(
        page,
        "Limits: larger models, other texts and longer training may give other results. Schemes share seeds, so each "
        "seed gives them the same weights and batches and differences are paired; intervals cover the variation "
        "between "
        "seeds, not the choice of text. Verdicts come from t-tests with p-values corrected by Holm's method: together "
        "for all gaps between schemes of one size, and within each other table. \"Not resolved\" does not mean "
        "\"equal\": \"resolves\" is the smallest true difference that this many seeds would detect with 80%% power. "
        "Losses are measured on the second half of the validation text, which was not used to choose anything.");
    if (plan->rate_count == 1)
        page_paragraph(page,
                       "All schemes were trained at the same learning rate, which may suit some better than others.");
    else
        page_paragraph(page,
                       "Each scheme has the learning rate that was best for it on the first half of the validation "
                       "text.%s%s",
                       rate_at_end(o) ? " Some schemes chose an end of the grid, so a better rate may lie beyond." : "",
                       plan->task_count > 0 ? " Tasks are trained at the rate of --lr." : "");
    if (plan->by_seconds)
        page_paragraph(page,
                       "All schemes train for about the same time, so faster ones make more steps. Their speeds were "
                       "measured once, before the first run; no interval covers the error of that measurement.");
}

bool report_answer(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    page_heading(page, "The question, and the answer");
    page_paragraph(page, "Do positions that are learned catch up with positions that were designed, as compute grows?");
    unfinished(page, o);
    window_sentence(page, o, plan->setting_count - 1);
    report_trend_sentence(page, o);
    caveats(page, o);
    return true;
}
