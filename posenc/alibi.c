// ALiBi: attention scores fall linearly with distance, with a fixed slope per head; nothing is added to the embeddings.
#include "posenc/posenc.h"

enum { SLOPE }; // tables

static void layout(Position *pos, Arena *arena, bool training) {
    (void)training;
    pos->tables[SLOPE] = arena_reals(arena, (size_t)pos->shape.heads); // (H)
}

// A power of two of heads: 2^(-8/H), 2^(-16/H), ... Otherwise the slopes of the next lower power P, then every other
// slope of 2P, as the authors' code does.
static void prepare(Position *pos) {
    const int H = pos->shape.heads;
    int power = 1;
    while (2 * power <= H) power *= 2;
    for (int h = 0; h < H; h++) {
        double exponent = h < power ? 8.0 * (h + 1) / power : 8.0 * (2 * (h - power) + 1) / (2 * power);
        pos->tables[SLOPE][h] = (real)exp2(-exponent);
    }
}

// S_ij -= slope_h (i - j), after the scaling by 1/sqrt(d). The bias is constant, so dS passes unchanged.
static void score_forward(const Position *pos, const ScoreBlock *block) {
    const real slope = pos->tables[SLOPE][block->head];
    for (int i = 0; i < block->rows; i++) {
        real *S_i = block->S + (size_t)i * block->stride;
        const int here = block->query_at[i];
        for (int j = 0; j < block->columns; j++) S_i[j] -= slope * (real)(here - block->key_at[j]);
    }
}

const Scheme scheme_alibi = {
    .name = "alibi",
    .formula = "S_ij -= m_h (i - j), m_h = 2^(-8h/H)",
    .paper = "Press et al. 2021 (2108.12409)",
    .help = "A fixed penalty on distance: steep heads see the last few tokens, flat ones look far back. Defined at any "
            "length, because a distance never seen only continues the line.",
    .layout = layout,
    .prepare = prepare,
    .score_forward = score_forward,
};
