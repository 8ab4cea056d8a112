#!/bin/sh
# Tables and plots of scripts/extend_rule.sh: sh scripts/extend_rule_tables.sh DIR RESULTS "TEXTS" "SEEDS" "METHODS"
# Models that are not finished are left out.
set -eu
out=$1 results=$2 texts=$3 seeds=$4 methods=$5
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

# best NAME METHODS...: of these rows of stdin, the one with the lowest loss on the windows that chose, under this name.
best() {
    name=$1 && shift
    awk -F , -v OFS=, -v name="$name" -v methods=" $* " '
        index(methods, " " $3 " ") && (least == "" || $5 < least) { least = $5; $3 = name; row = $0 } END { print row }'
}
# A row for each model and method: the loss on held-out text and on the windows that chose, in nats, and the factors.
# `within` and `without` are the best ones within the rule and without it.
{
    echo "text,seed,method,nats,chosen,unscaled,$(awk -v n=$pairs 'BEGIN { for (i = 0; i < n; i++) printf "%sfactor_%d", (i ? "," : ""), i }')"
    for model in $models; do
        rows=$(for method in $methods back-all; do
            run=$out/$model-$method
            echo "${model%-*},${model##*-},$method,$(nats "$run"),$(chosen "$run"),$(unscaled_of "$run"),$(factors_of "$run")"
        done)
        echo "$rows"
        echo "$rows" | best within rule rising kept
        echo "$rows" | best without free gradient freed
    done
} >"$results/rule.csv"

# A row for each model and pair: the gradient's factor, whether it is more than 5% below that of a faster pair, and by how
# much the loss rises when it is set to the largest one of these (nothing if it was not).
{
    echo "text,seed,pair,factor,falls,back"
    for model in $models; do
        before=$(nats "$out/$model-gradient")
        factors_of "$out/$model-gradient" | tr , '\n' |
            awk '{ printf "%d %.6g %d\n", NR - 1, $1, $1 < 0.95 * most; if ($1 > most) most = $1 }' |
            while read -r pair factor falls; do
                after=$out/$model-back-$pair rise=
                if [ "$falls" = 1 ] && [ -f "$after/loss.csv" ]; then
                    rise=$(nats "$after" | awk -v before="$before" '{ printf "%.9g", $1 - before }')
                fi
                echo "${model%-*},${model##*-},$pair,$factor,$falls,$rise"
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
    echo "## What the rule costs"
    echo
    echo "The best of three methods within the rule minus the best of three without it (above 0: the rule costs). The best one is"
    echo "the one with the lowest loss on the windows that chose the factors. This was settled before the runs. The number of"
    echo "seeds was not: six were planned, and after the results of three, time was left for a fourth."
    echo
    echo "| difference | all models |$(for text in $texts; do printf ' %s |' "$text"; done)"
    echo "|---|---|$(for text in $texts; do printf -- '---:|'; done)"
    gap_row "within - without" within without 1
    echo
    echo "## Losses"
    echo
    echo "| method | mean |$(for text in $texts; do printf ' %s |' "$text"; done) on the windows that chose |"
    echo "|---|---:|$(for text in $texts; do printf -- '---:|'; done)---:|"
    for method in $methods within without; do
        awk -F , -v method="$method" -v texts="$texts" '$3 == method { s += $4; n++; of[$1] += $4; count[$1]++; on += $5 }
            END { printf "| %s | %.4f |", method, s / n; k = split(texts, t, " ")
                  for (i = 1; i <= k; i++) if (count[t[i]]) printf " %.4f |", of[t[i]] / count[t[i]]; else printf " - |"
                  printf on ? " %.4f |\n" : " - |\n", on / n }' "$results/rule.csv"
    done
    echo
    echo "\`rule\`: LongRoPE's search. \`free\`: the search without its rule, which also moves in other ways. \`gradient\`:"
    echo "gradient descent from the best formula, which reads as many tokens as the search. \`rising\`: the same with the rule."
    echo "\`freed\`: gradient descent from what \`rule\` found, with as many tokens again and a third of the rate. \`kept\`: the same"
    echo "with the rule. \`within\` and \`without\`: the best of three with and without the rule, as above."
    echo
    echo "## Other differences (below 0: the first has the lower loss)"
    echo
    echo "These intervals hold at once (Bonferroni)."
    echo
    echo "| difference | all models |$(for text in $texts; do printf ' %s |' "$text"; done)"
    echo "|---|---|$(for text in $texts; do printf -- '---:|'; done)"
    gap_row "rising - gradient" rising gradient 6
    gap_row "kept - freed" kept freed 6
    gap_row "free - rule" free rule 6
    gap_row "gradient - rule" gradient rule 6
    gap_row "freed - gradient" freed gradient 6
    gap_row "freed - rule" freed rule 6
    echo
    echo "## The gradient's factors by pair"
    echo
    echo "Descent keeps factors between 1 and 10. Falls: in how many models the pair's factor is more than 5% below that of a"
    echo "faster pair. Set back, for pairs that make no full turn in 256 bytes: the mean change of the loss of these models when"
    echo "the pair alone gets the largest factor of the faster pairs (least to most), and when all these pairs get it at once."
    echo "Descent has chosen the factors, so changing one should cost something: the size tells how much hangs on the fall."
    echo
    echo "| pair | factor: mean (least to most) | falls | loss when set back |"
    echo "|---:|---|---:|---|"
    gap back-all gradient |
        interval 1 | awk '$2 != "-" { printf "| all | | | %+.4f (95%% interval %+.4f to %+.4f) |\n", $1, $2, $3 }'
    pair=0
    while [ $pair -lt $pairs ]; do
        awk -F , -v pair=$pair '$3 == pair { s += log($4); n++; falls += $5; if (n == 1 || $4 < low) low = $4; if ($4 > high) high = $4 }
            $3 == pair && $6 != "" { rise += $6; k++; if (k == 1 || $6 < least) least = $6; if (k == 1 || $6 > most) most = $6 }
            END { printf "| %d | %.2f (%.2f to %.2f) | %d of %d |", pair, exp(s / n), low, high, falls, n
                  if (k) printf " %+.4f (%+.4f to %+.4f) |\n", rise / k, least, most; else print " - |" }' "$results/rule_pairs.csv"
        pair=$((pair + 1))
    done
} >"$results/rule.md"

# The picture: the factors by pair, as means of their logarithms over seeds, of search and descent on each text.
awk -F , -v texts="$texts" -v pairs=$pairs '
    $3 == "gradient" || $3 == "rule" {
        name = ($3 == "rule" ? "search" : "descent") " on " $1
        n[name]++
        for (i = 0; i < pairs; i++) sum[name, i] += log($(7 + i))
    }
    END {
        count = split(texts, text, " ")
        printf "pair from the fastest to the slowest"
        for (t = 1; t <= count; t++) printf ",descent on %s,search on %s", text[t], text[t]
        for (i = 0; i < pairs; i++) {
            printf "\n%d", i
            for (t = 1; t <= count; t++)
                printf ",%.6g,%.6g", exp(sum["descent on " text[t], i] / n["descent on " text[t]]),
                    exp(sum["search on " text[t], i] / n["search on " text[t]])
        }
        print ""
    }' "$results/rule.csv" >"$results/rule_factors.csv"
python3 "$(dirname "$0")/plot.py" "$results/rule_factors.csv" "factor by which a pair of channels is slowed" ||
    echo "there is no plot: scripts/plot.py needs matplotlib"
