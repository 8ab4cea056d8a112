#!/bin/sh
# SPDX-License-Identifier: MIT
# Build and test a wheel, which pip installs: the program for all processors of this architecture, and the libraries
# that it needs with their licences, taken from Debian's packages. $1: the make to use; $2: a directory for it; $3: the
# directory of the BLAS, if not a usual one.
set -eu
make=$1 build=$2 blas=$3
for tool in python3 dpkg ldd objdump; do
    command -v $tool >/dev/null || {
        echo "wheel.sh: there is no $tool; a wheel is built on Debian, with python3 and binutils" >&2
        exit 2
    }
done
rm -rf "$build/root"
# The wheel has its own BLAS: its programs do not search this machine's directories for one.
LD_LIBRARY_PATH=$blas $make --no-print-directory install PORTABLE=1 DESTDIR="$build/root" PREFIX=/ RUNPATH=
version=$(sed -n 's/^#define BITTER_VERSION "\(.*\)"/\1/p' base/version.h)
rm -f "bitter-$version"-*.whl
LD_LIBRARY_PATH=$blas python3 scripts/wheel.py "$build/root" "$version"
PACKAGE=$(echo "bitter-$version"-*.whl) BUILD=$build sh tests/run tests/package/wheel.sh
