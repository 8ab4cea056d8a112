#!/bin/sh
# SPDX-License-Identifier: MIT
# Build and test a Debian package that needs no compiler, bitter_VERSION_ARCHITECTURE.deb. $1: the make to use; $2: a
# directory for it. CC: the compiler, which determines the architecture. LAUNCH: a command that starts its programs if
# this machine cannot.
set -eu
make=$1 build=$2
for tool in dpkg-deb dpkg-shlibdeps dpkg-architecture; do
    command -v $tool >/dev/null || {
        echo "deb.sh: there is no $tool; on Debian, install it with \`apt-get install dpkg-dev\`" >&2
        exit 2
    }
done
command -v "${CC%% *}" >/dev/null || {
    echo "deb.sh: there is no compiler $CC; CC names one" >&2
    exit 2
}
DEB_HOST_ARCH=$(dpkg-architecture -t"$($CC -dumpmachine | sed 's/-pc-/-/')" -qDEB_HOST_ARCH)
export DEB_HOST_ARCH # read by dpkg-shlibdeps
root=$build/root
rm -rf "$root"
umask 022
$make --no-print-directory install PORTABLE=1 DESTDIR="$root" PREFIX=/usr

# --- Debian's own places and files ---
documents=$root/usr/share/doc/bitter
install -d "$root/DEBIAN"
mv "$documents/LICENSE" "$documents/copyright"
{   # indented, because these notices name files of their own
    echo
    echo 'On Debian systems, the Apache License 2.0 that these name is in /usr/share/common-licenses/Apache-2.0.'
    sed 's/^/    /; s/ *$//' "$documents/LICENSES/LicenseRef-wasi-libc.txt"
} >>"$documents/copyright"
version=$(sed -n 's/^#define BITTER_VERSION "\(.*\)"/\1/p' base/version.h)
maintainer="${DEBFULLNAME:-the bitter authors} <${DEBEMAIL:-bitter@localhost.localdomain}>"
printf 'bitter (%s) unstable; urgency=medium\n\n  * CHANGELOG.md tells what is new.\n\n -- %s  %s\n' "$version" \
    "$maintainer" "$(date -uR ${SOURCE_DATE_EPOCH:+-d @$SOURCE_DATE_EPOCH})" | gzip -9n >"$documents/changelog.gz"
# The program looks for OpenBLAS in the directory of its OpenMP build, which other programs do not search.
install -d "$root/usr/share/lintian/overrides"
echo 'bitter: custom-library-search-path' >"$root/usr/share/lintian/overrides/bitter"

# dpkg-shlibdeps needs a source package around it.
mkdir -p "$build/debian"
printf 'Source: bitter\n\nPackage: bitter\nArchitecture: any\n' >"$build/debian/control"
depends=$(cd "$build" && find root/usr/bin root/usr/lib -type f -exec dpkg-shlibdeps -O --ignore-missing-info {} + |
    sed -n 's/^shlibs:Depends=//p')
# Any OpenBLAS has these functions, but the threads of the other builds compete with OpenMP's.
depends=$(echo "$depends" | sed 's/libopenblas0/libopenblas0-openmp/')
cat >"$root/DEBIAN/control" <<END
Package: bitter
Version: $version
Architecture: $DEB_HOST_ARCH
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
package=bitter_${version}_$DEB_HOST_ARCH.deb
dpkg-deb --root-owner-group --build "$root" "$package"
PACKAGE=$package BUILD=$build TIME_LIMIT=${TIME_LIMIT:-1200} sh tests/run tests/package/deb.sh
