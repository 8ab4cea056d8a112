#!/bin/sh
# SPDX-License-Identifier: MIT
# Tables and the plot of scripts/extend.sh: sh scripts/extend_tables.sh DIR RESULTS "METHODS" "TUNED" "SEEDS"
set -eu
out=$1 results=$2 methods=$3 tuned=$4 seeds=$5
original=256
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"

# Perplexity on positions from..to-1 of windows of `context`, from a --by-position CSV.
perplexity() { # FILE CONTEXT FROM TO
    awk -F , -v context="$2" -v from="$3" -v to="$4" '
        $1 == context && $3 != "all" && $3 >= from && $3 < to { tokens += $4; nats += $4 * $5 }
        END { if (tokens) printf "%.3f", exp(nats / tokens); else printf "-" }' "$1"
}
# The lowest accuracy over depths, with its interval, and the mean over depths.
passkey() { # FILE LENGTH
    awk -F , -v length_="$2" '
        $1 == length_ { sum += $5; n++ }
        $1 == length_ && (least == "" || $5 < least) { least = $5; low = $6; high = $7 }
        END { if (!n) printf "-"
              else printf "%.0f%% (%.0f-%.0f), %.0f%%", 100 * least, 100 * low, 100 * high, 100 * sum / n }' "$1"
}
# A row with the right answers at each depth.
by_depth() { # NAME FILE LENGTH
    awk -F , -v name="$1" -v length_="$3" '$1 == length_ { row = row " " $4 " |" } END { print "| " name " |" row }' "$2"
}
budget() { # RUN: evaluations and tokens
    awk -v e="$(spent "$1" 2)" -v t="$(spent "$1" 4)" 'BEGIN { if (e) printf "%d, %.1f M", e, t / 1e6; else printf "-" }'
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
        row "$method" "$(run_of "$method" frozen)" "$(budget "$(run_of "$method" frozen)")"
    done
    for seed in $seeds; do row "longrope, seed $seed" "$out/longrope-$seed" "$(budget "$out/longrope-$seed")"; done
    echo
    echo "## After the same fine-tuning at 2048"
    echo
    header
    for method in $tuned; do row "$method" "$(run_of "$method" tuned)" "-"; done
    echo
    echo "The same passkeys in windows of 2048 by depth: right answers of 20."
    echo
    echo "| method | 0% | 25% | 50% | 75% | 100% |"
    echo "|---|---:|---:|---:|---:|---:|"
    for method in $tuned; do by_depth "$method" "$(run_of "$method" tuned)/passkey.csv" 2048; done
    echo
    echo "## 64 times, in two rounds with fine-tuning"
    echo
    echo "| window | perplexity | passkey |"
    echo "|---|---|---|"
    awk -F , 'NR > 1 && $3 == "all" { print $1, $6 }' "$out/round2-ft/perplexity.csv" | while read -r context value; do
        printf '| %d | %.3f | %s |\n' "$context" "$value" "$(passkey "$out/round2-ft/passkey.csv" "$context")"
    done
    echo
    echo "| passkeys, right of 10 | 0% | 25% | 50% | 75% | 100% |"
    echo "|---|---:|---:|---:|---:|---:|"
    for length in 2048 16384; do by_depth "$length" "$out/round2-ft/passkey.csv" $length; done
} >"$results/table.md"

# The factors as a table: a row per pair, a column per method.
names=
for method in $methods; do case $method in none | dynamic | longrope-*) ;; *) names="$names $method" ;; esac; done
for seed in $seeds; do names="$names longrope-$seed"; done
{
    printf 'pair'
    for name in $names; do printf ',%s' "$name"; done
    echo
    lists=
    for name in $names; do
        factors_of "$out/$name" | tr , '\n' >"$out/$name.factors"
        lists="$lists $out/$name.factors"
    done
    # shellcheck disable=SC2086
    paste -d , $lists | awk '{ print NR - 1 "," $0 }'
} >"$results/factors.csv"

python3 "$(dirname "$0")/plot.py" "$results/factors.csv" "factor by which a pair of channels is slowed" ||
    echo "there is no plot: scripts/plot.py needs matplotlib"
