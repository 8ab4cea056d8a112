#!/bin/sh
# RoPE past its trained length, by every method: sh cmd/extend.sh BITTER [DIR]
# A small model is trained at 256 tokens on War and Peace, with a few passkey documents mixed in, and stretched 8 times,
# by formulas, by search and by gradient; all are scored on text that none of this has seen, before and after the same
# short fine-tuning. Then the searched one goes on to 64 times. What is finished is kept, and a stopped search or
# training continues, so it can be stopped and started again. DIR (runs/extend) holds the runs; tables and the plot of
# the factors go to RESULTS (runs/baseline/extend).
# TEXT: the book, plain or .gz (../shared/data/war-and-peace.txt.gz). PARTS: which of "train methods tune search
# gradient finetune score speed progressive" to do (all).
set -eu
bitter=$1
out=${2:-runs/extend}
results=${RESULTS:-runs/baseline/extend}
text=${TEXT:-../shared/data/war-and-peace.txt.gz}
steps=${STEPS:-6000}
ft_steps=${FT_STEPS:-100}
seeds=${SEEDS:-"1 2 3"}
formulas="pi ntk dynamic yarn llama3"
methods="none $formulas yarn-tuned longrope-1 gradient"
held_out="--eval-tokens 131073"
passkey="--passkey --samples 20"
[ -f "$text" ] || {
    echo "extend.sh: there is no $text; give TEXT=FILE, a long book as plain text (Project Gutenberg's number 2600)" >&2
    exit 2
}
mkdir -p "$out" "$results"
say() {
    echo "$(date +%H:%M:%S) $*"
}

# train RUN OPTIONS...: once, or the rest of it.
train() {
    run=$1 && shift
    grep -q "^done" "$run.log" 2>/dev/null && return
    say "train $run"
    if [ -f "$run/state.safetensors" ]; then
        "$bitter" train --resume --out "$run" >>"$run.log" 2>&1
    else
        rm -rf "$run"
        "$bitter" train "$@" --out "$run" >"$run.log" 2>&1
    fi || {
        echo "extend.sh: training $run failed; see $run.log" >&2
        exit 1
    }
}

# extend RUN RUN2 OPTIONS...: once, or the rest of its search.
extend() {
    from=$1 run=$2 && shift 2
    [ -f "$run/config.json" ] && return
    say "extend $run"
    resume=
    [ -f "$run/search.csv" ] && resume=--resume
    "$bitter" extend "$from" --out "$run" "$@" $resume >>"$run.log" 2>&1 || {
        echo "extend.sh: extending to $run failed; see $run.log" >&2
        exit 1
    }
}

# score RUN: perplexities and passkeys of a run stretched 8 times.
score() {
    run=$1
    if [ ! -f "$run/perplexity.csv" ]; then
        say "perplexity of $run"
        # shellcheck disable=SC2086
        "$bitter" eval "$run" --context 256,512,1024,2048 $held_out --by-position --csv "$run/perplexity.csv" >/dev/null 2>&1
    fi
    if [ ! -f "$run/passkey.csv" ]; then
        say "passkeys of $run"
        # shellcheck disable=SC2086
        "$bitter" eval "$run" $passkey --context 512,1024,2048 --csv "$run/passkey.csv" >/dev/null 2>&1
    fi
}

name_of() { # METHOD STAGE
    [ "$1" = none ] && [ "$2" = frozen ] && echo "$out/base" && return
    [ "$2" = frozen ] && echo "$out/$1" || echo "$out/$1-ft"
}

# --- the runs ---
[ -f "$out/data/tokenizer.json" ] || "$bitter" prepare --out "$out/data" "$text" builtin:passkey >"$out/data.log"
train "$out/base" --data "$out/data" --pos rope --layers 4 --heads 4 --width 128 --context 256 --batch 16 --lr 2e-3 \
    --steps "$steps" --eval-every 500 --save-every 500
for method in $formulas; do extend "$out/base" "$out/$method" --method "$method" --factor 8; done
extend "$out/base" "$out/yarn-tuned" --method yarn --tune --factor 8
for seed in $seeds; do extend "$out/base" "$out/longrope-$seed" --method longrope --factor 8 --seed "$seed"; done
extend "$out/base" "$out/gradient" --method gradient --factor 8
for method in $methods; do
    train "$out/$method-ft" --init "$(name_of "$method" frozen)" --context 2048 --batch 2 --steps "$ft_steps" --lr 5e-4 --warmup 10 \
        --eval-every 0 --save-every 50
done
for method in $methods; do
    score "$(name_of "$method" frozen)"
    score "$(name_of "$method" tuned)"
done
for seed in $seeds; do score "$out/longrope-$seed"; done

# --- the tables ---
sh "$(dirname "$0")/extend_tables.sh" "$out" "$results" "$methods" "$seeds"
cat "$results/table.md"
