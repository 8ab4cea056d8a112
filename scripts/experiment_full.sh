#!/bin/sh
# SPDX-License-Identifier: MIT
# Does what is learned catch up with what is designed, as compute grows? sh scripts/experiment_full.sh BITTER [DIR]
# Twelve comparisons, each with a report of its own (8 hours on 2 cores). Finished runs are kept: stop it and start
# it again at any time. DIR (runs/experiment-full) holds the runs and the pages report.html; summaries, plots and
# results.csv go to RESULTS (runs/results/experiment-full).
# PARTS names the parts to do ("rates rates-50k rates-400k rates-short rates-long tokens ladder starts texts context epochs
# primary").
# The other parts read the rates from RESULTS, or the recorded ones (runs/baseline) until those parts have run.
# TEXT: the book (see book.sh). SHRINK=50 trains a fiftieth, to try the script.
#
#   rates         the learning rate of every scheme at 126k parameters, on seeds that no other part uses
#   rates-50k     the same at the ladder's smallest size
#   rates-400k    and at its largest one
#   rates-short   the same for the shorter two trainings of "tokens"
#   rates-long    and for the longer two
#   tokens        more training: 5 to 320 tokens a parameter
#   ladder        larger models of the same depth and the same heads
#   starts        what a scheme begins with against what it learns
#   texts         five kinds of text
#   context       windows four times as long
#   epochs        little text, read many times
#   primary       the best designed scheme against all that are learned from scratch (recorded with equal times, which
#                 an earlier version could do)
#
# What "primary" compares was settled before any of its runs: the designed scheme is the one with the lowest loss in the
# part "rates", on the half of the validation text used for choosing; all learned schemes take part. Its seeds are new.
# Rotations that start at random take part at both rates that "rates" could not tell apart.
set -eu
bitter=${1:?"usage: sh scripts/experiment_full.sh BITTER [DIR]"}
out=${2:-runs/experiment-full}
results=${RESULTS:-runs/results/experiment-full}
recorded=$(dirname "$0")/../runs/baseline/experiment-full
parts=${PARTS:-"rates rates-50k rates-400k rates-short rates-long tokens ladder starts texts context epochs primary"}
seeds=${SEEDS:-5}
text=$(sh "$(dirname "$0")/book.sh")
mkdir -p "$out"
sh "$(dirname "$0")/texts.sh" "$bitter" "$out/data" >"$out/texts.txt"
data=$out/data
designed="sinusoidal rope alibi alibi-steep"
scratch="learned rope-random t5 fire" # their positions start without any design
sizes="learned sinusoidal rope rope-random alibi fire" # the schemes of the ladder

# shellcheck source=scripts/arms.sh
. "$(dirname "$0")/arms.sh"
from=rates

# tokens LIST: tokens for each parameter, as --tokens-per-parameter takes them.
tokens() {
    echo "$1" | awk -F, -v shrink="${SHRINK:-1}" \
        '{ for (i = 1; i <= NF; i++) printf "%s%g", (i > 1 ? "," : ""), $i / shrink }'
}

# part NAME OPTIONS...: one comparison, and its report among the results.
shape="--layers 4 --heads 4 --width 48"
part() {
    name=$1 && shift
    echo "--- $name ---"
    "$bitter" compare "$@" --context "${context:-128}" --batch "${batch:-8}" --warmup 50 --eval-every 0 --save-every 1000 \
        --out "$out/$name"
    sh "$(dirname "$0")/keep_report.sh" "$out/$name" "$results/$name"
}

# best NAMES: the one of these schemes with the lowest choosing loss at its rate.
best() {
    for name in $1; do
        awk -F, -v name="$name" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
            $column["scheme"] == name && $column["chosen"] == 1 && $column["quantity"] == "choose" {
                sum += $column["value"]
                n++
            }
            END { if (n == 3) printf "%.6f %s\n", sum / n, name }' "$(results_of rates)"
    done | sort -n | awk 'NR == 1 { print $2 }'
}

for part in $parts; do
    from=rates
    # The lists of schemes are meant to be split into words.
    # shellcheck disable=SC2046,SC2086
    case $part in
    rates)
        part rates $(named $designed $scratch) --data "$data/book" $shape \
            --lr-grid 1e-3,2e-3,4e-3,8e-3,1.6e-2,3.2e-2 --tokens-per-parameter "$(tokens 20)" --seeds 3 --seed 101 \
            --contrast "learned - sinusoidal" --contrast "rope-random - rope" \
            --contrast "fire - alibi" --contrast "t5 - alibi"
        ;;
    rates-50k)
        part rates-50k $(named $sizes) --data "$data/book" \
            --layers 4 --heads 4 --scale 50k --lr-grid 1e-3,2e-3,4e-3,8e-3,1.6e-2,3.2e-2 \
            --tokens-per-parameter "$(tokens 20)" --seeds 3 --seed 151
        ;;
    rates-400k)
        part rates-400k $(named $sizes) --data "$data/book" \
            --layers 4 --heads 4 --scale 400k --lr-grid 2e-3,4e-3,8e-3 \
            --tokens-per-parameter "$(tokens 20)" --seeds 1 --seed 151
        ;;
    rates-short)
        part rates-short learned sinusoidal rope alibi --data "$data/book" --layers 4 --heads 4 --width 32 \
            --lr-grid 2e-3,4e-3,8e-3,1.6e-2,3.2e-2,6.4e-2 --tokens-per-parameter "$(tokens 5,20)" --seeds 3 --seed 171
        ;;
    rates-long)
        part rates-long learned sinusoidal rope alibi --data "$data/book" --layers 4 --heads 4 --width 32 \
            --lr-grid 1e-3,2e-3,4e-3,8e-3,1.6e-2 --tokens-per-parameter "$(tokens 80,320)" --seeds 1 --seed 171
        ;;
    tokens)
        from="rates-short rates-long"
        part tokens $(arms learned sinusoidal rope alibi) --data "$data/book" --layers 4 --heads 4 --width 32 \
            --tokens-per-parameter "$(tokens 5,20,80,320)" --seeds "$seeds" --seed 251 \
            --contrast "learned - sinusoidal" --contrast "learned - rope" --contrast "learned - alibi"
        ;;
    ladder)
        from="rates-50k rates rates-400k"
        part ladder $(arms $sizes) --data "$data/book" --layers 4 --heads 4 \
            --scale 50k,140k,400k --tokens-per-parameter "$(tokens 20)" --seeds "$seeds" --seed 301 \
            --contrast "learned - sinusoidal" --contrast "rope-random - rope" --contrast "fire - alibi"
        ;;
    starts)
        part starts $(arms learned learned-sin=learned:start=sinusoidal~learned \
            sinusoidal sin-gain=sinusoidal:gain=trained~sinusoidal sin-unit=sinusoidal:amplitude=0.7071~sinusoidal \
            rope rope-learned=rope-learned~rope rope-random \
            alibi alibi-steep alibi-learned=alibi-learned~alibi alibi-random~alibi) \
            --data "$data/book" $shape --tokens-per-parameter "$(tokens 20)" --seeds "$seeds" --seed 401 \
            --contrast "learned - learned-sin" --contrast "sin-gain - sinusoidal" \
            --contrast "rope-random - rope-learned" --contrast "rope-learned - rope" \
            --contrast "alibi-steep - alibi" --contrast "alibi-random - alibi-learned"
        ;;
    texts)
        part texts $(arms learned sinusoidal rope alibi) $(sed 's/^/--data /' "$out/texts.txt") $shape \
            --tokens-per-parameter "$(tokens 10)" --seeds "$seeds" --seed 551 \
            --contrast "learned - sinusoidal" --contrast "learned - rope" --contrast "alibi - rope"
        ;;
    context)
        context=512 batch=2 # as many tokens in a step, so as many steps as with 128
        part context $(arms learned sinusoidal rope alibi) --data "$data/book" $shape \
            --tokens-per-parameter "$(tokens 20)" --seeds 3 --seed 601 \
            --contrast "learned - sinusoidal" --contrast "learned - rope" --contrast "alibi - rope"
        context=128 batch=8
        ;;
    epochs)
        [ -d "$data/little" ] || {
            gzip -dcf "$text" | head -c 192000 >"$data/little.txt"
            "$bitter" prepare --out "$data/little" --val 0.5 "$data/little.txt" >/dev/null
        }
        part epochs $(arms learned sinusoidal rope alibi) --data "$data/little" $shape \
            --tokens-per-parameter "$(tokens 5,20)" --seeds 3 --seed 701 \
            --contrast "learned - sinusoidal" --contrast "learned - rope"
        ;;
    primary)
        best=$(best "$designed")
        learned="$scratch alibi-random rope-random-8"
        set --
        for name in $learned; do set -- "$@" --contrast "$name - $best"; done
        part primary $(arms "$best" $scratch alibi-random~alibi) "rope-random-8=$(spec rope-random)@8e-3" \
            --data "$data/book" $shape --tokens-per-parameter "$(tokens 20)" --reference "$best" \
            --seeds 20 --seed 1001 "$@"
        ;;
    *)
        echo "experiment_full.sh: there is no part $part" >&2
        exit 2
        ;;
    esac
done
