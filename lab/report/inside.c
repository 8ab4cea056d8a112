// What trained models have learned, of the first seed's models in the last setting: tables that are added to
// embeddings, frequencies of rotations, biases by distance, each beside designed ones; and where heads attend.
#include "lab/report/sections.h"

#include "data/corpus.h"
#include "lab/eval/attended.h"
#include "lab/eval/scheme_probe.h"
#include "lab/stats/spectrum.h"
#include "posenc/rotation/rotate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- tables ---
// One row about a table of codes (T, C); its power spectrum goes to the last line of the chart, if there is one.
static bool table_row(Page *page, Chart *chart, const char *name, const real *codes, int T, int C, Error *error) {
    double rank, *power = malloc(((size_t)T / 2 + 1) * sizeof *power);
    const bool ok = power ? spectrum(&rank, power, codes, T, C, error) : fail_run(error, "no memory for a spectrum");
    if (ok) {
        page_row(page, false, "%s", name);
        page_number(page, 1, rank);
        page_number(page, 3, translation_invariance(codes, T, C));
        page_number(page, 3, shift_residual(codes, T, C, CODE_SHIFT));
    }
    for (int k = 1; ok && chart && k <= T / 2; k++) chart_point(chart, (double)k / T, power[k]);
    free(power);
    return ok;
}

static bool scheme_row(Page *page, Chart *chart, const Facts *facts, int variant, real *codes, int T, int C,
                       Error *error) {
    Run run;
    if (!report_open_run(&run, facts, variant, error)) return false;
    const bool ok = scheme_codes(codes, &run.gpt, error);
    run_close(&run);
    report_line(chart, facts, variant);
    return ok && table_row(page, chart, facts->plan->variants[variant].name, codes, T, C, error);
}

// A table of random numbers, for comparison.
static bool noise_row(Page *page, real *codes, int T, int C, Error *error) {
    const uint64_t key = random_key(1337, "noise");
    for (size_t i = 0; i < (size_t)T * (size_t)C; i++) codes[i] = (real)random_normal(key, i);
    return table_row(page, NULL, "random numbers", codes, T, C, error);
}

static bool tables(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const Setting *setting = &plan->settings[report_setting(facts)];
    const int T = (int)setting->context, C = (int)setting->width;
    Chart chart = {
        .x_label = "frequency, cycles a token", .y_label = "share of the variance", .log_x = true, .log_y = true};
    bool learned = false;
    for (int variant = 0; variant < plan->variant_count; variant++)
        learned = learned || (report_enters(facts, variant, ENTERS_EMBEDDING) && plan->variants[variant].learned);
    if (!learned || T < WAVE_LEAST) return true;
    real *codes = malloc((size_t)T * (size_t)C * sizeof *codes);
    if (!codes) return fail_run(error, "no memory for %d codes", T);
    page_paragraph(page,
                   "Tables that are added to embeddings. Effective rank: how many directions they use (exp of the "
                   "entropy of the variances)%s. Invariance: the share of the variance of P[p].P[q] that p - q "
                   "explains. Residual: the error of the best linear map from the code at p to that at p+%d. It is 0 "
                   "for a rotation, such as sinusoidal's, and smaller for any table with many columns for its rows, as "
                   "random numbers show.",
                   SPECTRUM_HAS_RANK ? "" : "; not measured, because this build has no LAPACK", CODE_SHIFT);
    page_table(page, "what the tables are like");
    page_row(page, true, "scheme|effective rank|invariance|residual");
    bool ok = true;
    for (int variant = 0; ok && variant < plan->variant_count; variant++)
        if (report_enters(facts, variant, ENTERS_EMBEDDING))
            ok = scheme_row(page, &chart, facts, variant, codes, T, C, error);
    ok = ok && noise_row(page, codes, T, C, error);
    page_table_end(page);
    free(codes);
    if (ok) return page_chart(page, &chart, error, "Which waves the tables are made of");
    chart_free(&chart);
    return false;
}

// --- frequencies ---
// Learned frequencies of every head and layer, beside the designed base^(-2i/d).
static bool frequency_chart(Page *page, const Facts *facts, int variant, Error *error) {
    Run run;
    if (!report_open_run(&run, facts, variant, error)) return false;
    const Gpt *gpt = &run.gpt;
    const Position *pos = &gpt->pos.part[0];
    const int pairs = rotary_pairs(pos);
    const Tensor *rho = &gpt->tensors.items[pos->tensors[0]]; // (sets, pairs) logarithms of frequencies
    const int sets = (int)(rho->count / (size_t)pairs);
    Chart chart = {.x_label = "pair", .y_label = "radians a token", .log_y = true};
    chart_line(&chart, "designed");
    for (int i = 0; i < pairs; i++) chart_point(&chart, i, rotary_theta(pos, 0, 0, i));
    for (int s = 0; s < sets; s++) {
        chart_line(&chart, "layer %d, head %d", s / gpt->shape.heads, s % gpt->shape.heads);
        for (int i = 0; i < pairs; i++)
            chart_point(&chart, i, exp((double)gpt->params[rho->offset + (size_t)(s * pairs + i)]));
    }
    run_close(&run);
    return page_chart(page, &chart, error, "Frequencies by pair of channels: %s", facts->plan->variants[variant].name);
}

// --- biases ---
// The biases of a scheme's first layer: points at all distances below NEAR, and at every step-th after that.
static bool bias_chart(Page *page, const Facts *facts, int variant, Error *error) {
    enum { POINTS = 64, NEAR = 16 };
    Run run;
    Chart chart = {.x_label = "tokens back", .y_label = "added to the score"};
    if (!report_open_run(&run, facts, variant, error)) return false;
    const int H = run.gpt.shape.heads, T = run.gpt.shape.context, step = 1 + T / (POINTS - NEAR);
    double *curves = malloc((size_t)H * (size_t)T * sizeof *curves);
    if (!curves) fail_run(error, "no memory for curves of %d distances", T);
    const bool ok = curves && scheme_bias(curves, &run.gpt, error);
    run_close(&run);
    for (int h = 0; ok && h < H; h++) {
        chart_line(&chart, "head %d", h);
        for (int d = 0; d < T; d += d < NEAR ? 1 : step)
            chart_point(&chart, d, curves[(size_t)h * (size_t)T + (size_t)d]);
    }
    free(curves);
    return ok && page_chart(page, &chart, error, "Bias by distance: %s", facts->plan->variants[variant].name);
}

bool report_learned(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    Text list = {0};
    for (int variant = 0; variant < plan->variant_count; variant++)
        if (!report_has_weights(facts, variant))
            text_print(&list, "%s%s", list.size ? ", " : "", plan->variants[variant].name);
    if (list.size > 0)
        page_paragraph(page,
                       "Left out here and below for want of weights (the run diverged, or its model.safetensors was "
                       "removed): %.*s.",
                       (int)list.size, list.bytes);
    page_text_free(page, &list);
    if (!tables(page, facts, error)) return false;
    bool biases = false; // are any learned? Then designed ones are beside them
    for (int variant = 0; variant < plan->variant_count; variant++)
        biases = biases || (report_enters(facts, variant, ENTERS_BIAS) && plan->variants[variant].learned);
    for (int variant = 0; variant < plan->variant_count; variant++) {
        if (variant_is(&plan->variants[variant], "rope-learned") && report_has_weights(facts, variant) &&
            !frequency_chart(page, facts, variant, error))
            return false;
        if (biases && report_enters(facts, variant, ENTERS_BIAS) && !bias_chart(page, facts, variant, error))
            return false;
    }
    return true;
}

// --- attention ---
enum { WINDOWS = 8 };

// Windows (WINDOWS, T) of the validation text's second half.
static int *read_windows(const char *data, int T, Error *error) {
    Corpus corpus;
    if (!corpus_open(&corpus, data, error)) return NULL;
    int *ids = malloc((size_t)WINDOWS * (size_t)T * sizeof *ids);
    const uint64_t half = corpus.val.count / 2, room = (uint64_t)WINDOWS * (uint64_t)T;
    const uint64_t from = corpus.val.count > half + room ? half : 0;
    bool ok = false;
    if (!ids)
        fail_run(error, "no memory for %d windows", WINDOWS);
    else if (corpus.val.count < room)
        fail_input(error, "%s has %llu validation tokens; %llu are looked at", data,
                   (unsigned long long)corpus.val.count, (unsigned long long)room);
    else
        ok = split_read(ids, &corpus.val, from, (size_t)room, error);
    corpus_close(&corpus);
    if (ok) return ids;
    free(ids);
    return NULL;
}

// *ids = the windows to look at, or NULL after a paragraph that says why there are none: the text may have gone since,
// or be shorter than a window.
static bool windows_or_why(int **ids, Page *page, const char *data, int T, Error *error) {
    *ids = read_windows(data, T, error);
    if (*ids || error->kind != ERROR_INPUT) return *ids != NULL;
    for (char *mark; (mark = strchr(error->message, '`'));) *mark = '"'; // messages put commands in backticks
    page_paragraph(page, "Attention is left out: %s.", error->message);
    return true;
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

static bool attended_chart(Page *page, const char *name, const Attended *a, Error *error) {
    Chart chart = {.x_label = "tokens back, plus 1", .y_label = "mean probability", .log_x = true, .log_y = true};
    Attended uniform = {0};
    if (!attended_uniform(&uniform, a->T, error)) return false;
    chart_line(&chart, "all keys alike");
    octaves(&chart, uniform.by_distance, a->T);
    attended_free(&uniform);
    for (int i = 0; i < a->layers * a->heads; i++) {
        chart_line(&chart, "layer %d, head %d", i / a->heads, i % a->heads);
        octaves(&chart, a->by_distance + (size_t)i * (size_t)a->T, a->T);
    }
    return page_chart(page, &chart, error, "Attention by distance: %s", name);
}

// What the attention of some models was measured to be (count; layers 0 = not), with their names.
typedef struct {
    const char *name;
    Attended attended;
} Look;

static bool write_attention(Page *page, const char *whose, const Look *looks, int count, Error *error) {
    page_paragraph(page,
                   "%s, on %d windows of validation text. Distance: the mean number of tokens back. Keys: how many a "
                   "query attends to (exp of the entropy). First: the share of attention on the window's first token, "
                   "where heads attend when they find nothing.",
                   whose, WINDOWS);
    page_table(page, "heads");
    page_row(page, true, "scheme|layer|head|distance|keys|first");
    for (const Look *look = looks; look < looks + count; look++) {
        const Attended *a = &look->attended;
        for (int i = 0; i < a->layers * a->heads; i++)
            page_row(page, false, "%s|%d|%d|%.1f|%.1f|%.1f%%", look->name, i / a->heads, i % a->heads, a->distance[i],
                     exp(a->entropy[i]), 100 * a->first[i]);
    }
    page_table_end(page);
    for (const Look *look = looks; look < looks + count; look++)
        if (look->attended.layers > 0 && !attended_chart(page, look->name, &look->attended, error)) return false;
    return true;
}

bool report_attention(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const Setting *setting = &plan->settings[report_setting(facts)];
    const int T = (int)setting->context;
    char whose[NAME_CAPACITY + 64];
    int models = 0, *ids = NULL;
    for (int variant = 0; variant < plan->variant_count; variant++) models += report_has_weights(facts, variant);
    if (models > 0 && !windows_or_why(&ids, page, plan->texts[setting->text].data, T, error)) return false;
    if (!ids) return true;
    Look *looks = calloc((size_t)plan->variant_count, sizeof *looks);
    bool ok = looks || fail_run(error, "no memory for the attention of %d schemes", plan->variant_count);
    for (int variant = 0; ok && variant < plan->variant_count; variant++) {
        Run run;
        looks[variant].name = plan->variants[variant].name;
        if (!report_has_weights(facts, variant)) continue;
        ok = report_open_run(&run, facts, variant, error);
        if (!ok) break;
        ok = attended_measure(&looks[variant].attended, &run.gpt, ids, WINDOWS, T, error);
        run_close(&run);
    }
    snprintf(whose, sizeof whose, "Models of the first seed%s", facts->settings[report_setting(facts)].at);
    ok = ok && write_attention(page, whose, looks, plan->variant_count, error);
    for (int variant = 0; looks && variant < plan->variant_count; variant++) attended_free(&looks[variant].attended);
    free(looks);
    free(ids);
    return ok;
}

bool report_run_attention(Page *page, const Run *run, Error *error) {
    const int T = run->gpt.shape.context;
    char names[TEXT_CAPACITY];
    Look look = {.name = names};
    int *ids;
    if (!windows_or_why(&ids, page, run->options.data, T, error)) return false;
    if (!ids) return true;
    mix_names(&run->gpt.pos, ", ", " and ", names);
    const bool ok = attended_measure(&look.attended, &run->gpt, ids, WINDOWS, T, error) &&
                    write_attention(page, "The model", &look, 1, error);
    attended_free(&look.attended);
    free(ids);
    return ok;
}
