# The mutants that tests/mutate/mutants.awk makes from a few lines, and their order.
. tests/support/shell
cat >sample.c <<'END'
#include "a+b.h" // 1 + 1
#if VECTOR == 16
#define AREA (a * \
              2)
static int f(const int *x, int n) { // 0 < 1
    int y[2] = {0};
    assert(n > 0 &&
           x[n] == '0');
    if (n) return fail_input(error, "1 + %d", n - 1);
    for (int i = 0; i < n; i++) y[i] -= max(*x, -n);
    g(x, n);
    free(x);
    return x + 16;
}
END
mutants() { # SEED
    awk -v seed="$1" -f "$repository/tests/mutate/mutants.awk" sample.c
}
mutants 1 >first
cut -f 3,5 first | sed 's/	 */ /' | sort -k 1n -k 2 >found
cat >expected <<'END'
3 #define AREA (a / \
4 3)
6 int y[2] = {1};
10 for (int i = 0; i < n; i++) ;
10 for (int i = 0; i < n; i++) y[i + 1] -= max(*x, -n);
10 for (int i = 0; i < n; i++) y[i] += max(*x, -n);
10 for (int i = 0; i < n; i++) y[i] -= max(*x, n);
10 for (int i = 0; i < n; i++) y[i] -= min(*x, -n);
10 for (int i = 0; i < n; i--) y[i] -= max(*x, -n);
10 for (int i = 0; i <= n; i++) y[i] -= max(*x, -n);
10 for (int i = 1; i < n; i++) y[i] -= max(*x, -n);
11 ;
11 g(n, x);
13 return x + 17;
13 return x - 16;
END
check "one mistake a mutant, none in texts, comments, assertions, messages and directives" diff expected found
mutants 2 >second
check "another seed gives another order" refute cmp -s first second
sort first >first-sorted && sort second >second-sorted
check "of the same mutants" cmp first-sorted second-sorted
{ echo 'static int zero;' && cat sample.c; } >longer && mv longer sample.c
mutants 1 | cut -f 1 >moved && cut -f 1 first >there
check "when lines move, IDs and order stay" cmp there moved
finish
