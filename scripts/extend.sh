#!/bin/sh
# SPDX-License-Identifier: MIT
# RoPE past its trained length, by every method: sh scripts/extend.sh BITTER [DIR]
# A small model is trained at 256 tokens on War and Peace, with a few passkey documents mixed in, and stretched 8 times,
# by formulas, by search and by gradient descent. All runs are scored on held-out text, before and after the same short
# fine-tuning, which also trains the retrieval of passkeys at lengths up to the new one. Then the searched model is
# stretched to 64 times. Finished runs are kept, and a stopped search or training
# continues: stop it and start it again at any time. DIR (runs/extend) holds the runs; tables and the plot of
# the factors go to RESULTS (runs/results/extend).
# TEXT: the book (see book.sh).
set -eu
bitter=${1:?"usage: sh scripts/extend.sh BITTER [DIR]"}
out=${2:-runs/extend}
results=${RESULTS:-runs/results/extend}
text=$(sh "$(dirname "$0")/book.sh")
steps=5000
short_steps=400
keys_steps=400
ft_steps=200
windows=3
seeds="1 2 3"
formulas="pi ntk dynamic yarn llama3"
methods="none $formulas yarn-tuned longrope-1 gradient"
tuned="none pi ntk yarn longrope-1 gradient"
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
mkdir -p "$out" "$results"
started=$(date +%s)
trap 'echo $(($(date +%s) - started)) >>"$out/seconds"' EXIT
trap 'exit 130' INT TERM
# score RUN: measure perplexity and passkeys of a run stretched 8 times. The shortest passkey document has 258 bytes.
score() {
    measure "$1" perplexity --context 256,512,1024,2048 --eval-tokens 65537 --by-position
    measure "$1" passkey --task --data builtin:passkey --samples 20 --context 258,512,1024,2048
}

# --- the runs ---
# Documents before the book make up 30% of the training data; the validation data is the book alone. (When the results
# were recorded, the documents were scattered through the book; windows are drawn at random either way.)
bytes=$(gzip -dcf "$text" | wc -c)
made_by "$out/data" "$(gzip -dcf "$text" | cksum)"
[ -f "$out/data/tokenizer.json" ] ||
    logged "$out/data.log" prepare --out "$out/data" --val 0.072 "builtin:passkey:max=360,bytes=$((bytes * 39 / 100))" "$text"
# For fine-tuning: the same book with more of these documents, 70%.
[ -f "$out/dense/tokenizer.json" ] ||
    logged "$out/dense.log" prepare --out "$out/dense" --val 0.032 "builtin:passkey:max=360,bytes=$((bytes * 21 / 10))" "$text"
# A model this small does not learn to copy a number from the mixture alone. It is first trained on passkey documents
# alone, in small batches, and then on the book. Its accuracy here bounds that of every stretched model: after 12,000
# steps one key in twenty was still copied wrongly at 258 bytes.
train "$out/keys" --data builtin:passkey:max=320,bytes=5e6 --pos rope --layers 4 --heads 4 --width 128 --context 256 --batch 2 \
    --lr 2e-3 --warmup 20 --steps 20000 --eval-every 2000 --save-every 1000
train "$out/base" --init "$out/keys" --data "$out/data" --batch 8 --lr 1e-3 --warmup 100 --steps "$steps" --eval-every 1000 \
    --save-every 500
for method in $formulas; do extend "$out/base" "$out/$method" --method "$method" --factor 8; done
extend "$out/base" "$out/yarn-tuned" --method yarn --tune --factor 8 --windows "$windows"
for seed in $seeds; do
    extend "$out/base" "$out/longrope-$seed" --method longrope --factor 8 --windows "$windows" --seed "$seed"
done
# Descent may read as many tokens as the first search read.
tokens=$(spent "$out/longrope-1" 4)
extend "$out/base" "$out/gradient" --method gradient --factor 8 --windows "$windows" --tokens "$tokens"
# Fine-tuning in three stages. A model whose rotations are stretched finds the key's digits, but writes them in another
# order ('88880' for 8806), at any distance. To copy again it has to see many answers, and short windows give the most
# answers for their time. Then documents of the new length, without the book, teach it to look far back. Each document
# begins with its window, because a window cut at random rarely has both an early key and the question. It nearly fills
# the window, because the longest distances come from a key at the start of a document of full length. Last comes
# the book again, in few small steps and with documents in nine windows of ten: more steps lower the perplexity further,
# but lose keys at the beginning.
finetune() { # RUN NAME: RUN becomes $out/NAME-short, then $out/NAME-keys, then $out/NAME-ft.
    train "$out/$2-short" --init "$1" --data "$out/dense" --documents builtin:passkey:share=0.9,min=255,max=255 \
        --context 256 --batch 16 --steps "$short_steps" --lr 2e-3 --warmup 10 --eval-every 0 --save-every 50
    train "$out/$2-keys" --init "$out/$2-short" --data builtin:passkey:min=255,max=2000,bytes=5e6 \
        --documents builtin:passkey:share=0.9,min=2000,max=2047 --context 2048 --batch 4 --steps "$keys_steps" --lr 2e-3 \
        --warmup 10 --eval-every 0 --save-every 50
    train "$out/$2-ft" --init "$out/$2-keys" --data "$out/data" --documents builtin:passkey:share=0.9,min=2000,max=2047 \
        --context 2048 --batch 4 --steps "$ft_steps" --lr 5e-4 --warmup 10 --eval-every 0 --save-every 50
}
for method in $tuned; do finetune "$(run_of "$method" frozen)" "$method"; done
for method in $methods; do score "$(run_of "$method" frozen)"; done
for method in $tuned; do score "$(run_of "$method" tuned)"; done
for seed in $seeds; do score "$out/longrope-$seed"; done

# --- 64 times, in a second round: another search from the fine-tuned run, smaller because windows are 8 times as long ---
# Recorded with 5 generations of 6 mutations and 6 crossovers.
small="--population 16 --generations 7 --windows 1"
# shellcheck disable=SC2086
extend "$out/longrope-1-ft" "$out/round2" --method longrope --factor 8 $small
# The same stages, and then ever longer documents: one step at 16,384 costs as much as a dozen at 2048, and with a jump
# from 2048 to 16,384 the model had learned after 60 steps to look back only a few thousand bytes.
finetune "$out/round2" round2-2048
before=$out/round2-2048-ft
for length in 4096 8192 16384; do
    train "$out/round2-keys-$length" --init "$before" --data "$out/data" \
        --documents builtin:passkey:share=0.9,min=$((length - length / 32)),max=$((length - 1)) --context $length \
        --batch $((length < 8192 ? 2 : 1)) --steps 100 --lr 1e-3 --warmup 3 --eval-every 0 --save-every 10
    before=$out/round2-keys-$length
done
train "$out/round2-ft" --init "$before" --data "$out/data" --documents builtin:passkey:share=0.8,min=16000,max=16383 \
    --context 16384 --batch 1 --steps 25 --lr 5e-4 --warmup 3 --eval-every 0 --save-every 5
# (The recorded model had, in addition, searched factors for windows of the original length.)
measure "$out/round2-ft" perplexity --context 256,2048,16384 --eval-tokens 131073
measure "$out/round2-ft" passkey --task --data builtin:passkey --samples 10 --context 2048,16384

# --- the tables ---
echo $(($(date +%s) - started)) >>"$out/seconds"
started=$(date +%s)
sh "$(dirname "$0")/extend_tables.sh" "$out" "$results" "$methods" "$tuned" "$seeds"
cat "$results/table.md"
