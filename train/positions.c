#include "train/run.h"

#include "base/file/text.h"

#include <stdlib.h>

// A gate shows whether its layer needs positions, so no gate is left out unless there are very many.
static bool is_gate(const Tensor *tensor) {
    return strcmp(strrchr(tensor->name, '.') + 1, GATE_TENSOR) == 0;
}

static size_t gate_numbers(const Gpt *gpt) {
    const Tensor *tensor;
    size_t count = 0;
    for (int i = 0; (tensor = gpt_position_tensor(gpt, i)); i++) count += is_gate(tensor) ? tensor->count : 0;
    return count;
}

// The smallest n such that every n-th of `count` numbers, in order, fits into `columns`.
static size_t every(size_t count, size_t columns) {
    return (count + columns - 1) / columns;
}

// The tensor of column `index`, and the number within that tensor; false after the last column. Gates come first.
static bool column(const Tensor **tensor, size_t *number, const Gpt *gpt, size_t index) {
    const size_t gates = gate_numbers(gpt), others = tensor_numbers(&gpt->tensors, true) - gates;
    const size_t each_gate = every(gates, POSITIONS_COLUMNS / 2), first = each_gate ? (gates - 1) / each_gate + 1 : 0;
    const bool gate = index < first;
    size_t at = gate ? index * each_gate : (index - first) * every(others, POSITIONS_COLUMNS - first);
    for (int i = 0; (*tensor = gpt_position_tensor(gpt, i)); i++) {
        if (is_gate(*tensor) != gate) continue;
        *number = at;
        if (at < (*tensor)->count) return true;
        at -= (*tensor)->count;
    }
    return false;
}

static void print_header(Text *text, const Gpt *gpt) {
    const Tensor *tensor;
    size_t number;
    text_print(text, "step");
    for (size_t i = 0; column(&tensor, &number, gpt, i); i++) {
        const size_t columns = (size_t)tensor->shape[tensor->rank - 1];
        text_print(text, ",%s.%zu.%zu", strchr(tensor->name, '.') + 1, number / columns, number % columns);
    }
    text_print(text, "\n");
}

// Can a resumed run continue this file? *goes_on is false if there is no file, or only part of its header.
static bool find_file(bool *goes_on, const char *path, const Text *head, Error *error) {
    Buffer file = {0};
    *goes_on = false;
    if (path_missing(path)) return true;
    if (!file_read(&file, path, error)) return false;
    const size_t size = file.size < head->size ? file.size : head->size;
    const bool same = memcmp(file.bytes, head->bytes, size) == 0;
    free(file.bytes);
    *goes_on = same && size == head->size;
    return same || fail_input(error,
                              "%s, line 1: these are not the names of the run's trained numbers; move the file away, "
                              "and the run begins a new one",
                              path);
}

bool positions_open(RunLog *log, const char *path, Trainer *trainer, Error *error) {
    const Gpt *gpt = &trainer->gpt;
    const long long step = (long long)trainer->progress.step;
    Text head = {0};
    *log = (RunLog){0};
    if (tensor_numbers(&gpt->tensors, true) == 0) return true;
    print_header(&head, gpt);
    bool goes_on = false;
    bool ok = !head.failed && (step == 0 || find_file(&goes_on, path, &head, error));
    text_add(&head, "", 1);
    if (head.failed) ok = fail_run(error, "no memory for the header of %s", path);
    ok = ok && log_start(log, path, head.bytes, goes_on ? step : 0, error);
    text_free(&head);
    return ok && (step > 0 || positions_row(log, trainer, NULL, error));
}

bool positions_row(void *context, Trainer *trainer, StepReport *report, Error *error) {
    RunLog *log = context;
    const Gpt *gpt = &trainer->gpt;
    const Tensor *tensor;
    size_t number;
    if (!log->stream) return true;
    fprintf(log->stream, "%lld", (long long)trainer->progress.step);
    for (size_t i = 0; column(&tensor, &number, gpt, i); i++)
        fprintf(log->stream, ",%.9g", (double)gpt->params[tensor->offset + number]);
    fputs("\n", log->stream);
    return (fflush(log->stream) == 0 && !ferror(log->stream)) || log_failed(log, error);
}
