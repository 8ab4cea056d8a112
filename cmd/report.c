#include "lab/report/report.h"

#include "cmd/shared/arguments.h"
#include "cmd/commands.h"

bool command_report(int argc, char **argv, Error *error) {
    static const Option no_options[] = {{0}};
    static const Usage usage = {"report",
                                "Write the tables, plots and pages of a comparison again, from the files of its runs; "
                                "or a page about a single run: its losses, and the numbers that its position scheme "
                                "has trained.",
                                "DIR", no_options, "  bitter report runs/compare\n  bitter report runs/rope-learned\n"};
    static Comparison comparison;
    char nothing;
    const char *directory = argv[arguments_parse(&nothing, NULL, &usage, argc, argv)];
    if (!comparison_paths(&comparison, directory, error)) return false;
    if (!path_exists(comparison.file)) {
        char config[PATH_CAPACITY];
        if (!path_format(config, error, "%s/config.json", directory)) return false;
        if (path_exists(config)) return report_run(directory, stdout, error);
        return fail_input(error,
                          "%s holds no comparison (there is no compare.json) and no run (config.json); name a "
                          "directory of `bitter compare` or `bitter train`",
                          directory);
    }
    comparison.patience = 120;
    return plan_read(&comparison.plan, &comparison.data, comparison.file, error) && report(&comparison, stdout, error);
}
