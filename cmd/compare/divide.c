#include "cmd/compare/divide.h"

#include "base/utf8.h"
#include "cmd/shared/kernels.h"
#include "train/result.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHARE_CAPACITY = 48 };
enum { ARRAY_MOST = 1000 }; // tasks of a job, unless a cluster is configured for more or fewer (MaxArraySize)

extern char **environ;

void divide_words(Text *words, int argc, char **argv) {
    static const struct {
        const char *name;
        bool has_value;
    } left_out[] = {{"--list", false}, {"--slurm", false}, {"--share", true}, {"--sbatch", true}, {"--workers", true}};
    enum { ALL = sizeof left_out / sizeof *left_out };
    for (int i = 1; i < argc; i++) {
        const size_t length = strcspn(argv[i], "=");
        int n = 0;
        while (n < ALL && (strlen(left_out[n].name) != length || strncmp(left_out[n].name, argv[i], length) != 0)) n++;
        if (n == ALL) {
            text_print(words, " ");
            shell_word(words, argv[i]);
        } else if (left_out[n].has_value && argv[i][length] == '\0') {
            i++;
        }
    }
}

bool divide_share(Comparison *c, const char *text, Error *error) {
    char rest;
    if (strspn(text, "0123456789/") < strlen(text) || sscanf(text, "%9d/%9d%c", &c->share, &c->shares, &rest) != 2 ||
        c->share < 1 || c->share > c->shares)
        return fail_input(error, "--share %s: give I/N, such as 3/40, with I from 1 to N", text);
    c->share--;
    return true;
}

// The command for a share, which stands in front of the words, because "--" may end the options.
static void add_command(Text *text, const char *share, const Text *words) {
    char program[PATH_CAPACITY];
    program_find(program, "bitter");
    shell_word(text, program);
    text_print(text, " compare --share %s", share);
    text_add(text, words->bytes, words->size);
}

bool divide_list(const Comparison *c, const Text *words, Error *error) {
    const int count = plan_job_count(&c->plan);
    Text list = {0};
    for (int i = 0; i < count; i++) {
        char name[PATH_CAPACITY], share[SHARE_CAPACITY];
        const Job job = plan_job(&c->plan, i);
        if (job_done(c, &job)) continue;
        snprintf(share, sizeof share, "%d/%d", i + 1, count);
        add_command(&list, share, words);
        text_print(&list, " # %s\n", plan_job_name(name, &c->plan, &job));
    }
    const bool ok = (!words->failed && !list.failed) || fail_run(error, "no memory for a list of %d commands", count);
    if (ok && list.size > 0) fwrite(list.bytes, 1, list.size, stdout);
    text_free(&list);
    return ok;
}

static int task_count(const Comparison *c) {
    const int runs = plan_job_count(&c->plan);
    return runs < ARRAY_MOST ? runs : ARRAY_MOST;
}

// The numbers of the tasks that have something to do: "1-3,7".
static void add_array(Text *script, const Comparison *c, int tasks) {
    const char *separator = "";
    for (int task = 0; task < tasks; task++) {
        if (share_done(c, task, tasks)) continue;
        const int first = task;
        while (task + 1 < tasks && !share_done(c, task + 1, tasks)) task++;
        text_print(script, "%s%d", separator, first + 1);
        if (task > first) text_print(script, "-%d", task + 1);
        separator = ",";
    }
}

// A path in double quotes, as sbatch reads it; %% stands for a percent sign.
static void add_output(Text *script, const char *directory) {
    text_print(script, "\"");
    for (const char *c = directory; *c; c++) text_print(script, "%s%c", *c == '%' ? "%" : *c == '"' ? "\\" : "", *c);
    text_print(script, "/%%a.log\"");
}

static const char script_head[] = "#!/bin/sh\n# The runs of a comparison: ";

// What ends a line would begin a command of its own in a list or in the script.
static bool check_plain(const char *what, const char *path, Error *error) {
    return is_plain(path) ||
           fail_input(error, "%s %s: the path holds a newline or another control character; rename its directory", what,
                      path);
}

bool divide_check(char logs[PATH_CAPACITY], const Comparison *c, bool slurm, Error *error) {
    char program[PATH_CAPACITY], here[PATH_CAPACITY];
    const bool absolute = *c->directory == '/';
    program_find(program, "bitter");
    if (!check_plain("the program", program, error)) return false;
    if (!slurm) return true;
    if (!getcwd(here, sizeof here)) return fail_run(error, "the working directory has no path: %s", strerror(errno));
    if (!check_plain("the working directory", here, error) || !path_format(logs, error, "%s/slurm.sh", c->directory) ||
        !result_replaces("", logs, script_head, strlen(script_head), error) ||
        !path_format(logs, error, "%s%s%s/slurm", absolute ? "" : here, absolute ? "" : "/", c->directory))
        return false;
    return !strchr(logs, '\\') ||
           fail_input(error, "%s: Slurm writes to no path with a backslash; choose another --out", logs);
}

// Every word of the script is quoted for the shell that will read it.
static bool write_script(const char *path, const Comparison *c, const Text *words, const char *logs, int workers,
                         const char *options, Error *error) {
    const int tasks = task_count(c);
    char here[PATH_CAPACITY], share[SHARE_CAPACITY];
    Text script = {0};
    snprintf(share, sizeof share, "\"$SLURM_ARRAY_TASK_ID/%d\"", tasks);
    if (!getcwd(here, sizeof here)) return fail_run(error, "the working directory has no path: %s", strerror(errno));
    text_print(&script,
               "%s%d tasks for %d runs. `sbatch` submits this script.\n#SBATCH --job-name=bitter --requeue --array=",
               script_head, tasks, plan_job_count(&c->plan));
    add_array(&script, c, tasks);
    if (workers > 0) text_print(&script, "%%%d", workers);
    text_print(&script, "\n#SBATCH --cpus-per-task=%d --open-mode=append --output=", c->plan.threads);
    add_output(&script, logs);
    if (*options) text_print(&script, "\n#SBATCH %s", options);
    text_print(&script, "\ncd ");
    shell_word(&script, here);
    text_print(&script, " || exit\nexec ");
    add_command(&script, share, words);
    text_add(&script, "\n", 2); // with the 0 that ends it
    const bool ok = ((!words->failed && !script.failed) || fail_run(error, "no memory for %s", path)) &&
                    directory_create(logs, error) && atomic_text(path, script.bytes, error);
    text_free(&script);
    return ok;
}

bool divide_slurm(const Comparison *c, const Text *words, const char *logs, int workers, const char *options,
                  Error *error) {
    char path[PATH_CAPACITY], quoted[QUOTED_CAPACITY], sbatch[] = "sbatch", end[] = "--";
    char *const arguments[] = {sbatch, end, path, NULL};
    pid_t process;
    int status = 0;
    if (!path_format(path, error, "%s/slurm.sh", c->directory) ||
        !write_script(path, c, words, logs, workers, options, error))
        return false;
    printf(
        "slurm   %s trains %d runs in %d tasks, except those that are done; the last task writes the report; logs are "
        "in %s/slurm\n",
        path, plan_job_count(&c->plan), task_count(c), c->directory);
    fflush(stdout);
    const int trouble = posix_spawnp(&process, sbatch, NULL, NULL, arguments, environ);
    if (trouble && trouble != ENOENT) return fail_run(error, "cannot start sbatch: %s", strerror(trouble));
    while (!trouble && waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return fail_run(error, "cannot wait for sbatch: %s", strerror(errno));
    // POSIX allows either: posix_spawnp says that there is no sbatch, or the new process ends with 127.
    if (trouble || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
        printf("slurm   there is no sbatch here; where there is, in this directory: sbatch %s\n",
               shell_quoted(quoted, path));
        return true;
    }
    return status == 0 || fail_run(error, "sbatch did not take %s; no run was submitted", path);
}
