// Rotary positions (RoPE): queries and keys are turned by an angle proportional to their position, so that their
// product depends on the distance alone. The turning itself, forward and backward, is in rotate.c.
#include "posenc/rotation/rotate.h"

typedef struct {
    Rotary rotary;
} RopeOptions;

static const Option rope_options[] = {ROTARY_OPTION_ROWS(RopeOptions, "10000", "(i, i+d/2)"), {0}};

const Scheme scheme_rope = {
    .name = "rope",
    .formula = "q_t, k_t: pair i turned by t b^(-2i/d)",
    .paper = "Su et al. 2021 (2104.09864)",
    .help = "Each pair of channels of a query or key is a hand of a clock that is turned by its position. The product "
            "of the two depends on the angle between them, so on the distance alone; nothing is added and no length "
            "changes. skip=4 leaves every fourth layer without positions, as SmolLM3 and Llama 4 do.",
    .options = rope_options,
    ROTARY_HOOKS,
    .theta = rotary_theta,
};
