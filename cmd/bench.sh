#!/bin/sh
# The speed of three shapes under several schemes, beside the machine's own matrix product and, where it can be run, beside the
# same model in PyTorch: sh cmd/bench.sh BITTER [SHAPES], where SHAPES is some of "A B C".
# PEER: the peer's script (default ../shared/bench/torch_gpt.py). PYTHON: an interpreter that has torch (python3).
# SCHEMES: which ones (none learned sinusoidal rope alibi).
# ROUNDS: how often each is measured, in turn, so that a machine that drifts drifts for both (3).
set -eu
bitter=$1
shapes=${2:-A B C}
peer=${PEER:-../shared/bench/torch_gpt.py}
python=${PYTHON:-python3}
rounds=${ROUNDS:-3}
schemes=${SCHEMES:-none learned sinusoidal rope alibi}
threads=$("$bitter" bench --width 4 --heads 1 --layers 1 --context 2 --batch 1 --steps 1 | sed 's/.*threads=\([0-9]*\).*/\1/')
blas=$(ls -d /usr/lib/*/openblas-openmp 2>/dev/null | head -n 1 || true)

# PyTorch on the BLAS that bitter uses: Debian's other build is up to four times slower, no fair peer.
torch() {
    OMP_NUM_THREADS=$threads LD_LIBRARY_PATH=$blas "$python" "$peer" "$@" 2>/dev/null
}
with_peer=
if [ -f "$peer" ] && "$python" -c 'import torch' 2>/dev/null; then with_peer=1; fi
[ -n "$with_peer" ] || echo "no peer: $python has no torch, or there is no $peer"

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
    C) layers=12 heads=12 width=768 context=1024 batch=1 vocab=50304 steps=3 ;;
    *) echo "there is no shape $shape; choose of A B C" >&2; exit 2 ;;
    esac
    model="--layers $layers --heads $heads --width $width --context $context --batch $batch --vocab $vocab"
    lines=$(mktemp)
    round=0
    while [ $round -lt "$rounds" ]; do
        round=$((round + 1))
        for scheme in $schemes; do
            # shellcheck disable=SC2086
            "$bitter" bench $model --steps $steps --pos "$scheme" >>"$lines"
            # The peer has learned positions, so it runs right after ours with those.
            # shellcheck disable=SC2086
            if [ "$scheme" = learned ] && [ -n "$with_peer" ]; then
                torch $model --steps $((steps + 3)) | sed 's/^torch/pos=torch/' >>"$lines"
            fi
        done
    done
    peer_ms=$(grep '^pos=torch' "$lines" | value ms_per_step | median || true)
    for scheme in $schemes ${with_peer:+torch}; do
        mine=$(grep "^pos=$scheme " "$lines")
        ms=$(echo "$mine" | value ms_per_step | median)
        printf '%-5s %-12s %10s %12s %9s %8s %8s\n' "$shape" "$scheme" "$ms" \
            "$(echo "$mine" | value tokens_per_second | median)" \
            "$([ "$scheme" = torch ] && echo - || echo "$mine" | value percent_of_sgemm | median)" \
            "$([ "$scheme" = torch ] && echo - || echo "$mine" | value rss_mb | median)" \
            "$([ -n "$peer_ms" ] && awk "BEGIN { printf \"%.2f\", $peer_ms / $ms }" || echo -)"
    done
    rm -f "$lines"
done
