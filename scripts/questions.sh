#!/bin/sh
# SPDX-License-Identifier: MIT
# The measurements of docs/questions.md: sh scripts/questions.sh BITTER [NUMBER...]; without a number, all eight questions.
# Trains what a question needs with `bitter compare` in DIR (runs/questions), where finished runs are kept, and lets
# scripts/questions.py measure them. Tables and figures go to RESULTS (runs/results/questions). STEPS, SEEDS (of each
# question) and DATA (a directory of `bitter prepare`; the generated stories) change the recorded settings.
# PYTHON: an interpreter with numpy and matplotlib; without it they are installed into build/questions/venv, once.
set -eu
bitter=${1:?"usage: sh scripts/questions.sh BITTER [NUMBER...]"}
shift
out=${DIR:-runs/questions} results=${RESULTS:-runs/results/questions}
scripts=$(dirname "$0")
[ $# -gt 0 ] || set -- 1 2 3 4 5 6 7 8
for number; do
    case $number in
    [1-8]) ;;
    *) echo "questions.sh: the questions have the numbers 1 to 8, not '$number'" >&2 && exit 2 ;;
    esac
done
mkdir -p "$out" "$results"

python=${PYTHON:-python3}
has_packages() { "$1" -c 'import matplotlib, numpy' 2>/dev/null; }
if ! has_packages "$python"; then
    venv=${BUILD:-build}/questions/venv python=$venv/bin/python
    has_packages "$python" || { python3 -m venv "$venv" && "$python" -m pip install -q numpy matplotlib; } || {
        echo "questions.sh: numpy and matplotlib cannot be installed; set PYTHON to a python that has them" >&2
        exit 2
    }
fi

data=${DATA:-$out/text}
[ -f "$data/tokenizer.json" ] || "$bitter" prepare --out "$data" builtin:tales

# train NAME SEEDS HEADS SCHEME...: a comparison in $out/NAME, and for each scheme an untrained run NAME/start-SCHEME.
train() {
    name=$1 seeds=${SEEDS:-$2} heads=$3
    shift 3
    size="--layers 2 --width 64 --heads $heads --context 64 --batch 16"
    # The words of $size are options.
    "$bitter" compare "$@" --reference "${1%%=*}" --data "$data" $size --steps "${STEPS:-600}" --lr 5e-3 --warmup 50 --eval-tokens 65536 \
        --seeds "$seeds" --out "$out/$name" >"$out/$name.log" 2>&1 || { tail -n 3 "$out/$name.log" >&2 && exit 1; }
    for scheme; do
        start=$out/$name/start-${scheme%%=*}
        [ -f "$start/model.safetensors" ] || "$bitter" train --pos "${scheme#*=}" --data "$data" $size --steps 1 --lr 0 --min-lr 0 \
            --eval-every 0 --eval-tokens 1000 --out "$start" >"$out/$name.log" 2>&1 || { tail -n 3 "$out/$name.log" >&2 && exit 1; }
    done
}

for number; do
    case $number in
    1 | 2 | 3 | 6) runs=codes && train $runs 3 4 rope none learned sinusoidal alibi ;;
    4) runs=spectra && train $runs 5 4 rope 'linear=angle: (n - i) / n' 'one-fast=angle: 1' 'one-slow=angle: 0.05' ;;
    5) runs=pairs && train $runs 3 2 rope ;;
    7) runs=places && train $runs 3 4 none integer "one-channel=code: if(c < 1, t, 0)" normalized binary sinusoidal ;;
    8) runs=filters && train $runs 3 4 rope-learned=rope-learned:start=wide table=table:layers=own fire ;;
    esac
    OPENBLAS_NUM_THREADS=2 "$python" "$scripts/questions.py" "$bitter" "$number" "$out/$runs" "$data" "$results"
    sh "$scripts/machine.sh" "sh scripts/questions.sh" "$(ls -d "$out/$runs"/start-* | head -n 1)" >"$results/machine.md"
done
