#!/bin/sh
# Build bitter.deb, a Debian package that needs no compiler. $1: the make to use; $2: a directory to build in. CC: the
# compiler.
#
# The program is linked with a library, which is built for the oldest processor of the architecture and again for newer
# ones. The dynamic loader chooses the newest that runs here: it looks into glibc-hwcaps/ below a library's directory
# (glibc 2.33; an older one takes the library for the oldest processor). The build in double, which is for gradient
# checks only, is a program by itself for the oldest processor.
set -eu
make=$1 build=$2
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null || {
        echo "deb.sh: there is no $tool; on Debian, install it with \`apt-get install dpkg-dev\`" >&2
        exit 2
    }
done
architecture=$(dpkg --print-architecture)
newer=
case $architecture in
amd64) oldest=-march=x86-64 newer='x86-64-v3 x86-64-v4' ;;
arm64) oldest=-march=armv8-a ;;
*) oldest= ;;
esac
root=$build/root
here=$root/usr/lib/bitter
hardened='-Wl,-z,relro,-z,now'

# for_processor NAME FLAGS GOAL...: build in a directory of its own.
for_processor() {
    name=$1 flags=$2
    shift 2
    $make --no-print-directory BUILD="$build/$name" CFLAGS=-O3 LDFLAGS="$hardened" \
        ARCH="$flags -fPIC -fno-semantic-interposition" "$@"
}
# library NAME DIRECTORY FLAGS
library() {
    for_processor "$1" "$3" "$build/$1/float/libbitter.so"
    install -d "$2"
    install -m 644 "$build/$1/float/libbitter.so" "$2"
}

rm -rf "$root"
umask 022
for_processor oldest "$oldest" install DESTDIR="$root" PREFIX=/usr
library oldest "$here" "$oldest"
for level in $newer; do
    library "$level" "$here/glibc-hwcaps/$level" "-march=$level -mprefer-vector-width=512"
done
${CC:-cc} $hardened "$build/oldest/float/train.o" -L"$here" -lbitter -ljansson -lm -Wl,-rpath,/usr/lib/bitter \
    -o "$root/usr/bin/bitter"
find "$root/usr/bin" "$root/usr/lib" -type f -exec strip --strip-unneeded {} +

# --- what Debian wants elsewhere, or wants to know ---
documents=$root/usr/share/doc/bitter
install -d "$root/DEBIAN"
ln -s bitter.1.gz "$root/usr/share/man/man1/bitter-double.1.gz"
mv "$documents/LICENSE" "$documents/copyright"
version=$(sed -n 's/^#define BITTER_VERSION "\(.*\)"/\1/p' base/version.h)
maintainer="${DEBFULLNAME:-the bitter authors} <${DEBEMAIL:-bitter@localhost.localdomain}>"
printf 'bitter (%s) unstable; urgency=medium\n\n  * CHANGELOG.md tells what is new.\n\n -- %s  %s\n' "$version" \
    "$maintainer" "$(date -R)" | gzip -9n >"$documents/changelog.gz"
# The directory of OpenBLAS's build with OpenMP, which is not where other programs look.
install -d "$root/usr/share/lintian/overrides"
echo 'bitter: custom-library-search-path' >"$root/usr/share/lintian/overrides/bitter"

# dpkg-shlibdeps wants a source package around it.
mkdir -p "$build/debian"
printf 'Source: bitter\n\nPackage: bitter\nArchitecture: any\n' >"$build/debian/control"
depends=$(cd "$build" && find root/usr/bin root/usr/lib -type f -exec dpkg-shlibdeps -O --ignore-missing-info {} + |
    sed -n 's/^shlibs:Depends=//p')
# Any OpenBLAS has these functions, but the threads of the other builds compete with OpenMP's.
depends=$(echo "$depends" | sed 's/libopenblas0/libopenblas0-openmp/')
cat >"$root/DEBIAN/control" <<END
Package: bitter
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Depends: $depends
Section: science
Priority: optional
Description: train small GPTs with interchangeable position schemes
 bitter trains small GPTs on a CPU with RoPE, ALiBi, T5, learned tables and
 many other position schemes. Every backward pass is written by hand and can be
 checked against central differences. bitter also measures how learned
 positions compare with designed ones, from several seeds and with the
 uncertainty of every difference.
END
dpkg-deb --root-owner-group --build "$root" bitter.deb
