# SPDX-License-Identifier: MIT
# Lines "GROUP VALUE": the mean of the groups' means and its 95% interval, corrected for m comparisons (-v m=N,
# Bonferroni). Within a group (a text), values differ by chance (the seed), while differences between groups are real,
# so the standard error is computed from the variances within groups, each group having its own (degrees of freedom:
# Satterthwaite 1946). With a group of one value the interval is "-"; without values, so is the mean.
# awk -v m=4 -f scripts/interval.awk. Prints "MEAN LOW HIGH DF".
# The unscaled integral of the density of Student's t from sqrt(df) / tan(z^2) on. In z it is finite and smooth.
function tail_of(z, df,   n, i, at, sum) {
    n = 2000
    for (i = 0; i < n; i++) {
        at = (i + 0.5) * z / n
        sum += at * exp((df - 1) * log(sin(at * at)))
    }
    return sum * z / n
}
# The t beyond which a share of `tail` lies on each side.
function quantile(tail, df,   low, high, mid, whole, i) {
    high = sqrt(atan2(0, -1) / 2)
    whole = tail_of(high, df)
    for (i = 0; i < 50; i++) {
        mid = (low + high) / 2
        if (tail_of(mid, df) < whole * 2 * tail) low = mid; else high = mid
    }
    return sqrt(df) * cos(low * low) / sin(low * low)
}
{ sum[$1] += $2; squares[$1] += $2 * $2; count[$1]++ }
END {
    for (g in sum) {
        n = count[g]
        mean += sum[g] / n
        groups++
        if (n == 1) { alone = 1; continue }
        part = (squares[g] - sum[g] * sum[g] / n) / (n - 1) / n # the variance of this group's mean
        if (part < 0) part = 0
        variance += part
        below += part * part / (n - 1)
    }
    if (!groups) { print "- - - 0"; exit }
    mean /= groups
    if (alone) { printf "%.6g - - 0\n", mean; exit }
    df = below > 0 ? variance * variance / below : 1
    half = quantile(0.025 / m, df) * sqrt(variance) / groups
    printf "%.6g %.6g %.6g %.6g\n", mean, mean - half, mean + half, df
}
