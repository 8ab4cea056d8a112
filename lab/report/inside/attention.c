// Where attention goes, by distance.
#include "data/corpus.h"
#include "lab/eval/attended.h"
#include "lab/report/inside/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void heads_rows(Page *page, const char *name, const Attended *a) {
    for (int l = 0; l < a->layers; l++)
        for (int h = 0; h < a->heads; h++) {
            const size_t at = (size_t)l * (size_t)a->heads + (size_t)h;
            page_row(page, false, "%s|%d|%d|%.1f|%.1f|%.1f%%", name, l, h, a->distance[at], exp(a->entropy[at]),
                     100 * a->first[at]);
        }
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

static bool attended_chart(Page *page, const char *name, const Attended *a, const Attended *uniform, Error *error) {
    Chart chart = {.x_label = "tokens back, plus 1", .y_label = "mean probability", .log_x = true, .log_y = true};
    for (int i = 0; i < a->layers * a->heads && i < LINES_MOST - 1; i++) {
        chart_line(&chart, "layer %d, head %d", i / a->heads, i % a->heads);
        octaves(&chart, a->by_distance + (size_t)i * (size_t)a->T, a->T);
    }
    chart_line(&chart, "all keys alike");
    octaves(&chart, uniform->by_distance, a->T);
    return page_chart(page, &chart, error, "Attention by distance: %s", name);
}

static bool measure_arm(Attended *a, const Facts *facts, int arm, const int *ids, int T, Error *error) {
    Run run;
    if (!report_open_run(&run, facts, arm, error)) return false;
    const bool ok = attended_measure(a, &run.gpt, ids, WINDOWS, T, error);
    run_close(&run);
    return ok;
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

static void begin_table(Page *page, const char *whose) {
    page_paragraph(page,
                   "%s, on %d windows of validation text. Distance: the mean number of tokens back. Keys: how many a "
                   "query attends to (exp of the entropy). First: the share of attention on the window's first token, "
                   "where heads attend when they find nothing.",
                   whose, WINDOWS);
    page_table(page, "heads");
    page_row(page, true, "scheme|layer|head|distance|keys|first");
}

bool report_attention(Page *page, const Facts *facts, Error *error) {
    const Plan *plan = facts->plan;
    const Setting *setting = &plan->settings[report_setting(facts)];
    const int T = (int)setting->context;
    Attended attended[ARMS_MOST] = {{0}}, uniform = {0};
    int models = 0;
    for (int arm = 0; arm < plan->arm_count; arm++) models += report_has_weights(facts, arm);
    int *ids = NULL;
    if (models > 0 && !windows_or_why(&ids, page, plan->texts[setting->text].data, T, error)) return false;
    if (!ids) return true;
    char whose[SETTING_WORDS + 64];
    snprintf(whose, sizeof whose, "Models of the first seed%s", facts->at[report_setting(facts)]);
    begin_table(page, whose);
    bool ok = attended_uniform(&uniform, T, error);
    for (int arm = 0; ok && arm < plan->arm_count; arm++) {
        if (report_has_weights(facts, arm)) ok = measure_arm(&attended[arm], facts, arm, ids, T, error);
        if (ok) heads_rows(page, plan->arms[arm].name, &attended[arm]);
    }
    page_table_end(page);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        if (ok && attended[arm].layers > 0)
            ok = attended_chart(page, plan->arms[arm].name, &attended[arm], &uniform, error);
        attended_free(&attended[arm]);
    }
    attended_free(&uniform);
    free(ids);
    return ok;
}

bool report_run_attention(Page *page, const Run *run, Error *error) {
    const int T = run->gpt.shape.context;
    Attended attended = {0}, uniform = {0};
    int *ids;
    if (!windows_or_why(&ids, page, run->options.data, T, error)) return false;
    if (!ids) return true;
    char names[TEXT_CAPACITY];
    mix_names(&run->gpt.pos, ", ", " and ", names);
    bool ok = attended_uniform(&uniform, T, error) && attended_measure(&attended, &run->gpt, ids, WINDOWS, T, error);
    if (ok) {
        begin_table(page, "The model");
        heads_rows(page, names, &attended);
        page_table_end(page);
        ok = attended_chart(page, names, &attended, &uniform, error);
    }
    attended_free(&attended);
    attended_free(&uniform);
    free(ids);
    return ok;
}
