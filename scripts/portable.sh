#!/bin/sh
# SPDX-License-Identifier: MIT
# `make PORTABLE=1` and `make install PORTABLE=1`: a program for all processors of an architecture.
#
#     portable.sh build DIR LIBRARIES MAKE BLAS    build it in DIR
#     portable.sh install DIR LIBRARIES ROOT       put its libraries below ROOT, and strip all that is installed
#
# LIBRARIES: the directory for its library, below ROOT, such as lib; MAKE: the make to use; BLAS: the directory of the
# BLAS, if not a usual one. CC: the compiler, which may be for another architecture. CFLAGS (-O3) and LDFLAGS (none):
# the flags of the build. STRIP: the command that removes symbols (`true` keeps them).
#
# The program is linked with a library, which is built for the oldest processor of the architecture and again for newer
# ones. The dynamic loader chooses the newest that runs here: it looks into glibc-hwcaps/ below a library's directory
# (from glibc 2.33 on; older ones take the library for the oldest processor). The build in double precision, only for
# gradient checks, is a separate program for the oldest processor.
set -eu
step=$1 build=$2 libraries=$3
command -v "${CC%% *}" >/dev/null || {
    echo "portable.sh: there is no compiler $CC; CC names one" >&2
    exit 2
}
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

if [ "$step" = install ]; then
    root=$4 here=$4/$libraries/bitter
    install -d "$here"
    install -m 644 "$build/oldest/float/libbitter.so" "$here"
    for level in $newer; do
        install -d "$here/glibc-hwcaps/$level"
        install -m 644 "$build/$level/float/libbitter.so" "$here/glibc-hwcaps/$level"
    done
    find "$root/bin/bitter" "$root/bin/bitter-double" "$here" -type f \
        -exec "${STRIP:-$($CC -print-prog-name=strip)}" --strip-unneeded {} +
    exit
fi

make=$4 blas=$5
hardened='-Wl,-z,relro,-z,now'
# Where a program looks for libraries: relative to its own directory, and in the directory of the BLAS. This also holds
# for the libraries that its library needs (the linker's old tag). make passes these words to a shell.
beside="-Wl,--disable-new-dtags,-rpath,\\\$\$ORIGIN/../$libraries/bitter"
for place in $blas; do beside="$beside,-rpath,$place"; done

quiet=-s
[ -z "${V:-}" ] || quiet=
# for_processor NAME FLAGS GOAL...: make in a directory of its own.
for_processor() {
    name=$1 flags=$2
    shift 2
    $make $quiet --no-print-directory PORTABLE= CC="$CC" AR="$($CC -print-prog-name=ar)" BUILD="$build/$name" CFLAGS="${CFLAGS:--O3}" \
        LDFLAGS="$hardened ${LDFLAGS:-}" PROGRAM_LDFLAGS="$beside" RUNPATH= ARCH="$flags -fPIC -fno-semantic-interposition" "$@"
}

for_processor oldest "$oldest" all "$build/oldest/bitter.1" "$build/oldest/float/libbitter.so" "$build/oldest/bitter-shared"
for level in $newer; do
    for_processor "$level" "-march=$level -mprefer-vector-width=512" "$build/$level/float/libbitter.so"
done
