#!/bin/sh
# Do learned positions catch up with designed ones as models grow? sh scripts/experiment.sh BITTER [DIR]
# Trains nine schemes from five seeds at three sizes of the same depth and the same heads, with the same number of
# tokens for each parameter, on War and Peace (50 minutes on 2 cores). Finished runs are kept: stop it and start it
# again at any time. DIR (runs/experiment) holds the runs and the page report.html; the summary, its plots and
# results.csv go to RESULTS (runs/baseline/experiment).
# TEXT: the book (see book.sh). SCALE and TOKENS: the sizes, and the tokens for each parameter; TOKENS=0.2 trains a
# hundredth, to try the script.
set -eu
# All have the learning rate 3e-3. SCHEME@RATE gives a scheme a rate of its own, such as the best one of
# experiment_full.sh.
schemes="none learned sinusoidal rope alibi rope-learned t5 fire alibi-learned"

bitter=${1:?"usage: sh scripts/experiment.sh BITTER [DIR]"}
out=${2:-runs/experiment}
results=${RESULTS:-runs/baseline/experiment}
text=$(sh "$(dirname "$0")/book.sh")
mkdir -p "$out"
[ -f "$out/book/tokenizer.json" ] || "$bitter" prepare --out "$out/book" "$text" >/dev/null
# The list of schemes is meant to be split into words.
# shellcheck disable=SC2086
"$bitter" compare $schemes --seeds 5 --data "$out/book" --context 128 --layers 2 --heads 4 \
    --scale "${SCALE:-20k,70k,200k}" --tokens-per-parameter "${TOKENS:-20}" \
    --contrast "learned - sinusoidal" --contrast "rope-learned - rope" --contrast "t5 - alibi" \
    --contrast "fire - alibi" --contrast "alibi-learned - alibi" \
    --batch 8 --warmup 30 --lr 3e-3 --min-lr 3e-4 --eval-every 200 --save-every 500 \
    --tasks "offset:offset=4,min=4,max=12" --width 64 --task-steps 600 --out "$out"
sh "$(dirname "$0")/keep_report.sh" "$out" "$results"
