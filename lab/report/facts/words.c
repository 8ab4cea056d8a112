#include "lab/report/facts/words.h"

#include "lab/report/page/axis.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
    if (kind == ALONE) {
        const bool ahead = f->gap.mean < 0;
        if (f->gap.mean == 0)
            text_print(text, "%s and %s have the same loss", f->arm, f->other);
        else
            text_print(text, "%s is ahead of %s by %.*f nats a token", ahead ? f->arm : f->other,
                       ahead ? f->other : f->arm, digits_for(f->gap.mean), fabs(f->gap.mean));
        text_print(text, ", but one seed cannot tell how certain that is.");
        return;
    }
    if (f->gap.mean == 0 && f->interval.low == 0 && f->interval.high == 0) {
        text_print(text, "%s and %s have the same loss in every seed.", f->arm, f->other);
        return;
    }
    text_print(text, "%s or %s: ", f->arm, f->other);
    if (kind == DIVERGED) {
        text_print(text, "not known, because a run diverged.");
        return;
    }
    text_print(text, "not resolved, %s - %s is ", f->arm, f->other);
    words_signed(text, f->gap.mean, f->interval);
    text_print(text, " nats a token.");
}

int words_shared_end(const char *setting, const char *other) {
    static const char end[] = " tokens a parameter";
    const char *one = strstr(setting, end), *two = strstr(other, end);
    return one && two && !one[sizeof end - 1] && !two[sizeof end - 1] ? (int)sizeof end - 1 : 0;
}

// "at 25k, 70k and 200k": the settings of one kind, which `all` have; "in all 3 settings" if they are all.
// first: the sentence has named no settings before, and so has to say what they share.
static void settings_of(Text *text, const Finding *findings, int count, Kind kind, int all, bool first) {
    int end = INT_MAX, i = 0;
    if (all == count) {
        const bool none = kind == OPEN || kind == DIVERGED;
        if (count == 2)
            text_print(text, none ? "in either setting" : "in both settings");
        else
            text_print(text, "in %s %d settings", none ? "any of the" : "all", count);
        return;
    }
    for (int n = 0; n < count; n++) {
        const int shared = words_shared_end(findings[0].setting, findings[n].setting);
        if (shared < end) end = shared;
    }
    for (int n = 0; n < count; n++) {
        const Finding *f = &findings[n];
        if (kind_of(f) != kind) continue;
        if (i++ == 0)
            text_print(text, "%s ", f->place);
        else
            text_print(text, "%s", i == all ? " and " : ", ");
        text_print(text, "%.*s", (int)strlen(f->setting) - (first && i == all ? 0 : end), f->setting);
    }
}

// " by 0.15 nats a token (0.13 to 0.17)"; of several settings " by 0.15 and 0.30 nats a token", in their order; of many
// the smallest and the largest; one number where rounding makes them all equal.
static void amounts_of(Text *text, const Finding *findings, int count, Kind kind, int all) {
    enum { LISTED_MOST = 4 };
    double least = INFINITY, most = 0;
    char low[32], high[32];
    text_print(text, " ");
    for (int n = 0; n < count; n++) {
        if (kind_of(&findings[n]) != kind) continue;
        if (all == 1) words_amount(text, &findings[n]);
        least = fmin(least, fabs(findings[n].gap.mean));
        most = fmax(most, fabs(findings[n].gap.mean));
    }
    if (all == 1) return;
    const int digits = digits_for(least);
    snprintf(low, sizeof low, "%.*f", digits, least);
    snprintf(high, sizeof high, "%.*f", digits, most);
    if (strcmp(low, high) == 0) {
        text_print(text, "by about %s", low);
    } else if (all > LISTED_MOST) {
        text_print(text, "by at least %s and at most %s", low, high);
    } else {
        for (int n = 0, i = 0; n < count; n++) {
            if (kind_of(&findings[n]) != kind) continue;
            text_print(text, "%s%.*f",
                       i == 0         ? "by "
                       : i + 1 == all ? " and "
                                      : ", ",
                       digits, fabs(findings[n].gap.mean));
            i++;
        }
    }
    text_print(text, " nats a token");
}

void words_contrast(Text *text, const Finding *findings, int count) {
    int kinds[KINDS] = {0}, parts = 0;
    if (count == 1) {
        one_setting(text, &findings[0]);
        return;
    }
    for (int n = 0; n < count; n++) kinds[kind_of(&findings[n])]++;
    const bool named = kinds[BETTER] == 0 && kinds[WORSE] > 0; // the better one comes first
    const char *first = named ? findings->other : findings->arm, *second = named ? findings->arm : findings->other;
    if (kinds[BETTER] + kinds[WORSE] > 0)
        text_print(text, "%s is ", first);
    else
        text_print(text, "%s or %s: ", first, second);
    for (int pass = 0; pass < 2; pass++) {
        const Kind kind = (pass == 0) != named ? BETTER : WORSE;
        if (kinds[kind] == 0) continue;
        text_print(text, "%s%s ", parts ? "; " : "", (kind == BETTER) != named ? "better" : "worse");
        if (parts == 0) text_print(text, "than %s ", second);
        settings_of(text, findings, count, kind, kinds[kind], parts++ == 0);
        amounts_of(text, findings, count, kind, kinds[kind]);
    }
    for (Kind kind = OPEN; kind < KINDS; kind++) {
        static const char *const words[KINDS] = {[OPEN] = "not resolved ",
                                                 [ALONE] = "not tested with one seed ",
                                                 [DIVERGED] = "not known, because a run diverged, "};
        if (kinds[kind] == 0) continue;
        text_print(text, "%s%s", parts ? "; " : "", words[kind]);
        settings_of(text, findings, count, kind, kinds[kind], parts++ == 0);
    }
    text_print(text, ".");
}
