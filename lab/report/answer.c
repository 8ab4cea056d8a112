// The question, the answer in a sentence for each contrast, the contrasts in one plot, and the settings.
#include "lab/report/sections.h"

#include "lab/report/page/axis.h"

#include <math.h>

// Says first if the comparison is not complete yet.
static void unfinished(Page *page, const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    const int done = outcome_done(o), all = plan_job_count(plan);
    if (done < all)
        page_paragraph(page, "Not finished: %d of %d runs are done, and this page has the first %d of %d seeds.", done,
                       all, o->seeds, plan->seeds);
}

// Does every contrast set something learned against something designed?
static bool about_learning(const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    const int count = report_contrasts(o);
    for (int i = 0; i < count; i++)
        if (plan->arms[report_arm(o, i)].learned == plan->arms[report_other(o, i)].learned) return false;
    return count > 0;
}

static void question(Page *page, const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    page_paragraph(page,
                   about_learning(o)
                       ? plan_is_ladder(plan)
                             ? "Do position schemes that are learned catch up with designed ones as compute grows?"
                             : "Do position schemes that are learned predict text better than designed ones?"
                       : "Which of these position schemes predicts text better?");
}

static void sentence(Page *page, const Outcome *o, int i) {
    const int settings = o->comparison->plan.setting_count;
    Finding findings[SETTINGS_MOST];
    Text text = {0};
    for (int setting = 0; setting < settings; setting++) findings[setting] = report_contrast(o, i, setting);
    words_contrast(&text, findings, settings);
    page_lead(page, "%s%.*s", report_primary(o, i) ? "" : "Exploratory: ", (int)text.size, text.bytes);
    text_free(&text);
}

static void add_row(Forest *forest, const Outcome *o, int i, int setting, bool by_contrast) {
    const Finding f = report_contrast(o, i, setting);
    ForestRow *row = &forest->rows[forest->count++];
    char contrast[2 * TEXT_CAPACITY];
    snprintf(contrast, sizeof contrast, "%s - %s", f.arm, f.other);
    snprintf(row->group, sizeof row->group, "%.63s", !*f.setting ? "" : by_contrast ? contrast : f.setting);
    snprintf(row->name, sizeof row->name, "%.500s", by_contrast && *f.setting ? f.setting : contrast);
    snprintf(row->words, sizeof row->words, "%s%s",
             isnan(f.gap.mean)       ? "diverged"
             : isnan(f.interval.low) ? "one seed cannot tell"
                                     : verdict_words(f.verdict),
             report_primary(o, i) ? "" : " (exploratory)");
    row->value = f.gap.mean;
    row->low = f.interval.low;
    row->high = f.interval.high;
    row->hue = report_hue(o, report_arm(o, i));
    row->filled = report_primary(o, i);
}

// One plot of all contrasts: those of a setting together, or on a ladder the settings of a contrast.
static bool forest(Page *page, const Outcome *o, Error *error) {
    static Forest all;
    const Plan *plan = &o->comparison->plan;
    const int contrasts = report_contrasts(o);
    const bool by_contrast = plan_is_ladder(plan);
    all = (Forest){
        .x_label = "difference of the losses in nats a token", .below = "first is better", .above = "second is better"};
    for (int a = 0; a < (by_contrast ? contrasts : plan->setting_count); a++)
        for (int b = 0; b < (by_contrast ? plan->setting_count : contrasts); b++)
            if (all.count < FOREST_MOST) add_row(&all, o, by_contrast ? a : b, by_contrast ? b : a, by_contrast);
    return page_forest(page, &all, plan->setting_count > 1 ? by_contrast ? "contrast" : "setting" : "",
                       plan->setting_count > 1 && by_contrast ? "setting" : "contrast", error,
                       o->seeds > 1 ? "Differences between schemes, with 95%% intervals"
                                    : "Differences between schemes");
}

static void settings_table(Page *page, const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    page_table(page,
               "what was trained, from %d seed%s; the loss is that of held-out text in windows of the context's length",
               o->seeds, o->seeds == 1 ? "" : "s");
    page_row(page, true, "setting|text|layers|heads|width|context|parameters|steps|tokens|tokens a parameter|epochs");
    for (int s = 0; s < plan->setting_count; s++) {
        const Setting *setting = &plan->settings[s];
        char parameters[TICK_WORDS], tokens[TICK_WORDS];
        page_row(page, false, "%s", *setting->name ? setting->name : "all");
        page_cell(page, "%s", plan->texts[setting->text].name);
        page_cell(page, "%lld", setting->layers);
        page_cell(page, "%lld", setting->heads);
        page_cell(page, "%lld", setting->width);
        page_cell(page, "%lld", setting->context);
        page_cell(page, "%s", number_words(parameters, (double)setting->parameters));
        page_cell(page, "%lld", setting->steps);
        page_cell(page, "%s", number_words(tokens, setting_tokens(plan, s)));
        page_cell(page, "%.3g", setting_tokens_per_parameter(plan, s));
        page_cell(page, "%.2g", setting_epochs(plan, s));
    }
    page_table_end(page);
}

static void confidence(Page *page, double comparisons) {
    char hold[64] = "the interval holds";
    if (comparisons > 1) snprintf(hold, sizeof hold, "all %.0f intervals hold at once (Bonferroni)", comparisons);
    page_paragraph(page,
                   "With 95%% confidence, %s. This covers chance in weights and batches, not the choice of text. Below "
                   "0, the first scheme is better.",
                   hold);
}

bool report_answer(Page *page, const Outcome *o, Error *error) {
    const int contrasts = report_contrasts(o);
    page_columns(page);
    question(page, o);
    unfinished(page, o);
    for (int i = 0; i < contrasts; i++) sentence(page, o, i);
    report_scale_sentences(page, o);
    page_columns_next(page);
    if (!forest(page, o, error)) return false;
    page_columns_end(page);
    if (o->seeds > 1) confidence(page, report_comparisons(o));
    settings_table(page, o);
    return true;
}
