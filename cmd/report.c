#include "lab/report/report.h"

#include "cmd/commands.h"
#include "cmd/shared/arguments.h"
#include "train/run.h"

static const Option report_options[] = {{0}};

static const Usage usage = {
    "report",
    "Write the tables, plots and pages of a comparison again, from the files of its runs; or a page about a single "
    "run: its losses, the numbers that its position scheme has trained, what its heads attend to, and a sample.",
    "DIR", report_options, "  bitter report runs/compare\n  bitter report runs/rope-learned\n"};

bool command_report(int argc, char **argv, Error *error) {
    static Comparison comparison;
    const char *directory = argv[arguments_parse(NULL, NULL, &usage, argc, argv)];
    if (!comparison_paths(&comparison, directory, error)) return false;
    if (path_missing(comparison.file)) {
        RunPaths run;
        if (!run_paths(&run, directory, error)) return false;
        if (!path_is_directory(directory) || !path_missing(run.config)) return report_run(directory, stdout, error);
        return fail_input(error,
                          "%s holds no comparison (there is no compare.json) and no run (config.json); name a "
                          "directory of `bitter compare` or `bitter train`",
                          directory);
    }
    return report(directory, stdout, error);
}
