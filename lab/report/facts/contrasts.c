// Contrasts, pairs, and the looks of schemes in charts.
#include "lab/report/facts/facts.h"

#include <assert.h>
#include <string.h>

// The words for a setting whose name is such as "book-70k-20tpp-128": "book (70k, 20 tokens a parameter, context 128)".
static void setting_words(char words[SETTING_WORDS], const Plan *plan, const Setting *setting) {
    const char *rest = setting->name;
    size_t at = 0;
    int part = 0;
    bool contexts = false; // the last part is the context
    for (int s = 1; s < plan->setting_count; s++)
        contexts = contexts || plan->settings[s].context != plan->settings[0].context;
    size_t length = plan->text_count > 1 ? strlen(plan->texts[setting->text].name) : strcspn(rest, "-");
    for (; *rest; length = strcspn(rest, "-")) {
        const bool last = !rest[length], ratio = length > 3 && strncmp(rest + length - 3, "tpp", 3) == 0;
        at += (size_t)snprintf(words + at, SETTING_WORDS - at, "%s%s%.*s%s%s",
                               part == 0   ? ""
                               : part == 1 ? " ("
                                           : ", ",
                               last && contexts ? "context " : "", (int)(ratio ? length - 3 : length), rest,
                               ratio ? " tokens a parameter" : "", last && part > 0 ? ")" : "");
        rest += last ? length : length + 1;
        part++;
    }
}

bool facts_gather(Facts *facts, const Outcome *outcome, Error *error) {
    const Plan *plan = &outcome->comparison->plan;
    *facts = (Facts){.outcome = outcome, .plan = plan};
    for (int s = 0; s < plan->setting_count; s++) {
        char words[SETTING_WORDS] = "";
        setting_words(words, plan, &plan->settings[s]);
        memcpy(facts->settings[s], words, sizeof words);
        if (plan->text_count > 1 && words[strlen(plan->texts[plan->settings[s].text].name)]) {
            const char *rest = words + strlen(plan->texts[plan->settings[s].text].name) + strlen(" (");
            snprintf(facts->beside_text[s], SETTING_WORDS, "%.*s", (int)strlen(rest) - 1, rest);
        }
        if (*words) snprintf(facts->at[s], sizeof facts->at[s], " %s %s", plan->text_count > 1 ? "on" : "at", words);
    }
    return outcome_differences(&facts->differences, outcome, error);
}

void facts_free(Facts *facts) {
    differences_free(&facts->differences);
}

int report_settings_over_texts(const Facts *facts) {
    const Plan *plan = facts->plan;
    return plan->text_count > 1 ? plan->setting_count / plan->text_count : 0;
}

// Each named contrast has so many differences: in all settings, then over the texts.
static int stride(const Facts *facts) {
    return facts->plan->setting_count + report_settings_over_texts(facts);
}

int report_contrasts(const Facts *facts) {
    int named = 0;
    while (named < facts->differences.count && facts->differences.items[named].named) named++;
    return named / stride(facts);
}

const Difference *report_named(const Facts *facts, int i) {
    return &facts->differences.items[i * stride(facts)];
}

void report_family(char words[FAMILY_WORDS], const Difference *d) {
    char corrected[32] = "single";
    if (d->comparisons > 1)
        snprintf(corrected, sizeof corrected, "corrected for %.0f%s", d->comparisons, d->primary ? "" : " pairs");
    snprintf(words, FAMILY_WORDS, "%s, %s", d->primary ? "primary" : "exploratory", corrected);
}

static Finding finding_of(const Facts *facts, const Difference *d) {
    const Plan *plan = facts->plan;
    return (Finding){.arm = plan->arms[d->arm].name,
                     .other = plan->arms[d->other].name,
                     .setting = facts->settings[d->setting],
                     .place = plan->text_count > 1 ? "on" : "at",
                     .gap = d->gap,
                     .interval = d->interval,
                     .text = d->text,
                     .verdict = d->verdict,
                     .resolvable = d->resolvable};
}

Finding report_contrast(const Facts *facts, int i, int setting) {
    return finding_of(facts, report_named(facts, i) + setting);
}

Finding report_contrast_over_texts(const Facts *facts, int i, int setting) {
    Finding f = finding_of(facts, report_named(facts, i) + facts->plan->setting_count + setting);
    f.setting = facts->beside_text[setting];
    f.place = "at";
    return f;
}

Finding report_pair(const Facts *facts, int arm, int other, int setting) {
    Difference d;
    const bool found = differences_find(&d, &facts->differences, setting, arm, other);
    assert(found); // they have all pairs
    return finding_of(facts, &d);
}

// The designed scheme whose hue an arm has; itself, if it has none.
static int root_of(const Plan *plan, int arm) {
    const int designed = plan_designed(plan, arm);
    return designed >= 0 ? designed : arm;
}

int report_hue(const Facts *facts, int arm) {
    const Plan *plan = facts->plan;
    int hue = 0;
    for (int before = 0; before < root_of(plan, arm); before++) hue += root_of(plan, before) == before;
    return hue;
}

void report_line(Chart *chart, const Facts *facts, int arm) {
    const Plan *plan = facts->plan;
    const bool learned = plan->arms[arm].learned;
    int dash = learned ? 1 : report_hue(facts, arm) / HUES;
    for (int before = 0; learned && before < arm; before++)
        dash += before != root_of(plan, arm) && root_of(plan, before) == root_of(plan, arm);
    chart_line(chart, "%s", plan->arms[arm].name);
    chart_style(chart, report_hue(facts, arm), learned ? 1 + (dash - 1) % (DASHES - 1) : dash);
}

void report_contrast_line(Chart *chart, const Facts *facts, int i) {
    const int hue = report_hue(facts, report_named(facts, i)->arm);
    int dash = 0;
    for (int before = 0; before < i; before++) dash += report_hue(facts, report_named(facts, before)->arm) == hue;
    const Finding f = report_contrast(facts, i, 0);
    chart_line(chart, "%.60s - %.60s%s", f.arm, f.other, report_named(facts, i)->primary ? "" : " (exploratory)");
    chart_style(chart, hue, dash);
}
