#!/bin/sh
# Tables and plots of scripts/extend_rule.sh: sh scripts/extend_rule_tables.sh BITTER DIR RESULTS "TEXTS" "SEEDS"
# Models that are not finished are left out.
set -eu
bitter=$1 out=$2 results=$3 texts=$4 seeds=$5
pairs=16
methods="yarn rule free gradient rising"
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
interval() { # COMPARISONS
    awk -v m="$1" -f "$(dirname "$0")/interval.awk"
}
nats() { # RUN
    awk -F , '$3 == "all" { print $5 }' "$1/loss.csv"
}

models=
for text in $texts; do
    for seed in $seeds; do
        last=$out/$text-$seed-back-$((pairs - 1))/loss.csv
        if [ -f "$last" ]; then models="$models $text-$seed"; else echo "left out: $text-$seed" >&2; fi
    done
done
[ -n "$models" ] || exit 0

# A row for each model and method: the loss on held-out text, in nats, and the factors.
{
    echo "text,seed,method,nats,unscaled,$(awk -v n=$pairs 'BEGIN { for (i = 0; i < n; i++) printf "%sfactor_%d", (i ? "," : ""), i }')"
    for model in $models; do
        for method in $methods; do
            run=$out/$model-$method
            echo "${model%-*},${model##*-},$method,$(nats "$run"),$(unscaled_of "$run"),$(factors_of "$run")"
        done
    done
} >"$results/rule.csv"

# A row for each model and pair: the gradient's factor, whether it is below that of a faster pair, and by how much the
# loss rises when this pair alone is set back to its neighbours.
{
    echo "text,seed,pair,factor,falls,back"
    for model in $models; do
        before=$(nats "$out/$model-gradient")
        pair=0
        most=0
        for factor in $(factors_of "$out/$model-gradient" | tr , ' '); do
            after=$(nats "$out/$model-back-$pair")
            echo "$factor $most $after $before" | awk -v model="${model%-*},${model##*-}" -v pair=$pair \
                '{ printf "%s,%d,%.6g,%d,%.9g\n", model, pair, $1, $1 < 0.95 * $2, $3 - $4 }'
            most=$(echo "$factor $most" | awk '{ print ($1 > $2 ? $1 : $2) }')
            pair=$((pair + 1))
        done
    done
} >"$results/rule_pairs.csv"

# gap METHOD OTHER: lines "text difference" for all models.
gap() {
    awk -F , -v a="$1" -v b="$2" '$3 == a { x[$1 "-" $2] = $4; text[$1 "-" $2] = $1 } $3 == b { y[$1 "-" $2] = $4 }
        END { for (k in x) print text[k], x[k] - y[k] }' "$results/rule.csv"
}
# gap_row NAME METHOD OTHER: a row of the table of differences: of all models, and the mean of each text.
gap_row() {
    gap "$2" "$3" | interval 4 | awk -v name="$1" '{ printf "| %s | %+.4f (%+.4f to %+.4f) |", name, $1, $2, $3 }'
    for text in $texts; do
        gap "$2" "$3" | awk -v text="$text" '$1 == text { s += $2; n++ } END { if (n) printf " %+.4f |", s / n; else printf " - |" }'
    done
    echo
}
{
    sh "$(dirname "$0")/machine.sh" "make extend-rule" "$out/${models##* }"
    echo
    # shellcheck disable=SC2086
    set -- $models
    echo "Is LongRoPE's rule right, that factors rise from the fastest pair to the slowest? $# models (each text with each"
    echo "seed; 2 layers, width 64, trained in windows of 256 bytes) are stretched 8 times. Losses are in nats per byte on"
    echo "held-out text in windows of 2048. Intervals are 95%, over seeds within texts, corrected for the number of rows of"
    echo "their table (Bonferroni); they speak about other models on these texts, not about other texts."
    echo
    echo "## Losses"
    echo
    echo "| method | mean |$(for text in $texts; do printf ' %s |' "$text"; done)"
    echo "|---|---:|$(for text in $texts; do printf -- '---:|'; done)"
    for method in $methods; do
        awk -F , -v method="$method" -v texts="$texts" '$3 == method { s += $4; n++; of[$1] += $4; count[$1]++ }
            END { printf "| %s | %.4f |", method, s / n; k = split(texts, t, " ")
                  for (i = 1; i <= k; i++) if (count[t[i]]) printf " %.4f |", of[t[i]] / count[t[i]]; else printf " - |"
                  print "" }' "$results/rule.csv"
    done
    echo
    echo "\`rule\`: LongRoPE's search. \`free\`: the search without its rule. \`gradient\`: gradient descent. \`rising\`: the"
    echo "gradient's factors, moved to the nearest ones that rise."
    echo
    echo "## Differences (below 0: the first has the lower loss)"
    echo
    echo "| difference | all models |$(for text in $texts; do printf ' %s |' "$text"; done)"
    echo "|---|---|$(for text in $texts; do printf -- '---:|'; done)"
    gap_row "free - rule" free rule
    gap_row "gradient - rule" gradient rule
    gap_row "gradient - free" gradient free
    gap_row "rising - gradient" rising gradient
    echo
    echo "## The gradient's factors by pair"
    echo
    echo "Falls: in how many models the pair's factor is more than 5% below that of a faster pair. Set back: the change of"
    echo "the loss when this pair alone gets the geometric mean of its neighbours' factors; above 0, the pair's own factor"
    echo "is better."
    echo
    echo "| pair | factor: mean (least to most) | falls | loss when set back |"
    echo "|---:|---|---:|---|"
    pair=0
    while [ $pair -lt $pairs ]; do
        awk -F , -v pair=$pair '$3 == pair { s += log($4); n++; falls += $5; if (n == 1 || $4 < low) low = $4; if ($4 > high) high = $4 }
            END { printf "| %d | %.2f (%.2f to %.2f) | %d of %d |", pair, exp(s / n), low, high, falls, n }' "$results/rule_pairs.csv"
        awk -F , -v pair=$pair '$3 == pair { print $1, $6 }' "$results/rule_pairs.csv" | interval $pairs |
            awk '{ printf " %+.4f (%+.4f to %+.4f) |\n", $1, $2, $3 }'
        pair=$((pair + 1))
    done
} >"$results/rule.md"

# wide COLUMN: a table with a column of pairs and one for each model, of this column of rule_pairs.csv.
wide() {
    awk -F , -v column="$1" '
        NR > 1 && !($1 " " $2 in seen) { seen[$1 " " $2] = 1; model[++models] = $1 " " $2 }
        NR > 1 { value[$1 " " $2, $3] = $column; if ($3 > last) last = $3 }
        END {
            printf "pair from the fastest to the slowest"
            for (m = 1; m <= models; m++) printf ",%s", model[m]
            for (pair = 0; pair <= last; pair++) {
                printf "\n%d", pair
                for (m = 1; m <= models; m++) printf ",%s", value[model[m], pair]
            }
            print ""
        }' "$results/rule_pairs.csv"
}
wide 4 >"$results/rule_factors.csv"
wide 6 >"$results/rule_set_back.csv"
"$bitter" report "$results/rule_factors.csv" --log-y --y-label "factor by which gradient descent slows a pair of channels" >/dev/null
"$bitter" report "$results/rule_set_back.csv" --y-label "nats a byte: rise of the loss when one pair is set back to its neighbours" >/dev/null
