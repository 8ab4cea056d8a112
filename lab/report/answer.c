// The question, the answer in a sentence for each contrast, the contrasts in one plot, and the settings.
#include "lab/report/sections.h"

#include "lab/report/page/axis.h"

#include <math.h>
#include <string.h>

// Says first if the comparison is not complete yet.
static void unfinished(Page *page, const Facts *facts) {
    const Plan *plan = &facts->outcome->comparison->plan;
    const int done = outcome_done(facts->outcome), all = plan_job_count(plan);
    if (done < all)
        page_paragraph(page, "Not finished: %d of %d runs are done, and this page has the first %d of %d seeds.", done,
                       all, facts->outcome->seeds, plan->seeds);
}

// Does every contrast set something learned against something designed?
static bool about_learning(const Facts *facts) {
    const Plan *plan = &facts->outcome->comparison->plan;
    const int count = report_contrasts(facts);
    for (int i = 0; i < count; i++)
        if (plan->arms[report_arm(facts, i)].learned == plan->arms[report_other(facts, i)].learned) return false;
    return count > 0;
}

const char *report_title(const Facts *facts) {
    return about_learning(facts) ? "Learned or designed positions?" : "Which position scheme?";
}

static void question(Page *page, const Facts *facts) {
    const Plan *plan = &facts->outcome->comparison->plan;
    page_paragraph(page,
                   about_learning(facts)
                       ? plan_is_ladder(plan)
                             ? "Do position schemes that are learned catch up with designed ones as compute grows?"
                             : "Do position schemes that are learned predict text better than designed ones?"
                       : "Which of these position schemes predicts text better?");
}

// A sentence for all settings of a contrast, or for texts like these.
static void sentence(Page *page, const Facts *facts, int i, bool over_texts) {
    const Plan *plan = &facts->outcome->comparison->plan;
    const int count = over_texts ? report_settings_over_texts(facts) : plan->setting_count;
    Finding findings[SETTINGS_MOST];
    char texts[64] = "";
    Text text = {0};
    for (int setting = 0; setting < count; setting++)
        findings[setting] =
            over_texts ? report_contrast_over_texts(facts, i, setting) : report_contrast(facts, i, setting);
    if (over_texts) snprintf(texts, sizeof texts, "Over the %d texts: ", plan->text_count);
    words_contrast(&text, findings, count);
    page_lead(page, "%s%s%.*s", report_primary(facts, i) ? "" : "Exploratory: ", texts, (int)text.size, text.bytes);
    text_free(&text);
}

static void add_row(Forest *forest, const Facts *facts, int i, const Finding *f, bool by_contrast) {
    char contrast[2 * TEXT_CAPACITY];
    if (forest->count == FOREST_MOST) return;
    ForestRow *row = &forest->rows[forest->count++];
    snprintf(contrast, sizeof contrast, "%s - %s", f->arm, f->other);
    snprintf(row->group, sizeof row->group, "%.63s", !*f->setting ? "" : by_contrast ? contrast : f->setting);
    snprintf(row->name, sizeof row->name, "%.500s", by_contrast && *f->setting ? f->setting : contrast);
    snprintf(row->words, sizeof row->words, "%s%s",
             isnan(f->gap.mean)       ? "diverged"
             : isnan(f->interval.low) ? "one seed cannot tell"
                                      : verdict_words(f->verdict),
             report_primary(facts, i) ? "" : " (exploratory)");
    row->value = f->gap.mean;
    row->low = f->interval.low;
    row->high = f->interval.high;
    row->hue = report_hue(facts, report_arm(facts, i));
    row->filled = report_primary(facts, i);
}

// One plot of all contrasts: those of a setting together, or on a ladder the settings of a contrast.
static bool forest(Page *page, const Facts *facts, Error *error) {
    static Forest all;
    const Plan *plan = &facts->outcome->comparison->plan;
    const int contrasts = report_contrasts(facts), settings = plan->setting_count;
    const bool by_contrast = settings > 1 && (plan_is_ladder(plan) || contrasts == 1);
    all = (Forest){
        .x_label = "difference of the losses in nats a token", .below = "first is better", .above = "second is better"};
    for (int i = 0; i < contrasts; i++)
        for (int setting = 0; setting < report_settings_over_texts(facts); setting++) {
            Finding f = report_contrast_over_texts(facts, i, setting);
            f.setting = "over the texts";
            add_row(&all, facts, i, &f, by_contrast);
        }
    for (int i = 0; i < contrasts; i++)
        if (!report_primary(facts, i)) all.x_label = "difference of the losses in nats a token; hollow: exploratory";
    for (int n = 0; n < contrasts * settings; n++) {
        const int i = by_contrast ? n / settings : n % contrasts, setting = by_contrast ? n % settings : n / contrasts;
        const Finding f = report_contrast(facts, i, setting);
        add_row(&all, facts, i, &f, by_contrast);
    }
    return page_forest(page, &all,
                       settings == 1 ? ""
                       : by_contrast ? "contrast"
                                     : "setting",
                       settings > 1 && by_contrast ? "setting" : "contrast", error,
                       facts->outcome->seeds > 1 ? "Differences between schemes, with 95%% intervals"
                                                 : "Differences between schemes");
}

// The range over the schemes.
static void operations_cell(Page *page, const Plan *plan, int setting) {
    double least = INFINITY, most = 0;
    char words[2][TICK_WORDS];
    for (int arm = 0; arm < plan->arm_count; arm++) {
        const double operations = setting_operations(plan, setting, arm);
        least = fmin(least, operations);
        most = fmax(most, operations);
    }
    number_words(words[0], least);
    number_words(words[1], most);
    page_cell(page, strcmp(words[0], words[1]) ? "%s to %s" : "%s", words[0], words[1]);
}

static void settings_table(Page *page, const Facts *facts) {
    const Plan *plan = &facts->outcome->comparison->plan;
    page_table(page,
               "what was trained, from %d seed%s; the loss is that of held-out text in windows of the context's length",
               facts->outcome->seeds, facts->outcome->seeds == 1 ? "" : "s");
    page_row(
        page, true,
        "setting|text|layers|heads|width|context|parameters|steps|tokens|tokens a parameter|epochs|operations a token");
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
        operations_cell(page, plan, s);
    }
    page_table_end(page);
}

// What the intervals promise, and what it has cost to look at them before seeds were added.
static void confidence(Page *page, const Facts *facts) {
    const Difference *first = report_named(facts, 0);
    const double error = outcome_peeking(facts->outcome);
    char hold[64] = "the interval holds";
    if (first->comparisons > 1)
        snprintf(hold, sizeof hold, "%s%.0f intervals hold at once (Bonferroni)",
                 first->primary ? "the " : "those of all ", first->comparisons);
    page_paragraph(page,
                   "With 95%% confidence, %s. This covers chance in weights and batches, %s. Below 0, the first scheme "
                   "is better.",
                   hold,
                   report_settings_over_texts(facts) > 0 ? "and over the texts also the choice of text"
                                                         : "not the choice of text");
    if (error > 0.0501)
        page_paragraph(page,
                       "Seeds were added after results had been seen. If that was done because nothing was resolved, a "
                       "difference that is not there is called one with a probability of %.0f%% instead of 5%%.",
                       100 * error);
}

bool report_answer(Page *page, const Facts *facts, Error *error) {
    const int contrasts = report_contrasts(facts);
    page_columns(page);
    question(page, facts);
    unfinished(page, facts);
    const bool texts = report_settings_over_texts(facts) > 0;
    for (int i = 0; i < contrasts; i++) sentence(page, facts, i, texts);
    report_scale_sentences(page, facts);
    page_columns_next(page);
    if (!forest(page, facts, error)) return false;
    page_columns_end(page);
    if (facts->outcome->seeds > 1 && contrasts > 0) confidence(page, facts);
    settings_table(page, facts);
    for (int i = 0; texts && i < contrasts; i++) sentence(page, facts, i, false);
    return true;
}
