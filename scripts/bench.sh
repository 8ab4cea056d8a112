#!/bin/sh
# The training speed of three model shapes under several schemes, beside a large matrix product and, where torch is
# installed, beside the same model in PyTorch: sh scripts/bench.sh BITTER [SHAPES], where SHAPES is a subset of "A B C".
# SCHEMES: the schemes to measure (none learned sinusoidal rope alibi).
# PYTHON: an interpreter with torch (python3). PEER: the script of the PyTorch model (scripts/bench_torch.py).
# ROUNDS: how often each is measured (3). They take turns, so that a drifting machine affects all alike.
set -eu
bitter=${1:?"usage: sh scripts/bench.sh BITTER [SHAPES]"}
shapes=${2:-A B C}
peer=${PEER:-$(dirname "$0")/bench_torch.py}
python=${PYTHON:-python3}
rounds=${ROUNDS:-3}
schemes=${SCHEMES:-none learned sinusoidal rope alibi}
complain() {
    echo "bench.sh: $1" >&2
    exit 2
}
[ -x "$bitter" ] || complain "there is no program $bitter; build it with \`make\`"
case $rounds in *[!0-9]* | '' | 0) complain "ROUNDS is a number of 1 or more, not '$rounds'" ;; esac
for shape in $shapes; do
    case $shape in A | B | C) ;; *) complain "there is no shape $shape; choose A, B or C" ;; esac
done
threads=$("$bitter" bench --width 4 --heads 1 --layers 1 --context 2 --batch 1 --steps 1 | sed 's/.*threads=\([0-9]*\).*/\1/')
blas=$(ls -d /usr/lib/*/openblas-openmp 2>/dev/null | head -n 1 || true)
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

# PyTorch on the same OpenBLAS as bitter: with Debian's pthread build it would be up to four times slower.
torch() {
    OMP_NUM_THREADS=$threads LD_LIBRARY_PATH=$blas "$python" "$peer" --threads "$threads" "$@" 2>/dev/null
}
with_peer=1
if [ ! -f "$peer" ]; then
    with_peer= && echo "no peer: there is no $peer"
elif ! "$python" -c 'import torch' 2>/dev/null; then
    with_peer= && echo "no peer: $python has no torch (PYTHON names another interpreter)"
fi

value() { # KEY < line of key=value
    sed "s/.*$1=\([0-9.]*\).*/\1/"
}
median() {
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

printf '%-5s %-12s %10s %12s %9s %8s %8s\n' shape scheme ms/step tokens/s "% sgemm" MB "x peer"
for shape in $shapes; do
    case $shape in
    A) layers=4 heads=4 width=128 context=64 batch=12 vocab=65 steps=100 ;;
    B) layers=6 heads=6 width=384 context=256 batch=16 vocab=65 steps=5 ;;
    *) layers=12 heads=12 width=768 context=1024 batch=1 vocab=50304 steps=3 ;;
    esac
    model="--layers $layers --heads $heads --width $width --context $context --batch $batch --vocab $vocab"
    : >"$lines"
    round=0
    while [ $round -lt "$rounds" ]; do
        round=$((round + 1))
        for scheme in $schemes; do
            # shellcheck disable=SC2086
            "$bitter" bench $model --steps $steps --pos "$scheme" >>"$lines"
            # The PyTorch model has learned positions, so it runs right after bitter with learned positions.
            # shellcheck disable=SC2086
            if [ "$scheme" = learned ] && [ -n "$with_peer" ]; then
                line=$(torch $model --steps $((steps + 3))) || line=
                [ -n "$line" ] || echo "no peer at $shape: $python $peer $model failed" >&2
                echo "$line" | sed -n 's/^torch/pos=torch/p' >>"$lines"
            fi
        done
    done
    peer_ms=$(grep '^pos=torch' "$lines" | value ms_per_step | median || true)
    for scheme in $schemes ${peer_ms:+torch}; do
        mine=$(grep "^pos=$scheme " "$lines")
        ms=$(echo "$mine" | value ms_per_step | median)
        printf '%-5s %-12s %10s %12s %9s %8s %8s\n' "$shape" "$scheme" "$ms" \
            "$(echo "$mine" | value tokens_per_second | median)" \
            "$([ "$scheme" = torch ] && echo - || echo "$mine" | value percent_of_sgemm | median)" \
            "$([ "$scheme" = torch ] && echo - || echo "$mine" | value rss_mb | median)" \
            "$([ -n "$peer_ms" ] && awk "BEGIN { printf \"%.2f\", $peer_ms / $ms }" || echo -)"
    done
done
