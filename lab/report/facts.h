// What the sections of a report share: contrasts, the runs behind them, and how schemes look in charts.
#ifndef BITTER_FACTS_H
#define BITTER_FACTS_H

#include "lab/compare/outcome.h"
#include "lab/report/page/chart.h"
#include "lab/report/words.h"
#include "train/run.h"

// The words for a setting, "" if there is only one.
typedef struct {
    char at[NAME_CAPACITY + 4];     // " at 70k", " on book"
    const char *name, *beside_text; // "book-70k", and with several texts "70k"
} SettingWords;

typedef struct {
    const Outcome *outcome;
    const Plan *plan; // of the outcome
    Differences differences;
    SettingWords *settings; // (plan->setting_count)
} Facts;

// Fails (run) without memory.
bool facts_gather(Facts *facts, const Outcome *outcome, Error *error);
void facts_free(Facts *facts);

// The setting whose models are looked at closely: the last one, which on a ladder is the largest.
int report_setting(const Facts *facts);

// Tokens of a window in training, in this setting.
double report_context(const Facts *facts, int setting);

// Contrasts are the differences that somebody has named. Their number, and contrast i in a setting; over the texts
// (texts > 1) the setting is that of the first text, and below report_settings_over_texts.
int report_contrasts(const Facts *facts);
Finding report_contrast(const Facts *facts, int i, int setting);
Finding report_contrast_over_texts(const Facts *facts, int i, int setting);
int report_settings_over_texts(const Facts *facts); // 0 with one text
// The first of the contrast's differences; all have the same variants and family.
const Difference *report_named(const Facts *facts, int i);

enum { FAMILY_WORDS = 64 };
// What its interval is: "primary, corrected for 6", "exploratory, corrected for 28 pairs", or "single" if it is alone.
void report_family(char words[FAMILY_WORDS], const Difference *d);

// The difference of any two variants in a setting, with the interval that it has on the whole page.
Finding report_pair(const Facts *facts, int variant, int other, int setting);

// A line for a scheme: a learned scheme has the hue of its designed one, and a dash.
void report_line(Chart *chart, const Facts *facts, int variant);
// A line for a contrast, in the hue of its schemes; contrasts of the same hue differ in their dash.
void report_contrast_line(Chart *chart, const Facts *facts, int i);
int report_hue(const Facts *facts, int variant);

// The learning rate of a scheme's runs in a setting, which it chose if there was a choice.
double report_rate(const Facts *facts, int setting, int variant);

// Open the model of a scheme's first seed in report_setting. report_has_weights tells whether there is one: there is
// none when the run diverged or its weights were removed. report_enters: it has weights, and its scheme enters the
// model at `where`.
bool report_open_run(Run *run, const Facts *facts, int variant, Error *error);
bool report_has_weights(const Facts *facts, int variant);
bool report_enters(const Facts *facts, int variant, Enters where);

// A quantity over the complete seeds: its mean, NAN where a seed has none, and standard deviation, NAN with one seed.
Paired report_summary(const Facts *facts, int setting, int variant, const char *quantity, double x);
double report_mean(const Facts *facts, int setting, int variant, const char *quantity, double x);
// The losses in trained windows.
Paired report_loss(const Facts *facts, int setting, int variant);
#endif
