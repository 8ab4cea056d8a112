#!/bin/sh
# SPDX-License-Identifier: MIT
# Sampling, evaluation and preparation, beside llama.cpp, transformers and Hugging Face's tokenizers: sh
# scripts/bench_peers.sh BITTER
# A model of 6 layers, 6 heads and width 384 with rope is trained for a minute, exported, and read by all programs, all
# in float32. Both sides take turns; numbers are medians of ROUNDS (3). The peer's first round does not count, nor does
# what a program does before its first token or window (bitter's: by two runs of different lengths).
#
# PYTHON: an interpreter with numpy and llama-cpp-python, torch and transformers, or tokenizers (python3). A row whose
#   package is missing is left out, and the package named. llama-cpp-python is built for this processor when pip installs it.
# TEXT: the file to prepare (100 MB of tales). THREADS: of both sides (all cores); `prepare` uses one, tokenizers all.
set -eu
bitter=${1:?"usage: sh scripts/bench_peers.sh BITTER"}
python=${PYTHON:-python3}
here=$(dirname "$0")
. "$here/bench_sizes.sh"
begin "${ROUNDS:-3}"
[ -z "${THREADS:-}" ] || whole THREADS "$THREADS"
quietly() {
    "$@" >"$scratch/log" 2>&1 || complain "$(tail -n 1 "$scratch/log")"
}
has() { # ROW PACKAGE MODULE...: are the modules installed?
    row=$1 package=$2
    shift 2
    for module; do
        "$python" -c "import $module" >/dev/null 2>&1 && continue
        echo "no row for $row: $python lacks $module; \`$python -m pip install $package\`, or name another with PYTHON"
        return 1
    done
}

echo 'prepare a text and train the model (1 to 3 minutes)' >&2
quietly "$bitter" prepare --tokenizer bpe:4096 --out "$scratch/data" builtin:tales:bytes=2e7
quietly "$bitter" train --data "$scratch/data" --layers 6 --heads 6 --width 384 --context 256 --batch 4 --steps 100 \
    --warmup 20 --eval-every 0 --eval-tokens 1024 --out "$scratch/run"
quietly "$bitter" export "$scratch/run" --to gguf --out "$scratch/gguf"
quietly "$bitter" export "$scratch/run" --to hf --out "$scratch/hf"

measure() {
    "$python" "$here/bench_peers.py" "$@" 2>"$scratch/log" || complain "$(tail -n 1 "$scratch/log")"
}
printf '\n%s, %s cores\n\n' "$(sed -n 's/.*"cpu": "\(.*\)".*/\1/p' "$scratch/run/config.json")" \
    "${THREADS:-$(getconf _NPROCESSORS_ONLN)}"
printf '| %-31s | %10s | %10s | %8s | %6s | %s |\n|---|---|---|---|---|---|\n' '' bitter peer ratio target peer
! has sample llama-cpp-python numpy llama_cpp ||
    measure sample "$bitter" "$scratch/run" "$scratch/gguf/model.gguf"
! has eval 'torch transformers' numpy torch transformers ||
    measure eval "$bitter" "$scratch/run" "$scratch/hf" "$scratch/data/val_000000.bin"
has prepare 'numpy tokenizers' numpy tokenizers || exit 0
if [ -z "${TEXT:-}" ]; then
    quietly "$bitter" prepare --val 0.001 --out "$scratch/bytes" builtin:tales:bytes=1e8,seed=2
    measure text "$scratch/bytes/train_000000.bin" "$scratch/text"
    rm -r "$scratch/bytes"
fi
measure prepare "$bitter" "${TEXT:-$scratch/text}" "$scratch"
