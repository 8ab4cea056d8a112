// What was learned: the tables that are added to embeddings, of the first seed's models at the largest size, beside
// designed ones. Frequencies and biases follow in sections of their own.
#include "lab/report/sections.h"

#include "lab/eval/scheme_probe.h"
#include "lab/stats/fit.h"
#include "lab/stats/npy.h"
#include "lab/stats/spectrum.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHADES_MOST 32 // rows of a similarity matrix
#define PEAKS       6  // singular vectors whose waves are listed

// An embedding scheme's codes (T, C) of a run.
typedef struct {
    const char *name;
    real *codes;
    double *power;       // (T/2 + 1)
    Peak peaks[PEAKS];   // of the first singular vectors, as far as there are so many
    double share[PEAKS]; // of the variance that they hold
    int peak_count;
} LearnedTable;

static void measures_row(Page *page, const char *name, const Spectrum *spectrum, const real *codes, int T, int C) {
    page_row(page, false, "%s", name);
    page_cell(page, "%.1f", effective_rank(spectrum->values, spectrum->count));
    page_cell(page, "%d", values_holding(spectrum->values, spectrum->count, 0.9));
    page_cell(page, "%d", values_holding(spectrum->values, spectrum->count, 0.99));
    page_cell(page, "%.3f", translation_invariance(codes, T, C));
    page_number(page, 3, shift_residual(codes, T, C, CODE_SHIFT));
}

// A table of random numbers, for comparison.
static bool noise_row(Page *page, int T, int C, Error *error) {
    assert(T > 0 && C > 0);
    const uint64_t key = random_key(1337, "noise");
    Spectrum spectrum;
    real *codes = malloc((size_t)T * (size_t)C * sizeof *codes);
    bool ok = codes || fail_run(error, "no memory for %d codes", T);
    for (size_t i = 0; ok && i < (size_t)T * (size_t)C; i++) codes[i] = (real)random_normal(key, i);
    ok = ok && spectrum_create(&spectrum, codes, T, C, error);
    if (ok) {
        measures_row(page, "random numbers", &spectrum, codes, T, C);
        spectrum_free(&spectrum);
    }
    free(codes);
    return ok;
}

static bool table_rows(Page *page, LearnedTable *table, const Run *run, Error *error) {
    const int T = run->gpt.shape.context, C = run->gpt.shape.width;
    Spectrum spectrum;
    if (!spectrum_create(&spectrum, table->codes, T, C, error)) return false;
    measures_row(page, table->name, &spectrum, table->codes, T, C);
    double all = 0;
    for (int i = 0; i < spectrum.count; i++) all += spectrum.values[i] * spectrum.values[i];
    table->peak_count = spectrum.count < PEAKS ? spectrum.count : PEAKS;
    for (int i = 0; i < table->peak_count; i++) table->share[i] = spectrum.values[i] * spectrum.values[i] / all;
    const bool peaked = spectrum_peaks(table->peaks, &spectrum, table->peak_count, error);
    spectrum_free(&spectrum);
    if (!peaked) return false;
    table->power = calloc((size_t)T / 2 + 1, sizeof *table->power);
    if (!table->power) return fail_run(error, "no memory for %d frequencies", T / 2);
    return table_power(table->power, table->codes, T, C, error);
}

static void peaks_table(Page *page, const LearnedTable *tables, int count) {
    page_table(page, "the first singular vectors, functions of position: share of the table's variance, and the period "
                     "in tokens of the wave that explains most of each, with how much it explains");
    page_row(page, true, "scheme|1|2|3|4|5|6");
    for (int i = 0; i < count; i++) {
        page_row(page, false, "%s", tables[i].name);
        for (int k = 0; k < tables[i].peak_count; k++)
            page_cell(page, "%.1f%%: %.3g (%.0f%%)", 100 * tables[i].share[k], 1 / tables[i].peaks[k].frequency,
                      100 * tables[i].peaks[k].share);
    }
    page_table_end(page);
}

static bool power_chart(Page *page, const LearnedTable *tables, int count, int T, Error *error) {
    Chart chart = {
        .x_label = "frequency, cycles a token", .y_label = "share of the variance", .log_x = true, .log_y = true};
    for (int i = 0; i < count; i++) {
        chart_line(&chart, "%s", tables[i].name);
        for (int k = 1; k <= T / 2; k++) chart_point(&chart, (double)k / T, tables[i].power[k]);
    }
    return page_chart(page, &chart, error, "Which waves the tables are made of");
}

static bool similarity_matrix(Page *page, const LearnedTable *table, int T, int C, Error *error) {
    double cells[SHADES_MOST * SHADES_MOST];
    char title[TEXT_CAPACITY + 64];
    const int n = similarity(cells, table->codes, T, C, SHADES_MOST);
    snprintf(title, sizeof title, "How alike the codes of two positions are (cosine): %s", table->name);
    return page_matrix(page, title, cells, n, (double)T / n, error);
}

// Set the position parameters to what they were at a snapshot during training.
static bool load_snapshot(Run *run, const Outcome *o, int arm, int snapshot, Error *error) {
    char path[PATH_CAPACITY], file[64];
    float *values;
    size_t count, at = 0;
    Gpt *gpt = &run->gpt;
    snprintf(file, sizeof file, "positions-%lld.npy", snapshot_step(run->options.steps, snapshot));
    if (!report_run_path(path, o, arm, file, error) || !npy_read(&values, &count, path, error)) return false;
    bool ok =
        count == tensor_numbers(&gpt->tensors, true) ||
        fail_input(error, "%s has %zu numbers, not the model's %zu", path, count, tensor_numbers(&gpt->tensors, true));
    for (int p = 0; ok && p < gpt->pos.param_count; p++) {
        const Tensor *tensor = &gpt->tensors.items[gpt->pos.tensors[p]];
        for (size_t i = 0; i < tensor->count; i++) gpt->params[tensor->offset + i] = (real)values[at++];
    }
    free(values);
    return ok;
}

// Write a row with the residual at each snapshot, which shows when a learned table gets its structure.
static bool linear_table(Page *page, const Outcome *o, int arm, Error *error) {
    Run run;
    if (!report_open_run(&run, o, arm, error)) return false;
    const int T = run.gpt.shape.context, C = run.gpt.shape.width;
    real *codes = malloc((size_t)T * (size_t)C * sizeof *codes);
    bool ok = codes || fail_run(error, "no memory for %d codes", T);
    page_row(page, false, "%s", o->comparison->plan.arms[arm].name);
    for (int s = 0; ok && s < SNAPSHOTS; s++) {
        ok = load_snapshot(&run, o, arm, s, error) && scheme_codes(codes, &run.gpt, error);
        if (ok) page_number(page, 3, shift_residual(codes, T, C, CODE_SHIFT));
    }
    free(codes);
    run_close(&run);
    return ok;
}

static bool learned_residuals(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    page_table(page, "the same residual over training, after these shares of the steps");
    page_row(page, true, "scheme|0|1/8|1/4|1/2|all");
    bool ok = true;
    for (int arm = 0; ok && arm < plan->arm_count; arm++)
        if (report_enters(o, arm, ENTERS_EMBEDDING) && plan_scheme(plan, arm)->params)
            ok = linear_table(page, o, arm, error);
    page_table_end(page);
    return ok;
}

static bool tables_section(Page *page, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    LearnedTable tables[ARMS_MOST] = {{0}};
    int count = 0, T = 0, C = 0, learned = 0;
    bool ok = true;
    for (int arm = 0; arm < plan->arm_count; arm++)
        learned += report_enters(o, arm, ENTERS_EMBEDDING) && plan_scheme(plan, arm)->params;
    if (learned == 0 || plan->base.context < WAVE_LEAST) return true;
    page_paragraph(page,
                   "Tables that are added to embeddings. Effective rank: how many directions they use (exp of the "
                   "entropy of the variances). Invariance: the share of the variance of P[p].P[q] that p - q explains. "
                   "Residual: what the best linear map from the code at p to that at p+%d leaves; a rotation, such as "
                   "sinusoidal's, leaves 0, and the more columns a table has beside its rows, the less is left of any: "
                   "random numbers say how much.",
                   CODE_SHIFT);
    page_table(page, "what the tables are like");
    page_row(page, true, "scheme|effective rank|directions for 90%%|for 99%%|invariance|residual");
    for (int arm = 0; ok && arm < plan->arm_count; arm++) {
        Run run;
        if (!report_enters(o, arm, ENTERS_EMBEDDING)) continue;
        if (!(ok = report_open_run(&run, o, arm, error))) break;
        LearnedTable *table = &tables[count++];
        T = run.gpt.shape.context;
        C = run.gpt.shape.width;
        table->name = plan->arms[arm].name;
        table->codes = malloc((size_t)T * (size_t)C * sizeof *table->codes);
        ok = (table->codes || fail_run(error, "no memory for %d codes", T)) &&
             scheme_codes(table->codes, &run.gpt, error) && table_rows(page, table, &run, error);
        run_close(&run);
    }
    ok = ok && noise_row(page, T, C, error);
    page_table_end(page);
    if (ok) peaks_table(page, tables, count);
    ok = ok && learned_residuals(page, o, error) && power_chart(page, tables, count, T, error);
    for (int i = 0; i < count; i++) {
        ok = ok && similarity_matrix(page, &tables[i], T, C, error);
        free(tables[i].codes);
        free(tables[i].power);
    }
    return ok;
}

// Names the schemes whose weights are missing.
static void missing_paragraph(Page *page, const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    Text list = {0};
    for (int arm = 0; arm < plan->arm_count; arm++)
        if (!report_has_weights(o, arm)) text_print(&list, "%s%s", list.size ? ", " : "", plan->arms[arm].name);
    if (list.size > 0)
        page_paragraph(page,
                       "Left out, here and below, for want of weights (a run diverged, or its model.safetensors "
                       "was removed): %.*s.",
                       (int)list.size, list.bytes);
    text_free(&list);
}

bool report_learned(Page *page, const Outcome *o, Error *error) {
    page_heading(page, "What was learned");
    missing_paragraph(page, o);
    return tables_section(page, o, error);
}
