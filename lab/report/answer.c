// The question, the answer, and how certain it is.
#include "lab/report/sections.h"

#include <math.h>

static double tokens_of(const Plan *plan, int size) {
    const Job job = {.size = size, .task = -1, .arm = plan->reference};
    return plan_job_tokens(plan, &job);
}

// The scheme with the lowest loss among those with position parameters, or among those without; -1 if there is none.
static int best_of(const Standing *standings, const Plan *plan, bool learned) {
    int best = -1;
    for (int arm = 0; arm < plan->arm_count; arm++) {
        if ((plan->arms[arm].scheme->params != NULL) != learned || isnan(standings[arm].loss)) continue;
        if (best < 0 || standings[arm].loss < standings[best].loss) best = arm;
    }
    return best;
}

// A learned scheme may be better than the designed scheme of its kind, and still worse than another designed scheme.
static void best_sentence(Page *page, const Outcome *o, int size) {
    const Plan *plan = &o->comparison->plan;
    Standing standings[ARMS_MOST];
    outcome_standings(standings, o, size, (double)plan->base.context);
    const int learned = best_of(standings, plan, true), designed = best_of(standings, plan, false);
    if (learned < 0 || designed < 0) return;
    page_paragraph(page,
                   "Of all schemes here whose positions are learned, %s has the lowest loss, %.4f; of all others, %s "
                   "has, %.4f.",
                   plan->arms[learned].name, standings[learned].loss, plan->arms[designed].name,
                   standings[designed].loss);
}

static void window_sentence(Page *page, const Outcome *o, int size) {
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->base.context;
    Gaps gaps;
    Text list = {0};
    char time[TEXT_CAPACITY + 64] = "";
    if (plan->by_seconds)
        snprintf(time, sizeof time, "the time in which %.200s sees ", plan->arms[plan->reference].name);
    outcome_gaps(&gaps, o, size, T);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const int designed = plan_designed(plan, arm);
        const Gap *gap = gaps_find(&gaps, arm, designed);
        if (!gap) continue;
        text_print(&list, "%s%s minus %s ", list.size ? "; " : "", plan->arms[arm].name, plan->arms[designed].name);
        report_difference(&list, &gap->gap, verdict_words(gap->verdict));
    }
    if (list.size == 0)
        page_paragraph(page, "No learned scheme stands beside the designed one of its kind, so this comparison does "
                             "not answer the question; the table below says how its schemes stand.");
    else
        page_paragraph(page,
                       "Within the trained length of %.0f tokens, with %.3g million parameters and %s%.3g million "
                       "training tokens, each learned scheme beside the designed one of its kind, in nats a token with "
                       "95%% intervals (below 0, learned is better): %.*s.",
                       T, 1e-6 * (double)plan->sizes[size].parameters, time, 1e-6 * tokens_of(plan, size),
                       (int)list.size, list.bytes);
    text_free(&list);
    best_sentence(page, o, size);
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
    for (int size = 0; size < plan->size_count; size++)
        for (int arm = 0; arm < plan->arm_count; arm++) {
            const double rate = plan->rates[o->rates[size][arm]];
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
        "What this does not say: anything of larger models, other texts or longer training. Seeds share weights and "
        "batches between schemes, so that differences are paired; intervals cover what seeds change, not the choice of "
        "text. The verdict is that of the t-test, with p-values corrected by Holm's method: those of all gaps between "
        "schemes of one size together, and those of other tables within each. \"Not resolved\" is not \"equal\": the "
        "column \"resolves\" has the difference that would be found four times out of five. Losses are those of the "
        "second half of the validation tokens, which no choice was "
        "made "
        "on.");
    if (plan->rate_count == 1)
        page_paragraph(page, "All schemes have the same learning rate, which may suit some better than others.");
    else
        page_paragraph(page,
                       "Each scheme has the learning rate that was best for it on the first half of "
                       "validation.%s%s",
                       rate_at_end(o) ? " Some chose an end of the grid: beyond it may be a better one." : "",
                       plan->task_count > 0 ? " Tasks are trained at one rate, that of --lr." : "");
    if (plan->by_seconds)
        page_paragraph(page, "All schemes have about the same time, so that faster ones make more steps. How fast each "
                             "is was measured once, before the first run, and an error of that is in no interval.");
}

bool report_answer(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    page_heading(page, "The question, and the answer");
    page_paragraph(page, "Do positions that are learned catch up with positions that were designed, as compute grows?");
    unfinished(page, o);
    window_sentence(page, o, plan->size_count - 1);
    report_trend_sentence(page, o);
    caveats(page, o);
    return true;
}
