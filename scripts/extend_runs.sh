# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# Functions shared by scripts that train and measure runs, which source this file. $bitter is the program, and $out the
# directory of the runs. Finished runs are kept, and stopped ones continue. $out/commits names the commits, or the
# versions, of the programs that worked there.
# run_of METHOD STAGE: print the run of a method, frozen or fine-tuned (tuned).
run_of() {
    if [ "$2" = tuned ]; then echo "$out/$1-ft"; elif [ "$1" = none ]; then echo "$out/base"; else echo "$out/$1"; fi
}
say() {
    echo "$(date +%H:%M:%S) $*"
}

# logged LOG ARGUMENTS...: run bitter and append its output to LOG.
logged() {
    log=$1 && shift
    commit=$(git -C "$(dirname "$0")" describe --always --dirty --exclude '*' 2>/dev/null || "$bitter" --version)
    grep -qxF "$commit" "$out/commits" 2>/dev/null || echo "$commit" >>"$out/commits"
    "$bitter" "$@" >>"$log" 2>&1 || {
        echo "${0##*/}: bitter $1 failed; see the end of $log" >&2
        exit 1
    }
}

# made_by NAME OPTIONS...: end the script if there is a file or run of this name that was made with other options, or by an
# earlier version, which did not record them.
made_by() {
    made=$1.options && shift
    [ -e "${made%.options}" ] || echo "$*" >"$made"
    [ "$(cat "$made" 2>/dev/null)" = "$*" ] || {
        echo "${0##*/}: ${made%.options} was made with other options (see $made) or by an earlier version; choose another DIR" >&2
        exit 2
    }
}

# train RUN OPTIONS...: train a run unless it is finished; a stopped one continues.
train() {
    run=$1 && shift
    made_by "$run" "$@"
    grep -q "^done" "$run.log" 2>/dev/null && return
    say "train $run"
    if [ -f "$run/state.safetensors" ]; then
        logged "$run.log" train --resume --out "$run"
    else
        rm -rf "$run" "$run.log"
        # --init would take another seed; the recorded runs all had this one.
        logged "$run.log" train --seed 1337 "$@" --out "$run"
    fi
}

# extend RUN RUN2 OPTIONS...: extend a run unless RUN2 is finished.
extend() {
    from=$1 run=$2 && shift 2
    made_by "$run" "$from" "$@"
    [ -f "$run/config.json" ] && return
    say "extend $run"
    logged "$run.log" extend "$from" --out "$run" "$@"
}

# measure RUN NAME OPTIONS...: write NAME.csv of a run, unless it exists.
measure() {
    run=$1 name=$2 && shift 2
    made_by "$run/$name.csv" "$@"
    [ -f "$run/$name.csv" ] && return
    say "$name of $run"
    logged "$run/$name.log" eval "$run" "$@" --csv "$run/$name.csv"
}

# spent RUN COLUMN: how many evaluations (COLUMN 2) or tokens (4) the choice of its factors took.
spent() {
    awk -v column="$2" '$1 == "spent" { n = $column + 0 } END { if (n) printf "%d", n }' "$1.log"
}

# factors_of RUN: its factors as --factors takes them.
factors_of() {
    awk '/"short":/ { exit } /"factors":/ { on = 1; next } on && /]/ { on = 0 } on { gsub(/[ ,]/, ""); printf "%s%s", sep, $0; sep = "," }' \
        "$1/config.json"
}
unscaled_of() { # RUN
    sed -n 's/.*"unscaled_positions": \([0-9]*\).*/\1/p' "$1/config.json" | head -n 1
}
