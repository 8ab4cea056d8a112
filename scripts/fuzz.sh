#!/bin/sh
# SPDX-License-Identifier: MIT
# `make fuzz` and `make fuzz-coverage` (tests/fuzz/README.md):
#   fuzz.sh check               has clang libFuzzer?
#   fuzz.sh all PROGRAM         every target for an equal share of FUZZ_SECONDS, FUZZ_JOBS side by side
#   fuzz.sh one PROGRAM TARGET  one of them for FUZZ_SHARE seconds
#   fuzz.sh coverage DIR        lines of the readers that the corpora reach, by the program in DIR
# FUZZ_SEED makes the same inputs again, as far as the time allows; 0 gives other inputs each time. FUZZ_DIR
# (build/fuzz) keeps what one session leaves for the next: corpus/TARGET/, found/, TARGET.log and log.csv.
set -u
seconds=${FUZZ_SECONDS:-300}
export FUZZ_DIR="${FUZZ_DIR:-build/fuzz}"
seeds=tests/fuzz/corpus
# In clang 14's address sanitizer, a thread ends with an alternate stack, about which the sanitizer then complains.
sanitizer=allocator_may_return_null=1:quarantine_size_mb=16:use_sigaltstack=0
names=${FUZZ_ONLY:-$(ls $seeds)}
for name in $names; do
    [ -d "$seeds/$name" ] || { echo "make fuzz: there is no target $name; there are" $(ls $seeds) >&2; exit 2; }
done

check() {
    echo 'int LLVMFuzzerTestOneInput(const char *bytes, unsigned long size) { return 0; }' |
        clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null && return
    echo "make fuzz needs clang with libFuzzer (Debian: clang, and libclang-rt-N-dev where N is clang's version)" >&2
    exit 1
}

# The words of the seeds, from which libFuzzer builds inputs.
dictionary() { # TARGET
    LC_ALL=C grep -ohaE '[A-Za-z_][A-Za-z0-9_.-]{2,40}' $seeds/"$1"/* | sort -u | sed 's/.*/"&"/'
}

last() { # PATTERN LOG: the number behind the pattern in its last line
    sed -n "s/.*$1 *\([0-9][0-9]*\).*/\1/p" "$2" | tail -n 1
}

one() { # PROGRAM TARGET
    log=$FUZZ_DIR/$2.log
    mkdir -p "$FUZZ_DIR/corpus/$2" "$FUZZ_DIR/found"
    dictionary "$2" >"$FUZZ_DIR/$2.dict"
    [ -s "$FUZZ_DIR/$2.dict" ] || echo '"0"' >"$FUZZ_DIR/$2.dict" # libFuzzer needs at least one word
    fast=/dev/shm
    [ -w $fast ] || fast=${TMPDIR:-/tmp}
    scratch=$(mktemp -d "$fast/bitter-fuzz.XXXXXX")
    # The program itself ends on an input that takes too much CPU time; -timeout is for one that never ends.
    FUZZ_TARGET=$2 TMPDIR=$scratch OMP_NUM_THREADS=1 ASAN_OPTIONS=$sanitizer "$1" \
        -seed="${FUZZ_SEED:-0}" -max_total_time="$FUZZ_SHARE" -timeout=300 -rss_limit_mb=1024 -max_len=65536 \
        -close_fd_mask=3 -print_final_stats=1 -dict="$FUZZ_DIR/$2.dict" -artifact_prefix="$FUZZ_DIR/found/$2-" "$FUZZ_DIR/corpus/$2" "$seeds/$2" >"$log" 2>&1
    code=$?
    rm -rf "$scratch"
    crash=$(sed -n 's/.*Test unit written to //p' "$log")
    [ $code -eq 0 ] || [ -n "$crash" ] || crash="exit code $code: $log"
    times >"$FUZZ_DIR/$2.times" # of this shell, and of its children
    cpu=$(awk 'NR == 2 { split($1 "m" $2, t, /[ms]+/); printf "%.0f", 60 * (t[1] + t[3]) + t[2] + t[4] }' "$FUZZ_DIR/$2.times")
    runs=$(last 'number_of_executed_units:' "$log") edges=$(last 'cov:' "$log") inputs=$(last 'corp:' "$log")
    printf '%s,%s,%s,%s,%s,%s,%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$2" "${runs:-0}" "${edges:-0}" "${inputs:-0}" \
        "$cpu" "$(echo "$crash" | sed "s|$FUZZ_DIR/||")" >>"$FUZZ_DIR/log.csv"
    printf '%-18s %10d executions %6d edges %5d inputs %6d CPU seconds%s\n' "$2" "${runs:-0}" "${edges:-0}" \
        "${inputs:-0}" "$cpu" "${crash:+  FOUND $crash}"
}

all() { # PROGRAM
    jobs=${FUZZ_JOBS:-$(getconf _NPROCESSORS_ONLN)}
    mkdir -p "$FUZZ_DIR"
    [ -f "$FUZZ_DIR/log.csv" ] || echo 'date,target,executions,edges,inputs,cpu_seconds,found' >"$FUZZ_DIR/log.csv"
    before=$(wc -l <"$FUZZ_DIR/log.csv")
    FUZZ_SHARE=$((seconds * jobs / $(echo "$names" | wc -w) + 1)) # 0 would mean no limit
    export FUZZ_SHARE
    # shellcheck disable=SC2086
    printf '%s\n' $names | xargs -P "$jobs" -n 1 sh "$0" one "$1"
    awk -F, -v before="$before" '
        NR > 1 { runs += $3; cpu += $6 }
        NR > before { if ($7 != "") found = found "\n" $7 }
        END { printf "in all pieces so far: %d executions in %.2f CPU-hours\n", runs, cpu / 3600
              if (found != "") { print "found:" found; exit 1 } }' "$FUZZ_DIR/log.csv"
}

# gcov -n prints "File 'data/shard.c'" and "Lines executed:97.12% of 139", first for the source itself.
coverage() { # DIR
    find "$1" -name '*.gcda' -exec rm -f {} +
    OMP_NUM_THREADS=1 "$1/tests/fuzz/test_replay" >"$FUZZ_DIR/replay.log" 2>&1 || { cat "$FUZZ_DIR/replay.log"; exit 1; }
    [ ! -d "$FUZZ_DIR/corpus" ] ||
        OMP_NUM_THREADS=1 FUZZ_CORPUS="$FUZZ_DIR/corpus" "$1/tests/fuzz/test_replay" >"$FUZZ_DIR/replay.log" 2>&1
    sed -n '/^## Readers/,/^## /p' tests/fuzz/README.md | grep -oE '[a-z_0-9/]+\.c' | sort -u | while read -r file; do
        gcov -n -o "$1/${file%.c}.o" "$file" 2>/dev/null | awk -v file="$file" '
            /^File/ { mine = index($0, file) } /^Lines executed/ && mine && !said++ { sub(/.*:/, ""); printf "%-32s %s\n", file, $0 }'
    done
}

case $1 in
check) check ;;
one) one "$2" "$3" ;;
all) all "$2" ;;
coverage) coverage "$2" ;;
esac
