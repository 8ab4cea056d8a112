#!/bin/sh
# Do learned positions catch up with designed ones as models grow? sh scripts/experiment.sh BITTER [DIR]
# Trains six schemes from three seeds at three sizes of the same depth and the same heads, with the same number of tokens
# for each parameter, on War and Peace (45 minutes on 2 cores). Every scheme has the best of three learning rates at each
# size. Finished runs are kept: stop it and start it again at any time. DIR (runs/experiment) holds the runs and the page
# report.html; the summary, its plots and results.csv go to RESULTS (runs/baseline/experiment).
# TEXT: the book (see book.sh). SCALE and TOKENS: the sizes, and the tokens for each parameter; TOKENS=0.2 trains a
# hundredth, to try the script.
set -eu
bitter=${1:?"usage: sh scripts/experiment.sh BITTER [DIR]"}
out=${2:-runs/experiment}
results=${RESULTS:-runs/baseline/experiment}
text=$(sh "$(dirname "$0")/book.sh")
mkdir -p "$out"
[ -f "$out/book/tokenizer.json" ] || "$bitter" prepare --out "$out/book" "$text" >/dev/null
"$bitter" compare learned sinusoidal rope rope-random=rope-learned:start=random alibi fire \
    --seeds 3 --lr-grid 4e-3,8e-3,1.6e-2 --data "$out/book" --context 128 --layers 2 --heads 4 \
    --scale "${SCALE:-20k,70k,200k}" --tokens-per-parameter "${TOKENS:-20}" \
    --contrast "learned - sinusoidal" --contrast "rope-random - rope" --contrast "fire - alibi" \
    --batch 8 --warmup 30 --lr 8e-3 --eval-every 200 --save-every 500 \
    --tasks "offset:offset=4,min=4,max=12" --width 64 --task-steps 600 --out "$out"
sh "$(dirname "$0")/keep_report.sh" "$out" "$results"
