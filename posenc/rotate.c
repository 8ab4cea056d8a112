#include "posenc/rotate.h"

#include "model/team.h"

#include <stddef.h>

// y0 = x0 cos - x1 sin,  y1 = x0 sin + x1 cos
static void rotate_half(real *x, const real *cosine, const real *sine, int pairs, real direction) {
    for (int i = 0; i < pairs; i++) {
        const real c = cosine[i], s = direction * sine[i], x0 = x[i], x1 = x[i + pairs];
        x[i] = x0 * c - x1 * s;
        x[i + pairs] = x0 * s + x1 * c;
    }
}

static void rotate_interleaved(real *x, const real *cosine, const real *sine, int pairs, real direction) {
    for (int i = 0; i < pairs; i++) {
        const real c = cosine[i], s = direction * sine[i], x0 = x[2 * i], x1 = x[2 * i + 1];
        x[2 * i] = x0 * c - x1 * s;
        x[2 * i + 1] = x0 * s + x1 * c;
    }
}

void rotate(real *x, int stride, const real *cosine, const real *sine, const int *at, int rows, int heads,
            int head_width, Pairing pairing, int direction) {
    const int pairs = head_width / 2;
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const real *cos_r = cosine + (size_t)at[r] * pairs, *sin_r = sine + (size_t)at[r] * pairs;
        for (int h = 0; h < heads; h++) {
            real *x_rh = x + (size_t)r * stride + (size_t)h * head_width;
            if (pairing == PAIRING_HALF)
                rotate_half(x_rh, cos_r, sin_r, pairs, (real)direction);
            else
                rotate_interleaved(x_rh, cos_r, sin_r, pairs, (real)direction);
        }
    }
}
