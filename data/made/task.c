#include "data/made/task.h"

#include <stdarg.h>
#include <string.h>

// Set the flag of every byte that has been added to the text.
static void mark(Exercise *exercise, char flag) {
    while (exercise->asked.size < exercise->text.size && !exercise->asked.failed) text_add(&exercise->asked, &flag, 1);
}

void given(Exercise *exercise, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_print_list(&exercise->text, format, arguments);
    va_end(arguments);
    mark(exercise, 0);
}

void asked(Exercise *exercise, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_print_list(&exercise->text, format, arguments);
    va_end(arguments);
    mark(exercise, 1);
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
