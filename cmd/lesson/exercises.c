#include "cmd/lesson/exercises.h"

#include "base/file/text.h"
#include "base/interrupt.h"
#include "cmd/shared/output.h"

#include <stdio.h>
#include <string.h>

static bool write_file(const char *directory, const EmbeddedFile *file, Error *error) {
    char path[PATH_CAPACITY];
    AtomicFile out;
    if (!path_format(path, error, "%s/%s", directory, file->name) || !atomic_open(&out, path, error)) return false;
    for (const char *const *line = file->lines; *line; line++)
        if (!atomic_write(&out, *line, strlen(*line), error) || !atomic_write(&out, "\n", 1, error)) return false;
    return atomic_commit(&out, error);
}

static void print_next(const char *path) {
    char quoted[QUOTED_CAPACITY];
    printf("wrote   %s: seven exercises in C, and a checker\n", path);
    printf("next    cd %s && make\n", shell_quoted(quoted, path));
    printf("        then replace FILL_IN in 1_turn.c, and run make again\n");
}

bool lesson_exercises(const char *dir, Error *error) {
    Output output;
    interrupt_catch(); // the files are written within an instant, which no signal then cuts short
    bool ok = output_place(&output, "DIR", dir, error) && output_create(&output, error);
    for (const EmbeddedFile *file = exercise_files; ok && file->name; file++)
        ok = write_file(output.temporary, file, error);
    ok = ok && output_complete(&output, error);
    if (ok)
        print_next(output.path);
    else
        output_discard(&output);
    return ok;
}
