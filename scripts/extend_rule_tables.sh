#!/bin/sh
# Tables and plots of scripts/extend_rule.sh: sh scripts/extend_rule_tables.sh BITTER DIR RESULTS "TEXTS" "SEEDS" "METHODS"
# Models that are not finished are left out.
set -eu
bitter=$1 out=$2 results=$3 texts=$4 seeds=$5 methods=$6
pairs=16
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
interval() { # COMPARISONS
    awk -v m="$1" -f "$(dirname "$0")/interval.awk"
}
nats() { # RUN
    awk -F , '$3 == "all" { print $5 }' "$1/loss.csv"
}
# chosen RUN: the loss that its factors had on the windows that they were chosen on; nothing for a formula.
chosen() {
    awk '/"search":/ { on = 1 } on && /"loss":/ { gsub(/[^0-9.e+-]/, "", $2); print $2; exit }' "$1/config.json"
}

models=
for text in $texts; do
    for seed in $seeds; do
        last=$out/$text-$seed-${methods##* }/loss.csv
        if [ -f "$last" ]; then models="$models $text-$seed"; else echo "left out: $text-$seed" >&2; fi
    done
done
[ -n "$models" ] || exit 0

# A row for each model and method: the loss on held-out text and on the windows that chose, in nats, and the factors.
{
    echo "text,seed,method,nats,chosen,unscaled,$(awk -v n=$pairs 'BEGIN { for (i = 0; i < n; i++) printf "%sfactor_%d", (i ? "," : ""), i }')"
    for model in $models; do
        for method in $methods back-all; do
            run=$out/$model-$method
            echo "${model%-*},${model##*-},$method,$(nats "$run"),$(chosen "$run"),$(unscaled_of "$run"),$(factors_of "$run")"
        done
    done
} >"$results/rule.csv"

# A row for each model and pair: the gradient's factor, whether it is more than 5% below that of a faster pair, and by how
# much the loss rises when it is set to the largest one of these (nothing if it does not fall).
{
    echo "text,seed,pair,factor,falls,back"
    for model in $models; do
        before=$(nats "$out/$model-gradient")
        pair=0
        for factor in $(factors_of "$out/$model-gradient" | tr , ' '); do
            after=$out/$model-back-$pair
            if [ -f "$after/loss.csv" ]; then
                rise="1,$(nats "$after" | awk -v before="$before" '{ printf "%.9g", $1 - before }')"
            else
                rise=0,
            fi
            printf '%s,%s,%d,%.6g,%s\n' "${model%-*}" "${model##*-}" $pair "$factor" "$rise"
            pair=$((pair + 1))
        done
    done
} >"$results/rule_pairs.csv"

# gap METHOD OTHER: lines "text difference" for all models.
gap() {
    awk -F , -v a="$1" -v b="$2" '$3 == a { x[$1 "-" $2] = $4; text[$1 "-" $2] = $1 } $3 == b { y[$1 "-" $2] = $4 }
        END { for (k in x) print text[k], x[k] - y[k] }' "$results/rule.csv"
}
# gap_row NAME METHOD OTHER COMPARISONS: a row of a table of differences: of all models, and the mean of each text.
gap_row() {
    gap "$2" "$3" | interval "$4" | awk -v name="$1" '
        $2 == "-" { printf "| %s | %+.4f |", name, $1; next }
        { printf "| %s | %+.4f (%+.4f to %+.4f) |", name, $1, $2, $3 }'
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
    echo "held-out text in windows of 2048. Intervals are 95%, over seeds within texts. They speak about other models on these"
    echo "texts and windows, not about other texts."
    echo
    echo "## With the rule or without"
    echo
    echo "Gradient descent with the rule minus the same descent without it (above 0: the rule costs), from the best formula and"
    echo "from the factors that LongRoPE's search found. These two intervals hold at once (Bonferroni)."
    echo
    echo "| difference | all models |$(for text in $texts; do printf ' %s |' "$text"; done)"
    echo "|---|---|$(for text in $texts; do printf -- '---:|'; done)"
    gap_row "from the formula: rising - gradient" rising gradient 2
    gap_row "from the search: kept - freed" kept freed 2
    echo
    echo "## Losses"
    echo
    echo "| method | mean |$(for text in $texts; do printf ' %s |' "$text"; done) on the windows that chose |"
    echo "|---|---:|$(for text in $texts; do printf -- '---:|'; done)---:|"
    for method in $methods; do
        awk -F , -v method="$method" -v texts="$texts" '$3 == method { s += $4; n++; of[$1] += $4; count[$1]++; on += $5 }
            END { printf "| %s | %.4f |", method, s / n; k = split(texts, t, " ")
                  for (i = 1; i <= k; i++) if (count[t[i]]) printf " %.4f |", of[t[i]] / count[t[i]]; else printf " - |"
                  printf on ? " %.4f |\n" : " - |\n", on / n }' "$results/rule.csv"
    done
    echo
    echo "\`rule\`: LongRoPE's search. \`free\`: the search without its rule, which also moves in other ways. \`gradient\`:"
    echo "gradient descent from the best formula. \`rising\`: the same with the rule. \`freed\`: gradient descent from what \`rule\`"
    echo "found. \`kept\`: the same with the rule."
    echo
    echo "## Other differences (below 0: the first has the lower loss)"
    echo
    echo "These intervals hold at once (Bonferroni)."
    echo
    echo "| difference | all models |$(for text in $texts; do printf ' %s |' "$text"; done)"
    echo "|---|---|$(for text in $texts; do printf -- '---:|'; done)"
    gap_row "free - rule" free rule 4
    gap_row "gradient - rule" gradient rule 4
    gap_row "freed - gradient" freed gradient 4
    gap_row "freed - rule" freed rule 4
    echo
    echo "## The gradient's factors by pair"
    echo
    echo "Falls: in how many models the pair's factor is more than 5% below that of a faster pair. Set back: the mean change of"
    echo "the loss of these models when the pair alone gets the largest factor of the faster pairs (least to most), and when all"
    echo "falling pairs get it at once. Descent has chosen the factors, so changing one should cost something: the size tells"
    echo "how much hangs on the fall."
    echo
    echo "| pair | factor: mean (least to most) | falls | loss when set back |"
    echo "|---:|---|---:|---|"
    gap back-all gradient |
        interval 1 | awk '$2 != "-" { printf "| all | | | %+.4f (95%% interval %+.4f to %+.4f) |\n", $1, $2, $3 }'
    pair=0
    while [ $pair -lt $pairs ]; do
        awk -F , -v pair=$pair '$3 == pair { s += log($4); n++; falls += $5; if (n == 1 || $4 < low) low = $4; if ($4 > high) high = $4 }
            $3 == pair && $5 { rise += $6; k++; if (k == 1 || $6 < least) least = $6; if (k == 1 || $6 > most) most = $6 }
            END { printf "| %d | %.2f (%.2f to %.2f) | %d of %d |", pair, exp(s / n), low, high, falls, n
                  if (k) printf " %+.4f (%+.4f to %+.4f) |\n", rise / k, least, most; else print " - |" }' "$results/rule_pairs.csv"
        pair=$((pair + 1))
    done
} >"$results/rule.md"

# A table with a row for each pair and a column for each model: the gradient's factors.
awk -F , '
    NR > 1 && !($1 " " $2 in seen) { seen[$1 " " $2] = 1; model[++models] = $1 " " $2 }
    NR > 1 { value[$1 " " $2, $3] = $4; if ($3 > last) last = $3 }
    END {
        printf "pair from the fastest to the slowest"
        for (m = 1; m <= models; m++) printf ",%s", model[m]
        for (pair = 0; pair <= last; pair++) {
            printf "\n%d", pair
            for (m = 1; m <= models; m++) printf ",%s", value[model[m], pair]
        }
        print ""
    }' "$results/rule_pairs.csv" >"$results/rule_factors.csv"
"$bitter" report "$results/rule_factors.csv" --log-y --y-label "factor by which gradient descent slows a pair of channels" >/dev/null
