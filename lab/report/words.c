#include "lab/report/words.h"

#include "lab/report/page/axis.h"

#include <assert.h>
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
    const char *ahead = f->gap.mean < 0 ? f->variant : f->other, *behind = f->gap.mean < 0 ? f->other : f->variant;
    if (f->gap.mean == 0 && !(f->interval.low < 0)) {
        text_print(text, "%s and %s have the same loss in every seed.", f->variant, f->other);
        return;
    }
    switch (kind_of(f)) {
    case BETTER:
    case WORSE:
        text_print(text, "%s is better than %s ", ahead, behind);
        words_amount(text, f);
        text_print(text, ".");
        break;
    case ALONE:
        text_print(text, "%s is ahead of %s by %.*f nats a token, but one seed cannot tell how certain that is.", ahead,
                   behind, digits_for(f->gap.mean), fabs(f->gap.mean));
        break;
    case DIVERGED:
        text_print(text, "%s or %s: not known, because a run diverged.", f->variant, f->other);
        break;
    default:
        text_print(text, "%s or %s: not resolved, %s - %s is ", f->variant, f->other, f->variant, f->other);
        words_signed(text, f->gap.mean, f->interval);
        text_print(text, " nats a token.");
    }
}

// The settings of one kind, "at 25k, 70k", and of what is resolved by how much: of one setting with its interval, of
// several from the smallest to the largest.
static void settings_of(Text *text, const Finding *findings, int count, Kind kind, int of_kind) {
    double least = INFINITY, most = 0;
    char low[32], high[32];
    const Finding *last = NULL;
    if (of_kind == count) text_print(text, count == 2 ? "in both settings" : "in all %d settings", count);
    for (const Finding *f = findings; f < findings + count; f++) {
        if (kind_of(f) != kind) continue;
        if (of_kind < count && !last) text_print(text, "%s ", f->place);
        if (of_kind < count) text_print(text, "%s%s", last ? ", " : "", f->setting);
        least = fmin(least, fabs(f->gap.mean));
        most = fmax(most, fabs(f->gap.mean));
        last = f;
    }
    if (kind != BETTER && kind != WORSE) return;
    assert(last);
    text_print(text, " ");
    if (of_kind == 1) {
        words_amount(text, last);
        return;
    }
    snprintf(low, sizeof low, "%.*f", digits_for(least), least);
    snprintf(high, sizeof high, "%.*f", digits_for(least), most);
    text_print(text, strcmp(low, high) ? "by %s to %s nats a token" : "by about %s nats a token", low, high);
}

void words_contrast(Text *text, const Finding *findings, int count) {
    static const char *const words[KINDS] = {[OPEN] = "not resolved ",
                                             [ALONE] = "not tested with one seed ",
                                             [DIVERGED] = "not known, because a run diverged, "};
    const char *variant = findings->variant, *other = findings->other;
    int kinds[KINDS] = {0};
    if (count == 1) {
        one_setting(text, findings);
        return;
    }
    for (int n = 0; n < count; n++) kinds[kind_of(&findings[n])]++;
    const char *between = "";
    if (kinds[BETTER] + kinds[WORSE] == 0) text_print(text, "%s or %s: ", variant, other);
    for (Kind kind = BETTER; kind < KINDS; kind++) {
        if (kinds[kind] == 0) continue;
        text_print(text, "%s", between);
        if (kind == BETTER || kind == WORSE)
            text_print(text, "%s is better than %s ", kind == BETTER ? variant : other,
                       kind == BETTER ? other : variant);
        else
            text_print(text, "%s", words[kind]);
        settings_of(text, findings, count, kind, kinds[kind]);
        between = "; ";
    }
    text_print(text, ".");
}

void words_change(Text *text, const Finding *f, const char *from, const char *to) {
    text_print(text, "from %s to %s ", from, to);
    if (isnan(f->gap.mean)) {
        text_print(text, "not known, because a run diverged");
        return;
    }
    words_signed(text, f->gap.mean, f->interval);
    if (isnan(f->interval.low))
        text_print(text, ", one seed");
    else if (f->verdict == VERDICT_UNRESOLVED)
        text_print(text, ", not resolved");
    else
        text_print(text, ", in favour of %s", f->verdict == VERDICT_BETTER ? f->variant : f->other);
}
