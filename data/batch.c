#include "data/batch.h"

#include "data/random.h"

#include <zlib.h>

// One epoch: `windows` of T, cut from the stream behind the first `shift` tokens, shift in 0..shifts-1. Giving up one
// window lets the shift take all T values and yet every epoch have equally many windows, so that the cursor alone tells
// epoch and index. A stream too short for that keeps its only window and shifts as far as it can.
typedef struct {
    uint64_t windows, shifts;
} Cut;

static Cut cut_of(uint64_t count, uint64_t T) {
    uint64_t windows = count / T > 2 ? count / T - 1 : 1;
    uint64_t shifts = count - windows * T;
    return (Cut){windows, shifts < T ? shifts : T};
}

bool batches_start(Batches *batches, const Split *split, const char *name, int T, uint64_t seed, Error *error) {
    if (split->count < (uint64_t)T + 1)
        return fail_input(error,
                          "%s has %llu tokens, but one window of %d and its last target need %d; give more text or a "
                          "smaller --context",
                          name, (unsigned long long)split->count, T, T + 1);
    *batches = (Batches){.split = split, .T = T, .key = random_key(seed, "batches")};
    return true;
}

// Where the row at the cursor begins in the stream.
static uint64_t row_offset(const Batches *batches) {
    const uint64_t T = (uint64_t)batches->T;
    Cut cut = cut_of(batches->split->count, T);
    uint64_t epoch = batches->cursor / cut.windows, index = batches->cursor % cut.windows;
    uint64_t shift = random_bits(batches->key, 2 * epoch) % cut.shifts;
    uint64_t order = random_bits(batches->key, 2 * epoch + 1);
    return shift + T * random_permute(index, cut.windows, order);
}

void batches_next(int *inputs, int *targets, Batches *batches, int B) {
    const size_t T = (size_t)batches->T;
    for (int b = 0; b < B; b++, batches->cursor++) {
        uint64_t offset = row_offset(batches);
        split_read(inputs, batches->split, offset, T);
        split_read(targets, batches->split, offset + 1, T);
        batches->crc = (uint32_t)crc32(batches->crc, (const Bytef *)inputs, (uInt)(T * sizeof *inputs));
        inputs += T;
        targets += T;
    }
}
