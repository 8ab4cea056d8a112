#include "posenc/slabs.h"

#include "model/base/team.h"

#include <stddef.h>

void slabs_reduce(real *sum, real *slabs, int count, int size) {
    const Share own = share_columns(size);
    for (int s = 0; s < count; s++) {
        real *slab = slabs + (size_t)s * (size_t)size;
        for (int n = own.begin; n < own.end; n++) {
            sum[n] += slab[n];
            slab[n] = 0;
        }
    }
}
