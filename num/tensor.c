#include "num/tensor.h"

#include "base/file/text.h"
#include "base/random.h"
#include "base/option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tensor_add(TensorTable *table, Tensor tensor) {
    table->failed |= !array_room(&table->items, &table->capacity, (size_t)table->count, 1, sizeof tensor);
    if (table->failed) return 0;
    tensor.offset = table->total;
    tensor.count = 1;
    for (int axis = 0; axis < tensor.rank; axis++) tensor.count *= (size_t)tensor.shape[axis];
    table->total += (tensor.count + 15) / 16 * 16;
    table->items[table->count] = tensor;
    return table->count++;
}

bool tensors_check(const TensorTable *table, Error *error) {
    if (table->failed) return fail_run(error, "no memory for a list of more than %d tensors", table->count);
    for (const Tensor *t = table->items; t < table->items + table->count; t++)
        if (t->count > TENSOR_NUMBERS_MOST)
            return fail_input(error,
                              "the tensor %s would have %zu numbers, but 10^9 are the most; choose a smaller model or "
                              "other options of --pos",
                              t->name, t->count);
    return true;
}

const Tensor *tensor_find(const TensorTable *table, const char *name) {
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->items[i].name, name) == 0) return &table->items[i];
    return NULL;
}

size_t tensor_numbers(const TensorTable *table, bool position_only) {
    size_t numbers = 0;
    for (int i = 0; i < table->count; i++)
        if (table->items[i].position || !position_only) numbers += table->items[i].count;
    return numbers;
}

void tensors_init(real *values, const TensorTable *table, uint64_t seed) {
    for (int i = 0; i < table->count; i++) {
        const Tensor *t = &table->items[i];
        const uint64_t key = random_key(seed, t->name);
        const double constant = t->init == INIT_CONSTANT ? t->scale : t->init == INIT_ONE;
        real *value = values + t->offset;
        for (size_t n = 0; n < t->count; n++)
            value[n] = (real)(t->init == INIT_NORMAL ? t->scale * random_normal(key, n) : constant);
    }
}

bool all_finite(const real *numbers, size_t count) {
    for (size_t n = 0; n < count; n++)
        if (!isfinite(numbers[n])) return false;
    return true;
}

const char *tensors_nonfinite(const real *values, const TensorTable *table) {
    const char *name = NULL;
    for (const Tensor *t = table->items; t < table->items + table->count; t++)
        if ((!name || !t->position) && !all_finite(values + t->offset, t->count)) name = t->name;
    return name;
}

void number_place(char text[64], size_t n, size_t columns) {
    if (columns > 0)
        snprintf(text, 64, "row %zu, column %zu", n / columns, n % columns);
    else
        snprintf(text, 64, "number %zu", n);
}

void tensors_free(TensorTable *table) {
    free(table->items);
    *table = (TensorTable){0};
}

// --- attention windows ---

#define OPTION    "--window"
#define KEYS_MOST 10000000

// "KEYS" or "KEYS*LAYERS"
static bool parse_item(Windows *windows, const char *text, int *at, Error *error) {
    const int start = *at;
    int keys, repeat = 1;
    if (!typed_number(&keys, OPTION, text, at, "a number of keys, such as 64", KEYS_MOST, error)) return false;
    if (keys > KEYS_MOST) return typed_fail(error, OPTION, text, start, "a number here is at most %d", KEYS_MOST);
    if (text[*at] == '*') {
        const int number = ++*at;
        if (!typed_number(&repeat, OPTION, text, at, "a number of layers", WINDOWS_CAPACITY, error)) return false;
        if (repeat < 1) return typed_fail(error, OPTION, text, number, "give a number of layers from 1 on");
    }
    if (repeat > WINDOWS_CAPACITY - windows->period)
        return typed_fail(error, OPTION, text, start, "the windows must repeat after at most %d layers",
                          WINDOWS_CAPACITY);
    while (repeat-- > 0) windows->keys[windows->period++] = keys;
    return true;
}

bool windows_parse(Windows *windows, const char *text, int layers, Error *error) {
    int longest = 0;
    *windows = (Windows){0};
    for (int at = 0; *text;) {
        if (!parse_item(windows, text, &at, error)) return false;
        const int separator = at;
        if (!text[at]) break;
        at += text[at] == ',';
        at += (int)strspn(text + at, " ");
        if (at == separator) return typed_fail(error, OPTION, text, at, "windows are separated by a comma or a space");
    }
    for (int l = 0; l < windows->period; l++) longest = windows->keys[l] > longest ? windows->keys[l] : longest;
    if (windows->period > 0 && longest == 0)
        return typed_fail(
            error, OPTION, text, 0,
            "a window of 0 keys leaves nothing to see; to see all keys give --window '', the default, or 0 "
            "beside other windows, as in '64*5,0'");
    if (windows->period > layers)
        return typed_fail(error, OPTION, text, 0, "these are windows for %d layers, but --layers %d", windows->period,
                          layers);
    return true;
}
