// builtin:grid: a grid of cells in eight colours row by row, an empty line, and the grid again, upside down and shifted
// right by one column, where the last column becomes the first. Sizes differ, so the distance in the text between cells
// of one column differs too.
#include "data/made/task.h"

enum { COLOURS = 8 };

// The longer side is `length`, the other one 2 to `length` (1 in a grid of one cell).
static void sides(int *height, int *width, int length, uint64_t key) {
    const int other = length > 1 ? 2 + draw(key, 0, length - 1) : 1;
    const bool upright = draw(key, 1, 2);
    *height = upright ? length : other;
    *width = upright ? other : length;
}

static void write(Exercise *exercise, int length, uint64_t key) {
    const uint64_t cells = random_key(key, "cells");
    int height, width;
    sides(&height, &width, length, key);
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++)
            given(exercise, "%d", draw(cells, row * width + column, COLOURS));
        given(exercise, "\n");
    }
    given(exercise, "\n");
    for (int row = height - 1; row >= 0; row--)
        for (int column = 0; column < width; column++) {
            const int from = (column + width - 1) % width;
            asked(exercise, "%d%s", draw(cells, row * width + from, COLOURS),
                  column + 1 == width && row > 0 ? "\n" : "");
        }
}

static int longest(const BuiltinCorpus *task, int length) {
    return 2 * length * (length + 1);
}

static const Option options[] = {TASK_OPTION_ROWS("2", "6"), {.name = NULL}};

const Builtin builtin_grid = {
    .name = "grid",
    .help = "a grid of colours row by row, and the same upside down and shifted by a column",
    .counts = "cells of the longer side",
    .options = options,
    .write = write,
    .longest = longest,
};
