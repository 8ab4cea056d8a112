// The page about a single run: its losses, a sample, the numbers that its position scheme has trained, and attention.
#include "lab/report/report.h"

#include "lab/eval/generate.h"
#include "lab/eval/ngram.h"
#include "lab/report/sections.h"
#include "train/config.h"
#include "train/run.h"
#include "train/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int count_until(const char *text, char what, char end) {
    int count = 0;
    for (; *text && *text != end; text++) count += *text == what;
    return count;
}

// Lines of log.csv: the losses of all steps, thinned out, and those of the validation text, with a ring around the
// lowest. Returns the last step.
static double add_losses(Chart *chart, const char *text) {
    int number = 0;
    double lowest = INFINITY, step = 0;
    LogRow row;
    const int rows = count_until(text, '\n', 0);
    chart_line(chart, "training batch");
    chart_style(chart, 7, 0);
    for (const char *at = text; log_next(&row, &at); step = row.step)
        if (number++ % (1 + rows / POINTS_MOST) == 0) chart_point(chart, row.step, row.loss);
    chart_line(chart, "validation data");
    chart_style(chart, 0, 0);
    while (log_next(&row, &text)) {
        if (isnan(row.validation)) continue;
        chart_point(chart, row.step, row.validation);
        if (row.validation < lowest) chart_ring(chart);
        lowest = fmin(lowest, row.validation);
    }
    return step;
}

// The mean y of the points of a line after `from`, up to `to`; NAN without any.
static double mean_between(const Line *line, double from, double to) {
    double sum = 0, count = 0;
    for (const Point *point = line->points; point < line->points + line->count; point++) {
        sum += point->x > from && point->x <= to ? point->y : 0;
        count += point->x > from && point->x <= to;
    }
    return sum / count;
}

static bool loss_chart(Page *page, const RunPaths *paths, long long steps, Error *error) {
    Chart chart = {.x_label = "step", .y_label = "loss in nats a token"};
    Buffer file;
    char label[64], quoted[QUOTED_CAPACITY];
    if (path_missing(paths->log)) return true;
    if (!file_read(&file, paths->log, error)) return false;
    if (strncmp((const char *)file.bytes, "step,", 5) != 0) {
        free(file.bytes);
        return fail_damaged(error, paths->log, "it does not begin with the names of its columns");
    }
    const double step = add_losses(&chart, (const char *)file.bytes);
    if (step < (double)steps)
        fprintf(page->tell, "the log has %.0f of %lld steps%s; to go on: %s train --resume %s\n", step, steps,
                path_missing(paths->model) && path_missing(paths->best) ? ", and no weights are saved yet" : "",
                called_as, shell_quoted(quoted, paths->directory));
    free(file.bytes);
    if (!chart.failed && chart.lines[1].count > 0) {
        const Line *training = &chart.lines[0], *line = &chart.lines[1];
        const Point *last = &line->points[line->count - 1],
                    *best = line->ringed < 0 ? last : &line->points[line->ringed];
        // A rise is overfitting only if the training loss falls meanwhile.
        const bool kept = !path_missing(paths->best),
                   overfits = last->y > STALE_RISE * best->y &&
                              mean_between(training, best->x, last->x) < mean_between(training, best->x / 2, best->x);
        snprintf(label, sizeof label, "lowest: %.4f, step %.0f", best->y, best->x);
        chart.mark = best->x;
        chart.mark_label = label;
        page_lead(page, "After step %.0f, the loss on validation data is %.4f nats a token (perplexity %.4g).", last->x,
                  last->y, exp(last->y));
        if (best != last)
            page_lead(page, "%s %.0f: the lowest loss on validation data is %.4f%s%s%s.",
                      overfits ? "Overfitting after step" : "Best step", best->x, best->y, kept ? ", which " : "",
                      kept ? paths->directory : "", kept ? RUN_BEST " has" : "");
    }
    return page_chart(page, &chart, error, "Loss");
}

// Lines of positions.csv, thinned out: as many as can be told apart, each with as many points as can be seen.
static bool add_positions(Chart *chart, const char *text, const char *path, Error *error) {
    const int columns = count_until(text, ',', '\n'), rows = count_until(text, '\n', 0) - 1;
    if (strncmp(text, "step,", 5) != 0 || rows < 0 || columns > POSITIONS_COLUMNS)
        return fail_input(error, "%s, line 1: expected step and the names of at most %d numbers", path,
                          POSITIONS_COLUMNS);
    const int every_line = 1 + (columns - 1) / (HUES * DASHES), every_row = 1 + (rows - 1) / POINTS_MOST;
    const char *name = text;
    for (int c = 1; c <= columns; c++) {
        name += strcspn(name, ",\n") + 1;
        if ((c - 1) % every_line != 0) continue;
        chart_line(chart, "%.*s", (int)strcspn(name, ",\n"), name);
        const char *row = text;
        double first = 0;
        for (int r = 0; r < rows; r++) { // an incomplete last row was being written
            row = strchr(row, '\n') + 1;
            const double step = log_number(row, 0), number = log_number(row, c);
            if (!isfinite(step) || !isfinite(number) || count_until(row, ',', '\n') != columns)
                return fail_input(error,
                                  "%s, line %d: expected a step and %d finite numbers, separated by commas; remove the "
                                  "line, or move the file away",
                                  path, r + 2, columns);
            if (r == 0) first = number;
            if (r % every_row == 0 || r == rows - 1) chart_point(chart, step, number - first);
        }
    }
    return true;
}

static bool position_chart(Page *page, const RunPaths *paths, Error *error) {
    Chart chart = {.x_label = "step", .y_label = "change since the first row"};
    Buffer file;
    if (path_missing(paths->positions)) return true;
    if (!file_read(&file, paths->positions, error)) return false;
    const bool read = add_positions(&chart, (const char *)file.bytes, paths->positions, error);
    free(file.bytes);
    if (!read) {
        chart_free(&chart);
        return false;
    }
    page_heading(page, "What the position scheme has learned");
    page_paragraph(page,
                   "Each line is a trained number of the scheme: tensor, row, column. The numbers themselves are in "
                   "positions.csv.");
    return page_chart(page, &chart, error, "Trained numbers of the position scheme, as changes");
}

// A sample of the model's text, unedited.
static bool sample(Page *page, const Run *run, const char *weights, Error *error) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return fail_run(error, "no memory for a sample");
    Generation generation = generation_usual("", 400, run->gpt.shape.context, 1337);
    bool ok = generate(out, &run->gpt, &run->tokenizer, &generation, error);
    const bool closed = fclose(out) == 0 && text; // glibc does not report when memory for the text ran out
    if (!closed && ok) ok = fail_run(error, "no memory for a sample");
    if (ok) {
        page_heading(page, "A sample");
        page_paragraph(page, "%d tokens at temperature %g, from %s:", generation.tokens,
                       generation.sampling.temperature, weights);
        page_code(page, text);
    }
    free(text);
    return ok;
}

// The parts that need the trained model, with its best weights if they were kept; a run without weights has none.
static bool model_parts(Page *page, const RunPaths *paths, Error *error) {
    const bool best = paths->is_best || !path_missing(paths->best);
    char name[PATH_CAPACITY], names[TEXT_CAPACITY];
    Run run;
    if (!best && path_missing(paths->model)) return true;
    if (!path_format(name, error, "%s%s", paths->directory, best ? RUN_BEST : "") || !run_open(&run, name, "", error))
        return false;
    bool ok = sample(page, &run, best ? "the best weights" : "the last weights", error);
    page_heading(page, best ? "What heads attend to, with the best weights" : "What heads attend to");
    mix_names(&run.gpt.pos, ", ", " and ", names);
    ok = ok && report_heads(page, names, &run, error);
    run_close(&run);
    return ok;
}

// Perplexities to compare the run's with, if its text still exists.
static void yardstick(Page *page, const TrainOptions *options) {
    Corpus corpus = {0};
    Error ignored;
    double unigram, bigram;
    const long long limit = ngram_limit(options->eval_tokens, options->context);
    if (corpus_open(&corpus, options->data, &ignored) && !is_task(&corpus.builtin) &&
        ngram_losses(&unigram, &bigram, &corpus, limit, &ignored)) {
        text_print(&page->text, "Perplexity of a model that knows only how often each token occurs (unigram): %.2f",
                   exp(unigram));
        if (!isnan(bigram)) text_print(&page->text, "; that also knows the token before (bigram): %.2f", exp(bigram));
        page_lead(page, ".");
    }
    corpus_close(&corpus);
}

bool report_run(const char *name, FILE *out, Error *error) {
    RunPaths paths;
    TrainOptions options;
    Mix mix;
    int vocab;
    char title[TEXT_CAPACITY + 64], names[TEXT_CAPACITY];
    Page page;
    if (!run_paths(&paths, name, error) || !run_exists(&paths, error) ||
        !config_read(paths.config, &options, &vocab, error) || !report_check(paths.directory, false, error) ||
        !mix_parse(&mix, options.pos, error))
        return false;
    mix_names(&mix, ", ", " and ", names);
    snprintf(title, sizeof title, "A run with %s%s", names, paths.is_best ? ", with its best weights" : "");
    if (!page_open(&page, paths.directory, "report", title, false, error)) return false;
    page.tell = out;
    if (*options.window) page_paragraph(&page, "Windows of attention, in keys: %s.", options.window);
    if (options.scale_logits)
        page_paragraph(&page, "Attention scores are multiplied by s log n, with n the keys that a query sees.");
    page_paragraph(&page, "Positions: %s. Text: %s. Layers %lld, heads %lld, width %lld, context %lld, steps %lld.",
                   options.pos, options.data, options.layers, options.heads, options.width, options.context,
                   options.steps);
    if (options.stretch.original > 0) {
        char method[TEXT_CAPACITY];
        choice_word(METHOD_NAMES, options.stretch.method, method);
        page_paragraph(&page,
                       "The rotations are stretched %g times by %s, from a trained context of %d. The run itself %s.",
                       options.stretch.factor, method, options.stretch.original,
                       path_missing(paths.log) ? "was not trained with the longer one: its weights are unchanged"
                                               : "was trained with the longer one");
    }
    if (!path_missing(paths.log)) yardstick(&page, &options);
    const bool ok = loss_chart(&page, &paths, options.steps, error) && position_chart(&page, &paths, error) &&
                    model_parts(&page, &paths, error) && page_close(&page, error);
    page_abandon(&page); // harmless after page_close
    if (ok) fprintf(out, "report   %s/report.html, report.md\n", paths.directory);
    return ok;
}
