// The page about a single run: its losses, and the numbers that its position scheme has trained.
#include "lab/report/report.h"

#include "lab/report/page/page.h"
#include "lab/run/config.h"
#include "lab/run/positions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Points of log.csv: the losses of all steps, thinned out, or those of the validation text.
static void add_losses(Chart *chart, const char *text, bool validation) {
    int rows = 0;
    for (const char *at = text; *at; at++) rows += *at == '\n';
    const int every = validation ? 1 : 1 + rows / POINTS_MOST;
    int row = 0;
    for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
        double step, tokens, seconds, train, loss;
        const int found = sscanf(line + 1, "%lf,%lf,%lf,%lf,%lf", &step, &tokens, &seconds, &train, &loss);
        if (validation && found == 5) chart_point(chart, step, loss);
        if (!validation && found >= 4 && row++ % every == 0) chart_point(chart, step, train);
    }
}

static bool loss_chart(Page *page, const RunPaths *paths, Error *error) {
    Chart chart = {.x_label = "step", .y_label = "nats a token"};
    Buffer file;
    if (!path_exists(paths->log)) return true;
    if (!file_read(&file, paths->log, error)) return false;
    chart_line(&chart, "a batch of the training text");
    add_losses(&chart, (const char *)file.bytes, false);
    chart_line(&chart, "validation text");
    add_losses(&chart, (const char *)file.bytes, true);
    free(file.bytes);
    return page_chart(page, &chart, error, "Loss");
}

// At most as many lines as a chart takes, and as many points in each as can be seen.
static void add_positions(Chart *chart, const Positions *p) {
    const int every_line = 1 + (p->columns - 1) / LINES_MOST, every_row = 1 + (p->rows - 1) / POINTS_MOST;
    for (int c = 0; c < p->columns; c += every_line) {
        chart_line(chart, "%s", p->names[c]);
        for (int r = 0; r < p->rows; r++) {
            const double change = p->values[r * p->columns + c] - p->values[c];
            if (r % every_row == 0 || r == p->rows - 1) chart_point(chart, p->steps[r], change);
        }
    }
}

static bool position_chart(Page *page, const RunPaths *paths, Error *error) {
    Chart chart = {.x_label = "step", .y_label = "change since the first row"};
    Positions positions;
    if (!path_exists(paths->positions)) return true;
    if (!positions_read(&positions, paths->positions, error)) return false;
    page_heading(page, "What the position scheme has learned");
    page_paragraph(page,
                   "Each line is a trained number of the scheme: tensor, row, column. The numbers themselves are in "
                   "positions.csv.");
    add_positions(&chart, &positions);
    positions_free(&positions);
    return page_chart(page, &chart, error, "Trained numbers of the position scheme, as changes");
}

bool report_run(const char *directory, FILE *out, Error *error) {
    RunPaths paths;
    TrainOptions options;
    int vocab;
    char title[TEXT_CAPACITY + 32];
    Page page;
    if (!run_paths(&paths, directory, error) || !run_exists(&paths, directory, error) ||
        !config_read(paths.config, &options, &vocab, error))
        return false;
    snprintf(title, sizeof title, "A run with --pos %s", options.pos);
    if (!page_open(&page, directory, "report", title, error)) return false;
    if (!loss_chart(&page, &paths, error) || !position_chart(&page, &paths, error)) {
        page_abandon(&page);
        return false;
    }
    if (!page_close(&page, error)) return false;
    fprintf(out, "report   %s/report.html, report.md\n", directory);
    return true;
}
