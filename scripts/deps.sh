#!/bin/sh
# SPDX-License-Identifier: MIT
# Install the compiler, the libraries and the tools that are missing: sh scripts/deps.sh CC FLAGS, with the flags that
# tell the compiler where headers are. With `check` as a third argument, only say in one sentence what a build lacks.
# With WASM_CC=clang, also install what `make lesson` needs: that compiler, its linker and a C library for WebAssembly.
set -e
compiler=$1 flags=$2 goal=${3:-install}

# has HEADER: can the compiler find it?
has() {
    case $1 in
    cmocka.h) before='#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n' ;;
    pcre2.h) before='#define PCRE2_CODE_UNIT_WIDTH 8\n' ;;
    *) before= ;;
    esac
    printf "$before#include <$1>\n" | $compiler -E $flags -x c - >/dev/null 2>&1
}

missing=
command -v ${compiler%% *} >/dev/null 2>&1 || missing=" a C compiler ($compiler)"
headers='stdio.h omp.h jansson.h pcre2.h zlib.h'
case $flags in *-DBLAS_*) ;; *) headers="$headers cblas.h" ;; esac
if [ "$goal" = check ]; then
    [ -n "$missing" ] || for header in $headers; do has $header || missing="$missing $header"; done
    [ -n "$missing" ] || exit 0
    echo "bitter cannot be built: these are missing:$missing; \`make deps\` installs them" >&2
    exit 2
fi

for header in $headers cmocka.h; do has $header || missing="$missing $header"; done
command -v ${PKG_CONFIG:-pkg-config} >/dev/null 2>&1 || missing="$missing pkg-config"
# On Debian, the OpenMP build of OpenBLAS: the threads of the pthread build compete with OpenMP's.
case $headers in *cblas.h*)
    if command -v dpkg >/dev/null 2>&1; then
        dpkg-query -W -f '${Status}\n' libopenblas-openmp-dev 2>/dev/null | grep -q 'install ok installed' || missing="$missing openblas-openmp"
    fi
    ;;
esac
has_wasm() {
    program='#include <math.h>\n#include <stdio.h>\nint main(int n, char **words) { return printf("%%g", sin(n)); }\n'
    printf "$program" | $WASM_CC --target=wasm32-wasi -x c - -o /dev/null 2>/dev/null
}
lesson=
[ -z "${WASM_CC:-}" ] || has_wasm || lesson=WebAssembly
missing="$missing${lesson:+ $lesson}"
[ -n "$missing" ] || exit 0

echo "installing what is missing:$missing"
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
case $compiler in *clang*) clang=yes ;; *) clang= ;; esac
if command -v apt-get >/dev/null 2>&1; then
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq gcc libc6-dev pkg-config libopenblas-openmp-dev libjansson-dev \
        libpcre2-dev zlib1g-dev libcmocka-dev ${clang:+clang libomp-dev} ${lesson:+clang lld wasi-libc libclang-rt-dev-wasm32} >/dev/null
elif command -v dnf >/dev/null 2>&1; then
    $sudo dnf install -y gcc pkgconf-pkg-config openblas-devel jansson-devel pcre2-devel zlib-devel libcmocka-devel \
        ${clang:+clang libomp-devel}
elif command -v pacman >/dev/null 2>&1; then
    $sudo pacman -S --needed --noconfirm gcc pkgconf openblas jansson pcre2 zlib cmocka ${clang:+clang openmp} \
        ${lesson:+clang lld wasi-libc wasi-compiler-rt}
elif command -v brew >/dev/null 2>&1; then
    brew install pkgconf openblas libomp jansson pcre2 cmocka
else
    echo "deps.sh: no apt-get, dnf, pacman or brew found; install a C compiler, pkg-config, OpenBLAS, jansson, PCRE2, zlib" \
        "and cmocka by hand" >&2
    exit 1
fi
if [ -n "$lesson" ] && ! has_wasm; then
    echo "deps.sh: $WASM_CC cannot compile for wasm32-wasi; install lld, a C library (wasi-libc) and clang's runtime library" \
        "for it by hand" >&2
    exit 1
fi
