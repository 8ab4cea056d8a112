# SPDX-License-Identifier: MIT
# What bench.sh, bench_blas.sh and bench_peers.sh share; they source it.
complain() {
    echo "$(basename "$0"): $1" >&2
    exit 2
}
whole() { # NAME VALUE
    case $2 in *[!0-9]* | '' | 0) complain "$1 is a number of 1 or more, not '$2'" ;; esac
}

# Check $bitter and the number of rounds, and make a directory for the time of the script -> $scratch.
begin() { # ROUNDS
    [ -x "$bitter" ] || complain "there is no program $bitter; build it with \`make\`"
    whole ROUNDS "$1"
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 130' INT TERM
}

# The shape's model -> $model, its steps -> $steps, its threads -> $threads.
choose() {
    threads=$cores
    case $1 in
    A) layers=4 heads=4 width=128 context=64 batch=12 vocab=65 steps=100 ;;
    B) layers=6 heads=6 width=384 context=256 batch=16 vocab=65 steps=5 ;;
    C) layers=12 heads=12 width=768 context=1024 batch=1 vocab=50304 steps=3 ;;
    E) layers=2 heads=5 width=80 context=128 batch=8 vocab=257 steps=150 threads=1 ;;
    F) layers=1 heads=2 width=32 context=128 batch=8 vocab=257 steps=700 threads=1 ;;
    esac
    steps=${STEPS:-$steps}
    model="--layers $layers --heads $heads --width $width --context $context --batch $batch --vocab $vocab --threads $threads"
}

value() { # KEY < lines of key=value
    sed -n "s/.*[ ]$1=\([^ ]*\).*/\1/p"
}
median() {
    sort -n | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
