#!/bin/sh
# SPDX-License-Identifier: MIT
# The searched model of scripts/extend.sh at 512 times its trained length: sh scripts/extend_far.sh BITTER [DIR]
# A third round from 16,384 to 131,072 tokens. One candidate takes minutes there, so the search only picks the best of its
# starting points: the formulas, and the searched factors stretched further. Then it measures perplexity in one window of
# that length, and passkeys. DIR (runs/extend) has the runs of `make extend`; the table goes to RESULTS
# (runs/results/extend). Finished parts are kept.
set -eu
bitter=${1:?"usage: sh scripts/extend_far.sh BITTER [DIR]"}
out=${2:-runs/extend}
results=${RESULTS:-runs/results/extend}
length=131072
[ -f "$out/round2-ft/model.safetensors" ] || {
    echo "extend_far.sh: there is no $out/round2-ft; run \`make extend\` first" >&2
    exit 2
}
mkdir -p "$results"
[ -f "$out/round3/config.json" ] ||
    "$bitter" extend "$out/round2-ft" --method longrope --factor 8 --population 4 --generations 0 --windows 1 \
        --out "$out/round3"
[ -f "$out/round3/perplexity.csv" ] ||
    "$bitter" eval "$out/round3" --context $length --eval-tokens $((length + 1)) --csv "$out/round3/perplexity.csv"
[ -f "$out/round3/passkey.csv" ] ||
    "$bitter" eval "$out/round3" --task --data builtin:passkey --samples 1 --depths 3 --context $length --csv "$out/round3/passkey.csv"
{
    sh "$(dirname "$0")/machine.sh" "make extend-far" "$out/base"
    echo
    echo "The searched model at 512 times its trained length: one held-out window of $length tokens, and one passkey"
    echo "document for each depth."
    echo
    echo "| window | perplexity | passkey at depth 0% | 50% | 100% |"
    echo "|---|---|---|---|---|"
    awk -F , 'NR > 1 && $3 == "all" { printf "| %d | %.3f |", $1, $6 }' "$out/round3/perplexity.csv"
    awk -F , 'NR > 1 { printf " %d of %d |", $4, $3 } END { printf "\n" }' "$out/round3/passkey.csv"
} >"$results/far.md"
cat "$results/far.md"
