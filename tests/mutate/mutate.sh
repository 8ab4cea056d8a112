# Does a test fail when one token of the code is wrong? README.md beside this file says how it works.
#
#   MUTATE_COUNT=300 MUTATE_SEED=1 BUILD=build MAKE=make sh tests/mutate/mutate.sh
#
# Below BUILD/mutate, tree/ is a copy of the sources, in which each mutant is built; base/ has the build without
# mutants; results.csv has a line for each mutant tried, first those of MUTATE_KNOWN (the recorded
# runs/baseline/mutate/results.csv; none with /dev/null). MUTATE_AGAIN=1 tries survivors again. MUTATE_SHARE=I/N: every
# N-th mutant, from the I-th on, and an N-th of MUTATE_COUNT.
set -u
export LC_ALL=C OMP_NUM_THREADS=1
count=${MUTATE_COUNT:-300}
seed=${MUTATE_SEED:-1}
share=${MUTATE_SHARE:-1/1}
mkdir -p "${BUILD:-build}/mutate/base" || exit 1
place=$(cd "${BUILD:-build}/mutate" && pwd)
tree=$place/tree
results=$place/results.csv
rooms='model posenc lab/stats'
kinds='plain sanitized'

die() {
    echo "make mutate: $1" >&2
    exit 1
}

# Make the tree equal to the working copy. Files that differ get a new date, so that make builds what depends on them.
copy_sources() {
    mkdir -p "$tree"
    git ls-files -co --exclude-standard | sort >"$place/files"
    [ -s "$place/files" ] || die "wants a clone made by git"
    (cd "$tree" && find . -path ./build -prune -o -type f -print) | sed 's|^\./||' | sort | comm -23 - "$place/files" |
        while read -r file; do rm "$tree/$file"; done
    while read -r file; do
        if [ ! -f "$file" ] || cmp -s "$file" "$tree/$file"; then continue; fi
        mkdir -p "$tree/$(dirname "$file")" && cp "$file" "$tree/$file"
    done <"$place/files"
}

# build KIND TARGET...: targets below build/KIND.
build() {
    into=build/$1 sanitize=
    [ "$1" = plain ] || sanitize=1
    shift
    # shellcheck disable=SC2046
    (cd "$tree" && "$MAKE" -s -j "$(getconf _NPROCESSORS_ONLN)" CI= V= ONLY= CFLAGS=-O1 SANITIZE=$sanitize BUILD="$into" \
        $(printf "$into/%s " "$@")) >"$place/build.log" 2>&1
}
libraries='float/libbitter.a double/libbitter.a'

programs() { # ROOM
    (cd "$tree/tests" && find "$1" -name 'test_*.c' | sed 's|^|float/tests/|' && find "$1" -name 'double_*.c' |
        sed 's|^|double/tests/|') | sed 's|\.c$||' | sort
}

# run KIND PROGRAM CPU-SECONDS. A mutant may run for ever, or take all memory (limit: 8 GB of addresses, or 4 GB in use)
# or disk (2 GB). TIME_LIMIT is for programs that wait for ever; on a busy machine others wait, too.
run() {
    (
        cd "$tree" && ulimit -c 0 && ulimit -f 4194304 && ulimit -t "$3" || exit 1
        [ "$1" = sanitized ] || ulimit -v 8388608 2>/dev/null
        export ASAN_OPTIONS=hard_rss_limit_mb=4096 BUILD="build/$1" TIME_LIMIT=$((60 + 4 * $3))
        sh tests/run "build/$1/$2"
    ) >"$place/test.log" 2>&1
}

# The CPU seconds of ended processes -> $used. `times` reports those of the shell that calls it.
cpu_seconds() {
    times >"$place/times"
    used=$(awk 'NR == 2 { split($1 "m" $2, t, /[ms]+/); printf "%.2f", 60 * (t[1] + t[3]) + t[2] + t[4] }' "$place/times")
}

# Build everything, check that all tests pass, and write tests-KIND: lines "PROGRAM SECONDS", the fastest first.
prepare() { # KIND
    tests=$place/tests-$1
    for room in $rooms; do programs "$room"; done >"$place/programs"
    # Under sanitizers the long tests take hours. What sanitizers find, the short ones reach, too.
    [ "$1" = plain ] || awk '$2 <= 20 { print $1 }' "$place/tests-plain" >"$place/programs"
    # shellcheck disable=SC2046,SC2086
    build "$1" $libraries $(cat "$place/programs") || { cat "$place/build.log"; die "cannot build"; }
    rm -rf "$place/base/$1"
    cp -Rp "$tree/build/$1" "$place/base/$1"
    touch "$tests"
    while read -r program; do
        if grep -q "^$program " "$tests"; then continue; fi
        cpu_seconds
        before=$used
        run "$1" "$program" 600 || { cat "$place/test.log"; die "$program fails without any mutant"; }
        cpu_seconds
        echo "$program $used $before" | awk '{ printf "%s %.2f\n", $1, $2 - $3 }' >>"$tests"
    done <"$place/programs"
    awk 'FNR == NR { there[$1] = 1; next } $1 in there' "$place/programs" "$tests" | sort -n -k 2 >"$tests-new"
    mv "$tests-new" "$tests"
}

# Run the tests of the mutant's room -> $result, and $by, the program that failed.
test_mutant() { # KIND ROOM
    result=survived by=$1
    while read -r program seconds; do
        case $program in */tests/"$2"/*) ;; *) continue ;; esac
        if ! build "$1" "$program"; then
            result='not compiled' by=
            return
        fi
        run "$1" "$program" "$(echo "$seconds" | awk '{ printf "%d", 10 * $1 + 10 }')" && continue
        result=killed by=$1/$program
        if grep -q 'was stopped after\|signal 24' "$place/test.log"; then result=timeout; fi
        return
    done <"$place/tests-$1"
}

same_code() { # KIND
    for library in $libraries; do cmp -s "$tree/build/$1/$library" "$place/base/$1/$library" || return; done
}

try() { # KIND ID FILE ROOM
    began=$(date +%s)
    cp -p "$tree/$3" "$place/original"
    touch "$place/stamp"
    awk -F '\t' -v id="$2" 'FNR == NR { if ($1 == id) { line = $3; after = $5 } next } { print FNR == line ? after : $0 }' \
        "$place/mutants" "$place/original" >"$tree/$3"
    by=
    # shellcheck disable=SC2086
    if ! build "$1" $libraries; then
        result='not compiled'
    elif same_code "$1"; then
        result='same code'
    else
        test_mutant "$1" "$4"
    fi
    restore "$1" "$3"
    echo "$2,$3,$result,$by,$(($(date +%s) - began))" >>"$results"
}

# First restore the built files, with their old dates, then the source: if this is interrupted, they are built again.
restore() { # KIND FILE
    (cd "$tree/build/$1" && find . -newer "$place/stamp" -type f) | while read -r file; do
        base=$place/base/$1/$file
        if [ -f "$base" ]; then cp -p "$base" "$tree/build/$1/$file"; else rm "$tree/build/$1/$file"; fi
    done
    cp -p "$place/original" "$tree/$2"
}

# Try the first mutants that differ from the program: in the plain build untried ones, in the other its survivors.
try_all() { # KIND
    tried=0 wanted=$(((count + ${share#*/} - 1) / ${share#*/}))
    awk -v share="$share" 'BEGIN { split(share, part, "/") } NR % part[2] == part[1] % part[2]' "$place/mutants" >"$place/own"
    while IFS='	' read -r id file rest && [ $tried -lt $wanted ]; do
        for room in $rooms; do case $file in "$room"/*) break ;; esac done
        result=$(result_of "$id")
        case $1:$result in
        plain: | sanitized:survived,plain,*)
            try "$1" "$id" "$file" "$room" </dev/null
            result=$(result_of "$id")
            echo "$file,$result"
            ;;
        esac
        case $result in same* | not*) ;; *) tried=$((tried + 1)) ;; esac
    done <"$place/own"
}

result_of() { # ID: RESULT,PROGRAM,SECONDS
    sed -n "s/^$1,[^,]*,//p" "$results" | tail -n 1
}

case $share in [1-9]*/[1-9]*) ;; *) die "MUTATE_SHARE=$share: give I/N, such as 1/2" ;; esac
copy_sources
# shellcheck disable=SC2046
(cd "$tree" && awk -v seed="$seed" -f tests/mutate/mutants.awk $(find $rooms -name '*.[ch]' | sort)) >"$place/mutants"
echo "MUTATE_SEED=$seed MUTATE_COUNT=$count; $(wc -l <"$place/mutants") mutants to choose from"
[ -f "$results" ] || cp "${MUTATE_KNOWN:-runs/baseline/mutate/results.csv}" "$results" 2>/dev/null || touch "$results"
if [ -n "${MUTATE_AGAIN:-}" ]; then
    awk -F, 'FNR == NR { result[$1] = $3; next } result[$1] != "survived"' "$results" "$results" >"$place/results-new"
    mv "$place/results-new" "$results"
fi
for kind in $kinds; do
    prepare "$kind"
    try_all "$kind"
done
awk -F '\t' -v wanted="$count" -f tests/mutate/report.awk tests/mutate/equivalent.txt "$results" "$place/mutants"
