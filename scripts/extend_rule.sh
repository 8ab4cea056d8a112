#!/bin/sh
# Is LongRoPE's rule, that factors rise from the fastest pair to the slowest, right? sh scripts/extend_rule.sh BITTER [DIR]
# For each text and each seed, a small model is trained in windows of 256 tokens and stretched 8 times, by three methods
# within the rule and by the same three without it: LongRoPE's search (rule, free), gradient descent from the best formula
# (rising, gradient), and gradient descent from the factors that the search within the rule found (kept, freed; at a
# third of the rate). What the rule costs is the loss of the best one within it minus that of the best one without, where
# the windows that chose the factors also say which is the best. This comparison was settled before the runs of these
# seeds; what no method finds, it does not know. Then the gradient's factors that fall among the slow pairs are set to the
# largest one of the faster pairs, one at a time and all at once. All are scored on held-out text in windows of 2048 tokens.
# DIR (runs/extend-rule) holds the runs; rule.csv, rule_pairs.csv, rule.md and the plot rule_factors.svg go to RESULTS
# (runs/results/extend). Finished runs are kept, and a stopped search or training continues.
set -eu
bitter=${1:?"usage: sh scripts/extend_rule.sh BITTER [DIR]"}
out=${2:-runs/extend-rule}
results=${RESULTS:-runs/results/extend}
texts=${TEXTS:-"book source tales"}
seeds=${SEEDS:-"11 12 13 14"} # 15 and 16 were planned, too; there was no time for them
steps=${STEPS:-3000}
windows=${WINDOWS:-6}
tokens=${EVAL_TOKENS:-65537}
search=${SEARCH:-} # other options of the search
slow=7             # the first pair that makes no full turn in 256 tokens: 256 < 2 pi 10000^(7/16)
methods="yarn rule free gradient rising freed kept"
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
mkdir -p "$out" "$results"
trap 'exit 130' INT TERM

# back FACTORS PAIR: the factors with one pair, or all slow ones, at the largest factor of the faster pairs if that is
# larger.
back() {
    echo "$1" | awk -F , -v pair="$2" -v slow=$slow '{
        for (i = 1; i <= NF; i++) {
            value = (pair == "all" ? i > slow : i == pair + 1) && $i < most ? most : $i
            printf "%s%s", (i > 1 ? "," : ""), value
            if ($i > most) most = $i
        }
    }'
}

# falling FACTORS: the slow pairs whose factors are more than 5% below that of a faster pair.
falling() {
    echo "$1" | awk -F , -v slow=$slow '{
        for (i = 1; i <= NF; i++) { if (i > slow && $i < 0.95 * most) print i - 1; if ($i > most) most = $i }
    }'
}

# changed BASE RUN FROM FACTORS: the base with these factors, and the unscaled tokens of FROM.
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
    for method in gradient rising; do
        rising=
        [ $method = gradient ] || rising=--rising
        # shellcheck disable=SC2086
        extend "$base" "$base-$method" --method gradient --factor 8 --windows "$windows" --tokens "$read_tokens" $rising
    done
    for method in freed kept; do
        rising=
        [ $method = freed ] || rising=--rising
        # shellcheck disable=SC2086
        extend "$base" "$base-$method" --method gradient --factor 8 --windows "$windows" --tokens "$read_tokens" --lr 0.01 \
            --factors "$(factors_of "$base-rule")" --unscaled "$(unscaled_of "$base-rule")" $rising
    done
    extend "$base" "$base-yarn" --method yarn --factor 8
    factors=$(factors_of "$base-gradient")
    for pair in $(falling "$factors") all; do
        changed "$base" "$base-back-$pair" "$base-gradient" "$(back "$factors" "$pair")"
        score "$base-back-$pair"
    done
    for method in $methods; do score "$base-$method"; done
}

sh "$(dirname "$0")/texts.sh" "$bitter" "$out/text" >/dev/null
for seed in $seeds; do
    for text in $texts; do study "$text" "$seed"; done
done
sh "$(dirname "$0")/extend_rule_tables.sh" "$out" "$results" "$texts" "$seeds" "$methods"
cat "$results/rule.md"
