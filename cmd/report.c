#include "lab/report/report.h"

#include "cmd/shared/arguments.h"
#include "cmd/commands.h"

bool command_report(int argc, char **argv, Error *error) {
    static const Option no_options[] = {{0}};
    static const Usage usage = {"report",
                                "Write the tables, plots and pages of a comparison again, from the files of its runs.",
                                "DIR", no_options, "  bitter report runs/compare\n"};
    static Comparison comparison;
    char nothing;
    const char *directory = argv[arguments_parse(&nothing, NULL, &usage, argc, argv)];
    if (!comparison_paths(&comparison, directory, error)) return false;
    if (!path_exists(comparison.file))
        return fail_input(error,
                          "%s holds no comparison (there is no compare.json); name a directory of `bitter compare`",
                          directory);
    comparison.patience = 120;
    return plan_read(&comparison.plan, &comparison.data, comparison.file, error) && report(&comparison, stdout, error);
}
