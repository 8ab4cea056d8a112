// `bitter` alone: what to do next with what is in this directory.
#include "base/utf8.h"
#include "cmd/commands.h"
#include "cmd/shared/arguments.h"
#include "cmd/train.h"
#include "lab/compare/work.h"
#include "train/config.h"

#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>

#define LEARNED 0.95 // a run whose last loss is above this share of the loss of guessing has hardly learned anything

RunState run_state(long long *done, long long *steps, const char *directory) {
    RunPaths paths;
    TrainOptions options;
    LogLosses losses;
    Error ignored;
    int V;
    if (!run_paths(&paths, directory, &ignored) || !config_read(paths.config, &options, &V, &ignored)) return 0;
    log_losses(&losses, paths.log, &ignored); // 0 rows of a run that was imported, or that was killed early
    *done = losses.rows;
    *steps = options.steps;
    const bool stopped = options.patience > 0 && losses.stale >= options.patience;
    if (!stopped && *done < *steps && (path_exists(paths.state) || path_missing(paths.model)))
        return losses.last < log(V) / LEARNED ? RUN_UNFINISHED : RUN_POOR;
    return losses.last < log(V) * LEARNED && !losses.unlearned && path_exists(paths.model) ? RUN_FINISHED : RUN_POOR;
}

bool newest(char path[PATH_CAPACITY], const char *pattern, const char *file, RunState state) {
    glob_t found = {0};
    long long done, steps;
    time_t latest = 0;
    glob(pattern, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char whole[PATH_CAPACITY];
        struct stat status;
        snprintf(whole, sizeof whole, "%s%s", found.gl_pathv[i], file);
        if (!is_plain(whole) || stat(whole, &status) != 0 || status.st_mtime <= latest) continue;
        if (state && run_state(&done, &steps, found.gl_pathv[i]) != state) continue;
        latest = status.st_mtime;
        snprintf(path, PATH_CAPACITY, "%s", found.gl_pathv[i]);
    }
    globfree(&found);
    return latest > 0;
}

static void print_next(const char *command, const char *name, const char *remark) {
    char quoted[QUOTED_CAPACITY], line[2 * QUOTED_CAPACITY];
    snprintf(line, sizeof line, "%s %s%s", called_as, command, *name ? shell_quoted(quoted, name) : "");
    printf("  %-36s  # %s\n", line, remark);
}

static void next_of_comparison(const char *directory) {
    static Comparison c;
    json_t *data;
    Error ignored;
    if (!comparison_paths(&c, directory, &ignored) || !plan_read(&c.plan, &data, c.file, &ignored)) return;
    json_decref(data);
    if (comparison_seeds(&c) == c.plan.seeds)
        print_next("report ", directory, "see what the comparison has found");
    else
        print_next(c.plan.command + sizeof "bitter", "", "continue the comparison");
}

void print_next_steps(void) {
    char path[PATH_CAPACITY];
    printf("Next, in this directory:\n");
    if (newest(path, "runs/*", "/compare.json", 0)) next_of_comparison(path);
    if (newest(path, "runs/*", "/config.json", RUN_UNFINISHED)) print_next("train --resume ", path, "continue the run");
    if (newest(path, "runs/*", "/config.json", RUN_FINISHED)) {
        print_next("sample ", path, "see what the model writes");
        print_next("report ", path, "see how the training went");
    }
    if (newest(path, "runs/data/*", "/tokenizer.json", 0)) print_next("train --data ", path, "train on prepared text");
    if (newest(path, "[!-]*.txt", "", 0) || newest(path, "[!-]*.txt.gz", "", 0))
        print_next("train ", path, "train on this text");
    else
        print_next("train book.txt", "", "train on a text of your own; without one, on generated stories");
}
