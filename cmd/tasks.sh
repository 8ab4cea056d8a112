#!/bin/sh
# Which position schemes solve which tasks, at trained lengths and beyond: sh cmd/tasks.sh BITTER [DIR]
# Every scheme learns every task from several seeds, one thread a run, as many runs side by side as there are cores.
# Finished runs are kept and a killed one continues, so it can be stopped and started again. DIR (runs/tasks) holds the
# runs; results.csv and table.md go to RESULTS (runs/baseline/tasks).
# TASKS, SCHEMES, SEEDS, STEPS: what is tried.
set -eu
bitter=$1
out=${2:-runs/tasks}
results=${RESULTS:-runs/baseline/tasks}
tasks=${TASKS:-"copy addition"}
schemes=${SCHEMES:-"none learned sinusoidal rope alibi t5"}
seeds=${SEEDS:-"1 2 3"}
steps=${STEPS:-3000}
cores=$(getconf _NPROCESSORS_ONLN)
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
mkdir -p "$out" "$results"

# A context that holds twice the trained lengths, so that a table has rows, though untrained ones, for all of them.
context_of() {
    case $1 in
    copy) echo 176 ;;
    addition) echo 144 ;;
    *) echo 256 ;;
    esac
}

# One run and its answers: TASK SCHEME SEED.
one() {
    run=$out/$1-$2-$3
    [ -f "$run/answers.csv" ] && return
    resume=
    [ -f "$run/state.safetensors" ] && resume=--resume
    # shellcheck disable=SC2086
    "$bitter" train --data "builtin:$1" --pos "$2" --seed "$3" --context "$(context_of "$1")" --batch 32 \
        --steps "$steps" --warmup 100 --lr 2e-3 --min-lr 1e-4 --weight-decay 0.01 --eval-every 500 --save-every 500 \
        --out "$run" $resume >"$run.log" 2>&1 &&
        "$bitter" eval "$run" --task --csv "$run/answers.part" >>"$run.log" 2>&1 &&
        mv "$run/answers.part" "$run/answers.csv" && echo "done: $1 $2 seed $3" && return
    echo "failed: $1 $2 seed $3; see $run.log" >&2
    return 1
}

if [ "${ONE:-}" ]; then
    # shellcheck disable=SC2086
    one $ONE
    exit
fi
for seed in $seeds; do for task in $tasks; do for scheme in $schemes; do echo "$task $scheme $seed"; done; done; done |
    xargs -P "$cores" -I '{}' env ONE='{}' TASKS="$tasks" STEPS="$steps" RESULTS="$results" sh "$0" "$bitter" "$out"

echo "task,scheme,seed,length,questions,right,accuracy,low,high" >"$results/results.csv"
for task in $tasks; do for scheme in $schemes; do for seed in $seeds; do
    tail -n +2 "$out/$task-$scheme-$seed/answers.csv" | sed "s/^/$task,$scheme,$seed,/"
done; done; done >>"$results/results.csv"
