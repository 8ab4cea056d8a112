// The matrix products of attention, which leave out most of the keys that a query does not see: later ones, and those
// that have left its window.
#include "model/ops/attention.h"

#define STRIP 32 // rows of a block whose products go only as far as the last key that one of them sees

// A block's products are computed in strips of STRIP rows, each without the keys that no row of the strip sees: later
// ones, and with a window the earliest.
typedef struct {
    int rows; // of the block
    int left; // leading keys that are outside the window of every row of the strip
    int keys; // keys up to the last that a row of the strip sees
} Strip;

// Without packed operands, strips would cost more than they save.
static Strip strip_of(int first, int rows, int columns, int window, bool packed) {
    const int length = packed && rows - first > STRIP ? STRIP : rows - first, seen = columns - rows + first + 1;
    const int left = packed ? left_window(seen, window) / PACKED_COLUMNS * PACKED_COLUMNS : 0;
    return (Strip){length, left, seen - 1 + length};
}

void product_to_keys(real *C, int ldc, real alpha, Matrix A, const Packed *packed, int rows, int columns, int window) {
    for (int i = 0; i < rows;) {
        const Strip strip = strip_of(i, rows, columns, window, packed->at);
        const Packed keys = gemm_packed_from(packed, strip.left);
        gemm_packed(C + (size_t)i * ldc + strip.left, ldc, 0, alpha, matrix_from(A, i, 0), &keys, 0, packed->K,
                    strip.rows, strip.keys - strip.left);
        for (int end = i + strip.rows; i < end; i++) {
            memset(C + (size_t)i * ldc, 0, (size_t)strip.left * sizeof(real));
            memset(C + (size_t)i * ldc + strip.keys, 0, (size_t)(columns - strip.keys) * sizeof(real));
        }
    }
}

void product_of_keys(real *C, int ldc, real beta, real alpha, Matrix A, const Packed *packed, int from, int rows,
                     int columns, int window) {
    for (int i = 0; i < rows;) {
        const Strip strip = strip_of(i, rows, columns, window, packed->at);
        gemm_packed(C + (size_t)i * ldc, ldc, beta, alpha, matrix_from(A, i, strip.left), packed, from + strip.left,
                    from + strip.keys, strip.rows, packed->N);
        i += strip.rows;
    }
}

// add_transposed with a window, where few queries see a key: STRIP keys at a time, from these queries.
static void add_transposed_in_window(real *out, int stride, real scale, const real *grad, const Packed *rows,
                                     const QueryBlock *block, int window) {
    const int row_stride = round_up(block->columns), before = block->columns - block->rows; // row i has column before+i
    for (int key = 0; key < block->columns; key += STRIP) {
        const int n = least(STRIP, block->columns - key), begin = key > before ? key - before : 0;
        const int end = least(block->rows, key + n - 1 + window - before);
        const Matrix A = columns_of(grad + (size_t)begin * row_stride + key, row_stride);
        gemm_packed(out + (size_t)key * stride, stride, 1, scale, A, rows, block->first + begin, block->first + end, n,
                    rows->N);
    }
}

// The first strip adds to all keys before it, too, because all rows see them; each later strip only to its own keys,
// from its own rows on.
void add_transposed(real *out, int stride, real scale, const real *grad, const Packed *rows, const QueryBlock *block,
                    int window) {
    if (window > 0 && window < block->columns) {
        add_transposed_in_window(out, stride, scale, grad, rows, block, window);
        return;
    }
    for (int i = 0, key = 0; i < block->rows;) {
        const Strip strip = strip_of(i, block->rows, block->columns, 0, rows->at);
        const Matrix A = columns_of(grad + (size_t)i * round_up(block->columns) + key, round_up(block->columns));
        gemm_packed(out + (size_t)key * stride, stride, 1, scale, A, rows, block->first + i, block->first + block->rows,
                    strip.keys - key, rows->N);
        i += strip.rows;
        key = strip.keys;
    }
}
