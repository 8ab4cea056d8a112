#!/bin/sh
# Is LongRoPE's rule, that factors rise from the fastest pair to the slowest, right? sh scripts/extend_rule.sh BITTER [DIR]
# For each text and each seed, a small model is trained in windows of 256 tokens and stretched 8 times: by the search with
# the rule, by the search without it (--free), and by gradient descent, which may read as many tokens. Then the gradient's
# factors are changed: made to rise (the nearest rising factors, isotonic regression of their logarithms), and one pair at
# a time is set back to the geometric mean of its neighbours. All are scored on held-out text in windows of 2048 tokens.
# DIR (runs/extend-rule) holds the runs; rule.csv, rule_pairs.csv, rule.md and the plots rule_*.svg go to RESULTS
# (runs/baseline/extend). Finished runs are kept, and a stopped search or training continues.
set -eu
bitter=${1:?"usage: sh scripts/extend_rule.sh BITTER [DIR]"}
out=${2:-runs/extend-rule}
results=${RESULTS:-runs/baseline/extend}
texts=${TEXTS:-"book source tales"}
seeds=${SEEDS:-"1 2 3"}
steps=${STEPS:-3000}
windows=${WINDOWS:-6}
tokens=${EVAL_TOKENS:-65537}
search=${SEARCH:-} # other options of the search
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
mkdir -p "$out" "$results"
trap 'exit 130' INT TERM

# rising FACTORS: the nearest ones that rise. Neighbours that fall become their mean, as long as there are any.
rising() {
    echo "$1" | awk -F , '{
        for (i = 1; i <= NF; i++) {
            n++; mean[n] = log($i); weight[n] = 1
            while (n > 1 && mean[n - 1] > mean[n]) {
                mean[n - 1] = (mean[n - 1] * weight[n - 1] + mean[n] * weight[n]) / (weight[n - 1] + weight[n])
                weight[n - 1] += weight[n]; n--
            }
        }
        for (b = 1; b <= n; b++) for (w = 0; w < weight[b]; w++) { printf "%s%.6g", sep, exp(mean[b]); sep = "," }
    }'
}

# back FACTORS PAIR: the factors with one pair at the geometric mean of its neighbours, or at its only neighbour's.
back() {
    echo "$1" | awk -F , -v pair="$2" '{
        for (i = 1; i <= NF; i++) {
            factor = $i
            if (i == pair + 1) factor = i == 1 ? $2 : i == NF ? $(NF - 1) : sqrt($(i - 1) * $(i + 1))
            printf "%s%.6g", (i > 1 ? "," : ""), factor
        }
    }'
}

# changed BASE RUN FROM FACTORS: the base with those factors, and the unscaled tokens of FROM.
changed() {
    extend "$1" "$2" --method given --factor 8 --factors "$4" --unscaled "$(unscaled_of "$3")"
}

score() { # RUN
    measure "$1" loss --context 2048 --eval-tokens "$tokens"
}

# study TEXT SEED
study() {
    base=$out/$1-$2
    train "$base" --data "$out/text/$1" --layers 2 --heads 2 --width 64 --context 256 --batch 8 --lr 2e-3 --steps "$steps" \
        --seed "$2" --eval-every 0 --save-every 500
    for method in rule free; do
        free=
        [ $method = rule ] || free=--free
        # shellcheck disable=SC2086
        extend "$base" "$base-$method" --method longrope --factor 8 --windows "$windows" --seed "$2" $search $free
    done
    read_tokens=$(sed -n 's/.*"tokens": \([0-9]*\)$/\1/p' "$base-rule/config.json" | tail -n 1)
    extend "$base" "$base-gradient" --method gradient --factor 8 --windows "$windows" --tokens "$read_tokens"
    factors=$(factors_of "$base-gradient")
    changed "$base" "$base-rising" "$base-gradient" "$(rising "$factors")"
    pair=0
    while [ $pair -lt 16 ]; do
        changed "$base" "$base-back-$pair" "$base-gradient" "$(back "$factors" $pair)"
        pair=$((pair + 1))
    done
    extend "$base" "$base-yarn" --method yarn --factor 8
    for run in "$base-yarn" "$base-rule" "$base-free" "$base-gradient" "$base-rising" "$base"-back-*; do
        case $run in *.log) ;; *) score "$run" ;; esac
    done
}

sh "$(dirname "$0")/texts.sh" "$bitter" "$out/text" >/dev/null
for seed in $seeds; do
    for text in $texts; do study "$text" "$seed"; done
done
sh "$(dirname "$0")/extend_rule_tables.sh" "$bitter" "$out" "$results" "$texts" "$seeds"
cat "$results/rule.md"
