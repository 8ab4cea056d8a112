#!/bin/sh
# How this folder was made: sh make.sh FIRST LAST, with the programs of the first and of a last commit of version 0.1.0,
# 68b6ecc1 and 235dd3ae.
#   text.txt       the text
#   first, last    a run that was interrupted, by each program; `last` has best weights
#   stretched      `first`, extended by the last program: its rotations are stretched; its weights are those of `first`
#   PROGRAM.csv    the rows of log.csv that the program itself wrote when it continued the run to its end
#   nats.txt       the loss that each program measured with each of its runs
set -eu
first=$1 last=$2
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
cd "$work"
export OMP_NUM_THREADS=1
cp "$folder/text.txt" .

# run NAME PROGRAM OPTION...: interrupt a run between its checkpoints; then let a copy of it come to its end.
run() {
    name=$1 program=$2
    shift 2
    rm -rf data
    "$program" prepare --tokenizer chars --val 0.3 --out data text.txt
    "$program" train --data data --layers 1 --heads 2 --width 8 --context 8 --batch 2 --steps 60 --eval-every 10 \
        --save-every 1 --lr 2e-3 --warmup 0 --threads 1 --out "$name" "$@" &
    while [ "$(wc -l <"$name/log.csv" 2>/dev/null || echo 0)" -lt 16 ]; do :; done
    kill -INT $!
    wait $! || true
    cp -r "$name" end
    "$program" train --resume --out end
    steps=$(tail -n 1 "$name/log.csv" | cut -d , -f 1)
    awk -F , -v steps="$steps" 'NR == 1 || $1 > steps' end/log.csv | cut -d , -f 1,4,5 >"$name.csv"
    rm -r end
    rm -f "$name/lock"
}
nats() { # NAME PROGRAM
    echo "$1 $("$2" eval "$1" --csv table.csv >/dev/null && awk -F , '$3 == "all" { print $5 }' table.csv)"
}
run first "$first" --pos rope
run last "$last" --pos alibi-learned
"$last" extend first --method yarn --factor 2 --out stretched
{ nats first "$last"; nats last "$last"; nats stretched "$last"; } >nats.txt
cmp first/model.safetensors stretched/model.safetensors
rm stretched/model.safetensors
cp -r first last stretched first.csv last.csv nats.txt "$folder"
cd "$folder" && rm -rf "$work"
