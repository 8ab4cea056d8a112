#!/bin/sh
# Tables and the plot of scripts/extend.sh: sh scripts/extend_tables.sh DIR RESULTS "METHODS" "SEEDS"
set -eu
out=$1 results=$2 methods=$3 seeds=$4
original=256
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"

# Perplexity on positions from..to-1 of windows of `context`, from a --by-position CSV.
perplexity() { # FILE CONTEXT FROM TO
    awk -F , -v context="$2" -v from="$3" -v to="$4" '
        $1 == context && $3 != "all" && $3 >= from && $3 < to { tokens += $4; nats += $4 * $5 }
        END { if (tokens) printf "%.3f", exp(nats / tokens); else printf "-" }' "$1"
}
# The least accuracy over depths, with its interval, and the mean over depths.
passkey() { # FILE LENGTH
    awk -F , -v length_="$2" '
        $1 == length_ { sum += $5; n++ }
        $1 == length_ && (least == "" || $5 < least) { least = $5; low = $6; high = $7 }
        END { if (!n) printf "-"
              else printf "%.0f%% (%.0f-%.0f), %.0f%%", 100 * least, 100 * low, 100 * high, 100 * sum / n }' "$1"
}
spent() { # RUN: evaluations and tokens
    awk '/"evaluations":/ { e = $2 + 0 } /"tokens": [0-9]*,?$/ && e { t = $2 + 0; exit }
        END { if (e) printf "%d, %.1f M", e, t / 1e6; else printf "-" }' "$1/config.json"
}
row() { # NAME RUN SPENT
    file=$2/perplexity.csv
    printf '| %s |' "$1"
    for context in 256 512 1024 2048; do printf ' %s |' "$(perplexity "$file" $context 0 $context)"; done
    printf ' %s |' "$(perplexity "$file" 2048 $original 2048)"
    for length in 258 512 1024 2048; do printf ' %s |' "$(passkey "$2/passkey.csv" $length)"; done
    printf ' %s |\n' "$3"
}
header() {
    echo "| method | 1x: 256 | 2x: 512 | 4x: 1024 | 8x: 2048 | 2048, past 256 | passkey 258 | 512 | 1024 | 2048 | evaluations, tokens read |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|"
}
{
    sh "$(dirname "$0")/machine.sh" "make extend" "$out/base"
    echo
    awk '{ s += $1 } END { printf "It took %.0f minutes.\n", s / 60 }' "$out/seconds"
    echo
    echo "Perplexity per byte on held-out text (the first 65536 predicted bytes of the validation split; 131072 for 64"
    echo "times), in windows of the stated length that do not overlap. Passkey: the least accuracy over five depths, 20"
    echo "samples each (10 for 64 times), with the 95% interval of that depth alone, and the mean over depths."
    echo
    echo "## Without fine-tuning"
    echo
    header
    for method in $methods; do
        case $method in longrope-*) continue ;; esac
        row "$method" "$(run_of "$method" frozen)" "$(spent "$(run_of "$method" frozen)")"
    done
    for seed in $seeds; do row "longrope, seed $seed" "$out/longrope-$seed" "$(spent "$out/longrope-$seed")"; done
    echo
    echo "## After the same fine-tuning at 2048"
    echo
    header
    for method in $methods; do row "$method" "$(run_of "$method" tuned)" "-"; done
    echo
    echo "## 64 times, in two rounds with fine-tuning"
    echo
    echo "| window | perplexity | passkey |"
    echo "|---|---|---|"
    awk -F , 'NR > 1 && $3 == "all" { print $1, $6 }' "$out/long/perplexity.csv" | while read -r context value; do
        printf '| %d | %.3f | %s |\n' "$context" "$value" "$(passkey "$out/long/passkey.csv" "$context")"
    done
    echo
    echo "## Speed of the search"
    echo
    echo "A smaller search (stretched 4 times instead of 8, 288 evaluations): the plain loop scores every candidate on all"
    echo "windows, one candidate after the other with all cores. The other rows add one improvement, or all of them."
    echo "Remembering candidates does not make scoring faster: known children are replaced by new ones."
    echo
    echo "| loop | candidates scored | seconds | candidates per second | speed relative to the plain loop | best loss |"
    echo "|---|---|---|---|---|---|"
    for name in plain abandon remember side-by-side all; do
        awk -v name="$name" '
            FNR == 1 { file++ }
            $1 == "search" { n = $2; s = $5; rate = $7; if (file == 1) plain = rate }
            $1 == "spent" { loss = $NF }
            END { printf "| %s | %s | %s | %s | %.2f | %s |\n", name, n, s, rate, rate / plain, loss }' \
            "$out/speed-plain.log" "$out/speed-$name.log"
    done
} >"$results/table.md"

# The factors as a table: a row per pair, a column per method.
factors() { # RUN
    awk '/"factors": \[/ { on = 1; next } /\]/ { on = 0 } on { gsub(/[ ,]/, ""); print } /"short"/ { exit }' "$1/config.json"
}
names=
for method in $methods; do case $method in none | dynamic | longrope-*) ;; *) names="$names $method" ;; esac; done
for seed in $seeds; do names="$names longrope-$seed"; done
{
    printf 'pair'
    for name in $names; do printf ',%s' "$name"; done
    echo
    lists=
    for name in $names; do
        factors "$out/$name" >"$out/$name.factors"
        lists="$lists $out/$name.factors"
    done
    # shellcheck disable=SC2086
    paste -d , $lists | awk '{ print NR - 1 "," $0 }'
} >"$results/factors.csv"

# Okabe and Ito's colours, which colour-blind people can tell apart, too; seeds differ in their dashes.
style() { # NAME
    case $1 in
    pi) echo "#56B4E9 1" ;;
    ntk) echo "#009E73 1" ;;
    yarn) echo "#CC79A7 1" ;;
    yarn-tuned) echo "#CC79A7 2" ;;
    llama3) echo "#E69F00 1" ;;
    gradient) echo "#000000 1" ;;
    longrope-*) echo "#D55E00 ${1#longrope-}" ;;
    esac
}
lines=
column=1
for name in $names; do
    column=$((column + 1))
    look=$(style "$name")
    lines="$lines${lines:+, }'$results/factors.csv' using 1:$column with linespoints linewidth 1.5 linecolor rgb '${look% *}' \
dashtype ${look#* } pointtype $((column + 2)) pointsize 0.6 title '$name'"
done

if command -v gnuplot >/dev/null 2>&1; then
    border=$(sed -n 's/.*: \([0-9]*\) fast and.*/\1/p' "$out/pi.log" | head -n 1)
    gnuplot <<GNUPLOT
set terminal svg size 900,560 font "sans-serif,14" background "white"
set output "$results/factors.svg"
set datafile separator ","
set title "Factors by which each pair of channels is slowed, 256 to 2048 tokens"
set xlabel "pair, from the fastest to the slowest"
set ylabel "factor"
set logscale y 2
set yrange [0.95:11]
set key outside right
set xrange [-0.3:*]
set arrow from $border-0.5, graph 0 to $border-0.5, graph 1 nohead dashtype 2 linecolor "gray"
set label "a full turn within 256" at $border-0.7, 10.2 right textcolor "gray"
set label "slower" at $border-0.3, 10.2 left textcolor "gray"
plot $lines
GNUPLOT
else
    echo "no plot: gnuplot is not installed" >&2
fi
