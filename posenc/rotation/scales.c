// Scales of pairs: how much each pair of channels counts in the scores of a head, S = the sum over pairs of e^a q . k.
// They are multiplied into queries, because heads may share keys.
#include "posenc/rotation/rotate.h"

#include "num/team.h"

enum { A = 1 };       // params (sets * H, pairs)
enum { SCALES = 4 };  // tables (sets, H*d), behind those of rotate.c
enum { DSCALES = 2 }; // dtables (B, H, pairs), slabs of the layer at work, behind those of angles.c

void scales_layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    const size_t H = (size_t)pos->shape.heads, d = (size_t)head_width(&pos->shape);
    if (!rotary_of(pos)->scale) return;
    tables->table[SCALES] = arena_reals(arena, (size_t)pos->sets * H * d);
    if (training) tables->dtable[DSCALES] = arena_reals(arena, (size_t)tables->batch * H * d / 2);
}

void scales_prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), pairs = d / 2;
    const bool half = rotary_of(pos)->pairing == PAIRING_HALF;
    if (!rotary_of(pos)->scale) return;
    for (int head = 0; head < pos->sets * pos->shape.heads; head++)
        for (int c = 0; c < d; c++) {
            const int i = half ? c % pairs : c / 2;
            tables->table[SCALES][head * d + c] = (real)exp((double)pos->params[A][head * pairs + i]);
        }
}

void scales_multiply(const Tables *tables, int layer, real *x, int stride, int rows) {
    const Position *pos = tables->pos;
    const int channels = pos->shape.heads * head_width(&pos->shape);
    const Share own = share_rows(rows);
    if (!rotary_of(pos)->scale) return;
    const real *scale = tables->table[SCALES] + (size_t)position_set(pos, layer) * channels;
    for (int r = own.begin; r < own.end; r++)
        for (int c = 0; c < channels; c++) x[(size_t)r * stride + c] *= scale[c];
}

// Forward was y0 = e^a x0 and y1 = e^a x1 for the channels x of each pair, so da = dy0 y0 + dy1 y1. One thread adds up
// each sequence and head, as in angles.c.
void scales_collect(const Tables *tables, int layer, const real *dq, const real *q, int stride, int rows) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads, d = head_width(&pos->shape), pairs = d / 2, T = rows / tables->batch;
    const bool half = rotary_of(pos)->pairing == PAIRING_HALF;
    if (!rotary_of(pos)->scale) return;
#pragma omp for collapse(2)
    for (int b = 0; b < tables->batch; b++)
        for (int h = 0; h < H; h++) {
            real *da = tables->dtable[DSCALES] + ((size_t)b * H + h) * pairs;
            for (int r = b * T; r < (b + 1) * T; r++) {
                const real *y = q + (size_t)r * stride + (size_t)h * d, *dy = dq + (size_t)r * stride + (size_t)h * d;
                for (int i = 0; i < pairs; i++) {
                    const int c0 = half ? i : 2 * i, c1 = half ? i + pairs : 2 * i + 1;
                    da[i] += dy[c0] * y[c0] + dy[c1] * y[c1];
                }
            }
        }
    slabs_reduce(pos->dparams[A] + (size_t)position_set(pos, layer) * H * pairs, tables->dtable[DSCALES], tables->batch,
                 H * pairs);
}
