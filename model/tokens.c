#include "model/ops.h"

void tokens_forward(real *x, const int *ids, const real *wte, int rows, int C) {
#pragma omp parallel for
    for (int r = 0; r < rows; r++) memcpy(x + (size_t)r * C, wte + (size_t)ids[r] * C, (size_t)C * sizeof(real));
}

// Forward was x[r] = wte[ids[r]], so each row of the table collects the gradients of the tokens that read it. Threads
// share out the channels, not the rows: rows may meet in one token.
void tokens_backward(real *dwte, const real *dx, const int *ids, int rows, int C) {
    const int slice = 64;
#pragma omp parallel for
    for (int start = 0; start < C; start += slice) {
        const int end = start + slice < C ? start + slice : C;
        for (int r = 0; r < rows; r++) {
            real *dwte_id = dwte + (size_t)ids[r] * C;
            const real *dx_r = dx + (size_t)r * C;
            for (int c = start; c < end; c++) dwte_id[c] += dx_r[c];
        }
    }
}
