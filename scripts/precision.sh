#!/bin/sh
# SPDX-License-Identifier: MIT
# How much each position scheme loses in fewer digits: sh scripts/precision.sh BITTER [DIR]
# Every scheme of `--pos help` is trained in float from several seeds, on the same generated stories, in windows of 512
# tokens, and scored with what it computes from positions in float, bf16, fp8 and int8 (`eval --positions-as`), by
# position, also in windows of 1024. Each run has one thread, and one run per core works at a time. Finished runs are
# kept, and a stopped one continues: stop it and start it again at any time. DIR (runs/precision) holds the runs;
# results.csv and table.md go to RESULTS (runs/results/precision). A scheme that diverges is left out.
# SCHEMES, SEEDS: what to train. STEPS, EVAL_TOKENS: smaller values try the script.
set -eu
bitter=${1:?"usage: sh scripts/precision.sh BITTER [DIR]"}
out=${2:-runs/precision}
results=${RESULTS:-runs/results/precision}
schemes=${SCHEMES:-$("$bitter" train --pos help | sed -n 's/^\([a-z][a-z0-9-]*\)    .*/\1/p')}
seeds=${SEEDS:-"1 2 3"}
steps=${STEPS:-800}
tokens=${EVAL_TOKENS:-32769}
formats="float bf16 fp8 int8"
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
trap 'exit 130' INT TERM

# one SCHEME SEED: train a run and score it in every format. A scheme that is not defined past 512 is scored at 512.
one() {
    run=$out/$1-$2
    train "$run" --data "$out/tales" --pos "$1" --seed "$2" --layers 2 --heads 4 --width 64 --context 512 --batch 1 \
        --lr 4e-3 --warmup 40 --steps "$steps" --eval-every 0 --save-every 200 --threads 1
    lengths=512,1024
    "$bitter" eval "$run" --context 1024 --eval-tokens 1025 --threads 1 >/dev/null 2>&1 || lengths=512
    for format in $formats; do
        measure "$run" "$format" --positions-as "$format" --context $lengths --eval-tokens "$tokens" --by-position --threads 1
    done
}

if [ "${ONE:-}" ]; then
    # shellcheck disable=SC2086
    one $ONE
    exit
fi
mkdir -p "$out" "$results"
[ -f "$out/tales/tokenizer.json" ] || logged "$out/tales.log" prepare --out "$out/tales" builtin:tales:bytes=3e6
failed=
for seed in $seeds; do for scheme in $schemes; do echo "$scheme $seed"; done; done |
    xargs -P "$(getconf _NPROCESSORS_ONLN)" -I '{}' env ONE='{}' STEPS="$steps" EVAL_TOKENS="$tokens" sh "$0" "$bitter" "$out" ||
    failed=1

# A row for each run, format and block of positions: tokens, and the mean loss in nats.
{
    echo "scheme,seed,format,block,tokens,nats"
    for scheme in $schemes; do for seed in $seeds; do for format in $formats; do
        [ ! -f "$out/$scheme-$seed/int8.csv" ] || awk -F , -v run="$scheme,$seed,$format" '
            BEGIN { n = split("0 64 128 256 512 1024", edge, " ") }
            NR > 1 && $3 != "all" {
                for (i = 1; i < n; i++)
                    if ($3 >= edge[i] && $3 < edge[i + 1] && ($1 == 512) == ($3 < 512)) { tokens[i] += $4; nats[i] += $4 * $5 }
            }
            END { for (i = 1; i < n; i++) if (tokens[i]) printf "%s,%d-%d,%d,%.9g\n", run, edge[i], edge[i + 1] - 1, tokens[i], nats[i] / tokens[i] }' \
            "$out/$scheme-$seed/$format.csv"
    done; done; done
} >"$results/results.csv"

# cell SCHEME FORMAT BLOCK: the mean loss in float; for another format, the mean change from float, in parentheses if
# its 95% interval over seeds includes 0 or is unknown.
cell() {
    awk -F , -v scheme="$1" -v format="$2" -v block="$3" '
        $1 == scheme && $4 == block && $3 == "float" { before[$2] = $6 }
        $1 == scheme && $4 == block && $3 == format { print "all", $6 - (format == "float" ? 0 : before[$2]) }' \
        "$results/results.csv" | awk -v m=1 -f "$(dirname "$0")/interval.awk" | awk -v format="$2" '
        $1 == "-" { printf " - |"; next }
        format == "float" { printf " %.3f |", $1; next }
        $1 == 0 && $2 == 0 && $3 == 0 { printf " 0 |"; next }
        { change = $1 < 0.0005 && $1 > -0.0005 ? "0.000" : sprintf("%+.3f", $1)
          printf $2 == "-" || ($2 <= 0 && $3 >= 0) ? " (%s) |" : " %s |", change }'
}
{
    echo "Loss in nats a byte by position in the window, as a mean over the seeds $seeds, and what rounding adds to it. Models of 2"
    echo "layers, 4 heads and width 64 were trained in float for $steps steps of one window of 512 bytes of builtin:tales, and"
    echo "scored on $((tokens - 1)) bytes of its validation part in windows of 512; the last column is from windows of 1024. \`-\`: the"
    echo "scheme is not defined there. In parentheses: the 95% interval over seeds, of this cell alone, includes 0, or there is one"
    echo "seed only. 0: no bit changes."
    for format in $formats; do
        echo
        if [ $format = float ]; then echo "## float: loss"; else echo "## $format: change from float"; fi
        echo
        echo "| scheme | 0-63 | 64-127 | 128-255 | 256-511 | 512-1023 |"
        echo "|---|---:|---:|---:|---:|---:|"
        for scheme in $schemes; do
            printf '| %s |' "$scheme"
            for block in 0-63 64-127 128-255 256-511 512-1023; do cell "$scheme" $format $block; done
            echo
        done
    done
    echo
    echo "## What is rounded"
    echo
    echo "| scheme | what |"
    echo "|---|---|"
    for scheme in $schemes; do
        for seed in $seeds; do cat "$out/$scheme-$seed/bf16.log" 2>/dev/null || true; done |
            sed -n 's/^rounded to bf16, \([^:]*\): \(.*\)/| \1 | \2 |/p' | head -n 1
    done
    echo
    sh "$(dirname "$0")/machine.sh" "make precision" "$out/${schemes%%[!a-z0-9-]*}-${seeds%% *}"
    echo "Program: $(paste -s -d ' ' "$out/commits")."
} >"$results/table.md"
cat "$results/table.md"
[ ! "$failed" ] || {
    echo "precision.sh: some runs failed, see above; start it again to try these once more" >&2
    exit 1
}
