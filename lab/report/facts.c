#include "lab/report/facts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- settings and contrasts ---
bool facts_gather(Facts *facts, const Outcome *outcome, Error *error) {
    const Plan *plan = &outcome->comparison->plan;
    *facts = (Facts){.outcome = outcome, .plan = plan};
    facts->settings = calloc((size_t)plan->setting_count, sizeof *facts->settings);
    if (!facts->settings) return fail_run(error, "no memory for the names of %d settings", plan->setting_count);
    for (int s = 0; s < plan->setting_count; s++) {
        SettingWords *words = &facts->settings[s];
        words->name = words->beside_text = plan->settings[s].name;
        if (*words->name)
            snprintf(words->at, sizeof words->at, " %s %s", plan->text_count > 1 ? "on" : "at", words->name);
        if (plan->text_count == 1) continue;
        words->beside_text += strlen(plan->texts[plan->settings[s].text].name);
        words->beside_text += *words->beside_text == '-';
    }
    if (outcome_differences(&facts->differences, outcome, error)) return true;
    free(facts->settings);
    return false;
}

void facts_free(Facts *facts) {
    differences_free(&facts->differences);
    free(facts->settings);
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
    return (Finding){.variant = plan->variants[d->variant].name,
                     .other = plan->variants[d->other].name,
                     .setting = facts->settings[d->setting].name,
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
    f.setting = facts->settings[setting].beside_text;
    f.place = "at";
    return f;
}

Finding report_pair(const Facts *facts, int variant, int other, int setting) {
    Difference d;
    const bool found = differences_find(&d, &facts->differences, setting, variant, other);
    assert(found); // they have all pairs
    return finding_of(facts, &d);
}

// --- lines of charts ---
// The designed scheme whose hue a variant has; itself, if it has none.
static int root_of(const Plan *plan, int variant) {
    const int designed = plan_designed(plan, variant);
    return designed >= 0 ? designed : variant;
}

int report_hue(const Facts *facts, int variant) {
    const Plan *plan = facts->plan;
    int hue = 0;
    for (int before = 0; before < root_of(plan, variant); before++) hue += root_of(plan, before) == before;
    return hue;
}

void report_line(Chart *chart, const Facts *facts, int variant) {
    const Plan *plan = facts->plan;
    const bool learned = plan->variants[variant].learned;
    int dash = learned ? 1 : report_hue(facts, variant) / HUES;
    for (int before = 0; learned && before < variant; before++)
        dash += before != root_of(plan, variant) && root_of(plan, before) == root_of(plan, variant);
    chart_line(chart, "%s", plan->variants[variant].name);
    chart_style(chart, report_hue(facts, variant), learned ? 1 + (dash - 1) % (DASHES - 1) : dash);
}

void report_contrast_line(Chart *chart, const Facts *facts, int i) {
    const int hue = report_hue(facts, report_named(facts, i)->variant);
    int dash = 0;
    for (int before = 0; before < i; before++) dash += report_hue(facts, report_named(facts, before)->variant) == hue;
    const Finding f = report_contrast(facts, i, 0);
    chart_line(chart, "%.60s - %.60s%s", f.variant, f.other, report_named(facts, i)->primary ? "" : " (exploratory)");
    chart_style(chart, hue, dash);
}

// --- the runs ---
int report_setting(const Facts *facts) {
    return facts->plan->setting_count - 1;
}

double report_context(const Facts *facts, int setting) {
    return (double)facts->plan->settings[setting].context;
}

Paired report_summary(const Facts *facts, int setting, int variant, const char *quantity, double x) {
    double values[SEEDS_MOST];
    for (int seed = 0; seed < facts->outcome->seeds; seed++)
        values[seed] = outcome_value(facts->outcome, setting, -1, variant, seed, quantity, x);
    return paired_summary(values, facts->outcome->seeds);
}

double report_mean(const Facts *facts, int setting, int variant, const char *quantity, double x) {
    return report_summary(facts, setting, variant, quantity, x).mean;
}

Paired report_loss(const Facts *facts, int setting, int variant) {
    return report_summary(facts, setting, variant, "loss", report_context(facts, setting));
}

double report_rate(const Facts *facts, int setting, int variant) {
    const Job job = outcome_job(facts->outcome, setting, variant, 0);
    return plan_job_rate(facts->plan, &job);
}

static bool run_path(char path[PATH_CAPACITY], const Facts *facts, int variant, const char *file, Error *error) {
    const Job job = outcome_job(facts->outcome, report_setting(facts), variant, 0);
    return comparison_path(path, facts->outcome->comparison, &job, file, error);
}

bool report_open_run(Run *run, const Facts *facts, int variant, Error *error) {
    char path[PATH_CAPACITY];
    return run_path(path, facts, variant, "", error) && run_open(run, path, "", error);
}

bool report_has_weights(const Facts *facts, int variant) {
    char path[PATH_CAPACITY];
    Error ignored;
    return run_path(path, facts, variant, "model.safetensors", &ignored) && !path_missing(path);
}

bool report_enters(const Facts *facts, int variant, Enters where) {
    return facts->plan->variants[variant].enters >> where & 1 && report_has_weights(facts, variant);
}
