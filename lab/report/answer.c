// The question, the answer in a sentence for each contrast, the contrasts in one plot, and the settings.
#include "lab/report/sections.h"

#include "lab/report/page/axis.h"

#include <math.h>
#include <string.h>

// Says first if the comparison is not complete yet.
static void unfinished(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    const int done = outcome_done(facts->outcome), all = plan_job_count(plan);
    if (done < all)
        page_paragraph(page, "Not finished: %d of %d runs are done, and this page has %d of %d seeds.", done, all,
                       facts->outcome->seeds, plan->seeds);
}

// Does every contrast set something learned against something designed?
static bool about_learning(const Facts *facts) {
    const Plan *plan = facts->plan;
    const int count = report_contrasts(facts);
    for (int i = 0; i < count; i++) {
        const Difference *d = report_named(facts, i);
        if (plan->arms[d->arm].learned == plan->arms[d->other].learned) return false;
    }
    return count > 0;
}

const char *report_title(const Facts *facts) {
    return about_learning(facts) ? "Learned or designed positions?" : "Which position scheme?";
}

// The schemes in contrasts that are learned, or those that are designed: "rope-random, fire". Returns how many.
static int names(Text *text, const Facts *facts, bool learned) {
    const Plan *plan = facts->plan;
    bool asked[ARMS_MOST] = {0};
    int count = 0;
    for (int i = 0; i < report_contrasts(facts); i++)
        asked[report_named(facts, i)->arm] = asked[report_named(facts, i)->other] = true;
    for (int arm = 0; arm < plan->arm_count; arm++)
        if (asked[arm] && plan->arms[arm].learned == learned)
            text_print(text, "%s%s", count++ ? ", " : "", plan->arms[arm].name);
    return count;
}

static void question(Page *page, const Facts *facts) {
    if (!about_learning(facts)) {
        const int arms = facts->plan->arm_count;
        page_paragraph(page, "%s?",
                       arms == 1   ? "How well does this position scheme predict text"
                       : arms == 2 ? "Which of these position schemes predicts text better"
                                   : "Which of these position schemes predicts text best");
        return;
    }
    const bool ladder = plan_is_ladder(facts->plan);
    Text learned = {0}, designed = {0};
    const bool one_learned = names(&learned, facts, true) == 1, one_designed = names(&designed, facts, false) == 1;
    page_paragraph(page, "%s (%.*s) %s %s (%.*s)%s?",
                   one_learned ? "Does the learned position scheme" : "Do learned position schemes", (int)learned.size,
                   learned.bytes, ladder ? "catch up with" : "predict text better than",
                   one_designed ? "the designed one" : "designed ones", (int)designed.size, designed.bytes,
                   ladder ? " as compute grows" : "");
    page_text_free(page, &learned);
    page_text_free(page, &designed);
}

static const char *count_words(char words[16], int count) {
    snprintf(words, 16, count > 0 ? "%d" : "none", count);
    return words;
}

// Several contrasts of one setting in a sentence, unless one of them cannot be judged or is exploratory.
static void sum_up(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    const int contrasts = report_contrasts(facts);
    int learned = 0, designed = 0;
    char words[2][16];
    if (plan->setting_count > 1 || contrasts < 3 || !about_learning(facts)) return;
    for (int i = 0; i < contrasts; i++) {
        const Difference *d = report_named(facts, i);
        const int better = d->verdict == VERDICT_BETTER ? d->arm : d->other;
        if (isnan(d->interval.low) || !d->primary) return;
        if (d->verdict != VERDICT_UNRESOLVED) *(plan->arms[better].learned ? &learned : &designed) += 1;
    }
    const int open = contrasts - learned - designed;
    char rest[32] = "all are";
    if (open > 0) snprintf(rest, sizeof rest, "%d %s not", open, open == 1 ? "is" : "are");
    page_lead(page, "The designed scheme is better in %s of %d comparisons, the learned one in %s; %s resolved.",
              count_words(words[0], designed), contrasts, count_words(words[1], learned), rest);
}

// A sentence for all settings of a contrast, or for texts like these.
static void sentence(Page *page, const Facts *facts, int i, bool over_texts) {
    const Plan *plan = facts->plan;
    const int count = over_texts ? report_settings_over_texts(facts) : plan->setting_count;
    Finding findings[SETTINGS_MOST];
    char texts[64] = "";
    Text text = {0};
    for (int setting = 0; setting < count; setting++)
        findings[setting] =
            over_texts ? report_contrast_over_texts(facts, i, setting) : report_contrast(facts, i, setting);
    if (over_texts) snprintf(texts, sizeof texts, "Over the %d texts: ", plan->text_count);
    words_contrast(&text, findings, count);
    page_lead(page, "%s%s%.*s", report_named(facts, i)->primary ? "" : "Exploratory: ", texts, (int)text.size,
              text.bytes);
    page_text_free(page, &text);
}

static void add_row(Forest *forest, const Facts *facts, int i, const Finding *f, bool by_contrast) {
    char contrast[2 * TEXT_CAPACITY];
    if (forest->count == FOREST_MOST) return;
    ForestRow *row = &forest->rows[forest->count++];
    snprintf(contrast, sizeof contrast, "%s - %s", f->arm, f->other);
    snprintf(row->group, sizeof row->group, "%.500s", !*f->setting ? "" : by_contrast ? contrast : f->setting);
    snprintf(row->name, sizeof row->name, "%.500s", by_contrast && *f->setting ? f->setting : contrast);
    snprintf(row->words, sizeof row->words, "%s%s",
             isnan(f->gap.mean)       ? "diverged"
             : isnan(f->interval.low) ? "one seed cannot tell"
                                      : verdict_words(f->verdict),
             report_named(facts, i)->primary ? "" : " (exploratory)");
    row->value = f->gap.mean;
    row->low = f->interval.low;
    row->high = f->interval.high;
    row->hue = report_hue(facts, report_named(facts, i)->arm);
    row->filled = report_named(facts, i)->primary;
    report_family(row->family, report_named(facts, i));
}

// One plot of all contrasts: those of a setting together, or on a ladder the settings of a contrast.
static bool forest(Page *page, const Facts *facts, Error *error) {
    static Forest all;
    const Plan *plan = facts->plan;
    const int contrasts = report_contrasts(facts), settings = plan->setting_count;
    const bool by_contrast = settings > 1 && (plan_is_ladder(plan) || contrasts == 1);
    bool exploratory = false;
    char label[96];
    for (int i = 0; i < contrasts; i++) exploratory = exploratory || !report_named(facts, i)->primary;
    snprintf(label, sizeof label, "nats a token on held-out text%s%s",
             facts->outcome->seeds > 1 || report_settings_over_texts(facts) > 0 ? ", 95% intervals" : "",
             exploratory ? "; hollow: exploratory" : "");
    all = (Forest){.x_label = label, .below = "first is better", .above = "second is better"};
    for (int i = 0; i < contrasts; i++)
        for (int setting = 0; setting < report_settings_over_texts(facts); setting++) {
            Finding f = report_contrast_over_texts(facts, i, setting);
            char words[SETTING_WORDS + 32];
            snprintf(words, sizeof words, *f.setting ? "over the texts (%s)" : "over the texts", f.setting);
            f.setting = words;
            add_row(&all, facts, i, &f, by_contrast);
        }
    for (int n = 0; n < contrasts * settings; n++) {
        const int i = by_contrast ? n / settings : n % contrasts, setting = by_contrast ? n % settings : n / contrasts;
        const Finding f = report_contrast(facts, i, setting);
        add_row(&all, facts, i, &f, by_contrast);
    }
    const char *group = settings == 1 ? "" : by_contrast ? "contrast" : "setting";
    if (!page_forest(page, &all, group, by_contrast ? "setting" : "contrast", "Differences in loss", error))
        return false;
    const int wanted = contrasts * (settings + report_settings_over_texts(facts));
    if (wanted > FOREST_MOST)
        page_paragraph(page, "The plot has the first %d of %d differences; report.tex has the others.", FOREST_MOST,
                       wanted);
    return true;
}

enum { COLUMNS = 11, CELL = NAME_CAPACITY };
static const char *const columns[COLUMNS] = {
    "text",   "parameters",        "layers", "heads", "width", "context", "steps", "tokens", "tokens a parameter",
    "epochs", "operations a token"};

// The cells of a setting, as in `columns`. Operations are a range over the schemes.
static void setting_cells(char cells[COLUMNS][CELL], const Plan *plan, int s) {
    const Setting *setting = &plan->settings[s];
    const long long whole[] = {setting->layers, setting->heads, setting->width, setting->context, setting->steps};
    double least, most;
    char words[RANGE_WORDS];
    setting_operations_range(&least, &most, plan, s);
    snprintf(cells[0], CELL, "%s", plan->texts[setting->text].name);
    snprintf(cells[1], CELL, "%s", number_words(words, (double)setting->parameters));
    for (int i = 0; i < 5; i++) snprintf(cells[2 + i], CELL, "%lld", whole[i]);
    snprintf(cells[7], CELL, "%s", number_words(words, setting_tokens(plan, s)));
    snprintf(cells[8], CELL, "%.3g", setting_tokens_per_parameter(plan, s));
    snprintf(cells[9], CELL, "%.2g", setting_epochs(plan, s));
    snprintf(cells[10], CELL, "%s", range_words(words, least, most));
}

// What all settings have in common in a sentence, and what they differ in as a table.
static void settings(Page *page, const Facts *facts) {
    static char cells[SETTINGS_MOST][COLUMNS][CELL];
    const Plan *plan = facts->plan;
    bool differs[COLUMNS] = {0}, any = false;
    Text common = {0};
    for (int s = 0; s < plan->setting_count; s++) setting_cells(cells[s], plan, s);
    for (int c = 0; c < COLUMNS; c++) {
        for (int s = 1; s < plan->setting_count; s++) differs[c] = differs[c] || strcmp(cells[s][c], cells[0][c]) != 0;
        any = any || (differs[c] && c > 0); // the text is part of the setting's name
        if (!differs[c]) text_print(&common, c == 0 ? ", %s \"%s\"" : ", %s %s", columns[c], cells[0][c]);
    }
    page_paragraph(page, "%s: %d seed%s%.*s.", plan->setting_count > 1 ? "In all settings" : "What was trained",
                   facts->outcome->seeds, facts->outcome->seeds == 1 ? "" : "s", (int)common.size, common.bytes);
    page_text_free(page, &common);
    if (plan->by_seconds)
        page_paragraph(page,
                       "All schemes train for the same time, so faster ones make more steps. Steps, tokens and epochs "
                       "are those of %s.",
                       plan->arms[plan->reference].name);
    if (!any) return;
    page_table(page, "%s", "");
    page_row(page, true, "setting");
    for (int c = 1; c < COLUMNS; c++)
        if (differs[c]) page_cell(page, "%s", columns[c]);
    for (int s = 0; s < plan->setting_count; s++) {
        page_row(page, false, "%s", facts->settings[s]);
        for (int c = 1; c < COLUMNS; c++)
            if (differs[c]) page_cell(page, "%s", cells[s][c]);
    }
    page_table_end(page);
}

// Append what the intervals of the primary contrasts promise, or those of the exploratory ones, which are among all
// pairs. Returns the size of that family, 0 if it has no contrast.
static double promise(Text *text, const Facts *facts, bool primary) {
    const char *where = facts->plan->setting_count > 1 ? " in a setting" : "";
    double size = 0;
    for (int i = 0; i < report_contrasts(facts); i++)
        if (report_named(facts, i)->primary == primary) size = report_named(facts, i)->comparisons;
    if (size == 1)
        text_print(text, "The interval of the %s contrast%s has, by itself, 95%% confidence. ",
                   primary ? "primary" : "exploratory", where);
    else if (size > 1 && primary)
        text_print(text, "With 95%% confidence, %.0f intervals of primary contrasts hold at once (Bonferroni). ", size);
    else if (size > 1)
        text_print(text, "The intervals of exploratory contrasts are corrected for all %.0f pairs%s. ", size, where);
    return size;
}

// What the intervals promise, and what it has cost to look at them before seeds were added.
static void confidence(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    const int most = plan->look_count > 0 ? plan->looks[plan->look_count - 1] : 0; // seeds of which results were seen
    Text text = {0};
    const double of_primary = promise(&text, facts, true), of_pairs = promise(&text, facts, false);
    const double size = fmax(of_primary, of_pairs), error = outcome_peeking(facts->outcome, size);
    page_paragraph(page,
                   "%.*sIntervals cover chance in weights and batches, %s. They say nothing about larger models. Not "
                   "resolved: the interval includes 0. A difference of 0.01 nats is 1%% of perplexity.",
                   (int)text.size, text.bytes,
                   report_settings_over_texts(facts) > 0 ? "and over the texts also the choice of text"
                                                         : "not the choice of text");
    page_text_free(page, &text);
    if (plan->rate_count > 1)
        page_paragraph(page, "Learning rates were chosen on the same seeds, by the other half of the text: new seeds "
                             "would have somewhat higher losses.");
    if (error > 0.0501)
        page_paragraph(page,
                       "Seeds were added after results had been seen. If that was done because nothing was resolved, "
                       "the probability of finding a difference that does not exist is %s%.0f%%%s instead of 5%%.",
                       size > 1 ? "up to " : "", 100 * error,
                       fmin(of_primary, of_pairs) > 0 ? " in either family" : "");
    if (most > plan->seeds)
        page_paragraph(page, "%d seeds were trained and their results seen; this page has the first %d.", most,
                       plan->seeds);
}

bool report_answer(Page *page, const Facts *facts, Error *error) {
    const int contrasts = report_contrasts(facts);
    page_columns(page, 0);
    question(page, facts);
    unfinished(page, facts);
    const bool texts = report_settings_over_texts(facts) > 0;
    sum_up(page, facts);
    const bool counted = about_learning(facts) && report_scale_count(page, facts);
    for (int i = 0; i < contrasts; i++) sentence(page, facts, i, texts);
    if (!counted) report_scale_changes(page, facts);
    page_columns(page, 1);
    if (!forest(page, facts, error)) return false;
    page_columns(page, 2);
    settings(page, facts);
    if (facts->outcome->seeds > 1 && contrasts > 0) confidence(page, facts);
    for (int i = 0; texts && i < contrasts; i++) sentence(page, facts, i, false);
    return true;
}
