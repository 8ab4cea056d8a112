// What the first seed's models in the most trained setting have learned: tables that are added to embeddings,
// frequencies of rotations, biases by distance, each beside designed ones; and where heads attend.
#include "lab/report/sections.h"

#include "data/corpus.h"
#include "lab/eval/attended.h"
#include "lab/eval/scheme_probe.h"
#include "lab/stats/spectrum.h"
#include "posenc/rotation/rotate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- what was learned ---
// Add the power spectrum of a table of codes (T, C) to the last line.
static bool add_waves(Chart *chart, const real *codes, int T, int C, Error *error) {
    double *power = power_spectrum(codes, T, C, error);
    const bool ok = power != NULL;
    for (int k = 1; ok && k <= T / 2; k++) chart_point(chart, (double)k / T, power[k]);
    free(power);
    return ok;
}

// A line for each row of a tensor (sets * heads, pairs) of logarithms.
static void pair_lines(Chart *chart, const Gpt *gpt, int tensor, int heads) {
    const Tensor *logs = &gpt->tensors.items[gpt->pos.part[0].tensors[tensor]];
    const bool shared = gpt->pos.part[0].sets == 1 && gpt->shape.layers > 1;
    for (int row = 0; row < logs->shape[0]; row++) {
        char layer[32] = "all layers";
        if (!shared) snprintf(layer, sizeof layer, "layer %d", row / heads);
        if (heads > 1)
            chart_line(chart, "%s, %s %d", layer, heads < gpt->shape.heads ? "key head" : "head", row % heads);
        else
            chart_line(chart, "%s, all heads", layer);
        for (int i = 0; i < logs->shape[1]; i++)
            chart_point(chart, i, exp((double)gpt->params[logs->offset + (size_t)(row * logs->shape[1] + i)]));
    }
}

// Learned frequencies of every head and layer, beside the designed base^(-2i/d), and scales if there are any.
static bool frequency_chart(Page *page, const char *name, const Gpt *gpt, Error *error) {
    Chart chart = {.x_label = "pair", .y_label = "radians per token", .log_y = true};
    Chart scales = {.x_label = "pair", .y_label = "times its share of the score", .log_y = true};
    const Position *pos = &gpt->pos.part[0];
    chart_line(&chart, "designed");
    for (int i = 0; i < rotary_pairs(pos); i++) chart_point(&chart, i, rotary_theta(pos, 0, 0, i));
    pair_lines(&chart, gpt, 0, rotary_heads_apart(pos));
    if (!page_chart(page, &chart, error, "Frequencies by pair of channels: %s", name)) return false;
    if (pos->param_count - pos->gated == 1) return true;
    pair_lines(&scales, gpt, 1, gpt->shape.heads);
    return page_chart(page, &scales, error, "Scales by pair of channels: %s", name);
}

// The biases of the first layer that has any: points at all distances below NEAR, and at every step-th after that.
static bool bias_chart(Page *page, const char *name, const Gpt *gpt, Error *error) {
    enum { POINTS = 64, NEAR = 16 };
    Chart chart = {.x_label = "tokens back", .y_label = "added to the score"};
    const int H = gpt->shape.heads, T = gpt->shape.context, step = 1 + T / (POINTS - NEAR);
    double *curves = malloc((size_t)H * (size_t)T * sizeof *curves);
    if (!curves) return fail_run(error, "no memory for curves of %d distances", T);
    int layer;
    const bool ok = scheme_bias(curves, &layer, gpt, error);
    for (int h = 0; ok && h < H; h++) {
        chart_line(&chart, "head %d", h);
        for (int d = 0; d < T; d += d < NEAR ? 1 : step)
            chart_point(&chart, d, curves[(size_t)h * (size_t)T + (size_t)d]);
    }
    free(curves);
    return ok && page_chart(page, &chart, error, "Bias by distance in layer %d: %s", layer, name);
}

// All trained numbers of the position scheme, if they are few, as for a formula.
static void trained_numbers(Page *page, const char *name, const Gpt *gpt) {
    enum { MOST = 64 };
    const size_t count = tensor_numbers(&gpt->tensors, true);
    const Tensor *tensor;
    if (count == 0 || count > MOST) return;
    page_table(page, "trained numbers of the position scheme: %s (of each run: positions.csv)", name);
    page_row(page, true, "tensor|numbers");
    for (int i = 0; (tensor = gpt_position_tensor(gpt, i)); i++) {
        const real *numbers = gpt->params + tensor->offset; // (tensor->count)
        page_row(page, false, "%s", strchr(tensor->name, '.') + 1);
        for (size_t n = 0; n + 1 < tensor->count; n++) text_print(&page->text, "%.4g, ", (double)numbers[n]);
        page_cells(page, "%.4g", (double)numbers[tensor->count - 1]);
    }
    page_table_end(page);
}

// --- attention ---
enum { WINDOWS = 8 };

// Windows (WINDOWS, T) of the validation text's second half.
static int *read_windows(const char *data, int T, Error *error) {
    const uint64_t room = (uint64_t)WINDOWS * (uint64_t)T;
    Corpus corpus;
    if (!corpus_open(&corpus, data, error)) return NULL;
    const uint64_t count = corpus.val.count, from = count > count / 2 + room ? count / 2 : 0;
    int *ids = malloc((size_t)room * sizeof *ids);
    const bool ok = (ids || fail_run(error, "no memory for %d windows", WINDOWS)) &&
                    (count >= room ||
                     fail_input(error, "%s has fewer than %llu validation tokens", data, (unsigned long long)room));
    if (ok) split_read(ids, &corpus.val, from, (size_t)room);
    corpus_close(&corpus);
    if (ok) return ids;
    free(ids);
    return NULL;
}

// Average by_distance over groups of distances that span half an octave. x is the geometric middle of each group, plus
// 1, because a logarithmic axis has no 0.
static void octaves(Chart *chart, const double *by_distance, int T) {
    for (int from = 0, to; from < T; from = to) {
        to = (int)ceil((from + 1) * sqrt(2)) - 1;
        if (to <= from) to = from + 1;
        if (to > T) to = T;
        double mean = 0;
        for (int d = from; d < to; d++) mean += by_distance[d] / (to - from);
        chart_point(chart, sqrt((from + 1.0) * to), mean);
    }
}

// Report what is left out because a file is damaged or missing. Returns false for any other error.
static bool left_out(Page *page, const char *what, const char *name, Error *error) {
    if (error->kind != ERROR_INPUT) return false;
    for (char *mark; (mark = strchr(error->message, '`'));) *mark = '"'; // messages put commands in backticks
    page_paragraph(page, "%s of %s is left out: %s.", what, name, error->message);
    return true;
}

bool report_heads(Page *page, const char *name, const Run *run, Error *error) {
    const int T = run->gpt.shape.context;
    Attended a = {0};
    double *uniform = calloc((size_t)T, sizeof *uniform), sum = 0;
    Chart chart = {.x_label = "tokens back, plus 1", .y_label = "mean probability", .log_x = true, .log_y = true};
    int *ids = read_windows(run->options.data, T, error);
    // The text may have gone since, or be shorter than the windows.
    if (!ids && left_out(page, "Attention", name, error)) {
        free(uniform);
        return true;
    }
    bool ok = ids && (uniform || fail_run(error, "no memory for %d distances", T)) &&
              attended_measure(&a, &run->gpt, ids, WINDOWS, T, error);
    if (ok) {
        // Only late queries have keys at large distances, and they share their attention among more keys.
        for (int d = T - 1; d >= 0; d--) uniform[d] = (sum += 1.0 / (d + 1)) / (T - d);
        page_table(page,
                   "heads of %s, on %d windows of validation text: the mean distance of keys in tokens, how many keys "
                   "a query attends to (exp of the entropy), and the share of the first token, which many heads use as "
                   "an attention sink",
                   name, WINDOWS);
        page_row(page, true, "layer|head|distance|keys|first");
        chart_line(&chart, "all keys alike");
        octaves(&chart, uniform, T);
        for (int i = 0; i < a.layers * a.heads; i++) {
            page_row(page, false, "%d|%d|%.1f|%.1f|%.1f%%", i / a.heads, i % a.heads, a.distance[i], exp(a.entropy[i]),
                     100 * a.first[i]);
            chart_line(&chart, "layer %d, head %d", i / a.heads, i % a.heads);
            octaves(&chart, a.by_distance + (size_t)i * (size_t)T, T);
        }
        page_table_end(page);
        ok = page_chart(page, &chart, error, "Attention by distance: %s", name);
    }
    attended_free(&a);
    free(uniform);
    free(ids);
    return ok;
}

// --- the section ---
bool report_models(Page *page, const Facts *facts, Error *error) {
    const int T = (int)report_context(facts, facts->setting), C = (int)facts->plan->settings[facts->setting].width;
    Chart waves = {
        .x_label = "frequency, cycles a token", .y_label = "share of the variance", .log_x = true, .log_y = true};
    real *codes = malloc((size_t)T * (size_t)C * sizeof *codes);
    bool ok = codes || fail_run(error, "no memory for %d codes", T);
    for (int variant = 0; ok && variant < facts->plan->variant_count; variant++) {
        const Variant *v = &facts->plan->variants[variant];
        const Job job = outcome_job(facts->outcome, facts->setting, variant, 0);
        char directory[PATH_CAPACITY], weights[PATH_CAPACITY], name[2 * TEXT_CAPACITY];
        Run run;
        if (plan_weights(facts->plan, variant) != variant) continue; // shown already
        snprintf(name, sizeof name, "%s%s, seed %lld", v->name, facts->at[facts->setting], facts->plan->base.seed);
        ok = comparison_path(directory, facts->outcome->comparison, &job, "", error) &&
             comparison_path(weights, facts->outcome->comparison, &job, "model.safetensors", error);
        if (ok && path_missing(weights)) {
            page_paragraph(page, "%s is left out for want of weights: the run diverged, or its %s was removed.",
                           v->name, path_name(weights));
            continue;
        }
        ok = ok && run_open(&run, directory, "", error);
        if (!ok && left_out(page, "The inside", v->name, error)) {
            ok = true;
            continue;
        }
        if (!ok) break;
        if (v->enters >> ENTERS_EMBEDDING & 1 && T >= WAVE_LEAST) {
            report_line(&waves, facts, variant);
            ok = scheme_codes(codes, &run.gpt, error) && add_waves(&waves, codes, T, C, error);
        }
        if (variant_is(v, "rope-learned")) ok = ok && frequency_chart(page, name, &run.gpt, error);
        if (v->enters >> ENTERS_BIAS & 1) ok = ok && bias_chart(page, name, &run.gpt, error);
        if (ok) trained_numbers(page, name, &run.gpt);
        ok = ok && report_heads(page, name, &run, error);
        run_close(&run);
    }
    if (ok && waves.count > 0) { // for comparison, a table of random numbers
        for (size_t i = 0; i < (size_t)T * (size_t)C; i++) codes[i] = (real)random_normal(random_key(1337, "noise"), i);
        chart_line(&waves, "random numbers");
        ok = add_waves(&waves, codes, T, C, error) &&
             page_chart(page, &waves, error, "Which waves tables of positions are made of%s, seed %lld",
                        facts->at[facts->setting], facts->plan->base.seed);
    }
    chart_free(&waves);
    free(codes);
    return ok;
}
