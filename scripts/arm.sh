#!/bin/sh
# SPDX-License-Identifier: MIT
# Build bitter for 64-bit ARM without a BLAS, run the tests of its computations under qemu, and compare the losses of a
# short training run with those of this machine's build. $1: the make to use; $2: this machine's bitter. BUILD: the
# directory to build in (build/arm).
set -e
make=$1
native=$2
build=${BUILD:-build/arm}
gcc=aarch64-linux-gnu-gcc
mkdir -p "$build"

probe='#define PCRE2_CODE_UNIT_WIDTH 8\n#include <jansson.h>\n#include <pcre2.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n'
probe=$probe'#include <cmocka.h>\n#include <zlib.h>\nint main(void) { return 0; }\n'
if ! printf "$probe" | $gcc -fopenmp -x c - -o "$build/probe" -ljansson -lpcre2-8 -lz -lcmocka 2>"$build/probe.log" ||
    ! qemu-aarch64 "$build/probe" 2>>"$build/probe.log"; then
    echo "arm.sh: a compiler, libraries or an emulator for ARM are missing ($build/probe.log); on Debian, install them" \
        "with \`dpkg --add-architecture arm64 && apt-get update && apt-get install gcc-aarch64-linux-gnu qemu-user" \
        "libjansson-dev:arm64 libpcre2-dev:arm64 zlib1g-dev:arm64 libcmocka-dev:arm64\`" >&2
    exit 2
fi

$make --no-print-directory CC=$gcc AR=aarch64-linux-gnu-ar ARCH=-march=armv8-a BLAS=none BUILD="$build" \
    "$build/bitter" test-programs
set -- $(find "$build/float/tests/model" "$build/double/tests/model" "$build/float/tests/posenc" \
    "$build/double/tests/posenc" -type f ! -name '*.*' | sort)
# Products of bfloat16 need a newer processor.
bf16=$build/bf16/float/tests/num/test_bf16
$make --no-print-directory CC=$gcc AR=aarch64-linux-gnu-ar ARCH=-march=armv8.2-a+bf16 BLAS=none BUILD="$build/bf16" "$bf16"
BUILD=$build LAUNCH=qemu-aarch64 TIME_LIMIT=1200 sh tests/run "$@" "$bf16"

# losses BITTER...: the last training loss and validation loss of a short run.
losses() {
    rm -rf "$build/run"
    "$@" train --layers 2 --width 32 --heads 2 --context 64 --batch 4 --steps 30 --eval-tokens 8192 --out "$build/run" |
        sed -n 's/^step .* train \([0-9.]*\)  *val \([0-9.]*\).*/\1 \2/p' | tail -n 1
}
echo "$(losses qemu-aarch64 "$build/bitter") $(losses "$native")" | awk '{
    equal = NF == 4 && ($1 - $3) ^ 2 < 1e-6 && ($2 - $4) ^ 2 < 1e-6
    print (equal ? "ok: " : "FAILED: ") "losses after 30 steps on ARM (training, validation) and here: " $0
    exit !equal
}'
