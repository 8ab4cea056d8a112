#!/bin/sh
# SPDX-License-Identifier: MIT
# Which BLAS is the fastest here: sh scripts/bench_blas.sh BITTER
# Builds bitter with every library that is installed, as build/LIBRARY/bitter, with all matrix products left to the
# library (KERNELS=blas), and measures these programs in turn with BITTER; numbers are medians of ROUNDS (3). MKLROOT:
# the directory of MKL, if not a usual one. LAUNCH and STEPS are those of bench.sh.
set -eu
bitter=${1:?"usage: sh scripts/bench_blas.sh BITTER"}
rounds=${ROUNDS:-3}
. "$(dirname "$0")/bench_sizes.sh"
begin "$rounds"
[ -z "${STEPS:-}" ] || whole STEPS "$STEPS"

built=
if [ "$(uname -s)" = Darwin ]; then libraries="openblas blis accelerate"; else libraries="openblas blis mkl"; fi
for library in $libraries; do
    echo "building with $library" >&2
    if ${MAKE:-make} --no-print-directory -j "$(getconf _NPROCESSORS_ONLN)" BLAS="$library" KERNELS=blas \
        BUILD="build/$library" "build/$library/bitter" >/dev/null 2>"$scratch/errors"; then
        built="$built $library"
    else
        grep -m 1 -E '[*][*][*]|error|cannot find' "$scratch/errors" |
            sed "s/.*[*][*][*] *//; s/  Stop[.]\$//; s/^/without $library: /"
    fi
done
[ -n "$built" ] || complain "no BLAS could be built"
cores=$("$bitter" bench --width 4 --heads 1 --layers 1 --context 2 --batch 1 --steps 1 2>/dev/null | value threads)

row='| %-8s | %9s | %9s | %9s |\n'
# shellcheck disable=SC2059
printf "\n$row|---|---|---|---|\n" 'ms a step' A B E
for shape in A B E; do
    choose $shape
    round=0
    while [ $((round += 1)) -le "$rounds" ]; do
        for program in bitter $built; do
            path=build/$program/bitter
            [ "$program" != bitter ] || path=$bitter
            # shellcheck disable=SC2086
            ${LAUNCH:-} "$path" bench $model --steps "$steps" --pos learned 2>/dev/null |
                value ms_per_step >>"$scratch/$program.$shape"
        done
    done
done
for program in bitter $built; do
    # shellcheck disable=SC2059
    printf "$row" "$program" "$(median <"$scratch/$program.A")" "$(median <"$scratch/$program.B")" \
        "$(median <"$scratch/$program.E")"
done
echo
echo 'A row for bitter as it is, and one for each library alone. If a library is faster by more than a few percent, build'
echo 'with it: `make BLAS=LIBRARY KERNELS=blas`. A, B: sizes of `make bench` with all cores; E: with one.'
