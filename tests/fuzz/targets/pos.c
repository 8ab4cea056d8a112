// The texts of --pos and, after a byte 0xFF, of --window.
#include "posenc/formula/formula.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

bool fuzz_pos(const uint8_t *bytes, size_t size) {
    char typed[2 * TEXT_CAPACITY], window[2 * TEXT_CAPACITY], printed[TEXT_CAPACITY], again[TEXT_CAPACITY];
    Shape shape = {.vocab = 5, .context = 8, .layers = 4, .heads = 4, .width = 16};
    Mix pos;
    Error error;
    formulas_forget();
    fuzz_word(typed, sizeof typed, &bytes, &size);
    fuzz_word(window, sizeof window, &bytes, &size);
    const bool windows = fuzz_taken(windows_parse(&shape.windows, window, shape.layers, &error), &error);
    if (!fuzz_taken(mix_parse(&pos, typed, &error), &error)) return false;
    mix_print(&pos, printed);
    fuzz_must(mix_parse(&pos, printed, &error), &error);
    mix_print(&pos, again);
    assert(strcmp(printed, again) == 0);
    if (!windows || !fuzz_taken(mix_create(&pos, typed, &shape, &error), &error)) return false;
    fuzz_feed(&shape, &pos);
    return true;
}
