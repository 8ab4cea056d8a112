#!/bin/sh
# Position schemes as models of 2025 use them, by layer: sh scripts/layers.sh BITTER [DIR]
# Trains seven arrangements of RoPE, ALiBi, no positions and windows from three seeds on War and Peace and on recall, a
# task of retrieval (under 30 minutes on 2 cores), and measures the loss in windows of 1 to 8 times the trained length.
# Finished runs are kept: stop it and start it again at any time. DIR (runs/layers) holds the runs and the page
# report.html; summary, plots and results.csv go to RESULTS (runs/baseline/layers).
# TEXT: the book (see book.sh). TOKENS=0.2: so many tokens for each parameter; TASK_STEPS=10: so many steps on the task.
set -eu
bitter=${1:?"usage: sh scripts/layers.sh BITTER [DIR]"}
out=${2:-runs/layers}
results=${RESULTS:-runs/baseline/layers}
text=$(sh "$(dirname "$0")/book.sh")
mkdir -p "$out"
[ -f "$out/book/tokenizer.json" ] || "$bitter" prepare --out "$out/book" "$text" >/dev/null
# three-of-four: no positions in every fourth layer, as in SmolLM3 (Bakouch et al. 2025).
# nope-global:   windows where there are rotations, none where a layer sees everything (Yang et al. 2025, "Rope to Nope
#                and Back Again").
# local-global:  rotations everywhere, with a small base in windows and a large one where a layer sees everything, as in
#                Gemma 3 (2025).
"$bitter" compare rope "three-of-four=rope*3,none" "nope-global=rope*3,none --window 32*3,0" \
    "local-global=rope:base=1e4*3,rope:base=1e6 --window 32*3,0" none alibi "rope-alibi=rope+alibi" \
    --contrast "three-of-four - rope" --contrast "nope-global - rope" --contrast "local-global - rope" \
    --contrast "rope-alibi - rope" --contrast "rope-alibi - alibi" \
    --seeds 3 --data "$out/book" --layers 4 --heads 4 --width 64 --context 128 --batch 8 --lr 8e-3 --min-lr 8e-4 \
    --warmup 50 --tokens-per-parameter "${TOKENS:-15}" --eval-every 0 --save-every 1000 \
    --tasks "recall:max=12" --task-steps "${TASK_STEPS:-1500}" --out "$out"
sh "$(dirname "$0")/keep_report.sh" "$out" "$results"
