#!/bin/sh
# SPDX-License-Identifier: MIT
# LongRoPE's headline length: one held-out window of 2,097,152 tokens: sh scripts/extend_2m.sh BITTER [DIR]
# A model of 3 layers, of which only the last one looks further back than 16 tokens, is trained in windows of 512
# tokens, mostly on passkeys, and on the first 35% of War and Peace. It is stretched 64 times by LongRoPE's search and
# fine-tuned in windows of 4096 tokens. YaRN's formula then stretches the searched factors further, because a
# candidate of the search would take an hour there: 2048 times, which is 4 times more than the window needs. A pair that
# turns twice or more in 4096 tokens keeps its factor, and has been trained at every angle; all others become so slow
# that they hardly turn. The window comes from the other 65% of the book, which neither training nor search has read. It
# is used for one pass for the perplexity, and for passkeys of that length. The table also has the searched model alone,
# each half of the second stretch alone, less stretch, YaRN's own ramp, and the effect of fine-tuning at 4096 after the
# second stretch. Last comes a control that is not stretched: the same training where the layer that sees all keys has
# no positions (2m-control.md; CONTROL=1 does only this). DIR (runs/extend-2m) holds the runs; 2m.md goes to RESULTS
# (runs/results/extend). LENGTH=131072 measures a shorter window (2m-131072.md). TEXT: the book (see book.sh), of at
# least 3.25 million bytes.
set -eu
bitter=${1:?"usage: sh scripts/extend_2m.sh BITTER [DIR]"}
out=${2:-runs/extend-2m}
results=${RESULTS:-runs/results/extend}
length=${LENGTH:-2097152}
lengths="258 4096 32768 262144"
report=$results/2m.md
[ "$length" = 2097152 ] || report=$results/2m-$length.md
text=$(sh "$(dirname "$0")/book.sh")
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
mkdir -p "$out" "$results"
trap 'exit 130' INT TERM

# windows RUN LENGTH BATCH STEPS RATE OPTIONS...: train in windows of LENGTH tokens, of which nine in ten begin with a
# passkey document of 255 to LENGTH - 1 bytes. The others are cut from the data.
windows() {
    run=$1 documents=builtin:passkey:share=0.9,min=255,max=$(($2 - 1)) context=$2 batch=$3 steps=$4 rate=$5 && shift 5
    train "$run" "$@" --data "$out/data" --documents "$documents" --context "$context" --batch "$batch" --steps "$steps" \
        --lr "$rate" --eval-every 0 --save-every 50
}

# keys RUN LENGTH [window-]: right answers at each depth.
keys() { awk -F , 'NR > 1 { printf "%s%s", sep, $4; sep = " " }' "$1/${3:-}keys-$2.csv"; }

# So small a model learns to copy a number only if it reads little else, so most of the training data is passkeys. (When
# the result was recorded, they were scattered through the book; windows are drawn at random either way.)
made_by "$out/data" "$(gzip -dcf "$text" | cksum)"
[ -f "$out/data/tokenizer.json" ] ||
    logged "$out/data.log" prepare --out "$out/data" --val 0.358 \
        "builtin:passkey:max=360,bytes=$(($(gzip -dcf "$text" | wc -c) * 82 / 100))" "$text"
learn() { # RUN SCHEME
    windows "$1" 512 8 6000 3e-3 --warmup 100 --pos "$2" --layers 3 --heads 2 --width 64 --window 16,16,0
}
score() { # RUN
    for window in $lengths; do
        measure "$1" "keys-$window" --task --data builtin:passkey --samples 10 --context "$window"
    done
    measure "$1" perplexity --context 512,4096,32768 --eval-tokens 65537
}
perplexity() { # CSV CONTEXT
    awk -F , -v context="$2" '$1 == context && $3 == "all" { printf "%.2f", $6 }' "$1"
}
table() { # RUN...: a row for each
    cat <<EOF
| | perplexity at 512 | 4096 | 32,768 |$(for window in $lengths; do printf ' keys at %s |' "$window"; done)
|---|---:|---:|---:|$(for window in $lengths; do printf -- '---|'; done)
$(for run; do
        printf '| %s |' "$run"
        for window in 512 4096 32768; do printf ' %s |' "$(perplexity "$out/$run/perplexity.csv" "$window")"; done
        for window in $lengths; do printf ' %s |' "$(keys "$out/$run" "$window")"; done
        echo
    done)

Keys: right answers of 10 at depths of 0, 25, 50, 75 and 100%.
EOF
}

# The control: which of these results need RoPE in the layer that sees all keys, its search and its stretch?
control() {
    learn "$out/control" 'rope*2,none'
    windows "$out/control-tuned" 4096 4 300 1e-3 --warmup 20 --init "$out/control"
    for run in control control-tuned; do score "$out/$run"; done
    measure "$out/control-tuned" "window-keys-$length" --task --data builtin:passkey --samples 5 --context "$length"
    {
        sh "$(dirname "$0")/machine.sh" "CONTROL=1 make extend-2m" "$out/control"
        echo
        echo "As in 2m.md, but without positions in the layer that sees all keys (--pos 'rope*2,none'), without search and stretch:"
        echo "trained at 512 (control), then 300 steps at 4096 (control-tuned)."
        echo
        table control control-tuned
        echo
        echo "In windows of $length: $(keys "$out/control-tuned" "$length" window-) of 5 keys at these depths (control-tuned)."
    } >"${report%.md}-control.md"
    cat "${report%.md}-control.md"
}
if [ "${CONTROL:-}" ]; then
    control
    exit
fi

learn "$out/base" rope
measure "$out/base" keys-258 --task --data builtin:passkey --samples 10 --context 258
[ "$(keys "$out/base" 258 | awk '{ print $1 + $2 + $3 + $4 + $5 }')" -ge 25 ] || {
    echo "${0##*/}: the model has not learned to copy: $out/base finds $(keys "$out/base" 258) of 10 keys at 258 bytes" >&2
    exit 1
}
# The recorded result had generations of 6 mutations and 6 crossovers, 3 of them.
extend "$out/base" "$out/searched" --method longrope --factor 64 --windows 2 --population 16 --generations 4
windows "$out/tuned" 4096 4 300 1e-3 --warmup 20 --init "$out/searched"
extend "$out/tuned" "$out/long" --method yarn --further --factor 2048 --beta-fast 2 --beta-slow 1.5

# The long window itself.
long=$out/long
took() { echo $(($(date +%s) - started)) >>"$long/$name.seconds"; }
# pass NAME OPTIONS...: one pass through the window, unless it is done; one that was stopped begins again.
pass() {
    name=$1-$length && shift
    [ -f "$long/$name.csv" ] && return
    say "$name"
    started=$(date +%s)
    trap took EXIT
    "$bitter" eval "$long" --context "$length" --csv "$long/$name.csv" "$@"
    trap - EXIT
    took
}
pass passkey --task --data builtin:passkey --samples 1 --depths 1
measure "$long" "window-keys-$length" --task --data builtin:passkey --samples 5 --context "$length"
pass perplexity --eval-tokens $((length + 1))

# The effect of the second stretch.
attention_of() { sed -n 's/.*"attention_factor": \([0-9.]*\).*/\1/p' "$1/config.json" | head -n 1; }
given() { # RUN2 FACTORS_OF ATTENTION_OF
    extend "$out/tuned" "$1" --method given --factor 2048 --factors "$(factors_of "$2")" --unscaled "$(unscaled_of "$out/tuned")" \
        --attention-factor "$(attention_of "$3")"
}
given "$out/attention" "$out/tuned" "$out/long"
given "$out/factors" "$out/long" "$out/tuned"
extend "$out/tuned" "$out/less" --method yarn --further --factor 512 --beta-fast 2 --beta-slow 1.5
extend "$out/tuned" "$out/ramp" --method yarn --further --factor 2048
windows "$out/long-tuned" 4096 4 200 1e-3 --warmup 20 --init "$out/long"
runs="tuned attention factors long less ramp long-tuned"
for stretched in $runs; do score "$out/$stretched"; done

seconds() { # PASS: the sum over its starts that were not killed outright
    awk '{ sum += $1 } END { print sum }' "$long/$1-$length.seconds"
}
# shellcheck disable=SC2086 # the runs are meant to be split
{
    sh "$(dirname "$0")/machine.sh" "make extend-2m" "$out/base"
    echo
    cat <<EOF
A model of 3 layers (windows of 16, 16 and all keys), 2 heads and width 64, trained in windows of 512 bytes, mostly on
passkeys, and on the first 35% of War and Peace. No run was trained in windows of more than 4096 bytes.

- tuned: stretched 64 times by LongRoPE's search, and fine-tuned at 4096
- attention: tuned with long's attention factor; factors: tuned with long's factors
- long: tuned, stretched 2048 times further by YaRN's formula: factors of pairs that turn at least twice in 4096 tokens
  stay, all slower ones are multiplied by 2048
- less: as long, but 512 times further, so that slow pairs turn as far in 2,097,152 tokens as they did in 4096
- ramp: as long, with YaRN's own ramp (the factors of pairs that turn 1 to 32 times are multiplied by less)
- long-tuned: long, fine-tuned at 4096

$(table $runs)

One window of $length bytes of the rest of the book, and passkey documents of that length, through long:

| window | perplexity per byte | seconds | one key in the middle | seconds | keys of 5 at each depth |
|---|---|---|---|---|---|
| $length | $(perplexity "$long/perplexity-$length.csv" "$length") | $(seconds perplexity) | $(awk -F , 'NR == 2 { print $4 }' "$long/passkey-$length.csv") of 1 | $(seconds passkey) | $(keys "$long" "$length" window-) |
EOF
} >"$report"
cat "$report"
control
