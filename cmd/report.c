#include "lab/report/report.h"

#include "cmd/commands.h"
#include "cmd/shared/arguments.h"
#include "train/run.h"

#include <stddef.h>
#include <string.h>

typedef struct {
    char y_label[TEXT_CAPACITY];
    bool log_x, log_y;
} ReportOptions;

#define FIELD(name) offsetof(ReportOptions, name)

static const Option report_options[] = {
    TEXT_ROW("y-label", FIELD(y_label), "", "TEXT", "of a table: what its numbers are, with their unit"),
    FLAG_ROW("log-x", FIELD(log_x), "of a table: a logarithmic axis of x"),
    FLAG_ROW("log-y", FIELD(log_y), "of a table: a logarithmic axis of y"),
    {0},
};

static const Usage usage = {
    "report",
    "Write the tables, plots and pages of a comparison again, from the files of its runs; or a page about a single "
    "run: "
    "its losses, the numbers that its position scheme has trained, what its heads attend to, and a sample. Of a table, "
    "FILE.csv with a line of names and a column of x, draw FILE.svg.",
    "DIR", report_options,
    "  bitter report runs/compare\n  bitter report runs/rope-learned\n  bitter report factors.csv --log-y\n"};

static bool plot(const char *table, const ReportOptions *options, Error *error) {
    char out[PATH_CAPACITY];
    if (!path_format(out, error, "%.*s.svg", (int)strlen(table) - 4, table) ||
        !table_plot(out, table, options->y_label, options->log_x, options->log_y, error))
        return false;
    printf("plot     %s\n", out);
    return true;
}

bool command_report(int argc, char **argv, Error *error) {
    static Comparison comparison;
    static ReportOptions options;
    bool given[sizeof report_options / sizeof *report_options];
    const char *directory = argv[arguments_parse(&options, given, &usage, argc, argv)];
    if (path_ends_with(directory, ".csv")) return plot(directory, &options, error);
    for (size_t i = 0; report_options[i].name; i++)
        if (given[i]) return fail_input(error, "--%s is for tables, FILE.csv", report_options[i].name);
    if (!comparison_paths(&comparison, directory, error)) return false;
    if (path_missing(comparison.file)) {
        RunPaths run;
        if (!run_paths(&run, directory, error)) return false;
        if (!path_missing(run.config)) return report_run(directory, stdout, error);
        return fail_input(error,
                          "%s holds no comparison (there is no compare.json) and no run (config.json); name a "
                          "directory of `bitter compare` or `bitter train`, or a table, FILE.csv",
                          directory);
    }
    return plan_read(&comparison.plan, &comparison.data, comparison.file, error) && report(&comparison, stdout, error);
}
