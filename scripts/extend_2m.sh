#!/bin/sh
# LongRoPE's headline length: one held-out window of 2,097,152 tokens: sh scripts/extend_2m.sh BITTER [DIR]
# A model of 3 layers, of which only the last one looks further back than 16 tokens, is trained in windows of 512 tokens on
# passkeys and on the first 35% of War and Peace. It is stretched 64 times by LongRoPE's search, fine-tuned in windows of
# 4096 tokens, and stretched 512 times further by YaRN's formula on top of the searched factors, because a candidate of the
# search would take an hour there. A last fine-tuning, in windows of 16,384 tokens, is the longest text that the model has
# seen. The other 65% of the book, which nothing else has read, are the window: one pass for its perplexity, which keeps its
# state in a file and continues when it was stopped, and passkeys of that length.
# The table also has the model without the second stretch, and with each half of it alone: YaRN's attention factor with the
# searched factors, and YaRN's factors with the attention factor of the search.
# DIR (runs/extend-2m) holds the runs; 2m.md goes to RESULTS (runs/baseline/extend). LENGTH=131072 measures a shorter window
# (2m-131072.md). TEXT: the book (see book.sh), of at least 3.25 million bytes.
set -eu
bitter=${1:?"usage: sh scripts/extend_2m.sh BITTER [DIR]"}
out=${2:-runs/extend-2m}
results=${RESULTS:-runs/baseline/extend}
length=${LENGTH:-2097152}
lengths="258 4096 32768 262144"
text=$(sh "$(dirname "$0")/book.sh")
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
mkdir -p "$out" "$results"
trap 'exit 130' INT TERM

# windows RUN DATA SHARE LENGTH BATCH STEPS RATE OPTIONS...: train in windows of LENGTH tokens, of which this share begins
# with a passkey document of 255 to LENGTH - 1 bytes. The others are cut from the data.
windows() {
    run=$1 data=$2 documents=builtin:passkey:share=$3,max=$(($4 - 1)) context=$4 batch=$5 steps=$6 rate=$7 && shift 7
    train "$run" "$@" --data "$data" --documents "$documents" --context "$context" --batch "$batch" --steps "$steps" \
        --lr "$rate" --warmup 20 --eval-every 0 --save-every 50
}

# keys RUN LENGTH: right answers at each depth.
keys() { awk -F , 'NR > 1 { printf "%s%s", sep, $4; sep = " " }' "$1/keys-$2.csv"; }

# data DIR SHARE: the book with passkeys through its training part.
data() {
    [ -f "$1/tokenizer.json" ] ||
        logged "$1.log" prepare --out "$1" --val 0.65 "$text" "builtin:passkey:share=$2,max=360"
}
data "$out/mostly-keys" 0.7
data "$out/book" 0.05
# So small a model learns to copy a number when it reads little else; after that it learns to read.
windows "$out/copies" "$out/mostly-keys" 0.9 512 8 3000 3e-3 --pos rope --layers 3 --heads 2 --width 64 --window 16,16,0
windows "$out/base" "$out/book" 0.4 512 8 4000 3e-3 --init "$out/copies"
measure "$out/base" keys-258 --passkey --samples 10 --context 258
[ "$(keys "$out/base" 258 | awk '{ print $1 + $2 + $3 + $4 + $5 }')" -ge 25 ] || {
    echo "${0##*/}: the model has not learned to copy: $out/base finds $(keys "$out/base" 258) of 10 keys at 258 bytes" >&2
    exit 1
}
extend "$out/base" "$out/searched" --method longrope --factor 64 --windows 2 --population 16 --parents 8 --mutations 6 \
    --crossovers 6 --generations 3
windows "$out/tuned" "$out/book" 0.6 4096 4 400 1e-3 --init "$out/searched"
extend "$out/tuned" "$out/long" --method yarn --further --factor 512
windows "$out/long-tuned" "$out/book" 0.5 16384 1 200 5e-4 --init "$out/long"

# The two halves of the second stretch alone.
attention_of() { sed -n 's/.*"attention_factor": \([0-9.]*\).*/\1/p' "$1/config.json" | head -n 1; }
given() { # RUN2 FACTORS_OF ATTENTION_OF
    extend "$out/tuned" "$1" --method given --factor 512 --factors "$(factors_of "$2")" --unscaled "$(unscaled_of "$out/tuned")" \
        --attention-factor "$(attention_of "$3")"
}
given "$out/attention" "$out/tuned" "$out/long"
given "$out/factors" "$out/long" "$out/tuned"
runs="tuned attention factors long long-tuned"
for stretched in $runs; do
    for window in $lengths; do
        measure "$out/$stretched" "keys-$window" --passkey --samples 10 --context "$window"
    done
    measure "$out/$stretched" perplexity --context 512,4096,32768 --eval-tokens 65537
done

# The long window itself.
long=$out/long-tuned
# pass NAME OPTIONS...: one pass through the window, unless it is done; one that was stopped continues.
pass() {
    name=$1-$length && shift
    [ -f "$long/$name.csv" ] && return
    say "$name"
    started=$(date +%s)
    "$bitter" eval "$long" --context "$length" --state "$long/$name.state" --csv "$long/$name.csv" "$@"
    echo $(($(date +%s) - started)) >>"$long/$name.seconds"
}
pass passkey --passkey --samples 1 --depths 1
measure "$long" "keys-$length" --passkey --samples 10 --context "$length"
pass perplexity --eval-tokens $((length + 1))

perplexity() { # CSV CONTEXT
    awk -F , -v context="$2" '$1 == context && $3 == "all" { printf "%.2f", $6 }' "$1"
}
report=$results/2m.md
[ "$length" = 2097152 ] || report=$results/2m-$length.md
{
    sh "$(dirname "$0")/machine.sh" "make extend-2m" "$out/base"
    echo
    cat <<EOF
A model of 3 layers (windows of 16, 16 and all keys), 2 heads and width 64, trained in windows of 512 bytes on the first 35%
of War and Peace and on passkeys; tuned: stretched 64 times by LongRoPE's search and fine-tuned at 4096; long: stretched 512
times further by YaRN's formula; long-tuned: fine-tuned at 16,384. attention and factors have only half of the second
stretch: YaRN's attention factor, or YaRN's factors.

| | perplexity at 512 | 4096 | 32,768 |$(for window in $lengths; do printf ' keys at %s |' "$window"; done)
|---|---:|---:|---:|$(for window in $lengths; do printf -- '---|'; done)
$(for run in $runs; do
        printf '| %s |' "$run"
        for window in 512 4096 32768; do printf ' %s |' "$(perplexity "$out/$run/perplexity.csv" "$window")"; done
        for window in $lengths; do printf ' %s |' "$(keys "$out/$run" "$window")"; done
        echo
    done)

Keys: right answers of 10 at depths of 0, 25, 50, 75 and 100%. One window of $length bytes of the rest of the book, and
passkey documents of that length, through long-tuned (seconds are those of the last start):

| window | perplexity per byte | seconds | keys | one key in the middle | seconds |
|---|---|---|---|---|---|
| $length | $(perplexity "$long/perplexity-$length.csv" "$length") | $(tail -n 1 "$long/perplexity-$length.seconds") | $(keys "$long" "$length") | $(awk -F , 'NR == 2 { print $4 }' "$long/passkey-$length.csv") of 1 | $(tail -n 1 "$long/passkey-$length.seconds") |
EOF
} >"$report"
cat "$report"
