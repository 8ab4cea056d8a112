#!/bin/sh
# SPDX-License-Identifier: MIT
# Compile every file of bitter and of its tests for macOS, on ARM and on Intel, and link them; no Mac is needed, and
# nothing is run. The compiler is zig, from PyPI, which brings Apple's headers and the list of libSystem's symbols. In
# place of Homebrew's libraries there are Debian's headers and libraries that contain only the symbols. $1: the make to
# use; $2: a directory for it.
set -eu
make=$1
mkdir -p "$2"
build=$(cd "$2" && pwd)
zig=$build/python/bin/zig
if ! "$zig" version >/dev/null 2>&1; then
    rm -rf "$build/python"
    if ! { python3 -m venv "$build/python" && "$build/python/bin/pip" -q install ziglang; } >"$build/zig.log" 2>&1; then
        echo "macos.sh: skipped: the compiler could not be had from PyPI ($build/zig.log)"
        exit 0
    fi
    printf '#!/bin/sh\nexec "%s" -m ziglang "$@"\n' "$build/python/bin/python" >"$zig"
    chmod +x "$zig"
fi
export ZIG_GLOBAL_CACHE_DIR="$build/cache" ZIG_LOCAL_CACHE_DIR="$build/cache"

# found NAME: the file NAME of clang or of gcc, with which this machine's programs are built.
found() {
    for compiler in clang gcc; do
        file=$($compiler -print-file-name="$1" 2>/dev/null) || continue
        [ ! -e "$file" ] || { echo "$file" && return; }
    done
    echo "macos.sh: there is no $1; on Debian, install libjansson-dev libpcre2-dev zlib1g-dev libcmocka-dev libopenblas-openmp-dev" \
        "clang libomp-dev" >&2
    exit 2
}

headers=$build/brew/include
mkdir -p "$headers"
debian=/usr/include/$(gcc -dumpmachine)
for name in jansson jansson_config pcre2 zlib zconf cmocka cblas openblas_config; do
    for place in /usr/include "$debian" "$debian/openblas-openmp"; do
        [ ! -f "$place/$name.h" ] || cp "$place/$name.h" "$headers"
    done
done
sed '/define OPENBLAS_OS_LINUX/d' "$headers/openblas_config.h" >"$build/config.h" # functions that only Linux has
mv "$build/config.h" "$headers/openblas_config.h"
omp=$build/brew/opt/libomp # Homebrew keeps libomp in a directory of its own
mkdir -p "$omp/include"
cp "$(found include/omp.h)" "$omp/include"

for target in aarch64-macos x86_64-macos; do
    libraries=$build/brew-$target
    rm -rf "$libraries"
    cp -r "$build/brew" "$libraries"
    mkdir "$libraries/lib" "$libraries/opt/libomp/lib"
    for name in jansson.so pcre2-8.so z.so cmocka.so openblas.so omp.so.5; do
        library=$(found lib$name)
        name=${name%%.*}
        nm -D --defined-only "$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print "void " $3 "(void) {}" }' |
            sort -u >"$build/$name.c"
        # Newer than Debian's libomp.
        [ "$name" != omp ] || grep -q dispatch_deinit "$build/omp.c" || echo 'void __kmpc_dispatch_deinit(void) {}' >>"$build/omp.c"
        (cd "$build" && "$zig" cc -w -target $target -shared -o "$libraries/lib/lib$name.dylib" "$name.c")
    done
    mv "$libraries/lib/libomp.dylib" "$libraries/opt/libomp/lib"
    for blas in openblas none; do
        echo "--- $target, BLAS=$blas ---"
        programs=$build/$target-$blas/bitter
        [ $blas = none ] || programs="$programs $programs-double test-programs"
        # shellcheck disable=SC2086 # the programs are meant to be split
        $make -k --no-print-directory SYSTEM=Darwin BREW="$libraries" PKG_CONFIG=false CC="$zig cc -target $target" AR="$zig ar" \
            ARCH= CFLAGS="-O1 -UNDEBUG" CI=1 BLAS=$blas BUILD="$build/$target-$blas" $programs
    done
done
rm -f a.o # zig leaves it behind when it looks for a header
echo "all files compile without a warning and link for macOS on ARM and Intel; nothing was run"
