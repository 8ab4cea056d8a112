#include "model/tensor.h"

#include "data/random.h"

#include <assert.h>
#include <stdlib.h>

int tensor_add(TensorTable *table, Tensor tensor) {
    if (table->count == table->capacity) {
        table->capacity = table->capacity ? 2 * table->capacity : 32;
        table->items = realloc(table->items, (size_t)table->capacity * sizeof *table->items);
        assert(table->items);
    }
    tensor.offset = table->total;
    tensor.count = 1;
    for (int axis = 0; axis < tensor.rank; axis++) tensor.count *= (size_t)tensor.shape[axis];
    table->total += (tensor.count + 15) / 16 * 16;
    table->items[table->count] = tensor;
    return table->count++;
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
        real *value = values + t->offset;
        for (size_t n = 0; n < t->count; n++) {
            switch (t->init) {
            case INIT_ZERO:
                value[n] = 0;
                break;
            case INIT_ONE:
                value[n] = 1;
                break;
            case INIT_NORMAL:
                value[n] = (real)(t->scale * random_normal(key, n));
                break;
            }
        }
    }
}

const char *tensors_nonfinite(const real *values, const TensorTable *table) {
    const char *found = NULL;
    for (int i = 0; i < table->count; i++) {
        const Tensor *t = &table->items[i];
        if (found && t->position) break; // positions stand behind the layers and get their gradients last
        for (size_t n = 0; n < t->count; n++)
            if (!isfinite(values[t->offset + n])) found = t->name;
    }
    return found;
}

void tensors_free(TensorTable *table) {
    free(table->items);
    *table = (TensorTable){0};
}
