#include "data/made/builtin.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// --- corpora ---

enum {
    BUILTINS_MOST = 64,
    MEMORY_PER_BYTE = 5, // for each byte of text: the text, its allocations, and a two-byte token with room to grow
};

bool is_builtin(const char *name) {
    return strncmp(name, BUILTIN_PREFIX, strlen(BUILTIN_PREFIX)) == 0;
}

// Write the names "tales, copy, ...", or those of tasks only. Returns `list`.
static const char *builtin_list(char list[TEXT_CAPACITY], bool tasks) {
    *list = 0;
    for (const Builtin *b = builtins; b->name; b++)
        if (b->write || !tasks)
            snprintf(list + strlen(list), TEXT_CAPACITY - strlen(list), "%s%s", *list ? ", " : "", b->name);
    return list;
}

bool fail_no_task(const char *option, const char *name, Error *error) {
    char list[TEXT_CAPACITY];
    return fail_input(error, "%.200s is no task; give %s builtin:NAME (%s)", name, option, builtin_list(list, true));
}

static const Builtin *builtin_find(const char *name, Error *error) {
    const char *names[BUILTINS_MOST] = {0};
    char list[TEXT_CAPACITY];
    int count = 0;
    for (const Builtin *builtin = builtins; builtin->name && count < BUILTINS_MOST; builtin++) {
        if (strcmp(builtin->name, name) == 0) return builtin;
        names[count++] = builtin->name;
    }
    const char *nearest = nearest_name(name, names, count);
    if (nearest)
        fail_input(error, "builtin:%s: no such corpus; did you mean builtin:%s?", name, nearest);
    else
        fail_input(error, "builtin:%s: no such corpus; there are %s", name, builtin_list(list, false));
    return NULL;
}

// Does the corpus have documents of all requested lengths?
static bool check_lengths(const BuiltinCorpus *corpus, const char *specification, Error *error) {
    if (!corpus->builtin->counts) return true;
    if (corpus->min > corpus->max)
        return fail_input(error, "builtin:%s: min=%lld is above max=%lld; lengths are drawn from min to max",
                          specification, corpus->min, corpus->max);
    const long long ends[] = {corpus->min, corpus->max};
    for (int i = 0; i < 2; i++) {
        const char *objection = task_objection(corpus, (int)ends[i]);
        if (objection)
            return fail_input(error, "builtin:%s: there is no exercise of %lld %s: %s", specification, ends[i],
                              corpus->builtin->counts, objection);
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
    *corpus = (BuiltinCorpus){.builtin = builtin};
    options_default(corpus, builtin->options);
    const char *list = specification[length] == ':' ? specification + length + 1 : "";
    return options_parse_list(corpus, builtin->options, list, strcat(owner, name), error) &&
           check_lengths(corpus, specification, error);
}

bool builtin_check_unused(const BuiltinCorpus *corpus, const char *keys, const char *specification, const char *why,
                          Error *error) {
    BuiltinCorpus preset;
    char key[TEXT_CAPACITY], chosen[TEXT_CAPACITY], usual[TEXT_CAPACITY];
    options_default(&preset, corpus->builtin->options);
    while (list_word(key, &keys, ",")) {
        const Option *option = option_find(corpus->builtin->options, key);
        if (!option) continue;
        option_print(corpus, option, chosen);
        option_print(&preset, option, usual);
        if (strcmp(chosen, usual) != 0)
            return fail_input(error, "%s: %s=%s has no effect here, where %s; leave it out", specification, key, chosen,
                              why);
    }
    return true;
}

bool builtin_check_text(const BuiltinCorpus *corpus, const char *specification, Error *error) {
    return !corpus->builtin ||
           builtin_check_unused(corpus, "share", specification,
                                "bytes=N says how much there is (share=X is for `train --documents`)", error);
}

bool builtin_check_memory(const BuiltinCorpus *corpus, const char *specification, Error *error) {
    const double needed = (double)corpus->bytes * MEMORY_PER_BYTE;
    if (needed <= (double)memory_available()) return true;
    char what[TEXT_CAPACITY];
    snprintf(what, sizeof what, "%s: its text and tokens", specification);
    return fail_too_large(needed, what, "ask for less with bytes=N", error);
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

// --- exercises ---

void exercise_print(Exercise *exercise, bool asked, const char *format, ...) {
    const char flag = asked;
    va_list arguments;
    va_start(arguments, format);
    text_print_list(&exercise->text, format, arguments);
    va_end(arguments);
    while (exercise->asked.size < exercise->text.size && !exercise->asked.failed) text_add(&exercise->asked, &flag, 1);
}

uint64_t task_stream(const BuiltinCorpus *task, const char *purpose) {
    return random_bits(random_key((uint64_t)task->seed, task->builtin->name), random_key(0, purpose));
}

int task_length(const BuiltinCorpus *task, uint64_t stream, uint64_t index) {
    const int shortest = (int)task->min, longest = (int)task->max;
    return shortest + (int)(random_uniform(stream, index) * (longest - shortest + 1));
}

void task_write(Exercise *exercise, const BuiltinCorpus *task, uint64_t stream, uint64_t index, int length) {
    exercise->task = task;
    exercise->text.size = exercise->asked.size = 0;
    // The key differs from the one that draws the length, and every length has its own random numbers.
    const uint64_t key = random_bits(random_key(stream, "exercise"), index);
    task->builtin->write(exercise, length, random_bits(key, (uint64_t)length));
}

// Both `offset` and `questions` are 0 in tasks without the option.
const char *task_objection(const BuiltinCorpus *task, int length) {
    if (length < task->offset) return "a string must be at least as long as the offset";
    if (task->questions > 0 && length > task->keys)
        return "every pair has its own key, so there are at most as many pairs as keys";
    return NULL;
}

int task_tokens(const BuiltinCorpus *task, int length) {
    const Builtin *builtin = task->builtin;
    return 1 + (builtin->longest ? builtin->longest(task, length) : builtin->fixed + builtin->each * length);
}

int task_lengths(int *lengths, int most, int first, int last) {
    const int all = last - first + 1, count = all < most ? all : most;
    for (int i = 0; i < count; i++) lengths[i] = count > 1 ? first + i * (all - 1) / (count - 1) : first;
    return count;
}

bool exercise_create(Exercise *exercise, const BuiltinCorpus *task, int length, Error *error) {
    *exercise = (Exercise){0};
    const size_t size = (size_t)task_tokens(task, length); // in bytes: printing ends with a 0 byte
    if (text_reserve(&exercise->text, size) && text_reserve(&exercise->asked, size)) return true;
    exercise_free(exercise);
    return fail_run(error, "builtin:%s: no memory for an exercise of length %d", task->builtin->name, length);
}

void exercise_free(Exercise *exercise) {
    text_free(&exercise->text);
    text_free(&exercise->asked);
}

int exercise_row(int *inputs, int *targets, bool *scored, const Exercise *exercise, int end) {
    const int size = (int)exercise->text.size;
    inputs[0] = targets[size] = end;
    for (int i = 0; i < size; i++) {
        inputs[i + 1] = targets[i] = (unsigned char)exercise->text.bytes[i];
        scored[i] = exercise->asked.bytes[i];
    }
    scored[size] = size > 0 && scored[size - 1];
    return size + 1;
}
