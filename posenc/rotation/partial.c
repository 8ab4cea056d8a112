// Partial rotary: only the first channels of a head turn, with all frequencies from fast to slow; the rest carry
// content without positions. The exponents run over the channels that turn, so there are fast and slow pairs (NeoX, not
// p-RoPE).
#include "posenc/rotation/rotate.h"

static const Option partial_options[] = {
    {"fraction", OPTION_NUMBER, offsetof(RotaryOptions, rotary.fraction), "0.5", 0.001, 1, NULL, "X",
     "fraction of a head's channels that turn, rounded down to whole pairs: 0.6 of 16 channels turns 8"},
    ROTARY_OPTION_ROWS(RotaryOptions, "10000", "(i, i+r/2) of the r channels that turn"),
    {0},
};

const Scheme scheme_partial = {
    .name = "partial",
    .formula = "the first r channels of q_t, k_t: pair i turned by t b^(-2i/r)",
    .paper = "GPT-J (Wang and Komatsuzaki 2021); GPT-NeoX",
    .help =
        "RoPE on a part of each head, half of it by default; the other channels compare content regardless of "
        "position. The channels that turn have all frequencies, from fast to slow; prope instead drops the slow ones.",
    .options = partial_options,
    ROTATION_SCHEME(.theta = rotary_theta),
    .stretches = true,
};
