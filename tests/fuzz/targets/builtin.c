// The names of built-in corpora: "builtin:NAME:key=value,...".
#include "data/made/builtin.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static void check_row(const BuiltinCorpus *task, int length) {
    Exercise exercise = {0};
    const int most = task_tokens(task, length);
    int *ids = malloc(2 * (size_t)most * sizeof *ids);
    bool *scored = malloc((size_t)most * sizeof *scored);
    assert(ids && scored);
    task_write(&exercise, task, task_stream(task, "test"), 3, length);
    assert(!exercise.text.failed && exercise.text.size < (size_t)most && exercise.asked.size == exercise.text.size);
    assert(exercise_row(ids, ids + most, scored, &exercise, 256) <= most);
    exercise_free(&exercise);
    free(ids);
    free(scored);
}

enum { TOKENS_MOST = 100000 }; // a grid of 10,000 cells a side may be asked for, and takes its time

bool fuzz_builtin(const uint8_t *bytes, size_t size) {
    char name[TEXT_CAPACITY];
    BuiltinCorpus corpus;
    Text text = {0};
    Error error;
    if (!builtin_choose(&corpus, fuzz_word(name, sizeof name, &bytes, &size), &error))
        return error.kind != ERROR_RUN && fuzz_taken(false, &error); // more text than the memory holds is no bad input
    if (is_task(&corpus) && task_tokens(&corpus, (int)corpus.max) > TOKENS_MOST) return true;
    for (uint64_t index = 0; index < 3; index++) builtin_document(&text, &corpus, index);
    assert(!text.failed && text.size > 0);
    text_free(&text);
    if (is_task(&corpus)) {
        check_row(&corpus, (int)corpus.min);
        check_row(&corpus, (int)corpus.max);
    }
    return true;
}
