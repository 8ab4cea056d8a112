#!/bin/sh
# SPDX-License-Identifier: MIT
# YaRN with tuned ends beside LongRoPE's search: sh scripts/extend_tuned.sh BITTER [DIR]
# For each text and each seed a small model is trained in windows of 256 tokens and stretched 8 times: by YaRN's formula
# (yarn), by the formula with the ramp and the two ends that have the lowest loss on text (tuned), by a search with as
# many candidates as that tuning tries, to within 15 (search-equal), and by the default search of `extend` (search). The
# last three choose on the same windows of training text; all are scored on held-out text in windows of 2048 tokens.
# Settled before the runs: to report tuned - search-equal and tuned - search, whose intervals hold together, and the
# share of yarn - search that tuning gains. Each model has one thread, and as many models run at a time as there are
# cores. Finished runs are kept: stop it and start it again at any time. DIR (runs/extend-tuned) holds the runs;
# tuned.csv and tuned.md go to RESULTS (runs/results/extend). TEXT: the book (see book.sh).
# TEXTS, SEEDS, STEPS: train less.
set -eu
bitter=${1:?"usage: sh scripts/extend_tuned.sh BITTER [DIR]"}
out=${2:-runs/extend-tuned}
results=${RESULTS:-runs/results/extend}
texts=${TEXTS:-"book source tales"}
seeds=${SEEDS:-"21 22 23 24"}
steps=${STEPS:-3000}
methods="yarn tuned search-equal search"
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
trap 'exit 130' INT TERM

# one TEXT SEED
one() {
    base=$out/$1-$2
    train "$base" --data "$out/text/$1" --layers 2 --heads 2 --width 64 --context 256 --batch 8 --lr 2e-3 --steps "$steps" \
        --seed "$2" --eval-every 0 --save-every 500 --threads 1
    extend "$base" "$base-yarn" --method yarn --factor 8 --threads 1
    extend "$base" "$base-tuned" --method yarn --tune --factor 8 --threads 1
    tried=$(spent "$base-tuned" 2)
    # Half of the candidates of the first generation are children of each later one.
    extend "$base" "$base-search-equal" --method longrope --factor 8 --seed "$2" --population 32 --generations $(((tried - 32) / 16)) \
        --threads 1
    extend "$base" "$base-search" --method longrope --factor 8 --seed "$2" --threads 1
    for method in $methods; do measure "$base-$method" loss --context 2048 --eval-tokens 65537 --threads 1; done
}

if [ "${ONE:-}" ]; then
    # shellcheck disable=SC2086
    one $ONE
    exit
fi
mkdir -p "$out" "$results"
sh "$(dirname "$0")/texts.sh" "$bitter" "$out/text" >/dev/null
for seed in $seeds; do for text in $texts; do echo "$text $seed"; done; done |
    xargs -P "$(getconf _NPROCESSORS_ONLN)" -I '{}' env ONE='{}' STEPS="$steps" sh "$0" "$bitter" "$out"

{
    echo "text,seed,method,nats,evaluations,tokens"
    for text in $texts; do for seed in $seeds; do for method in $methods; do
        run=$out/$text-$seed-$method
        awk -F , -v name="$text,$seed,$method" -v candidates="$(spent "$run" 2)" -v tokens="$(spent "$run" 4)" \
            '$1 == 2048 && $3 == "all" { printf "%s,%.9g,%s,%s\n", name, $5, candidates, tokens }' "$run/loss.csv"
    done; done; done
} >"$results/tuned.csv"

# mean METHOD COLUMN: over the models.
mean() {
    awk -F , -v method="$1" -v column="$2" '$3 == method { s += $column; n++ } END { print s / n }' "$results/tuned.csv"
}
difference() { # A B: of their losses, with its interval
    awk -F , -v a="$1" -v b="$2" '$3 == a { x[$1 " " $2] = $4 } $3 == b { y[$1 " " $2] = $4 }
        END { for (model in x) { split(model, part, " "); print part[1], x[model] - y[model] } }' "$results/tuned.csv" |
        awk -v m=2 -f "$(dirname "$0")/interval.awk" | awk '{ printf "%+.4f (%+.4f to %+.4f)", $1, $2, $3 }'
}
{
    # shellcheck disable=SC2086
    sh "$(dirname "$0")/machine.sh" "make extend-tuned" "$out/${texts%% *}-${seeds%% *}"
    cat <<EOF

Models of 2 layers and width 64, trained in windows of 256 bytes and stretched 8 times; a model for each of these texts and
seeds: $texts; $seeds. Losses are nats a byte on 65,536 bytes of held-out text in windows of 2048.

| method | loss, mean | candidates | tokens that choosing read, millions |
|---|---:|---:|---:|
$(for method in $methods; do
        printf '| %s | %.4f |' "$method" "$(mean "$method" 4)"
        if [ "$method" = yarn ]; then echo " - | - |"; else printf ' %.0f | %.2f |\n' "$(mean "$method" 5)" "$(mean "$method" 6 | awk '{ print $1 / 1e6 }')"; fi
    done)

| difference | nats a byte (below 0: the first is better) |
|---|---|
| tuned - search-equal | $(difference tuned search-equal) |
| tuned - search | $(difference tuned search) |

The intervals are 95%, over seeds within these texts, and hold together (Student's t, Bonferroni). Tuning has
$(awk -v yarn="$(mean yarn 4)" -v tuned="$(mean tuned 4)" -v search="$(mean search 4)" \
        'BEGIN { printf "%.0f%%", 100 * (yarn - tuned) / (yarn - search) }') of the search's gain over YaRN's formula, in means.
EOF
} >"$results/tuned.md"
cat "$results/tuned.md"
