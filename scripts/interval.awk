# Lines "GROUP VALUE": the mean of the values and its 95% interval, corrected for m comparisons (-v m=N, Bonferroni).
# Values of a group (a text) differ by chance (the seed), groups differ for good, so the spread is that within groups:
# awk -v m=4 -f scripts/interval.awk. Prints "MEAN LOW HIGH DF".
function density_sum(t, df,   n, i, h, x, s) { # integral of the unscaled density of Student's t from 0 to t, by Simpson
    n = 400; h = t / n; s = 0
    for (i = 0; i <= n; i++) {
        x = i * h
        s += (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * exp(-(df + 1) / 2 * log(1 + x * x / df))
    }
    return s * h / 3
}
# The t beyond which a share of `tail` lies on each side. The whole integral goes by tan, so that its end is finite.
function quantile(tail, df,   low, high, mid, whole, n, i, a, s, pi, h) {
    pi = atan2(0, -1); n = 2000; h = pi / 2 / n; s = 0
    for (i = 0; i < n; i++) { a = (i + 0.5) * h; s += exp((df - 1) * log(cos(a))) } # t = sqrt(df) tan(a)
    whole = s * h * sqrt(df)
    low = 0; high = 200
    for (i = 0; i < 60; i++) {
        mid = (low + high) / 2
        if (density_sum(mid, df) < whole * (1 - 2 * tail)) low = mid; else high = mid
    }
    return low
}
{ sum[$1] += $2; squares[$1] += $2 * $2; count[$1]++; total += $2; n++ }
END {
    for (g in sum) { within += squares[g] - sum[g] * sum[g] / count[g]; groups++ }
    df = n - groups
    if (df < 1) { printf "%.6g nan nan %d\n", total / n, df; exit }
    if (within < 0) within = 0
    half = quantile(0.025 / m, df) * sqrt(within / df / n)
    printf "%.6g %.6g %.6g %d\n", total / n, total / n - half, total / n + half, df
}
