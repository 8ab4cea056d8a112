#include "data/made/builtin.h"

#include "base/memory.h"
#include "data/made/task.h"

#include <stdio.h>
#include <string.h>

static const Option text_options[] = {
    BUILTIN_ROW(bytes, "1e7", 1000, 1e12, "size of the corpus"),
    BUILTIN_ROW(seed, "1337", 0, 1e15, "random seed of the corpus"),
    {.name = NULL},
};

const Builtin *const builtins[] = {&builtin_tales,
                                   &builtin_passkey,
                                   &builtin_copy,
                                   &builtin_reverse,
                                   &builtin_addition,
                                   &builtin_sort,
                                   &builtin_parity,
                                   &builtin_recall,
                                   &builtin_offset,
                                   &builtin_duplicate,
                                   &builtin_flipflop,
                                   &builtin_grid,
                                   NULL};

enum {
    BUILTINS_MOST = 64,
    MEMORY_PER_BYTE = 5, // of text: itself and its allocations, a token of two bytes, and a copy of that
};

bool is_builtin(const char *name) {
    return strncmp(name, BUILTIN_PREFIX, strlen(BUILTIN_PREFIX)) == 0;
}

static const Builtin *builtin_find(const char *name, Error *error) {
    const char *names[BUILTINS_MOST];
    int count = 0;
    for (const Builtin *const *entry = builtins; *entry && count < BUILTINS_MOST; entry++) {
        if (strcmp((*entry)->name, name) == 0) return *entry;
        names[count++] = (*entry)->name;
    }
    const char *nearest = nearest_name(name, names, count);
    fail_input(error, "builtin:%s: no such corpus; did you mean builtin:%s?", name, nearest ? nearest : names[0]);
    return NULL;
}

static bool check_memory(const BuiltinCorpus *corpus, const char *specification, Error *error) {
    const double needed = (double)corpus->bytes * MEMORY_PER_BYTE;
    if (needed <= (double)memory_available()) return true;
    char what[TEXT_CAPACITY];
    snprintf(what, sizeof what, "builtin:%s: its text and tokens", specification);
    return fail_too_large(needed, what, "ask for less with bytes=N", error);
}

// Does the corpus have documents of all lengths that it was asked for?
static bool check_lengths(const BuiltinCorpus *corpus, const char *specification, Error *error) {
    if (!corpus->builtin->counts) return true;
    if (corpus->min > corpus->max)
        return fail_input(error, "builtin:%s: min=%lld is above max=%lld; lengths are drawn from min to max",
                          specification, corpus->min, corpus->max);
    const Builtin *builtin = corpus->builtin;
    const long long ends[] = {corpus->min, corpus->max};
    for (int i = 0; builtin->check && i < 2; i++) {
        const char *objection = builtin->check(corpus, (int)ends[i]);
        if (objection)
            return fail_input(error, "builtin:%s: there is no exercise of %lld %s: %s", specification, ends[i],
                              builtin->counts, objection);
    }
    return true;
}

bool builtin_choose(BuiltinCorpus *corpus, const char *specification, Error *error) {
    char name[TEXT_CAPACITY], owner[TEXT_CAPACITY + 8] = BUILTIN_PREFIX;
    if (is_builtin(specification)) specification += strlen(BUILTIN_PREFIX);
    const size_t length = strcspn(specification, ":");
    if (length >= sizeof name)
        return fail_input(error, "builtin:%.40s...: the name of a corpus is shorter than %zu characters", specification,
                          sizeof name);
    memcpy(name, specification, length);
    name[length] = '\0';
    const Builtin *builtin = builtin_find(name, error);
    if (!builtin) return false;
    const Option *options = builtin->options ? builtin->options : text_options;
    *corpus = (BuiltinCorpus){.builtin = builtin};
    options_default(corpus, options);
    const char *list = specification[length] == ':' ? specification + length + 1 : "";
    return options_parse_list(corpus, options, list, strcat(owner, name), error) &&
           check_lengths(corpus, specification, error) && check_memory(corpus, specification, error);
}

void builtin_document(Text *text, const BuiltinCorpus *corpus, uint64_t index) {
    if (!is_task(corpus)) {
        corpus->builtin->document(text, corpus, index);
        return;
    }
    Exercise exercise = {0};
    const uint64_t stream = task_stream(corpus, "text");
    task_write(&exercise, corpus, stream, index, task_length(corpus, stream, index));
    if (exercise.text.failed || exercise.asked.failed) text->failed = true;
    text_add(text, exercise.text.bytes, exercise.text.size);
    exercise_free(&exercise);
}
