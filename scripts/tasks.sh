#!/bin/sh
# SPDX-License-Identifier: MIT
# Which position schemes solve which tasks, at trained lengths and beyond: sh scripts/tasks.sh BITTER [DIR]
# Trains every scheme on every task from several seeds, with one thread per run and one run per core. Finished runs are
# kept and a killed one continues: stop it and start it again at any time. DIR (runs/tasks) holds the
# runs; results.csv and table.md go to RESULTS (runs/results/tasks).
# TASKS, SCHEMES, SEEDS, STEPS: what to train.
set -eu
bitter=${1:?"usage: sh scripts/tasks.sh BITTER [DIR]"}
out=${2:-runs/tasks}
results=${RESULTS:-runs/results/tasks}
tasks=${TASKS:-"copy addition"}
schemes=${SCHEMES:-"none learned sinusoidal rope alibi t5"}
seeds=${SEEDS:-"1 2 3"}
steps=${STEPS:-5000}
cores=$(getconf _NPROCESSORS_ONLN)
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
mkdir -p "$out" "$results"

# Trained lengths, and a context of twice the length, so that learned tables have (untrained) rows for all of it.
task_of() {
    case $1 in
    copy) echo "--data builtin:copy:max=10 --context 96" ;;
    addition) echo "--data builtin:addition:max=3 --context 80" ;;
    *) echo "--data builtin:$1" ;;
    esac
}

# one TASK SCHEME SEED: train one run and score its answers.
one() {
    # shellcheck disable=SC2046
    train "$out/$1-$2-$3" $(task_of "$1") --pos "$2" --seed "$3" --layers 3 --heads 4 --width 128 --batch 32 \
        --steps "$steps" --eval-every 500 --save-every 500 --threads 1
    measure "$out/$1-$2-$3" answers --task
}

if [ "${ONE:-}" ]; then
    # shellcheck disable=SC2086
    one $ONE
    exit
fi
for seed in $seeds; do for task in $tasks; do for scheme in $schemes; do echo "$task $scheme $seed"; done; done; done |
    xargs -P "$cores" -I '{}' env ONE='{}' TASKS="$tasks" STEPS="$steps" RESULTS="$results" sh "$0" "$bitter" "$out"

# The rows of all runs' tables, after task, scheme and seed; separated by tabs, since options of schemes contain commas.
rows() {
    for task in $tasks; do for scheme in $schemes; do for seed in $seeds; do
        tail -n +2 "$out/$task-$scheme-$seed/answers.csv" |
            awk -F , -v OFS='\t' -v run="$task	$scheme	$seed" '{ $1 = $1; print run, $0 }'
    done; done; done
}
{
    echo "task,scheme,seed,length,part,exercises,perfect,questions,right,accuracy,low,high,nats"
    rows | awk -F '\t' -v OFS=, '{ if ($2 ~ /,/) $2 = "\"" $2 "\""; $1 = $1; print }'
} >"$results/results.csv"

# Right answers of all seeds together, in percent, with the lowest and highest share of a single seed.
rows | awk -F '\t' -v tasks="$tasks" -v schemes="$schemes" -v seeds="$seeds" '
    $10 != "" { asked[$1, $2, $5, $3] += $8; right[$1, $2, $5, $3] += $9 }
    function cell(task, scheme, part,    i, n, list, all, good, low, high, share) {
        n = split(seeds, list, " "); low = 101; high = -1
        for (i = 1; i <= n; i++) {
            if (!asked[task, scheme, part, list[i]]) return "-"
            share = 100 * right[task, scheme, part, list[i]] / asked[task, scheme, part, list[i]]
            low = share < low ? share : low; high = share > high ? share : high
            all += asked[task, scheme, part, list[i]]; good += right[task, scheme, part, list[i]]
        }
        return sprintf("%.1f (%.1f to %.1f)", 100 * good / all, low, high)
    }
    END {
        t = split(tasks, task, " "); s = split(schemes, scheme, " ")
        printf "| scheme |"; for (i = 1; i <= t; i++) printf " %s, trained | %s, beyond |", task[i], task[i]
        printf "\n|---|"; for (i = 1; i <= 2 * t; i++) printf "---|"
        for (j = 1; j <= s; j++) {
            printf "\n| %s |", scheme[j]
            for (i = 1; i <= t; i++) printf " %s | %s |", cell(task[i], scheme[j], "trained"), cell(task[i], scheme[j], "beyond")
        }
        printf "\n"
    }' >"$results/table.md"
{
    echo
    echo "Right answers of all seeds together in percent, and the lowest and highest share of a single seed. Trained: copying 1"
    echo "to 10 letters and adding numbers of 1 to 3 digits. Beyond: longer ones, up to twice as long."
    sh "$(dirname "$0")/machine.sh" "make tasks" "$out/$(echo "$tasks" | cut -d ' ' -f 1)-$(echo "$schemes" | cut -d ' ' -f 1)-${seeds%% *}"
} >>"$results/table.md"
cat "$results/table.md"
