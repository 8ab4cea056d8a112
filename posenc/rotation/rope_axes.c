// RoPE in several dimensions: pairs are shared out among the axes, and each turns by its axis's coordinate. So products
// depend on how many lines, how many columns, ... lie between two tokens.
#include "posenc/rotation/rotate.h"

typedef struct {
    Rotary rotary;
} AxesOptions;

// Lines and columns are shorter than texts, so that frequencies are higher.
#define AXES_OPTIONS(axes)                                                                                             \
    {                                                                                                                  \
        ROTARY_OPTION_ROWS(AxesOptions, "100", "(i, i+r/2) of each axis's r channels"), axes, {                        \
            0                                                                                                          \
        }                                                                                                              \
    }

static const Option axes_options[] = AXES_OPTIONS(ROTARY_AXES_ROW(AxesOptions, NULL));
static const Option rope2d_options[] = AXES_OPTIONS(ROTARY_AXES_ROW(AxesOptions, "2"));

#define AXES_SCHEME                                                                                                    \
    .formula = "q, k: pair i of the n pairs of an axis turned by its coordinate times b^(-i/n)",                       \
    .paper = "axial RoPE; Heo et al. 2024 (2403.13298)", .help = "rope with several axes",                             \
    ROTATION_SCHEME(.theta = rotary_theta)

const Scheme scheme_rope_axes = {.name = "rope", .options = axes_options, AXES_SCHEME};
const Scheme scheme_rope2d = {.name = "rope2d", .options = rope2d_options, AXES_SCHEME};
