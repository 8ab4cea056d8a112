#include "lab/report/report.h"

#include "cmd/shared/arguments.h"
#include "cmd/commands.h"

int command_report(int argc, char **argv) {
    static const Option no_options[] = {{0}};
    static const Usage usage = {"report",
                                "Write the tables, plots and pages of a comparison again, from the files of its runs.",
                                "DIR", no_options, "  bitter report runs/compare\n"};
    static Comparison comparison;
    Error error;
    char nothing;
    const int first = arguments_parse(&nothing, NULL, &usage, argc, argv);
    const char *directory = arguments_single(&usage, first, argc, argv);
    if (!comparison_paths(&comparison, directory, &error)) die("report", &error);
    if (!path_exists(comparison.file)) {
        fail_input(&error, "%s holds no comparison (there is no compare.json); name a directory of `bitter compare`",
                   directory);
        die("report", &error);
    }
    Claim claim; // of several that are written at once, one is after the other
    comparison.patience = 120;
    if (!plan_read(&comparison.plan, &comparison.data, comparison.file, &error) ||
        !comparison_claim(&claim, &comparison, "report", &error))
        die("report", &error);
    const bool ok = report(&comparison, stdout, &error);
    claim_release(&claim);
    if (!ok) die("report", &error);
    return 0;
}
