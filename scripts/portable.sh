#!/bin/sh
# SPDX-License-Identifier: MIT
# `make install PORTABLE=1`: install a program for all processors of an architecture. $1: the make to use; $2: a directory
# to build in; $3: where to install; $4: where the BLAS is, if not where libraries usually are. CC: the compiler, which may
# be one for another architecture. CFLAGS and LDFLAGS: those of the build, if not `-O3` and none. STRIP: what removes
# symbols (`true` keeps them).
#
# The program is linked with a library, which is built for the oldest processor of the architecture and again for newer
# ones. The dynamic loader chooses the newest that runs here: it looks into glibc-hwcaps/ below a library's directory
# (glibc 2.33; an older one takes the library for the oldest processor). The build in double, which is for gradient
# checks only, is a program by itself for the oldest processor.
set -eu
make=$1 build=$2 root=$3 blas=$4
machine=$($CC -dumpmachine)
newer=
case $machine in
*musl* | *darwin*)
    echo "portable.sh: PORTABLE=1 needs the dynamic loader of glibc; here, set ARCH to the oldest processor" >&2
    exit 2
    ;;
x86_64*) oldest=-march=x86-64 newer='x86-64-v3 x86-64-v4' ;;
aarch64*) oldest=-march=armv8-a ;;
*) oldest= ;;
esac
here=$root/lib/bitter
hardened='-Wl,-z,relro,-z,now'
# Where a program looks for libraries: from its own directory, and where the BLAS is. This holds for the libraries of its
# library, too (the linker's old tag). make hands these words to a shell.
beside='-Wl,--disable-new-dtags,-rpath,\$$ORIGIN/../lib/bitter'
for place in $blas; do beside="$beside,-rpath,$place"; done

# for_processor NAME FLAGS GOAL...: build in a directory of its own.
for_processor() {
    name=$1 flags=$2
    shift 2
    $make --no-print-directory PORTABLE= CC="$CC" AR="$($CC -print-prog-name=ar)" BUILD="$build/$name" CFLAGS="${CFLAGS:--O3}" \
        LDFLAGS="$hardened ${LDFLAGS:-}" PROGRAM_LDFLAGS="$beside" RUNPATH= ARCH="$flags -fPIC -fno-semantic-interposition" "$@"
}
# library NAME DIRECTORY FLAGS
library() {
    for_processor "$1" "$3" "$build/$1/float/libbitter.so"
    install -d "$2"
    install -m 644 "$build/$1/float/libbitter.so" "$2"
}

for_processor oldest "$oldest" install
library oldest "$here" "$oldest"
for level in $newer; do
    library "$level" "$here/glibc-hwcaps/$level" "-march=$level -mprefer-vector-width=512"
done
for_processor oldest "$oldest" "$build/oldest/bitter-shared"
install -m 755 "$build/oldest/bitter-shared" "$root/bin/bitter"
find "$root/bin/bitter" "$root/bin/bitter-double" "$here" -type f \
    -exec "${STRIP:-$($CC -print-prog-name=strip)}" --strip-unneeded {} +
