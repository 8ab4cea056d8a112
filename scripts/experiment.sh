#!/bin/sh
# Do learned positions catch up with designed ones as compute grows? sh scripts/experiment.sh BITTER [DIR]
# Trains nine schemes from five seeds at three sizes with the same number of tokens per parameter, on War and Peace.
# Finished runs are kept: stop it and start it again at any time. DIR (runs/experiment) holds the runs; the report, its plots and results.csv go to
# RESULTS (runs/baseline/experiment).
# TEXT: the book, plain or .gz (../shared/data/war-and-peace.txt.gz).
set -eu
bitter=${1:?"usage: sh scripts/experiment.sh BITTER [DIR]"}
out=${2:-runs/experiment}
results=${RESULTS:-runs/baseline/experiment}
text=${TEXT:-../shared/data/war-and-peace.txt.gz}
[ -f "$text" ] || {
    echo "experiment.sh: there is no $text; set TEXT to a long book as plain text (such as Project Gutenberg's number 2600)" >&2
    exit 2
}
mkdir -p "$out" "$results"
[ -f "$out/data/tokenizer.json" ] || "$bitter" prepare --out "$out/data" "$text" >/dev/null
"$bitter" compare none learned sinusoidal rope alibi rope-learned t5 fire alibi-learned --seeds 5 --data "$out/data" \
    --scale "${SCALE:-25k,70k,200k}" --tokens-per-parameter "${TOKENS:-20}" --context 128 --batch 8 --warmup 30 --lr 3e-3 --min-lr 3e-4 \
    --eval-every 200 --eval-tokens 65536 --save-every 500 --tasks "offset:offset=4,min=4,max=12" --layers 2 --heads 4 --width 64 --task-steps 600 --out "$out"
rm -f "$results"/plot-*.svg
for file in "$out"/report.html "$out"/report.md "$out"/results.csv "$out"/plot-*.svg; do
    [ ! -f "$file" ] || cp "$file" "$results"
done
