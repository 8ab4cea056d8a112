#!/bin/sh
# SPDX-License-Identifier: MIT
# How many times the tokens does a learned scheme need to reach RoPE's loss, and does that factor fall as models grow?
#   sh scripts/ladder.sh BITTER [DIR]
# docs/ladder.md is the plan. Finished runs are kept: stop it and start it again at any time. DIR (runs/ladder) holds
# the texts and the runs; recorded results go to RESULTS (runs/results/ladder), those of unfinished parts as
# measured.tar.gz, from which another machine can continue. PARTS names the parts to do. SHRINK=100 trains a hundredth,
# to try the script with parts that are not recorded.
set -eu
bitter=${1:?"usage: sh scripts/ladder.sh BITTER [DIR]"}
out=${2:-runs/ladder}
results=${RESULTS:-runs/results/ladder}
scripts=$(dirname "$0")
recorded=$scripts/../runs/baseline/ladder
parts=${PARTS:-"rates-123k 123k rates-468k 468k 468k-rates english english-rates block block-rates
    rates-123k-80 123k-80 t5-rates rates-123k-320 rates-123k-320-low rates-123k-320-others 123k-320 123k-320-hybrid 123k-320-slower
    123k-320-1e6 bases 123k-640 468k-80 rates-1239k 1239k-rates 468k-80-rates 1239k 468k-80-ends 468k-80-1e6 1239k-1e6 3592k"}
data=$out/data
mkdir -p "$out"

# shellcheck source=scripts/arms.sh
. "$scripts/arms.sh"

# Beside rope: the control, another design, schemes that start from a design, and schemes learned from scratch.
schemes="none alibi rope-learned learned-sin alibi-learned learned random t5 fire cope pope"
rates_1239k="rates-1239k rates-1239k-20 rates-1239k-20-rope rates-1239k-20-beyond"
few="none rope-learned learned random t5" # at 468k, and on English and in GPT-2's blocks

# size NAME: the model, its parameters without positions. All have heads of 32 channels.
size() {
    case $1 in
    123k) model="--layers 2 --heads 2 --width 64" parameters=123264 ;;
    468k) model="--layers 4 --heads 3 --width 96" parameters=467904 ;;
    1239k) model="--layers 6 --heads 4 --width 128" parameters=1238784 ;;
    3592k) model="--layers 8 --heads 6 --width 192" parameters=3591552 ;;
    esac
}

# part NAME TOKENS TEXT OPTIONS...: one comparison at the size, with so many tokens for each parameter, and its recorded
# results. The learning rate rises over a tenth of the steps.
part() {
    name=$1 tokens=$(awk -v t="$2" -v s="${SHRINK:-1}" 'BEGIN { print t / s }') text=$3 && shift 3
    [ ! -f "$recorded/$name/results.csv" ] || return 0
    [ -f "$data/english/tokenizer.json" ] || sh "$scripts/linux.sh" "$bitter" "$data" >/dev/null
    echo "--- $name ---"
    mkdir -p "$out/$name"
    [ -n "$(ls "$out/$name")" ] || [ ! -f "$recorded/$name/measured.tar.gz" ] || tar -xzf "$recorded/$name/measured.tar.gz" -C "$out/$name"
    warmup=$(awk -v n=$parameters -v t="$tokens" 'BEGIN { print int(n * t / 8 / 512 / 10) }')
    trap 'keep_unfinished "$name"' EXIT
    trap 'exit 130' INT TERM
    # shellcheck disable=SC2086 # the model is meant to be split
    "$bitter" compare "$@" --data "$data/$text" $model --context 512 --batch 8 --block "${block:-llama}" --tokens-per-parameter "$tokens" \
        --warmup "$warmup" --eval-tokens 200000 --eval-every 0 --save-every 1000 --out "$out/$name"
    trap - EXIT INT TERM
    sh "$scripts/keep_report.sh" "$out/$name" "$results/$name"
    rm -f "$results/$name/measured.tar.gz"
}

# keep_unfinished NAME: what has been measured of a part that was stopped.
keep_unfinished() {
    mkdir -p "$results/$1"
    (cd "$out/$1" && find . -name measured.csv -o -name config.json -o -name compare.json) | LC_ALL=C sort |
        tar -czf "$results/$1/measured.tar.gz.new" -C "$out/$1" --mtime=@0 --owner=0 --group=0 -T -
    mv "$results/$1/measured.tar.gz.new" "$results/$1/measured.tar.gz"
}

# best NAMES: of the schemes that match, the one with the lowest mean loss on the half of the validation text used for
# choosing, and its rate, of all rates that the parts of $from tried, including those beyond the ends of their grids.
best() {
    for tried in $from; do
        for chosen in "$tried" "$tried-low" "$tried-high"; do
            [ ! -f "$(results_of "$chosen")" ] || sed "s/^/$chosen,/" "$(results_of "$chosen")"
        done
    done | awk -F, -v names="^($1)$" '$2 == "setting" { for (i = 1; i <= NF; i++) column[$i] = i }
        $column["quantity"] == "choose" && $column["scheme"] ~ names {
            arm = $1 " " $column["scheme"] " " $column["learning_rate"]
            sum[arm] += $column["value"]
            count[arm]++
        }
        END {
            for (arm in sum) if (!least || sum[arm] / count[arm] < sum[least] / count[least]) least = arm
            sub(/^[^ ]* /, "", least)
            print least
        }'
}

# rate NAME replaces the function of arms.sh; base: the base of the best rope.
rate() { best "$1" | cut -d ' ' -f 2; }
base() {
    best 'rope(-[0-9]+)?' | awk '{ print $1 == "rope" ? 10000 : substr($1, 6) }'
}

# spec NAME replaces the function of arms.sh: the scheme of that name, with the chosen base.
spec() {
    case $1 in
    rope) echo "rope:base=${base:-10000}" ;;
    rope-1e6) echo rope:base=1e6 ;;
    rope-*00) echo "rope:base=${1#rope-}" ;;
    rope-learned) echo "rope-learned:base=${base:-10000}" ;;
    random) echo "rope-learned:base=${base:-10000},start=random" ;;
    learned-sin) echo learned:start=sinusoidal ;;
    *) echo "$1" ;;
    esac
}

# against_rope SIZE RATES SEEDS FIRST SCHEME...: the schemes with the first of $budgets (tokens for each parameter; 20
# if it is empty), and rope also with the others, as a scale for the schemes' losses. $part begins their names.
against_rope() {
    size "$1" && from=$2 seeds=$3 first=$4 && shift 4
    base=$(base)
    rope=rope
    [ "$base" = 10000 ] || rope=rope~rope-$base # RoPE of another base has its own rates
    # shellcheck disable=SC2046
    for tokens in ${budgets:-20 10 5 2.5 40}; do
        part "$part-$tokens" $tokens "${text:-source}" $(arms $rope "$@") --reference rope --seeds "$seeds" --seed "$first"
        set --
    done
}

# rates SIZE TOKENS GRID SEEDS FIRST SCHEME...: the schemes at each rate. A scheme whose best rate is an end of the grid gets
# two more beyond it.
rates() {
    size "$1" && budget=$2 grid=$3 seeds=$4 first=$5 from=$part && shift 5
    # shellcheck disable=SC2046
    part "$from" "$budget" source $(named "$@") --reference "$1" --lr-grid "$grid" --seeds "$seeds" --seed "$first"
    lowest=${grid%%,*} highest=${grid##*,} low='' high=''
    for scheme in "$@"; do
        chosen=$(rate "$scheme")
        if same "$chosen" "$lowest"; then low="$low $scheme"; fi
        if same "$chosen" "$highest"; then high="$high $scheme"; fi
    done
    # shellcheck disable=SC2086 # the schemes are meant to be split
    {
        [ -z "$low" ] || beyond "$from-low" "$(multiply "$lowest" 0.25),$(multiply "$lowest" 0.5)" $low
        [ -z "$high" ] || beyond "$from-high" "$(multiply "$highest" 2),$(multiply "$highest" 4)" $high
    }
}
same() { # A B: are they the same number?
    awk -v a="$1" -v b="$2" 'BEGIN { exit a + 0 != b + 0 }'
}
multiply() { # A B: their product
    awk -v a="$1" -v b="$2" 'BEGIN { print a * b }'
}
beyond() { # PART GRID SCHEME...: more rates, with the tokens and the seeds of the grid that ended too soon
    more=$1 grid=$2 && shift 2
    # shellcheck disable=SC2046
    part "$more" "$budget" source $(named "$@") --lr-grid "$grid" --seeds "$seeds" --seed "$first"
}

# other_rates PART FIRST: rope with the rate of rope-learned, and rope-learned with that of rope (not planned: is it the rate that
# makes their difference?).
other_rates() {
    size 123k && base=500
    part "$1" 20 "${text:-source}" "rope=$(spec rope)@4e-3" "rope-learned=$(spec rope-learned)@8e-3" --seeds 12 --seed "$2"
}

for part in $parts; do
    base='' text='' block='' budgets='' # some shells keep variables that were set for a function call
    # The lists of schemes are meant to be split into words.
    # shellcheck disable=SC2086
    case $part in
    rates-123k) rates 123k 20 4e-3,8e-3,1.6e-2 2 101 rope rope-500 rope-2000 $schemes ;;
    123k) against_rope 123k rates-123k 12 1001 $schemes ;;
    123k-ends) # schemes that got another rate when the grid was extended, after 123k had been recorded
        size 123k && from=rates-123k ends=''
        base=$(base)
        for scheme in $schemes; do
            if awk -v rate="$(rate "$scheme")" 'BEGIN { exit rate >= 4e-3 && rate <= 1.6e-2 }'; then ends="$ends $scheme"; fi
        done
        # shellcheck disable=SC2046
        [ -z "$ends" ] || part 123k-20-ends 20 source $(arms $ends) --seeds 12 --seed 1001
        ;;
    rates-123k-80) rates 123k 80 2e-3,4e-3,8e-3 2 101 rope-500 none learned t5 ;;
    123k-80) part=123k budgets="80 160" against_rope 123k rates-123k-80 8 1001 none learned t5 ;;
    rates-123k-320) # RoPE's base and rate were chosen with fewer tokens; are others better here?
        size 123k
        # shellcheck disable=SC2046
        part rates-123k-320 320 source $(named rope rope-500) --lr-grid 4e-3,8e-3 --seeds 2 --seed 101
        ;;
    123k-320-hybrid) # not planned: does RoPE in the first layer alone copy?
        size 123k
        part 123k-320-hybrid 320 source 'rope-none=rope:base=500@0,none@1' --lr 8e-3 --seeds 2 --seed 1001
        ;;
    123k-320-slower) # not planned either: with half of the channels turned, or slower pairs, in both layers?
        size 123k
        part 123k-320-slower 320 source partial=partial:base=500 rope-1e6=rope:base=1e6 --lr 8e-3 --seeds 2 --seed 1001
        ;;
    123k-320-1e6) # one of the two runs with slower pairs copies, so RoPE is also trained with them
        size 123k && from=rates-123k-320-1e6
        # shellcheck disable=SC2046
        part "$from" 320 source $(named rope-1e6) --lr-grid 4e-3,8e-3,1.6e-2 --seeds 2 --seed 101
        # shellcheck disable=SC2046
        part 123k-320-1e6 320 source $(arms rope-1e6) --seeds 8 --seed 1001
        ;;
    123k-640) # RoPE with base 500 copies from no seed with 320 tokens: does it copy later, or rarely?
        part=123k budgets=640
        against_rope 123k "rates-123k-320 rates-123k-320-others rates-123k-80" 8 1001
        ;;
    bases) # the chosen base, 500, is the lowest that was tried with few tokens, and 1,000,000 was not tried
        size 123k
        # shellcheck disable=SC2046
        part bases-123k 20 source $(named rope-100 rope-1e6) --lr-grid 4e-3,8e-3,1.6e-2 --seeds 2 --seed 101
        # shellcheck disable=SC2046
        part bases-123k-80 80 source $(named rope-100 rope rope-1e6) --lr-grid 4e-3,8e-3 --seeds 2 --seed 101
        size 468k
        # shellcheck disable=SC2046
        part bases-468k 5 source $(named rope-100 rope-1e6) --lr-grid 2e-3,4e-3,8e-3 --seeds 2 --seed 111
        ;;
    rates-123k-320-low) # 0.004 is the end of that grid
        size 123k
        part rates-123k-320-low 320 source rope-500=rope:base=500 --lr 2e-3 --seeds 2 --seed 101
        ;;
    rates-123k-320-others) # then the learned schemes also get their rates from 320 tokens
        size 123k
        # shellcheck disable=SC2046
        part rates-123k-320-others 320 source $(named learned t5) --lr-grid 4e-3,8e-3,1.6e-2 --seeds 2 --seed 101
        ;;
    123k-320) # none, whose rate matters little, has its rate of 80 tokens
        part=123k budgets=320
        against_rope 123k "rates-123k-320 rates-123k-320-others rates-123k-80" 8 1001 none learned t5
        for plot in plot-2.svg plot-4.svg; do # losses along training and by position, which the docs show
            [ ! -f "$out/123k-320/$plot" ] || cp "$out/123k-320/$plot" "$results/123k-320"
        done
        ;;
    rates-468k) rates 468k 5 2e-3,4e-3,8e-3 2 111 rope rope-500 rope-2000 $few ;;
    468k) against_rope 468k rates-468k 8 1101 $few ;;
    468k-rates) # learned is still on its plateau with the 5 tokens that chose its rate
        size 468k && from=rates-468k-20
        part "$from" 20 source learned --lr-grid 2e-3,4e-3,8e-3 --seeds 2 --seed 111
        # shellcheck disable=SC2046
        same "$(rate learned)" 2e-3 || part 468k-20-ends 20 source $(arms learned) --seeds 8 --seed 1101
        ;;
    468k-80) # does the table overtake RoPE with 4 layers, too?
        size 468k && from="rates-468k rates-468k-20" base=500
        # shellcheck disable=SC2046
        part 468k-80 80 source $(arms rope~rope-500 learned) --reference rope --seeds 6 --seed 1101
        ;;
    468k-80-1e6) # RoPE with slower pairs, with the rate that is better for base 500
        size 468k
        part 468k-80-1e6 80 source rope-1e6=rope:base=1e6@4e-3 --seeds 6 --seed 1101
        ;;
    rates-1239k) base=500 rates 1239k 5 2e-3,4e-3,8e-3 1 121 rope-500 none learned ;;
    1239k-rates) # again with 20 tokens, where learned has left its plateau; likewise for rope
        size 1239k
        part rates-1239k-20 20 source learned --lr-grid 2e-3,4e-3 --seeds 1 --seed 121
        part rates-1239k-20-rope 20 source rope-500=rope:base=500 --lr-grid 2e-3,4e-3 --seeds 1 --seed 121
        part rates-1239k-20-beyond 20 source rope-500=rope:base=500@1e-3 learned@8e-3 --seeds 1 --seed 121
        ;;
    468k-80-rates) # the rates of 468k-80 had been chosen with fewer tokens
        size 468k && from=rates-468k-80 high=''
        part "$from" 80 source rope-500=rope:base=500 learned --lr-grid 2e-3,4e-3 --seeds 2 --seed 111
        ! same "$(rate rope-500)" 4e-3 || high="rope-500=rope:base=500@8e-3"
        ! same "$(rate learned)" 4e-3 || high="$high learned@8e-3"
        # shellcheck disable=SC2086 # the schemes are meant to be split
        [ -z "$high" ] || part "$from-high" 80 source $high --seeds 2 --seed 111
        ;;
    468k-80-ends) # the rate that is better than that of 468k-80 in the mean of the two seeds, which disagree
        size 468k
        part 468k-80-ends 80 source rope=rope:base=500@8e-3 learned@8e-3 --seeds 6 --seed 1101
        ;;
    1239k-1e6) # RoPE with slower pairs, because two runs of 468k-80-1e6 were better with them
        size 1239k
        part 1239k-20-1e6 20 source rope-1e6=rope:base=1e6@2e-3 --seeds 6 --seed 1201
        part 1239k-10-1e6 10 source rope-1e6=rope:base=1e6@2e-3 --seeds 6 --seed 1201 # for the table's factor on its scale
        ;;
    1239k) budgets="20 10 5 2.5" against_rope 1239k "$rates_1239k" 6 1201 learned ;;
    3592k) against_rope 3592k "$rates_1239k" 3 1301 learned ;;
    english) text=english against_rope 123k rates-123k 12 1401 $few ;;
    english-rates) text=english other_rates english-20-rates 1401 ;;
    block) block=gpt2 against_rope 123k rates-123k 12 1501 $few ;;
    block-rates) block=gpt2 other_rates block-20-rates 1501 ;;
    t5-rates) # not planned either: each length with the rate of the other
        size 123k
        part 123k-20-rates 20 source t5=t5@1.6e-2 --seeds 12 --seed 1001
        part 123k-80-rates 80 source t5=t5@8e-3 --seeds 8 --seed 1001
        ;;
    *)
        echo "ladder.sh: there is no part $part" >&2
        exit 2
        ;;
    esac
done
