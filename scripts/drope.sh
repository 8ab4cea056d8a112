#!/bin/sh
# SPDX-License-Identifier: MIT
# DroPE, dropping RoPE after training (Gelberg et al. 2025, 2512.12167): sh scripts/drope.sh BITTER [DIR]
# From each of several seeds, a model is trained with rope for 7/8 of the steps, in windows of 256 bytes of generated
# stories, three in four of which begin with a passkey document. The last eighth of the steps, at the same length, is
# done twice: with rope and without positions (drope). Compared with these two: the model with rope, stretched 8 times
# by pi, by ntk, by yarn with a tuned ramp and by longrope's search; and a model that never had positions (none),
# trained in the same two parts. So all have the same number of training steps; tuning and search also read training
# text. All are scored on held-out stories and on passkeys in windows of 1, 2, 4 and 8 times the trained length. The
# models of a seed that had rope are trained on one thread, those that had none on another, and as many threads run at a
# time as there are cores. Finished runs are kept, and a stopped one continues: stop it and start it again at any time.
# DIR (runs/drope) holds the runs; results.csv and table.md go to RESULTS (runs/results/drope). Seeds that are not
# finished are left out. SEEDS: the seeds. STEPS: the steps of each model in all; 80 tries the script.
set -eu
bitter=${1:?"usage: sh scripts/drope.sh BITTER [DIR]"}
out=${2:-runs/drope}
results=${RESULTS:-runs/results/drope}
seeds=${SEEDS:-"1 2 3 4 5"}
steps=${STEPS:-5000}
arms="rope drope none pi ntk yarn-tuned longrope"
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
trap 'exit 130' INT TERM

# first RUN SCHEME: 7/8 of the steps; rest RUN FROM SCHEME: the others. Their seeds differ, so that they draw other batches.
first() {
    train "$1" --data "$out/tales" --documents builtin:passkey:share=0.75,max=255 --pos "$2" --seed "$seed" \
        --layers 3 --heads 4 --width 64 --context 256 --batch 4 --lr 4e-3 --warmup 50 --steps $((steps - steps / 8)) \
        --eval-every 0 --save-every 500 --threads 1
}
rest() {
    train "$1" --init "$2" --documents builtin:passkey:share=0.75,max=255 --pos "$3" --seed $((seed + 100)) \
        --lr 2e-3 --warmup $((steps / 80)) --steps $((steps / 8)) --eval-every 0 --save-every 500 --threads 1
}

# score MODEL...: measure models of this seed. The shortest passkey document has 258 bytes.
score() {
    for arm in "$@"; do
        measure "$out/$seed-$arm" perplexity --context 256,512,1024,2048 --eval-tokens 16385 --threads 1
        measure "$out/$seed-$arm" passkey --task --data builtin:passkey --samples 6 --context 258,512,1024,2048 --threads 1
    done
}

# one SEED none|rope: train and score the seed's models that never had positions, or those that had rope.
one() {
    seed=$1
    if [ "$2" = none ]; then
        first "$out/$seed-none-base" none
        rest "$out/$seed-none" "$out/$seed-none-base" none
        score none
        return
    fi
    first "$out/$seed-base" rope
    rest "$out/$seed-rope" "$out/$seed-base" rope
    rest "$out/$seed-drope" "$out/$seed-base" none
    for method in pi ntk; do extend "$out/$seed-rope" "$out/$seed-$method" --method $method --factor 8 --threads 1; done
    extend "$out/$seed-rope" "$out/$seed-yarn-tuned" --method yarn --tune --factor 8 --windows 1 --threads 1
    extend "$out/$seed-rope" "$out/$seed-longrope" --method longrope --factor 8 --windows 2 --population 16 \
        --generations 14 --seed "$seed" --threads 1
    score rope drope pi ntk yarn-tuned longrope
}

if [ "${ONE:-}" ]; then
    # shellcheck disable=SC2086
    one $ONE
    exit
fi
mkdir -p "$out" "$results"
[ -f "$out/tales/tokenizer.json" ] || logged "$out/tales.log" prepare --out "$out/tales" builtin:tales:bytes=3e6
failed=
for seed in $seeds; do for kind in rope none; do echo "$seed $kind"; done; done |
    xargs -P "$(getconf _NPROCESSORS_ONLN)" -I '{}' env ONE='{}' STEPS="$steps" sh "$0" "$bitter" "$out" || failed=1

# For each complete seed, a row for each model and length: the mean loss in nats, and the share of passkeys found over
# all depths. `times` is the length as a multiple of the trained length.
complete=
for seed in $seeds; do
    if [ -f "$out/$seed-longrope/passkey.csv" ] && [ -f "$out/$seed-none/passkey.csv" ]; then
        complete="$complete $seed"
    else
        echo "left out: seed $seed" >&2
    fi
done
[ -n "$complete" ] || exit 1
{
    echo "model,seed,times,nats,passkeys"
    for arm in $arms; do for seed in $complete; do
        awk -F , -v run="$arm,$seed" '
            FNR == 1 { file++; next }
            file == 1 && $3 == "all" { nats[$1] = $5 }
            file == 2 { asked[$1 == 258 ? 256 : $1] += $3; right[$1 == 258 ? 256 : $1] += $4 }
            END { for (l = 256; l <= 2048; l *= 2) printf "%s,%d,%.9g,%.9g\n", run, l / 256, nats[l], right[l] / asked[l] }' \
            "$out/$seed-$arm/perplexity.csv" "$out/$seed-$arm/passkey.csv"
    done; done
} >"$results/results.csv"

# mean ARM TIMES COLUMN: over the seeds.
mean() {
    awk -F , -v arm="$1" -v times="$2" -v column="$3" '$1 == arm && $3 == times { s += $column; n++ } END { print s / n }' \
        "$results/results.csv"
}
# difference ARM TIMES COLUMN SCALE: drope minus the model, its interval over seeds (24 intervals hold at once), and a
# star if the interval does not include 0.
difference() {
    awk -F , -v arm="$1" -v times="$2" -v column="$3" '
        $3 == times && $1 == "drope" { x[$2] = $column } $3 == times && $1 == arm { y[$2] = $column }
        END { for (seed in x) print "all", x[seed] - y[seed] }' "$results/results.csv" |
        awk -v m=24 -f "$(dirname "$0")/interval.awk" | awk -v scale="$4" -v digits="$5" '
        $1 == 0 && $2 == 0 && $3 == 0 { printf " 0 |"; next }
        $2 == "-" { printf " %+.*f |", digits, scale * $1; next }
        { printf " %+.*f (%+.*f to %+.*f)%s |", digits, scale * $1, digits, scale * $2, digits, scale * $3, ($2 > 0 || $3 < 0) ? "*" : "" }'
}
differences() { # COLUMN SCALE DIGITS
    echo "| drope minus | 1x: 256 | 2x: 512 | 4x: 1024 | 8x: 2048 |"
    echo "|---|---|---|---|---|"
    for arm in $arms; do
        [ "$arm" != drope ] || continue
        printf '| %s |' "$arm"
        for times in 1 2 4 8; do difference "$arm" $times "$1" "$2" "$3"; done
        echo
    done
}
{
    # shellcheck disable=SC2086
    set -- $complete
    echo "Models of 3 layers, 4 heads and width 64, all trained for $steps steps of 4 windows of 256 bytes; means over $# seeds."
    echo "Perplexity per byte on 16,384 bytes of held-out stories; passkeys found of 30 a seed, all depths together (the shortest"
    echo "window has 258 bytes)."
    echo
    echo "| model | perplexity at 1x: 256 | 2x: 512 | 4x: 1024 | 8x: 2048 | passkeys at 1x | 2x | 4x | 8x |"
    echo "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for arm in $arms; do
        printf '| %s |' "$arm"
        for times in 1 2 4 8; do printf ' %s |' "$(mean "$arm" $times 4 | awk '{ printf "%.3f", exp($1) }')"; done
        for times in 1 2 4 8; do printf ' %s |' "$(mean "$arm" $times 5 | awk '{ printf "%.0f%%", 100 * $1 }')"; done
        echo
    done
    echo
    echo "Intervals are 95%, over seeds; those of each table below hold at once (Bonferroni, 24). A star: it does not include 0."
    echo
    echo "## Loss: nats a byte (below 0: drope is better)"
    echo
    differences 4 1 3
    echo
    echo "## Passkeys: percentage points (above 0: drope is better)"
    echo
    differences 5 100 0
    echo
    echo "## Passkeys found by each seed, in percent, at 1x, 2x, 4x and 8x"
    echo
    echo "| model |$(printf ' seed %s |' "$@")"
    echo "|---|$(printf -- '---|%.0s' "$@")"
    for arm in $arms; do
        printf '| %s |' "$arm"
        for seed in "$@"; do
            awk -F , -v arm="$arm" -v seed="$seed" '$1 == arm && $2 == seed { printf " %.0f", 100 * $5 } END { printf " |" }' "$results/results.csv"
        done
        echo
    done
    echo
    sh "$(dirname "$0")/machine.sh" "make drope" "$out/$1-base"
    echo "Program: $(paste -s -d ' ' "$out/commits")."
} >"$results/table.md"
cat "$results/table.md"
[ ! "$failed" ] || {
    echo "drope.sh: some runs failed, see above; start it again to try these once more" >&2
    exit 1
}
