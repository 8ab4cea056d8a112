#include "cmd/compare/divide.h"

#include "base/utf8.h"
#include "cmd/shared/kernels.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { ARRAY_MOST = 1000 }; // tasks of a job, unless a cluster is configured for more or fewer (MaxArraySize)

void divide_words(Text *words, int argc, char **argv) {
    static const struct {
        const char *name;
        bool has_value;
    } left_out[] = {{"--list", false}, {"--slurm", false}, {"--share", true}, {"--workers", true}};
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

// Are the runs of share `share` of `shares` done?
static bool share_done(const Comparison *c, int share, int shares) {
    for (int i = share; i < plan_job_count(&c->plan); i += shares) {
        const Job job = plan_job(&c->plan, i);
        if (!job_done(c, &job)) return false;
    }
    return true;
}

// What ends a line would begin a command of its own in a list or in the script.
static bool check_plain(const char *what, const char *path, Error *error) {
    return is_plain(path) ||
           fail_input(error, "%s %s: the path holds a newline or another control character; rename its directory", what,
                      path);
}

// --share stands in front of the words, because "--" may end the options.
static void add_list(Text *list, const Comparison *c, const char *program, const Text *words) {
    const int runs = plan_job_count(&c->plan);
    for (int i = 0; i < runs; i++) {
        char name[PATH_CAPACITY];
        const Job job = plan_job(&c->plan, i);
        if (job_done(c, &job)) continue;
        shell_word(list, program);
        text_print(list, " compare --share %d/%d", i + 1, runs);
        text_add(list, words->bytes, words->size);
        text_print(list, " # %s\n", plan_job_name(name, &c->plan, &job));
    }
}

static bool add_script(Text *script, const Comparison *c, const char *program, const Text *words, const char *here,
                       int workers, Error *error) {
    const int runs = plan_job_count(&c->plan), tasks = runs < ARRAY_MOST ? runs : ARRAY_MOST;
    const char *separator = "#!/bin/sh\n#SBATCH --job-name=bitter --requeue --open-mode=append --array=";
    for (int task = 0; task < tasks; task++) {
        if (share_done(c, task, tasks)) continue;
        text_print(script, "%s%d", separator, task + 1);
        separator = ",";
    }
    if (script->size == 0)
        return fail_input(error, "all runs are done; `bitter report` writes the report of %s", c->directory);
    if (workers > 0) text_print(script, "%%%d", workers);
    text_print(script, "\n#SBATCH --cpus-per-task=%d\ncd ", c->plan.threads);
    shell_word(script, here);
    text_print(script, " || exit\nexec ");
    shell_word(script, program);
    text_print(script, " compare --share \"$SLURM_ARRAY_TASK_ID/%d\"", tasks);
    text_add(script, words->bytes, words->size);
    text_print(script, "\n");
    return true;
}

bool divide(const Comparison *c, const Text *words, bool slurm, int workers, Error *error) {
    char program[PATH_CAPACITY], here[PATH_CAPACITY];
    Text text = {0};
    program_find(program, "bitter");
    if (!check_plain("the program", program, error)) return false;
    if (!getcwd(here, sizeof here)) return fail_run(error, "the working directory has no path: %s", strerror(errno));
    if (slurm && !check_plain("the working directory", here, error)) return false;
    bool ok = !slurm || add_script(&text, c, program, words, here, workers, error);
    if (!slurm) add_list(&text, c, program, words);
    ok = ok && (!(words->failed || text.failed) || fail_run(error, "no memory for the commands of the runs"));
    if (ok && text.size > 0) fwrite(text.bytes, 1, text.size, stdout);
    text_free(&text);
    return ok;
}
