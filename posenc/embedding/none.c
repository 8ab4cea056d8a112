// No positions at all: only the causal mask says anything about order.
#include "posenc/scheme.h"

const Scheme scheme_none = {
    .name = "none",
    .formula = "(nothing)",
    .paper = "Haviv et al. 2022; Kazemnejad et al. 2023 (NoPE)",
    .enters = ENTERS_NOWHERE,
    .position_free = true,
    .relative = true,
    .help = "No position enters anywhere. A causal model can still count: the first token attends to one key, the "
            "second to two, and so on. The control that every scheme has to beat.",
};
