#!/bin/sh
# SPDX-License-Identifier: MIT
# interop.sh PROGRAM BUILD: check that other programs read bitter's files, and that bitter reads theirs. Runs every
# script of tests/interop/ in a virtual environment, BUILD/interop/venv, which has the packages of
# tests/interop/requirements.txt; BITTER_PYTHON=FILE names another Python that has them. Ends in "N passed, N failed".
# If the packages cannot be installed, it says so and counts as skipped. With CI=true, transformers (whose torch has
# several gigabytes) and llama-cpp-python (which has to be compiled) are used only if they are installed already.
set -u
program=$1 build=$2
repository=$(pwd)
python=${BITTER_PYTHON:-}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bitter-interop.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

skip() {
    echo "skipped: interop ($1)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

install() { # FILE: its packages, unless the same file was installed before
    done="$build/interop/$(basename "$1").done"
    cmp -s "$1" "$done" && return
    "$python" -m pip --disable-pip-version-check install -q --retries 1 -r "$1" >"$build/interop/pip.log" 2>&1 &&
        cp "$1" "$done"
}

if [ -z "$python" ]; then
    mkdir -p "$build/interop"
    python=$build/interop/venv/bin/python
    [ -x "$python" ] || python3 -m venv "$build/interop/venv" >"$build/interop/pip.log" 2>&1 ||
        skip "there is no python3 that can make a virtual environment; see $build/interop/pip.log"
    echo "install the packages of tests/interop/requirements.txt"
    install tests/interop/requirements.txt ||
        skip "PyPI cannot be reached, or lacks a package: $(tail -n 1 "$build/interop/pip.log" | cut -c 1-200)"
    if [ -z "${CI:-}" ]; then
        for large in transformers llama; do
            echo "install the packages of tests/interop/requirements-$large.txt (some minutes)"
            install "tests/interop/requirements-$large.txt" ||
                echo "they cannot be installed: $(tail -n 1 "$build/interop/pip.log" | cut -c 1-200)"
        done
    fi
fi

export BITTER="$program" BITTER_SHARED="${BITTER_SHARED:-$repository/../shared}"
export PYTHONPATH="$repository/tests/interop/support"
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
passed=0 failed=0 skipped=0
for script in tests/interop/*.py; do
    name=$(basename "$script" .py)
    mkdir "$scratch/$name"
    # Some scripts have the same names as the packages that they import, so their own folder must not be searched (-P).
    BITTER_SCRATCH="$scratch/$name" "$python" -P "$script" "$program" "$BITTER_SHARED" >"$scratch/log" 2>"$scratch/err"
    code=$?
    grep -E '^(FAILED|skipped)' "$scratch/log" | sed "s/: /: $name: /"
    counts=$(sed -nE '$s/^(.*[^0-9])?([0-9]+) passed, ([0-9]+) failed.*/\2 \3/p' "$scratch/log")
    if [ -z "$counts" ] || { [ $code -ne 0 ] && [ "${counts#* }" -eq 0 ]; }; then
        echo "FAILED: $name: it ended with exit code $code"
        tail -n 5 "$scratch/err"
        counts="${counts:-0 0}"
        counts="${counts% *} $((${counts#* } + 1))"
    fi
    skipped=$((skipped + $(grep -c '^skipped' "$scratch/log")))
    echo "$name: ${counts% *} passed, ${counts#* } failed"
    passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
done
echo "$skipped skipped, $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
