#include "lab/compare/differences.h"

#include "lab/stats/texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double loss_of(const Outcome *o, int setting, int variant, int seed) {
    return outcome_value(o, setting, -1, variant, seed, "loss", (double)o->comparison->plan.settings[setting].context);
}

static Interval text_interval(const Outcome *o, const Difference *d) {
    double gaps[SEEDS_MOST * BLOCKS];
    for (int seed = 0; seed < o->seeds; seed++)
        for (int block = 1; block <= BLOCKS; block++)
            gaps[seed * BLOCKS + block - 1] = outcome_value(o, d->setting, -1, d->variant, seed, "block", block) -
                                              outcome_value(o, d->setting, -1, d->other, seed, "block", block);
    return blocks_interval(gaps, o->seeds, BLOCKS);
}

// The settings of all texts follow each other in the same order.
static Paired gap_over_texts(const Outcome *o, const Difference *d) {
    const Plan *plan = &o->comparison->plan;
    const int apart = plan->setting_count / plan->text_count;
    double gaps[TEXTS_MOST * SEEDS_MOST];
    for (int text = 0; text < d->texts; text++)
        for (int seed = 0; seed < o->seeds; seed++) {
            const int setting = d->setting + text * apart;
            gaps[text * o->seeds + seed] = loss_of(o, setting, d->variant, seed) - loss_of(o, setting, d->other, seed);
        }
    return texts_summary(gaps, d->texts, o->seeds);
}

// How many primary contrasts there are, also of schemes that the plan has left out since, in how many places.
static double primary_family(const Plan *plan) {
    int contrasts = 0;
    for (int c = 0; c < plan->contrast_count; c++) contrasts += plan->contrasts[c].after == 0;
    const int over_texts = plan->text_count > 1 ? plan->setting_count / plan->text_count : 0;
    return (double)contrasts * (plan->setting_count + over_texts);
}

static void add(Differences *all, const Outcome *o, int variant, int other, int setting, int texts,
                const Contrast *named) {
    const Plan *plan = &o->comparison->plan;
    const double T = (double)plan->settings[setting].context;
    Difference *d = &all->items[all->count++];
    *d = (Difference){.variant = variant, .other = other, .setting = setting, .texts = texts, .named = named};
    d->primary = named && named->after == 0;
    d->comparisons = d->primary ? primary_family(plan) : plan->variant_count * (plan->variant_count - 1) / 2.0;
    d->gap = texts > 1 ? gap_over_texts(o, d) : outcome_paired(o, setting, variant, other, "loss", T);
    d->interval = paired_interval(&d->gap, d->comparisons);
    d->p = paired_adjusted(&d->gap, d->comparisons);
    d->verdict = paired_verdict(&d->gap, d->comparisons);
    d->resolvable = resolvable(d->gap.se, d->gap.df, d->comparisons);
    d->text = texts > 1 ? (Interval){NAN, NAN} : text_interval(o, d);
}

static void add_named(Differences *all, const Outcome *o, const Contrast *contrast) {
    const Plan *plan = &o->comparison->plan;
    const int variant = plan_variant(plan, contrast->variant), other = plan_variant(plan, contrast->other);
    if (variant < 0 || other < 0) return;
    for (int setting = 0; setting < plan->setting_count; setting++) add(all, o, variant, other, setting, 1, contrast);
    for (int setting = 0; plan->text_count > 1 && setting < plan->setting_count / plan->text_count; setting++)
        add(all, o, variant, other, setting, plan->text_count, contrast);
}

bool outcome_differences(Differences *all, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    const int variants = plan->variant_count, pairs = variants * (variants - 1) / 2;
    const size_t most = (size_t)plan->setting_count * (size_t)(pairs + 2 * plan->contrast_count) + 1;
    Difference ignored;
    *all = (Differences){calloc(most, sizeof *all->items), 0};
    if (!all->items) return fail_run(error, "no memory for %zu differences", most);
    for (int c = 0; c < plan->contrast_count; c++) add_named(all, o, &plan->contrasts[c]);
    for (int setting = 0; setting < plan->setting_count; setting++)
        for (int variant = 1; variant < variants; variant++)
            for (int other = 0; other < variant; other++)
                if (!differences_find(&ignored, all, setting, variant, other))
                    add(all, o, variant, other, setting, 1, NULL);
    return true;
}

void differences_free(Differences *all) {
    free(all->items);
    *all = (Differences){0};
}

static Interval negative(Interval interval) {
    return (Interval){-interval.high, -interval.low};
}

static void turn_round(Difference *d) {
    const int variant = d->variant;
    d->variant = d->other;
    d->other = variant;
    d->gap.mean = -d->gap.mean;
    d->gap.t = negative(d->gap.t);
    d->interval = negative(d->interval);
    d->text = negative(d->text);
    if (d->verdict != VERDICT_UNRESOLVED) d->verdict = d->verdict == VERDICT_BETTER ? VERDICT_WORSE : VERDICT_BETTER;
}

bool differences_find(Difference *found, const Differences *all, int setting, int variant, int other) {
    for (int i = 0; i < all->count; i++) {
        const Difference *d = &all->items[i];
        if (d->setting != setting || d->texts > 1) continue;
        if (!(d->variant == variant && d->other == other) && !(d->variant == other && d->other == variant)) continue;
        *found = *d;
        if (d->variant != variant) turn_round(found);
        return true;
    }
    return false;
}

double outcome_peeking(const Outcome *o, double comparisons) {
    const Plan *plan = &o->comparison->plan;
    int looks[SEEDS_MOST + 1], count = 0;
    for (int l = 0; l < plan->look_count; l++)
        if (plan->looks[l] >= 2 && plan->looks[l] < o->seeds) looks[count++] = plan->looks[l];
    if (count == 0) return 0.05;
    looks[count++] = o->seeds;
    return peeking_error(looks, count, comparisons);
}
