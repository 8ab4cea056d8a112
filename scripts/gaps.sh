#!/bin/sh
# Learned minus designed in the recorded experiment, with intervals that hold for all of the pairs and sizes together:
# sh scripts/gaps.sh RESULTS.csv [PLOT.svg] prints the table and draws the plot (needs gnuplot).
# The mean over n seeds of the paired differences of losses, plus and minus t * s / sqrt(n), where t leaves
# 0.05 / (number of intervals) outside (Bonferroni's correction).
set -eu
results=${1:?"usage: sh scripts/gaps.sh RESULTS.csv [PLOT.svg]"}
plot=${2:-}
rows=$(mktemp)
trap 'rm -f "$rows" "$rows.blocks"' EXIT
awk -F , '
    # The probability that Student t with 4 degrees of freedom lies outside -t to t.
    function outside(t,    r) { r = t * t / (4 + t * t); return 1 - sqrt(r) * (1 + (1 - r) / 2) }
    function quantile(p,    low, high, middle, i) {
        low = 0; high = 1000
        for (i = 0; i < 60; i++) { middle = (low + high) / 2; if (outside(middle) > p) low = middle; else high = middle }
        return low
    }
    $2 == "" && $5 == 1 && $7 == "loss" && $8 == 128 {
        loss[$1, $3, $6] = $9
        if (!($6 in seen)) { seen[$6] = 1; seed[++n] = $6 }
    }
    END {
        if (n != 5) { print "gaps.sh: the quantile is that of 5 seeds, and there are " n + 0 >"/dev/stderr"; exit 1 }
        pairs = split("learned:sinusoidal rope-learned:rope t5:alibi fire:alibi alibi-learned:alibi", pair, " ")
        sizes = split("25k 70k 200k", size, " ")
        t = quantile(0.05 / (pairs * sizes))
        for (i = 1; i <= pairs; i++) for (j = 1; j <= sizes; j++) {
            split(pair[i], name, ":")
            sum = square = a = b = 0
            for (k = 1; k <= n; k++) {
                a += loss[size[j], name[1], seed[k]] / n
                b += loss[size[j], name[2], seed[k]] / n
            }
            for (k = 1; k <= n; k++) {
                d = loss[size[j], name[1], seed[k]] - loss[size[j], name[2], seed[k]]
                square += (d - (a - b)) ^ 2
            }
            print name[1], name[2], size[j], a, b, a - b, t * sqrt(square / (n - 1) / n)
        }
    }' "$results" >"$rows"

echo "| learned scheme | designed scheme | their losses at 200k | difference at 25k | at 70k | at 200k |"
echo "|---|---|---:|---:|---:|---:|"
awk '
    { cell = cell sprintf(" %+.3f (%+.3f to %+.3f) |", $6, $6 - $7, $6 + $7) }
    $3 == "200k" { printf "| %s | %s | %.3f, %.3f |%s\n", $1, $2, $4, $5, cell; cell = "" }' "$rows"

[ -n "$plot" ] || exit 0
awk '$3 == "25k" { printf "%s\"%s - %s\"\n", (NR > 1) ? "\n\n" : "", $1, $2 } { print $6, $7 }' "$rows" >"$rows.blocks"
gnuplot <<END
set terminal svg size 760,320 font "sans-serif,13" background "white"
set output "$plot"
set title "nats per byte, learned minus designed: below 0 the learned scheme is better" font ",11"
set xtics ("25k parameters" 0, "70k" 1, "200k" 2)
set xrange [-0.3:2.3]
set ytics 0.1
set grid ytics lc rgb "#dddddd"
set xzeroaxis lc rgb "#444444"
set border 3
set tics nomirror
set key outside right
plot for [i=0:4] "$rows.blocks" index i using (\$0 + 0.06 * (i - 2)):1:2 with yerrorbars pt 7 ps 0.6 lw 2 \\
    lc rgb word("#1f5fbf #e69f00 #009e73 #cc79a7 #555555", i + 1) title columnheader(1)
END
