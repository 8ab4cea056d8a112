// Matrix products of numbers rounded to bfloat16 (8 binary digits instead of 24), summed in float. Only for processors
// where they are faster than those of product.h: Intel with AMX, AMD with AVX512_BF16 (both measured, SPEED.md), and
// ARM with BFMMLA (right in qemu; not timed yet). Every element is summed in an order that depends on K alone.
#ifndef BITTER_BF16_H
#define BITTER_BF16_H

#include "num/product.h"

// NULL, or a sentence that says why there are no such products. Asks the kernel for permission to use AMX, so it must
// be called before the first product; the permission is for all threads and for processes forked later.
const char *bf16_complaint(void);

// The instructions: "AMX", "AVX512_BF16", "BFMMLA" or "none".
const char *bf16_kernel(void);

// C (M,N), row stride ldc, = beta * C + A (M,K) * B (K,N) + bias (N), where A and B are rounded to the nearest
// bfloat16, ties to even. bias, which may be NULL, is not rounded. With beta 0, C is overwritten whatever it held. A or
// B may be transposed. NaN and infinity are kept; subnormal numbers count as 0. Only where bf16_complaint() is NULL.
void product_bf16(real *C, int ldc, real beta, Matrix A, Matrix B, const real *bias, int M, int N, int K);

#endif
