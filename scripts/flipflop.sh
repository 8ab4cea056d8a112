#!/bin/sh
# SPDX-License-Identifier: MIT
# State tracking: can one layer with 2 heads and width 64 remember the last bit written? sh scripts/flipflop.sh BITTER [DIR]
# Trains SCHEMES (rope path) on the flip-flop task. The table of the share of reads answered rightly goes to
# RESULTS (runs/results/flipflop). Finished runs in DIR (runs/flipflop) are kept.
set -eu
bitter=${1:?"usage: sh scripts/flipflop.sh BITTER [DIR]"}
out=${2:-runs/flipflop}
results=${RESULTS:-runs/results/flipflop}
schemes=${SCHEMES:-"rope path"}
mkdir -p "$out" "$results"

# right RUN trained|beyond [DATA]: print the share of right answers at trained lengths, or beyond.
right() {
    "$bitter" eval "$1" --task ${3:+--data "$3"} |
        awk -v part="$2" '$1 == (part == "beyond" ? "beyond," : "trained") || $1 == "lengths," {
            if ($1 == "lengths," && seen++ != (part == "beyond")) next
            for (i = 1; i <= NF; i++) if ($i == "right") { print $(i + 1), $(i + 2), $(i + 3), $(i + 4) } }'
}

for scheme in $schemes; do
    run=$out/$scheme
    [ -f "$run/model.safetensors" ] && grep -q "^done" "$run.log" || {
        rm -rf "$run"
        "$bitter" train --data builtin:flipflop --context 160 --layers 1 --heads 2 --width 64 --batch 16 --steps 1500 \
            --lr 3e-3 --pos "$scheme" --out "$run" >"$run.log" 2>&1 || {
            echo "flipflop.sh: training $scheme failed; see the end of $run.log" >&2
            exit 1
        }
    }
done
{
    echo "| scheme | trained lengths | up to twice as long | 10% to ignore | 98% to ignore |"
    echo "|---|---|---|---|---|"
    for scheme in $schemes; do
        run=$out/$scheme
        echo "| $scheme | $(right "$run" trained) | $(right "$run" beyond) | $(right "$run" trained builtin:flipflop:ignore=0.1) | $(right "$run" trained builtin:flipflop:ignore=0.98) |"
    done
    echo
    sh "$(dirname "$0")/machine.sh" "make flipflop" "$run"
} >"$results/table.md"
cat "$results/table.md"
