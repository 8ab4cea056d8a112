#!/bin/sh
# Install the libraries and tools that are missing. $1: a command that preprocesses C from standard input. With
# WASM_CC=clang, also what `make lesson` needs: that compiler, its linker and a C library for WebAssembly.
set -e
preprocess=$1

missing=
openmp=
[ "$(uname -s)" != Darwin ] || openmp=omp.h # not part of Apple's clang
for header in cblas.h jansson.h pcre2.h zlib.h cmocka.h $openmp; do
    case $header in
        cmocka.h) includes='#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n' ;;
        pcre2.h) includes='#define PCRE2_CODE_UNIT_WIDTH 8\n' ;;
        *) includes= ;;
    esac
    printf "$includes#include <$header>\n" | $preprocess -x c - >/dev/null 2>&1 || missing="$missing $header"
done
# On Debian, the OpenMP build of OpenBLAS: the threads of the pthread build compete with OpenMP's.
if command -v apt-get >/dev/null 2>&1; then
    ls /usr/lib/*/openblas-openmp/libopenblas.so >/dev/null 2>&1 || missing="$missing openblas-openmp"
fi
lesson=
if [ -n "${WASM_CC:-}" ]; then
    program='#include <math.h>\n#include <stdio.h>\nint main(int n, char **words) { return printf("%%g", sin(n)); }\n'
    printf "$program" | $WASM_CC --target=wasm32-wasi -x c - -o /dev/null 2>/dev/null || lesson=WebAssembly
fi
missing="$missing${lesson:+ $lesson}"
[ -n "$missing" ] || exit 0

echo "installing what is missing:$missing"
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
if command -v apt-get >/dev/null 2>&1; then
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq libopenblas-openmp-dev libjansson-dev libpcre2-dev zlib1g-dev \
        libcmocka-dev ${lesson:+clang lld wasi-libc libclang-rt-dev-wasm32} >/dev/null
elif command -v dnf >/dev/null 2>&1; then
    $sudo dnf install -y openblas-devel jansson-devel pcre2-devel zlib-devel libcmocka-devel
elif command -v pacman >/dev/null 2>&1; then
    $sudo pacman -S --needed --noconfirm openblas jansson pcre2 zlib cmocka \
        ${lesson:+clang lld wasi-libc wasi-compiler-rt}
elif command -v brew >/dev/null 2>&1; then
    brew install openblas libomp jansson pcre2 cmocka
else
    echo "deps.sh: no apt-get, dnf, pacman or brew found; install OpenBLAS, jansson, PCRE2, zlib and cmocka by hand" >&2
    exit 1
fi
