// `bitter` alone: what to do next with what is in this directory.
#include "base/utf8.h"
#include "cmd/commands.h"
#include "train/config.h"
#include "train/run.h"

#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>

// Of what matches the pattern, set `path` to that whose `file` ("/config.json") is the newest; "" = itself. False =
// none.
static bool newest(char path[PATH_CAPACITY], const char *pattern, const char *file) {
    glob_t found = {0};
    time_t latest = 0;
    glob(pattern, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char whole[PATH_CAPACITY];
        struct stat status;
        snprintf(whole, sizeof whole, "%s%s", found.gl_pathv[i], file);
        if (!is_plain(whole) || stat(whole, &status) != 0 || status.st_mtime <= latest) continue;
        latest = status.st_mtime;
        snprintf(path, PATH_CAPACITY, "%s", found.gl_pathv[i]);
    }
    globfree(&found);
    return latest > 0;
}

static void print_next(const char *command, const char *name, const char *remark) {
    char quoted[QUOTED_CAPACITY], line[2 * QUOTED_CAPACITY];
    snprintf(line, sizeof line, "%s%s", command, *name ? shell_quoted(quoted, name) : "");
    printf("  %-36s  # %s\n", line, remark);
}

static void next_of_run(const char *directory) {
    RunPaths paths;
    TrainOptions options;
    LogLosses log;
    int vocab_size;
    Error ignored;
    if (!run_paths(&paths, directory, &ignored) || !config_read(paths.config, &options, &vocab_size, &ignored)) return;
    if (path_exists(paths.state) && options.patience == 0 && log_losses(&log, paths.log, &ignored) &&
        log.rows < options.steps)
        print_next("bitter train --resume ", directory, "continue the run");
    if (path_missing(paths.model)) return;
    print_next("bitter sample ", directory, "see what the model writes");
    print_next("bitter report ", directory, "see how the training went");
}

void print_next_steps(void) {
    char path[PATH_CAPACITY];
    printf("Next, in this directory:\n");
    if (newest(path, "runs/*", "/compare.json"))
        print_next("bitter report ", path, "see what the comparison has found so far");
    if (newest(path, "runs/*", "/config.json")) next_of_run(path);
    if (newest(path, "runs/data/*", "/tokenizer.json"))
        print_next("bitter train --data ", path, "train on prepared text");
    if (newest(path, "[!-]*.txt", "") || newest(path, "[!-]*.txt.gz", ""))
        print_next("bitter train ", path, "train on this text");
    else
        print_next("bitter train book.txt", "", "train on a text of your own; without one, on generated stories");
}
