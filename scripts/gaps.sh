#!/bin/sh
# Learned minus designed in the recorded experiment, with intervals that hold for all of the pairs and sizes together:
# sh scripts/gaps.sh RESULTS.csv [PLOT.svg] prints the table and draws the plot, in the style of reports.
# The mean over n seeds of the paired differences of losses, plus and minus t * s / sqrt(n), where t leaves
# 0.05 / (number of intervals) outside (Bonferroni's correction).
set -eu
results=${1:?"usage: sh scripts/gaps.sh RESULTS.csv [PLOT.svg]"}
plot=${2:-}
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
awk -F , -v rows="$rows" '
    # The probability that Student t with 4 degrees of freedom lies outside -t to t.
    function outside(t,    r) { r = t * t / (4 + t * t); return 1 - sqrt(r) * (1 + (1 - r) / 2) }
    function quantile(p,    low, high, middle, i) {
        low = 0; high = 1000
        for (i = 0; i < 60; i++) { middle = (low + high) / 2; if (outside(middle) > p) low = middle; else high = middle }
        return low
    }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } # the first column is the size
    $at["task"] == "" && $at["chosen"] == 1 && $at["quantity"] == "loss" && $at["x"] == 128 {
        loss[$1, $at["scheme"], $at["seed"]] = $at["value"]
        if (!($1 in known)) { known[$1] = 1; size[++sizes] = $1 }
        if (!($at["seed"] in seen)) { seen[$at["seed"]] = 1; seed[++n] = $at["seed"] }
    }
    END {
        if (n != 5) { print "gaps.sh: the quantile is that of 5 seeds, and there are " n + 0 >"/dev/stderr"; exit 1 }
        head = "| learned scheme | designed scheme | their losses at " size[sizes] " |"; line = "|---|---|---:|"
        for (j = 1; j <= sizes; j++) {
            head = head (j > 1 ? " at " : " difference at ") size[j] " |"
            line = line "---:|"
        }
        print head "\n" line
        pairs = split("learned:sinusoidal rope-learned:rope t5:alibi fire:alibi alibi-learned:alibi", pair, " ")
        t = quantile(0.05 / (pairs * sizes))
        for (i = 1; i <= pairs; i++) {
            cells = ""
            split(pair[i], name, ":")
            for (j = 1; j <= sizes; j++) {
                square = a = b = 0
                for (k = 1; k <= n; k++) {
                    a += loss[size[j], name[1], seed[k]] / n
                    b += loss[size[j], name[2], seed[k]] / n
                }
                for (k = 1; k <= n; k++) {
                    d = loss[size[j], name[1], seed[k]] - loss[size[j], name[2], seed[k]]
                    square += (d - (a - b)) ^ 2
                }
                half = t * sqrt(square / (n - 1) / n)
                print name[1], name[2], size[j], a - b, half >rows
                cells = cells sprintf(" %+.3f (%+.3f to %+.3f) |", a - b, a - b - half, a - b + half)
            }
            printf "| %s | %s | %.3f, %.3f |%s\n", name[1], name[2], a, b, cells
        }
    }' "$results"

[ -n "$plot" ] || exit 0
style=$(dirname "$0")/../lab/report/page/plot.css
awk -v style="$style" '
    function text(x, y, class, string) { printf "<text x=\"%g\" y=\"%g\" class=\"%s\">%s</text>\n", x, y, class, string }
    function at(value) { return 200 + (value + 0.4) / 0.5 * 360 }
    BEGIN {
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 760 424\" width=\"760\" height=\"424\"" \
            " role=\"img\" aria-label=\"Learned minus designed at three sizes: the table has the numbers\">\n<style>"
        while ((getline line <style) > 0) print line
        print "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>"
        text(at(0) - 8, 18, "tick end", "learned is better")
        text(at(0) + 8, 18, "tick", "designed is better")
        for (i = -4; i <= 1; i++) {
            printf "<path class=\"%s\" d=\"M%g 26V382\"/>", i ? "grid" : "zero", at(i / 10)
            text(at(i / 10), 398, "tick middle", i / 10)
        }
        text(200, 416, "label", "difference of the losses in nats a byte")
        y = 24
    }
    $1 $2 != pair {
        pair = $1 $2
        hue = $2 in hues ? hues[$2] : hues[$2] = n++
        text(4, y += 18, "group", $1 " - " $2)
        y += 3
    }
    {
        y += 16
        low = $4 - $5
        high = $4 + $5
        if (low < -0.4 || high > 0.1) { print "gaps.sh: the axis from -0.4 to 0.1 is too short" >"/dev/stderr"; exit 1 }
        printf "<g class=\"h%d\"><path class=\"bar\" d=\"M%.1f %gH%.1f\"/>", hue, at(low), y - 4.5, at(high)
        printf "<circle class=\"dot\" cx=\"%.1f\" cy=\"%g\" r=\"4\"/></g>\n", at($4), y - 4.5
        text(150, y, "end", $3)
        text(580, y, "value", sprintf("%+.3f (%+.3f to %+.3f)", $4, low, high))
    }
    END { print "</svg>" }' "$rows" >"$plot"
