#!/bin/sh
# SPDX-License-Identifier: MIT
# Position schemes by layer, as in models of 2025: sh scripts/layers.sh BITTER [DIR]
# Trains seven arrangements of RoPE, ALiBi, no positions and windows from three seeds (under 30 minutes on 2 cores): on War
# and Peace, to measure perplexity in windows of 1 to 8 times the trained length; and on documents with a passkey, to see
# in how long a document the key is found. Finished runs are kept: stop it and start it again at any time. DIR
# (runs/layers) holds the runs and the page report.html; tables, plots and results.csv go to RESULTS
# (runs/results/layers).
# TEXT: the book (see book.sh). TOKENS=0.2: so many tokens for each parameter; STEPS=20: so many steps on passkeys.
set -eu
bitter=${1:?"usage: sh scripts/layers.sh BITTER [DIR]"}
out=${2:-runs/layers}
results=${RESULTS:-runs/results/layers}
steps=${STEPS:-4500}
cores=$(getconf _NPROCESSORS_ONLN)
seeds="1337 1338 1339" # those of compare
lengths=258,512,1024,2048
export OMP_WAIT_POLICY=passive

# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"

# name|--pos|--window
# three-of-four: every fourth layer has no positions, as in SmolLM3.
# nope-global:   rotations in windows, and no positions where a layer sees everything ("Rope to Nope and Back Again").
# local-global:  a small base in windows, and a large one where a layer sees everything, as in Gemma 3.
arms="rope|rope|
three-of-four|rope*3,none|
nope-global|rope*3,none|32*3,0
local-global|rope:base=1e4*3,rope:base=1e6|32*3,0
none|none|
alibi|alibi|
rope-alibi|rope+alibi|"

# passkey NAME SEED: train one run on passkeys and measure which it finds.
passkey() {
    pos=$(echo "$arms" | awk -F '|' -v name="$1" '$1 == name { print $2 }')
    window=$(echo "$arms" | awk -F '|' -v name="$1" '$1 == name { print $3 }')
    train "$out/passkey/$1-$2" --data builtin:passkey:max=320,bytes=5e6 --documents builtin:passkey:share=0.9,min=255,max=255 \
        --pos "$pos" --window "$window" --seed "$2" --layers 4 --heads 4 --width 64 --context 256 --batch 4 --lr 4e-3 \
        --warmup 20 --steps "$steps" --eval-every 0 --save-every 1000 --threads 1
    measure "$out/passkey/$1-$2" passkey --task --data builtin:passkey --samples 10 --context $lengths --threads 1
}

if [ "${ONE:-}" ]; then
    # shellcheck disable=SC2086
    passkey $ONE
    exit
fi

text=$(sh "$(dirname "$0")/book.sh")
mkdir -p "$out/passkey" "$results"
made_by "$out/book" "$(gzip -dcf "$text" | cksum)"
[ -f "$out/book/tokenizer.json" ] || "$bitter" prepare --out "$out/book" "$text" >/dev/null
set --
while IFS='|' read -r name pos window; do
    set -- "$@" "$name=$pos${window:+ --window $window}"
done <<END
$arms
END
"$bitter" compare "$@" --contrast "three-of-four - rope" --contrast "nope-global - rope" \
    --contrast "local-global - rope" --contrast "rope-alibi - rope" --contrast "rope-alibi - alibi" \
    --seeds 3 --data "$out/book" --layers 4 --heads 4 --width 64 --context 128 --batch 8 --lr 8e-3 --min-lr 8e-4 \
    --warmup 50 --tokens-per-parameter "${TOKENS:-12}" --eval-every 0 --save-every 1000 --out "$out"
sh "$(dirname "$0")/keep_report.sh" "$out" "$results"
for seed in $seeds; do echo "$arms" | cut -d '|' -f 1 | sed "s/$/ $seed/"; done |
    xargs -P "$cores" -I '{}' env ONE='{}' STEPS="$steps" RESULTS="$results" sh "$0" "$bitter" "$out"

# One row for each arrangement: perplexity in windows of 1, 2, 4 and 8 times the trained length, as means over the
# seeds. Then how many seeds learned to find passkeys (at least half of them at the trained length), and the share that
# these seeds find. All depths have equal weight. Under the table, how much the loss changes from 128 to 1024.
{
    echo "scheme,seed,length,depth,documents,right"
    for seed in $seeds; do echo "$arms" | cut -d '|' -f 1 | while read -r name; do
        tail -n +2 "$out/passkey/$name-$seed/passkey.csv" | cut -d , -f 1-4 | sed "s/^/$name,$seed,/"
    done; done
} >"$results/passkey.csv"
awk -F, -v lengths="$lengths" -v first="${seeds%% *}" '
    FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; file++; next }
    file == 1 && $column["quantity"] == "loss" && $column["task"] == "" {
        name = $column["scheme"]
        if (!(name in known)) { known[name] = 1; names[++count] = name }
        loss[name, $column["x"]] += $column["value"]
        runs[name, $column["x"]]++
    }
    file == 2 { right[$1, $2, $3] += $6; documents[$1, $2, $3] += $5 }
    function found(name, at,    seed, r, d) {
        for (seed = first; seed < first + 3; seed++) if (learned[name, seed]) {
            r += right[name, seed, at]
            d += documents[name, seed, at]
        }
        return d ? sprintf("%.0f%%", 100 * r / d) : "-"
    }
    END {
        split(lengths, l, ",")
        print "| scheme | perplexity at 128 | 256 | 512 | 1024 | seeds | passkeys found at 258 | 512 | 1024 | 2048 |"
        print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
        for (n = 1; n <= count; n++) {
            line = "| " names[n] " |"
            for (x = 128; x <= 1024; x *= 2) {
                if (runs[names[n], x] == 3) line = line sprintf(" %.3f |", exp(loss[names[n], x] / 3))
                else line = line " - |"
            }
            seeds = 0
            for (seed = first; seed < first + 3; seed++)
                seeds += learned[names[n], seed] = 2 * right[names[n], seed, l[1]] >= documents[names[n], seed, l[1]]
            line = line " " seeds " of 3 |"
            for (i = 1; i <= 4; i++) line = line " " found(names[n], l[i]) " |"
            print line
        }
    }' "$results/results.csv" "$results/passkey.csv" >"$results/table.md"
{
    echo
    echo "| scheme | change in loss from 128 to 1024, nats a byte | low | high |"
    echo "|---|---:|---:|---:|"
    echo "$arms" | cut -d '|' -f 1 | while read -r name; do
        awk -F, -v name="$name" '
            NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
            $column["scheme"] == name && $column["quantity"] == "loss" {
                if ($column["x"] == 128) short[$column["seed"]] = $column["value"]
                if ($column["x"] == 1024) long[$column["seed"]] = $column["value"]
            }
            END { for (seed in long) n++; if (n == 3) for (seed in long) print name, long[seed] - short[seed] }' "$results/results.csv" |
            awk -v m="$(echo "$arms" | wc -l)" -f "$(dirname "$0")/interval.awk" |
            awk -v name="$name" '
                function number(x) { return x == "-" ? x : sprintf("%+.3f", x) }
                { printf "| %s | %s | %s | %s |\n", name, number($1), number($2), number($3) }'
    done
    echo
    echo "Perplexity is a mean over three seeds; - = one of them diverged. A seed counts as one that learned passkeys when it finds half of them or more"
    echo "at 258 bytes; the shares are those of these seeds. With 95% confidence all intervals hold at once (Bonferroni)."
    sh "$(dirname "$0")/machine.sh" "make layers" "$out/runs/rope-seed1337"
} >>"$results/table.md"
cat "$results/table.md"
