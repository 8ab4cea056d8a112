#!/bin/sh
# SPDX-License-Identifier: MIT
# Do learned positions catch up with designed ones as models grow? sh scripts/experiment.sh BITTER [DIR]
# Two comparisons on War and Peace, of six schemes at three sizes with the same depth and number of heads, and with the
# same number of tokens for each parameter (50 minutes on 2 cores): "rates" tries five learning rates, from one seed;
# "ladder" trains five other seeds, each scheme with its best rate for each size. Finished runs are kept: stop it and
# start it again at any time. DIR (runs/experiment) holds the runs and the pages report.html; summaries, plots and
# results.csv go to RESULTS (runs/results/experiment).
# TEXT: the book (see book.sh). SCALE and TOKENS: the sizes, and the tokens for each parameter; TOKENS=0.2 trains a
# hundredth, to try the script.
set -eu
bitter=${1:?"usage: sh scripts/experiment.sh BITTER [DIR]"}
out=${2:-runs/experiment}
results=${RESULTS:-runs/results/experiment}
text=$(sh "$(dirname "$0")/book.sh")
schemes="learned sinusoidal rope rope-random alibi fire"
# shellcheck source=scripts/arms.sh
. "$(dirname "$0")/arms.sh"
from=rates
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
mkdir -p "$out"
made_by "$out/book" "$(gzip -dcf "$text" | cksum)"
[ -f "$out/book/tokenizer.json" ] || "$bitter" prepare --out "$out/book" "$text" >/dev/null

# part NAME OPTIONS...: one comparison, and its report among the results.
part() {
    name=$1 && shift
    "$bitter" compare "$@" --data "$out/book" --context 128 --layers 2 --heads 4 --scale "${SCALE:-20k,70k,200k}" \
        --tokens-per-parameter "${TOKENS:-20}" --batch 8 --warmup 30 --out "$out/$name"
    sh "$(dirname "$0")/keep_report.sh" "$out/$name" "$results/$name"
}
# The lists of schemes are meant to be split into words.
# shellcheck disable=SC2046,SC2086
{
    part rates $(named $schemes) --lr-grid 2e-3,4e-3,8e-3,1.6e-2,3.2e-2 --seeds 1 --seed 11 --eval-every 0 --save-every 1000
    part ladder $(arms $schemes) --seeds 5 --seed 21 --eval-every 200 --save-every 500 \
        --contrast "learned - sinusoidal" --contrast "rope-random - rope" --contrast "fire - alibi"
}
