// RoPE in two dimensions: half of the pairs turn by the line a token stands in, half by its column.
#include "posenc/rotation/rotate.h"

typedef struct {
    Rotary rotary;
} Rope2dOptions;

static const Option rope2d_options[] = {
    ROTARY_OPTION_ROWS(Rope2dOptions, "100", "(i, i+d/4) of each axis's d/2 channels"), {0}};

const Scheme scheme_rope2d = {
    .name = "rope2d",
    .formula = "q, k at (line, column): pairs of the first half turned by line b^(-4i/d), of the second by column",
    .paper = "axial RoPE; Heo et al. 2024 (2403.13298)",
    .help = "For grids written row by row, poems, tables and code: products depend on how many lines and how many "
            "columns lie between two tokens. A newline begins a new line; an empty line or a new document starts "
            "counting from 0 again.",
    .options = rope2d_options,
    ROTATION_SCHEME(.theta = rotary_theta, .two_axes = true),
};
