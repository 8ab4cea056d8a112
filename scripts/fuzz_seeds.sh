#!/bin/sh
# SPDX-License-Identifier: MIT
# `make fuzz-seeds`: fuzz_seeds.sh BITTER writes the seeds in tests/fuzz/corpus/TARGET/, small files as bitter writes
# them and, made by hand, files of other programs. Readers must accept the seeds whose names begin with "good". Inputs
# that the fuzzer has found stay.
set -eu
export LC_ALL=C OMP_NUM_THREADS=1
bitter=${1:?"usage: sh scripts/fuzz_seeds.sh BITTER"}
corpus=$(pwd)/tests/fuzz/corpus
work=$(mktemp -d "${TMPDIR:-/tmp}/bitter-seeds.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

seed() { # TARGET NAME: standard input becomes the seed
    mkdir -p "$corpus/$1"
    cat >"$corpus/$1/$2"
}
words() { # WORD...: with a byte 0xFF between them
    printf '%s' "$1"
    shift
    for word; do printf '\377%s' "$word"; done
}
int32() { # NUMBER...: little-endian
    for number; do
        # shellcheck disable=SC2059
        printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $((number & 255)) $((number >> 8 & 255)) $((number >> 16 & 255)) $((number >> 24 & 255)))"
    done
}
unsealed() { # FILE: config.json or compare.json without its checksum, so that changed files are not refused for it
    sed '2{/"crc32"/d}' "$1"
}

# --- text, shards and tokenizers ---
i=0
while [ $i -lt 60 ]; do
    echo 'abba dada, a bad cab'
    i=$((i + 1))
done >text.txt
head -c 300 text.txt | seed text good_plain
head -c 300 text.txt | gzip -n | seed text good_gzip
printf '\357\273\277caf\303\251 \342\202\254 \360\237\230\200\r\nIt'\''s 1957,\t and  more\r\n' | seed text good_unicode
printf 'one \377\376 two \303 three \300\200 \355\240\200' | seed text good_bytes_that_are_not_utf8
printf '\377\376a\000b\000' | seed text good_utf16
printf '' | seed text empty

prepare() { # OUT OPTION...
    out=$1
    shift
    "$bitter" prepare --out "$out" "$@" >/dev/null
}
prepare chars --tokenizer chars --val 0.5 text.txt
printf 'abcd' >letters && i=0 && while [ $i -lt 50 ]; do cat letters letters; echo; i=$((i + 1)); done >five.txt
prepare five --tokenizer chars --val 0.5 five.txt
prepare bpe --tokenizer bpe:262 text.txt
prepare bytes text.txt
head -c 1200 text.txt >short.txt && prepare short --tokenizer chars --val 0.5 short.txt
seed shard good_plain <short/train_000000.bin
{ int32 20240520 1 1000; head -c 1012 /dev/zero; echo ab; } | seed shard cut_short
{ int32 20240801 7 2; head -c 1016 /dev/zero; } | seed shard llama3
for kind in chars bytes bpe; do seed tokenizer_json good_$kind <$kind/tokenizer.json; done
echo '{"tokenizer": "none", "vocab_size": 1000}' | seed tokenizer_json good_none
{
    sed -n '/"vocab": {/,/^    }/p' bpe/tokenizer.json | sed '1s/.*/{/; $s/,//'
    printf '\377#version: 0.2\n'
    sed -n '/"merges": \[/,/^    ]/p' bpe/tokenizer.json | sed '1d; $d; s/^ *"//; s/",*$//'
} | seed tokenizer_others good_gpt2

# --- runs ---
train() { # OUT OPTION...
    out=$1
    shift
    "$bitter" train --out "$out" --data five --layers 1 --heads 1 --width 4 --context 8 --batch 1 --steps 4 --threads 1 \
        --eval-every 2 --eval-tokens 40 --save-every 2 "$@" >/dev/null
}
train learned --pos learned
train rope
train long --data chars --context 16 --width 8 --heads 2 --steps 2
train layers --layers 4 --pos 'rope*3,none' --block llama --window '4*3,0' --heads 2 --kv-heads 1
train partial --pos partial
train tales --data builtin:tales:bytes=1000 --steps 2
"$bitter" extend long --out yarn --method yarn --factor 2 --keep-short >/dev/null
"$bitter" extend long --out dynamic --method dynamic --factor 2 >/dev/null
seed config good_sealed <rope/config.json
for file in model best state; do seed safetensors good_$file <learned/$file.safetensors; done
seed tables good_log <learned/log.csv
seed tables good_positions <learned/positions.csv
printf 'x,y,z\n1,2,\n2,,3.5\n1e3,-4,5\n' | seed tables good_table
"$bitter" extend tales --out found --method longrope --factor 2 --windows 2 --population 8 --generations 2 \
    --seed 1 --data builtin:tales:bytes=1000 --threads 1 >/dev/null
for run in learned layers yarn dynamic found; do unsealed $run/config.json | seed config good_$run; done

# --- comparisons ---
compare() { # OUT WORD...
    out=$1
    shift
    "$bitter" compare --out "$out" --layers 1 --heads 1 --width 4 --batch 1 --steps 20 --eval-every 5 --eval-tokens 512 \
        --workers 1 --threads 1 --seeds 2 "$@" >/dev/null
}
compare small --context 8 --data builtin:tales:bytes=10000 learned rope-learned t5
compare large --context 8,16 --data builtin:tales:bytes=10000 --data chars --lr-grid 1e-3,3e-3 --steps 2 \
    --tasks parity:max=2 --exercises 2 --contrast 'a - none' 'a=rope:base=100 --window 4' none
unsealed small/compare.json | seed plan good_small
unsealed large/compare.json | seed plan good_large
sed '$d' small/runs/learned-seed1337/measured.csv | seed measured good_text
seed measured good_sealed <small/runs/learned-seed1337/measured.csv
printf 'quantity,x,value,count\ndiverged,0,0,1\n' | seed measured good_diverged
{
    cat small/runs/learned-seed1337/log.csv
    printf '\377'
    cat small/runs/rope-learned-seed1337/positions.csv
} | seed report good_run

# --- other programs ---
hf() { # NAME RUN
    "$bitter" export "$2" --to hf --out hf-"$1" >/dev/null
    { cat hf-"$1"/config.json; printf '\377'; cat hf-"$1"/model.safetensors; } | seed import_hf good_"$1"
}
hf gpt2 learned
hf starcoder2 rope
hf smollm3 layers
hf gpt_neox partial
hf yarn yarn
seed tokenizer_json good_hf_chars <hf-gpt2/tokenizer.json
# half FILE TYPE: a safetensors file of 16-bit numbers, all 0, with an output layer that repeats the embeddings, and a
# buffer that is ignored.
half() {
    size=$(od -An -tu4 -N4 "$1" | tr -d ' ')
    tail -c +9 "$1" | head -c "$size" | sed 's/"__metadata__":{[^}]*},*//; s/ *$//; s/}$//; s/},*$//' | awk -v type="$2" '
        BEGIN { RS = "}" }
        {
            sub(/F32/, type)
            match($0, /\[[0-9]+,[0-9]+\]$/)
            split(substr($0, RSTART + 1, RLENGTH - 2), place, ",")
            printf "%s[%d,%d]}", substr($0, 1, RSTART - 1), place[1] / 2, end = place[2] / 2
        }
        END {
            printf ",\"lm_head.weight\":{\"dtype\":\"%s\",\"shape\":[5,4],\"data_offsets\":[%d,%d]},", type, end, end + 40
            printf "\"h.0.attn.bias\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%d,%d]}}", end + 40, end + 41
        }' >header
    int32 "$(wc -c <header)" 0
    cat header
    head -c "$(tr '}' '\n' <header | sed -n 's/.*,\([0-9]*\)\]$/\1/p' | sort -n | tail -n 1)" /dev/zero
}
for type in F16 BF16; do
    { cat hf-gpt2/config.json; printf '\377'; half hf-gpt2/model.safetensors $type; } | seed import_hf good_$type
done

# --- words ---
words layers=2 heads=2 width=16 steps=1e3 lr=1e-3 block=llama kv-heads=1 'window=64*1,0' seed=7 \
    context=64 data=builtin:tales | seed options good_words
words widht=3 layers=0 block=lama lr=nan seed=99999999999999999999 clip=-1 resume=yes | seed options bad_words
"$bitter" train --help | grep -oE -- '--[a-z-]+' | sed 's/--\(.*\)/\1=1/' | sort -u | head -n 60 | tr '\n' '\377' |
    seed options names
words 'rope*3,none' '64*3,0' | seed pos good_period
words 'rope+alibi@0-1 rope:base=500,pairing=interleaved@2,3' | seed pos good_layers
words 'rope:gate=trained' '' | seed pos good_gate
# Every scheme with all its options.
"$bitter" train --pos help | awk '/^---/ { on = 1; next } !on { next } /^[a-z]/ { if (all) print all; all = $1; before = ":" }
    /^    [a-z-]+=/ { all = all before $1; before = "," } END { print all }' | while read -r scheme; do
    words "$scheme" | seed pos "good_${scheme%%:*}"
done
words 'short - learned' 1e-4,3e-4 'copy:max=5 parity' 0.1M,300k 5,20 64,128 learned 'short=rope:base=100 --window 64,0' \
    rope:base=500,pairing=interleaved | seed arms good_everything
words '' '' '' '' '' '' 'rope@3e-4' 'b=rope@0-2,none@3@1e-3' | seed arms good_rates
for name in tales:bytes=2000,seed=2 passkey:share=0.05 copy:max=5 parity:min=2,max=3 addition recall:keys=10 flipflop:ignore=0.5 grid \
    offset:offset=2 duplicate sort reverse; do
    printf 'builtin:%s' "$name" | seed builtin "good_${name%%:*}"
done
du -sh "$corpus"
