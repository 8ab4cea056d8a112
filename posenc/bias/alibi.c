// ALiBi: attention scores fall linearly with distance, with a fixed slope per head; nothing is added to the embeddings.
#include "posenc/bias/bias.h"

typedef struct {
    double scale;
    int gate;
} AlibiOptions;

static const Option alibi_options[] = {
    {"scale", OPTION_NUMBER, offsetof(AlibiOptions, scale), "1", 0, 1000, NULL, "S",
     "multiplies all slopes; more than 1 for tokens that are shorter than words, such as bytes"},
    GATE_OPTION_ROW(AlibiOptions, gate),
    {0},
};

// Nothing here is trained, so backward has nothing to do: dS goes on unchanged to q and k.
static double curve(const Position *pos, int set, int head, int distance) {
    return -scheme_options(pos, AlibiOptions)->scale * alibi_slope(head, pos->shape.heads) * distance;
}

const Scheme scheme_alibi = {
    .name = "alibi",
    .formula = "S_ij -= m_h (i - j), m_h = S 2^(-8h/H), h = 1..H",
    .paper = "Press et al. 2021 (2108.12409)",
    .help = "A fixed penalty on distance: heads with a steep slope see the last few tokens, heads with a flat one look "
            "far back. Defined at any length: distances never seen in training continue the line. If H is no power of "
            "2, the first heads have the slopes of the next smaller one, the others every second slope of twice that.",
    .options = alibi_options,
    BIAS_SCHEME(.curve = curve),
};
