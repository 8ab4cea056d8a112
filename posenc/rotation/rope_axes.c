// RoPE in several dimensions: pairs are shared out among the axes, and each turns by its axis's coordinate. So products
// depend on how many lines, how many columns, ... lie between two tokens.
#include "posenc/rotation/rotate.h"

// Lines and columns are shorter than texts, so frequencies are higher.
static const Option axes_options[] = {
    ROTARY_OPTION_ROWS(RotaryOptions, "100", "(i, i+r/2) of each axis's r channels"),
    ROTARY_AXES_ROW(RotaryOptions, NULL),
    {0},
};

const Scheme scheme_rope_axes = {
    .name = "rope",
    .formula = "q, k: pair i of the n pairs of an axis turned by its coordinate times b^(-i/n)",
    .paper = "axial RoPE; Heo et al. 2024 (2403.13298)",
    .help = "rope with several axes",
    .options = axes_options,
    ROTATION_SCHEME(.theta = rotary_theta),
};
