#!/bin/sh
# LongRoPE's headline length: one held-out window of 2,097,152 tokens: sh scripts/extend_2m.sh BITTER [DIR]
# A model of 2 layers, one head and width 32 is trained at 256 tokens on passkeys and on the first 35% of War and Peace. It
# is stretched 8 times by LongRoPE's search and fine-tuned, three times over (2,048, 16,384, 131,072 tokens), and then 16
# times further by YaRN's formula on top of the searched factors, because a candidate of the search would take an hour
# there. The other 65% of the book, which nothing else has read, are the window. Two passes: perplexity, and one passkey
# at a depth of 50%. Both keep their state in a file, so the script may be killed and started again at any time.
# DIR (runs/extend-2m) holds the runs; 2m.md goes to RESULTS (runs/baseline/extend). FURTHER=1 measures a window of 131,072
# instead (2m-131072.md).
# TEXT: the book (see book.sh), of at least 3.25 million bytes.
set -eu
bitter=${1:?"usage: sh scripts/extend_2m.sh BITTER [DIR]"}
out=${2:-runs/extend-2m}
results=${RESULTS:-runs/baseline/extend}
text=$(sh "$(dirname "$0")/book.sh")
further=${FURTHER:-16}
length=$((131072 * further))
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
mkdir -p "$out" "$results"
trap 'exit 130' INT TERM

# tuned FROM TO RATE LENGTH:STEPS:BATCH...: fine-tuning to new rotations: first copying again, in short windows; then
# looking far back, in windows of these lengths, each longer than the one before. Nine windows of ten begin with a passkey
# document that nearly fills them; the others are cut from the book.
tuned() {
    to=$2 rate=$3 before=$2-short
    train "$before" --init "$1" --data "$out/data" --documents builtin:passkey:share=0.9,min=255,max=255 --context 256 \
        --batch 16 --steps 1000 --lr 3e-3 --warmup 20 --eval-every 0 --save-every 100
    shift 3
    for stage in "$@"; do
        window=${stage%%:*} steps=${stage#*:}
        train "$to-$window" --init "$before" --data "$out/data" \
            --documents "builtin:passkey:share=0.9,min=$((window - window / 32)),max=$((window - 1))" --context "$window" \
            --batch "${steps#*:}" --steps "${steps%:*}" --lr "$rate" --warmup 5 --eval-every 0 \
            --save-every $((window > 16384 ? 1 : 20))
        before=$to-$window
    done
}

[ -f "$out/data/tokenizer.json" ] ||
    logged "$out/data.log" prepare --out "$out/data" --val 0.65 "$text" builtin:passkey:share=0.7,max=360
# So small a model learns to copy a number from batches of 16 whole documents, and not from a mixture that is cut at random.
train "$out/base" --data "$out/data" --documents builtin:passkey:share=0.9,min=255,max=255 --pos rope --layers 2 --heads 1 \
    --width 32 --context 256 --batch 16 --lr 5e-3 --warmup 100 --steps 10000 --eval-every 2000 --save-every 1000
small="--population 16 --parents 8 --mutations 6 --crossovers 6 --generations 5"
extend "$out/base" "$out/2k" --method longrope --factor 8 --windows 6
tuned "$out/2k" "$out/2k-ft" 2e-3 512:500:16 1024:400:16 2048:400:8
# shellcheck disable=SC2086
extend "$out/2k-ft-2048" "$out/16k" --method longrope --factor 8 --windows 2 $small
tuned "$out/16k" "$out/16k-ft" 2e-3 2048:200:8 4096:200:4 8192:200:2 16384:200:1
extend "$out/16k-ft-16384" "$out/128k" --method longrope --factor 8 --windows 1 --population 8 --parents 4 --mutations 4 \
    --crossovers 2 --generations 2
tuned "$out/128k" "$out/128k-ft" 2e-3 4096:200:4 16384:100:1 32768:50:1 65536:24:1 131072:12:1
long=$out/128k-ft-131072
[ "$further" = 1 ] || {
    long=$out/long-$further
    extend "$out/128k-ft-131072" "$long" --method yarn --further --factor "$further"
}

# What the tuned model does at the lengths that it was trained at.
measure "$out/128k-ft-131072" perplexity --context 256,2048,16384,131072 --eval-tokens 131073
measure "$out/128k-ft-131072" passkey --passkey --samples 10 --context 258,2048,16384
measure "$out/128k-ft-131072" passkey-128k --passkey --samples 2 --context 131072

# pass NAME OPTIONS...: one pass through the window, unless it is done; one that was stopped continues.
pass() {
    name=$1 && shift
    [ -f "$long/$name.csv" ] && return
    say "$name of $length tokens"
    started=$(date +%s)
    "$bitter" eval "$long" --context "$length" --state "$long/$name.state" --csv "$long/$name.csv" "$@"
    echo $(($(date +%s) - started)) >>"$long/$name.seconds"
}
pass perplexity --eval-tokens $((length + 1))
pass passkey --passkey --samples 1 --depths 1

report=$results/2m.md
[ "$further" = 16 ] || report=$results/2m-$length.md
{
    sh "$(dirname "$0")/machine.sh" "make extend-2m" "$out/base"
    echo
    echo "A model of 2 layers, one head and width 32 (trained at 256 bytes on the first 35% of War and Peace and on passkeys;"
    echo "stretched by LongRoPE's search and fine-tuned at 2048, 16,384 and 131,072)$([ "$further" = 1 ] || echo ", then stretched $further times by YaRN's formula")."
    echo "One window of $length bytes of the rest of the book, and one passkey document of that length with the key in the"
    echo "middle. Seconds are those of the last start."
    echo
    echo "| window | perplexity per byte | passkey | seconds |"
    echo "|---|---|---|---|"
    printf '| %d | %s | %s of 1 | %s, %s |\n' "$length" \
        "$(awk -F , '$3 == "all" { printf "%.3f", $6 }' "$long/perplexity.csv")" \
        "$(awk -F , 'NR == 2 { print $4 }' "$long/passkey.csv")" \
        "$(tail -n 1 "$long/perplexity.seconds")" "$(tail -n 1 "$long/passkey.seconds")"
} >"$report"
cat "$report"
