#!/bin/sh
# SPDX-License-Identifier: MIT
# Train position schemes on the same generated stories, and print the perplexity of each at the trained context and past
# it: sh scripts/demo.sh BITTER [SCHEME...]. STEPS, BATCH, CONTEXT and DATA change the defaults. The runs are in
# runs/demo/, for `bitter sample` and `bitter report`, until the demo runs again.
set -eu
bitter=${1:?"usage: sh scripts/demo.sh BITTER [SCHEME...]"}
shift
[ $# -gt 0 ] || set -- none learned sinusoidal rope alibi
steps=${STEPS:-600} batch=${BATCH:-8} context=${CONTEXT:-128} data=${DATA:-builtin:tales}
runs=runs/demo
mkdir -p "$runs"
printf '%s steps of %s x %s tokens each on %s\n' "$steps" "$batch" "$context" "$data"
printf 'validation perplexity at the trained context (%s) and past it, on text that no model saw:\n\n' "$context"
printf '%-10s %10s %10s %9s %9s %9s %10s\n' scheme parameters positional 1x 2x 4x tokens/s
for scheme; do
    run=$runs/$scheme
    rm -rf "$run"
    "$bitter" train --pos "$scheme" --data "$data" --context "$context" --batch "$batch" --steps "$steps" \
        --eval-every 0 --save-every 0 --out "$run" >"$runs/said"
    parameters=$(sed -n 's/.*[ :]\([0-9]*\) parameters.*/\1/p' "$runs/said")
    positional=$(sed -n 's/.* \([0-9]*\) of them positions.*/\1/p' "$runs/said")
    set --
    for times in 1 2 4; do
        length=$((times * context))
        if "$bitter" eval "$run" --context $length --eval-tokens 65536 --csv "$runs/table.csv" >/dev/null 2>"$runs/said"; then
            set -- "$@" "$(awk -F , 'NR == 2 { printf "%.3f", $6 }' "$runs/table.csv")"
        else
            set -- "$@" -
            why=$(sed 's/.*--context [0-9]*: //; s/; choose.*//' "$runs/said")
        fi
    done
    speed=$(awk -F , 'END { printf "%.0f", $2 / $3 }' "$run/log.csv")
    printf '%-10s %10s %10s %9s %9s %9s %10s\n' "$scheme" "$parameters" "${positional:-0}" "$@" "$speed"
done
rm -f "$runs/said" "$runs/table.csv"
[ -z "${why:-}" ] || printf '\n-: %s\n' "$why"
