// ALiBi: attention scores fall linearly with distance, with a fixed slope per head; nothing is added to the embeddings.
#include "posenc/bias/bias.h"

// Nothing here is trained, so backward has nothing to do: dS goes on unchanged to q and k.
static double curve(const Position *pos, int set, int head, int distance) {
    return -alibi_slope(head, pos->shape.heads) * distance;
}

const Scheme scheme_alibi = {
    .name = "alibi",
    .formula = "S_ij -= m_h (i - j), m_h = 2^(-8h/H), h = 1..H",
    .paper = "Press et al. 2021 (2108.12409)",
    .help = "A fixed penalty on distance: heads with a steep slope see the last few tokens, heads with a flat one look "
            "far back. Defined at any length: distances never seen in training continue the line.",
    CURVE_HOOKS,
    .curve = curve,
};
