#!/bin/sh
# SPDX-License-Identifier: MIT
# The training speed of models of five sizes, compared with the same model in PyTorch and with an older program, and of
# all position schemes at one size: sh scripts/bench.sh BITTER
# The programs take turns, so that a drift of the machine's speed affects all alike; numbers are medians.
#
# PYTHON: an interpreter with torch (python3); PEER: the script of the PyTorch model (scripts/bench_torch.py). The model
#   runs eager and compiled, and the faster of the two counts.
# BEFORE: another bitter to compare with. LAUNCH: a command to put before every measured one, such as `taskset -c 0,1`.
# SHAPES (A B C E F), SCHEMES (all rotations and biases), STEPS: measure less. The table is then saved only if RESULTS,
#   the directory for it (runs/results/bench), is set. ROUNDS: how often each is measured (3).
#
# To make the comparison fair, PyTorch's weights begin as small as bitter's (standard deviation 0.02). With PyTorch's
# own embeddings (standard deviation 1) and tied weights the logits are so large that many probabilities are denormal
# numbers, and a step at C takes four times as long on an Intel processor. A torch that uses the system's OpenBLAS gets
# Debian's OpenMP build, as bitter does: with the pthread build it would be up to four times slower. It gets as many
# threads as bitter.
set -eu
bitter=${1:?"usage: sh scripts/bench.sh BITTER"}
here=$(dirname "$0")
limited=${SHAPES:-}${SCHEMES:-}${STEPS:-}
shapes=${SHAPES:-A B C E F}
peer=${PEER:-$here/bench_torch.py}
python=${PYTHON:-python3}
rounds=${ROUNDS:-3}
before=${BEFORE:-}
launch=${LAUNCH:-}
near="rope partial prope xpos rope2d rope-learned alibi alibi-learned sandwich t5 kerple fire table"
far="fire path transformer-xl shaw cope fox cable pope selective"
schemes=${SCHEMES:-$near path transformer-xl shaw cope fox cable pope selective}
. "$here/bench_sizes.sh"
begin "$rounds"
[ -z "$before" ] || [ -x "$before" ] || complain "there is no program $before; BEFORE is the path of an older bitter"
[ -z "${STEPS:-}" ] || whole STEPS "$STEPS"
for shape in $shapes; do
    case $shape in A | B | C | E | F) ;; *) complain "there is no shape $shape; choose from A, B, C, E and F" ;; esac
done
case " $shapes " in
*' B '*) ;;
*)
    [ -z "${SCHEMES:-}" ] || complain "SCHEMES are measured at B; SHAPES leaves it out"
    schemes=
    ;;
esac
[ -z "$launch" ] || $launch true || complain "LAUNCH=\"$launch\" does not start a program"
for scheme in $schemes; do
    "$bitter" bench --pos "$scheme" --layers 1 --heads 1 --width 64 --context 2 --batch 1 --steps 1 >/dev/null ||
        complain "SCHEMES: bitter cannot measure $scheme"
done

of() { # WHO [KEY]: the median of WHO's measurements at this shape
    [ ! -f "$scratch/$1" ] || value "${2:-ms_per_step}" <"$scratch/$1" | median
}
quotient() { # A B: how many times A is B, or -
    if [ -n "$1" ] && [ -n "$2" ]; then awk "BEGIN { printf \"%.2f\", $1 / $2 }"; else printf -- -; fi
}
say() { # FORMAT ARGUMENT...: to the terminal and to the record
    # shellcheck disable=SC2059
    printf "$@" | tee -a "$scratch/record"
}

# mine WHO PROGRAM OPTION...: add a line to the file WHO.
mine() {
    who=$1
    shift
    # shellcheck disable=SC2086
    $launch "$1" bench $model --steps "$steps" $2 $3 $4 $5 2>"$scratch/complaints" >>"$scratch/$who" && return
    complain "$1 bench $model $2 $3 $4 $5 failed: $(cat "$scratch/complaints")"
}
# theirs WHO OPTION...: the same for PyTorch. A variant that failed once is not tried again.
theirs() {
    [ -n "$with_peer" ] && [ ! -f "$scratch/$1.failed" ] || return 0
    who=$1
    shift
    # A separate cache: code that was compiled for other instructions crashes.
    # shellcheck disable=SC2086
    TORCHINDUCTOR_CACHE_DIR=$scratch/inductor OMP_NUM_THREADS=$threads LD_LIBRARY_PATH=${peer_libraries:-${LD_LIBRARY_PATH:-}} \
        $launch "$python" "$peer" $model --steps $((steps + 3)) "$@" 2>"$scratch/complaints" >"$scratch/line" ||
        : >"$scratch/line"
    if grep -q ' ms_per_step=' "$scratch/line"; then
        cat "$scratch/line" >>"$scratch/$who"
    else
        tail -n 1 "$scratch/complaints" >"$scratch/$who.failed"
    fi
}
faster() { # A B: the smaller of two numbers, either of which may be missing
    printf '%s\n' "$@" | awk 'NF && (best == "" || $1 < best) { best = $1 } END { print best }'
}

# --- the programs that take part ---
tiny="--width 4 --heads 1 --layers 1 --context 2 --batch 1 --steps 1"
# shellcheck disable=SC2086
$launch "$bitter" bench $tiny >"$scratch/first" 2>/dev/null ||
    complain "$bitter bench failed; run it alone to see why"
cores=$(value threads <"$scratch/first")
with_peer=1 peer_libraries='' about='' without_peer=''
if [ ! -f "$peer" ]; then
    with_peer='' without_peer="there is no $peer"
elif ! about=$("$python" "$peer" --about 2>/dev/null); then
    with_peer='' without_peer="this Python has no torch (PYTHON names another interpreter)"
fi
case $about in *'system OpenBLAS'*) peer_libraries=$(ls -d /usr/lib/*/openblas-openmp 2>/dev/null | head -n 1) ;; esac
bf16=1
# shellcheck disable=SC2086
"$bitter" bench $tiny --precision bf16 >/dev/null 2>"$scratch/bf16.no" || bf16=
# What a run's config.json says about the machine: processor and BLAS.
"$bitter" train --data builtin:copy --layers 1 --heads 1 --width 4 --context 96 --batch 1 --steps 1 --eval-every 0 \
    --out "$scratch/run" >/dev/null 2>&1 || :
machine() { # KEY
    sed -n "s/^ *\"$1\": \"\(.*\)\".*/\1/p" "$scratch/run/config.json" 2>/dev/null | head -n 1
}
processor=$(sysctl -n machdep.cpu.brand_string 2>/dev/null || machine cpu)
[ -n "$processor" ] || processor=$(uname -m)
name=$(echo "$processor" | tr '[:upper:]' '[:lower:]' |
    sed 's/([a-z]*)//g; s/ @.*//; s/[0-9]*-core//; s/ cpu//; s/ processor//; s/[^a-z0-9]\{1,\}/-/g; s/^-//; s/-$//')

echo "This takes up to an hour; with SHAPES=B, some minutes."

# --- the record ---
say '# %s\n\n' "$processor"
command="make bench"
[ -z "${ROUNDS:-}" ] || command="ROUNDS=$rounds $command"
[ -z "${SHAPES:-}" ] || command="SHAPES=\"$shapes\" $command"
[ -z "${SCHEMES:-}" ] || command="SCHEMES=\"$schemes\" $command"
[ -z "${STEPS:-}" ] || command="STEPS=$STEPS $command"
[ -z "$before" ] || command="BEFORE=bitter-before $command"
say -- '- command: `%s`, %s; rounds: %s\n' "$command" "$(date +%Y-%m-%d)" "$rounds"
say -- '- %s cores; E and F use one\n' "$cores"
say -- '- bitter: %s\n' "${COMPILER:-unknown compiler}; $(machine blas), core $(value core <"$scratch/first")$(
    value kernels <"$scratch/first" | sed 's/^/; kernels /')"
[ -z "$with_peer" ] || say -- '- peer: %s\n' "$about"
[ -n "$with_peer" ] || say -- '- no peer: %s\n' "$without_peer"
[ -n "$bf16" ] || say -- '- no bf16: %s\n' "$(sed 's/^bitter[a-z ]*: //' "$scratch/bf16.no" | head -n 1)"

# --- sizes ---
row='| %-6s | %10s | %10s | %7s | %6s | %11s | %14s | %6s | %9s | %8s |\n'
say "\n$row" shape 'ms a step' 'tokens/s' '% sgemm' MB 'torch eager' 'torch compiled' 'x peer' 'before' 'x before'
say '|---|---|---|---|---|---|---|---|---|---|\n'
line() { # NAME WHO EAGER COMPILED BEFORE
    ms=$(of "$2") eager=$(of "$3") compiled=$(of "$4") old=$(of "$5")
    say "$row" "$1" "$ms" "$(of "$2" tokens_per_second)" "$(of "$2" percent_of_sgemm)" "$(of "$2" rss_mb)" "${eager:--}" \
        "${compiled:--}" "$(quotient "$(faster "$eager" "$compiled")" "$ms")" "${old:--}" "$(quotient "$old" "$ms")"
}
for shape in $shapes; do
    choose "$shape"
    round=0
    while [ $((round += 1)) -le "$rounds" ]; do
        mine "$shape" "$bitter" --pos learned '' ''
        [ -z "$before" ] || mine "$shape.before" "$before" --pos learned '' ''
        theirs "$shape.eager"
        theirs "$shape.compiled" --compile
        [ "$shape-$bf16" = B-1 ] || continue
        mine B.bf16 "$bitter" --pos learned --precision bf16
        theirs B.bf16.eager --bf16
        theirs B.bf16.compiled --bf16 --compile
    done
    line "$shape" "$shape" "$shape.eager" "$shape.compiled" "$shape.before"
    [ "$shape-$bf16" != B-1 ] || line 'B bf16' B.bf16 B.bf16.eager B.bf16.compiled none
done
say '\nx peer, x before: how many times as fast bitter is as the faster PyTorch, and as the program before. %% sgemm: rate of floating-point
operations (6N + 12LCT per token) as a share of that of a large float32 product. Positions are learned.\n'
for failed in "$scratch"/*.failed; do
    [ ! -f "$failed" ] || echo "PyTorch failed at $(basename "$failed" .failed | tr . ' '): $(cat "$failed")"
done
[ ! -f "$scratch/B.bf16" ] || say '\nB: bf16 is %s times as fast as float32.\n' "$(quotient "$(of B)" "$(of B.bf16)")"

# --- schemes: a few at a time, each beside the run with learned positions just before it ---
case " $shapes " in *' B '*) ;; *) schemes= ;; esac
row='| %-14s | %10s | %9s | %6s |\n'
if [ -n "$schemes" ]; then
    choose B
    say "\n$row" 'scheme at B' 'ms a step' 'x learned' asked
    say '|---|---|---|---|\n'
fi
some() { # SCHEME...: measure them and print their rows
    round=0
    while [ $((round += 1)) -le "$rounds" ]; do
        rm -f "$scratch/learned"
        mine learned "$bitter" --pos learned '' ''
        for scheme; do
            mine "pos.$scheme" "$bitter" --pos "$scheme" '' ''
            ms=$(tail -n 1 "$scratch/pos.$scheme" | value ms_per_step)
            echo " ratio=$(quotient "$ms" "$(of learned)")" >>"$scratch/ratio.$scheme"
        done
    done
    for scheme; do
        case " $far " in *" $scheme "*) asked=1.20 ;; *) asked=1.05 ;; esac
        ratio=$(of "ratio.$scheme" ratio)
        say "$row" "$scheme" "$(of "pos.$scheme")" "$ratio" "$asked$(awk "BEGIN { if ($ratio > $asked) print \" -\" }")"
    done
}
# shellcheck disable=SC2086
set -- $schemes
while [ $# -gt 4 ]; do
    some "$1" "$2" "$3" "$4"
    shift 4
done
[ $# -eq 0 ] || some "$@"
[ -z "$schemes" ] || say '\nx learned: time of a step, divided by that with learned positions. asked: at most this; "-" where it is more.\n'

# summary: the range of the columns `% sgemm` and `x peer` over the sizes in float32, as a sentence.
summary() {
    awk -F'|' -v processor="$processor" -v cores="$cores" '
        function range(low, high, digits) {
            low = sprintf("%." digits "f", low)
            high = sprintf("%." digits "f", high)
            return low == high ? low : low " to " high
        }
        $2 ~ /^ [A-Z] +$/ && NF == 12 {
            if (!rows++ || $5 + 0 < slowest) slowest = $5 + 0
            if ($5 + 0 > fastest) fastest = $5 + 0
            if ($9 + 0 > 0 && (!peers++ || $9 + 0 < least)) least = $9 + 0
            if ($9 + 0 > most) most = $9 + 0
        }
        END {
            if (!rows) exit
            printf "On this machine (%s, %s cores) bitter trains at %s%% of the speed of a large matrix product", processor, cores,
                range(slowest, fastest, 0)
            print peers ? " and is " range(least, most, 2) " times as fast as PyTorch." : "; there was no PyTorch to compare with."
        }' "$scratch/record"
}
sentence=$(summary)
[ -z "$sentence" ] || say '\n%s\n' "$sentence"

if [ -z "$limited" ] || [ -n "${RESULTS:-}" ]; then
    results=${RESULTS:-runs/results/bench}
    mkdir -p "$results"
    cp "$scratch/record" "$results/$name.md"
    echo && echo "saved as $results/$name.md"
fi
