// What was learned: the tables that are added to embeddings, of the first seed's models at the largest size, beside
// designed ones. Frequencies and biases follow in sections of their own.
#include "lab/report/inside/inside.h"

#include "lab/eval/scheme_probe.h"
#include "lab/stats/npy.h"
#include "lab/stats/spectrum.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHADES_MOST 32 // rows of a similarity matrix
#define PEAKS       6  // singular vectors whose waves are listed

typedef struct {
    const char *name;
    int arm;
    real *codes; // (T, C)
    Spectrum spectrum;
} PositionTable;

static real *codes_allocate(int T, int C, Error *error) {
    assert(T > 0 && C > 0);
    real *codes = malloc((size_t)T * (size_t)C * sizeof *codes);
    if (!codes) fail_run(error, "no memory for %d codes", T);
    return codes;
}

static void measures_row(Page *page, const PositionTable *table, int T, int C) {
    const Spectrum *spectrum = &table->spectrum;
    page_row(page, false, "%s|%.1f|%d|%d|%.3f", table->name, effective_rank(spectrum->values, spectrum->count),
             values_holding(spectrum->values, spectrum->count, 0.9),
             values_holding(spectrum->values, spectrum->count, 0.99), translation_invariance(table->codes, T, C));
    page_number(page, 3, shift_residual(table->codes, T, C, CODE_SHIFT));
}

// A table of random numbers, for comparison.
static bool noise_row(Page *page, int T, int C, Error *error) {
    const uint64_t key = random_key(1337, "noise");
    real *codes = codes_allocate(T, C, error);
    if (!codes) return false;
    for (size_t i = 0; i < (size_t)T * (size_t)C; i++) codes[i] = (real)random_normal(key, i);
    PositionTable noise = {.name = "random numbers", .codes = codes};
    const bool ok = spectrum_create(&noise.spectrum, codes, T, C, error);
    if (ok) measures_row(page, &noise, T, C);
    spectrum_free(&noise.spectrum);
    free(codes);
    return ok;
}

static bool peaks_table(Page *page, const PositionTable *tables, int count, Error *error) {
    page_table(page, "the first singular vectors, functions of position: share of the table's variance, and the period "
                     "in tokens of the wave that explains most of each, with how much it explains");
    page_row(page, true, "scheme|1|2|3|4|5|6");
    for (int i = 0; i < count; i++) {
        const Spectrum *spectrum = &tables[i].spectrum;
        const int shown = spectrum->count < PEAKS ? spectrum->count : PEAKS;
        Peak peaks[PEAKS];
        double all = 0;
        if (!spectrum_peaks(peaks, spectrum, shown, error)) return false;
        for (int k = 0; k < spectrum->count; k++) all += spectrum->values[k] * spectrum->values[k];
        page_row(page, false, "%s", tables[i].name);
        for (int k = 0; k < shown; k++)
            if (isnan(peaks[k].share)) // a vector of the value 0
                page_cell(page, "-");
            else
                page_cell(page, "%.1f%%: %.3g (%.0f%%)", 100 * spectrum->values[k] * spectrum->values[k] / all,
                          1 / peaks[k].frequency, 100 * peaks[k].share);
    }
    page_table_end(page);
    return true;
}

static bool power_chart(Page *page, const Facts *facts, const PositionTable *tables, int count, int T, Error *error) {
    Chart chart = {
        .x_label = "frequency, cycles a token", .y_label = "share of the variance", .log_x = true, .log_y = true};
    for (int i = 0; i < count; i++) {
        report_line(&chart, facts, tables[i].arm);
        for (int k = 1; k <= T / 2; k++) chart_point(&chart, (double)k / T, tables[i].spectrum.power[k]);
    }
    return page_chart(page, &chart, error, "Which waves the tables are made of");
}

static bool similarity_matrix(Page *page, const PositionTable *table, int T, int C, Error *error) {
    double cells[SHADES_MOST * SHADES_MOST];
    char title[TEXT_CAPACITY + 64];
    const int n = similarity(cells, table->codes, T, C, SHADES_MOST);
    snprintf(title, sizeof title, "How alike the codes of two positions are (cosine): %s", table->name);
    return page_matrix(page, title, cells, n, (double)T / n, error);
}

// Set the position parameters to what they were at a snapshot during training.
static bool load_snapshot(Run *run, const Facts *facts, int arm, int snapshot, Error *error) {
    char path[PATH_CAPACITY], file[64];
    float *values;
    size_t count, at = 0;
    Gpt *gpt = &run->gpt;
    snprintf(file, sizeof file, "positions-%lld.npy", snapshot_step(run->options.steps, snapshot));
    if (!report_run_path(path, facts, arm, file, error) || !npy_read(&values, &count, path, error)) return false;
    bool ok =
        count == tensor_numbers(&gpt->tensors, true) ||
        fail_input(error, "%s has %zu numbers, not the model's %zu", path, count, tensor_numbers(&gpt->tensors, true));
    const Tensor *tensor;
    for (int p = 0; ok && (tensor = gpt_position_tensor(gpt, p)); p++) {
        for (size_t i = 0; i < tensor->count; i++) gpt->params[tensor->offset + i] = (real)values[at++];
    }
    free(values);
    return ok;
}

// Write a row with the residual at each snapshot, which shows when a learned table gets its structure.
static bool residuals_row(Page *page, const Facts *facts, int arm, Error *error) {
    Run run;
    if (!report_open_run(&run, facts, arm, error)) return false;
    const int T = run.gpt.shape.context, C = run.gpt.shape.width;
    real *codes = codes_allocate(T, C, error);
    bool ok = codes != NULL;
    page_row(page, false, "%s", facts->plan->arms[arm].name);
    for (int s = 0; ok && s < SNAPSHOTS; s++) {
        ok = load_snapshot(&run, facts, arm, s, error) && scheme_codes(codes, &run.gpt, error);
        if (ok) page_number(page, 3, shift_residual(codes, T, C, CODE_SHIFT));
    }
    free(codes);
    run_close(&run);
    return ok;
}

static bool is_learned(const Facts *facts, int arm) {
    return report_enters(facts, arm, ENTERS_EMBEDDING) && facts->plan->arms[arm].learned;
}

static bool residuals_table(Page *page, const Facts *facts, Error *error) {
    page_table(page, "the same residual over training, after these shares of the steps");
    page_row(page, true, "scheme|0|1/8|1/4|1/2|all");
    bool ok = true;
    for (int arm = 0; ok && arm < facts->plan->arm_count; arm++)
        if (is_learned(facts, arm)) ok = residuals_row(page, facts, arm, error);
    page_table_end(page);
    return ok;
}

static bool read_table(PositionTable *table, const Facts *facts, int arm, Error *error) {
    Run run;
    if (!report_open_run(&run, facts, arm, error)) return false;
    const int T = run.gpt.shape.context, C = run.gpt.shape.width;
    table->name = facts->plan->arms[arm].name;
    table->arm = arm;
    table->codes = codes_allocate(T, C, error);
    const bool ok = table->codes && scheme_codes(table->codes, &run.gpt, error) &&
                    spectrum_create(&table->spectrum, table->codes, T, C, error);
    run_close(&run);
    return ok;
}

static bool tables_section(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const int T = (int)plan->settings[plan->setting_count - 1].context,
              C = (int)plan->settings[plan->setting_count - 1].width;
    PositionTable tables[ARMS_MOST] = {{0}};
    int count = 0, learned = 0;
    bool ok = true;
    for (int arm = 0; arm < plan->arm_count; arm++) learned += is_learned(facts, arm);
    if (learned == 0 || T < WAVE_LEAST) return true;
    page_paragraph(
        page,
        "Tables that are added to embeddings. Effective rank: how many directions they use (exp of the "
        "entropy of the variances). Invariance: the share of the variance of P[p].P[q] that p - q explains. "
        "Residual: the error of the best linear map from the code at p to that at p+%d. It is 0 for a "
        "rotation, such as sinusoidal's, and smaller for any table with many columns for its rows, as random "
        "numbers show.",
        CODE_SHIFT);
    page_table(page, "what the tables are like");
    page_row(page, true, "scheme|effective rank|directions for 90%%|for 99%%|invariance|residual");
    for (int arm = 0; ok && arm < plan->arm_count; arm++) {
        if (!report_enters(facts, arm, ENTERS_EMBEDDING)) continue;
        ok = read_table(&tables[count++], facts, arm, error);
        if (ok) measures_row(page, &tables[count - 1], T, C);
    }
    ok = ok && noise_row(page, T, C, error);
    page_table_end(page);
    ok = ok && peaks_table(page, tables, count, error) && residuals_table(page, facts, error) &&
         power_chart(page, facts, tables, count, T, error);
    for (int i = 0; i < count; i++) {
        ok = ok && similarity_matrix(page, &tables[i], T, C, error);
        spectrum_free(&tables[i].spectrum);
        free(tables[i].codes);
    }
    return ok;
}

// Names the schemes whose weights are missing.
static void missing_paragraph(Page *page, const Facts *facts) {
    const Plan *plan = facts->plan;
    Text list = {0};
    for (int arm = 0; arm < plan->arm_count; arm++)
        if (!report_has_weights(facts, arm)) text_print(&list, "%s%s", list.size ? ", " : "", plan->arms[arm].name);
    if (list.size > 0)
        page_paragraph(page,
                       "Left out here and below for want of weights (the run diverged, or its model.safetensors "
                       "was removed): %.*s.",
                       (int)list.size, list.bytes);
    page_text_free(page, &list);
}

bool report_learned(Page *page, const Facts *facts, Error *error) {
    missing_paragraph(page, facts);
    return tables_section(page, facts, error);
}
