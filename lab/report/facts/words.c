#include "lab/report/facts/words.h"

#include "lab/report/page/axis.h"

#include <math.h>
#include <stdio.h>

void words_listed(Text *text, int i, int count, const char *word) {
    text_print(text, "%s%s", i == 0 ? "" : i == count - 1 ? " and " : ", ", word);
}

void words_signed(Text *text, double mean, Interval interval) {
    char words[INTERVAL_WORDS];
    text_print(text, "%s", interval_words(words, mean, interval.low, interval.high));
}

void words_amount(Text *text, const Finding *f) {
    const int digits = digits_of(f->gap.mean, f->interval.low, f->interval.high);
    const double one = fabs(f->interval.low), other = fabs(f->interval.high);
    text_print(text, "by %.*f nats a token (%.*f to %.*f)", digits, fabs(f->gap.mean), digits, fmin(one, other), digits,
               fmax(one, other));
}

typedef enum { BETTER, WORSE, OPEN, ALONE, DIVERGED, KINDS } Kind;

static Kind kind_of(const Finding *f) {
    return isnan(f->gap.mean)             ? DIVERGED
           : isnan(f->interval.low)       ? ALONE
           : f->verdict == VERDICT_BETTER ? BETTER
           : f->verdict == VERDICT_WORSE  ? WORSE
                                          : OPEN;
}

static void one_setting(Text *text, const Finding *f) {
    const Kind kind = kind_of(f);
    if (kind == BETTER || kind == WORSE) {
        text_print(text, "%s is better than %s ", kind == BETTER ? f->arm : f->other,
                   kind == BETTER ? f->other : f->arm);
        words_amount(text, f);
        text_print(text, ".");
        return;
    }
    text_print(text, "%s - %s ", f->arm, f->other);
    if (kind == DIVERGED) {
        text_print(text, "is not known, because a run diverged.");
        return;
    }
    if (kind == ALONE) {
        text_print(text, "is %+.*f nats a token, but one seed cannot tell how certain that is.",
                   digits_for(f->gap.mean), f->gap.mean);
        return;
    }
    text_print(text, "is not resolved: ");
    words_signed(text, f->gap.mean, f->interval);
    text_print(text, "; a true difference of %.*f would be found 4 times in 5.", digits_for(f->resolvable),
               f->resolvable);
}

// The settings of one kind: "at 25k by 0.15 nats a token (0.13 to 0.17) and at 70k by ...", or only their names.
static void settings_of(Text *text, const Finding *findings, int count, Kind kind, bool amounts) {
    int all = 0, i = 0;
    for (int n = 0; n < count; n++) all += kind_of(&findings[n]) == kind;
    for (int n = 0; n < count; n++) {
        if (kind_of(&findings[n]) != kind) continue;
        Text one = {0};
        text_print(&one, "%s%s%s", i == 0 || amounts ? findings[n].place : "", i == 0 || amounts ? " " : "",
                   findings[n].setting);
        if (amounts) text_print(&one, " ");
        if (amounts) words_amount(&one, &findings[n]);
        text_print(&one, "%c", '\0');
        words_listed(text, i++, all, one.failed ? "" : one.bytes);
        text_free(&one);
    }
}

// "by 0.05 to 0.26 nats a token": the smallest and the largest mean difference of a kind.
static void range_of(Text *text, const Finding *findings, int count, Kind kind) {
    double least = INFINITY, most = 0;
    for (int n = 0; n < count; n++)
        if (kind_of(&findings[n]) == kind) {
            least = fmin(least, fabs(findings[n].gap.mean));
            most = fmax(most, fabs(findings[n].gap.mean));
        }
    const int digits = digits_for(most > least ? fmin(least, most - least) : least);
    text_print(text, " (by %.*f to %.*f nats a token)", digits, least, digits, most);
}

static void unresolved(Text *text, const Finding *findings, int count) {
    double most = 0;
    for (int n = 0; n < count; n++)
        if (kind_of(&findings[n]) == OPEN) most = fmax(most, findings[n].resolvable);
    text_print(text, "not resolved ");
    settings_of(text, findings, count, OPEN, false);
    text_print(text, " (%.*f would be found 4 times in 5)", digits_for(most), most);
}

void words_contrast(Text *text, const Finding *findings, int count) {
    enum { AMOUNTS_MOST = 2 }; // settings whose amounts a sentence can hold
    int kinds[KINDS] = {0}, parts = 0;
    if (count == 1) {
        one_setting(text, &findings[0]);
        return;
    }
    for (int n = 0; n < count; n++) kinds[kind_of(&findings[n])]++;
    const bool named = kinds[BETTER] == 0 && kinds[WORSE] > 0; // the better one comes first
    const char *first = named ? findings->other : findings->arm, *second = named ? findings->arm : findings->other;
    text_print(text, kinds[BETTER] + kinds[WORSE] > 0 ? "%s is " : "%s - ", first);
    if (kinds[BETTER] + kinds[WORSE] == 0) text_print(text, "%s is ", second);
    for (int pass = 0; pass < 2; pass++) {
        const Kind kind = (pass == 0) != named ? BETTER : WORSE;
        if (kinds[kind] == 0) continue;
        text_print(text, "%s%s ", parts ? "; " : "", (kind == BETTER) != named ? "better" : "worse");
        if (parts++ == 0) text_print(text, "than %s ", second);
        if (kinds[kind] == count) text_print(text, "in all %d settings: ", count);
        settings_of(text, findings, count, kind, kinds[kind] <= AMOUNTS_MOST);
        if (kinds[kind] > AMOUNTS_MOST) range_of(text, findings, count, kind);
    }
    if (kinds[OPEN] > 0 && parts++) text_print(text, "; ");
    if (kinds[OPEN] > 0) unresolved(text, findings, count);
    for (Kind kind = ALONE; kind <= DIVERGED; kind++) {
        if (kinds[kind] == 0) continue;
        if (parts++) text_print(text, "; ");
        text_print(text, kind == ALONE ? "known from one seed only " : "not known, because a run diverged, ");
        settings_of(text, findings, count, kind, false);
    }
    text_print(text, ".");
}
