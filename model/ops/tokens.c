#include "num/team.h"
#include "model/ops/ops.h"

void tokens_forward(real *x, const int *ids, const real *wte, int rows, int C) {
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++)
        memcpy(x + (size_t)r * C, wte + (size_t)ids[r] * C, (size_t)C * sizeof(real));
}

// Forward was x[r] = wte[ids[r]], so each row of the table collects the gradients of the tokens that read it.
void tokens_backward(real *dwte, const real *dx, const int *ids, int rows, int C) {
    const Share own = share_columns(C);
    for (int r = 0; r < rows; r++) {
        real *dwte_id = dwte + (size_t)ids[r] * C;
        const real *dx_r = dx + (size_t)r * C;
        for (int c = own.begin; c < own.end; c++) dwte_id[c] += dx_r[c];
    }
}
